"""Exact treatment of the last tricks: every consistent world is solved with open cards.

The value of a move is the mean over all worlds of the result when every seat plays its best with all cards known
("double dummy"), the usual yardstick of trick-taking games. With two tricks left the observer has at most this one
decision, so knowing the cards later gives him nothing that he could not have.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import POSITION_WORDS, TRICKS_LEFT
from tarocchi_engine.play import PLAYOUT_RULE, playout
from tarocchi_engine.scoring import score_sum
from tarocchi_solver.search.double_dummy import Solver, solve_arms
from tarocchi_solver.search.ending_layout import NO_LIMIT
from tarocchi_solver.search.question import Question
from tarocchi_solver.search.tree import apply_arm, place_world

EXACT_TRICKS: Final = 2
MAX_WORLDS: Final = 4096
"""More than two tricks leave open: at most 12! / (2! 2! 8!) = 2970 ways to place two hands and a stock of eight."""

_TABLE_BITS: Final = (1, 1, 10, 13, 16)
"""The size of the table by tricks left; beyond the last `_MOST_TABLE_BITS`."""
_MOST_TABLE_BITS: Final = 18


@kernel
def solve_worlds(question: Any, destination: Any, worlds: Any, solver: Any, values: Any, sums: Any) -> None:
    """Writes to `values` [worlds, arms] the observer's result of every move in every world.

    To `sums` the points of both sides together where the deal is then played by the rule, as the solution of the
    difference says nothing about them.
    """
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    piles = np.empty(2, dtype=np.uint64)
    stream = np.zeros(1, dtype=np.uint64)
    for row in range(len(worlds)):
        place_world(question, destination, worlds[row], root)
        solve_arms(question, solver, root, values[row], NO_LIMIT)
        for arm in range(len(question.arms)):
            position[:] = root
            apply_arm(question, arm, position)
            playout(position, piles, stream, PLAYOUT_RULE)
            sums[row, arm] = score_sum(position, piles)


def exact_values(
    question: Question, destination: npt.NDArray[np.uint64], worlds: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns [worlds, arms], twice: the observer's result of every move in every world, and the sum of both sides.

    Works with any number of tricks left, in the time that it takes: a world with six takes milliseconds, with each
    trick more three to five times as long.
    """
    shape = (len(worlds), len(question.arms))
    values, sums = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    solver = Solver.allocate(table_bits(int(question.position[TRICKS_LEFT])))
    solve_worlds(question, destination, worlds, solver, values, sums)
    return values.astype(np.float64), sums.astype(np.float64)


def table_bits(tricks_left: int) -> int:
    """Returns the size of the table, as a power of two, that endings with so many tricks left are well served by."""
    return _TABLE_BITS[tricks_left] if tricks_left < len(_TABLE_BITS) else _MOST_TABLE_BITS
