"""Fits the model of how players choose their cards, what they call and what they lay away, to self-play.

Conditional logits by maximum likelihood with an L2 penalty. Every fifth deal is held out to tell how well the choices
of unseen deals are foreseen; the weights that ship are fitted to all deals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import optimize, special

from tarocchi_bench.training.logit import Choices, Floats, fit_logit, log_likelihoods
from tarocchi_bench.training.positions import DealPlan
from tarocchi_bench.training.scored_play import ScoredDeal
from tarocchi_bench.training.values import ValuesFit, fit_values
from tarocchi_engine import State, Variant, get_variant
from tarocchi_engine.cards import cards_in
from tarocchi_solver import __version__
from tarocchi_solver.search import calls, history, models, policy
from tarocchi_solver.search.card_kinds import CARD_KINDS, RANK, RANKS
from tarocchi_solver.search.data_files import save_arrays
from tarocchi_solver.search.learned_playout import MOST_CARDS

PENALTY: Final = 1.0
"""Of the squares of the weights, in nats."""
MAX_STEPS: Final = 150
PRIOR_COUNT: Final = 3.0
"""Imagined cards of every rank laid away and kept, so that no rank is impossible."""


@dataclass(frozen=True)
class PolicyFit:
    """A fitted model; log-likelihoods in nats a choice, on deals that were held out."""

    weights: Floats
    plays: int
    deals: int
    log_likelihood: float
    uniform_log_likelihood: float


def choices_of(deals: Iterable[ScoredDeal]) -> Choices:
    """Returns the plays of deals that have been played out, with what was recommended as the choice."""
    features, sizes, targets, numbers = [], [], [], []
    buffer = np.zeros((MOST_CARDS, policy.FEATURES), dtype=np.int64)
    for number, deal in enumerate(deals):
        pack = np.uint64(64 * deal.end.variant.pack.index)
        for row, scores in zip(history.rows_of(deal.end.table), deal.scores, strict=True):
            if scores is None:
                continue
            count = int(policy.features_of_choices(row, pack, row[history.LATER], buffer))
            recommended = next(iter(scores))
            features.append(buffer[:count].copy())
            sizes.append(count)
            targets.append([float(card == recommended) for card in sorted(scores)])
            numbers.append(number)
    return Choices(np.concatenate(features), np.array(sizes), np.concatenate(targets), np.array(numbers))


def fit_policy(choices: Choices) -> PolicyFit:
    """Returns the model that fits the choices best."""
    is_held_out = choices.is_held_out
    trained = fit_logit(choices.of(~is_held_out), policy.WEIGHT_COUNT, PENALTY, MAX_STEPS)
    held_out = choices.of(is_held_out)
    return PolicyFit(
        weights=fit_logit(choices, policy.WEIGHT_COUNT, PENALTY, MAX_STEPS),
        plays=len(choices.sizes),
        deals=len(np.unique(choices.deals)),
        log_likelihood=float(log_likelihoods(held_out, trained).mean()),
        uniform_log_likelihood=float(-np.log(held_out.sizes).mean()),
    )


def fit_discards(variant: Variant, states: Iterable[State]) -> Floats:
    """Returns for each rank of `card_kinds` how much likelier a card of it is laid away than kept, [RANKS]."""
    ranks = CARD_KINDS[variant.pack.index, :, RANK]
    away, kept = np.full(RANKS, PRIOR_COUNT), np.full(RANKS, PRIOR_COUNT)
    for state in states:
        table = state.table
        if not table.discard_made or table.discarder is None:
            continue
        for cards, counts in ((state.aside, away), (table.played[table.discarder], kept)):
            for card in cards_in(cards):
                counts[ranks[card]] += 1
    ratios: Floats = away / kept
    return ratios


def fit_calls(variant: Variant, states: Iterable[State]) -> Floats:
    """Returns what the calls of the deals show them to be worth by the cards held, [CALL_KINDS, CALL_WEIGHTS].

    Zeros for a game without calls.
    """
    ranks = CARD_KINDS[variant.pack.index, :, RANK]
    shape = (calls.CALL_KINDS, calls.CALL_WEIGHTS)
    hands, said, is_open = [], [], []
    for state in states:
        for seat, choice in calls.choices_of(state.events):
            held = np.array(list(cards_in(state.packets[seat][0])))
            hands.append(np.append(np.bincount(ranks[held], minlength=RANKS), 1.0))
            said.append(choice.said)
            is_open.append([place == choice.said or place in choice.others for place in range(calls.CALL_KINDS + 1)])
    if not hands:
        return np.zeros(shape)
    features, barred = np.array(hands), np.where(np.array(is_open), 0.0, -np.inf)
    chosen = np.eye(calls.CALL_KINDS + 1)[said]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        worths = np.column_stack([np.zeros(len(features)), features @ weights.T]) + barred
        logs = special.log_softmax(worths, axis=1)
        gradient = 2 * PENALTY * weights - (chosen - np.exp(logs))[:, 1:].T @ features
        picked = logs[np.arange(len(said)), said]
        return float(PENALTY * (flat @ flat) - picked.sum()), gradient.ravel()

    found: Any = optimize.minimize(loss, np.zeros(math.prod(shape)), jac=True, method="L-BFGS-B")
    weights: Floats = found.x.reshape(shape)
    return weights


def check_better_than_chance(fit: PolicyFit, values: ValuesFit) -> None:
    """Raises ValueError where either fit says no more about the deals held out than chance does."""
    faults = []
    if not fit.log_likelihood > fit.uniform_log_likelihood:
        faults.append(
            f"it foresees their plays with a log likelihood of {fit.log_likelihood:.4f}, and equal chances with "
            f"{fit.uniform_log_likelihood:.4f}"
        )
    if not values.regret < values.random_regret:
        faults.append(
            f"the cards that it prefers lose {values.regret:.4f} points to the best ones, and random cards "
            f"{values.random_regret:.4f}"
        )
    if faults:
        raise ValueError(
            f"the fit is no better than chance in the deals held out: {'; '.join(faults)}: nothing was written; play "
            f"more than {fit.deals} deals"
        )


def save_model(deals: Sequence[ScoredDeal], plan: DealPlan, folder: Path, command: str) -> dict[str, float]:
    """Fits the model of a variant and writes its data file; returns what its card says about the fit.

    Raises ValueError, and writes nothing, where the fit is no better than chance in the deals held out.
    """
    variant = get_variant(plan.variant)
    fit, values = fit_policy(choices_of(deals)), fit_values(deals)
    check_better_than_chance(fit, values)
    states = [deal.end for deal in deals]
    arrays = {
        models.WEIGHTS: fit.weights.astype(np.float32),
        models.DISCARDS: fit_discards(variant, states).astype(np.float32),
        models.VALUES: values.weights.astype(np.float32),
        models.CALLS: fit_calls(variant, states).astype(np.float32),
    }
    figures = {
        "deals": float(fit.deals),
        "plays": float(fit.plays),
        "held_out_log_likelihood": fit.log_likelihood,
        "uniform_log_likelihood": fit.uniform_log_likelihood,
        "held_out_regret": values.regret,
        "random_regret": values.random_regret,
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
