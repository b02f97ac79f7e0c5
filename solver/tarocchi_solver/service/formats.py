"""Writes the engine's values as messages of the contract. Seats are always set, also those that are 0."""

from __future__ import annotations

from typing import Any, Final

from tarocchi.solver.v1 import deal_pb2, solver_service_pb2
from tarocchi_engine import (
    Bid,
    Call,
    CallOut,
    Declare,
    Discard,
    Event,
    Give,
    Monte,
    Move,
    Observation,
    Pack,
    Phase,
    Play,
    Signal,
    Standing,
    Variant,
    get_variant,
)
from tarocchi_engine.match import FIRST_DEAL
from tarocchi_solver.levels import Level
from tarocchi_solver.search import Budget

_PHASES: Final = {
    Phase.DISCARD: deal_pb2.PHASE_DISCARD,
    Phase.DECLARE: deal_pb2.PHASE_DECLARE,
    Phase.PLAY: deal_pb2.PHASE_PLAY,
    Phase.END: deal_pb2.PHASE_END,
    Phase.MONTE: deal_pb2.PHASE_MONTE,
    Phase.BID: deal_pb2.PHASE_BID,
    Phase.CALL_OUT: deal_pb2.PHASE_CALL_OUT,
    Phase.GIVE: deal_pb2.PHASE_GIVE,
}
LEVEL_NUMBERS: Final = {
    Level.BEGINNER: solver_service_pb2.LEVEL_BEGINNER,
    Level.CASUAL: solver_service_pb2.LEVEL_CASUAL,
    Level.CLUB: solver_service_pb2.LEVEL_CLUB,
    Level.EXPERT: solver_service_pb2.LEVEL_EXPERT,
    Level.MASTER: solver_service_pb2.LEVEL_MASTER,
}
LEVELS_BY_NUMBER: Final = {number: level for level, number in LEVEL_NUMBERS.items()}
CALLS: Final = {
    Call.PASS: deal_pb2.CALL_PASS,
    Call.GIOCO: deal_pb2.CALL_GIOCO,
    Call.SOLO: deal_pb2.CALL_SOLO,
}
SIGNALS: Final = {
    Signal.VOLO: deal_pb2.SIGNAL_VOLO,
    Signal.STRISCIO: deal_pb2.SIGNAL_STRISCIO,
    Signal.BUSSO: deal_pb2.SIGNAL_BUSSO,
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
        case Play(card, signal):
            return deal_pb2.Move(play=_format_play(pack, card, signal))
        case Monte(throws_in):
            return deal_pb2.Move(monte=deal_pb2.Monte(throws_in=throws_in))
        case CallOut(cards):
            return deal_pb2.Move(call_out=deal_pb2.CallOut(cards=pack.format_mask(cards)))
        case Bid(call):
            return deal_pb2.Move(bid=deal_pb2.Bid(call=CALLS[call]))
        case Give(card):
            return deal_pb2.Move(give=deal_pb2.Give(card=pack.format_card(card)))


def _format_play(pack: Pack, card: int, signal: Signal | None) -> deal_pb2.Play:
    if signal is None:
        return deal_pb2.Play(card=pack.format_card(card))
    return deal_pb2.Play(card=pack.format_card(card), signal=SIGNALS[signal])


def format_event(pack: Pack, event: Event) -> deal_pb2.Event:
    """Returns an event as a message."""
    # most events are plays, of which an answer has dozens
    if isinstance(event.move, Play):
        return deal_pb2.Event(seat=event.seat, play=_format_play(pack, event.move.card, event.move.signal))
    move = format_move(pack, event.move)
    action = move.WhichOneof("action") or ""
    kind: dict[str, Any] = {action: getattr(move, action)}
    return deal_pb2.Event(seat=event.seat, **kind)


def format_observation(observation: Observation) -> deal_pb2.Observation:
    """Returns an observation as a message."""
    options = dict(observation.options)
    variant = get_variant(observation.variant, options)
    pack = variant.pack
    return deal_pb2.Observation(
        variant=observation.variant,
        seat=observation.seat,
        dealer=observation.dealer,
        hand=pack.format_mask(observation.hand),
        events=[format_event(pack, event) for event in observation.events],
        options=options,
        standing=format_standing(variant, observation.standing),
    )


def format_standing(variant: Variant, standing: Standing) -> deal_pb2.MatchStanding | None:
    """Returns the match before a deal as a message, None before the first deal."""
    if standing == FIRST_DEAL:
        return None
    return deal_pb2.MatchStanding(scores=standing.scores_in(variant), deals_played=standing.deals_played)
