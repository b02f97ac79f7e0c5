"""Searches a position again and again with growing budgets, so that there is an answer at any time.

Every answer is that of `search` with a budget that is told with it, so it can be made again. Each search does twice the
work of the one before: all of them together do about twice the work of the last.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Final

from tarocchi_engine import Observation, View, view
from tarocchi_engine.rng import fresh_seed
from tarocchi_solver.search.recommend import search
from tarocchi_solver.search.results import MAX_ITERATIONS, Budget, Recommendation, SearchOptions, StopReason
from tarocchi_solver.search.runner import Stop

FIRST_ITERATIONS: Final = 1000
GROWTH: Final = 2
_LEAST_GROWTH: Final = 1.2
"""A search that would do less than so many times the work of the last one is not begun."""
_HASTE: Final = 0.9
"""The share of the time left that a last search is planned for."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What an analysis knows so far."""

    found: Recommendation
    budget: Budget
    """With it, and the seed in the diagnostics, `search` gives the same answer."""


@dataclass(slots=True)
class Analysis:
    """The answers of an analysis, worked out as they are asked for, once."""

    _snapshots: Generator[Snapshot, None, StopReason]
    stop_reason: StopReason | None = None
    """Why it ended, None before that. The reason in an answer is that of the one search behind it."""

    def __iter__(self) -> Iterator[Snapshot]:
        """Yields the answers; raises what `search` raises."""
        self.stop_reason = yield from self._snapshots


@dataclass(frozen=True)
class _End:
    """Stops a search at a point of time, or when it is told to."""

    deadline: float | None
    stop: Stop | None
    clock: Callable[[], float]

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self.deadline is not None and self.clock() >= self.deadline

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody wants an answer any more."""
        return getattr(self.stop, "is_abandoned", False)

    def is_set(self) -> bool:
        """Returns whether to stop."""
        return self.is_late or (self.stop is not None and self.stop.is_set())

    @property
    def reason(self) -> StopReason:
        """Why an analysis ends that has to stop now."""
        return StopReason.TIME if self.is_late else StopReason.STOPPED


def analyze(
    observation: Observation | View,
    budget: Budget | None = None,
    *,
    seed: int | None = None,
    threads: int = 1,
    executor: Executor | None = None,
    options: SearchOptions | None = None,
    stop: threading.Event | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Analysis:
    """Returns ever better answers about a position, at least one; one that was cut short only where it is the first.

    Args:
        observation: what the seat knows, as for `search`.
        budget: caps; those on worlds and iterations hold for the last search, that on time for the whole analysis.
            Without any the analysis ends when it is stopped.
        seed, threads, executor, options, stop, clock: as for `search`.

    Raises:
        What `search` raises, with the first answer.
    """
    return Analysis(_snapshots(observation, budget or Budget(), seed, threads, executor, options, stop, clock))


def _snapshots(
    observation: Observation | View,
    budget: Budget,
    seed: int | None,
    threads: int,
    executor: Executor | None,
    options: SearchOptions | None,
    stop: threading.Event | None,
    clock: Callable[[], float],
) -> Generator[Snapshot, None, StopReason]:
    """Yields the answers of an analysis and returns why it ended."""
    if isinstance(observation, Observation):
        observation = view(observation)
    seed = fresh_seed() if seed is None else seed
    deadline = None if budget.time_ms is None else clock() + budget.time_ms / 1000
    end = _End(deadline, stop, clock)
    most = MAX_ITERATIONS if budget.iterations is None else budget.iterations
    iterations = min(FIRST_ITERATIONS, most)
    is_first = True
    while True:
        started = clock()
        caps = replace(budget, iterations=iterations, time_ms=None)
        found = search(observation, caps, seed=seed, threads=threads, executor=executor, options=options, stop=end)
        reason = found.diagnostics.stop_reason
        is_cut = reason is StopReason.STOPPED
        if is_cut:
            reason = end.reason
            found = replace(found, diagnostics=replace(found.diagnostics, stop_reason=reason))
        # an answer that was cut short cannot be made again: it counts only where there is no other
        if is_first or not is_cut:
            yield Snapshot(found, caps)
        if is_cut or iterations >= most or reason is not StopReason.ITERATIONS:
            return reason
        is_first = False
        growth: float = GROWTH
        if deadline is not None:
            growth = min(growth, _HASTE * (deadline - clock()) / max(clock() - started, 1e-9))
        if growth < _LEAST_GROWTH:
            return StopReason.TIME
        if end.is_set():
            return end.reason
        iterations = min(int(iterations * growth), most)
