"""Two pools of search threads: one for play at a table, one for study, which stands back behind it.

Each has its own threads and its own queue, so a long analysis never takes the place of a move that somebody waits for;
and where the processor cannot serve all of them, the system gives most of it to the threads of live play.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import math
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Final, TypeVar

import grpc

from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.errors import RequestError, StatusReason
from tarocchi_solver.service.jobs import Job
from tarocchi_solver.service.metrics import Metrics
from tarocchi_solver.service.pool import SearchPool, queue_full, result_of
from tarocchi_solver.service.threads import waiting

T = TypeVar("T")

LOWEST_PRIORITY: Final = 19
"""The niceness of the threads for study (Linux only)."""


PLACE_POLL_SECONDS: Final = 0.02
"""How long a call under way waits before it asks again for a place in the queue."""
_ROOM: Final = 2
"""A job that has waited gets so many times the time of a minimum answer, while its call has as much."""


class Priority(enum.Enum):
    """Which pool serves a call."""

    LIVE = enum.auto()
    ANALYSIS = enum.auto()

    @property
    def label(self) -> str:
        """What the metrics call it."""
        return self.name.lower()


class SearchPools:
    """The pool of each priority, started and stopped together; and how many long calls there may be."""

    def __init__(self, config: ServerConfig, first_estimates: Mapping[str, float], metrics: Metrics) -> None:
        """Starts no thread yet; `first_estimates` are those of `SearchPool`, and `metrics` count what it does."""
        longest = (config.maximum_budget.time_ms or math.inf) / 1000
        sizes = {
            Priority.LIVE: (config.concurrent_searches, config.queue_size, config.niceness),
            Priority.ANALYSIS: (config.concurrent_analyses, config.analysis_queue_size, LOWEST_PRIORITY),
        }
        self._pools = {
            priority: SearchPool(
                workers, queue, niceness, longest, first_estimates, functools.partial(metrics.searched, priority.label)
            )
            for priority, (workers, queue, niceness) in sizes.items()
        }
        for priority, pool in self._pools.items():
            metrics.watch_pool(priority.label, lambda pool=pool: pool.running, lambda pool=pool: pool.waiting)  # type: ignore[misc]
        self._long_calls = threading.BoundedSemaphore(config.long_calls)
        self._long_call_limit = config.long_calls

    @contextlib.contextmanager
    def long_call(self) -> Iterator[None]:
        """Surrounds a call of many searches; raises `RequestError` if there are as many as there may be."""
        if not self._long_calls.acquire(blocking=False):
            raise queue_full(
                f"{self._long_call_limit} batches and reviews are under way already: ask again in a moment"
            )
        try:
            yield
        finally:
            self._long_calls.release()

    def search_in_turn(
        self, priority: Priority, jobs: Sequence[Job[T]], context: grpc.ServicerContext, abreast: int
    ) -> Iterator[T]:
        """Does the jobs of one call, `abreast` at the same time, and yields their results in order.

        Waits for a place where the queue is full, in front of the calls that come later, for as long as there is time
        for a minimum answer. What a job has waited is taken from it and from those behind it in equal parts.
        Raises what `SearchPool.submit` raises, and `RequestError` when the client has gone.
        """
        pool, pending = self[priority], deque[Future[T]]()
        for number in range(len(jobs)):
            if len(pending) >= abreast:
                yield result_of(pending.popleft())
            pending.append(_submit_in_turn(pool, jobs, number, context))
        while pending:
            yield result_of(pending.popleft())

    def __getitem__(self, priority: Priority) -> SearchPool:
        return self._pools[priority]

    @property
    def admitted(self) -> int:
        """Searches running or waiting."""
        return sum(pool.admitted for pool in self._pools.values())

    def drain(self, seconds: float) -> None:
        """As `SearchPool.drain`."""
        for pool in self._pools.values():
            pool.drain(seconds)

    def wait_until_idle(self, timeout: float) -> bool:
        """As `SearchPool.wait_until_idle`."""
        end = time.monotonic() + timeout
        return all(pool.wait_until_idle(max(end - time.monotonic(), 0.0)) for pool in self._pools.values())

    def stop_searches(self) -> None:
        """As `SearchPool.stop_searches`."""
        for pool in self._pools.values():
            pool.stop_searches()

    def refuse_waiting(self) -> None:
        """As `SearchPool.refuse_waiting`."""
        for pool in self._pools.values():
            pool.refuse_waiting()

    def close(self) -> None:
        """As `SearchPool.close`."""
        for pool in self._pools.values():
            pool.close()


def _submit_in_turn(pool: SearchPool, jobs: Sequence[Job[T]], number: int, context: grpc.ServicerContext) -> Future[T]:
    """Puts one of the jobs of a call into the queue, as soon as there is a place."""
    job, end = jobs[number], jobs[-1].latest
    place: object = None
    with contextlib.ExitStack() as stack:
        while True:
            if not context.is_active():
                raise RequestError(grpc.StatusCode.CANCELLED, StatusReason.CANCELLED, "the client has gone")
            now, cost = time.monotonic(), pool.minimum_seconds(job.kind)
            share = max((end - now) / (len(jobs) - number), _ROOM * cost)
            in_turn = replace(job, latest=min(max(job.latest, now + share), end))
            try:
                return pool.submit(in_turn, context, is_of_many=True, place=place)
            except RequestError as error:
                if error.reason is not StatusReason.QUEUE_FULL or now + cost + PLACE_POLL_SECONDS >= end:
                    raise
            if place is None:
                place = stack.enter_context(pool.in_line())
            with waiting():
                time.sleep(PLACE_POLL_SECONDS)
