"""The kernel of the solver: alpha-beta through an ending with all cards open.

It works on an explicit stack, as numba cannot reload a function that calls itself from its cache. The positions at the
start of a trick are kept in a table (`tarocchi_solver.search.ending_key`), equivalent cards are one move
(`tarocchi_solver.search.equivalence`), and a position is left when what either side may still get
(`tarocchi_solver.search.ending`) decides it. In the table stands the part of a value that is still to come.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tarocchi_engine.bits import bit
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    BEATEN_BY,
    BEST,
    LED,
    LED_LANE,
    LENGTH,
    NO_CARD,
    SCORING_PIEDICAVALLO,
    TRICK,
    TURN,
    U_ALL,
    U_MATTO,
    WINNER,
)
from tarocchi_engine.rng import mix
from tarocchi_solver.search.ending import (
    bounds,
    half_points,
    is_closed,
    play_last_trick,
    prepare,
    take_trick,
)
from tarocchi_solver.search.ending_layout import (
    BASE,
    CAPTURED_0,
    CAPTURED_1,
    CHOSEN,
    CLOSED,
    COMBINED_0,
    DECLARED_SUM,
    GENERATION,
    IDLE_0,
    IN_PLAY,
    INFINITY,
    LEAST,
    LEFT,
    LOOSE,
    MATTO_OWNER,
    MOST,
    NODES,
    NOT_COUNTED,
    OF_FACTOR,
    OF_PACK,
    OF_SCORING,
    OF_SEATS,
    OF_SIDES,
    OPTIONS,
    PLY_ALPHA,
    PLY_BEST,
    PLY_BETA,
    PLY_CARD,
    PLY_CARDS,
    PLY_CHOICE,
    PLY_LED,
    PLY_LENGTH,
    PLY_LIST,
    PLY_MOVES,
    PLY_NEXT,
    PLY_ROWS,
    PLY_SCOUT,
    PLY_SEAT,
    PLY_STRIDE,
    PLY_VALUE,
    PLY_WINNER,
    REACHABLE_0,
    REST,
    SALT,
    STAMP,
    STATUS,
    TRICK_ROWS,
    TRICK_STRIDE,
    UNSOLVED,
    USE_BOUNDS,
    USE_NARROW_WINDOWS,
    USE_TABLE,
)
from tarocchi_solver.search.ending_moves import list_moves
from tarocchi_solver.search.ending_table import probe, store
from tarocchi_solver.search.equivalence import find_fungible, find_idle

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_63 = np.uint64(63)
_NO_CARD = np.uint64(NO_CARD)
_PIEDICAVALLO = np.uint64(SCORING_PIEDICAVALLO)


@kernel
def start(words: Any, position: Any) -> None:
    """Writes the first rows for a position with two tricks left or more."""
    prepare(words, position)
    words[STAMP] = mix(words[GENERATION])
    salt = _1
    for word in (OF_SEATS, OF_SIDES, OF_PACK, OF_SCORING, OF_FACTOR, MATTO_OWNER, CHOSEN, DECLARED_SUM, LOOSE):
        salt = mix(salt ^ words[word])
    words[SALT] = salt
    trick = TRICK_ROWS
    words[trick + CLOSED] = np.uint64(is_closed(words, trick))
    for side in range(2):
        find_idle(words, trick, np.uint64(side))
    find_fungible(words, trick)
    row = PLY_ROWS
    words[row + PLY_SEAT] = position[TURN]
    words[row + PLY_LED] = position[LED]
    words[row + PLY_BEST] = position[BEST]
    words[row + PLY_WINNER] = position[WINNER]
    words[row + PLY_CARDS] = position[TRICK]
    words[row + PLY_LENGTH] = position[LENGTH]


@kernel
def _enter_trick(words: Any, table: Any, row: Any, trick: Any) -> Any:
    """Works at the start of a trick: returns whether its value is known already, the value, and the move to try first.

    Narrows the window of the row by what the table and the bounds tell.
    """
    options = words[OPTIONS]
    alpha = np.int64(words[row + PLY_ALPHA])
    beta = np.int64(words[row + PLY_BETA])
    first = _NO_CARD
    if options & USE_TABLE != _0:
        alpha, beta, first = probe(words, table, trick, words[row + PLY_SEAT], alpha, beta)
        # an entry is good for a cut at either end
        if alpha >= np.int64(words[row + PLY_BETA]):
            return True, alpha, first
        if beta <= np.int64(words[row + PLY_ALPHA]) or alpha >= beta:
            return True, beta, first
    if options & USE_BOUNDS != _0 and words[trick + CLOSED] != _0:
        least, most = bounds(words, trick)
        if least >= beta:
            return True, least, first
        if most <= alpha:
            return True, most, first
        alpha = max(alpha, least)
        beta = min(beta, most)
        if alpha >= beta:
            return True, alpha, first
    words[row + PLY_ALPHA] = np.uint64(alpha)
    words[row + PLY_BETA] = np.uint64(beta)
    words[trick + LEAST] = np.uint64(alpha)
    words[trick + MOST] = np.uint64(beta)
    return False, np.int64(0), first


@kernel
def _begin_trick(words: Any, trick: Any, cards: Any, side: Any) -> None:
    """Writes the trick row after that of `trick`, in which `side` has taken `cards`."""
    after = trick + TRICK_STRIDE
    captured_0, captured_1, base, status = take_trick(
        words,
        words[trick + CAPTURED_0],
        words[trick + CAPTURED_1],
        np.int64(words[trick + BASE]),
        words[trick + STATUS],
        cards,
        side,
    )
    words[after + CAPTURED_0] = captured_0
    words[after + CAPTURED_1] = captured_1
    words[after + BASE] = np.uint64(base)
    words[after + STATUS] = status
    other = _1 - side
    scoring = words[OF_SCORING]
    if scoring != _PIEDICAVALLO:
        words[after + COMBINED_0 + side] = NOT_COUNTED
        gains = cards & U_MATTO != _0 and words[MATTO_OWNER] == other
        words[after + COMBINED_0 + other] = NOT_COUNTED if gains else words[trick + COMBINED_0 + other]
    if words[trick + LEFT] == _2:
        # the last trick is only counted
        return
    words[after + LEFT] = words[trick + LEFT] - _1
    words[after + IN_PLAY] = words[trick + IN_PLAY] ^ cards
    rest = np.int64(words[trick + REST]) - half_points(scoring, cards & ~U_MATTO)
    words[after + REST] = np.uint64(rest)
    words[after + CLOSED] = np.uint64(is_closed(words, after))
    if scoring != _PIEDICAVALLO:
        words[after + REACHABLE_0 + side] = words[trick + REACHABLE_0 + side]
        words[after + REACHABLE_0 + other] = NOT_COUNTED
        words[after + IDLE_0 + side] = words[trick + IDLE_0 + side]
        find_idle(words, after, other)
    find_fungible(words, after)


@kernel
def search_window(words: Any, table: Any, alpha: Any, beta: Any, limit: Any) -> Any:
    """Returns the value of the position in the first rows, or a bound of it outside the window alpha..beta.

    UNSOLVED if more than `limit` cards have been played, counted from the start of the solver.
    """
    row = PLY_ROWS
    trick = TRICK_ROWS
    seats = words[OF_SEATS]
    sides = words[OF_SIDES]
    pack = words[OF_PACK]
    words[row + PLY_ALPHA] = np.uint64(alpha)
    words[row + PLY_BETA] = np.uint64(beta)
    value = np.int64(0)
    while True:
        # a new row, with its window
        first = _NO_CARD
        is_known = False
        if words[row + PLY_LENGTH] == _0:
            if words[NODES] > limit:
                _unwind(words, row)
                return np.int64(UNSOLVED)
            is_known, value, first = _enter_trick(words, table, row, trick)
        if not is_known:
            list_moves(words, row, trick, first)
            mover = (sides >> words[row + PLY_SEAT]) & _1
            words[row + PLY_VALUE] = np.uint64(np.int64(INFINITY)) if mover == _1 else np.uint64(np.int64(-INFINITY))
        while True:
            if is_known:
                # the value of this row goes to the one before
                if row == PLY_ROWS:
                    return value
                if words[row + PLY_LENGTH] == _0:
                    trick -= TRICK_STRIDE
                row -= PLY_STRIDE
                words[words[row + PLY_SEAT]] ^= bit(words[row + PLY_CARD])
                is_known = _take_value(words, row, value)
            elif words[row + PLY_NEXT] == words[row + PLY_MOVES]:
                is_known = True
            if is_known:
                value = np.int64(words[row + PLY_VALUE])
                if words[row + PLY_LENGTH] == _0 and words[OPTIONS] & USE_TABLE != _0:
                    store(words, table, trick, value, words[row + PLY_CHOICE])
                continue
            if words[row + PLY_NEXT] == words[row + PLY_MOVES]:
                continue
            # the next card
            card = words[row + PLY_LIST + words[row + PLY_NEXT]] & _63
            words[row + PLY_NEXT] += _1
            words[row + PLY_CARD] = card
            words[NODES] += _1
            played = bit(card)
            seat = words[row + PLY_SEAT]
            words[seat] ^= played
            led = words[row + PLY_LED]
            if led == U_ALL:
                led = LED_LANE[card]
            best = words[row + PLY_BEST]
            winner = words[row + PLY_WINNER]
            if BEATEN_BY[pack + best] & played != _0:
                best = card
                winner = seat
            cards = words[row + PLY_CARDS] | played
            length = words[row + PLY_LENGTH] + _1
            below = row + PLY_STRIDE
            _hand_down_window(words, row, below, (sides >> seat) & _1)
            if length < seats:
                words[below + PLY_SEAT] = seat + _1 if seat + _1 < seats else _0
                words[below + PLY_LED] = led
                words[below + PLY_BEST] = best
                words[below + PLY_WINNER] = winner
                words[below + PLY_CARDS] = cards
                words[below + PLY_LENGTH] = length
                row = below
                break
            _begin_trick(words, trick, cards, (sides >> winner) & _1)
            if words[trick + LEFT] == _2:
                value = play_last_trick(words, trick + TRICK_STRIDE, winner, U_ALL, _NO_CARD, winner, _0, _0)
                words[seat] ^= played
                words[row + PLY_SCOUT] = _0
                is_known = _take_value(words, row, value)
                if is_known:
                    value = np.int64(words[row + PLY_VALUE])
                    if words[row + PLY_LENGTH] == _0 and words[OPTIONS] & USE_TABLE != _0:
                        store(words, table, trick, value, words[row + PLY_CHOICE])
                continue
            words[below + PLY_SEAT] = winner
            words[below + PLY_LED] = U_ALL
            words[below + PLY_BEST] = _NO_CARD
            words[below + PLY_WINNER] = _0
            words[below + PLY_CARDS] = _0
            words[below + PLY_LENGTH] = _0
            row = below
            trick += TRICK_STRIDE
            break


@kernel
def _hand_down_window(words: Any, row: Any, below: Any, side: Any) -> None:
    """Writes the window in which the card just chosen is tried.

    All cards but the first are only asked whether they are better; one that is gets a second look (principal
    variation search, Marsland, "A Review of Game-Tree Pruning", 1986).
    """
    alpha = np.int64(words[row + PLY_ALPHA])
    beta = np.int64(words[row + PLY_BETA])
    is_scout = words[row + PLY_NEXT] != _1 and words[row + PLY_SCOUT] != _2 and alpha + 1 < beta
    if is_scout and words[OPTIONS] & USE_NARROW_WINDOWS != _0:
        words[row + PLY_SCOUT] = _1
        if side == _0:
            beta = alpha + 1
        else:
            alpha = beta - 1
    else:
        words[row + PLY_SCOUT] = _0
    words[below + PLY_ALPHA] = np.uint64(alpha)
    words[below + PLY_BETA] = np.uint64(beta)


@kernel
def _take_value(words: Any, row: Any, value: Any) -> Any:
    """Takes the value of the card just tried into its row; returns whether the other cards need no look."""
    is_better = False
    if (words[OF_SIDES] >> words[row + PLY_SEAT]) & _1 == _0:
        if value > np.int64(words[row + PLY_VALUE]):
            words[row + PLY_VALUE] = np.uint64(value)
            words[row + PLY_CHOICE] = words[row + PLY_CARD]
            if value > np.int64(words[row + PLY_ALPHA]):
                words[row + PLY_ALPHA] = np.uint64(value)
                is_better = True
    elif value < np.int64(words[row + PLY_VALUE]):
        words[row + PLY_VALUE] = np.uint64(value)
        words[row + PLY_CHOICE] = words[row + PLY_CARD]
        if value < np.int64(words[row + PLY_BETA]):
            words[row + PLY_BETA] = np.uint64(value)
            is_better = True
    if np.int64(words[row + PLY_ALPHA]) >= np.int64(words[row + PLY_BETA]):
        return True
    if is_better and words[row + PLY_SCOUT] == _1:
        words[row + PLY_SCOUT] = _2
        words[row + PLY_NEXT] -= _1
    return False


@kernel
def _unwind(words: Any, row: Any) -> None:
    """Takes back the cards of the line above a row."""
    while row > PLY_ROWS:
        row -= PLY_STRIDE
        words[words[row + PLY_SEAT]] ^= bit(words[row + PLY_CARD])
