"""Exact treatment of the last tricks: every consistent world is solved with open cards.

The value of a move is the mean over all worlds of the result when every seat plays its best with all cards known
("double dummy"), the usual yardstick of trick-taking games. With two tricks left the observer has at most this one
decision, so knowing the cards later gives him nothing that he could not have.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine.bits import bit, lowest
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import LED, POSITION_WORDS, SIDES, TRICKS_LEFT, TURN
from tarocchi_engine.play import PLAYOUT_RULE, apply_card, legal_cards, playout
from tarocchi_engine.scoring import score_difference, score_sum
from tarocchi_solver.search.question import Question
from tarocchi_solver.search.tree import apply_arm, own_result, place_world

EXACT_TRICKS: Final = 2
MAX_WORLDS: Final = 4096
"""More than two tricks leave open: at most 12! / (2! 2! 8!) = 2970 ways to place two hands and a stock of eight."""

_STACK_DEPTH: Final = 4 * EXACT_TRICKS + 1
_INFINITY: Final = 1 << 40

_0 = np.uint64(0)
_1 = np.uint64(1)


class Stack(NamedTuple):
    """The line that a solver is looking at, one row for each card of it."""

    positions: npt.NDArray[np.uint64]
    untried: npt.NDArray[np.uint64]
    """The legal cards still to be looked at."""
    bounds: npt.NDArray[np.int64]
    """[rows, 2]: what side 0 and side 1 already have for sure (alpha and beta)."""
    piles: npt.NDArray[np.uint64]
    """Scratch of the count."""

    @classmethod
    def allocate(cls) -> Stack:
        """Returns a stack deep enough for EXACT_TRICKS."""
        return cls(
            np.zeros((_STACK_DEPTH, POSITION_WORDS), dtype=np.uint64),
            np.zeros(_STACK_DEPTH, dtype=np.uint64),
            np.zeros((_STACK_DEPTH, 2), dtype=np.int64),
            np.zeros(2, dtype=np.uint64),
        )


@kernel
def solve(stack: Any) -> Any:
    """Returns the value of position `stack.positions[0]` under best play, side 0 minus side 1 in half points.

    Alpha-beta without recursion: numba cannot reload a function that calls itself from its cache.
    """
    positions = stack.positions
    bounds = stack.bounds
    depth = 0
    bounds[0, 0] = -_INFINITY
    bounds[0, 1] = _INFINITY
    if positions[0][TRICKS_LEFT] == _0:
        return score_difference(positions[0], stack.piles)
    stack.untried[0] = legal_cards(positions[0][positions[0][TURN]], positions[0][LED])
    while True:
        mover = np.int64((positions[depth][SIDES] >> positions[depth][TURN]) & _1)
        if stack.untried[depth] == _0 or bounds[depth, 0] >= bounds[depth, 1]:
            # the mover's own bound is what it can reach here
            value = bounds[depth, mover]
            if depth == 0:
                return value
            depth -= 1
        else:
            card = lowest(stack.untried[depth])
            stack.untried[depth] ^= bit(card)
            position = positions[depth + 1]
            position[:] = positions[depth]
            apply_card(position, card)
            if position[TRICKS_LEFT] != _0:
                bounds[depth + 1, 0] = bounds[depth, 0]
                bounds[depth + 1, 1] = bounds[depth, 1]
                depth += 1
                stack.untried[depth] = legal_cards(position[position[TURN]], position[LED])
                continue
            value = score_difference(position, stack.piles)
        mover = np.int64((positions[depth][SIDES] >> positions[depth][TURN]) & _1)
        if mover == 0:
            bounds[depth, 0] = max(bounds[depth, 0], value)
        else:
            bounds[depth, 1] = min(bounds[depth, 1], value)


@kernel
def solve_worlds(question: Any, destination: Any, worlds: Any, stack: Any, values: Any, sums: Any) -> None:
    """Writes to `values` [worlds, arms] the observer's result of every move in every world.

    To `sums` the points of both sides together where the deal is then played by the rule, as the solution of the
    difference says nothing about them.
    """
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    stream = np.zeros(1, dtype=np.uint64)
    for row in range(len(worlds)):
        place_world(question, destination, worlds[row], root)
        for arm in range(len(question.arms)):
            stack.positions[0] = root
            apply_arm(question, arm, stack.positions[0])
            values[row, arm] = own_result(question, root, solve(stack))
            stack.positions[0] = root
            apply_arm(question, arm, stack.positions[0])
            playout(stack.positions[0], stack.piles, stream, PLAYOUT_RULE)
            sums[row, arm] = score_sum(stack.positions[0], stack.piles)


def exact_values(
    question: Question, destination: npt.NDArray[np.uint64], worlds: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns [worlds, arms], twice: the observer's result of every move in every world, and the sum of both sides."""
    shape = (len(worlds), len(question.arms))
    values, sums = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    solve_worlds(question, destination, worlds, Stack.allocate(), values, sums)
    return values.astype(np.float64), sums.astype(np.float64)
