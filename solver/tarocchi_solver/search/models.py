"""The models of how players play that ship with the solver, one for each variant, fitted to self-play."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import get_variant
from tarocchi_engine.play import PLAYOUT_RANDOM, PLAYOUT_RULE
from tarocchi_solver.search.data_files import load_arrays
from tarocchi_solver.search.learned_playout import PLAYOUT_LEARNED, PlayoutRule
from tarocchi_solver.search.results import Playout, SearchOptions

WEIGHTS: Final = "weights"
DISCARDS: Final = "discards"
CALLS: Final = "calls"
VALUES: Final = "values"


class PlayModel(NamedTuple):
    """What is known of how players play."""

    weights: npt.NDArray[np.float64]
    """[WEIGHT_COUNT]: of the choice of a card, see `policy`."""
    discards: npt.NDArray[np.float64]
    """[RANKS]: how much likelier a card of a rank is laid away than kept."""
    calls: npt.NDArray[np.float64]
    """[CALL_KINDS, CALL_WEIGHTS]: what a bid, or to play in a monte poll, is worth by the cards held, see `calls`."""
    values: npt.NDArray[np.float32]
    """[WEIGHT_COUNT of `learned_playout`]: what cards are worth to the playouts."""


def model_file(variant: str) -> str:
    """Returns the name of the data file with the model of a variant."""
    return f"{variant}_play"


@cache
def play_model(variant: str) -> PlayModel:
    """Returns the model of a variant; raises `DataFileError` if it is not what was shipped."""
    arrays = load_arrays(model_file(variant), get_variant(variant).rules_revision)
    weights, discards, calls = (arrays[name].astype(np.float64) for name in (WEIGHTS, DISCARDS, CALLS))
    return PlayModel(weights, discards, calls, arrays[VALUES].astype(np.float32))


_POLICIES: Final = {Playout.RANDOM: PLAYOUT_RANDOM, Playout.RULE: PLAYOUT_RULE, Playout.LEARNED: PLAYOUT_LEARNED}
_NO_VALUES: Final = np.zeros(0, dtype=np.float32)


def playout_rule(variant: str, options: SearchOptions) -> PlayoutRule:
    """Returns the rule of playouts in the form of the kernels."""
    values = play_model(variant).values if options.playout is Playout.LEARNED else _NO_VALUES
    return PlayoutRule(_POLICIES[options.playout], values, np.float32(options.playout_noise))
