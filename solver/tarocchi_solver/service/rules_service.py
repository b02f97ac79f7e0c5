"""RulesService: the referee. No search, and the only place where whole deals are seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import grpc

from tarocchi.solver.v1 import rules_service_pb2 as pb
from tarocchi.solver.v1.rules_service_pb2_grpc import RulesServiceServicer
from tarocchi_engine import VARIANTS, Fault, InvalidDealError, Observation, State, View, new_deal
from tarocchi_engine.rng import fresh_seed
from tarocchi_solver.search import ContradictionError, UndecidedError, check_consistent
from tarocchi_solver.service import answers
from tarocchi_solver.service.calls import Readiness, Servicer, Stage, answering, refusal_of
from tarocchi_solver.service.config import EVENT_LIMIT
from tarocchi_solver.service.errors import FaultList
from tarocchi_solver.service.formats import format_phase
from tarocchi_solver.service.jobs import Job, StopSignal
from tarocchi_solver.service.pool import queue_full
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.requests import (
    contradiction_fault,
    parse_deal,
    parse_observation,
    parse_standing,
    parse_variant,
)
from tarocchi_solver.service.searching import latest_end

_DOUBT_KIND: Final = "doubt"


class RulesServicer(Servicer, RulesServiceServicer):
    """Answers questions about the rules."""

    def __init__(self, readiness: Readiness, pools: SearchPools, event_limit: int = EVENT_LIMIT) -> None:
        super().__init__(readiness)
        self._pools = pools
        self._event_limit = event_limit
        self._variants = answers.variants_answer()

    @answering
    def ListVariants(self, request: pb.ListVariantsRequest, context: grpc.ServicerContext) -> pb.ListVariantsResponse:
        """Lists the variants with their packs."""
        return self._variants

    @answering
    def ListLegalMoves(
        self, request: pb.ListLegalMovesRequest, context: grpc.ServicerContext
    ) -> pb.ListLegalMovesResponse:
        """Lists the legal moves of the observing seat."""
        return list_legal_moves(request, self._event_limit)

    @answering
    def ValidateObservation(
        self, request: pb.ValidateObservationRequest, context: grpc.ServicerContext
    ) -> pb.ValidateObservationResponse:
        """Reports every fault of an observation."""
        started = time.monotonic()

        def find(checked: View) -> Fault | None:
            try:
                return find_contradiction(checked, is_patient=False)
            except UndecidedError:
                return self._search_for_contradiction(checked, latest_end(started, context), context)

        return validate_observation(request, self._event_limit, find)

    def _search_for_contradiction(self, checked: View, latest: float, context: grpc.ServicerContext) -> Fault | None:
        """Does what `find_contradiction` does in the queue for study: of long searches there are never many at once."""
        job = Job(_DOUBT_KIND, lambda _stop, _seconds: find_contradiction(checked), _refuse_doubt, latest)
        return self._pools[Priority.ANALYSIS].run(job, context)

    @answering
    def NewDeal(self, request: pb.NewDealRequest, context: grpc.ServicerContext) -> pb.NewDealResponse:
        """Shuffles and deals a pack."""
        return new_deal_of(request)

    @answering
    def ReplayDeal(self, request: pb.ReplayDealRequest, context: grpc.ServicerContext) -> pb.ReplayDealResponse:
        """Plays a deal with all cards face up."""
        return replay_deal(request, self._event_limit)


def list_legal_moves(request: pb.ListLegalMovesRequest, event_limit: int = EVENT_LIMIT) -> pb.ListLegalMovesResponse:
    """Answers `ListLegalMoves`; raises `RequestError` with every fault."""
    faults = FaultList()
    checked = parse_observation(request, faults, event_limit)
    faults.raise_if_any()
    assert checked is not None
    return answers.legal_moves_answer(checked)


def validate_observation(
    request: pb.ValidateObservationRequest,
    event_limit: int = EVENT_LIMIT,
    find: Callable[[View], Fault | None] | None = None,
) -> pb.ValidateObservationResponse:
    """Answers `ValidateObservation`; `find`, if given, does what `find_contradiction` does."""
    faults = FaultList()
    checked = parse_observation(request, faults, event_limit)
    made_by = answers.versions(VARIANTS.get(request.observation.variant))
    found = faults.faults
    if checked is not None and not found and (contradiction := (find or find_contradiction)(checked)):
        found = [contradiction]
    if checked is None or found:
        return pb.ValidateObservationResponse(violations=answers.violations(found), **made_by)
    return pb.ValidateObservationResponse(phase=format_phase(checked.phase), turn=checked.turn, **made_by)


def _refuse_doubt(stop: StopSignal) -> Fault | None:
    """Raises the `RequestError` of a search that did not begin in time; there is no smaller one."""
    if not stop.is_for_time:
        raise refusal_of(Stage.DRAINING)
    raise queue_full(
        "there was no time for the long search that tells whether any deal fits: ask again in a moment, or with a "
        "later deadline"
    )


def find_contradiction(observation: Observation | View, *, is_patient: bool = True) -> Fault | None:
    """Returns the fault of an observation that no deal of the unseen cards fits, None if some deal does.

    Raises `UndecidedError` where only a long search could tell, and it is not patient.
    """
    try:
        check_consistent(observation, is_patient=is_patient)
    except ContradictionError as error:
        return contradiction_fault(error)
    return None


def new_deal_of(request: pb.NewDealRequest) -> pb.NewDealResponse:
    """Answers `NewDeal`; raises `RequestError` with every fault."""
    faults = FaultList()
    variant = parse_variant(request, faults)
    standing = parse_standing(request, faults)
    seed = request.seed if request.HasField("seed") else fresh_seed()
    state: State | None = None
    if variant is not None:
        try:
            state = new_deal(variant, seed, request.dealer if request.HasField("dealer") else None, standing)
        except InvalidDealError as error:
            faults.extend(error.faults)
    faults.raise_if_any()
    assert state is not None
    return answers.deal_answer(state, seed)


def replay_deal(request: pb.ReplayDealRequest, event_limit: int = EVENT_LIMIT) -> pb.ReplayDealResponse:
    """Answers `ReplayDeal`; raises `RequestError` with every fault."""
    faults = FaultList()
    state = parse_deal(request, faults, event_limit)
    faults.raise_if_any()
    assert state is not None
    return answers.replay_answer(state, with_decisions=request.include_decisions)
