"""Writes the engine's values as messages of the contract. Seats are always set, also those that are 0."""

from __future__ import annotations

from typing import Final

from tarocchi.solver.v1 import deal_pb2, solver_service_pb2
from tarocchi_engine import (
    Declare,
    Discard,
    Event,
    Move,
    Observation,
    Pack,
    Phase,
    Play,
    Standing,
    get_variant,
)
from tarocchi_engine.match import FIRST_DEAL
from tarocchi_solver.search import Budget

_PHASES: Final = {
    Phase.DISCARD: deal_pb2.PHASE_DISCARD,
    Phase.DECLARE: deal_pb2.PHASE_DECLARE,
    Phase.PLAY: deal_pb2.PHASE_PLAY,
    Phase.END: deal_pb2.PHASE_END,
}


def format_budget(budget: Budget) -> solver_service_pb2.Budget:
    """Returns a budget as a message."""
    message = solver_service_pb2.Budget(worlds=budget.worlds, iterations=budget.iterations)
    if budget.time_ms is not None:
        message.duration.FromMilliseconds(budget.time_ms)
    return message


def format_phase(phase: Phase) -> deal_pb2.Phase:
    """Returns a phase as a value of the contract's enum."""
    return _PHASES[phase]


def format_move(pack: Pack, move: Move) -> deal_pb2.Move:
    """Returns a move as a message; cards stand in display order."""
    match move:
        case Discard(cards, announced):
            shown = pack.format_mask(cards or 0)
            return deal_pb2.Move(discard=deal_pb2.Discard(cards=shown, announced_trump_count=announced))
        case Declare(cards):
            return deal_pb2.Move(declare=deal_pb2.Declare(cards=pack.format_mask(cards)))
        case Play(card):
            return deal_pb2.Move(play=deal_pb2.Play(card=pack.format_card(card)))


def format_event(pack: Pack, event: Event) -> deal_pb2.Event:
    """Returns an event as a message."""
    move = format_move(pack, event.move)
    match move.WhichOneof("action"):
        case "discard":
            return deal_pb2.Event(seat=event.seat, discard=move.discard)
        case "declare":
            return deal_pb2.Event(seat=event.seat, declare=move.declare)
        case _:
            return deal_pb2.Event(seat=event.seat, play=move.play)


def format_observation(observation: Observation) -> deal_pb2.Observation:
    """Returns an observation as a message."""
    options = dict(observation.options)
    pack = get_variant(observation.variant, options).pack
    return deal_pb2.Observation(
        variant=observation.variant,
        seat=observation.seat,
        dealer=observation.dealer,
        hand=pack.format_mask(observation.hand),
        events=[format_event(pack, event) for event in observation.events],
        options=options,
        standing=format_standing(observation.standing),
    )


def format_standing(standing: Standing) -> deal_pb2.MatchStanding | None:
    """Returns the match before a deal as a message, None before the first deal."""
    if standing == FIRST_DEAL:
        return None
    return deal_pb2.MatchStanding(scores=standing.scores, deals_played=standing.deals_played)
