"""The solver's table of positions, and their keys: by rank where rank is all that matters.

Cards that come to the same (`tarocchi_solver.search.equivalence`) stand in the key only by their order, and captured
cards only as far as they can still matter. All the rest of what decides the future of a position is in it too, hands
included, so that one table serves all moves and all worlds of a decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from tarocchi_engine.bits import FAST_PDEP, bit, intrinsic, multiply_high, popcount, select
from tarocchi_engine.cards import ALL_MASK, TRUMP_MASK, suit_mask
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import NO_CARD, SCORING_PIEDICAVALLO, SCORING_TERZIGLIO
from tarocchi_solver.search.ending_layout import (
    BASE,
    CAPTURED_0,
    CAPTURED_1,
    CLOSED,
    GENERATION,
    IDLE_0,
    IDLE_1,
    IN_PLAY,
    KEY,
    LEAST,
    LEFT,
    MOST,
    OF_SCORING,
    PIPS,
    SALT,
    SLOT,
    STAMP,
    STATUS,
)
from tarocchi_solver.search.equivalence import ACES, LOW_CARDS, MOORS, NUMBERS

_32 = np.uint64(32)
_2 = np.uint64(2)
_40 = np.uint64(40)
_NO_CARD = np.uint64(NO_CARD)
_48 = np.uint64(48)
_BYTE = np.uint64(255)
_SHORT = np.uint64(65535)
_HALF = 32768
_0 = np.uint64(0)
_1 = np.uint64(1)
_3 = np.uint64(3)
_16 = np.uint64(16)
_29 = np.uint64(29)
_ALL = np.uint64(ALL_MASK)
_TRUMPS = np.uint64(TRUMP_MASK)
_SUITS = np.array([suit_mask(suit) for suit in range(4)], dtype=np.uint64)
_PIEDICAVALLO = np.uint64(SCORING_PIEDICAVALLO)
_TERZIGLIO = np.uint64(SCORING_TERZIGLIO)
_MIX = np.array(
    [
        0x9E3779B97F4A7C15,
        0xBF58476D1CE4E5B9,
        0x94D049BB133111EB,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    ],
    dtype=np.uint64,
)


def _emit_extract(typingctx: Any, source: Any, mask: Any) -> Any:
    """Packs the bits of `source` that lie under `mask` into the low bits (x86 `pext`)."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        name = "llvm.x86.bmi.pext.64"
        function = builder.module.globals.get(name) or ir.Function(
            builder.module, ir.FunctionType(word, [word, word]), name
        )
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), emit


_extract = intrinsic(_emit_extract)


@kernel
def extract_portable(source: Any, mask: Any) -> Any:
    """Packs the bits of `source` that lie under `mask` into the low bits, without BMI2.

    In six rounds every bit moves down by a power of two if the number of unset mask bits below it has that power
    (Warren, "Hacker's Delight", 7-4).
    """
    packed = source & mask
    unset = ~mask << _1
    for power in range(6):
        parity = unset ^ (unset << _1)
        parity ^= parity << np.uint64(2)
        parity ^= parity << np.uint64(4)
        parity ^= parity << np.uint64(8)
        parity ^= parity << _16
        parity ^= parity << np.uint64(32)
        move = parity & mask
        step = _1 << np.uint64(power)
        mask = (mask ^ move) | (move >> step)
        moving = packed & move
        packed = (packed ^ moving) | (moving >> step)
        unset &= ~parity
    return packed


if FAST_PDEP:

    @kernel
    def extract(source: Any, mask: Any) -> Any:
        """Packs the bits of `source` that lie under `mask` into the low bits."""
        return _extract(source, mask)

else:
    extract = extract_portable


@kernel
def _fold(left: Any, right: Any) -> Any:
    """Mixes two words into one by their product (Wang Yi's wyhash)."""
    return multiply_high(left, right) ^ (left * right)


@kernel
def position_key(words: Any, row: Any, leader: Any) -> Any:
    """Returns the key of the position at the start of a trick."""
    scoring = words[OF_SCORING]
    in_play = words[row + IN_PLAY]
    captured_0 = words[row + CAPTURED_0]
    state = leader
    first = _0
    second = _0
    if scoring == _PIEDICAVALLO:
        named = ~LOW_CARDS
        moors = _0
    else:
        moors = MOORS
        if words[row + CLOSED] == _0:
            named = ~PIPS
        else:
            idle = words[row + IDLE_0] & words[row + IDLE_1]
            owned = ~(idle | PIPS | MOORS)
            named = ~(PIPS | (idle & (ACES | NUMBERS)))
            first = captured_0 & owned
            second = owned & _ALL
            state |= np.uint64(64)
            if idle & MOORS == _0:
                state |= (popcount(captured_0 & MOORS) + _1) << np.uint64(7)
        state |= (
            popcount(words[0] & MOORS) << np.uint64(10)
            | popcount(words[1] & MOORS) << np.uint64(13)
            | popcount(words[2] & MOORS) << _16
            | popcount(words[3] & MOORS) << np.uint64(19)
        )
    if words[row + CLOSED] == _0:
        first = captured_0
        second = words[row + CAPTURED_1]
        state |= words[row + STATUS] << _3
    ranked = in_play & ~moors
    low = ranked & ~named
    state |= popcount(low & _TRUMPS) << np.uint64(22)
    for suit in range(4):
        state |= popcount(low & _SUITS[suit]) << np.uint64(27 + 3 * suit)
    salt = words[SALT]
    if scoring == _TERZIGLIO:
        salt += words[row + BASE] * _MIX[7]
    key = _fold(extract(words[0], ranked) ^ _MIX[0], extract(words[1], ranked) ^ _MIX[1])
    key ^= _fold(extract(words[2], ranked) ^ _MIX[2], (ranked & named) ^ _MIX[3])
    key ^= _fold(first ^ _MIX[4], second ^ _MIX[5])
    key ^= _fold(state ^ _MIX[6], salt ^ _MIX[7])
    key *= _MIX[0]
    return key ^ (key >> _29)


@kernel
def probe(words: Any, table: Any, trick: Any, leader: Any, alpha: Any, beta: Any) -> Any:
    """Looks a position up: returns the window that its entry leaves and the best move, NO_CARD if there is none."""
    key = position_key(words, trick, leader)
    # where an entry lies must not depend on the generation, or else the work would
    slot = (key << _2) & np.uint64(len(table) - 1)
    key ^= words[STAMP]
    words[trick + KEY] = key
    if table[slot] != key:
        if table[slot + _2] == key:
            slot += _2
        else:
            # the first place of the two keeps the greater work, unless it is of an earlier generation
            data = table[slot + _1]
            if data >> _48 == words[GENERATION] & _SHORT and (data >> _40) & _BYTE > words[trick + LEFT]:
                slot += _2
            words[trick + SLOT] = slot
            return alpha, beta, _NO_CARD
    words[trick + SLOT] = slot
    data = table[slot + _1]
    base = _shift(words, trick)
    alpha = max(alpha, np.int64(data & _SHORT) - _HALF + base)
    beta = min(beta, np.int64((data >> _16) & _SHORT) - _HALF + base)
    rank = (data >> _32) & _BYTE
    return alpha, beta, select(words[trick + IN_PLAY], rank) if rank != _BYTE else _NO_CARD


@kernel
def _shift(words: Any, trick: Any) -> Any:
    """Returns what the table leaves out of a value: in Terziglio, where parts do not add up, nothing."""
    return np.int64(0) if words[OF_SCORING] == _TERZIGLIO else np.int64(words[trick + BASE])


@kernel
def store(words: Any, table: Any, trick: Any, value: Any, card: Any) -> None:
    """Writes what a search has found about the position of a trick row."""
    slot = words[trick + SLOT]
    key = words[trick + KEY]
    base = _shift(words, trick)
    least = np.int64(0)
    most = np.int64(65535)
    if table[slot] == key:
        data = table[slot + _1]
        least = np.int64(data & _SHORT)
        most = np.int64((data >> _16) & _SHORT)
    if value > np.int64(words[trick + LEAST]):
        least = max(least, value - base + _HALF)
    if value < np.int64(words[trick + MOST]):
        most = min(most, value - base + _HALF)
    rank = popcount(words[trick + IN_PLAY] & (bit(card) - _1)) if card != _NO_CARD else _BYTE
    age = (words[GENERATION] << _48) | (words[trick + LEFT] << _40)
    table[slot] = key
    table[slot + _1] = age | (rank << _32) | (np.uint64(most) << _16) | np.uint64(least)
