"""Determinized Monte Carlo tree search: from what one seat sees to the best move and its expected score."""

from tarocchi_solver.search.calibration import RANGE_SHARE
from tarocchi_solver.search.recommend import check_consistent, search
from tarocchi_solver.search.results import (
    DEFAULT_BUDGET,
    Budget,
    Diagnostics,
    MoveStatistics,
    NothingToDecideError,
    Playout,
    Recommendation,
    SearchOptions,
    StopReason,
    Utility,
)
from tarocchi_solver.search.sampler import ContradictionError, UndecidedError, WorldSampler
from tarocchi_solver.search.warm_up import warm_up

__all__ = [
    "DEFAULT_BUDGET",
    "RANGE_SHARE",
    "Budget",
    "ContradictionError",
    "Diagnostics",
    "MoveStatistics",
    "NothingToDecideError",
    "Playout",
    "Recommendation",
    "SearchOptions",
    "StopReason",
    "UndecidedError",
    "Utility",
    "WorldSampler",
    "check_consistent",
    "search",
    "warm_up",
]
