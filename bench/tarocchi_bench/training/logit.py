"""Fits conditional logits: how likely each of several alternatives is, by sums of weights (McFadden, 1974)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

HELD_OUT: Final = 5
"""One deal of so many is held out to tell how good a fit is."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choices:
    """The plays of some deals in which there was a choice."""

    features: Integers
    """[legal cards of all plays, features]: places of weights."""
    sizes: Integers
    """[plays]: the number of legal cards."""
    targets: Floats
    """[legal cards of all plays]: the chance that each card should have; they sum to 1 in every play."""
    deals: Integers
    """[plays]: the number of the deal."""

    @property
    def starts(self) -> Integers:
        """The row of the first legal card of each play."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    @property
    def is_held_out(self) -> npt.NDArray[np.bool_]:
        """Which plays are of deals that a fit to be judged must not see, [plays]."""
        held_out: npt.NDArray[np.bool_] = self.deals % HELD_OUT == 0
        return held_out

    def of(self, plays: npt.NDArray[np.bool_]) -> Choices:
        """Returns some of the plays."""
        rows = np.repeat(plays, self.sizes)
        return Choices(self.features[rows], self.sizes[plays], self.targets[rows], self.deals[plays])


def log_likelihoods(choices: Choices, weights: Floats) -> Floats:
    """Returns for each play the mean of the log chances of its cards, by their targets."""
    logs, _chances = _normalised(choices, weights[choices.features].sum(axis=1))
    return np.add.reduceat(logs * choices.targets, choices.starts)


def _normalised(choices: Choices, scores: Floats) -> tuple[Floats, Floats]:
    """Returns the log chance and the chance of every card."""
    starts = choices.starts
    shifted = scores - np.repeat(np.maximum.reduceat(scores, starts), choices.sizes)
    exponentials = np.exp(shifted)
    totals = np.repeat(np.add.reduceat(exponentials, starts), choices.sizes)
    return shifted - np.log(totals), exponentials / totals


def fit_logit(choices: Choices, weight_count: int, penalty: float, most_steps: int) -> Floats:
    """Returns the weights of the greatest penalised likelihood, by L-BFGS.

    Args:
        choices: what to fit.
        weight_count: how many weights the places of `choices.features` are of.
        penalty: of the squares of the weights, in nats.
        most_steps: of the optimisation.
    """
    rows, width = choices.features.shape
    pointers = np.arange(0, rows * width + 1, width)
    matrix = sparse.csr_matrix((np.ones(rows * width), choices.features.ravel(), pointers), shape=(rows, weight_count))
    transposed = matrix.T.tocsr()

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs, chances = _normalised(choices, matrix @ weights)
        gradient = 2 * penalty * weights + transposed @ (chances - choices.targets)
        return float(penalty * (weights @ weights) - logs @ choices.targets), gradient

    start = np.zeros(weight_count)
    found: Any = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": most_steps})
    weights: Floats = found.x
    return weights
