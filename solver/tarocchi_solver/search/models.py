"""The models of how players play that ship with the solver, one for each variant, fitted to self-play."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import get_variant
from tarocchi_solver.search.data_files import load_arrays

WEIGHTS: Final = "weights"
DISCARDS: Final = "discards"


class PlayModel(NamedTuple):
    """What is known of how players play."""

    weights: npt.NDArray[np.float64]
    """[WEIGHT_COUNT]: of the choice of a card, see `policy`."""
    discards: npt.NDArray[np.float64]
    """[RANKS]: how much likelier a card of a rank is laid away than kept."""


def model_file(variant: str) -> str:
    """Returns the name of the data file with the model of a variant."""
    return f"{variant}_play"


@cache
def play_model(variant: str) -> PlayModel:
    """Returns the model of a variant; raises `DataFileError` if it is not what was shipped."""
    arrays = load_arrays(model_file(variant), get_variant(variant).rules_revision)
    return PlayModel(arrays[WEIGHTS].astype(np.float64), arrays[DISCARDS].astype(np.float64))
