"""How moves, phases and standings are told in words. It reads messages of the contract only."""

from __future__ import annotations

from collections.abc import Mapping

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2

_VERBS = {"discard": "Discard", "declare": "Declare", "play": "Play", "give": "Give"}
_PHASES = {
    deal_pb2.PHASE_MONTE: "say monte or play",
    deal_pb2.PHASE_BID: "bid",
    deal_pb2.PHASE_CALL_OUT: "call out or take the last cards",
    deal_pb2.PHASE_DISCARD: "discard",
    deal_pb2.PHASE_DECLARE: "declare",
    deal_pb2.PHASE_PLAY: "play",
    deal_pb2.PHASE_GIVE: "give a card for the Matto",
}


def move_text(move: deal_pb2.Move | deal_pb2.Event) -> str:
    """Returns a move in few words, such as "Play T9 volo", "Declare nothing" or "Gioco"."""
    action = move.WhichOneof("action")
    match action:
        case None:
            return "no move"
        case "monte":
            return "Monte" if move.monte.throws_in else "No monte"
        case "bid":
            return call_text(move.bid.call).capitalize()
        case "call_out":
            return f"Call out {cards_text(move)}" if move.call_out.cards else "No call-out"
        case "play" if move.play.signal:
            return f"Play {move.play.card} {signal_text(move.play.signal)}"
        case _:
            return f"{_VERBS[action]} {cards_text(move) or 'nothing'}"


def cards_text(move: deal_pb2.Move | deal_pb2.Event) -> str:
    """Returns the cards of a move, empty if it has none."""
    match move.WhichOneof("action"):
        case "discard":
            return " ".join(move.discard.cards)
        case "declare":
            return " ".join(move.declare.cards)
        case "call_out":
            return " ".join(move.call_out.cards)
        case "give":
            return move.give.card
        case _:
            return move.play.card


def signal_text(signal: deal_pb2.Signal) -> str:
    """Returns the name of a signal."""
    return _plain_name(deal_pb2.Signal.Name(signal), "SIGNAL_")


def call_text(call: deal_pb2.Call) -> str:
    """Returns the name of a call."""
    return _plain_name(deal_pb2.Call.Name(call), "CALL_")


def phase_text(phase: deal_pb2.Phase) -> str:
    """Returns what a seat has to do in a phase."""
    return _PHASES.get(phase) or _plain_name(deal_pb2.Phase.Name(phase), "PHASE_")


def _plain_name(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower().replace("_", " ")


def options_text(options: Mapping[str, str]) -> str:
    """Returns rule options in the order of their names."""
    return ", ".join(f"{name}={value}" for name, value in sorted(options.items()))


def standing_text(observation: deal_pb2.Observation, variant: rules_service_pb2.Variant) -> str:
    """Returns which deal of a match this is and what has been scored before it, from the view of the observer."""
    standing = observation.standing
    if not standing.deals_played:
        return "first deal"
    deal = f"deal {standing.deals_played + 1}"
    if not standing.scores:
        return f"{deal}; nothing scored yet"
    if variant.seats_score_alone:
        others = [f"seat {seat} {score:g}" for seat, score in enumerate(standing.scores) if seat != observation.seat]
        return f"{deal}; this seat has {standing.scores[observation.seat]:g} game points, {', '.join(others)}"
    side = variant.seat_sides[observation.seat]
    own, other = standing.scores[side], standing.scores[1 - side]
    target = f" of {variant.match_target}" if variant.HasField("match_target") else ""
    return f"{deal}; own side has {own:g}{target} points, other side {other:g}"
