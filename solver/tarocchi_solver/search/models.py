"""Loads what was fitted to self-play and ships with the solver, and proves that it is what was shipped."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, Final

import numpy as np
import numpy.typing as npt

MANIFEST: Final = "models.json"
"""Tells for each file its SHA-256 and the command, the deals and the matches behind it."""


class ModelError(Exception):
    """Says that a file that ships with the solver is missing or damaged."""


@cache
def manifest() -> dict[str, Any]:
    """Returns what is known of every file, by its name."""
    try:
        known: dict[str, Any] = json.loads(_read(MANIFEST))
    except ValueError as error:
        raise ModelError(f"{MANIFEST} is damaged: install the package again") from error
    return known


def load_array(name: str) -> npt.NDArray[Any]:
    """Returns the array of a file of the manifest; raises `ModelError` if it is not what was shipped."""
    data = _read(name)
    if hashlib.sha256(data).hexdigest() != manifest()[name]["sha256"]:
        raise ModelError(f"{name} is not the file that was shipped: install the package again")
    array: npt.NDArray[Any] = np.load(BytesIO(data), allow_pickle=False)
    return array


def policy_file(variant: str) -> str:
    """Returns the name of the file with the weights of `policy` for a variant."""
    return f"policy-{variant}.npy"


@cache
def policy_weights(variant_name: str) -> npt.NDArray[np.float64] | None:
    """Returns the weights of `policy` for a variant, None if there are none."""
    name = policy_file(variant_name)
    return load_array(name).astype(np.float64) if name in manifest() else None


def discard_file(variant: str) -> str:
    """Returns the name of the file that tells how likely cards are to be laid away in a variant."""
    return f"discard-{variant}.npy"


@cache
def discard_weights(variant_name: str) -> npt.NDArray[np.float64] | None:
    """Returns for each rank of `policy.rank_of` how much likelier it is laid away than kept, None if unknown."""
    name = discard_file(variant_name)
    return load_array(name).astype(np.float64) if name in manifest() else None


def _read(name: str) -> bytes:
    try:
        return files("tarocchi_solver").joinpath("data", name).read_bytes()
    except OSError as error:
        raise ModelError(f"{name} is missing: install the package again") from error
