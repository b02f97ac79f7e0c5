"""A failed call, with everything that is known about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

_TOO_LARGE: Final = re.compile(r"((?P<side>\w+): )?.*larger than max \((?P<size>\d+) vs\. (?P<most>\d+)\)")


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing wrong with a request."""

    field: str
    """Path of the field, such as "observation.events[7].play.card"."""
    reason: str
    """Stable name of the kind of fault, such as "MUST_FOLLOW"."""
    description: str
    """A sentence that names the fault and the remedy."""


class SolverError(Exception):
    """A call that failed: the server refused it, could not answer or was not reached, or it could not be sent.

    Its subclasses tell apart what a caller can do about it.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        reason: str = "",
        violations: tuple[Violation, ...] = (),
        retry_seconds: float | None = None,
        request_id: str = "",
    ) -> None:
        """Holds the parts of the error.

        Args:
            code: the gRPC status code.
            message: one sentence.
            reason: stable name of what happened, empty if the error did not come from the service itself.
            violations: everything wrong with the request.
            retry_seconds: when it makes sense to ask again; None for never.
            request_id: what to look for in the server's log, where the server failed.
        """
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = message
        """What gRPC told, where `message` says it more plainly."""
        self.reason = reason
        self.violations = violations
        self.retry_seconds = retry_seconds
        self.request_id = request_id

    @classmethod
    def of(cls, error: grpc.RpcError) -> SolverError:
        """Returns the typed form of an error raised by gRPC, in a thread or in an event loop."""
        if not isinstance(error, (grpc.Call, grpc.aio.AioRpcError)):
            return cls(grpc.StatusCode.UNKNOWN, str(error))
        code = error.code() or grpc.StatusCode.UNKNOWN
        message = error.details() or code.name
        try:
            status = rpc_status.from_call(error)  # type: ignore[arg-type] # whose error has what is read of a call
        except ValueError:  # details that contradict the status: trust the status
            status = None
        if status is None and code is grpc.StatusCode.RESOURCE_EXHAUSTED and (sizes := _TOO_LARGE.search(message)):
            return cls(code, *_about_sizes(sizes))
        if status is None:
            return _kind_of(code, "", None)(code, message)
        info = error_details_pb2.ErrorInfo()
        faults = error_details_pb2.BadRequest()
        retry = error_details_pb2.RetryInfo()
        has_retry = False
        for detail in status.details:
            has_retry = detail.Unpack(retry) or has_retry
            _ = detail.Unpack(info) or detail.Unpack(faults)
        retry_seconds = retry.retry_delay.ToMilliseconds() / 1000 if has_retry else None
        return _kind_of(code, info.reason, retry_seconds)(
            code,
            status.message,
            info.reason,
            tuple(Violation(entry.field, entry.reason, entry.description) for entry in faults.field_violations),
            retry_seconds,
            info.metadata.get("request_id", ""),
        )


class InvalidRequestError(SolverError):
    """The server found faults in the request; `violations` lists them. The same request always fails."""


class NothingToDecideError(SolverError):
    """The observation is valid, but its seat is not to move or the deal is over."""


class DealNotOverError(SolverError):
    """A review was asked for before the end of the deal; ask again with all its events."""


class OverloadedError(SolverError):
    """Too many calls wait for the server; `retry_seconds` tells when to ask again."""


class UnavailableError(SolverError):
    """The server is not reached, warms up or stops."""


class DeadlineError(SolverError):
    """The answer was not there in the time that the call had."""


class CancelledError(SolverError):
    """The call was cancelled by the other side, by somebody in between, or through its `PendingCall`."""


class UnauthenticatedError(SolverError):
    """The server does not know who calls: the token is missing or wrong."""


_KINDS: Final[dict[grpc.StatusCode, type[SolverError]]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
    grpc.StatusCode.CANCELLED: CancelledError,
    grpc.StatusCode.UNAUTHENTICATED: UnauthenticatedError,
}
_NOTHING_TO_DECIDE: Final = frozenset({"NOT_YOUR_TURN", "DEAL_OVER"})
_DEAL_NOT_OVER: Final = "DEAL_NOT_OVER"


def _kind_of(code: grpc.StatusCode, reason: str, retry_seconds: float | None) -> type[SolverError]:
    """Returns the class of an error that came from the server or from gRPC."""
    if code is grpc.StatusCode.FAILED_PRECONDITION and reason == _DEAL_NOT_OVER:
        return DealNotOverError
    if code is grpc.StatusCode.FAILED_PRECONDITION and reason in _NOTHING_TO_DECIDE:
        return NothingToDecideError
    # without a time to wait it is a message that is too large
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and retry_seconds is not None:
        return OverloadedError
    return _KINDS.get(code, SolverError)


def _about_sizes(sizes: re.Match[str]) -> tuple[str, str]:
    """Returns message and reason of the error of a message that was too large for the server, or for the client."""
    size, most = sizes["size"], sizes["most"]
    if sizes["side"] == "CLIENT":
        return (
            f"the answer has {size} bytes, more than the {most} that a client takes: ask for less",
            "ANSWER_TOO_LARGE",
        )
    text = f"the request has {size} bytes, and the server takes {most}: send less at once, such as a smaller batch"
    return text, "REQUEST_TOO_LARGE"


class InvalidCallError(SolverError):
    """A call that was not sent, because what was given is no request, or whose client was closed before its end."""

    @classmethod
    def about(cls, faults: Sequence[tuple[str, str]]) -> InvalidCallError:
        """Returns the error of a request with faults, given as paths and sentences."""
        lines = [f"{path}: {text}" if path else text for path, text in faults]
        others = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        violations = tuple(Violation(path, "MALFORMED", text) for path, text in faults)
        return cls(grpc.StatusCode.INVALID_ARGUMENT, lines[0] + others, violations=violations)

    @classmethod
    def closed(cls) -> InvalidCallError:
        """Returns the error of a call through a client that is closed."""
        return cls(grpc.StatusCode.FAILED_PRECONDITION, "the client is closed: open another one")

    @classmethod
    def not_now(cls, message: str) -> InvalidCallError:
        """Returns the error of a call that does not fit the state of things."""
        return cls(grpc.StatusCode.FAILED_PRECONDITION, message)


def failure_of(error: grpc.RpcError, *, is_client_closed: bool) -> SolverError:
    """Returns the typed form of an error raised by gRPC; a client that is closed cancels its calls itself."""
    failure = SolverError.of(error)
    return InvalidCallError.closed() if is_client_closed and isinstance(failure, CancelledError) else failure


class UnknownFieldWarning(UserWarning):
    """Says that a dictionary has a field that the contract does not know; the field is ignored."""
