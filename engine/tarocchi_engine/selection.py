"""Lists discards: all of them, or where they are too many a selection that holds the sensible ones."""

from __future__ import annotations

from itertools import combinations

from tarocchi_engine.cards import JACK_MASK, KNIGHT_MASK, QUEEN_MASK, TRUMP_MASK, Pack, cards_in, suit_mask

MAX_LISTED = 2000
"""No more discards or declarations are listed."""

_SUITS = tuple(suit_mask(suit) for suit in range(4))
_FIGURES = JACK_MASK | KNIGHT_MASK | QUEEN_MASK


def all_discards(free: int, count: int) -> tuple[int, ...]:
    """Returns every set of `count` of the cards `free`, in a fixed order."""
    return tuple(sum(cards) for cards in combinations([1 << card for card in cards_in(free)], count))


def select_discards(pack: Pack, hand: int, count: int) -> tuple[int, ...]:
    """Returns a selection of the ways to lay `count` cards away from a large hand, in a fixed order.

    One for each set of suits that might be emptied first, with and without the figures in them, and all that differ
    in one card from the most natural of them, which empties the shortest suits.
    """
    free = hand & ~pack.five_point_mask
    by_length = sorted(_SUITS, key=lambda suit: (hand & suit).bit_count())
    found: dict[int, None] = {}
    for size in range(len(_SUITS) + 1):
        for emptied in combinations(by_length, size):
            for with_figures in (False, True):
                found[emptying(pack, free, count, emptied, by_length, with_figures)] = None
    for cards in exchanges(emptying(pack, free, count, tuple(by_length), by_length, True), free):
        found[cards] = None
    return tuple(found)


def exchanges(cards: int, free: int) -> tuple[int, ...]:
    """Returns every set that has one other of the cards `free` in the place of one of `cards`."""
    return tuple(cards ^ 1 << out ^ 1 << other for out in cards_in(cards) for other in cards_in(free & ~cards))


def emptying(
    pack: Pack, free: int, count: int, emptied: tuple[int, ...], by_length: list[int], with_figures: bool
) -> int:
    """Returns the discard that goes through suits in an order: first those to be emptied, then the shortest.

    Of each suit the weakest cards first; figures of the suits to be emptied at once or, like trumps, only in need.
    """
    groups = [free & suit & ~(0 if with_figures else _FIGURES) for suit in emptied]
    groups += [free & suit & ~_FIGURES for suit in by_length]
    groups += [free & suit & _FIGURES for suit in by_length]
    groups.append(free & TRUMP_MASK)
    chosen = 0
    for group in groups:
        for card in sorted(cards_in(group & ~chosen), key=lambda card: (pack.points[card], pack.strength(card))):
            if chosen.bit_count() == count:
                return chosen
            chosen |= 1 << card
    return chosen
