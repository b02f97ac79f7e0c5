"""What every call shares: the server's readiness, request ids, elapsed time and errors."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Final, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from grpc_status import rpc_status

from tarocchi_engine import Fault
from tarocchi_solver.service.errors import RequestError, StatusReason, ViolationReason, invalid_request
from tarocchi_solver.service.handlers import HANDLERS_KEPT
from tarocchi_solver.service.records import CALL, OTHER_METHOD, Call

ELAPSED_KEY: Final = "tarocchi-elapsed-ms"
"""Trailing metadata: whole milliseconds from the start of the handler to its answer."""
REQUEST_ID_KEY: Final = "tarocchi-request-id"
"""Trailing metadata, for calls that take a while initial metadata too: the id of the call in the server's log."""
RETRY_SECONDS: Final = 1.0
CALLER: Final[ContextVar[str]] = ContextVar("tarocchi_caller", default="")
"""The name of the token of the call that this thread serves; empty where no tokens are asked for."""

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


class Stage(StrEnum):
    """Where a server stands between start and end."""

    WARMING_UP = "warming up"
    READY = "ready"
    FAILED = "failed"
    DRAINING = "draining"


_REFUSALS: Final = {
    Stage.WARMING_UP: (StatusReason.WARMING_UP, "the server compiles or loads its kernels: ask again in a moment"),
    Stage.FAILED: (StatusReason.WARM_UP_FAILED, "the server failed its self-test and cannot answer: see its log"),
    Stage.DRAINING: (StatusReason.DRAINING, "the server is about to stop: ask another one, or later"),
}


def refusal_of(stage: Stage) -> RequestError:
    """Returns the error of a call that a server at a stage other than ready does not answer."""
    reason, message = _REFUSALS[stage]
    return RequestError(grpc.StatusCode.UNAVAILABLE, reason, message, retry_seconds=RETRY_SECONDS)


class Readiness:
    """The stage of a server, shared by its threads."""

    def __init__(self) -> None:
        self._stage = Stage.WARMING_UP
        self._changed = threading.Condition()

    @property
    def stage(self) -> Stage:
        """The present stage."""
        return self._stage

    def move_to(self, stage: Stage) -> bool:
        """Enters a stage; draining is left no more, so returns whether `stage` is the present one now."""
        with self._changed:
            if self._stage is not Stage.DRAINING:
                self._stage = stage
            self._changed.notify_all()
            return self._stage is stage

    def wait_until_warm(self, timeout: float | None = None) -> bool:
        """Waits for the end of the warm-up; returns whether the server is ready."""
        with self._changed:
            self._changed.wait_for(lambda: self._stage is not Stage.WARMING_UP, timeout)
        return self._stage is Stage.READY

    def require(self) -> None:
        """Raises the `RequestError` of a server that does not answer now."""
        stage = self._stage
        if stage is not Stage.READY:
            raise refusal_of(stage)


class Servicer:
    """The base of all servicers."""

    def __init__(self, readiness: Readiness) -> None:
        self.readiness = readiness


class Unreadable:
    """Stands in for a request whose bytes are no message of its kind."""


class UnreadableRequests(grpc.ServerInterceptor):
    """Lets such requests through to `answering`, which refuses them; gRPC alone would call them internal errors."""

    def __init__(self, services: Iterable[str]) -> None:
        """Watches the methods of the services with these full names, all of which take one request."""
        self._prefixes = tuple(f"/{name}/" for name in services)
        self._readable = functools.lru_cache(HANDLERS_KEPT)(_with_any_bytes)

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Returns the handler of a call."""
        handler = continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith(self._prefixes):
            return handler
        return self._readable(handler)


def _with_any_bytes(handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.RpcMethodHandler[Any, Any]:
    """Returns a handler like another one, to which bytes that are no request come as `Unreadable`."""
    from_bytes = handler.request_deserializer
    assert from_bytes is not None

    def read(data: bytes) -> object:
        try:
            return from_bytes(data)
        except (DecodeError, ValueError, RecursionError):
            return Unreadable()

    if handler.unary_stream is not None:
        return grpc.unary_stream_rpc_method_handler(handler.unary_stream, read, handler.response_serializer)
    assert handler.unary_unary is not None
    return grpc.unary_unary_rpc_method_handler(handler.unary_unary, read, handler.response_serializer)


def answering(method: Callable[[Any, Request, grpc.ServicerContext], Response]) -> Callable[..., Response]:
    """Wraps the method of a `Servicer` that answers one call: refuses while not ready, reports every error."""

    @functools.wraps(method)
    def handle(self: Servicer, request: Request, context: grpc.ServicerContext) -> Response:
        call = current_call(method.__name__)
        try:
            _require_answerable(call, self, request)
            answer = method(self, request, context)
        except Exception as error:
            _fail(call, context, error)
        _tell_end(call, context)
        return answer

    return handle


def answering_later(method: Callable[[Any, Request, grpc.ServicerContext], Response]) -> Callable[..., Response]:
    """Does what `answering` does for a method that takes a while: its client knows the id even if it does not wait."""
    answer = answering(method)

    @functools.wraps(method)
    def handle(self: Servicer, request: Request, context: grpc.ServicerContext) -> Response:
        _tell_id(current_call(method.__name__), context)
        return answer(self, request, context)

    return handle


def streaming(
    method: Callable[[Any, Request, grpc.ServicerContext], Iterator[Response]],
) -> Callable[..., Iterator[Response]]:
    """Does for a method that answers one call with a stream what `answering` does."""

    @functools.wraps(method)
    def handle(self: Servicer, request: Request, context: grpc.ServicerContext) -> Iterator[Response]:
        call = current_call(method.__name__)
        _tell_id(call, context)
        try:
            _require_answerable(call, self, request)
            yield from method(self, request, context)
        except Exception as error:
            _fail(call, context, error)
        _tell_end(call, context)

    return handle


def _tell_id(call: Call, context: grpc.ServicerContext) -> None:
    """Tells the id of a call at once, which costs a fifth of what a trivial call takes in all."""
    context.send_initial_metadata(((REQUEST_ID_KEY, call.request_id),))


def _require_answerable(call: Call, servicer: Servicer, request: object) -> None:
    """Raises the `RequestError` of a call that comes too early or too late, or whose request nobody can read."""
    servicer.readiness.require()
    if isinstance(request, Unreadable):
        message = f"these bytes are no request of {call.method}: is it another version of the contract?"
        raise invalid_request([Fault("", ViolationReason.UNREADABLE_REQUEST, message)])


def _fail(call: Call, context: grpc.ServicerContext, error: Exception) -> NoReturn:
    """Turns what a call raised, and is handled now, into a status."""
    if not isinstance(error, RequestError):
        call.error = sys.exc_info()  # type: ignore[assignment]
        message = f"the server failed; its log has the cause under request {call.request_id}"
        metadata = {"request_id": call.request_id}
        reason = StatusReason.INTERNAL_ERROR
        error = RequestError(grpc.StatusCode.INTERNAL, reason, message, metadata=metadata)
    abort(context, error)


def _tell_end(call: Call, context: grpc.ServicerContext) -> None:
    context.set_trailing_metadata(((REQUEST_ID_KEY, call.request_id), (ELAPSED_KEY, str(call.elapsed_ms))))


def current_call(method: str = OTHER_METHOD) -> Call:
    """Returns the call that this thread serves, a new one of a method if nobody watches."""
    return CALL.get() or Call(method)


def abort(context: grpc.ServicerContext, error: RequestError) -> NoReturn:
    """Ends a call with an error."""
    call = current_call()
    call.code, call.reason, call.message = error.code, error.reason, error.message
    status = rpc_status.to_status(error.to_status())
    context.set_trailing_metadata((*(status.trailing_metadata or ()), (REQUEST_ID_KEY, call.request_id)))
    context.abort(status.code, status.details)
    raise AssertionError("abort returned") from error
