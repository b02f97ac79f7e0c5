"""Which moves a hand allows at a table: the rules that need the cards of the seat to move."""

from __future__ import annotations

from math import ceil

import numpy as np

from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, TRUMP_MASK, Pack, lane_of
from tarocchi_engine.errors import Fault, IllegalMoveError
from tarocchi_engine.evidence import check_signal, false_signal, may_signal
from tarocchi_engine.moves import Bid, CallOut, Declare, Discard, Give, Monte, Move, Play, Signal, field_of
from tarocchi_engine.play import legal_cards
from tarocchi_engine.record import Phase
from tarocchi_engine.table import Table
from tarocchi_engine.variant import Variant


def legal_moves_of(table: Table, hand: int) -> tuple[Move, ...]:
    """Returns every legal move of the seat to move, which holds `hand`; plays in display order.

    Of discards and declarations, where there are very many, a selection: see `count_legal_moves`.
    """
    variant = table.variant
    match table.phase:
        case Phase.MONTE:
            return Monte(False), Monte(True)
        case Phase.BID:
            return tuple(Bid(call) for call in table.legal_calls())
        case Phase.CALL_OUT:
            return (*(CallOut(cards) for cards in variant.declarations(hand) if _calls_out(table, cards)), CallOut(0))
        case Phase.DISCARD:
            return tuple(Discard(cards, announced_count(variant, cards)) for cards in variant.discards(hand))
        case Phase.DECLARE:
            return tuple(Declare(cards) for cards in variant.declarations(hand))
        case Phase.PLAY:
            cards = variant.pack.in_display_order(legal_play_mask(table, hand))
            return tuple(Play(card, signal) for card in cards for signal in _signals(table, hand, card))
        case Phase.GIVE:
            return tuple(Give(card) for card in table.cards_to_give())
        case Phase.END:
            return ()


def count_legal_moves(table: Table, hand: int) -> int:
    """Returns the number of legal moves, those that `legal_moves_of` leaves out included."""
    match table.phase:
        case Phase.DISCARD:
            return table.variant.discard_total(hand)
        case Phase.DECLARE:
            return table.variant.declaration_total(hand)
        case Phase.CALL_OUT:
            # taking the last cards is always possible
            return table.variant.declaration_total(hand, _points_to_call_out(table)) + 1
        case _:
            return len(legal_moves_of(table, hand))


def can_call_out(table: Table, hand: int) -> bool:
    """Tells whether the dealer, who holds `hand`, could end the match; nothing beats showing everything."""
    return _calls_out(table, table.variant.declarations(hand)[0])


def _calls_out(table: Table, cards: int) -> bool:
    """Tells whether the dealer reaches the target by showing `cards`."""
    return bool(cards) and table.variant.declaration_points(cards) >= _points_to_call_out(table)


def _points_to_call_out(table: Table) -> int:
    """Returns how many points the dealer has to show; in a match that plays on above its target any will do (A-31)."""
    needed = table.points_to_target(table.side_of(table.turn))
    assert needed is not None
    return max(1, ceil(needed))


def _signals(table: Table, hand: int, card: int) -> tuple[Signal | None, ...]:
    """Returns the signals that the leader may truly make with a card, none first."""
    if not may_signal(table, table.turn, card):
        return (None,)
    return (None, *(signal for signal in Signal if _is_true(table.variant, hand, card, signal)))


def _is_true(variant: Variant, hand: int, card: int, signal: Signal) -> bool:
    """Tells whether a signal says the truth about the rest of the hand."""
    more = hand & lane_of(card) & ~(1 << card)
    match signal:
        case Signal.VOLO:
            return not more
        case Signal.STRISCIO:
            return bool(more) or not variant.striscio_is_true
        case Signal.BUSSO:
            return True


def legal_play_mask(table: Table, hand: int) -> int:
    """Returns the cards of `hand` that may be played to the current trick."""
    return int(legal_cards(np.uint64(hand), np.uint64(table.led)))


def checked_move(table: Table, hand: int, move: Move) -> Move:
    """Returns `move` completed by what follows from it; raises `IllegalMoveError` if the hand does not allow it."""
    variant = table.variant
    pack = variant.pack
    match move:
        case Discard(cards, announced) if table.phase is Phase.DISCARD:
            if cards is None:
                raise IllegalMoveError("DISCARD_SIZE", "the cards laid away are missing: name them", "discard.cards")
            variant.check_discard(hand, cards)
            count = announced_count(variant, cards)
            if announced is not None and announced != count:
                due = "nothing is announced" if count is None else f"the discard has {count}"
                raise IllegalMoveError(
                    "WRONG_ANNOUNCEMENT",
                    f"{announced} trumps announced but {due}: leave the number out, it follows from the cards",
                    "discard.announced_trump_count",
                )
            return Discard(cards, count)
        case CallOut(cards) if table.phase is Phase.CALL_OUT:
            _check_held(pack, hand, cards, field_of(move, "cards"))
        case Declare(cards) if table.phase is Phase.DECLARE:
            _check_held(pack, hand, cards, field_of(move, "cards"))
            if cards and not variant.shows_all(cards, hand):
                names = " ".join(pack.format_mask(variant.declarations(hand)[0]))
                raise IllegalMoveError(
                    "DECLARATION_INCOMPLETE",
                    f"all combinations are shown or none: declare {names or 'no cards'}"
                    f"{' or nothing' if names else ''}",
                    "declare.cards",
                )
        case Play(card, signal) if table.phase is Phase.PLAY:
            _check_play(table, hand, card)
            if signal is not None:
                check_signal(table, table.turn, card, signal)
                if not _is_true(variant, hand, card, signal):
                    raise false_signal(table, card, signal)
        case _:
            pass
    return move


def _check_held(pack: Pack, hand: int, cards: int, field: str) -> None:
    if missing := cards & ~hand:
        names = " ".join(pack.format_mask(missing))
        raise IllegalMoveError("CARD_NOT_IN_HAND", f"the hand does not hold {names}: name cards of the hand", field)


def _check_play(table: Table, hand: int, card: int) -> None:
    pack = table.variant.pack
    _check_held(pack, hand, 1 << card, "play.card")
    legal_plays = legal_play_mask(table, hand)
    if not legal_plays >> card & 1:
        names = " ".join(pack.format_mask(legal_plays))
        raise IllegalMoveError(
            "MUST_FOLLOW",
            f"{pack.format_card(card)} does not follow: play one of {names}",
            "play.card",
        )


def check_cards(move: Move) -> None:
    """Raises `IllegalMoveError` unless the numbers in `move` stand for cards."""
    match move:
        case Play(card) | Give(card) if not 0 <= card < CARD_COUNT:
            raise IllegalMoveError("NO_SUCH_CARD", no_such_cards(card), field_of(move, "card"))
        case Declare(cards) | CallOut(cards) | Discard(cards) if cards is not None and not 0 <= cards <= ALL_MASK:
            raise IllegalMoveError("NO_SUCH_CARD", no_such_cards(cards), field_of(move, "cards"))
        case _:
            pass


def no_such_cards(number: int) -> str:
    """Returns what is wrong with a number that is no card, or no set of cards."""
    return f"{number} stands for no card: cards are the bits 0 to {CARD_COUNT - 1}"


def announced_count(variant: Variant, cards: int) -> int | None:
    """Returns how many trumps the dealer has to announce, None in variants without the announcement."""
    return (cards & TRUMP_MASK).bit_count() if variant.announces_discarded_trumps else None


def seat_fault(path: str, seat: int, variant: Variant) -> Fault:
    """Returns the fault of a number that is no seat."""
    return Fault(path, "NO_SUCH_SEAT", f"there is no seat {seat}: seats are 0 to {variant.seat_count - 1}")


def hand_fault(path: str, hand: int, size: int, whose: str) -> Fault | None:
    """Returns what is wrong with a hand as dealt: its size, or bits that are no cards; None if nothing is."""
    if not 0 <= hand <= ALL_MASK:
        return Fault(path, "NO_SUCH_CARD", no_such_cards(hand))
    return None if hand.bit_count() == size else hand_size_fault(path, hand.bit_count(), f"{whose} is dealt {size}")


def hand_size_fault(path: str, count: int, due: str) -> Fault:
    """Returns the fault of a hand with a wrong number of cards; `due` says how many it is dealt."""
    message = f"{count} cards: {due} (give the cards as dealt, before any was laid away or played)"
    return Fault(path, "HAND_SIZE", message)


def receiver(variant: Variant, seat: int, dealer: int) -> str:
    """Returns what messages about a hand call its seat."""
    return "the dealer" if seat == dealer and variant.dealer_extra else "this seat"
