"""How the search imagines the opening of a deal to go on: bids, discards and declarations of all seats.

The seats are taken to bid by the strength of their hands, to lay away the poorest cards of their shortest suits, and
to show all combinations they have.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine import Call, View
from tarocchi_engine.bits import bit, lowest, popcount
from tarocchi_engine.cards import MATTO_MASK, TRUMP_MASK, suit_mask
from tarocchi_engine.combinations import combination_points
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    DECLARED,
    GAME_FACTOR,
    HANDS,
    MATTO_SIDE,
    NO_SIDE,
    PACK,
    SCORING,
    SCORING_DECLARATIONS,
    SEATS,
    SIDES,
    TRICKS_LEFT,
    TURN,
)
from tarocchi_engine.scoring import FIVE_POINT_CARDS, SOLO_FACTOR
from tarocchi_solver.search.question import (
    CALLS,
    CALLS_LEFT,
    CONTRACT,
    DECLARER,
    DISCARD_COUNT,
    LEADER,
    NEEDED,
    PENDING,
    make_question,
)

PASS_CALL: Final = 0
GIOCO_CALL: Final = 1
SOLO_CALL: Final = 2

NOBODY: Final = np.int64(-1)
"""The seat of `declare_all` where none is asked; a number of numpy, as a literal would be compiled apart."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_MATTO = np.uint64(MATTO_MASK)
_TRUMPS = np.uint64(TRUMP_MASK)
_SUITS = np.array([suit_mask(suit) for suit in range(4)], dtype=np.uint64)


@kernel
def discard_by_rule(hand: Any, count: Any, fives: Any) -> Any:
    """Returns `count` cards to lay away from a hand: the shortest suits whole, weakest cards first, then low trumps.

    Cards worth five points stay; a hand has enough others. Of the simple orders tried for the lone player of Terziglio
    this one came nearest to what a search finds.
    """
    chosen = _0
    left = count
    for length in range(1, 11):
        for suit in range(4):
            if popcount(hand & _SUITS[suit]) != np.uint64(length):
                continue
            free = hand & _SUITS[suit] & ~fives
            while free != _0 and left > 0:
                card = bit(lowest(free))
                chosen |= card
                free ^= card
                left -= 1
    free = hand & _TRUMPS & ~fives
    while left > 0:
        card = bit(lowest(free))
        chosen |= card
        free ^= card
        left -= 1
    return chosen


@kernel
def lay_away(position: Any, seat: Any, count: Any) -> None:
    """Lets a seat lay cards away by the rule."""
    cards = discard_by_rule(position[HANDS + seat], count, FIVE_POINT_CARDS[position[PACK] >> _6])
    position[HANDS + seat] ^= cards
    position[ASIDE] |= cards


@kernel
def declare_all(question: Any, position: Any, asked: Any, cards: Any) -> None:
    """Adds the declarations still to come, in playing order from the seat to move.

    Seat `asked` (or NOBODY) shows `cards`, all others everything they have. Where a side reaches the target of the
    match the deal is over: no trick is left and nothing but the declarations counts.
    """
    seats = np.int64(position[SEATS])
    seat = np.int64(position[TURN])
    for _ in range(seats):
        points = np.int64(0)
        if seat == asked:
            points = np.int64(2 * combination_points(cards))
        elif (question.words[PENDING] >> seat) & 1:
            points = np.int64(2 * combination_points(position[HANDS + seat]))
        if points > 0:
            side = np.int64((position[SIDES] >> np.uint64(seat)) & _1)
            position[DECLARED + side] += np.uint64(points)
            if np.int64(position[DECLARED + side]) >= question.words[NEEDED + side]:
                position[TRICKS_LEFT] = _0
                position[SCORING] = np.uint64(SCORING_DECLARATIONS)
                return
        seat = (seat + 1) % seats


@kernel
def bid_value(features: Any, weights: Any, hand: Any) -> Any:
    """Returns about the game points that a hand as dealt is worth alone; `weights` are those of a contract."""
    value = weights[len(features)]
    for place in range(len(features)):
        value += weights[place] * np.float64(popcount(hand & features[place]))
    return value


@kernel
def call_by_rule(features: Any, weights: Any, hand: Any, highest: Any) -> Any:
    """Returns the call of a seat when `highest` is the highest so far: the dearest one that should gain.

    `features` and `weights` are those of a question.
    """
    gioco = bid_value(features, weights[0], hand) if highest == PASS_CALL else 0.0
    solo = bid_value(features, weights[1], hand)
    if solo > 0.0 and solo > gioco:
        return SOLO_CALL
    return GIOCO_CALL if gioco > 0.0 else PASS_CALL


def imagined_call(view: View, hand: int) -> Call:
    """Returns the call that the search imagines of the seat to bid if it holds `hand`."""
    question = make_question(view, [0])
    call = call_by_rule(question.bid_features, question.bid_weights, np.uint64(hand), question.words[CONTRACT])
    return CALLS[int(call)]


@kernel
def finish_auction(question: Any, call: Any, position: Any) -> None:
    """Lets the seat to move make `call`, the others bid by the rule, and the declarer take and discard."""
    words = question.words
    seats = np.int64(position[SEATS])
    seat = np.int64(position[TURN])
    contract = words[CONTRACT]
    declarer = words[DECLARER]
    for turn in range(words[CALLS_LEFT]):
        said = np.int64(
            call
            if turn == 0
            else call_by_rule(question.bid_features, question.bid_weights, position[HANDS + seat], contract)
        )
        if said > contract:
            contract = said
            declarer = seat
        if contract == SOLO_CALL:
            break
        seat = (seat + 1) % seats
    if contract == PASS_CALL:
        position[TRICKS_LEFT] = _0
        position[SCORING] = np.uint64(SCORING_DECLARATIONS)
        return
    sides = ((_1 << np.uint64(seats)) - _1) ^ bit(declarer)
    position[SIDES] = sides
    if contract == GIOCO_CALL:
        position[HANDS + declarer] |= position[ASIDE]
        position[ASIDE] = _0
        position[ASIDE_SIDE] = _0
        lay_away(position, declarer, words[DISCARD_COUNT])
    else:
        position[GAME_FACTOR] = np.uint64(SOLO_FACTOR)
    position[MATTO_SIDE] = np.uint64(NO_SIDE)
    for holder in range(seats):
        if position[HANDS + holder] & _MATTO != _0:
            position[MATTO_SIDE] = (sides >> np.uint64(holder)) & _1
    position[TURN] = np.uint64(words[LEADER])
    declare_all(question, position, NOBODY, _0)
