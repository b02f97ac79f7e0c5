"""Which moves a hand allows at a table: the rules that need the cards of the seat to move."""

from __future__ import annotations

import numpy as np

from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, TRUMP_MASK
from tarocchi_engine.errors import Fault, IllegalMoveError
from tarocchi_engine.moves import Declare, Discard, Move, Play
from tarocchi_engine.play import legal_cards
from tarocchi_engine.table import Phase, Table
from tarocchi_engine.variant import Variant


def legal_moves_of(table: Table, hand: int) -> tuple[Move, ...]:
    """Returns every legal move of the seat to move, which holds `hand`; plays in display order."""
    variant = table.variant
    match table.phase:
        case Phase.DISCARD:
            return tuple(Discard(cards, announced_count(variant, cards)) for cards in variant.discards(hand))
        case Phase.DECLARE:
            return tuple(Declare(cards) for cards in variant.declarations(hand))
        case Phase.PLAY:
            return tuple(Play(card) for card in variant.pack.in_display_order(legal_play_mask(table, hand)))
        case Phase.END:
            return ()


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
        case Declare(cards) if table.phase is Phase.DECLARE:
            if missing := cards & ~hand:
                names = " ".join(pack.format_mask(missing))
                raise IllegalMoveError("CARD_NOT_IN_HAND", f"the hand does not hold {names}", "declare.cards")
            legal = variant.declarations(hand)
            if cards not in legal:
                names = " ".join(pack.format_mask(legal[0]))
                raise IllegalMoveError(
                    "DECLARATION_INCOMPLETE",
                    f"all combinations are shown or none: declare {names} or nothing",
                    "declare.cards",
                )
        case Play(card) if table.phase is Phase.PLAY:
            if not hand >> card & 1:
                name = pack.format_card(card)
                raise IllegalMoveError("CARD_NOT_IN_HAND", f"the hand does not hold {name}", "play.card")
            legal_plays = legal_play_mask(table, hand)
            if not legal_plays >> card & 1:
                names = " ".join(pack.format_mask(legal_plays))
                raise IllegalMoveError(
                    "MUST_FOLLOW",
                    f"{pack.format_card(card)} does not follow: play one of {names}",
                    "play.card",
                )
        case _:
            pass
    return move


def check_cards(move: Move) -> None:
    """Raises `IllegalMoveError` unless the numbers in `move` stand for cards."""
    match move:
        case Play(card) if not 0 <= card < CARD_COUNT:
            raise IllegalMoveError("NO_SUCH_CARD", no_such_cards(card), "play.card")
        case Declare(cards) if not 0 <= cards <= ALL_MASK:
            raise IllegalMoveError("NO_SUCH_CARD", no_such_cards(cards), "declare.cards")
        case Discard(cards) if cards is not None and not 0 <= cards <= ALL_MASK:
            raise IllegalMoveError("NO_SUCH_CARD", no_such_cards(cards), "discard.cards")
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


def hand_fault(path: str, hand: int, seat: int, dealer: int, variant: Variant) -> Fault | None:
    """Returns what is wrong with a hand as dealt: its size, or bits that are no cards; None if nothing is."""
    if not 0 <= hand <= ALL_MASK:
        return Fault(path, "NO_SUCH_CARD", no_such_cards(hand))
    return hand_size_fault(path, hand.bit_count(), seat, dealer, variant)


def hand_size_fault(path: str, count: int, seat: int, dealer: int, variant: Variant) -> Fault | None:
    """Returns the fault of a hand of so many cards, None if that is how many are dealt."""
    due = variant.dealt_to(seat, dealer)
    if count == due:
        return None
    role = "the dealer" if seat == dealer else "this seat"
    message = f"{count} cards: {role} is dealt {due} (give the cards as dealt, before any was laid away or played)"
    return Fault(path, "HAND_SIZE", message)
