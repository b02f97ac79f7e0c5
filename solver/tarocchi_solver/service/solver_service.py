"""SolverService: checks a request, waits for a search thread, searches within the time there is."""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Final

import grpc

from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceServicer
from tarocchi_engine import VARIANTS, Fault, Phase
from tarocchi_solver import __version__
from tarocchi_solver.search import Recommendation, StopReason
from tarocchi_solver.search.analysis import Snapshot
from tarocchi_solver.search.beliefs import BELIEF_WORLDS
from tarocchi_solver.service.agenda import Estimates
from tarocchi_solver.service.answers import recommendation_answer
from tarocchi_solver.service.calls import Readiness, Servicer, answering, answering_later, streaming
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.decisions import Decision
from tarocchi_solver.service.errors import FaultList, RequestError, ViolationReason, invalid_request
from tarocchi_solver.service.formats import format_budget
from tarocchi_solver.service.jobs import Job, StopSignal
from tarocchi_solver.service.latest import Latest
from tarocchi_solver.service.pool import result_of
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.questions import (
    Question,
    priority_of,
    priority_of_batch,
    read_analysis,
    read_beliefs,
    read_question,
)
from tarocchi_solver.service.records import Trace
from tarocchi_solver.service.searching import (
    MINIMUM_BUDGET,
    Ended,
    analyze_for,
    begun_before,
    count_beliefs,
    latest_end,
    least_analysis,
    planned_budget,
    run_search,
    shared_ends,
    snapshot_answer,
    told_the_time,
)
from tarocchi_solver.service.study_answers import level_infos
from tarocchi_solver.service.telemetry import Telemetry

FIRST_ESTIMATES: Final[Mapping[str, float]] = {Phase.DISCARD: 0.05}
"""Seconds for an answer about a hundred discards, on a busy machine."""
BELIEFS_KIND: Final = "beliefs"
LONGEST_ANSWERING: Final = 0.02
"""Seconds from the end of the time for a search until its answer has left, as far as a search makes room for them."""
FEWEST_BELIEF_WORLDS: Final = 256
"""Worlds of an answer about beliefs for which there is hardly any time."""


class SolverServicer(Servicer, SolverServiceServicer):
    """Recommends moves."""

    def __init__(self, readiness: Readiness, pools: SearchPools, config: ServerConfig, telemetry: Telemetry) -> None:
        super().__init__(readiness)
        self._pools = pools
        self._config = config
        self._telemetry = telemetry
        # from the moment at which the time for a search is over until its answer has left
        self._answering = Estimates({}, first=0.0)

    @answering_later
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
            job = self._job(question, latest_end(started, context), time.monotonic() - started)
            trace = job.trace
            context.add_callback(lambda: self._note_answering(question.view.phase, trace))
            answer = self._pools[priority_of(request, Priority.LIVE)].run(job, context)
        self._telemetry.decided(_decision(request, answer, trace))
        return answer

    @answering_later
    def BatchRecommendMoves(
        self, request: pb.BatchRecommendMovesRequest, context: grpc.ServicerContext
    ) -> pb.BatchRecommendMovesResponse:
        """Recommends many moves."""
        started = time.monotonic()
        questions = self._read_batch(request)
        priority = priority_of_batch(request)
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

        def search_for(stop: StopSignal, seconds: float) -> Ended:
            return analyze_for(question, stop, seconds, self._config.search_threads, latest.put)

        def minimum(stop: StopSignal) -> Ended:
            return least_analysis(question, stop)

        job = Job(question.view.phase, search_for, minimum, latest_end(started, context))
        pool = self._pools[priority_of(request, Priority.ANALYSIS)]
        done = pool.submit(job, context)
        done.add_done_callback(lambda _done: latest.close())
        for snapshot in latest.spaced(interval):
            yield snapshot_answer(question, snapshot)
        last, stop_reason = result_of(done)
        # the last of its searches, which made the answer, was not planned by the time
        job.trace.plan(last.budget, self._config.search_threads)
        answer = snapshot_answer(question, last, stop_reason)
        found = answer.recommendation
        self._telemetry.decided(
            Decision(request, answer, question.seed, job.trace, found.diagnostics, exact=found.exact)
        )
        yield answer

    @answering_later
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
        return self._info

    @functools.cached_property
    def _info(self) -> pb.GetServerInfoResponse:
        """What the server tells about itself, which never changes."""
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
            levels=level_infos(),
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

    def _note_answering(self, kind: str, trace: Trace) -> None:
        """Learns from a call that has ended how long it takes until an answer has left, once its time is over."""
        if trace.over is not None:
            # a client that is slow to read does not cost the others their time
            self._answering.note(kind, min(time.monotonic() - trace.over, LONGEST_ANSWERING))

    def _job(self, question: Question, latest: float, reading: float | None = None) -> Job[pb.RecommendMoveResponse]:
        """Returns the work for one question, whose answer has to be there at `latest`.

        With the seconds that `reading` it took, those that the client gives for the search are for its whole call, but
        for waiting: the reading and the answer are part of them.
        """
        trace = Trace()

        def search_for(stop: StopSignal, seconds: float) -> pb.RecommendMoveResponse:
            limit, threads = None if seconds == math.inf else seconds, self._config.search_threads
            budget = planned_budget(question.budget, stop.is_set(), limit, threads)
            trace.plan(budget, threads)
            spent = 0.0 if reading is None else reading + self._answering.of(question.view.phase)
            began = begun_before(spent, budget)
            found = run_search(question, stop, limit, threads, began=began)
            if budget.time_ms is not None and found.diagnostics.stop_reason is StopReason.TIME:
                trace.over = began + budget.time_ms / 1000
            return _answer(question, told_the_time(found, stop))

        def minimum(stop: StopSignal) -> pb.RecommendMoveResponse:
            trace.plan(MINIMUM_BUDGET)
            return _answer(question, told_the_time(run_search(question, stop), stop))

        return Job(question.view.phase, search_for, minimum, latest, trace)


def _decision(
    request: pb.RecommendMoveRequest, answer: pb.RecommendMoveResponse, trace: Trace, index: int | None = None
) -> Decision:
    found = answer.diagnostics
    return Decision(request, answer, found.seed, trace, found, exact=answer.exact, index=index)


def _answer(question: Question, found: Recommendation) -> pb.RecommendMoveResponse:
    return recommendation_answer(question.view, found, question.budget)
