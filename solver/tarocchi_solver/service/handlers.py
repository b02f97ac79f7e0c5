"""Handlers of calls as interceptors see them: one of four kinds, which differ in what is a stream."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import grpc

from tarocchi_solver.service.errors import StatusReason
from tarocchi_solver.service.records import CALL

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Handler]"

HEALTH_PREFIX: Final = "/grpc.health.v1.Health/"
"""How the paths of the health service begin."""
HANDLERS_KEPT: Final = 1024
"""Handlers that an interceptor has made of others and keeps for the next calls."""
ARRIVAL_SECONDS: Final = 10.0
"""How long the bytes of a request may be on their way, once the call has begun."""
_END_SECONDS: Final = 0.1
_NOT_THERE: Final = "no request came: the client left, or it was larger than request_size_limit"
"""Which of the two, gRPC does not tell a server."""

_MAKERS: Final[dict[tuple[bool, bool], Callable[..., grpc.RpcMethodHandler[Any, Any]]]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}


def behavior_of(handler: grpc.RpcMethodHandler[Any, Any]) -> Callable[..., Any]:
    """Returns the function that serves the calls."""
    behaviors = (handler.unary_unary, handler.unary_stream, handler.stream_unary, handler.stream_stream)
    return next(behavior for behavior in behaviors if behavior is not None)


def with_behavior(
    handler: grpc.RpcMethodHandler[Any, Any],
    around: Callable[..., Any],
    takes_stream: bool | None = None,
) -> grpc.RpcMethodHandler[Any, Any]:
    """Returns a handler like another one, whose calls are served by `around(behavior, request, context)`.

    Args:
        handler: the handler whose behavior is given to `around`.
        around: serves a call; it may have more arguments if the behavior has.
        takes_stream: whether it is given the stream of requests; None for as the handler.
    """
    behavior = behavior_of(handler)
    takes_stream = handler.request_streaming if takes_stream is None else takes_stream

    # gRPC reads from attributes of the behavior in which threads it runs
    @functools.wraps(behavior)
    def serve(*arguments: Any, **named: Any) -> Any:
        return around(behavior, *arguments, **named)

    return _MAKERS[takes_stream, handler.response_streaming](
        serve, handler.request_deserializer, handler.response_serializer
    )


def _end_late(context: grpc.ServicerContext, text: str) -> None:
    """Ends a call from another thread than the one that serves it, which a plain `cancel` does without a word."""
    try:
        context._rpc_event.call.cancel(grpc.StatusCode.DEADLINE_EXCEEDED.value[0], text)  # type: ignore[attr-defined]
    except (AttributeError, TypeError):  # this is no part of what gRPC promises
        context.cancel()


def _ends_soon(context: grpc.ServicerContext) -> bool:
    """Tells whether a call whose requests have ended is over too, of which gRPC hears a moment later."""
    has_ended = threading.Event()
    return not context.add_callback(has_ended.set) or has_ended.wait(_END_SECONDS)


def _note_end(code: grpc.StatusCode, reason: StatusReason, message: str) -> None:
    """Notes how the call that this thread serves ends without a request."""
    call = CALL.get()
    # that it was late is the better reason, whichever is noted first
    if call is not None and (call.code is None or reason is StatusReason.REQUEST_LATE):
        call.code, call.reason, call.message = code, reason, message


class Arrivals(grpc.ServerInterceptor):
    """Ends calls whose request does not arrive in time, because each of them keeps a thread.

    A call that takes one request is served as one that takes a stream, whose first message it waits for; of streams the
    time holds for each message.
    """

    def __init__(self, seconds: float = ARRIVAL_SECONDS) -> None:
        self._seconds = seconds
        self._late = f"the request was not there after {seconds:g} s: send it with the call, in one go"
        # in the order in which their time is over
        self._awaited: dict[object, tuple[float, grpc.ServicerContext]] = {}
        self._lock = threading.Lock()
        self._watcher: threading.Thread | None = None
        self._watched = functools.lru_cache(HANDLERS_KEPT)(self._watch_handler)

    @property
    def awaited(self) -> int:
        """Requests that are on their way now."""
        return len(self._awaited)

    def intercept_service(self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails) -> Handler:
        """Returns the handler of a call."""
        handler = continuation(handler_call_details)
        if handler is None:
            return None
        return self._watched(handler)

    def _watch_handler(self, handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.RpcMethodHandler[Any, Any]:
        if handler.request_streaming:
            return with_behavior(handler, self._serve_stream)
        return with_behavior(handler, self._serve_one, takes_stream=True)

    def _serve_one(
        self,
        behavior: Callable[..., Any],
        requests: Iterator[Any],
        context: grpc.ServicerContext,
        *more: Any,
        **named: Any,
    ) -> Any:
        request = self._next_in_time(requests, context)
        if request is None:
            if _ends_soon(context):
                _note_end(grpc.StatusCode.CANCELLED, StatusReason.NO_REQUEST, _NOT_THERE)
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "the call ended without a request: send one")
        return behavior(request, context, *more, **named)

    def _serve_stream(
        self, behavior: Callable[..., Any], requests: Iterator[Any], context: grpc.ServicerContext
    ) -> Any:
        return behavior(self._in_time(requests, context), context)

    def _in_time(self, requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """Yields requests until there are no more."""
        while (request := self._next_in_time(requests, context)) is not None:
            yield request

    def _next_in_time(self, requests: Iterator[Any], context: grpc.ServicerContext) -> Any:
        """Returns a request, None at their end; cancels the call, which ends its stream, when it takes too long."""
        entry = object()
        self._await(entry, context)
        try:
            return next(requests, None)
        except Exception:
            if not context.is_active():
                _note_end(grpc.StatusCode.CANCELLED, StatusReason.NO_REQUEST, _NOT_THERE)
            raise
        finally:
            with self._lock:
                is_late = self._awaited.pop(entry, None) is None
            if is_late:
                _note_end(grpc.StatusCode.DEADLINE_EXCEEDED, StatusReason.REQUEST_LATE, self._late)

    def _await(self, entry: object, context: grpc.ServicerContext) -> None:
        with self._lock:
            self._awaited[entry] = (time.monotonic() + self._seconds, context)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="tarocchi-arrivals", daemon=True)
                self._watcher.start()

    def _watch(self) -> None:
        """Cancels what is late, as long as anything is awaited; it ends when there has been nothing for a while."""
        while True:
            time.sleep(self._seconds / 10)
            now = time.monotonic()
            with self._lock:
                if not self._awaited:
                    self._watcher = None
                    return
                late = [(entry, context) for entry, (end, context) in self._awaited.items() if end <= now]
                for entry, _ in late:
                    del self._awaited[entry]
            for _, context in late:
                _end_late(context, self._late)
