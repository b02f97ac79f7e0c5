"""SolverService: checks a request, waits for a search thread, searches within the time there is."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import grpc

from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceServicer
from tarocchi_engine import VARIANTS, Fault, Observation, Phase, View
from tarocchi_engine.rng import fresh_seed
from tarocchi_solver import __version__
from tarocchi_solver.search import Budget, ContradictionError, Recommendation, StopReason, search
from tarocchi_solver.search.analysis import Snapshot, analyze
from tarocchi_solver.search.beliefs import BELIEF_WORLDS, beliefs
from tarocchi_solver.search.runner import ITERATIONS_PER_MS
from tarocchi_solver.service.answers import beliefs_answer, recommendation_answer
from tarocchi_solver.service.calls import Readiness, Servicer, answering, streaming
from tarocchi_solver.service.config import EVENT_LIMIT, ServerConfig
from tarocchi_solver.service.errors import FaultList, RequestError, StatusReason, ViolationReason, invalid_request
from tarocchi_solver.service.formats import format_budget
from tarocchi_solver.service.latest import Latest
from tarocchi_solver.service.pool import Job, StopSignal, result_of
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.requests import contradiction_fault, parse_budget, parse_interval, parse_observation

DEADLINE_SHARE: Final = 0.9
"""The share of the time to the deadline that may be used: the rest brings the answer home."""
DEADLINE_RESERVE: Final = 0.02
"""Seconds before the deadline that are not used in any case, because every answer takes some time."""

FIRST_ESTIMATES: Final[Mapping[str, float]] = {Phase.DISCARD: 0.05}
"""Seconds for an answer about a hundred discards, on a busy machine."""

BELIEFS_KIND: Final = "beliefs"
FEWEST_BELIEF_WORLDS: Final = 256
"""Worlds of an answer about beliefs for which there is hardly any time."""
_PRIORITIES: Final = {pb.PRIORITY_LIVE: Priority.LIVE, pb.PRIORITY_ANALYSIS: Priority.ANALYSIS}
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

    def __init__(self, readiness: Readiness, pools: SearchPools, config: ServerConfig) -> None:
        super().__init__(readiness)
        self._pools = pools
        self._config = config

    @answering
    def RecommendMove(
        self, request: pb.RecommendMoveRequest, context: grpc.ServicerContext
    ) -> pb.RecommendMoveResponse:
        """Recommends a move."""
        started = time.monotonic()
        question = self._read(request)
        # a forced move takes no time worth waiting for
        if len(question.view.legal_moves()) == 1:
            return _answer(question, run_search(question, threading.Event()))
        pool = self._pools[_priority_of(request, Priority.LIVE)]
        return pool.run(self._job(question, latest_end(started, context)), context)

    @answering
    def BatchRecommendMoves(
        self, request: pb.BatchRecommendMovesRequest, context: grpc.ServicerContext
    ) -> pb.BatchRecommendMovesResponse:
        """Recommends many moves."""
        started = time.monotonic()
        questions = self._read_batch(request)
        priority = _priority_of_batch(request)
        ends = shared_ends(started, context, len(questions))
        jobs = (self._job(question, latest) for question, latest in zip(questions, ends, strict=True))
        with self._pools.long_call():
            abreast = self._pools[priority].workers
            responses = list(self._pools.search_in_turn(priority, jobs, context, abreast))
        return pb.BatchRecommendMovesResponse(responses=responses)

    @streaming
    def AnalyzePosition(
        self, request: pb.AnalyzePositionRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.AnalyzePositionResponse]:
        """Analyses a position."""
        started = time.monotonic()
        question, interval = read_analysis(request, self._config.maximum_budget, self._config.event_limit)
        latest: Latest[Snapshot] = Latest()

        def search_for(stop: StopSignal, seconds: float) -> Snapshot:
            return analyze_for(question, stop, seconds, self._config.search_threads, latest.put)

        def minimum(stop: StopSignal) -> Snapshot:
            return Snapshot(_told_the_time(run_search(question, stop), stop), MINIMUM_BUDGET)

        job = Job(question.view.phase, search_for, minimum, latest_end(started, context))
        pool = self._pools[_priority_of(request, Priority.ANALYSIS)]
        done = pool.submit(job, context)
        done.add_done_callback(lambda _done: latest.close())
        for snapshot in latest.spaced(interval):
            yield _snapshot_answer(question, snapshot, is_final=False)
        yield _snapshot_answer(question, result_of(done), is_final=True)

    @answering
    def GetBeliefs(self, request: pb.GetBeliefsRequest, context: grpc.ServicerContext) -> pb.GetBeliefsResponse:
        """Tells where the unseen cards may lie."""
        started = time.monotonic()
        seen, seed = read_beliefs(request, self._config.event_limit)
        job = Job(
            BELIEFS_KIND,
            lambda _stop, _seconds: count_beliefs(seen, seed, BELIEF_WORLDS),
            lambda _stop: count_beliefs(seen, seed, FEWEST_BELIEF_WORLDS),
            latest_end(started, context),
        )
        return self._pools[Priority.LIVE].run(job, context)

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
            batch_size_limit=config.batch_size_limit,
        )

    def _read(self, request: pb.RecommendMoveRequest) -> Question:
        config = self._config
        return read_question(request, config.default_budget, config.maximum_budget, config.event_limit)

    def _read_batch(self, request: pb.BatchRecommendMovesRequest) -> list[Question]:
        """Returns the checked requests of a batch; raises `RequestError` with the faults of all of them."""
        count, most = len(request.requests), self._config.batch_size_limit
        if not 1 <= count <= most:
            text = f"{count} requests in a batch: give 1 to {most}"
            raise invalid_request([Fault("requests", ViolationReason.OUT_OF_RANGE, text)])
        questions, faults, refusal = [], FaultList(), None
        for index, entry in enumerate(request.requests):
            path = f"requests[{index}]"
            try:
                questions.append(self._read(entry))
            except RequestError as error:
                faults.extend(fault.below(path) for fault in error.faults)
                if not error.faults and refusal is None:
                    refusal = RequestError(error.code, error.reason, f"{path}: {error.message}")
        faults.raise_if_any()
        if refusal is not None:
            raise refusal
        return questions

    def _job(self, question: Question, latest: float) -> Job[pb.RecommendMoveResponse]:
        """Returns the work for one question, whose answer has to be there at `latest`."""

        def search_for(stop: StopSignal, seconds: float) -> pb.RecommendMoveResponse:
            limit = None if seconds == math.inf else seconds
            found = run_search(question, stop, limit, self._config.search_threads)
            return _answer(question, _told_the_time(found, stop))

        def minimum(stop: StopSignal) -> pb.RecommendMoveResponse:
            return _answer(question, _told_the_time(run_search(question, stop), stop))

        return Job(question.view.phase, search_for, minimum, latest)


def _priority_of(request: pb.RecommendMoveRequest | pb.AnalyzePositionRequest, default: Priority) -> Priority:
    """Returns the priority of a request that has been checked."""
    return _PRIORITIES.get(request.priority, default)


def _priority_of_batch(request: pb.BatchRecommendMovesRequest) -> Priority:
    """Returns the priority of a whole batch: that of live play only if all of its requests are live."""
    priorities = {_priority_of(entry, Priority.ANALYSIS) for entry in request.requests}
    return Priority.LIVE if priorities == {Priority.LIVE} else Priority.ANALYSIS


def analyze_for(
    question: Question,
    stop: StopSignal,
    seconds: float,
    threads: int,
    tell: Callable[[Snapshot], None],
) -> Snapshot:
    """Analyses for at most so many seconds, tells every snapshot and returns the last one."""
    time_ms = question.budget.time_ms
    if seconds != math.inf:
        most = max(1, int(seconds * 1000))
        time_ms = most if time_ms is None else min(time_ms, most)
    budget = replace(question.budget, time_ms=time_ms)
    last: Snapshot | None = None
    for last in _analyze(replace(question, budget=budget), threads, stop):
        tell(last)
    assert last is not None
    return Snapshot(_told_the_time(last.found, stop), last.budget)


def _analyze(question: Question, threads: int, stop: threading.Event | None = None) -> Iterator[Snapshot]:
    """Yields what `analyze` yields; raises `RequestError` where no deal fits the observation."""
    try:
        yield from analyze(question.observation, question.budget, seed=question.seed, threads=threads, stop=stop)
    except ContradictionError as error:
        raise invalid_request([contradiction_fault(error)]) from error


def analyze_here(question: Question, threads: int) -> Iterator[pb.AnalyzePositionResponse]:
    """Yields the answers of an analysis in this process; the last is final. Raises `RequestError`."""
    last: Snapshot | None = None
    for last in _analyze(question, threads):
        yield _snapshot_answer(question, last, is_final=False)
    assert last is not None
    yield _snapshot_answer(question, last, is_final=True)


def beliefs_here(request: pb.GetBeliefsRequest) -> pb.GetBeliefsResponse:
    """Answers `GetBeliefs` in this process; raises `RequestError`."""
    return count_beliefs(*read_beliefs(request), BELIEF_WORLDS)


def count_beliefs(seen: View, seed: int, worlds: int) -> pb.GetBeliefsResponse:
    """Returns where the cards may lie that a seat does not see; raises `RequestError` where they can lie nowhere."""
    try:
        return beliefs_answer(seen, beliefs(seen.observation, seed=seed, worlds=worlds))
    except ContradictionError as error:
        raise invalid_request([contradiction_fault(error)]) from error


def _snapshot_answer(question: Question, snapshot: Snapshot, *, is_final: bool) -> pb.AnalyzePositionResponse:
    answer = recommendation_answer(question.view, snapshot.found, snapshot.budget)
    return pb.AnalyzePositionResponse(recommendation=answer, final=is_final)


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
    _check_priority(request.priority, faults)
    faults.raise_if_any()
    assert checked is not None
    return _question(checked, default if budget.is_open else budget, maximum, request)


def read_analysis(
    request: pb.AnalyzePositionRequest, maximum: Budget | None = None, event_limit: int = EVENT_LIMIT
) -> tuple[Question, float]:
    """Returns the checked request and its interval in seconds; raises `RequestError` as `read_question` does."""
    faults = FaultList()
    checked = parse_observation(request, faults, event_limit)
    budget = parse_budget(request.budget, faults)
    interval = parse_interval(request, faults)
    _check_priority(request.priority, faults)
    faults.raise_if_any()
    assert checked is not None
    return _question(checked, budget, maximum, request), interval


def read_beliefs(request: pb.GetBeliefsRequest, event_limit: int = EVENT_LIMIT) -> tuple[View, int]:
    """Returns the checked observation of a request and its seed, drawn if it has none; raises `RequestError`."""
    faults = FaultList()
    checked = parse_observation(request, faults, event_limit)
    faults.raise_if_any()
    assert checked is not None
    if checked.turn is None:
        raise _deal_over()
    return checked, request.seed if request.HasField("seed") else fresh_seed()


def _question(
    checked: View,
    budget: Budget,
    maximum: Budget | None,
    request: pb.RecommendMoveRequest | pb.AnalyzePositionRequest,
) -> Question:
    """Returns what is to be decided; raises `RequestError` when it is nothing."""
    if checked.turn is None:
        raise _deal_over()
    if checked.turn != checked.seat:
        raise RequestError(
            grpc.StatusCode.FAILED_PRECONDITION,
            StatusReason.NOT_YOUR_TURN,
            f"seat {checked.turn} has to {checked.phase}, seat {checked.seat} has nothing to decide: "
            "ask from the seat to move",
        )
    seed = request.seed if request.HasField("seed") else fresh_seed()
    return Question(checked, budget if maximum is None else lowered(budget, maximum), seed)


def _deal_over() -> RequestError:
    return RequestError(grpc.StatusCode.FAILED_PRECONDITION, StatusReason.DEAL_OVER, "the deal is over")


def _check_priority(number: pb.Priority, faults: FaultList) -> None:
    if number != pb.PRIORITY_UNSPECIFIED and number not in _PRIORITIES:
        names = ", ".join(pb.Priority.Name(known) for known in _PRIORITIES)
        text = f"{number} is no priority: give {names}, or leave it out"
        faults.add("priority", ViolationReason.OUT_OF_RANGE, text)


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
