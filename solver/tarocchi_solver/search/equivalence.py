"""Equivalent cards: which cards of a hand come to the same, and which captured cards can still matter.

Two cards of one hand are one move if no card of another hand and not the winning card of the trick lies between them,
they count the same, and exchanging them changes no combination. The first is a matter of every position; the other two
depend on what has been captured and are worked out once a trick:

* pips of a suit always; in Piedicavallo the cards of a suit below the figures, and the trumps 2 to 20;
* an Ace with pips only where neither the Aces nor its suit can score for any side;
* the Moors of one hand always, as they are equal; with the numbers only where no Moor is elsewhere;
* the numbers below the point at which the Grande of both sides must stop; Sun and Moon, which it counts alike.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.bits import bit, highest, popcount
from tarocchi_engine.cards import (
    BOLOGNESE_PACK,
    JACK_MASK,
    KING_MASK,
    KNIGHT_MASK,
    QUEEN_MASK,
    SUIT_CARDS_MASK,
    TRUMP_MASK,
    suit_mask,
)
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import SCORING_PIEDICAVALLO, U_MATTO
from tarocchi_solver.search.ending_layout import (
    CAPTURED_0,
    CLOSED,
    FUNGIBLE,
    IDLE_0,
    IDLE_1,
    MATTO_OWNER,
    OF_SCORING,
    PIPS,
)

_parse = BOLOGNESE_PACK.parse_cards
FIGURES: Final = np.uint64(KING_MASK | QUEEN_MASK | KNIGHT_MASK | JACK_MASK)
MOORS: Final = np.uint64(_parse(["MO1", "MO2", "MO3", "MO4"]))
ACES: Final = np.uint64(_parse(["SA", "BA", "CA", "DA"]))
NUMBERS: Final = np.uint64(_parse([f"T{number}" for number in range(5, 17)]))
SUN_AND_MOON: Final = np.uint64(_parse(["SOL", "LUN"]))
LOW_CARDS: Final = np.uint64(
    SUIT_CARDS_MASK & ~(KING_MASK | QUEEN_MASK | KNIGHT_MASK | JACK_MASK) | TRUMP_MASK & ~(1 << 40) & ~(1 << 60)
)
"""The cards of Piedicavallo worth one point."""

_SUN = np.uint64(_parse(["SOL"]))
_CONTATORI = np.uint64(_parse(["BEG", "MAT"]))
_ANGEL = np.uint64(_parse(["ANG"]))
_TOP_THREE = np.uint64(_parse(["MON", "SOL", "LUN"]))
_ROWS = np.array([KING_MASK, QUEEN_MASK, KNIGHT_MASK, JACK_MASK], dtype=np.uint64)
_SUITS = np.array([suit_mask(suit) for suit in range(4)], dtype=np.uint64)
_KINGS = np.uint64(KING_MASK)
_LOWER_FIGURES = np.uint64(QUEEN_MASK | KNIGHT_MASK | JACK_MASK)

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_PIEDICAVALLO = np.uint64(SCORING_PIEDICAVALLO)


@kernel
def idle_cards(lost: Any) -> Any:
    """Returns the cards that take part in no combination of a side for which the cards `lost` are out of reach.

    Of the rows and suits only the figures and Aces are told, of the rest the numbers and the Moors.
    """
    wild = _2 - popcount(lost & _CONTATORI)
    idle = _0
    rows = _0
    for row in range(4):
        if popcount(lost & _ROWS[row]) >= _2:
            rows |= _ROWS[row]
    aces_score = has_equals(popcount(lost & ACES), wild)
    for suit in range(4):
        lane = _SUITS[suit]
        lower = popcount(lost & lane & _LOWER_FIGURES)
        if lost & lane & _KINGS != _0 or lower == _3 or (lower == _2 and wild == _0):
            idle |= lane & rows
            if not aces_score:
                idle |= lane & ACES
    missing_top = popcount(lost & _TOP_THREE)
    below = _0
    if lost & _ANGEL != _0 or missing_top == _3 or (missing_top == _2 and wild == _0):
        below = NUMBERS
    else:
        below = numbers_below_stop(lost, wild - _1 if missing_top == _2 else wild)
    idle |= below
    if below != _0 and not has_equals(popcount(lost & MOORS), wild):
        idle |= MOORS
    return idle


@kernel
def has_equals(lost_count: Any, wild: Any) -> Any:
    """Tells whether the Aces or the Moors can still make a sequence: two of the four real, three with contatori."""
    return lost_count <= _2 and lost_count <= _1 + wild


@kernel
def numbers_below_stop(lost: Any, free: Any) -> Any:
    """Returns the numbers from the one down at which the Grande stops for want of the cards `lost`.

    At least two neighbouring ones missing, or more of them than there are free contatori, stop it.
    """
    missing = lost & NUMBERS
    bridged = _0
    while missing != _0:
        number = highest(missing)
        if free == _0 or number + _1 == bridged:
            return NUMBERS & ((_2 << number) - _1)
        free -= _1
        bridged = number
        missing ^= bit(number)
    return _0


@kernel
def find_idle(words: Any, row: Any, side: Any) -> None:
    """Writes which cards are idle for `side` in a trick row."""
    lost = words[row + CAPTURED_0 + (_1 - side)]
    if words[MATTO_OWNER] == _1 - side:
        lost |= U_MATTO
    words[row + IDLE_0 + side] = idle_cards(lost)


@kernel
def find_fungible(words: Any, row: Any) -> None:
    """Writes which cards of a trick row are equivalent to those next to them."""
    if words[OF_SCORING] == _PIEDICAVALLO:
        words[row + FUNGIBLE] = LOW_CARDS
    elif words[row + CLOSED] == _0:
        words[row + FUNGIBLE] = PIPS
    else:
        idle = words[row + IDLE_0] & words[row + IDLE_1]
        words[row + FUNGIBLE] = PIPS | (idle & (ACES | NUMBERS | MOORS))


@kernel
def without_equivalents(cards: Any, others: Any, fungible: Any, has_moors: Any) -> Any:
    """Returns one card, the lowest, of each group of equivalent ones of a hand's legal `cards`.

    `others` are the cards of the other hands and the winning card of the trick; `has_moors` tells the pack with
    equal trumps.
    """
    if has_moors:
        equal = cards & MOORS
        cards &= ~(equal & (equal - _1)) if equal != _0 else cards
        if cards & SUN_AND_MOON == SUN_AND_MOON:
            cards ^= _SUN
        if others & MOORS != _0:
            fungible &= ~MOORS
    group = cards & fungible
    gaps = fungible & ~(group | others)
    # each card of the group runs up through the gaps above it; one that is met has an equivalent below
    above = group << _1
    met = (((above & gaps) + gaps) | above) & ~gaps
    return cards & ~(met & group)
