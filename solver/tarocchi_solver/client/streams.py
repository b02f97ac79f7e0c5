"""Streams of responses: iterators that can be closed at any time, which ends the work of the server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, Final, Generic, Protocol, TypeVar

import grpc

from tarocchi_solver.client.errors import CancelledError, InvalidCallError, SolverError, failure_of
from tarocchi_solver.client.retry import Attempts

NAP_SECONDS: Final = 0.1
"""How long a stream that is to be closed may go on waiting for its next attempt."""

Answer = TypeVar("Answer")
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
        is_client_closed: Callable[[], bool],
    ) -> None:
        """Makes the call.

        Args:
            start: makes it, with the seconds that it may take.
            attempts: how often.
            sleep: waits, and may raise an error to wait no longer.
            is_client_closed: tells whether its client was closed, which ends the call.
        """
        self._start = start
        self._attempts = attempts
        self._sleep = sleep
        self._is_client_closed = is_client_closed
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
                failure = failure_of(error, is_client_closed=self._is_client_closed())
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


class PendingCall(Generic[Answer]):
    """A call under way, of which one thread waits for the answer and any other may end it."""

    def __init__(self, stream: ResponseStream[Answer]) -> None:
        """Takes the call over as the stream of its only answer."""
        self._stream = stream
        self._lock = threading.Lock()
        self._answers: list[Answer] = []
        self._error: SolverError | None = None

    def cancel(self) -> None:
        """Ends the call, from whatever thread; the server stops its search. An answer that has come is not lost."""
        self._stream.close()

    def result(self) -> Answer:
        """Waits for the answer, and makes the call again where that helps.

        Raises:
            SolverError: the server refused or failed; `CancelledError` if the call was cancelled before its answer.
        """
        with self._lock:
            if not self._answers and self._error is None:
                try:
                    self._answers.append(next(self._stream))
                except StopIteration:
                    self._error = CancelledError(grpc.StatusCode.CANCELLED, "the call was cancelled by its caller")
                except SolverError as error:
                    self._error = error
            if self._error is not None:
                raise self._error
            return self._answers[0]


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
        is_client_closed: Callable[[], bool],
    ) -> None:
        """Makes the call; arguments as of `ResponseStream`."""
        self._start = start
        self._attempts = attempts
        self._sleep = sleep
        self._is_client_closed = is_client_closed
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
                raise (InvalidCallError.closed() if self._is_client_closed() else cancelled_elsewhere()) from error
            except grpc.RpcError as error:
                if self._is_closed:
                    break
                failure = failure_of(error, is_client_closed=self._is_client_closed())
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
