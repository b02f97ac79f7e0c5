"""Counts a finished deal: who owns the Matto and the discard, card points, last trick, combinations.

Kernels count in half points, side 0 minus side 1, so that every score is an exact integer.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.bits import bit, popcount
from tarocchi_engine.cards import (
    BOLOGNESE_PACK,
    JACK_MASK,
    KNIGHT_MASK,
    PIEDMONTESE_PACK,
    QUEEN_MASK,
)
from tarocchi_engine.combinations import combination_points
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    DECLARED,
    LAST_SIDE,
    MATTO_SIDE,
    NO_CARD,
    PILES,
    SCORING,
    SCORING_BOLOGNESE,
    U_MATTO,
)

LAST_TRICK_HALF_POINTS: Final = 12

_NONE = np.uint64(0)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_JACKS = np.uint64(JACK_MASK)
_KNIGHTS = np.uint64(KNIGHT_MASK)
_QUEENS = np.uint64(QUEEN_MASK)
FIVE_POINT_CARDS: Final = np.array([BOLOGNESE_PACK.five_point_mask, PIEDMONTESE_PACK.five_point_mask], dtype=np.uint64)

_SUIT_ORDER = [f"{suit}{pip}" for suit in "SBCD" for pip in (10, 9, 8, 7, 6)]
_GIVE_ORDER = [
    *_SUIT_ORDER,
    *(f"T{number}" for number in range(5, 17)),
    *["MO1", "MO2", "MO3", "MO4", "LUN", "SOL", "SA", "BA", "CA", "DA"],
    *(suit + figure for figure in "JNQK" for suit in "SBCD"),
    *["BEG", "MON", "ANG"],
]
_GIVE_CARDS = np.array([BOLOGNESE_PACK.parse_card(card) for card in _GIVE_ORDER], dtype=np.int64)
_GIVE_VALUES = np.array([BOLOGNESE_PACK.points[card] for card in _GIVE_CARDS], dtype=np.int64)
_PIPS = np.uint64(BOLOGNESE_PACK.parse_cards(_SUIT_ORDER))


@kernel
def plain_half_points(cards: Any, fives: Any) -> Any:
    """Returns twice the sum of the cards' values (1 to 5 points)."""
    return 2 * np.int64(
        popcount(cards)
        + popcount(cards & _JACKS)
        + _2 * popcount(cards & _KNIGHTS)
        + _3 * popcount(cards & _QUEENS)
        + _4 * popcount(cards & fives)
    )


@kernel
def bolognese_half_points(cards: Any) -> Any:
    """Returns the card points of a pile in half points: values less half a point a card (1 of the rules)."""
    return plain_half_points(cards, FIVE_POINT_CARDS[0]) - np.int64(popcount(cards))


@kernel
def piedicavallo_half_points(cards: Any) -> Any:
    """Returns the card points of a pile in half points: plain values, 114 points in all (3.4 of the rules)."""
    return plain_half_points(cards, FIVE_POINT_CARDS[1])


@kernel
def settlement_card(giver: Any, receiver: Any) -> Any:
    """Returns the card handed over for the Matto by the fixed rule of section 3, or NO_CARD from a bare Matto.

    `giver` is the pile of the Matto's side with the Matto, `receiver` the other without it.
    Among the giver's cards of least value the one that changes the combinations least, ties by the fixed order.
    A pip of a suit takes part in no combination, so where there is one the first of the order goes.
    """
    if giver & _PIPS != _NONE:
        for place in range(20):
            card = _GIVE_CARDS[place]
            if giver & bit(card) != _NONE:
                return card
    chosen = np.int64(NO_CARD)
    least_value = np.int64(99)
    least_cost = np.int64(0)
    giver_points = combination_points(giver)
    receiver_points = combination_points(receiver)
    for place in range(61):
        card = _GIVE_CARDS[place]
        value = _GIVE_VALUES[place]
        if giver & bit(card) == _NONE or value > least_value:
            continue
        cost = giver_points - combination_points(giver ^ bit(card))
        cost += combination_points(receiver | bit(card)) - receiver_points
        if value < least_value or cost < least_cost:
            chosen = card
            least_value = value
            least_cost = cost
    return chosen


@kernel
def settle_piles(position: Any, piles: Any) -> Any:
    """Writes both sides' final piles to `piles` (two `uint64`) and returns the card given for the Matto.

    A side without a trick keeps neither the discard nor the Matto. Otherwise the Matto returns to the side that
    played it, which in the Bolognese games hands over a card if the other side won that trick. Returns NO_CARD
    where nothing is handed over.
    """
    taken_0 = position[PILES] != _NONE
    taken_1 = position[PILES + 1] != _NONE
    piles[0] = position[PILES]
    piles[1] = position[PILES + 1]
    owner = np.int64(position[ASIDE_SIDE])
    if not (taken_1 if owner else taken_0):
        owner = 1 - owner
    piles[owner] |= position[ASIDE]
    side = np.int64(position[MATTO_SIDE])
    if (taken_1 if side else taken_0) and piles[1 - side] & U_MATTO != _NONE:
        piles[side] |= U_MATTO
        piles[1 - side] ^= U_MATTO
        if position[SCORING] == np.uint64(SCORING_BOLOGNESE):
            card = settlement_card(piles[side], piles[1 - side])
            if card != NO_CARD:
                piles[side] ^= bit(card)
                piles[1 - side] |= bit(card)
            return card
    return np.int64(NO_CARD)


@kernel
def score_difference(position: Any, piles: Any) -> Any:
    """Returns the result of a finished deal, side 0 minus side 1 in half points; `piles` is scratch."""
    settle_piles(position, piles)
    difference = np.int64(position[DECLARED]) - np.int64(position[DECLARED + 1])
    if position[SCORING] == np.uint64(SCORING_BOLOGNESE):
        difference += bolognese_half_points(piles[0]) - bolognese_half_points(piles[1])
        difference += 2 * (combination_points(piles[0]) - combination_points(piles[1]))
        last = np.int64(LAST_TRICK_HALF_POINTS)
        return difference + (-last if position[LAST_SIDE] == np.uint64(1) else last)
    return difference + piedicavallo_half_points(piles[0]) - piedicavallo_half_points(piles[1])
