"""Runs searches on a few threads of their own, with a bounded queue in front of them.

The thread that serves the call waits here. A server has more such threads than searches can be admitted, so waiting
searches never take the threads that answer health checks.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Final, TypeVar

import grpc

from tarocchi_solver.service.calls import RETRY_SECONDS
from tarocchi_solver.service.errors import RequestError, StatusReason

LATE_SECONDS: Final = 0.03
"""About the time of what is done for a call whose turn does not come, at most."""

T = TypeVar("T")


class SearchPool:
    """A bounded number of searches running and waiting."""

    def __init__(self, workers: int, queue_size: int, niceness: int = 0) -> None:
        """Starts no thread yet.

        Args:
            workers: searches that run at the same time.
            queue_size: searches that may wait.
            niceness: added to the niceness of the search threads, where the system has one for each thread.
        """
        self._workers = workers
        self._capacity = workers + queue_size
        self._executor = ThreadPoolExecutor(
            workers, thread_name_prefix="tarocchi-solver", initializer=_stand_back, initargs=(niceness,)
        )
        # reentrant, because a signal handler may stop the searches while its own thread waits here
        self._lock = threading.RLock()
        self._stops: set[threading.Event] = set()
        self._idle = threading.Condition(self._lock)

    @property
    def admitted(self) -> int:
        """Searches running or waiting."""
        with self._lock:
            return len(self._stops)

    def run(
        self,
        task: Callable[[threading.Event], T],
        context: grpc.ServicerContext,
        latest: float | None = None,
        late_task: Callable[[threading.Event], T] | None = None,
    ) -> T:
        """Runs `task` when its turn comes and returns its result.

        Args:
            task: is given an event that is set when it should end early.
            context: the call; when the client cancels it or its deadline passes, the task ends or never starts.
            latest: the value of time.monotonic() at which the task has to end; one that runs sees to that itself.
            late_task: what the calling thread does instead, its event set from the start, if the task is still in
                the queue then. Those further behind in the queue begin with it earlier, so that not all do at once.

        Raises:
            RequestError: the queue is full, or the client has gone.
        """
        stop = threading.Event()
        is_gone = threading.Event()
        with self._lock:
            if len(self._stops) >= self._capacity:
                raise RequestError(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    StatusReason.QUEUE_FULL,
                    f"{self._capacity} searches run or wait already: ask again in a moment",
                    retry_seconds=RETRY_SECONDS,
                )
            ahead = max(len(self._stops) - self._workers, 0)
            self._stops.add(stop)
        try:
            future: Future[T] = self._executor.submit(task, stop)

            def give_up() -> None:
                is_gone.set()
                stop.set()
                future.cancel()

            if not context.add_callback(give_up):
                give_up()
            try:
                return future.result(None if latest is None or late_task is None else _patience(latest, ahead))
            except TimeoutError:
                if late_task is None or not future.cancel():  # it runs, or has failed with such an error of its own
                    return future.result()
                if is_gone.is_set():
                    raise CancelledError from None
            stop.set()
            return late_task(stop)
        except CancelledError:
            message = "the call ended before its search began"
            raise RequestError(grpc.StatusCode.CANCELLED, StatusReason.CANCELLED, message) from None
        finally:
            with self._lock:
                self._stops.discard(stop)
                self._idle.notify_all()

    def wait_until_idle(self, timeout: float) -> bool:
        """Waits until nothing runs or waits; returns whether that came to pass within `timeout` seconds."""
        with self._lock:
            return self._idle.wait_for(lambda: not self._stops, timeout)

    def stop_searches(self) -> None:
        """Makes all searches end now with the best answer so far."""
        with self._lock:
            for stop in self._stops:
                stop.set()

    def close(self) -> None:
        """Lets the threads go."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _patience(latest: float, ahead: int) -> float:
    """Returns the seconds to wait for a turn with so many in the queue ahead: at least half of those there are."""
    # a call without a deadline may come with one at the end of time
    left = min(max(latest - time.monotonic(), 0.0), threading.TIMEOUT_MAX)
    return max(left - ahead * LATE_SECONDS, left / 2)


def _stand_back(niceness: int) -> None:
    """Lowers the priority of the calling thread, so that those that answer calls come first."""
    if niceness and sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + niceness)
