"""Searches for as long as a call allows, and for no less than the minimum."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

import grpc

from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi_engine import View
from tarocchi_solver.levels import at_level
from tarocchi_solver.search import Budget, ContradictionError, Recommendation, StopReason, search
from tarocchi_solver.search.analysis import Snapshot, analyze
from tarocchi_solver.search.beliefs import BELIEF_WORLDS, beliefs
from tarocchi_solver.search.review import DecisionReview
from tarocchi_solver.search.runner import ITERATIONS_PER_MS
from tarocchi_solver.service.answers import STOP_REASONS, recommendation_answer
from tarocchi_solver.service.errors import invalid_request
from tarocchi_solver.service.jobs import StopSignal
from tarocchi_solver.service.questions import Question, read_beliefs
from tarocchi_solver.service.requests import contradiction_fault
from tarocchi_solver.service.study_answers import beliefs_answer

DEADLINE_SHARE: Final = 0.9
"""The share of the time to the deadline that may be used: the rest brings the answer home."""
DEADLINE_RESERVE: Final = 0.02
"""Seconds before the deadline that are not used in any case, because every answer takes some time."""
MINIMUM_BUDGET: Final = Budget(worlds=1, iterations=1)
"""Makes a search do no more than it always does."""
OUT_OF_REACH: Final = 10
"""A cap of so many times the work that a search can do in its time is not planned for."""
MOST_SPENT: Final = 0.5
"""The share of a cap on time that reading and answering may take from the search."""
_ENDLESS: Final = 10**8
"""Seconds; a call with more to its deadline has none."""

Answer = TypeVar("Answer", Recommendation, DecisionReview)


class Ended(NamedTuple):
    """An analysis that is over."""

    last: Snapshot
    stop_reason: StopReason
    """Why it ended, which may be another reason than that of its last search."""


def latest_end(started: float, context: grpc.ServicerContext) -> float:
    """Returns when the answer has to be there; a call without a deadline may come with one at the end of time."""
    remaining = context.time_remaining()
    if remaining is None or remaining > _ENDLESS:
        return math.inf
    return started + usable_seconds(remaining)


def shared_ends(started: float, context: grpc.ServicerContext, count: int) -> list[float]:
    """Returns when each of the answers of one call has to be there, if they share the time to its deadline."""
    end = latest_end(started, context)
    if end == math.inf:
        return [math.inf] * count
    return [started + (end - started) * (number + 1) / count for number in range(count)]


def usable_seconds(remaining: float) -> float:
    """Returns the time for a search with so many seconds to the deadline of its call, 0 where there is none."""
    return max(min(DEADLINE_SHARE * remaining, remaining - DEADLINE_RESERVE), 0.0)


def told_the_time(found: Answer, stop: StopSignal) -> Answer:
    """Returns an answer that says so if it was the time that stopped the search."""
    reason = _told_reason(found.diagnostics.stop_reason, stop)
    return replace(found, diagnostics=replace(found.diagnostics, stop_reason=reason))


def _told_reason(reason: StopReason, stop: StopSignal) -> StopReason:
    return StopReason.TIME if stop.is_for_time and reason is StopReason.STOPPED else reason


@dataclass(frozen=True, slots=True)
class _StopInTime:
    """Ends a search when it is told to, and at a point of time."""

    stop: threading.Event
    end: float

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody wants an answer any more."""
        return getattr(self.stop, "is_abandoned", False)

    def is_set(self) -> bool:
        """Returns whether to stop."""
        return self.stop.is_set() or time.monotonic() >= self.end


def run_search(
    question: Question,
    stop: threading.Event,
    seconds: float | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    began: float | None = None,
) -> Recommendation:
    """Searches for at most `seconds`, but does the small minimum of every search in any case.

    The time of the question's budget `began` at a value of time.monotonic(), now if None. Raises `RequestError` where
    no deal fits the observation.

    A search plans its trees by the budget's time. The time of a deadline would change such a plan and with it the
    answer, so unless the client asked for a time it works from outside, by the stop signal. A search that cannot come
    near its other caps in that time is planned by it all the same, and one that is stopped already does the minimum.
    """
    is_stopped = stop.is_set()
    budget = planned_budget(question.budget, is_stopped, seconds, threads)
    end = None if seconds is None else time.monotonic() + seconds
    with _contradictions_refused():
        found = search(
            question.view,
            budget,
            seed=question.seed,
            threads=threads,
            stop=stop if end is None else _StopInTime(stop, end),
            progress=progress,
            began=began,
        )
    if question.level is not None:
        found = at_level(question.view, found, question.level)
    reason = found.diagnostics.stop_reason
    if reason is StopReason.STOPPED or (is_stopped and reason in (StopReason.WORLDS, StopReason.ITERATIONS)):
        is_late = end is not None and time.monotonic() >= end
        reason = StopReason.TIME if is_late else StopReason.STOPPED
    return replace(found, diagnostics=replace(found.diagnostics, stop_reason=reason))


def begun_before(seconds: float, budget: Budget) -> float:
    """Returns when the time of a budget began that has to do for so many seconds more than those from now on.

    These are what has been spent already and what the answer will take; half of the time is left to the search.
    """
    if budget.time_ms is not None:
        seconds = min(seconds, MOST_SPENT * budget.time_ms / 1000)
    return time.monotonic() - seconds


def planned_budget(budget: Budget, is_stopped: bool, seconds: float | None, threads: int) -> Budget:
    """Returns the budget by which a search is planned that has so many seconds, or is stopped already."""
    if is_stopped:
        return MINIMUM_BUDGET
    if seconds is None or (budget.time_ms is None and not _is_out_of_reach(budget, seconds, threads)):
        return budget
    most = int(seconds * 1000)
    return replace(budget, time_ms=max(1, most if budget.time_ms is None else min(budget.time_ms, most)))


def _is_out_of_reach(budget: Budget, seconds: float, threads: int) -> bool:
    """Tells whether the cap on iterations is many times what so many seconds allow, so that it cannot matter."""
    reach = seconds * 1000 * ITERATIONS_PER_MS * threads
    return budget.iterations is not None and budget.iterations > OUT_OF_REACH * reach


def analyze_for(
    question: Question,
    stop: StopSignal,
    seconds: float,
    threads: int,
    tell: Callable[[Snapshot], None],
) -> Ended:
    """Analyses for at most so many seconds, tells every snapshot and returns how it ended."""
    time_ms = question.budget.time_ms
    if seconds != math.inf:
        most = max(1, int(seconds * 1000))
        time_ms = most if time_ms is None else min(time_ms, most)
    budget = replace(question.budget, time_ms=time_ms)
    analysis = analyze(question.view, budget, seed=question.seed, threads=threads, stop=stop)
    last: Snapshot | None = None
    with _contradictions_refused():
        for last in analysis:
            tell(last)
    assert last is not None
    assert analysis.stop_reason is not None
    return Ended(Snapshot(told_the_time(last.found, stop), last.budget), _told_reason(analysis.stop_reason, stop))


def least_analysis(question: Question, stop: StopSignal) -> Ended:
    """Returns the analysis that has no time but for the least of a search."""
    found = told_the_time(run_search(question, stop), stop)
    return Ended(Snapshot(found, MINIMUM_BUDGET), found.diagnostics.stop_reason)


@contextlib.contextmanager
def _contradictions_refused() -> Iterator[None]:
    """Raises `RequestError` where no deal fits the observation."""
    try:
        yield
    except ContradictionError as error:
        raise invalid_request([contradiction_fault(error)]) from error


def analyze_here(question: Question, threads: int) -> Iterator[pb.AnalyzePositionResponse]:
    """Yields the answers of an analysis in this process; the last is final. Raises `RequestError`."""
    analysis = analyze(question.view, question.budget, seed=question.seed, threads=threads)
    last: Snapshot | None = None
    with _contradictions_refused():
        for last in analysis:
            yield snapshot_answer(question, last)
    assert last is not None
    yield snapshot_answer(question, last, analysis.stop_reason)


def beliefs_here(request: pb.GetBeliefsRequest) -> pb.GetBeliefsResponse:
    """Answers `GetBeliefs` in this process; raises `RequestError`."""
    return count_beliefs(*read_beliefs(request), BELIEF_WORLDS)


def count_beliefs(seen: View, seed: int, worlds: int) -> pb.GetBeliefsResponse:
    """Returns where the cards may lie that a seat does not see; raises `RequestError` where they can lie nowhere."""
    with _contradictions_refused():
        return beliefs_answer(seen, beliefs(seen, seed=seed, worlds=worlds))


def snapshot_answer(
    question: Question, snapshot: Snapshot, stop_reason: StopReason | None = None
) -> pb.AnalyzePositionResponse:
    """Returns an answer of an analysis: the final one if it says why that ended."""
    answer = recommendation_answer(question.view, snapshot.found, snapshot.budget)
    if stop_reason is None:
        return pb.AnalyzePositionResponse(recommendation=answer)
    return pb.AnalyzePositionResponse(recommendation=answer, final=True, stop_reason=STOP_REASONS[stop_reason])
