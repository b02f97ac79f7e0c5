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
from tarocchi_engine.play import PLAYOUT_RULE, copy_position, playout
from tarocchi_engine.scoring import score_sum
from tarocchi_solver.search.double_dummy import Solver, solve_arms
from tarocchi_solver.search.ending_layout import NO_LIMIT
from tarocchi_solver.search.question import Question
from tarocchi_solver.search.tree import Block, apply_arm, draw_root, place_world

MAX_WORLDS: Final = 4096
"""No more are listed. Two tricks leave open at most 12! / (2! 2! 8!) = 2970 ways to place
two hands and a stock of eight."""

_TABLE_BITS: Final = (1, 1, 10, 13, 16)
"""The size of the table by tricks left; beyond the last `_MOST_TABLE_BITS`."""
_MOST_TABLE_BITS: Final = 18


@kernel
def _solve_world(question: Any, root: Any, solver: Any, position: Any, piles: Any, block: Any, row: Any) -> None:
    """Writes row `row` of a block: the observer's result of every move in the world whose position is `root`.

    To `sums` go the points of both sides together where the deal is then played by the rule, as the solution of the
    difference says nothing about them.
    """
    solve_arms(question, solver, root, block.totals[row], NO_LIMIT)
    stream = np.zeros(1, dtype=np.uint64)
    for arm in range(len(question.arms)):
        value = block.totals[row, arm]
        block.visits[row, arm] = 1
        block.wins[row, arm] = 2 if value > 0 else (1 if value == 0 else 0)
        block.samples[row, arm] = value
        copy_position(root, position)
        apply_arm(question, arm, position)
        playout(position, piles, stream, np.int64(PLAYOUT_RULE))
        block.sums[row, arm] = score_sum(position, piles)


@kernel
def solve_listed(question: Any, destination: Any, worlds: Any, solver: Any, block: Any) -> None:
    """Solves every move in every one of `worlds` [worlds, 4], one for each row of `block`."""
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    piles = np.empty(2, dtype=np.uint64)
    for row in range(len(worlds)):
        place_world(question, destination, worlds[row], root)
        _solve_world(question, root, solver, position, piles, block, row)


@kernel
def solve_sampled(
    question: Any, sampler: Any, belief: Any, solver: Any, block: Any, seed: Any, first_world: Any
) -> None:
    """Solves every move in worlds `first_world`, `first_world + 1`, ... of a sampler, one for each row of `block`.

    Ends early, with -1 in `block.rejected`, if the sampler gives up on a world.
    """
    world = np.zeros(4, dtype=np.uint64)
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    piles = np.empty(2, dtype=np.uint64)
    stream = np.empty(1, dtype=np.uint64)
    for row in range(len(block.rejected)):
        block.rejected[row] = draw_root(question, sampler, belief, seed, first_world + row, stream, world, root)
        if block.rejected[row] < 0:
            return
        _solve_world(question, root, solver, position, piles, block, row)


def exact_values(
    question: Question, destination: npt.NDArray[np.uint64], worlds: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns [worlds, arms], twice: the observer's result of every move in every world, and the sum of both sides.

    Works with any number of tricks left, in the time that it takes: a world with six takes milliseconds, with each
    trick more three to five times as long.
    """
    block = Block.allocate(len(worlds), len(question.arms))
    solver = Solver.allocate(table_bits(int(question.position[TRICKS_LEFT])))
    solve_listed(question, destination, worlds, solver, block)
    return block.totals.astype(np.float64), block.sums.astype(np.float64)


def table_bits(tricks_left: int) -> int:
    """Returns the size of the table, as a power of two, that endings with so many tricks left are well served by."""
    return _TABLE_BITS[tricks_left] if tricks_left < len(_TABLE_BITS) else _MOST_TABLE_BITS
