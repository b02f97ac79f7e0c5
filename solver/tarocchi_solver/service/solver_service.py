"""SolverService: checks a request, waits for a search thread, searches within the time there is."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import grpc

from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceServicer
from tarocchi_engine import VARIANTS, Fault, Phase, View
from tarocchi_solver import __version__
from tarocchi_solver.search import Budget, ContradictionError, Recommendation, StopReason, search
from tarocchi_solver.search.analysis import Snapshot, analyze
from tarocchi_solver.search.beliefs import BELIEF_WORLDS, beliefs
from tarocchi_solver.search.runner import ITERATIONS_PER_MS
from tarocchi_solver.service.answers import beliefs_answer, recommendation_answer
from tarocchi_solver.service.calls import Readiness, Servicer, answering, streaming
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.decisions import Decision
from tarocchi_solver.service.errors import FaultList, RequestError, ViolationReason, invalid_request
from tarocchi_solver.service.formats import format_budget
from tarocchi_solver.service.latest import Latest
from tarocchi_solver.service.pool import Job, StopSignal, result_of
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.questions import PRIORITIES, Question, read_analysis, read_beliefs, read_question
from tarocchi_solver.service.records import Trace
from tarocchi_solver.service.requests import contradiction_fault
from tarocchi_solver.service.telemetry import Telemetry

DEADLINE_SHARE: Final = 0.9
"""The share of the time to the deadline that may be used: the rest brings the answer home."""
DEADLINE_RESERVE: Final = 0.02
"""Seconds before the deadline that are not used in any case, because every answer takes some time."""

FIRST_ESTIMATES: Final[Mapping[str, float]] = {Phase.DISCARD: 0.05}
"""Seconds for an answer about a hundred discards, on a busy machine."""

BELIEFS_KIND: Final = "beliefs"
FEWEST_BELIEF_WORLDS: Final = 256
"""Worlds of an answer about beliefs for which there is hardly any time."""
_ENDLESS: Final = 10**8
"""Seconds; a call with more to its deadline has none."""

MINIMUM_BUDGET: Final = Budget(worlds=1, iterations=1)
"""Makes a search do no more than it always does."""
OUT_OF_REACH: Final = 10
"""A cap of so many times the work that a search can do in its time is not planned for."""


class SolverServicer(Servicer, SolverServiceServicer):
    """Recommends moves."""

    def __init__(self, readiness: Readiness, pools: SearchPools, config: ServerConfig, telemetry: Telemetry) -> None:
        super().__init__(readiness)
        self._pools = pools
        self._config = config
        self._telemetry = telemetry

    @answering
    def RecommendMove(
        self, request: pb.RecommendMoveRequest, context: grpc.ServicerContext
    ) -> pb.RecommendMoveResponse:
        """Recommends a move."""
        started = time.monotonic()
        question = self._read(request)
        # a forced move takes no time worth waiting for
        if len(question.view.legal_moves()) == 1:
            trace = Trace(budget=question.budget)
            answer = _answer(question, run_search(question, threading.Event()))
        else:
            job = self._job(question, latest_end(started, context))
            trace = job.trace
            answer = self._pools[_priority_of(request, Priority.LIVE)].run(job, context)
        self._telemetry.decided(_decision(request, answer, trace))
        return answer

    @answering
    def BatchRecommendMoves(
        self, request: pb.BatchRecommendMovesRequest, context: grpc.ServicerContext
    ) -> pb.BatchRecommendMovesResponse:
        """Recommends many moves."""
        started = time.monotonic()
        questions = self._read_batch(request)
        priority = _priority_of_batch(request)
        ends = shared_ends(started, context, len(questions))
        jobs = [self._job(question, latest) for question, latest in zip(questions, ends, strict=True)]
        with self._pools.long_call():
            abreast = self._pools[priority].workers
            responses = list(self._pools.search_in_turn(priority, jobs, context, abreast))
        for index, (entry, answer, job) in enumerate(zip(request.requests, responses, jobs, strict=True)):
            self._telemetry.decided(_decision(entry, answer, job.trace, index))
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
        last = result_of(done)
        # the last of its searches, which made the answer, was not planned by the time
        job.trace.plan(last.budget, self._config.search_threads)
        answer = _snapshot_answer(question, last, is_final=True)
        found = answer.recommendation
        self._telemetry.decided(
            Decision(request, answer, question.seed, job.trace, found.diagnostics, exact=found.exact)
        )
        yield answer

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
        answer = self._pools[Priority.LIVE].run(job, context)
        worlds = FEWEST_BELIEF_WORLDS if job.trace.is_minimum else BELIEF_WORLDS
        self._telemetry.decided(Decision(request, answer, seed, job.trace, worlds=worlds))
        return answer

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
        trace = Trace()

        def search_for(stop: StopSignal, seconds: float) -> pb.RecommendMoveResponse:
            limit, threads = None if seconds == math.inf else seconds, self._config.search_threads
            trace.plan(planned_budget(question.budget, stop.is_set(), limit, threads), threads)
            found = run_search(question, stop, limit, threads)
            return _answer(question, _told_the_time(found, stop))

        def minimum(stop: StopSignal) -> pb.RecommendMoveResponse:
            trace.plan(MINIMUM_BUDGET)
            return _answer(question, _told_the_time(run_search(question, stop), stop))

        return Job(question.view.phase, search_for, minimum, latest, trace)


def _decision(
    request: pb.RecommendMoveRequest, answer: pb.RecommendMoveResponse, trace: Trace, index: int | None = None
) -> Decision:
    found = answer.diagnostics
    return Decision(request, answer, found.seed, trace, found, exact=answer.exact, index=index)


def _priority_of(request: pb.RecommendMoveRequest | pb.AnalyzePositionRequest, default: Priority) -> Priority:
    """Returns the priority of a request that has been checked."""
    return PRIORITIES.get(request.priority, default)


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


def usable_seconds(remaining: float) -> float:
    """Returns the time for a search with so many seconds to the deadline of its call, 0 where there is none."""
    return max(min(DEADLINE_SHARE * remaining, remaining - DEADLINE_RESERVE), 0.0)


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
    is_stopped = stop.is_set()
    budget = planned_budget(question.budget, is_stopped, seconds, threads)
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
