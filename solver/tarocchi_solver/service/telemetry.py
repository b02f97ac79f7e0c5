"""Watches the calls of a server: each leaves one line in the log and its marks in the metrics, however it ends."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import grpc

from tarocchi_solver.service.decisions import DECISION_EVENT, Decision
from tarocchi_solver.service.errors import StatusReason
from tarocchi_solver.service.handlers import HANDLERS_KEPT, HEALTH_PREFIX, Continuation, Handler, with_behavior
from tarocchi_solver.service.logs import LogFormat
from tarocchi_solver.service.metrics import Metrics
from tarocchi_solver.service.records import CALL, OTHER_METHOD, Call, told

log = logging.getLogger(__name__)


class Telemetry:
    """What the servicers of one server tell about their decisions."""

    def __init__(self, metrics: Metrics, log_format: str = LogFormat.TEXT, *, log_requests: bool = True) -> None:
        """Decisions are logged in JSON alone: as text they are of no use."""
        self.metrics = metrics
        self._logs_decisions = log_format == LogFormat.JSON
        self._logs_requests = log_requests

    def decided(self, decision: Decision) -> None:
        """Notes an answered decision of the call that this thread serves."""
        call = CALL.get()
        if call is None:
            return
        call.queue_seconds = max(call.queue_seconds or 0.0, decision.trace.queue_seconds)
        self.metrics.decided(call.method, decision)
        if self._logs_decisions and log.isEnabledFor(logging.INFO):
            # made into JSON by the thread that writes the log
            extra = {
                "event": DECISION_EVENT,
                "fields": lambda: decision.fields(call, with_request=self._logs_requests),
            }
            log.info("", extra=extra)


class Watch(grpc.ServerInterceptor):
    """Sees calls from their beginning to their end; it has to stand before all other interceptors."""

    def __init__(self, metrics: Metrics, methods: Mapping[str, str]) -> None:
        """Watches the methods with these paths, by the names that the log gives them, and of all others refusals."""
        self._metrics = metrics
        self._methods = methods
        self._watched = functools.lru_cache(HANDLERS_KEPT)(self._watch)

    def intercept_service(self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails) -> Handler:
        """Returns the handler of a call."""
        handler = continuation(handler_call_details)
        if handler is None or handler_call_details.method.startswith(HEALTH_PREFIX):
            return handler
        return self._watched(handler, self._methods.get(handler_call_details.method, OTHER_METHOD))

    def _watch(self, handler: grpc.RpcMethodHandler[Any, Any], name: str) -> grpc.RpcMethodHandler[Any, Any]:
        """Returns a handler like another one, whose calls are watched as those of a method."""
        is_stream = handler.response_streaming and name != OTHER_METHOD

        def begin() -> Call:
            call = Call(name)
            CALL.set(call)
            self._metrics.begin(call, is_stream=is_stream)
            return call

        def end(call: Call, context: grpc.ServicerContext, *, is_left: bool = False) -> None:
            CALL.set(None)
            outcome = _settle(call, context, is_left=is_left)
            seconds = time.monotonic() - call.started
            is_told = name != OTHER_METHOD or bool(call.reason)
            self._metrics.end(call, seconds=seconds, is_stream=is_stream, is_counted=is_told)
            if is_told:
                _log_end(call, outcome)

        def one(behavior: Callable[..., Any], request: Any, context: grpc.ServicerContext) -> Any:
            call = begin()
            try:
                return behavior(request, context)
            finally:
                end(call, context)

        def many(behavior: Callable[..., Any], request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            call = begin()
            is_left = False
            try:
                yield from behavior(request, context)
            except GeneratorExit:
                is_left = True
                raise
            finally:
                end(call, context, is_left=is_left)

        return with_behavior(handler, many if handler.response_streaming else one)


def _settle(call: Call, context: grpc.ServicerContext, *, is_left: bool) -> str:
    """Finds out how a call has ended; returns it in words."""
    # gRPC throws the answer away if the deadline has passed or the client has left
    is_late = context.time_remaining() == 0
    if call.reason == StatusReason.CANCELLED:
        # its search was given up because nobody could get the answer any more
        is_left, call.reason = not is_late, ""
    elif call.code is not None:
        return "failed" if call.error else f"refused: {call.reason} {call.message}"
    if is_left or is_late or not context.is_active():
        call.code = grpc.StatusCode.DEADLINE_EXCEEDED if is_late else grpc.StatusCode.CANCELLED
        return "left by its client, after" if is_left else "too late, after"
    code: grpc.StatusCode | None = context.code()  # type: ignore[attr-defined]
    if code is not None and code is not grpc.StatusCode.OK:
        call.code = code
        return "ended without a request, after"
    call.code = grpc.StatusCode.OK
    return "answered in"


def _log_end(call: Call, outcome: str) -> None:
    assert call.code is not None
    level = logging.ERROR if call.error else logging.INFO
    if not log.isEnabledFor(level):
        return
    elapsed = call.elapsed_ms
    text = f"{outcome} {elapsed} ms" if call.reason == "" else outcome
    # a record is made here as `Logger.log` would, but for the look-up of the line of code that no format tells
    record = logging.LogRecord(
        log.name, level, __file__, 0, "%s %s %s", (call.method, call.name, text), call.error, "_log_end"
    )
    queue_ms = None if call.queue_seconds is None else round(call.queue_seconds * 1000, 1)
    record.__dict__ |= told(
        "call",
        method=call.method,
        request_id=call.request_id,
        caller=call.caller,
        code=call.code.name,
        reason=call.reason,
        elapsed_ms=elapsed,
        queue_ms=queue_ms,
    )
    log.handle(record)
