"""Plays deals out by a learned rule: every seat plays the card that its own hand and the table make look best.

A card's value is a sum of weights, one from each of the tables below; the place in a table is a combination of small
categories that the seat to move can see. The weights are what the cards of self-play were worth to the search: a
command of the benchmarks fits them. Nobody looks at other hands, so the results of a playout owe nothing to
clairvoyance (recursive Monte Carlo search: Furtak and Buro, 2013).

To every card a random number is added, its mood. Playouts that compare moves share their moods, card by card, so that
they part only where the moves make them: the common random numbers of simulation (Glasserman and Yao, "Some Guidelines
and Guarantees for Common Random Numbers", 1992), by which differences between moves come out several times as exact.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine.bits import highest, lowest
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    BEATEN_BY,
    BEST,
    LANE_COUNT,
    LANES,
    LED,
    LENGTH,
    NO_CARD,
    PACK,
    PILES,
    SEATS,
    SIDES,
    TRICK,
    TRICKS_LEFT,
    TURN,
    U_MATTO,
    VOIDS,
    WINNER,
)
from tarocchi_engine.play import apply_card, legal_cards, playout
from tarocchi_engine.rng import next_u64
from tarocchi_engine.scoring import score_difference
from tarocchi_solver.search.card_kinds import CARD_KINDS, FIGURE, MATES, POINTS, RANK, RANKS, SET
from tarocchi_solver.search.history import SITUATIONS, STAGES
from tarocchi_solver.search.policy import MATTO_PLAY, RELATIONS, count_up_to, lane_relation, relation_if_wins

MOST_CARDS: Final = 26
"""No hand is larger."""

_SIZES = (
    STAGES * SITUATIONS * RELATIONS * RANKS,  # what the card is, and when
    4 * 5 * RELATIONS * 3 * STAGES,  # higher cards of its suit with the others, all with the others
    4 * 5 * SITUATIONS * 2 * STAGES,  # points on the table, its own points, whether it would win
    4 * 4 * 7 * 2,  # cards of its set that either side has won, which set, whether it would win
    6 * 4 * RELATIONS * 3,  # cards of its suit in the hand, whether the lowest or highest of them
    2 * 3 * RELATIONS * 3,  # whether partner and opponents have none of its suit
)
FEATURES: Final = len(_SIZES)
_STARTS = np.array([0, *np.cumsum(_SIZES)], dtype=np.int64)
WEIGHT_COUNT: Final = int(_STARTS[-1])

_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_3 = np.uint64(3)
_40 = np.uint64(40)
_U_NO_CARD = np.uint64(NO_CARD)
_U_LANE_COUNT = np.uint64(LANE_COUNT)
_ALL_LANES = np.uint64(31)
_UNIT = np.float32(2.0**-24)
# Knuth's linear congruence, of which the upper bits serve
_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)

PLAYOUT_LEARNED: Final = 2


class PlayoutRule(NamedTuple):
    """How playouts are played, in the form of the kernels."""

    policy: int
    """PLAYOUT_RANDOM, PLAYOUT_RULE or PLAYOUT_LEARNED"""
    weights: npt.NDArray[np.float32]
    """[WEIGHT_COUNT] of the learned rule, empty for the others."""
    noise: np.float32
    """The greatest mood: at 1 a card that self-play chose e times as often as another may still lose to it."""


@kernel
def fill_moods(rule: Any, moods: Any, stream: Any) -> None:
    """Draws the moods [CARD_COUNT] of all cards for playouts by a rule."""
    draw = next_u64(stream)
    for card in range(len(moods)):
        draw = draw * _MULTIPLIER + _INCREMENT
        moods[card] = rule.noise * (np.float32(draw >> _40) * _UNIT)


@kernel
def choose_learned(position: Any, legal: Any, weights: Any, moods: Any, places: Any) -> Any:
    """Returns the legal card of the greatest value, its mood included.

    Args:
        position: [POSITION_WORDS]; of the hands only that of the seat to move matters.
        legal: its legal cards.
        weights: [WEIGHT_COUNT]
        moods: [CARD_COUNT], see `fill_moods`.
        places: [MOST_CARDS, FEATURES], filled with where the weights of the legal cards are, lowest card first; empty
            where nobody wants to know.
    """
    seats, turn, sides, pack = position[SEATS], position[TURN], position[SIDES], position[PACK]
    side = (sides >> turn) & _1
    best, led = position[BEST], position[LED]
    beating = BEATEN_BY[pack + best]
    place = np.int64(position[LENGTH])
    leads = place == 0
    situation = np.int64(0)
    if not leads:
        partner_wins = best != _U_NO_CARD and (sides >> position[WINNER]) & _1 == side
        situation = 2 * place - 1 + np.int64(partner_wins)
    if seats == _3:
        situation += 7 * np.int64(side)
    stage: Any = min((np.int64(position[TRICKS_LEFT]) - 1) >> 2, STAGES - 1)
    own, other = position[PILES + np.int64(side)], position[PILES + 1 - np.int64(side)]
    trick = position[TRICK]
    unseen = ~(own | other | trick)
    kinds = CARD_KINDS[np.int64(pack >> _6)]
    on_table = np.int64(0)
    while trick != _0:
        on_table += np.int64(kinds[np.int64(lowest(trick)), POINTS])
        trick &= trick - _1
    value = 0 if on_table == 0 else 1 if on_table < 4 else 2 if on_table < 8 else 3
    partner_voids, opponent_voids, both_void = _0, _0, _0
    if position[VOIDS] != _0:
        partner_voids, opponent_voids, both_void = _voids_around(position[VOIDS], seats, turn, sides)
    start_0 = (stage * SITUATIONS + situation) * RELATIONS * RANKS
    start_2 = _STARTS[2] + (value * 5 * SITUATIONS + situation) * 2 * STAGES + stage
    wants_places = len(places) > 0
    chosen, most, count = _0, -np.inf, 0
    for lane in range(6):
        lane_cards = LANES[lane] if lane < 5 else U_MATTO
        cards = legal & lane_cards
        if cards == _0:
            continue
        there = unseen & lane_cards & ~cards
        out: Any = 0
        gap: Any = 0
        relation: Any = MATTO_PLAY
        if lane < 5:
            out = count_up_to(there, 9) >> 1
            lane_bit = np.uint64(lane)
            gap = np.int64((partner_voids >> lane_bit) & _1) * 3
            gap += np.int64((opponent_voids >> lane_bit) & _1) + np.int64((both_void >> lane_bit) & _1)
            relation = lane_relation(lane, leads, led)
        else:
            there = _0
        held = count_up_to(cards, 6) - 1
        first, last = lowest(cards), highest(cards)
        start_1 = _STARTS[1] + (out * RELATIONS * 3) * STAGES + stage
        start_4 = _STARTS[4] + held * 4 * RELATIONS * 3
        start_5 = _STARTS[5] + gap * RELATIONS * 3
        while cards != _0:
            u_card = lowest(cards)
            card = np.int64(u_card)
            cards &= cards - _1
            wins = np.int64((beating >> u_card) & _1)
            kind = kinds[card]
            figure = np.int64(kind[FIGURE])
            of_card = relation_if_wins(relation) if wins != 0 else relation
            higher = count_up_to((there >> u_card) >> _1, 3)
            end = np.int64(u_card == first) + 2 * np.int64(u_card == last)
            row = of_card * 3 + figure
            p0 = start_0 + of_card * RANKS + np.int64(kind[RANK])
            p1 = start_1 + (higher * 5 * RELATIONS * 3 + row) * STAGES
            p2 = start_2 + (np.int64(kind[POINTS]) * SITUATIONS * 2 + wins) * STAGES
            mates = MATES[card]
            taken: Any = 0
            if mates != _0:
                taken = count_up_to(mates & own, 3) * 4 + count_up_to(mates & other, 3)
            p3 = _STARTS[3] + (taken * 7 + np.int64(kind[SET])) * 2 + wins
            p4 = start_4 + end * RELATIONS * 3 + row
            p5 = start_5 + row
            worth = weights[p0] + weights[p1] + weights[p2] + weights[p3] + weights[p4] + weights[p5] + moods[card]
            if worth > most:
                chosen, most = u_card, worth
            if wants_places:
                places[count, 0], places[count, 1], places[count, 2] = p0, p1, p2
                places[count, 3], places[count, 4], places[count, 5] = p3, p4, p5
                count += 1
    return chosen


@kernel
def _voids_around(voids: Any, seats: Any, turn: Any, sides: Any) -> Any:
    """Returns in which lanes the partners have nothing, in which some opponent, in which two of them; as bits."""
    side = (sides >> turn) & _1
    partner, some, two = _ALL_LANES, _0, _0
    has_partner = False
    for seat in range(np.int64(seats)):
        u_seat = np.uint64(seat)
        if u_seat == turn:
            continue
        of_seat = (voids >> (_U_LANE_COUNT * u_seat)) & _ALL_LANES
        if (sides >> u_seat) & _1 == side:
            has_partner = True
            partner &= of_seat
        else:
            two |= some & of_seat
            some |= of_seat
    return partner if has_partner else _0, some, two


@kernel
def play_to_end(position: Any, piles: Any, rule: Any, moods: Any, places: Any, stream: Any) -> Any:
    """Plays a position to its end by a `PlayoutRule`; returns the result as `playout` does.

    `moods` and `places` are as for `choose_learned`, the latter of use only where it is empty; `stream` serves the
    other rules.
    """
    if rule.policy != PLAYOUT_LEARNED:
        return playout(position, piles, stream, rule.policy)
    while position[TRICKS_LEFT] != _0:
        legal = legal_cards(position[position[TURN]], position[LED])
        card = lowest(legal)
        if legal & (legal - _1) != _0:
            card = choose_learned(position, legal, rule.weights, moods, places)
        apply_card(position, card)
    return score_difference(position, piles)
