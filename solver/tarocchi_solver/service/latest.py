"""Hands the latest of many values to a reader who may be slow: what it does not fetch in time is dropped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from tarocchi_solver.service.threads import waiting

T = TypeVar("T")


class Latest(Generic[T]):
    """One place for a value, written by one thread and read by another."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._value: T | None = None
        self._is_closed = False

    def put(self, value: T) -> None:
        """Leaves a value; one that nobody has fetched is dropped."""
        with self._changed:
            self._value = value
            self._changed.notify_all()

    def close(self) -> None:
        """Ends `spaced`; a value that nobody has fetched is dropped."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def spaced(self, interval: float) -> Iterator[T]:
        """Yields the values as they come, but none sooner than so many seconds after the one before."""
        ready_at = -float("inf")
        while True:
            with self._changed:
                while not self._is_closed and (self._value is None or self._clock() < ready_at):
                    pause = None if self._value is None else ready_at - self._clock()
                    with waiting():
                        self._changed.wait(pause)
                if self._is_closed:
                    return
                value, self._value = self._value, None
            assert value is not None
            ready_at = self._clock() + interval
            yield value
