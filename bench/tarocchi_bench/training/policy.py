"""Fits the model of how players choose their cards, and what they lay away, to self-play.

Maximum likelihood of a conditional logit (McFadden, 1974) with an L2 penalty, by L-BFGS. Every fifth deal is held out
to tell how well the choices of unseen deals are foreseen; the weights that ship are fitted to all deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from tarocchi_bench.training.self_play import SelfPlay
from tarocchi_engine import State, Variant, get_variant
from tarocchi_engine.cards import cards_in
from tarocchi_solver import __version__
from tarocchi_solver.search import history, models, policy
from tarocchi_solver.search.data_files import save_arrays

PENALTY: Final = 2.0
"""Of the squares of the weights, in nats."""
HELD_OUT: Final = 5
"""One deal of so many is held out."""
MAX_STEPS: Final = 150
FEATURES: Final = policy.PUBLIC_FEATURES + 2
PRIOR_COUNT: Final = 3.0
"""Imagined cards of every rank laid away and kept, so that no rank is impossible."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choices:
    """The plays of some deals in which there was a choice."""

    features: Integers
    """[legal cards of all plays, FEATURES]: places of weights."""
    sizes: Integers
    """[plays]: the number of legal cards."""
    chosen: Integers
    """[plays]: which of them was played, from 0."""
    deals: Integers
    """[plays]: the number of the deal."""

    @property
    def starts(self) -> Integers:
        """The row of the first legal card of each play."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    def of(self, plays: npt.NDArray[np.bool_]) -> Choices:
        """Returns some of the plays."""
        return Choices(
            self.features[np.repeat(plays, self.sizes)], self.sizes[plays], self.chosen[plays], self.deals[plays]
        )


@dataclass(frozen=True)
class PolicyFit:
    """A fitted model; log-likelihoods in nats a choice, on deals that were held out."""

    weights: Floats
    plays: int
    deals: int
    log_likelihood: float
    uniform_log_likelihood: float


def choices_of(states: Iterable[State]) -> Choices:
    """Returns the plays of deals that have been played out."""
    features, sizes, chosen, deals = [], [], [], []
    buffer = np.zeros((40, FEATURES), dtype=np.int64)
    for number, state in enumerate(states):
        variant = state.variant
        pack = np.uint64(64 * variant.pack.index)
        for row in history.rows_of(state.table):
            hand = row[history.LATER]
            count = int(policy.features_of_choices(row, pack, hand, buffer))
            if count == 1:
                continue
            legal = int(policy.legal_in(row, hand))
            features.append(buffer[:count].copy())
            sizes.append(count)
            chosen.append(list(cards_in(legal)).index(int(row[history.CARD])))
            deals.append(number)
    return Choices(np.concatenate(features), np.array(sizes), np.array(chosen), np.array(deals))


def fit_policy(choices: Choices) -> PolicyFit:
    """Returns the model that fits the choices best."""
    is_held_out = choices.deals % HELD_OUT == 0
    trained = _fit(choices.of(~is_held_out))
    held_out = choices.of(is_held_out)
    return PolicyFit(
        weights=_fit(choices),
        plays=len(choices.sizes),
        deals=len(np.unique(choices.deals)),
        log_likelihood=float(log_likelihoods(held_out, trained).mean()),
        uniform_log_likelihood=float(-np.log(held_out.sizes).mean()),
    )


def log_likelihoods(choices: Choices, weights: Floats) -> Floats:
    """Returns the log of the chance of each choice."""
    scores = weights[choices.features].sum(axis=1)
    logs, _exponentials, _totals = _normalised(choices, scores)
    return logs


def _normalised(choices: Choices, scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the log chance of each choice, and the exponentials of all scores with their totals for each play."""
    starts = choices.starts
    largest = np.maximum.reduceat(scores, starts)
    exponentials = np.exp(scores - np.repeat(largest, choices.sizes))
    totals = np.add.reduceat(exponentials, starts)
    logs: Floats = scores[starts + choices.chosen] - largest - np.log(totals)
    return logs, exponentials, totals


def _fit(choices: Choices) -> Floats:
    rows = len(choices.features)
    pointers = np.arange(0, rows * FEATURES + 1, FEATURES)
    ones = np.ones(rows * FEATURES)
    matrix = sparse.csr_matrix((ones, choices.features.ravel(), pointers), shape=(rows, policy.WEIGHT_COUNT))
    transposed = matrix.T.tocsr()
    picked = choices.starts + choices.chosen

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs, exponentials, totals = _normalised(choices, matrix @ weights)
        residues = -exponentials / np.repeat(totals, choices.sizes)
        residues[picked] += 1.0
        gradient = 2 * PENALTY * weights - transposed @ residues
        return float(PENALTY * (weights @ weights) - logs.sum()), gradient

    start = np.zeros(policy.WEIGHT_COUNT)
    found: Any = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS})
    weights: Floats = found.x
    return weights


def fit_discards(variant: Variant, states: Iterable[State]) -> Floats:
    """Returns for each rank of `policy.rank_of` how much likelier a card of it is laid away than kept, [RANKS]."""
    pack = np.uint64(64 * variant.pack.index)
    away, kept = np.full(policy.RANKS, PRIOR_COUNT), np.full(policy.RANKS, PRIOR_COUNT)
    for state in states:
        table = state.table
        if not table.discard_made or table.discarder is None:
            continue
        for cards, counts in ((state.aside, away), (table.played[table.discarder], kept)):
            for card in cards_in(cards):
                counts[int(policy.rank_of(card, pack))] += 1
    ratios: Floats = away / kept
    return ratios


def save_model(states: Sequence[State], plan: SelfPlay, folder: Path, command: str) -> dict[str, float]:
    """Fits the model of a variant and writes its data file; returns what its card says about the fit."""
    variant = get_variant(plan.variant)
    fit = fit_policy(choices_of(states))
    arrays = {
        models.WEIGHTS: fit.weights.astype(np.float32),
        models.DISCARDS: fit_discards(variant, states).astype(np.float32),
    }
    figures = {
        "deals": float(fit.deals),
        "plays": float(fit.plays),
        "held_out_log_likelihood": fit.log_likelihood,
        "uniform_log_likelihood": fit.uniform_log_likelihood,
    }
    card = {
        "command": command,
        "rules_revision": variant.rules_revision,
        "agent": plan.agent,
        "seed": plan.seed,
        "solver_version": __version__,
        **figures,
    }
    save_arrays(folder, models.model_file(plan.variant), arrays, card)
    return figures
