"""Calls the service from an event loop: the methods of `SolverClient`, to be awaited.

Requests, errors and attempts are the same; only how a call is sent differs.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import grpc

from tarocchi_solver.client import calls
from tarocchi_solver.client.calls import Call, StreamCall, to_bytes
from tarocchi_solver.client.channel import ClientTls, open_aio_channel
from tarocchi_solver.client.client import (
    DEFAULT_RETRY,
    DEFAULT_TIMEOUT,
    HEALTH_TIMEOUT,
    NOT_READY,
    POLL_SECONDS,
    health_check,
    require_kind,
    require_wait,
    warn_of_silence,
)
from tarocchi_solver.client.errors import InvalidCallError, SolverError, failure_of
from tarocchi_solver.client.methods import described_as
from tarocchi_solver.client.retry import Attempts, RetryPolicy, require_settings
from tarocchi_solver.client.streams import AsyncResponseStream, cancelled_elsewhere, is_task_cancelled

P = ParamSpec("P")
Answer = TypeVar("Answer")


def _answered(
    build: Callable[P, Call[Answer]],
) -> Callable[Concatenate[AsyncSolverClient, P], Coroutine[Any, Any, Answer]]:
    @described_as(build)
    def method(self: AsyncSolverClient, /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, Answer]:
        return self.send(build(*args, **kwargs))

    return method


def _streamed(
    build: Callable[P, StreamCall[Answer]],
) -> Callable[Concatenate[AsyncSolverClient, P], AsyncResponseStream[Answer]]:
    @described_as(build)
    def method(self: AsyncSolverClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncResponseStream[Answer]:
        return self.stream(build(*args, **kwargs))

    return method


class AsyncSolverClient:
    """A connection to one server for one event loop; usable as an asynchronous context manager.

    Cancelling a task that awaits a call cancels the call, which frees the server.
    """

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
        """Opens a channel, in the event loop that will use it; the connection is made with the first call.

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
        self._now: Callable[[], float] = time.monotonic
        self._sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
        self._address = address
        self._channel = open_aio_channel(address, token=token, tls=tls)

    async def __aenter__(self) -> AsyncSolverClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the channel; no call can be made any more, and those that run end with an `InvalidCallError`."""
        self._is_closed = True
        await self._channel.close()

    async def is_serving(self, timeout: float = HEALTH_TIMEOUT) -> bool:
        """Tells whether the server is healthy; False also if it cannot be reached. It is asked once."""
        return await self._silence(timeout) is None

    async def wait_until_serving(self, timeout: float) -> bool:
        """Waits up to `timeout` seconds until the server is healthy; returns whether it is.

        Where it is not a warning in the log tells why.

        Raises:
            InvalidCallError: the timeout is no number from 0, or the client is closed.
        """
        require_wait(timeout)
        end = time.monotonic() + timeout
        while (cause := await self._silence(HEALTH_TIMEOUT)) is not None:
            if time.monotonic() >= end:
                warn_of_silence(self._address, timeout, cause)
                return False
            await asyncio.sleep(POLL_SECONDS)
        return True

    async def _silence(self, timeout: float) -> str | None:
        """Returns why the server is not healthy, None if it is."""
        try:
            return None if await self._send(health_check(timeout), None) else NOT_READY
        except InvalidCallError:
            raise
        except SolverError as error:
            return error.message

    async def send(self, call: Call[Answer]) -> Answer:
        """Makes a call that one of the functions in `calls` has built; raises `SolverError`."""
        require_kind(call, Call)
        return await self._send(call, self._retry)

    def stream(self, call: StreamCall[Answer]) -> AsyncResponseStream[Answer]:
        """Makes a call that is answered by a stream; raises `SolverError`."""
        require_kind(call, StreamCall)
        one = call.call
        attempts = self._attempts(one, self._retry)
        method = self._channel.unary_stream(one.method, to_bytes, one.read)

        def start(seconds: float | None) -> Any:
            return method(one.request, timeout=seconds)

        return AsyncResponseStream(start, attempts, self._wait, lambda: self._is_closed)

    async def _send(self, call: Call[Answer], retry: RetryPolicy | None) -> Answer:
        attempts = self._attempts(call, retry)
        method = self._channel.unary_unary(call.method, to_bytes, call.read)
        while True:
            try:
                return await method(call.request, timeout=attempts.remaining)
            except asyncio.CancelledError as error:
                if is_task_cancelled():
                    raise
                raise (InvalidCallError.closed() if self._is_closed else cancelled_elsewhere()) from error
            except grpc.RpcError as error:
                failure = failure_of(error, is_client_closed=self._is_closed)
                wait = attempts.wait_after(failure)
                if wait is None:
                    raise failure from error
            await self._wait(wait)
            if attempts.is_over():
                raise attempts.too_late()

    def _attempts(self, call: Call[Any], retry: RetryPolicy | None) -> Attempts:
        """Starts the clock of a call."""
        if self._is_closed:
            raise InvalidCallError.closed()
        timeout = self._timeout if call.timeout is None else call.timeout
        return Attempts(retry, self._draw, timeout, self._now)

    async def _wait(self, seconds: float) -> None:
        await self._sleep(seconds)
        if self._is_closed:
            raise InvalidCallError.closed()
