"""Reads cards and moves of requests: each reader notes faults and returns None where there is nothing to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
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
    Pack,
    Play,
    Signal,
    Variant,
)
from tarocchi_engine.cards import UnknownCardError
from tarocchi_engine.legality import seat_fault
from tarocchi_solver.service.errors import FaultList, ViolationReason
from tarocchi_solver.service.formats import CALLS, SIGNALS

_LONGEST_NAME: Final = 40
LONGEST_LIST: Final = 100
"""Ids in a list of cards, far more than a pack has; of a longer list none is read."""

_CALL_OF: Final = {number: call for call, number in CALLS.items()}
_SIGNAL_OF: Final = {number: signal for signal, number in SIGNALS.items()}


def shortened(text: str) -> str:
    """Returns a text that a client gave, cut where it is too long to be repeated."""
    return text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "..."


def require_seat(
    message: deal_pb2.Observation | deal_pb2.Event | rules_service_pb2.Deal, name: str, faults: FaultList, path: str
) -> bool:
    """Notes a field that is missing and that names a seat; returns whether it is there."""
    if message.HasField(name):
        return True
    who = "dealt" if name == "dealer" else "moved" if isinstance(message, deal_pb2.Event) else "asks"
    text = f"the seat that {who} is missing: give its number, also when that is 0"
    faults.add(f"{path}.{name}", ViolationReason.MISSING_FIELD, text)
    return False


def parse_card_list(pack: Pack, ids: Sequence[str], faults: FaultList, path: str) -> list[int] | None:
    """Returns the named cards in their order, of which each may stand there once."""
    if len(ids) > LONGEST_LIST:
        text = f"{len(ids):,} cards are more than a pack has: name each of the cards once"
        faults.add(path, ViolationReason.TOO_MANY_CARDS, text)
        return None
    cards: list[int] = []
    is_clean = True
    for index, card_id in enumerate(ids):
        card = _parse_card(pack, card_id, faults, f"{path}[{index}]")
        if card is None:
            is_clean = False
        elif card in cards:
            text = f"card {card_id!r} stands twice in the list: name each card once"
            faults.add(f"{path}[{index}]", ViolationReason.REPEATED_CARD, text)
            is_clean = False
        else:
            cards.append(card)
    return cards if is_clean else None


def parse_cards(pack: Pack, ids: Sequence[str], faults: FaultList, path: str) -> int | None:
    """Returns the set of the named cards."""
    cards = parse_card_list(pack, ids, faults, path)
    return None if cards is None else mask_of(cards)


def mask_of(cards: Sequence[int]) -> int:
    """Returns the set of some different cards."""
    return sum(1 << card for card in cards)


def _parse_card(pack: Pack, card_id: str, faults: FaultList, path: str) -> int | None:
    if not card_id:
        faults.add(path, ViolationReason.MISSING_FIELD, "the id of the card is missing: give one, such as 'SK'")
        return None
    try:
        return pack.parse_card(shortened(card_id))
    except UnknownCardError as error:
        faults.add(path, ViolationReason.UNKNOWN_CARD, str(error))
        return None


def are_few_events(messages: Sequence[deal_pb2.Event], limit: int, faults: FaultList, path: str) -> bool:
    """Notes a list of events that is too long to be read; returns whether it is not."""
    if len(messages) <= limit:
        return True
    text = f"{len(messages):,} events are more than a deal has: give those of one deal, at most {limit:,}"
    faults.add(path, ViolationReason.TOO_MANY_EVENTS, text)
    return False


def parse_events(
    variant: Variant, messages: Sequence[deal_pb2.Event], faults: FaultList, path: str
) -> tuple[Event, ...]:
    """Returns the events before the first that cannot be read."""
    events = [_parse_event(variant, message, faults, f"{path}[{index}]") for index, message in enumerate(messages)]
    count = next((index for index, event in enumerate(events) if event is None), len(events))
    return tuple(event for event in events[:count] if event is not None)


def _parse_event(variant: Variant, message: deal_pb2.Event, faults: FaultList, path: str) -> Event | None:
    """Returns one event."""
    is_given = require_seat(message, "seat", faults, path)
    is_seat = is_given and 0 <= message.seat < variant.seat_count
    if is_given and not is_seat:
        faults.extend([seat_fault(f"{path}.seat", message.seat, variant)])
    move = _parse_move(variant.pack, message, faults, path)
    return Event(message.seat, move) if is_seat and move is not None else None


def _parse_move(pack: Pack, message: deal_pb2.Event, faults: FaultList, path: str) -> Move | None:
    action = message.WhichOneof("action")
    below = f"{path}.{action}"
    match action:
        case "discard":
            discard = message.discard
            laid_away = parse_cards(pack, discard.cards, faults, f"{below}.cards")
            if laid_away is None:
                return None
            announced = discard.announced_trump_count if discard.HasField("announced_trump_count") else None
            return Discard(laid_away or None, announced)
        case "declare":
            shown = parse_cards(pack, message.declare.cards, faults, f"{below}.cards")
            return None if shown is None else Declare(shown)
        case "call_out":
            shown = parse_cards(pack, message.call_out.cards, faults, f"{below}.cards")
            return None if shown is None else CallOut(shown)
        case "play":
            return _parse_play(pack, message.play, faults, below)
        case "give":
            card = _parse_card(pack, message.give.card, faults, f"{below}.card")
            return None if card is None else Give(card)
        case "monte":
            if message.monte.HasField("throws_in"):
                return Monte(message.monte.throws_in)
            text = "what the seat says is missing: give true for monte, false for playing on"
            faults.add(f"{below}.throws_in", ViolationReason.MISSING_FIELD, text)
            return None
        case "bid":
            call = _parse_call(message.bid.call, faults, f"{below}.call")
            return None if call is None else Bid(call)
        case _:
            kinds = [field.name for field in message.DESCRIPTOR.oneofs_by_name["action"].fields]
            text = f"no move is given: set one of {', '.join(kinds[:-1])} and {kinds[-1]}"
            faults.add(path, ViolationReason.MISSING_FIELD, text)
            return None


def _parse_play(pack: Pack, message: deal_pb2.Play, faults: FaultList, path: str) -> Play | None:
    card = _parse_card(pack, message.card, faults, f"{path}.card")
    signal: Signal | None = None
    if message.signal:
        signal = _SIGNAL_OF.get(message.signal)
        if signal is None:
            _note_number(deal_pb2.Signal, message.signal, faults, f"{path}.signal")
            return None
    return None if card is None else Play(card, signal)


def _parse_call(number: deal_pb2.Call, faults: FaultList, path: str) -> Call | None:
    if not number:
        names = ", ".join(deal_pb2.Call.Name(known) for known in _CALL_OF)
        faults.add(path, ViolationReason.MISSING_FIELD, f"the call is missing: give one of {names}")
        return None
    call = _CALL_OF.get(number)
    if call is None:
        _note_number(deal_pb2.Call, number, faults, path)
    return call


def _note_number(kind: type[deal_pb2.Call] | type[deal_pb2.Signal], number: int, faults: FaultList, path: str) -> None:
    """Notes a number that is none of an enum's."""
    names = ", ".join(kind.keys()[1:])
    text = f"{number} is no {kind.DESCRIPTOR.name.lower()}: give one of {names}"
    faults.add(path, ViolationReason.OUT_OF_RANGE, text)
