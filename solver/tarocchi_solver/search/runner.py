"""Runs blocks of worlds on one or several threads until all are done or a limit is reached."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tarocchi_solver.search.evaluators import PLAYOUT_COSTS, Evaluator
from tarocchi_solver.search.results import Budget, Playout, StopReason
from tarocchi_solver.search.sharing import share_of
from tarocchi_solver.search.tree import Block

MIN_WORLDS = 6
"""Worlds searched whatever the budget: two of them evaluate, the fewest that give a standard error."""
ITERATIONS_PER_MS = 300
"""Rough speed of one thread with the playout rule, for sizing the trees of a search limited by time."""
WANTED_WORLDS = 1000
"""A larger budget first brings more worlds, up to so many, and then larger trees in each."""
MAX_TREE_ITERATIONS = 10_000
PLANNED_TREE_ITERATIONS = 400
"""No larger trees are planned unless there is a cap on worlds: a search looks at its limits between worlds, and more
than this in one of them would hold it up for longer than a few milliseconds."""


class Stop(Protocol):
    """Tells a search to end, as a `threading.Event` does."""

    def is_set(self) -> bool:
        """Returns whether the search has to end now; called about once a millisecond from each of its threads."""


class AbandonedError(Exception):
    """Says that a search has ended without an answer, because nobody wants it any more."""


@dataclass
class Limits:
    """When to stop: at a point of time, or on a signal from outside."""

    deadline: float | None = None
    """A value of `clock`."""
    stop: Stop | None = None
    clock: Callable[[], float] = time.monotonic
    """Seconds, from any point of time on."""

    def require_interest(self) -> None:
        """Raises `AbandonedError` if the stop signal says that nobody wants the answer: its `is_abandoned` is true."""
        if getattr(self.stop, "is_abandoned", False):
            raise AbandonedError("nobody wants the answer any more")

    def reason(self) -> StopReason | None:
        """Returns why the search has to end now, None if it may go on."""
        if self.stop is not None and self.stop.is_set():
            return StopReason.STOPPED
        if self.deadline is not None and self.clock() >= self.deadline:
            return StopReason.TIME
        return None


@dataclass
class Worlds:
    """The results of searched worlds in the order of their numbers."""

    numbers: npt.NDArray[np.int64]
    block: Block
    stop_reason: StopReason | None = None
    """Set where a limit cut the run short."""


@dataclass
class Runner:
    """Evaluates worlds on some threads; the same worlds give the same numbers whatever the threads."""

    threads: int
    limits: Limits
    progress: Callable[[int], None] | None = None
    """Called with the number of worlds just finished."""

    def run(
        self, evaluator: Evaluator, first: int, count: int | None, *, surely: int = 0, limits: Limits | None = None
    ) -> Worlds:
        """Evaluates worlds number `first` to `first + count - 1` (without end for None).

        The first `surely` of them are evaluated whatever the limits (the runner's own if None) say.
        """
        limits = limits or self.limits
        lock = threading.Lock()
        next_offset = 0
        done: dict[int, Block] = {}
        stop_reason: StopReason | None = None

        def take() -> tuple[int, int] | None:
            nonlocal next_offset, stop_reason
            limits.require_interest()
            with lock:
                if count is not None and next_offset >= count:
                    return None
                if next_offset >= surely and (stop_reason := stop_reason or limits.reason()):
                    return None
                at_most = evaluator.worlds_per_call
                size = at_most if count is None else min(at_most, count - next_offset)
                offset, next_offset = next_offset, next_offset + size
                return offset, size

        def work() -> None:
            memory = evaluator.allocate()
            while (task := take()) is not None:
                offset, size = task
                block = Block.allocate(size, evaluator.arm_count)
                evaluator.fill(memory, block, first + offset)
                done[offset] = block
                if self.progress is not None:
                    self.progress(size)

        with share_of(self.threads) as threads:
            if threads == 1:
                work()
            else:
                with ThreadPoolExecutor(threads, thread_name_prefix="tarocchi-search") as pool:
                    for future in [pool.submit(work) for _ in range(threads)]:
                        future.result()
        offsets = sorted(done)
        blocks = [Block.allocate(0, evaluator.arm_count), *(done[offset] for offset in offsets)]
        numbers = [first + offset + row for offset in offsets for row in range(len(done[offset].rejected))]
        joined = Block(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
        return Worlds(np.array(numbers, dtype=np.int64), joined, stop_reason)


def tree_size(budget: Budget, arm_count: int, threads: int, playout: Playout) -> int:
    """Returns the iterations for each world."""
    total = budget.iterations
    by_time = iterations_in(budget.time_ms, threads)
    if by_time is not None:
        by_time //= PLAYOUT_COSTS[playout]
    if by_time is not None:
        total = by_time if total is None else min(total, by_time)
    if total is None:
        return arm_count
    if budget.worlds is None:
        return min(max(total // WANTED_WORLDS, arm_count), max(PLANNED_TREE_ITERATIONS, arm_count))
    return min(max(total // max(budget.worlds, MIN_WORLDS), arm_count), MAX_TREE_ITERATIONS)


def iterations_in(time_ms: int | None, threads: int) -> int | None:
    """Returns about the iterations with the playout rule that threads do in some time; None for no bound."""
    return None if time_ms is None else time_ms * ITERATIONS_PER_MS * threads
