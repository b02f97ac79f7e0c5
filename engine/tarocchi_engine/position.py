"""From a table and the cards of all seats to the array of words that the kernels play on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarocchi_engine.cards import MATTO_MASK
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    BEST,
    DECLARED,
    GAME_FACTOR,
    GIVEN,
    HANDS,
    LANE_COUNT,
    LANES,
    LAST_SIDE,
    LED,
    LENGTH,
    MATTO_SIDE,
    NO_CARD,
    NO_SIDE,
    PACK,
    PILES,
    POSITION_WORDS,
    SCORING,
    SEATS,
    SIDES,
    TRICK,
    TRICKS_LEFT,
    TURN,
    VOIDS,
    WINNER,
)
from tarocchi_engine.moves import Call
from tarocchi_engine.scoring import SOLO_FACTOR
from tarocchi_engine.table import Table


def make_position(table: Table, hands: Sequence[int], aside: int) -> NDArray[np.uint64]:
    """Returns the kernels' form of this table with the given hands and the cards laid aside.

    The Matto belongs to the side that has played it or holds it, to NO_SIDE where no hand given has it.
    """
    variant = table.variant
    words = [0] * POSITION_WORDS
    words[HANDS : HANDS + variant.seat_count] = hands
    words[PILES : PILES + 2] = table.piles
    words[ASIDE] = aside
    words[TRICK] = sum(1 << card for card in table.trick)
    words[LED] = table.led
    best = table.winning_place()
    words[BEST] = table.trick[best] if best >= 0 else NO_CARD
    words[WINNER] = table.seat_of(max(best, 0))
    words[TURN] = table.turn
    words[LENGTH] = len(table.trick)
    words[TRICKS_LEFT] = table.tricks_left
    holder = table.matto_seat
    if holder is None:
        holder = next((seat for seat, hand in enumerate(hands) if hand & MATTO_MASK), None)
    words[MATTO_SIDE] = NO_SIDE if holder is None else table.side_of(holder)
    words[ASIDE_SIDE] = NO_SIDE if table.discarder is None else table.side_of(table.discarder)
    words[LAST_SIDE] = table.side_of(table.tricks[-1].winner) if table.tricks else 0
    words[DECLARED : DECLARED + 2] = [2 * points for points in table.declared_points]
    words[SEATS] = variant.seat_count
    words[SIDES] = table.sides
    words[PACK] = 64 * variant.pack.index
    words[SCORING] = variant.scoring
    words[GIVEN] = NO_CARD if table.given is None else table.given
    words[VOIDS] = sum(_voids(table, seat) << (LANE_COUNT * seat) for seat in range(variant.seat_count))
    words[GAME_FACTOR] = SOLO_FACTOR if table.contract is Call.SOLO else 1
    return np.array(words, dtype=np.uint64)


def _voids(table: Table, seat: int) -> int:
    """Returns the lanes, as bits, in which a seat has shown to have nothing."""
    # a card of a lane is known to be missing from a hand only where the whole lane is
    return sum(1 << number for number, lane in enumerate(LANES.tolist()) if lane & table.cannot_hold[seat])
