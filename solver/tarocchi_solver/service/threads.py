"""The threads that serve calls: there are many, for calls that wait, but few work at the same time.

Only one thread at a time runs Python, so calls that are served in many threads are done no sooner; instead each of the
many moments at which a call lets go of the interpreter costs a change of threads. A call that waits for its search says
so, and then the next one is begun. One that has not ended after a while is taken for one that waits, whatever for: for
the bytes of its request, or for a client that is slow to read.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

AT_ONCE: Final = 2
"""Calls that are worked at: while one of them hands bytes over, the other one runs."""
PATIENCE_SECONDS: Final = 0.02
"""How long a call may be worked at before it is taken for one that waits."""
_LINGERING_SECONDS: Final = 1.0
"""How long the thread that looks after the queue stays when there is none."""

T = TypeVar("T")
_THIS: Final = threading.local()


class CallThreads(ThreadPoolExecutor):
    """Runs calls in the order in which they come, few of them at once unless those that run make no progress."""

    def __init__(self, most: int, at_once: int = AT_ONCE, patience: float = PATIENCE_SECONDS) -> None:
        """Starts no thread yet.

        Args:
            most: threads, and so calls that have been begun and not ended.
            at_once: calls that are worked at.
            patience: seconds after which a call counts no more as one that is worked at.
        """
        super().__init__(most, thread_name_prefix="tarocchi-rpc")
        self._most = most
        self._at_once = at_once
        self._patience = patience
        self._lock = threading.Lock()
        self._queue: deque[Callable[[], None]] = deque()
        self._workers = 0
        # since when the calls that do not wait are worked at, by worker
        self._working: dict[object, float] = {}
        self._has_queue = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def begun(self) -> int:
        """Calls that have been begun and not ended."""
        return self._workers

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Runs a function when its turn comes."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            self._queue.append(run)
            self._start_workers()
            if self._queue and not self._has_queue.is_set():
                self._has_queue.set()
                if self._watcher is None:
                    self._watcher = threading.Thread(target=self._watch, name="tarocchi-rpc-queue", daemon=True)
                    self._watcher.start()
        return future

    @contextlib.contextmanager
    def without(self, worker: object) -> Iterator[None]:
        """Lets other calls be worked at while the one of a worker waits."""
        with self._lock:
            self._working.pop(worker, None)
            self._start_workers()
        try:
            yield
        finally:
            with self._lock:
                self._working[worker] = time.monotonic()

    def _is_due(self) -> bool:
        """Tells whether a call of the queue is to be begun now."""
        if not self._queue:
            return False
        if len(self._working) < self._at_once:
            return True
        since = time.monotonic() - self._patience
        return sum(begun > since for begun in self._working.values()) < self._at_once

    def _start_workers(self) -> None:
        while self._workers < self._most and self._is_due():
            worker = object()
            self._workers += 1
            self._working[worker] = time.monotonic()
            super().submit(self._work, worker, self._queue.popleft())

    def _work(self, worker: object, run: Callable[[], None] | None) -> None:
        """Runs a call, and others after it as long as they are due."""
        _THIS.place = self, worker
        while run is not None:
            run()
            with self._lock:
                del self._working[worker]
                run = self._queue.popleft() if self._is_due() else None
                if run is None:
                    self._workers -= 1
                else:
                    self._working[worker] = time.monotonic()

    def _watch(self) -> None:
        """Begins calls that wait behind others which make no progress; ends when there has been no queue for long."""
        while True:
            has_queue = self._has_queue.wait(_LINGERING_SECONDS)
            if has_queue:
                time.sleep(self._patience)
            with self._lock:
                self._start_workers()
                if not self._queue:
                    self._has_queue.clear()
                    if not has_queue:
                        self._watcher = None
                        return


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Surrounds a wait of the call that this thread serves, so that others are served meanwhile."""
    place: tuple[CallThreads, object] | None = getattr(_THIS, "place", None)
    if place is None:
        yield
        return
    threads, worker = place
    with threads.without(worker):
        yield


def stand_back(niceness: int) -> None:
    """Lowers the priority of the calling thread, so that those that answer calls come first."""
    if niceness and sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + niceness)
