"""What the public record of a deal rules out about the next move, without a look at any hand."""

from __future__ import annotations

from tarocchi_engine.cards import MATTO, TRUMP_MASK, lane_of
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.moves import Signal
from tarocchi_engine.record import Record


def check_shown(record: Record, seat: int, cards: int, field: str) -> None:
    """Raises `IllegalMoveError` if `seat` cannot show these cards before its first one."""
    variant = record.variant
    try:
        variant.check_declaration(cards)
    except IllegalMoveError as error:
        raise IllegalMoveError(error.reason, error.message, field) from error
    if cards.bit_count() > variant.hand_size:
        raise IllegalMoveError(
            "DECLARATION_SIZE", f"{cards.bit_count()} cards shown: a hand has {variant.hand_size}, show no more", field
        )
    for other, shown in enumerate(record.shown):
        if gone := cards & ((shown or 0) | record.played[other]):
            names = " ".join(variant.pack.format_mask(gone))
            message = f"{names} was already shown or played by seat {other}: show cards that seat {seat} holds"
            raise IllegalMoveError("CARD_ELSEWHERE", message, field)


def check_signal(record: Record, seat: int, card: int, signal: Signal) -> None:
    """Raises `IllegalMoveError` unless a signal may be made with this card now."""
    if not record.variant.has_signals:
        message = f"there are no signals in {record.variant.name}: leave it out"
        raise IllegalMoveError("NO_SIGNALS", message, "play.signal")
    if record.trick:
        raise IllegalMoveError("SIGNAL_NOT_ALLOWED", "only the leader of a trick signals: leave it out", "play.signal")
    if not may_signal(record, seat, card):
        name = record.variant.pack.format_card(card)
        message = f"{signal} is not allowed with {name} yet: leave it out ({record.variant.signal_condition})"
        if seat == record.declarer:
            message = "the declarer has no partner to signal to: leave it out"
        raise IllegalMoveError("SIGNAL_NOT_ALLOWED", message, "play.signal")
    if _is_known_to_be_false(record, seat, card, signal):
        raise false_signal(record, card, signal)


def false_signal(record: Record, card: int, signal: Signal) -> IllegalMoveError:
    """Returns the error for a signal that says the contrary of what the hand holds."""
    name = record.variant.pack.format_card(card)
    message = f"{signal} with {name} would not be true of this hand: leave it out"
    return IllegalMoveError("FALSE_SIGNAL", message, "play.signal")


def _is_known_to_be_false(record: Record, seat: int, card: int, signal: Signal) -> bool:
    """Tells whether everybody knows that a signal is false: of a suit shown, or of one that the seat cannot hold."""
    others = lane_of(card) & ~(1 << card)
    if signal is Signal.VOLO:
        return bool(others & record.exposed(seat))
    if signal is Signal.STRISCIO and record.variant.striscio_is_true:
        gone = record.cannot_hold[seat]
        for other in range(record.variant.seat_count):
            gone |= record.played[other] | (0 if other == seat else record.exposed(other))
        return not others & ~gone
    return False


def may_signal(record: Record, seat: int, card: int) -> bool:
    """Tells whether a seat that leads `card` may signal with it, as far as all can see."""
    variant = record.variant
    return (
        variant.has_signals
        and not record.trick
        and seat != record.declarer
        and variant.may_signal(card, record.piles[0] | record.piles[1])
    )


def check_card(record: Record, seat: int, card: int) -> None:
    """Raises `IllegalMoveError` if what is known to all rules out that `seat` plays `card`."""
    bit = 1 << card
    led = record.led
    variant = record.variant
    elsewhere = record.played[seat]
    for other in range(variant.seat_count):
        if other != seat:
            elsewhere |= record.played[other] | (record.shown[other] or 0)
    if elsewhere & bit:
        _refuse_card_elsewhere(record, card)
    shown = record.shown[seat] or 0
    known = record.played[seat] | shown | bit
    if record.cannot_hold[seat] & bit:
        raise _refused(record, "SUIT_DENIED_EARLIER", seat, card, "earlier showed that it has none")
    if known.bit_count() > variant.hand_size:
        reason = "has shown all the cards it still holds, this not among them"
        raise _refused(record, "CARD_NOT_IN_HAND", seat, card, reason)
    _check_obligation(record, seat, card, led)
    if _breaks_signal(record, seat, card, led) or _leaves_no_room(record, seat, known):
        reason = "signalled before that it still held another suit"
        raise _refused(record, "SIGNAL_CONTRADICTED", seat, card, reason)
    if seat == record.dealer and record.announced_trump_count:
        cases = variant.kept_hand_cases(record.announced_trump_count)
        if all(known & absent for absent in cases):
            reason = "laid away a trump, so it cannot have kept this with the other cards it has shown or played"
            raise _refused(record, "DISCARD_CONTRADICTED", seat, card, reason)
    if shown and not variant.shows_all(shown, known):
        reason = "had more to show with it than it did: all combinations are shown or none"
        raise _refused(record, "DECLARATION_INCOMPLETE", seat, card, reason)


def _refused(record: Record, reason: str, seat: int, card: int, but: str) -> IllegalMoveError:
    """Returns the error for a card that a seat cannot have played."""
    name = record.variant.pack.format_card(card)
    remedy = "correct this card or the earlier moves"
    return IllegalMoveError(reason, f"seat {seat} plays {name} but {but}; {remedy}", "play.card")


def _refuse_card_elsewhere(record: Record, card: int) -> None:
    """Raises the error for a card that was played before or lies in another hand for all to see."""
    name = record.variant.pack.format_card(card)
    for other in range(record.variant.seat_count):
        if record.played[other] >> card & 1:
            message = f"{name} was already played by seat {other}: give the card that was played here"
            raise IllegalMoveError("CARD_ALREADY_PLAYED", message, "play.card")
        if record.exposed(other) >> card & 1:
            message = f"{name} was shown by seat {other}, which holds it: give the card that was played here"
            raise IllegalMoveError("CARD_ELSEWHERE", message, "play.card")


def _breaks_signal(record: Record, seat: int, card: int, led: int) -> bool:
    """Tells whether a seat that said it held more of a suit plays as one without it."""
    bit = 1 << card
    if card == MATTO or bit & led:
        return False
    due = (led,) if bit & TRUMP_MASK else (led, TRUMP_MASK)
    return any(held in due for held in record.must_hold[seat])


def _leaves_no_room(record: Record, seat: int, known: int) -> bool:
    """Tells whether a hand of the cards `known` has no place left for those that its seat said it still held."""
    if not record.must_hold[seat]:
        return False
    unplayed = known & ~record.played[seat]
    owed = sum(1 for held in record.must_hold[seat] if not held & unplayed)
    return known.bit_count() + owed > record.variant.hand_size


def _check_obligation(record: Record, seat: int, card: int, led: int) -> None:
    """Raises if cards known to be in the hand had to be played instead."""
    if card == MATTO or 1 << card & led:
        return
    held = record.exposed(seat)
    due = held & led or (0 if 1 << card & TRUMP_MASK else held & TRUMP_MASK)
    if due:
        names = " or ".join(record.variant.pack.format_mask(due))
        raise IllegalMoveError("MUST_FOLLOW", f"seat {seat} holds {names} and must play that suit", "play.card")
