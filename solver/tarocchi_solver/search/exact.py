"""Exact treatment of the last tricks: every consistent world is solved with open cards.

The value of a move is the mean over all worlds of the result when every seat plays its best with all cards known
("double dummy"), the usual yardstick of trick-taking games. With two tricks left the observer has at most this one
decision, so knowing the cards later gives him nothing that he could not have.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine.bits import bit, lowest
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import LED, POSITION_WORDS, SIDES, TRICKS_LEFT, TURN
from tarocchi_engine.play import apply_card, legal_cards
from tarocchi_engine.scoring import score_difference
from tarocchi_solver.search.question import Question
from tarocchi_solver.search.tree import apply_arm, place_world

EXACT_TRICKS: Final = 2
MAX_WORLDS: Final = 4096
"""More than the 8! / (2!)**4 = 2520 ways to place eight cards in four pairs, the most that two tricks leave open."""

_STACK_DEPTH: Final = 4 * EXACT_TRICKS + 1
_INFINITY: Final = 1 << 40

_0 = np.uint64(0)
_1 = np.uint64(1)


@kernel
def solve(stack: Any, depth: Any, piles: Any, alpha: Any, beta: Any) -> Any:
    """Returns the value of position `stack[depth]` under best play, side 0 minus side 1 in half points.

    Alpha-beta over the rows of `stack`, one for each card still to be played and one more; `piles` is scratch.
    """
    position = stack[depth]
    if position[TRICKS_LEFT] == _0:
        return score_difference(position, piles)
    legal = legal_cards(position[position[TURN]], position[LED])
    maximising = (position[SIDES] >> position[TURN]) & _1 == _0
    best = -_INFINITY if maximising else _INFINITY
    while legal != _0:
        card = lowest(legal)
        legal ^= bit(card)
        stack[depth + 1] = position
        apply_card(stack[depth + 1], card)
        value = solve(stack, depth + 1, piles, alpha, beta)
        if maximising:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


@kernel
def solve_worlds(question: Any, destination: Any, worlds: Any, values: Any) -> None:
    """Writes to `values` [worlds, arms] the observer's result, in half points, of every move in every world."""
    stack = np.empty((_STACK_DEPTH, POSITION_WORDS), dtype=np.uint64)
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    piles = np.empty(2, dtype=np.uint64)
    for row in range(len(worlds)):
        place_world(question, destination, worlds[row], root)
        own_side = (root[SIDES] >> root[TURN]) & _1
        for arm in range(len(question.arms)):
            stack[0] = root
            apply_arm(question, arm, stack[0])
            value = solve(stack, 0, piles, -_INFINITY, _INFINITY)
            values[row, arm] = value if own_side == _0 else -value


def exact_values(
    question: Question, destination: npt.NDArray[np.uint64], worlds: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """Returns [worlds, arms]: the observer's result in half points of every move in every given world."""
    values = np.zeros((len(worlds), len(question.arms)), dtype=np.int64)
    solve_worlds(question, destination, worlds, values)
    return values
