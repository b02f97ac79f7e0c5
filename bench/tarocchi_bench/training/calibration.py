"""Fits the lines, ranges and chances of `tarocchi_solver.search.calibration` to deals of self-play.

For each stage: least squares of the result on the raw mean, drawn towards "nothing to correct" by a normal prior as far
as the errors by deals leave room for it; quantiles of the residuals over their spreads, from lines that were fitted
without the deal (split-conformal: Romano, Patterson and Candes, "Conformalized Quantile Regression", 2019); and a
logistic curve of the chance to win. Positions without a choice and answers that are certain are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy import optimize

from tarocchi_bench.clusters import deal_sums
from tarocchi_bench.training.positions import DealPlan, Positions
from tarocchi_engine import get_variant
from tarocchi_solver import __version__
from tarocchi_solver.search.calibration import (
    CERTAIN_STAGES,
    FIELDS,
    STAGES,
    TABLE,
    StageFit,
    calibration_file,
    is_of_defence,
    log_odds,
)
from tarocchi_solver.search.data_files import save_arrays

MIN_POSITIONS: Final = 100
MIN_DEALS: Final = 20
"""A stage with fewer takes the fit of its nearest neighbour."""
PRIOR_INTERCEPT: Final = 0.1
"""Standard deviation of the prior of the intercept around 0, in standard deviations of the results."""
PRIOR_SLOPE: Final = 0.25
"""The same of the slope around 1."""
PRIOR_WIN: Final = 0.3
"""The same of both numbers of the logistic curve around 0 and 1."""
LEAST_SLOPE: Final = 0.1
LEAST_SPREAD: Final = 0.1
"""The least spread, as a part of the median one."""
FOLDS: Final = 5

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted line with the covariance of intercept and slope, [2, 2]."""

    intercept: float
    slope: float
    covariance: Floats


@dataclass(frozen=True, slots=True)
class Fitted:
    """The fit of a stage and what it comes from."""

    fit: StageFit
    source: str
    """The stage whose positions it was fitted to."""
    positions: int
    deals: int


def fit_line(raw: Floats, results: Floats, deals: Integers, *, through_origin: bool = False) -> Line:
    """Returns the line from raw means to results.

    The least-squares line and its covariance by deals are combined with a normal prior, as Bayes would.
    """
    prior = np.diag([(PRIOR_INTERCEPT * results.std()) ** 2, PRIOR_SLOPE**2])
    start = np.array([0.0, 1.0])
    used = [1] if through_origin else [0, 1]
    rows = np.stack([np.ones(len(raw)), raw], axis=1)[:, used]
    covariance = np.zeros((2, 2))
    covariance[np.ix_(used, used)] = prior[np.ix_(used, used)]
    gram = rows.T @ rows
    if results.std() == 0.0 or np.linalg.cond(gram) > 1e12:
        return Line(0.0, 1.0, covariance)
    inverse = np.linalg.inv(gram)
    found = inverse @ rows.T @ results
    sums = deal_sums(rows * (results - rows @ found)[:, np.newaxis], deals)
    of_data = inverse @ (sums.T @ sums) @ inverse * len(sums) / max(len(sums) - len(used), 1)
    # the posterior of a normal prior, in the form that needs no inverse of the data's covariance
    of_prior = covariance[np.ix_(used, used)]
    gain = of_prior @ np.linalg.inv(of_prior + of_data)
    start[used] += gain @ (found - start[used])
    covariance[np.ix_(used, used)] = of_prior - gain @ of_prior
    return Line(float(start[0]), max(float(start[1]), LEAST_SLOPE), covariance)


def conformal_range(residuals: Floats, share: float) -> tuple[float, float]:
    """Returns between which numbers a `share` of residuals like these lies, as much above as below."""
    tail = (1.0 - share) / 2
    low, high = np.quantile(residuals, [tail, 1.0 - tail])
    outside = np.sort(np.maximum(low - residuals, residuals - high))
    widening = outside[min(math.ceil((len(residuals) + 1) * share), len(residuals)) - 1]
    low, high = low - widening, high + widening
    return float(min(low, high)), float(max(low, high))


def fit_logistic(features: Floats, won: Floats, start: Floats, prior: Floats, weight: float) -> Floats:
    """Returns the weights of a logistic regression.

    Args:
        features: [positions, features]
        won: [positions], from 0 to 1.
        start: [features], what the weights are without evidence.
        prior: [features], the standard deviations of the weights around `start`.
        weight: how much each position counts.
    """

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = features @ weights
        away = (weights - start) / prior
        value = weight * float((np.logaddexp(0.0, odds) - won * odds).sum()) + float(away @ away) / 2
        chances = 1.0 / (1.0 + np.exp(-odds))
        return value, weight * features.T @ (chances - won) + away / prior

    found: Any = optimize.minimize(loss, start, jac=True, method="L-BFGS-B")
    weights: Floats = found.x
    return weights


def fit_stage(positions: Positions, *, through_origin: bool = False) -> StageFit:
    """Returns the fit of positions of one stage."""
    raw, results, deals = positions.raw, positions.result, positions.deal
    line = fit_line(raw, results, deals, through_origin=through_origin)
    blank = StageFit(
        intercept=line.intercept,
        slope=line.slope,
        intercept_variance=float(line.covariance[0, 0]),
        slope_variance=float(line.covariance[1, 1]),
        covariance=float(line.covariance[0, 1]),
        low_80=0.0,
        high_80=0.0,
        low_95=0.0,
        high_95=0.0,
        least_spread=0.0,
        win_intercept=0.0,
        win_slope=1.0,
    )
    if not through_origin:
        spreads = blank.spread(positions.deviation, positions.error, positions.worlds)
        blank = replace(blank, least_spread=LEAST_SPREAD * float(np.median(spreads)))
    spreads = blank.spread(positions.deviation, positions.error, positions.worlds)
    _different, places = np.unique(deals, return_inverse=True)
    foretold = np.zeros(len(raw))
    for fold in range(FOLDS):
        inside = places % FOLDS == fold
        other = fit_line(raw[~inside], results[~inside], deals[~inside], through_origin=through_origin)
        foretold[inside] = other.intercept + other.slope * raw[inside]
    # nothing is learned where nothing is open
    residuals = ((results - foretold)[spreads > 0.0]) / spreads[spreads > 0.0]
    low_80, high_80 = conformal_range(residuals, 0.8)
    low_95, high_95 = conformal_range(residuals, 0.95)
    odds = log_odds(positions.win, positions.worlds)
    features = np.stack([np.zeros(len(raw)) if through_origin else np.ones(len(raw)), odds], axis=1)
    start, prior = np.array([0.0, 1.0]), np.full(2, PRIOR_WIN)
    curve = fit_logistic(features, positions.won, start, prior, positions.deal_count / len(raw))
    return replace(
        blank,
        low_80=low_80,
        high_80=high_80,
        low_95=min(low_95, low_80),
        high_95=max(high_95, high_80),
        win_intercept=float(curve[0]),
        win_slope=max(float(curve[1]), LEAST_SLOPE),
    )


def fit_stages(positions: Positions) -> dict[str, Fitted]:
    """Returns the fit of every stage; raises ValueError if no stage has enough positions."""
    open_ones = positions.where((positions.moves > 1) & ~positions.is_certain)
    by_stage = {stage: open_ones.where(open_ones.stage == place) for place, stage in enumerate(STAGES)}
    is_enough = {s: len(p.raw) >= MIN_POSITIONS and p.deal_count >= MIN_DEALS for s, p in by_stage.items()}
    if not any(is_enough.values()):
        raise ValueError(
            f"no stage has {MIN_POSITIONS} open positions from {MIN_DEALS} deals: play more than "
            f"{positions.deal_count} deals"
        )
    fitted = {}
    for place, stage in enumerate(STAGES):
        # of two neighbours the later one, and where there is one a stage of the same role
        known = [other for other in STAGES if is_enough[other]]
        kindred = [other for other in known if is_of_defence(other) == is_of_defence(stage)]
        nearest = sorted(kindred or known, key=lambda s: abs(STAGES.index(s) - place))
        best = abs(STAGES.index(nearest[0]) - place)
        source = max((s for s in nearest if abs(STAGES.index(s) - place) == best), key=STAGES.index)
        used = by_stage[source]
        fitted[stage] = Fitted(
            fit_stage(used, through_origin=stage in CERTAIN_STAGES), source, len(used.raw), used.deal_count
        )
    return fitted


def save_calibration(fitted: dict[str, Fitted], plan: DealPlan, folder: Path, command: str) -> str:
    """Writes the data file of a variant with its card; returns its name."""
    table = np.array([[getattr(fitted[stage].fit, field) for field in FIELDS] for stage in STAGES])
    card = {
        "command": command,
        "rules_revision": get_variant(plan.variant).rules_revision,
        "version": __version__,
        "agent": plan.agent,
        "seed": plan.seed,
        "deals": plan.deals,
        "stages": {
            stage: {"source": item.source, "positions": item.positions, "deals": item.deals}
            for stage, item in fitted.items()
        },
    }
    name = calibration_file(plan.variant)
    save_arrays(folder, name, {TABLE: table}, card)
    return name
