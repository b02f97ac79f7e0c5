"""Runs blocks of worlds until all are done or a limit is reached, on threads or by an executor."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tarocchi_solver.search.evaluators import PLAYOUT_COSTS, Evaluator
from tarocchi_solver.search.results import Budget, Playout, StopReason
from tarocchi_solver.search.sharing import share_of
from tarocchi_solver.search.tree import Block

HANDED_OUT_CALLS = 32
"""Calls of a kernel, of about a millisecond each, in a block for an executor: to hand it out takes a few milliseconds
where it goes to another machine."""
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
    """Evaluates worlds; the same worlds give the same numbers whoever evaluates them."""

    threads: int
    limits: Limits
    progress: Callable[[int], None] | None = None
    """Called with the number of worlds just finished."""
    executor: Executor | None = None
    """Who evaluates instead of threads of this process: so many blocks at a time as there would be threads."""

    def run(
        self, evaluator: Evaluator, first: int, count: int | None, *, surely: int = 0, limits: Limits | None = None
    ) -> Worlds:
        """Evaluates worlds number `first` to `first + count - 1` (without end for None).

        The first `surely` of them are evaluated whatever the limits (the runner's own if None) say.
        """
        at_most = evaluator.worlds_per_call
        if self.executor is not None:
            at_most *= HANDED_OUT_CALLS
            if count is not None:
                # everybody has something to do, also where there is little
                at_most = max(1, min(at_most, -(-count // self.threads)))
        run = _Run(evaluator, first, count, surely, limits or self.limits, at_most, self.progress)
        if self.executor is not None:
            run.hand_out(self.executor, self.threads)
            return run.worlds()
        with share_of(self.threads) as threads:
            if threads == 1:
                run.work()
            else:
                with ThreadPoolExecutor(threads, thread_name_prefix="tarocchi-search") as pool:
                    for future in [pool.submit(run.work) for _ in range(threads)]:
                        future.result()
        return run.worlds()


@dataclass
class _Run:
    """The blocks of one run: which is next, and what those that are done have brought."""

    evaluator: Evaluator
    first: int
    count: int | None
    surely: int
    limits: Limits
    at_most: int
    """Worlds in a block."""
    progress: Callable[[int], None] | None
    _next: int = 0
    _done: dict[int, Block] = field(default_factory=dict)
    _stop_reason: StopReason | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> tuple[int, int] | None:
        """Returns where the next block begins, counted from the first world, and its size; None if there is none."""
        self.limits.require_interest()
        with self._lock:
            if self.count is not None and self._next >= self.count:
                return None
            if self._next >= self.surely:
                self._stop_reason = self._stop_reason or self.limits.reason()
                if self._stop_reason is not None:
                    return None
            size = self.at_most if self.count is None else min(self.at_most, self.count - self._next)
            offset, self._next = self._next, self._next + size
            return offset, size

    def work(self) -> None:
        """Fills blocks on this thread as long as there are some."""
        memory = self.evaluator.allocate()
        while (task := self.take()) is not None:
            offset, size = task
            block = Block.allocate(size, self.evaluator.arm_count)
            self.evaluator.fill(memory, block, self.first + offset)
            self._finish(offset, block)

    def hand_out(self, executor: Executor, at_a_time: int) -> None:
        """Has blocks filled by an executor as long as there are some."""
        sent = pickle.dumps(self.evaluator)
        pending: dict[Future[Block], int] = {}
        try:
            while True:
                while len(pending) < at_a_time and (task := self.take()) is not None:
                    offset, size = task
                    pending[executor.submit(fill_block, sent, self.first + offset, size)] = offset
                if not pending:
                    return
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    self._finish(pending.pop(future), future.result())
        finally:
            for future in pending:
                future.cancel()

    def _finish(self, offset: int, block: Block) -> None:
        self._done[offset] = block
        if self.progress is not None:
            self.progress(len(block.rejected))

    def worlds(self) -> Worlds:
        """Returns what all blocks have brought, in the order of the worlds."""
        offsets = sorted(self._done)
        blocks = [Block.allocate(0, self.evaluator.arm_count), *(self._done[offset] for offset in offsets)]
        numbers = [self.first + offset + row for offset in offsets for row in range(len(self._done[offset].rejected))]
        joined = Block(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
        return Worlds(np.array(numbers, dtype=np.int64), joined, self._stop_reason)


def fill_block(sent: bytes, first: int, size: int) -> Block:
    """Returns `size` evaluated worlds from number `first` on, by an evaluator that was pickled."""
    evaluator: Evaluator = pickle.loads(sent)
    block = Block.allocate(size, evaluator.arm_count)
    evaluator.fill(evaluator.allocate(), block, first)
    return block


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
