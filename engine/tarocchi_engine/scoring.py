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
    GAME_FACTOR,
    GIVEN,
    LAST_SIDE,
    MATTO_SIDE,
    NO_CARD,
    NO_SIDE,
    PILES,
    SCORING,
    SCORING_DECLARATIONS,
    SCORING_PIEDICAVALLO,
    SCORING_TERZIGLIO,
    U_MATTO,
)

LAST_TRICK_HALF_POINTS: Final = 12
ALL_CARDS_HALF_POINTS: Final = 174
"""The card points of the whole Bolognese pack (1 of the rules)."""
PIEDICAVALLO_HALF_POINTS: Final = 228
"""All points of a deal of Piedicavallo (3.4 of its rules)."""
GAME_POINTS_FOR_ALL_TRICKS: Final = 40
FIFTY_HALF_POINTS: Final = 100
"""What a game point of Terziglio stands for."""
SHORT_HALF_POINTS: Final = 10
"""A total that is less than that short of the next fifty is rounded up."""
SOLO_FACTOR: Final = 2
"""What a game point of Terziglio counts in solo (section 7 of the rules)."""

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

    A side without a trick keeps neither the discard nor the Matto; a stock that nobody took goes with the last trick.
    Otherwise the Matto returns to the side that played it, which in the Bolognese games hands over a card if the
    other side won that trick: the one chosen, or that of the fixed rule. Returns NO_CARD where nothing is handed over.
    """
    taken_0 = position[PILES] != _NONE
    taken_1 = position[PILES + 1] != _NONE
    piles[0] = position[PILES]
    piles[1] = position[PILES + 1]
    owner = np.int64(position[ASIDE_SIDE])
    if owner == NO_SIDE:
        owner = np.int64(position[LAST_SIDE])
    if not (taken_1 if owner else taken_0):
        owner = 1 - owner
    piles[owner] |= position[ASIDE]
    side = np.int64(position[MATTO_SIDE])
    if side == NO_SIDE:
        return np.int64(NO_CARD)
    if (taken_1 if side else taken_0) and piles[1 - side] & U_MATTO != _NONE:
        piles[side] |= U_MATTO
        piles[1 - side] ^= U_MATTO
        if position[SCORING] != np.uint64(SCORING_PIEDICAVALLO):
            card = np.int64(position[GIVEN])
            if card == NO_CARD:
                card = settlement_card(piles[side], piles[1 - side])
            if card != NO_CARD:
                piles[side] ^= bit(card)
                piles[1 - side] |= bit(card)
            return card
    return np.int64(NO_CARD)


@kernel
def rounded_total(half_points: Any) -> Any:
    """Returns a total in whole fifties: down, but up when it is less than five points short (7, A-38)."""
    fifties = half_points // FIFTY_HALF_POINTS
    return fifties + np.int64(FIFTY_HALF_POINTS * (fifties + 1) - half_points < SHORT_HALF_POINTS)


@kernel
def game_half_points(difference: Any, winner_total: Any, no_trick_0: Any, no_trick_1: Any, factor: Any) -> Any:
    """Returns what a deal of Terziglio is worth to the declarer, side 0, in half game points (section 7).

    `difference` and `winner_total` are in half points; a tie is the defenders'.
    """
    if no_trick_0 or no_trick_1:
        return np.int64(-2 * GAME_POINTS_FOR_ALL_TRICKS if no_trick_0 else 2 * GAME_POINTS_FOR_ALL_TRICKS)
    game = 2 * rounded_total(winner_total) * factor
    return game if difference > 0 else -game


@kernel
def score_sum(position: Any, piles: Any) -> Any:
    """Returns the points of both sides together in half points; `piles` are as `score_difference` left them."""
    declared = np.int64(position[DECLARED]) + np.int64(position[DECLARED + 1])
    scoring = position[SCORING]
    if scoring == np.uint64(SCORING_DECLARATIONS):
        return declared
    if scoring == np.uint64(SCORING_PIEDICAVALLO):
        return np.int64(PIEDICAVALLO_HALF_POINTS)
    combined = 2 * (combination_points(piles[0]) + combination_points(piles[1]))
    return declared + combined + ALL_CARDS_HALF_POINTS + LAST_TRICK_HALF_POINTS


@kernel
def point_difference(position: Any, piles: Any) -> Any:
    """Returns the points of side 0 minus those of side 1 in a finished Bolognese deal, in half points.

    `piles` are as `settle_piles` left them.
    """
    difference = np.int64(position[DECLARED]) - np.int64(position[DECLARED + 1])
    difference += 2 * (combination_points(piles[0]) - combination_points(piles[1]))
    # the card points of both sides make 87
    difference += 2 * bolognese_half_points(piles[0]) - ALL_CARDS_HALF_POINTS
    last = np.int64(LAST_TRICK_HALF_POINTS)
    return difference + (-last if position[LAST_SIDE] == np.uint64(1) else last)


@kernel
def score_difference(position: Any, piles: Any) -> Any:
    """Returns the result of a finished deal, side 0 minus side 1 in half points; `piles` is scratch.

    In Terziglio the declarer's game points, in halves.
    """
    scoring = position[SCORING]
    if scoring == np.uint64(SCORING_DECLARATIONS):
        return np.int64(position[DECLARED]) - np.int64(position[DECLARED + 1])
    settle_piles(position, piles)
    if scoring == np.uint64(SCORING_PIEDICAVALLO):
        return piedicavallo_half_points(piles[0]) - piedicavallo_half_points(piles[1])
    difference = point_difference(position, piles)
    if scoring == np.uint64(SCORING_TERZIGLIO):
        return game_half_points(
            difference,
            (score_sum(position, piles) + abs(difference)) // 2,
            position[PILES] == _NONE,
            position[PILES + 1] == _NONE,
            np.int64(position[GAME_FACTOR]),
        )
    return difference
