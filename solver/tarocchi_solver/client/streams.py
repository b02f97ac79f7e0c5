"""Streams of responses: iterators that can be closed at any time, which ends the work of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, Final, Generic, Protocol, TypeVar

import grpc

from tarocchi_solver.client.errors import CancelledError, InvalidCallError, SolverError
from tarocchi_solver.client.retry import Attempts

NAP_SECONDS: Final = 0.1
"""How long a stream that is to be closed may go on waiting for its next attempt."""

Response = TypeVar("Response")
ResponseOut = TypeVar("ResponseOut", covariant=True)


class RunningStream(Protocol[ResponseOut]):
    """What is needed of a stream of gRPC for threads."""

    def __next__(self) -> ResponseOut:
        """Waits for the next response."""
        ...

    def cancel(self) -> bool:
        """Ends the call."""
        ...


class ResponseStream(Iterator[Response], Generic[Response]):
    """An iterator of responses; a context manager that closes it.

    The call is made at once. Until its first response has come it is made again where that helps; later an error ends
    it.
    """

    def __init__(
        self,
        start: Callable[[float | None], RunningStream[Response]],
        attempts: Attempts,
        sleep: Callable[[float], object],
    ) -> None:
        """Makes the call.

        Args:
            start: makes it, with the seconds that it may take.
            attempts: how often.
            sleep: waits, and may raise an error to wait no longer.
        """
        self._start = start
        self._attempts = attempts
        self._sleep = sleep
        self._has_responses = False
        self._is_closed = False
        self._stream = start(attempts.remaining)

    def __enter__(self) -> ResponseStream[Response]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the call and the iteration, from whatever thread; the server stops its search."""
        self._is_closed = True
        self._stream.cancel()

    def __iter__(self) -> ResponseStream[Response]:
        return self

    def __next__(self) -> Response:
        """Waits for the next response; raises `SolverError` if there is none because the call failed."""
        while not self._is_closed:
            try:
                response = next(self._stream)
            except StopIteration:
                break
            except grpc.RpcError as error:
                if self._is_closed:
                    break
                failure = SolverError.of(error)
                wait = None if self._has_responses else self._attempts.wait_after(failure)
                if wait is None:
                    self._is_closed = True
                    raise failure from error
                self._pause(wait)
                self._begin_again()
            else:
                self._has_responses = True
                return response
        raise StopIteration

    def _pause(self, seconds: float) -> None:
        """Waits for the next attempt, but not for long once the stream is closed."""
        while seconds > 0 and not self._is_closed:
            nap = min(seconds, NAP_SECONDS)
            self._sleep(nap)
            seconds -= nap

    def _begin_again(self) -> None:
        """Makes the call once more, unless it was closed in the meantime."""
        if not self._is_closed and self._attempts.is_over():
            self._is_closed = True
            raise self._attempts.too_late()
        if not self._is_closed:
            try:
                self._stream = self._start(self._attempts.remaining)
            except ValueError as error:  # the client was closed in the meantime
                raise InvalidCallError.closed() from error
        if self._is_closed:
            self._stream.cancel()


def is_task_cancelled() -> bool:
    """Tells whether it is the running task that is cancelled, not just the call that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def cancelled_elsewhere() -> CancelledError:
    """Returns the error of a call that the other side cancelled, or that ended with its channel."""
    return CancelledError(grpc.StatusCode.CANCELLED, "the call was cancelled, but not by its caller")


class AsyncResponseStream(AsyncIterator[Response], Generic[Response]):
    """An asynchronous iterator of responses; an asynchronous context manager that closes it.

    The call is made at once. Until its first response has come it is made again where that helps; later an error ends
    it.
    """

    def __init__(
        self,
        start: Callable[[float | None], grpc.aio.UnaryStreamCall[Any, Response]],
        attempts: Attempts,
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        """Makes the call; arguments as of `ResponseStream`."""
        self._start = start
        self._attempts = attempts
        self._sleep = sleep
        self._has_responses = False
        self._is_closed = False
        self._begin()

    async def __aenter__(self) -> AsyncResponseStream[Response]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the call and the iteration, from whatever task; the server stops its search."""
        self._is_closed = True
        self._stream.cancel()

    async def aclose(self) -> None:
        """Does as `close`, for `contextlib.aclosing`."""
        self.close()

    def __aiter__(self) -> AsyncResponseStream[Response]:
        return self

    async def __anext__(self) -> Response:
        """Waits for the next response; raises `SolverError` if there is none because the call failed."""
        while not self._is_closed:
            try:
                response = await anext(self._responses)
            except StopAsyncIteration:
                break
            except asyncio.CancelledError as error:
                if is_task_cancelled():
                    self.close()
                    raise
                if self._is_closed:
                    break
                self._is_closed = True
                raise cancelled_elsewhere() from error
            except grpc.RpcError as error:
                if self._is_closed:
                    break
                failure = SolverError.of(error)
                wait = None if self._has_responses else self._attempts.wait_after(failure)
                if wait is None:
                    self._is_closed = True
                    raise failure from error
                await self._pause(wait)
                self._begin_again()
            else:
                self._has_responses = True
                return response
        raise StopAsyncIteration

    async def _pause(self, seconds: float) -> None:
        """Waits for the next attempt, but not for long once the stream is closed."""
        while seconds > 0 and not self._is_closed:
            nap = min(seconds, NAP_SECONDS)
            await self._sleep(nap)
            seconds -= nap

    def _begin_again(self) -> None:
        """Makes the call once more, unless it was closed in the meantime."""
        if not self._is_closed and self._attempts.is_over():
            self._is_closed = True
            raise self._attempts.too_late()
        if not self._is_closed:
            self._begin()

    def _begin(self) -> None:
        self._stream = self._start(self._attempts.remaining)
        self._responses = aiter(self._stream)
