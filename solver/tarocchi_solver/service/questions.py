"""Reads what is asked of the search: the observation, the caps, the seed, and that there is something to decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import grpc

from tarocchi.solver.v1 import review_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi_engine import Observation, View
from tarocchi_engine.rng import fresh_seed
from tarocchi_solver.levels import LEVELS, Level
from tarocchi_solver.search import Budget
from tarocchi_solver.service.config import EVENT_LIMIT, lowered
from tarocchi_solver.service.errors import FaultList, RequestError, StatusReason, ViolationReason
from tarocchi_solver.service.formats import LEVELS_BY_NUMBER
from tarocchi_solver.service.pools import Priority
from tarocchi_solver.service.requests import parse_budget, parse_interval, parse_observation

_PRIORITIES: Final = {pb.PRIORITY_LIVE: Priority.LIVE, pb.PRIORITY_ANALYSIS: Priority.ANALYSIS}


@dataclass(frozen=True, slots=True)
class Question:
    """A checked request for a move."""

    view: View
    budget: Budget
    """The caps that hold, without those of the clock that the client did not ask for."""
    seed: int
    level: Level | None = None
    """How well to play; None for full strength within the budget."""

    @property
    def observation(self) -> Observation:
        """What the seat knows."""
        return self.view.observation


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
    level = _parse_level(request.level, budget, faults)
    _check_priority(request.priority, faults)
    faults.raise_if_any()
    assert checked is not None
    if level is not None:
        budget = Budget(iterations=LEVELS[level].iterations)
    return replace(_question(checked, allowed_budget(budget, default, maximum), request), level=level)


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
    return _question(checked, allowed_budget(budget, Budget(), maximum), request), interval


def read_beliefs(request: pb.GetBeliefsRequest, event_limit: int = EVENT_LIMIT) -> tuple[View, int]:
    """Returns the checked observation of a request and its seed, drawn if it has none; raises `RequestError`."""
    faults = FaultList()
    checked = parse_observation(request, faults, event_limit)
    faults.raise_if_any()
    assert checked is not None
    if checked.turn is None:
        raise _deal_over()
    return checked, seed_of(request)


def _question(
    checked: View,
    budget: Budget,
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
    return Question(checked, budget, seed_of(request))


def seed_of(
    request: pb.RecommendMoveRequest
    | pb.AnalyzePositionRequest
    | pb.GetBeliefsRequest
    | review_service_pb2.ReviewDealRequest,
) -> int:
    """Returns the seed of a request, a fresh one if it has none."""
    return request.seed if request.HasField("seed") else fresh_seed()


def allowed_budget(budget: Budget, default: Budget, maximum: Budget | None) -> Budget:
    """Returns the caps of a request, those of the default if it has none, lowered to the maximum if there is one."""
    budget = default if budget.is_open else budget
    return budget if maximum is None else lowered(budget, maximum)


def _deal_over() -> RequestError:
    text = "the deal is over, nothing is left to decide: begin the next one"
    return RequestError(grpc.StatusCode.FAILED_PRECONDITION, StatusReason.DEAL_OVER, text)


def _parse_level(number: pb.Level, budget: Budget, faults: FaultList) -> Level | None:
    """Returns the level of a request, None for full strength within its budget."""
    if number == pb.LEVEL_UNSPECIFIED:
        return None
    level = LEVELS_BY_NUMBER.get(number)
    if level is None:
        names = ", ".join(pb.Level.Name(known) for known in LEVELS_BY_NUMBER)
        faults.add("level", ViolationReason.OUT_OF_RANGE, f"{number} is no level: give {names}, or leave it out")
    elif not budget.is_open:
        text = f"{pb.Level.Name(number)} has a budget of its own: give a level or caps, not both"
        faults.add("level", ViolationReason.LEVEL_AND_BUDGET, text)
    return level


def _check_priority(number: pb.Priority, faults: FaultList) -> None:
    if number != pb.PRIORITY_UNSPECIFIED and number not in _PRIORITIES:
        names = ", ".join(pb.Priority.Name(known) for known in _PRIORITIES)
        text = f"{number} is no priority: give {names}, or leave it out"
        faults.add("priority", ViolationReason.OUT_OF_RANGE, text)


def priority_of(request: pb.RecommendMoveRequest | pb.AnalyzePositionRequest, default: Priority) -> Priority:
    """Returns the priority of a request that has been checked."""
    return _PRIORITIES.get(request.priority, default)


def priority_of_batch(request: pb.BatchRecommendMovesRequest) -> Priority:
    """Returns the priority of a whole batch: that of live play only if all of its requests are live."""
    priorities = {priority_of(entry, Priority.ANALYSIS) for entry in request.requests}
    return Priority.LIVE if priorities == {Priority.LIVE} else Priority.ANALYSIS
