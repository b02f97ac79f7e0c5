"""Searches that others are measured against, each kept by its parameters.

Every parameter of the search is named here, so that a new default elsewhere does not change a baseline.
"""

from __future__ import annotations

from typing import Any, Final

from tarocchi_solver.search import Playout, SearchOptions, Utility
from tarocchi_solver.search.results import Root

PLAIN_PARAMETERS: Final[dict[str, Any]] = {
    "playout": Playout.RULE,
    "playout_noise": 0.0,
    "exploration": 0.7,
    "expand_after": 8,
    "iterations_per_world": None,
    "inference": 0.0,
    "exact_tricks": 2,
    "root": Root.EQUAL,
    "utility": Utility.POINTS,
    "step_width": 0.0,
    "calibrated": False,
    "sense": False,
}
PLAIN: Final = SearchOptions(**PLAIN_PARAMETERS)
"""A tree in each of many equally likely worlds, the last two tricks exact; it maximises points."""

FLAT_PARAMETERS: Final[dict[str, Any]] = {
    **PLAIN_PARAMETERS,
    "playout": Playout.RANDOM,
    "expand_after": 1 << 40,
    "iterations_per_world": 1,
    "exact_tricks": 0,
}
FLAT: Final = SearchOptions(**FLAT_PARAMETERS)
"""Flat Monte Carlo: in every world one random playout for each move, and no tree."""
