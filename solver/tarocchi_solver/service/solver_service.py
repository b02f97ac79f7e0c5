"""SolverService: checks a request, waits for a search thread, searches within the time there is."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import grpc

from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceServicer
from tarocchi_engine import VARIANTS, Observation, Phase, View
from tarocchi_engine.rng import fresh_seed
from tarocchi_solver import __version__
from tarocchi_solver.search import Budget, ContradictionError, Recommendation, StopReason, search
from tarocchi_solver.search.runner import ITERATIONS_PER_MS
from tarocchi_solver.service.answers import recommendation_answer
from tarocchi_solver.service.calls import Readiness, Servicer, answering
from tarocchi_solver.service.config import EVENT_LIMIT, ServerConfig
from tarocchi_solver.service.errors import FaultList, RequestError, StatusReason, invalid_request
from tarocchi_solver.service.formats import format_budget
from tarocchi_solver.service.pool import Job, SearchPool, StopSignal
from tarocchi_solver.service.requests import contradiction_fault, parse_budget, parse_observation

DEADLINE_SHARE: Final = 0.9
"""The share of the time to the deadline that may be used: the rest brings the answer home."""
DEADLINE_RESERVE: Final = 0.02
"""Seconds before the deadline that are not used in any case, because every answer takes some time."""

FIRST_ESTIMATES: Final[Mapping[str, float]] = {Phase.DISCARD: 0.05}
"""Seconds for an answer about a hundred discards, on a busy machine."""

_ENDLESS: Final = 10**8
"""Seconds; a call with more to its deadline has none."""

MINIMUM_BUDGET: Final = Budget(worlds=1, iterations=1)
"""Makes a search do no more than it always does."""
OUT_OF_REACH: Final = 10
"""A cap of so many times the work that a search can do in its time is not planned for."""


@dataclass(frozen=True, slots=True)
class Question:
    """A checked request for a move."""

    view: View
    budget: Budget
    """The caps that hold, without those of the clock that the client did not ask for."""
    seed: int

    @property
    def observation(self) -> Observation:
        """What the seat knows."""
        return self.view.observation


class SolverServicer(Servicer, SolverServiceServicer):
    """Recommends moves."""

    def __init__(self, readiness: Readiness, pool: SearchPool, config: ServerConfig) -> None:
        super().__init__(readiness)
        self._pool = pool
        self._config = config

    @answering
    def RecommendMove(
        self, request: pb.RecommendMoveRequest, context: grpc.ServicerContext
    ) -> pb.RecommendMoveResponse:
        """Recommends a move."""
        started = time.monotonic()
        config = self._config
        question = read_question(request, config.default_budget, config.maximum_budget, config.event_limit)
        # a forced move takes no time worth waiting for
        if len(question.view.legal_moves()) == 1:
            return _answer(question, run_search(question, threading.Event()))
        latest = _latest_end(started, context)

        def search_for(stop: StopSignal, seconds: float) -> pb.RecommendMoveResponse:
            limit = None if seconds == math.inf else seconds
            found = run_search(question, stop, limit, self._config.search_threads)
            return _answer(question, _told_the_time(found, stop))

        def minimum(stop: StopSignal) -> pb.RecommendMoveResponse:
            return _answer(question, _told_the_time(run_search(question, stop), stop))

        return self._pool.run(Job(question.view.phase, search_for, minimum, latest), context)

    @answering
    def GetServerInfo(
        self, request: pb.GetServerInfoRequest, context: grpc.ServicerContext
    ) -> pb.GetServerInfoResponse:
        """Tells versions, budgets and limits."""
        config = self._config
        return pb.GetServerInfoResponse(
            solver_version=__version__,
            variants=[
                pb.VariantVersion(name=variant.name, rules_revision=variant.rules_revision)
                for variant in VARIANTS.values()
            ],
            default_budget=format_budget(config.default_budget),
            maximum_budget=format_budget(config.maximum_budget),
            request_size_limit=config.request_size_limit,
            concurrent_search_count=config.concurrent_searches,
            queue_size=config.queue_size,
            thread_count=config.search_threads,
        )


def _latest_end(started: float, context: grpc.ServicerContext) -> float:
    """Returns when the answer has to be there; a call without a deadline may come with one at the end of time."""
    remaining = context.time_remaining()
    if remaining is None or remaining > _ENDLESS:
        return math.inf
    return started + usable_seconds(remaining)


def _told_the_time(found: Recommendation, stop: StopSignal) -> Recommendation:
    """Returns an answer that says so if it was the time that stopped the search."""
    if not stop.is_for_time or found.diagnostics.stop_reason is not StopReason.STOPPED:
        return found
    return replace(found, diagnostics=replace(found.diagnostics, stop_reason=StopReason.TIME))


def _answer(question: Question, found: Recommendation) -> pb.RecommendMoveResponse:
    return recommendation_answer(question.view, found, question.budget)


def read_question(
    request: pb.RecommendMoveRequest,
    default: Budget,
    maximum: Budget | None = None,
    event_limit: int = EVENT_LIMIT,
) -> Question:
    """Returns the checked request; raises `RequestError` with every fault, or when there is nothing to decide."""
    faults = FaultList()
    checked = parse_observation(request, faults, event_limit)
    budget = parse_budget(request.budget, faults)
    faults.raise_if_any()
    assert checked is not None
    if checked.turn is None:
        raise RequestError(grpc.StatusCode.FAILED_PRECONDITION, StatusReason.DEAL_OVER, "the deal is over")
    if checked.turn != checked.seat:
        raise RequestError(
            grpc.StatusCode.FAILED_PRECONDITION,
            StatusReason.NOT_YOUR_TURN,
            f"seat {checked.turn} has to {checked.phase}, seat {checked.seat} has nothing to decide: "
            "ask from the seat to move",
        )
    budget = default if budget.is_open else budget
    seed = request.seed if request.HasField("seed") else fresh_seed()
    return Question(checked, budget if maximum is None else lowered(budget, maximum), seed)


def usable_seconds(remaining: float) -> float:
    """Returns the time for a search with so many seconds to the deadline of its call, 0 where there is none."""
    return max(min(DEADLINE_SHARE * remaining, remaining - DEADLINE_RESERVE), 0.0)


def lowered(budget: Budget, maximum: Budget) -> Budget:
    """Returns a budget with its caps lowered to the maximum; a cap that is not set stays so."""

    def least(cap: int | None, most: int | None) -> int | None:
        return cap if cap is None or most is None else min(cap, most)

    return Budget(
        worlds=least(budget.worlds, maximum.worlds),
        iterations=least(budget.iterations, maximum.iterations),
        time_ms=least(budget.time_ms, maximum.time_ms),
    )


def run_search(
    question: Question,
    stop: threading.Event,
    seconds: float | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Recommendation:
    """Searches for at most `seconds`, but does the small minimum of every search in any case.

    Raises `RequestError` where no deal fits the observation.

    A search plans its trees by the budget's time. The time of a deadline would change such a plan and with it the
    answer, so unless the client asked for a time it works from outside, by the stop signal. A search that cannot come
    near its other caps in that time is planned by it all the same, and one that is stopped already does the minimum.
    """
    budget = question.budget
    is_stopped = stop.is_set()
    if is_stopped:
        budget = MINIMUM_BUDGET
    elif seconds is not None and (budget.time_ms is not None or _is_out_of_reach(budget, seconds, threads)):
        most = int(seconds * 1000)
        budget = replace(budget, time_ms=max(1, most if budget.time_ms is None else min(budget.time_ms, most)))
    end = None if seconds is None else time.monotonic() + seconds
    timer = None if seconds is None else threading.Timer(seconds, stop.set)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        found = search(question.observation, budget, seed=question.seed, threads=threads, stop=stop, progress=progress)
    except ContradictionError as error:
        raise invalid_request([contradiction_fault(error)]) from error
    finally:
        if timer is not None:
            timer.cancel()
    reason = found.diagnostics.stop_reason
    if reason is StopReason.STOPPED or (is_stopped and reason in (StopReason.WORLDS, StopReason.ITERATIONS)):
        is_late = end is not None and time.monotonic() >= end
        reason = StopReason.TIME if is_late else StopReason.STOPPED
    return replace(found, diagnostics=replace(found.diagnostics, stop_reason=reason))


def _is_out_of_reach(budget: Budget, seconds: float, threads: int) -> bool:
    """Tells whether the cap on iterations is many times what so many seconds allow, so that it cannot matter."""
    reach = seconds * 1000 * ITERATIONS_PER_MS * threads
    return budget.iterations is not None and budget.iterations > OUT_OF_REACH * reach
