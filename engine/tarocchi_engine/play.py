"""Plays cards on a position: legal cards, one card, and whole deals at random or by a simple rule.

A position is an array of `POSITION_WORDS` words (`tarocchi_engine.layout`), changed in place. Streams of random
numbers are arrays of one word (`tarocchi_engine.rng`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.bits import bit, highest, lowest, multiply_high, popcount, select
from tarocchi_engine.cards import JACK_MASK, KNIGHT_MASK, QUEEN_MASK
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    BEATEN_BY,
    BEST,
    LANE_COUNT,
    LANES,
    LAST_SIDE,
    LED,
    LED_LANE,
    LENGTH,
    NO_CARD,
    PACK,
    PILES,
    POSITION_WORDS,
    SEATS,
    SIDES,
    TRICK,
    TRICKS_LEFT,
    TURN,
    U_ALL,
    U_MATTO,
    U_TRUMPS,
    VOIDS,
    WINNER,
)
from tarocchi_engine.rng import next_u64
from tarocchi_engine.scoring import FIVE_POINT_CARDS, score_difference

PLAYOUT_RANDOM: Final = 0
PLAYOUT_RULE: Final = 1

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_5 = np.uint64(5)
_6 = np.uint64(6)
_NO_CARD = np.uint64(NO_CARD)
_PILES = np.uint64(PILES)
_LANE_COUNT = np.uint64(LANE_COUNT)
_JACKS = np.uint64(JACK_MASK)
_KNIGHTS = np.uint64(KNIGHT_MASK)
_QUEENS = np.uint64(QUEEN_MASK)
_FIGURES_BUT_KINGS = np.uint64(JACK_MASK | KNIGHT_MASK | QUEEN_MASK)
# one fifth of the rule playout's moves are random: 0.2 * 2**64
_RANDOM_SHARE = np.uint64((1 << 64) // 5)


@kernel
def copy_position(source: Any, position: Any) -> None:
    """Makes `position` the same as `source`.

    An assignment to all of an array would do so, and take numba a second more to compile for what it says of shapes.
    """
    for place in range(POSITION_WORDS):
        position[place] = source[place]


@kernel
def legal_cards(hand: Any, led: Any) -> Any:
    """Returns the cards of `hand` that may be played when `led` are the cards that follow suit.

    Follow suit; without the suit trump; without both anything; the Matto always (section 3 of both rules).
    """
    follow = hand & led
    if follow == _0:
        follow = hand & U_TRUMPS
    if follow == _0:
        return hand
    return follow | (hand & U_MATTO)


@kernel
def shown_voids(led: Any, played: Any) -> Any:
    """Returns the lanes, as bits, in which a seat has nothing that plays a card other than of the lane led."""
    voids = _0
    for lane in range(4):
        if led == LANES[lane]:
            voids = _1 << np.uint64(lane)
    return voids | (_1 << np.uint64(4) if played & U_TRUMPS == _0 else _0)


@kernel
def apply_card(position: Any, card: Any) -> Any:
    """Plays a card of the seat to move, without a check, and completes the trick if it is the last to it."""
    seat = position[TURN]
    played = bit(card)
    position[seat] ^= played
    position[TRICK] |= played
    led = position[LED]
    if led == U_ALL:
        position[LED] = LED_LANE[card]
    elif (led | U_MATTO) & played == _0:
        position[VOIDS] |= shown_voids(led, played) << (_LANE_COUNT * seat)
    if BEATEN_BY[position[PACK] + position[BEST]] & played != _0:
        position[BEST] = np.uint64(card)
        position[WINNER] = seat
    length = position[LENGTH] + _1
    seats = position[SEATS]
    if length < seats:
        position[LENGTH] = length
        position[TURN] = seat + _1 if seat + _1 < seats else _0
    else:
        winner = position[WINNER]
        side = (position[SIDES] >> winner) & _1
        position[_PILES + side] |= position[TRICK]
        position[TRICK] = _0
        position[LED] = U_ALL
        position[BEST] = _NO_CARD
        position[LENGTH] = _0
        position[TURN] = winner
        position[LAST_SIDE] = side
        position[TRICKS_LEFT] -= _1


@kernel
def rule_card(
    legal: Any, led: Any, best: Any, partner_wins: Any, is_last: Any, fives: Any, beating: Any, draw: Any
) -> Any:
    """Returns the card that the playout rule plays from `legal`; `draw` is a random word.

    The leader plays at random. Last to play behind a winning partner: the richest card. Able to win: when last the
    richest winner, otherwise the highest of the suit or the lowest trump that wins a suit. Else the poorest card,
    or the Matto instead of a dear one. The Matto is otherwise kept.
    """
    keep = legal & ~U_MATTO
    if keep == _0:
        return lowest(legal)
    if best == _NO_CARD:
        return select(keep, multiply_high(draw, popcount(keep)))
    if partner_wins and is_last:
        return richest_card(keep, fives)
    winners = keep & beating
    if winners != _0:
        if is_last:
            return richest_card(winners, fives)
        in_suit = winners & led
        return highest(in_suit) if in_suit != _0 else lowest(winners)
    poorest = keep & ~(fives | _FIGURES_BUT_KINGS)
    if poorest != _0:
        if keep & led == keep:
            return lowest(poorest)
        return select(poorest, multiply_high(draw, popcount(poorest)))
    if keep & _JACKS != _0:
        return lowest(keep & _JACKS)
    if legal & U_MATTO != _0:
        return lowest(U_MATTO)
    if keep & _KNIGHTS != _0:
        return lowest(keep & _KNIGHTS)
    if keep & _QUEENS != _0:
        return lowest(keep & _QUEENS)
    return lowest(keep)


@kernel
def richest_card(cards: Any, fives: Any) -> Any:
    """Returns the lowest card of the greatest value in a set that is not empty."""
    if cards & fives != _0:
        return lowest(cards & fives)
    if cards & _QUEENS != _0:
        return lowest(cards & _QUEENS)
    if cards & _KNIGHTS != _0:
        return lowest(cards & _KNIGHTS)
    if cards & _JACKS != _0:
        return lowest(cards & _JACKS)
    return lowest(cards)


@kernel
def choose_by_rule(position: Any, legal: Any, draw: Any) -> Any:
    """Returns the playout rule's card for the seat to move of a position; `draw` is a random word."""
    best = position[BEST]
    beating = BEATEN_BY[position[PACK] + best]
    sides = position[SIDES]
    partner_wins = best != _NO_CARD and ((sides >> position[WINNER]) ^ (sides >> position[TURN])) & _1 == _0
    is_last = position[LENGTH] + _1 == position[SEATS]
    fives = FIVE_POINT_CARDS[position[PACK] >> _6]
    return rule_card(legal, position[LED], best, partner_wins, is_last, fives, beating, draw)


@kernel
def playout(position: Any, piles: Any, stream: Any, policy: Any) -> Any:
    """Plays a position to the end and returns its result, side 0 minus side 1 in half points.

    `policy` is PLAYOUT_RANDOM (uniform legal cards) or PLAYOUT_RULE (`rule_card`, one choice in five random).
    `piles` is scratch of two words. The position is left at the end of the deal.
    """
    seats = position[SEATS]
    sides = position[SIDES]
    pack = position[PACK]
    fives = FIVE_POINT_CARDS[pack >> _6]
    seat = position[TURN]
    length = position[LENGTH]
    trick = position[TRICK]
    led = position[LED]
    best = position[BEST]
    winner = position[WINNER]
    pile_0 = position[PILES]
    pile_1 = position[PILES + 1]
    side = position[LAST_SIDE]
    for _ in range(np.int64(position[TRICKS_LEFT])):
        draw = next_u64(stream)
        while length < seats:
            hand = position[seat]
            legal = legal_cards(hand, led)
            beating = BEATEN_BY[pack + best]
            if policy == PLAYOUT_RANDOM:
                count = popcount(legal)
                card = select(legal, multiply_high(draw, count))
                draw *= count
            elif legal & (legal - _1) == _0:
                card = lowest(legal)
            else:
                draw = next_u64(stream)
                if draw < _RANDOM_SHARE:
                    # what is left of the number says which
                    card = select(legal, multiply_high(draw * _5, popcount(legal)))
                else:
                    draw -= _RANDOM_SHARE
                    draw += draw >> _2
                    partner = best != _NO_CARD and ((sides >> winner) ^ (sides >> seat)) & _1 == _0
                    card = rule_card(legal, led, best, partner, length + _1 == seats, fives, beating, draw)
            played = bit(card)
            position[seat] = hand ^ played
            trick |= played
            if led == U_ALL:
                led = LED_LANE[card]
            if beating & played != _0:
                best = card
                winner = seat
            length += _1
            seat += _1
            if seat == seats:
                seat = _0
        side = (sides >> winner) & _1
        if side == _0:
            pile_0 |= trick
        else:
            pile_1 |= trick
        seat = winner
        length = _0
        trick = _0
        led = U_ALL
        best = _NO_CARD
    position[PILES] = pile_0
    position[PILES + 1] = pile_1
    position[LAST_SIDE] = side
    position[TRICKS_LEFT] = _0
    return score_difference(position, piles)
