"""ReviewService: what the moves of a finished deal cost."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import grpc

from tarocchi.solver.v1 import review_service_pb2 as pb
from tarocchi.solver.v1.review_service_pb2_grpc import ReviewServiceServicer
from tarocchi_engine import VARIANTS, State
from tarocchi_engine.legality import seat_fault
from tarocchi_solver.search import Budget, StopReason
from tarocchi_solver.search.review import DecisionReview, decisions_of, review, review_decision, review_of_seat
from tarocchi_solver.service.answers import versions
from tarocchi_solver.service.calls import Readiness, Servicer, streaming
from tarocchi_solver.service.config import EVENT_LIMIT, ServerConfig
from tarocchi_solver.service.decisions import Decision
from tarocchi_solver.service.errors import FaultList, RequestError, StatusReason, ViolationReason
from tarocchi_solver.service.jobs import Job, StopSignal
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.questions import allowed_budget, seed_of
from tarocchi_solver.service.records import Trace
from tarocchi_solver.service.requests import parse_budget, parse_deal
from tarocchi_solver.service.searching import MINIMUM_BUDGET, shared_ends, told_the_time
from tarocchi_solver.service.study_answers import decision_review_answer, seat_review_answer
from tarocchi_solver.service.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """A checked request for a review."""

    state: State
    seats: tuple[int, ...]
    budget: Budget
    """Of each decision."""
    seed: int


class ReviewServicer(Servicer, ReviewServiceServicer):
    """Reviews deals."""

    def __init__(self, readiness: Readiness, pools: SearchPools, config: ServerConfig, telemetry: Telemetry) -> None:
        super().__init__(readiness)
        self._pools = pools
        self._config = config
        self._telemetry = telemetry

    @streaming
    def ReviewDeal(
        self, request: pb.ReviewDealRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.ReviewDealResponse]:
        """Reviews the decisions of a deal."""
        started = time.monotonic()
        config = self._config
        question = read_review(request, config.default_budget, config.maximum_budget, config.event_limit)
        decisions = list(decisions_of(question.state, question.seats))
        ends = shared_ends(started, context, len(decisions))
        jobs = [
            self._job(question, number, then, latest) for (number, then), latest in zip(decisions, ends, strict=True)
        ]
        reviews: list[DecisionReview] = []
        with self._pools.long_call():
            found = self._pools.search_in_turn(Priority.ANALYSIS, jobs, context, abreast=1)
            for job, reviewed in zip(jobs, found, strict=True):
                reviews.append(reviewed)
                part = _part(question, reviewed)
                self._note(request, part, question.seed, job.trace)
                yield part
        yield _summary(question, reviews)

    def _note(self, request: pb.ReviewDealRequest, part: pb.ReviewDealResponse, seed: int, trace: Trace) -> None:
        made = part.decision
        decision = Decision(request, part, seed, trace, made.diagnostics, exact=made.exact, index=made.event_index)
        self._telemetry.decided(decision)

    def _job(self, question: ReviewQuestion, number: int, then: State, latest: float) -> Job[DecisionReview]:
        """Returns the work for one decision."""
        trace = Trace()

        def review_within(budget: Budget, stop: StopSignal) -> DecisionReview:
            threads = self._config.search_threads
            trace.plan(budget, threads)
            reviewed = review_decision(
                question.state, number, then, budget, seed=question.seed, threads=threads, stop=stop
            )
            return told_the_time(_told_the_cut(reviewed) if budget is MINIMUM_BUDGET else reviewed, stop)

        def search_for(stop: StopSignal, seconds: float) -> DecisionReview:
            budget = question.budget
            if seconds != math.inf and budget.time_ms is not None:
                budget = replace(budget, time_ms=max(1, min(budget.time_ms, int(seconds * 1000))))
            return review_within(budget, stop)

        return Job(then.phase, search_for, lambda stop: review_within(MINIMUM_BUDGET, stop), latest, trace)


def _told_the_cut(reviewed: DecisionReview) -> DecisionReview:
    """Returns a minimum answer that says so, where it was not the position that ended its search."""
    facts = reviewed.diagnostics
    if facts.stop_reason not in (StopReason.WORLDS, StopReason.ITERATIONS):
        return reviewed
    return replace(reviewed, diagnostics=replace(facts, stop_reason=StopReason.STOPPED))


def review_here(question: ReviewQuestion, threads: int) -> Iterator[pb.ReviewDealResponse]:
    """Yields the parts of a review that is made in this process."""
    reviews = []
    for reviewed in review(question.state, question.seats, question.budget, seed=question.seed, threads=threads):
        reviews.append(reviewed)
        yield _part(question, reviewed)
    yield _summary(question, reviews)


def _part(question: ReviewQuestion, reviewed: DecisionReview) -> pb.ReviewDealResponse:
    return pb.ReviewDealResponse(decision=decision_review_answer(question.state, reviewed, question.budget))


def _summary(question: ReviewQuestion, reviews: list[DecisionReview]) -> pb.ReviewDealResponse:
    accounts = [review_of_seat(question.state, seat, reviews) for seat in question.seats]
    seats = [seat_review_answer(account) for account in accounts]
    return pb.ReviewDealResponse(
        summary=pb.DealReview(seats=seats, seed=question.seed, **versions(question.state.variant))
    )


def read_review(
    request: pb.ReviewDealRequest,
    default: Budget,
    maximum: Budget | None = None,
    event_limit: int = EVENT_LIMIT,
) -> ReviewQuestion:
    """Returns the checked request; raises `RequestError` with every fault, or where the deal is not over."""
    faults = FaultList()
    state = parse_deal(request, faults, event_limit)
    budget = parse_budget(request.budget, faults)
    variant = VARIANTS.get(request.deal.variant)
    for index, seat in enumerate(request.seats):
        if variant is not None and not 0 <= seat < variant.seat_count:
            message = seat_fault("seat", seat, variant).message
            faults.add(f"seats[{index}]", ViolationReason.NO_SUCH_SEAT, message)
    faults.raise_if_any()
    assert state is not None
    if state.turn is not None:
        message = (
            f"the deal is not over: seat {state.turn} has to {state.phase}. A review tells what only players who are "
            "still at it may not know: ask again with all events"
        )
        raise RequestError(grpc.StatusCode.FAILED_PRECONDITION, StatusReason.DEAL_NOT_OVER, message)
    return ReviewQuestion(
        state=state,
        seats=tuple(sorted(set(request.seats))) or tuple(range(state.variant.seat_count)),
        budget=allowed_budget(budget, default, maximum),
        seed=seed_of(request),
    )
