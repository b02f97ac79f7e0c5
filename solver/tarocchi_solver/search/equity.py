"""Match equity: the chance to win a race to a target from the scores between two deals, learned from self-play.

The table is worked out backwards from deals that an agent played with itself (`tarocchi_bench.training.equity`). It is
stored at some scores in between which it is linear, for the side that deals next; the other side has what is left.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Variant
from tarocchi_solver.search.data_files import DataFileError, load_arrays

SCALE: Final = 1 << 20
"""A chance of one, in the integers that kernels add up."""
STORED_SCALE: Final = (1 << 16) - 1
"""A chance of one, in the stored table."""

Chances = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


def equity_name(variant: Variant) -> str:
    """Returns the name of the data file with the equity of a variant."""
    return f"{variant.name}_equity"


def equity_table(variant: Variant, own_deal: bool) -> Chances:
    """Returns the chance to win by [own score, other score] below the target, in units of SCALE.

    The last row and column are decided; their common cell stands for sides that are level at the target or above.
    The table is that of the default options of the variant.

    Args:
        variant: a game with a `match_target`.
        own_deal: whether the own side deals next.

    Raises:
        DataFileError: the table that comes with the package cannot be used.
    """
    return _tables(type(variant))[own_deal]


@lru_cache(maxsize=4)
def _tables(game: type[Variant]) -> tuple[Chances, Chances]:
    """Returns the equity of the side that does not deal next, and of the one that does."""
    variant = game()
    target = variant.match_target
    assert target is not None
    name = equity_name(variant)
    arrays = load_arrays(name, variant.rules_revision)
    try:
        nodes, stored, level = arrays["scores"], arrays["dealer_wins"], arrays["level_dealer_wins"]
        if stored.shape != (len(nodes), len(nodes)) or nodes[0] != 0 or nodes[-1] != target - 1:
            raise ValueError(f"it is {stored.shape} for {len(nodes)} scores from {nodes[0]} to {nodes[-1]}")
        dealer = spread_out(nodes, stored / STORED_SCALE, float(level) / STORED_SCALE, target)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise DataFileError(f"{name}: no table of a race to {target} ({error}): install the package again") from error
    return np.ascontiguousarray(SCALE - dealer.T), dealer


def spread_out(nodes: npt.NDArray[np.integer], stored: Floats, level: float, target: int) -> Chances:
    """Returns the table for every score from one at some scores, in units of SCALE, with the decided edge.

    Args:
        nodes: the scores of the stored table, rising from 0 to the last below the target.
        stored: [own score, other score]: chances.
        level: the chance from equal scores at the target or above.
        target: the score that ends the match.
    """
    every = np.arange(target)
    rows = np.array([np.interp(every, nodes, column) for column in stored.T]).T
    table = np.zeros((target + 1, target + 1))
    table[:target, :target] = [np.interp(every, nodes, row) for row in rows]
    table[target, :] = 1.0
    table[target, target] = level
    chances: Chances = np.rint(table * SCALE).astype(np.int32)
    return chances


def race_chances(own: Floats, other: Floats, variant: Variant, own_deal: bool) -> Floats:
    """Returns for whole scores after a deal the chance that the first side wins the race.

    Args:
        own: scores of a side.
        other: those of the other, of the same shape.
        variant: a game with a `match_target`.
        own_deal: whether the first side deals next, if a deal is to come.
    """
    assert variant.match_target is not None
    target = variant.match_target
    table = equity_table(variant, own_deal)
    rows, columns = (np.minimum(np.rint(scores), target).astype(np.int64) for scores in (own, other))
    is_decided = (np.maximum(own, other) >= target) & (own != other)
    return np.asarray(np.where(is_decided, (np.sign(own - other) + 1) / 2, table[rows, columns] / SCALE))
