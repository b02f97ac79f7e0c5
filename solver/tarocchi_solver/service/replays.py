"""Makes decisions again that a line of the log tells of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import grpc
from google.protobuf.message import Message

from tarocchi.solver.v1 import review_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS
from tarocchi_solver import __version__
from tarocchi_solver.levels import at_level
from tarocchi_solver.search import DEFAULT_BUDGET, ContradictionError, search
from tarocchi_solver.search.review import decisions_of, review_decision
from tarocchi_solver.service.answers import recommendation_answer
from tarocchi_solver.service.decisions import Request, digest_of
from tarocchi_solver.service.errors import FaultList, RequestError, StatusReason, invalid_request
from tarocchi_solver.service.questions import Question, read_analysis, read_beliefs, read_question
from tarocchi_solver.service.requests import contradiction_fault, parse_budget, parse_deal
from tarocchi_solver.service.searching import count_beliefs
from tarocchi_solver.service.study_answers import decision_review_answer

REQUESTS: Final[Mapping[str, type[Request]]] = {
    "RecommendMove": solver_service_pb2.RecommendMoveRequest,
    "BatchRecommendMoves": solver_service_pb2.RecommendMoveRequest,
    "AnalyzePosition": solver_service_pb2.AnalyzePositionRequest,
    "GetBeliefs": solver_service_pb2.GetBeliefsRequest,
    "ReviewDeal": review_service_pb2.ReviewDealRequest,
}
"""What a line about a decision of each method has as its request."""
_EVENT_LIMIT: Final = 10_000
"""The highest that a server can have."""


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """What a line of the log tells of a decision."""

    method: str
    request_id: str
    request: Request
    sha256: str
    is_reproducible: bool
    solver_version: str
    rules_revision: int
    answer_budget: solver_service_pb2.Budget | None = None
    """The budget that the answer tells; None if it is that of the request."""
    level_budget: solver_service_pb2.Budget | None = None
    """The budget of the level that was asked for; None if none was."""
    index: int = 0
    """Its place in a batch, or the number of its event in a deal."""
    worlds: int | None = None
    threads: int = 1
    stop_reason: solver_service_pb2.StopReason | None = None
    """Why an analysis ended; None for other decisions."""

    @property
    def variant(self) -> str:
        """The name of the variant."""
        if isinstance(self.request, review_service_pb2.ReviewDealRequest):
            return self.request.deal.variant
        return self.request.observation.variant

    def differences(self) -> list[str]:
        """Returns in words how this solver differs from the one that has answered."""
        found = []
        if self.solver_version != __version__:
            found.append(f"it was made by version {self.solver_version}, this is {__version__}")
        variant = VARIANTS.get(self.variant)
        if variant is not None and variant.rules_revision != self.rules_revision:
            found.append(
                f"it was made under revision {self.rules_revision} of the rules, this is {variant.rules_revision}"
            )
        return found


def stopped_clock() -> float:
    """Returns the time of a clock that stands still: time has a part in the plan of a search, but never ends it."""
    return 0.0


def make_again(logged: LoggedDecision) -> Message:
    """Returns the answer to a decision, made again; raises `RequestError` if this solver refuses the request."""
    request = logged.request
    try:
        if isinstance(request, solver_service_pb2.RecommendMoveRequest):
            return _recommend(read_question(request, DEFAULT_BUDGET, event_limit=_EVENT_LIMIT), logged)
        if isinstance(request, solver_service_pb2.AnalyzePositionRequest):
            question, _interval = read_analysis(request, event_limit=_EVENT_LIMIT)
            return solver_service_pb2.AnalyzePositionResponse(
                recommendation=_recommend(question, logged),
                final=True,
                # the search behind the answer is made again, not the clock that may have ended the analysis
                stop_reason=logged.stop_reason,
            )
        if isinstance(request, solver_service_pb2.GetBeliefsRequest):
            return count_beliefs(*read_beliefs(request, _EVENT_LIMIT), logged.worlds or 0)
        return _review(request, logged)
    except ContradictionError as error:
        raise invalid_request([contradiction_fault(error)]) from error


def is_same(logged: LoggedDecision, answer: Message) -> bool:
    """Tells whether an answer has the bytes of the one that was sent."""
    return digest_of(answer) == logged.sha256


def _recommend(question: Question, logged: LoggedDecision) -> solver_service_pb2.RecommendMoveResponse:
    if logged.level_budget is not None:
        question = replace(question, budget=parse_budget(logged.level_budget, FaultList()))
    found = search(question.view, question.budget, seed=question.seed, threads=logged.threads, clock=stopped_clock)
    if question.level is not None:
        found = at_level(question.view, found, question.level)
    answer = recommendation_answer(question.view, found, question.budget)
    _tell_budget(answer.diagnostics, logged)
    return answer


def _review(request: review_service_pb2.ReviewDealRequest, logged: LoggedDecision) -> Message:
    faults = FaultList()
    state = parse_deal(request, faults, _EVENT_LIMIT)
    budget = parse_budget(request.budget, faults)
    faults.raise_if_any()
    assert state is not None
    then = dict(decisions_of(state)).get(logged.index)
    if then is None:
        text = f"the deal has no decision number {logged.index}"
        raise RequestError(grpc.StatusCode.INVALID_ARGUMENT, StatusReason.INVALID_REQUEST, text)
    found = review_decision(
        state, logged.index, then, budget, seed=request.seed, threads=logged.threads, clock=stopped_clock
    )
    answer = decision_review_answer(state, found, budget)
    _tell_budget(answer.diagnostics, logged)
    return review_service_pb2.ReviewDealResponse(decision=answer)


def _tell_budget(diagnostics: solver_service_pb2.Diagnostics, logged: LoggedDecision) -> None:
    if logged.answer_budget is not None:
        diagnostics.budget.CopyFrom(logged.answer_budget)
