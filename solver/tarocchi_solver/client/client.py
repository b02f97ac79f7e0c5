"""Calls the service from threads: one method for each RPC, typed errors, requests from messages or from dictionaries.

Every method raises `SolverError`: its subclass `InvalidCallError` where nothing could be sent, otherwise with what the
server said. Fields of a dictionary that the contract does not know are ignored with an `UnknownFieldWarning`. What a
server that is busy or away does not answer is asked again as the `RetryPolicy` says.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import grpc
from grpc_health.v1 import health_pb2

from tarocchi_solver.client import calls
from tarocchi_solver.client.building import require_number
from tarocchi_solver.client.calls import Call, StreamCall, to_bytes
from tarocchi_solver.client.channel import ClientTls, open_channel
from tarocchi_solver.client.errors import InvalidCallError, SolverError, failure_of
from tarocchi_solver.client.methods import described_as
from tarocchi_solver.client.retry import Attempts, RetryPolicy, require_settings
from tarocchi_solver.client.streams import PendingCall, ResponseStream

DEFAULT_TIMEOUT: Final = 60.0
DEFAULT_RETRY: Final = RetryPolicy()
HEALTH_TIMEOUT: Final = 5.0
POLL_SECONDS: Final = 0.05

NOT_READY: Final = "it says that it is not ready, so it compiles or loads its kernels, or is about to stop: see its log"

log = logging.getLogger(__name__)

P = ParamSpec("P")
Answer = TypeVar("Answer")


def health_check(timeout: float) -> Call[bool]:
    """Asks whether the server is healthy."""

    def read(data: bytes) -> bool:
        answer = health_pb2.HealthCheckResponse.FromString(data)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    return Call("/grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest(), read, timeout)


def require_wait(timeout: Any) -> None:
    """Raises `InvalidCallError` for what is no time to wait for a server."""
    require_number("timeout", timeout)
    if timeout < 0:
        raise InvalidCallError.about([("timeout", f"{timeout} is no time: give seconds from 0")])


def warn_of_silence(address: str, seconds: float, cause: str) -> None:
    """Logs why a server that was waited for is not healthy."""
    log.warning("the server at %s was not healthy within %g s; at last: %s", address, seconds, cause)


def require_kind(call: object, kind: type[Call[Any]] | type[StreamCall[Any]]) -> None:
    """Raises `TypeError` for what is no call of a kind."""
    if not isinstance(call, kind):
        text = f"a {kind.__name__} that a function of tarocchi_solver.client.calls has built is needed, not {call!r}"
        raise TypeError(text)


def _answered(build: Callable[P, Call[Answer]]) -> Callable[Concatenate[SolverClient, P], Answer]:
    @described_as(build)
    def method(self: SolverClient, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        return self.send(build(*args, **kwargs))

    return method


def _streamed(build: Callable[P, StreamCall[Answer]]) -> Callable[Concatenate[SolverClient, P], ResponseStream[Answer]]:
    @described_as(build)
    def method(self: SolverClient, /, *args: P.args, **kwargs: P.kwargs) -> ResponseStream[Answer]:
        return self.stream(build(*args, **kwargs))

    return method


class SolverClient:
    """A connection to one server; usable as a context manager and from several threads."""

    recommend_move = _answered(calls.recommend_move)
    recommend = _answered(calls.recommend)
    recommend_moves = _answered(calls.recommend_moves)
    analyze = _streamed(calls.analyze)
    get_beliefs = _answered(calls.get_beliefs)
    get_server_info = _answered(calls.get_server_info)
    review_deal = _streamed(calls.review_deal)
    list_variants = _answered(calls.list_variants)
    list_legal_moves = _answered(calls.list_legal_moves)
    validate_observation = _answered(calls.validate_observation)
    new_deal = _answered(calls.new_deal)
    replay_deal = _answered(calls.replay_deal)

    def __init__(
        self,
        address: str,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        retry: RetryPolicy | None = DEFAULT_RETRY,
        token: str | None = None,
        tls: ClientTls | bool | None = None,
    ) -> None:
        """Opens a channel; the connection is made with the first call.

        Args:
            address: host and port, unix:/path/of/socket, or a name that gRPC looks up, such as dns:///solver:50051.
            timeout: seconds that a call may take with all its attempts; None for as long as it needs.
            retry: how calls are made again that a busy or absent server did not answer; None for never.
            token: sent with every call, where the server asks for one.
            tls: encrypts; True with the roots of the system, a `ClientTls` with others or with an own certificate.

        Raises:
            ValueError: the address is no host with a port and no socket; the token cannot be sent, or not without
                `tls`; a file of `tls` cannot be read or does not hold what it should, or the key is another's.
            InvalidCallError: the timeout is no number above 0, or `retry` no policy.
        """
        require_settings(timeout, retry)
        self._timeout = timeout
        self._retry = retry
        self._draw = random.Random(None if retry is None else retry.seed)
        self._is_closed = False
        self._closing = threading.Event()
        self._now: Callable[[], float] = time.monotonic
        self._sleep: Callable[[float], object] = self._closing.wait
        self._address = address
        self._channel = open_channel(address, token=token, tls=tls)

    def __enter__(self) -> SolverClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the channel; no call can be made any more, and those that run end with an `InvalidCallError`."""
        self._is_closed = True
        self._closing.set()
        self._channel.close()

    def is_serving(self, timeout: float = HEALTH_TIMEOUT) -> bool:
        """Tells whether the server is healthy; False also if it cannot be reached. It is asked once."""
        return self._silence(timeout) is None

    def wait_until_serving(self, timeout: float) -> bool:
        """Waits up to `timeout` seconds until the server is healthy; returns whether it is.

        Where it is not a warning in the log tells why.

        Raises:
            InvalidCallError: the timeout is no number from 0, or the client is closed.
        """
        require_wait(timeout)
        end = time.monotonic() + timeout
        while (cause := self._silence(HEALTH_TIMEOUT)) is not None:
            if time.monotonic() >= end:
                warn_of_silence(self._address, timeout, cause)
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _silence(self, timeout: float) -> str | None:
        """Returns why the server is not healthy, None if it is."""
        try:
            return None if self._send(health_check(timeout), None) else NOT_READY
        except InvalidCallError:
            raise
        except SolverError as error:
            return error.message

    def send(self, call: Call[Answer]) -> Answer:
        """Makes a call that one of the functions in `calls` has built; raises `SolverError`."""
        require_kind(call, Call)
        return self._send(call, self._retry)

    def stream(self, call: StreamCall[Answer]) -> ResponseStream[Answer]:
        """Makes a call that is answered by a stream; raises `SolverError`."""
        require_kind(call, StreamCall)
        one = call.call
        attempts = self._attempts(one, self._retry)
        method = self._channel.unary_stream(one.method, to_bytes, one.read)

        def start(seconds: float | None) -> Any:
            return method(one.request, timeout=seconds)

        try:
            return ResponseStream(start, attempts, self._wait, lambda: self._is_closed)
        except ValueError as error:  # closed by another thread in the meantime
            raise InvalidCallError.closed() from error

    def begin(self, call: Call[Answer]) -> PendingCall[Answer]:
        """Makes a call that one of the functions in `calls` has built, and does not wait for its answer.

        It is for calls that another thread may cancel: `PendingCall.result` waits, `PendingCall.cancel` ends it.
        """
        require_kind(call, Call)
        # on the wire a call for one answer is a stream of one
        return PendingCall(self.stream(StreamCall(call)))

    def _send(self, call: Call[Answer], retry: RetryPolicy | None) -> Answer:
        attempts = self._attempts(call, retry)
        while True:
            try:
                # the channel is closed by another thread just when it is used: it says so by a ValueError
                method = self._channel.unary_unary(call.method, to_bytes, call.read)
                return method(call.request, timeout=attempts.remaining)
            except grpc.RpcError as error:
                failure = failure_of(error, is_client_closed=self._is_closed)
                wait = attempts.wait_after(failure)
                if wait is None:
                    raise failure from error
            except ValueError as error:
                raise InvalidCallError.closed() from error
            self._wait(wait)
            if attempts.is_over():
                raise attempts.too_late()

    def _attempts(self, call: Call[Any], retry: RetryPolicy | None) -> Attempts:
        """Starts the clock of a call."""
        if self._is_closed:
            raise InvalidCallError.closed()
        timeout = self._timeout if call.timeout is None else call.timeout
        return Attempts(retry, self._draw, timeout, self._now)

    def _wait(self, seconds: float) -> None:
        self._sleep(seconds)
        if self._is_closed:
            raise InvalidCallError.closed()
