"""Solves endings with all cards open ("double dummy"): the exact result under best play of both sides.

Without a guess one search (`tarocchi_solver.search.ending_search`) with the widest window finds the result; with one
two searches with the narrowest window on either side of it mostly do. A series of narrow searches alone (MTD(f), Plaat
et al., 1996) took 1.5 to 1.8 times as long, as combinations spread the results over hundreds of points.

Values are results of the deal, side 0 minus side 1 in half points (in Terziglio half game points), exactly as
`tarocchi_engine.scoring.score_difference` counts them, the card for the Matto by the fixed rule unless it was chosen.
The position has to be one of a whole pack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    BEST,
    LED,
    LENGTH,
    POSITION_WORDS,
    SCORING,
    SCORING_DECLARATIONS,
    TRICK,
    TRICKS_LEFT,
    TURN,
    WINNER,
)
from tarocchi_engine.play import copy_position
from tarocchi_engine.scoring import score_difference
from tarocchi_solver.search.ending import play_last_trick, prepare
from tarocchi_solver.search.ending_layout import (
    ALL_OPTIONS,
    GENERATION,
    INFINITY,
    NO_GUESS,
    NODES,
    OPTIONS,
    SOLVER_WORDS,
    TRICK_ROWS,
    UNSOLVED,
    USE_NARROW_WINDOWS,
)
from tarocchi_solver.search.ending_search import search_window, start
from tarocchi_solver.search.tree import apply_arm, own_result

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)


class Solver(NamedTuple):
    """The memory of a solver, allocated once for a thread and used over and over."""

    words: npt.NDArray[np.uint64]
    """The line that it looks at (`tarocchi_solver.search.ending`)."""
    table: npt.NDArray[np.uint64]
    """Two words for every position: the key, and bounds, best move and age."""

    @classmethod
    def allocate(cls, table_bits: int = 16, options: int = ALL_OPTIONS) -> Solver:
        """Returns a solver whose table has room for 2**table_bits positions, 16 bytes each."""
        if not 1 <= table_bits <= 30:
            raise ValueError(f"table_bits is {table_bits}: give a number from 1 to 30")
        solver = cls(np.zeros(SOLVER_WORDS, dtype=np.uint64), np.zeros(2 << table_bits, dtype=np.uint64))
        solver.words[OPTIONS] = options
        solver.words[GENERATION] = 1  # an empty place is of generation 0
        return solver

    @property
    def nodes(self) -> int:
        """The number of cards played so far, in all solutions together."""
        return int(self.words[NODES])


@kernel
def forget(solver: Any) -> None:
    """Makes the solver forget its table, so that what it does next depends on nothing before."""
    solver.words[GENERATION] += _1


@kernel
def _forced_value(words: Any, position: Any) -> Any:
    """Returns the result of a position with at most one trick left, in which nobody has a choice."""
    if position[TRICKS_LEFT] == _0 or position[SCORING] == np.uint64(SCORING_DECLARATIONS):
        return score_difference(position, words[TRICK_ROWS : TRICK_ROWS + _2])
    prepare(words, position)
    return play_last_trick(
        words,
        TRICK_ROWS,
        position[TURN],
        position[LED],
        position[BEST],
        position[WINNER],
        position[TRICK],
        position[LENGTH],
    )


@kernel
def is_forced(position: Any) -> Any:
    """Tells whether nobody has a choice that matters any more."""
    return position[TRICKS_LEFT] <= _1 or position[SCORING] == np.uint64(SCORING_DECLARATIONS)


@kernel
def solve_bounded(solver: Any, position: Any, alpha: Any, beta: Any, node_limit: Any) -> Any:
    """Returns the value of a position if it lies between alpha and beta.

    Otherwise an upper bound of it that is at most alpha, or a lower bound that is at least beta. UNSOLVED if more
    than `node_limit` cards would have to be played.
    """
    words = solver.words
    if is_forced(position):
        return _forced_value(words, position)
    start(words, position)
    return search_window(words, solver.table, np.int64(alpha), np.int64(beta), words[NODES] + np.uint64(node_limit))


@kernel
def solve(solver: Any, position: Any, guess: Any, node_limit: Any) -> Any:
    """Returns the value of a position; a `guess` that is right or nearly so spares half the work, NO_GUESS is none.

    UNSOLVED once more than `node_limit` cards have been played; that is looked at at the start of a trick, so that the
    last two tricks are always played to their end.
    """
    words = solver.words
    if is_forced(position):
        return _forced_value(words, position)
    start(words, position)
    limit = words[NODES] + np.uint64(node_limit)
    least = np.int64(-INFINITY)
    most = np.int64(INFINITY)
    value = np.int64(guess)
    if value != NO_GUESS and words[OPTIONS] & USE_NARROW_WINDOWS != _0:
        # is it the guess, or more, or less?
        for side in range(2):
            value = search_window(words, solver.table, guess - 1 + side, guess + side, limit)
            if value == UNSOLVED:
                return value
            if value < guess + side:
                most = value
                break
            least = value
        if least >= most:
            return least
    return search_window(words, solver.table, least, most, limit)


@kernel
def solve_arms(question: Any, solver: Any, root: Any, values: Any, node_limit: Any) -> Any:
    """Writes to `values` [arms] the observer's result of every move in the world whose position is `root`.

    Returns whether all were solved; where the moves together would take more than `node_limit` cards, those that are
    missing are UNSOLVED. Every move starts from the value of the one before, as moves tend to be worth the same.
    """
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    limit = np.int64(solver.words[NODES]) + np.int64(node_limit)
    values[:] = UNSOLVED
    guess = np.int64(NO_GUESS)
    for arm in range(len(question.arms)):
        copy_position(root, position)
        apply_arm(question, arm, position)
        left = limit - np.int64(solver.words[NODES])
        value = solve(solver, position, guess, max(left, 0))
        if value == UNSOLVED:
            return False
        guess = value
        values[arm] = own_result(question, root, value)
    return True
