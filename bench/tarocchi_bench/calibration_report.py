"""Measures on fresh deals how honest the solver's numbers are: scores, ranges and chances against what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_bench.clusters import Mean, mean_by_deal, slope_by_deal
from tarocchi_bench.training.calibration import FOLDS, fit_logistic
from tarocchi_bench.training.positions import DealPlan, Positions
from tarocchi_solver.search.calibration import STAGES, StageFit, calibration_card, fits_of

BIN_COUNT: Final = 10
RESAMPLES: Final = 300
RESULT: Final = "result"
"""The end of a deal, after all stages."""
SLOPE_BAR: Final = (0.95, 1.05)
COVERAGE_80_BAR: Final = (0.78, 0.82)
COVERAGE_95_BAR: Final = (0.94, 0.96)
STAGE_COVERAGE_BAR: Final = (0.75, 0.85)
MIN_POSITIONS: Final = 5000
MIN_DEALS: Final = 300
CHANCE_BAR: Final = 0.05
"""How often a bar that several means have to keep is missed by chance alone, where all of them are 0 in truth."""
_NORMAL_95: Final = 1.959964
_SURE: Final = 1e-3
"""No chance counts as surer than that in the log score."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forecast:
    """What was foretold of each position, [positions]."""

    score: Floats
    low_80: Floats
    high_80: Floats
    low_95: Floats
    high_95: Floats
    win: Floats


@dataclass(frozen=True, slots=True)
class Bin:
    """Positions with scores that are alike."""

    positions: int
    foretold: float
    result: float
    error: float
    """Of `result`, over deals."""


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of some positions."""

    stage: str
    positions: int
    deals: int
    bias: float
    """Mean of score minus result: above 0 where the scores are too high."""
    bias_error: float
    coverage_80: float
    coverage_80_error: float
    coverage_95: float
    coverage_95_error: float


@dataclass(frozen=True, slots=True)
class Drift:
    """How the score of a seat has changed on average between its first decisions in two stages."""

    start: str
    end: str
    seats: int
    change: float
    error: float


@dataclass(frozen=True, slots=True)
class Chances:
    """How well the chance to win the deal was foretold; log scores in nats, the lower the better."""

    log_score: float
    brier: float
    log_score_of_half: float
    """Of foretelling 0.5 always."""
    brier_of_half: float
    log_score_of_points: float
    """Of a logistic regression on the points taken so far, for each stage, fitted to the other deals."""
    brier_of_points: float
    gain_over_half: float
    """By how much the log score is better, with its error over deals."""
    gain_over_half_error: float
    gain_over_points: float
    gain_over_points_error: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one way to foretell."""

    slope: float
    """Of the results over the scores: below 1 where scores are too extreme."""
    slope_low_95: float
    slope_high_95: float
    overall: Part
    open: Part | None
    """The same where not every world was solved, None if there is no such position. Elsewhere the range is made of the
    results themselves: often one of them alone is likelier than 80 %, so that ranges hold more by their nature."""
    stages: tuple[Part, ...]
    bins: tuple[Bin, ...]
    drift: tuple[Drift, ...]
    chances: Chances


@dataclass(frozen=True, slots=True)
class Report:
    """The figures with calibration and without, and which bars are met."""

    variant: str
    agent: str
    seed: int
    deals: int
    positions: int
    """Decisions with a choice."""
    calibration: Mapping[str, Any] | None
    """What the calibration was fitted to, None where the variant has none; then both figures are raw."""
    calibrated: Figures
    raw: Figures
    bars: Mapping[str, bool]

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        return asdict(self)


def report(positions: Positions, plan: DealPlan) -> Report:
    """Returns the report on the decisions of a plan's deals.

    Raises ValueError if there are none, or if the calibration was fitted to these very deals.
    """
    fitted_to = calibration_card(plan.variant)
    if fitted_to is not None and (fitted_to["agent"], fitted_to["seed"]) == (plan.agent, plan.seed):
        raise ValueError(f"the calibration was fitted to the deals of seed {plan.seed}: give another seed")
    choices = positions.where(positions.moves > 1)
    if choices.deal_count < FOLDS:
        raise ValueError(f"{choices.deal_count} deals with a choice are too few: play at least {FOLDS}")
    raw = figures(choices, forecast_of(choices, None))
    calibrated = figures(choices, forecast_of(choices, fits_of(plan.variant)))
    return Report(
        variant=plan.variant,
        agent=plan.agent,
        seed=plan.seed,
        deals=plan.deals,
        positions=len(choices.raw),
        calibration=fitted_to,
        calibrated=calibrated,
        raw=raw,
        bars={
            "enough": len(choices.raw) >= MIN_POSITIONS and choices.deal_count >= MIN_DEALS,
            "slope": _within(calibrated.slope, SLOPE_BAR),
            "coverage_80": calibrated.open is None or _within(calibrated.open.coverage_80, COVERAGE_80_BAR),
            "coverage_95": calibrated.open is None or _within(calibrated.open.coverage_95, COVERAGE_95_BAR),
            "coverage_80_of_stages": all(_within(p.coverage_80, STAGE_COVERAGE_BAR) for p in calibrated.stages),
            "bias_of_stages": _are_noise([Mean(part.bias, part.bias_error) for part in calibrated.stages]),
            "drift": _are_noise([Mean(drift.change, drift.error) for drift in calibrated.drift]),
        },
    )


def _within(value: float, bar: tuple[float, float]) -> bool:
    return bar[0] <= value <= bar[1]


def _are_noise(means: list[Mean]) -> bool:
    """Tells whether means may all be 0: none is further off than chance allows the furthest of so many (Bonferroni)."""
    limit = NormalDist().inv_cdf(1.0 - CHANCE_BAR / (2 * max(len(means), 1)))
    return all(abs(each.mean) <= limit * each.error for each in means)


def forecast_of(positions: Positions, fits: Mapping[str, StageFit] | None) -> Forecast:
    """Returns what an answer says about positions, calibrated by `fits` where it is open.

    Where nothing is calibrated, 95 % of the results are taken to lie as in a normal law.
    """
    around = _NORMAL_95 * np.hypot(positions.deviation, positions.error)
    columns = [
        positions.raw.copy(),
        positions.low.copy(),
        positions.high.copy(),
        positions.raw - around,
        positions.raw + around,
        positions.win.copy(),
    ]
    for place, stage in enumerate(STAGES if fits is not None else ()):
        assert fits is not None
        fit = fits[stage]
        rows = (positions.stage == place) & ~positions.is_certain
        part = positions.where(rows)
        spread = fit.spread(part.deviation, part.error, part.worlds)
        low, high = fit.score_range(part.raw, spread)
        calibrated = (
            fit.score(part.raw),
            low,
            high,
            *fit.score_range(part.raw, spread, 0.95),
            fit.win_probability(part.win, part.worlds, low, high),
        )
        for column, values in zip(columns, calibrated, strict=True):
            column[rows] = values
    return Forecast(*columns)


def figures(positions: Positions, forecast: Forecast) -> Figures:
    """Returns all figures of a forecast."""
    slope, low, high = slope_by_deal(forecast.score, positions.result, positions.deal, RESAMPLES)
    everything = np.ones(len(positions.raw), dtype=np.bool_)
    present = [(place, stage) for place, stage in enumerate(STAGES) if (positions.stage == place).any()]
    return Figures(
        slope=slope,
        slope_low_95=low,
        slope_high_95=high,
        overall=_part("all", positions, forecast, everything),
        open=None if positions.is_certain.all() else _part("open", positions, forecast, ~positions.is_certain),
        stages=tuple(_part(stage, positions, forecast, positions.stage == place) for place, stage in present),
        bins=bins_of(positions, forecast.score),
        drift=drift_of(positions, forecast.score),
        chances=chances_of(positions, forecast.win),
    )


def _part(stage: str, positions: Positions, forecast: Forecast, rows: npt.NDArray[np.bool_]) -> Part:
    part = positions.where(rows)
    bias = mean_by_deal(forecast.score[rows] - part.result, part.deal)
    inside = [
        mean_by_deal(((low <= part.result) & (part.result <= high)).astype(np.float64), part.deal)
        for low, high in (
            (forecast.low_80[rows], forecast.high_80[rows]),
            (forecast.low_95[rows], forecast.high_95[rows]),
        )
    ]
    return Part(stage, len(part.raw), part.deal_count, *bias, *inside[0], *inside[1])


def bins_of(positions: Positions, scores: Floats) -> tuple[Bin, ...]:
    """Returns bins of equally many positions, by rising score."""
    bins = []
    for rows in np.array_split(np.argsort(scores, kind="stable"), BIN_COUNT):
        result = mean_by_deal(positions.result[rows], positions.deal[rows])
        bins.append(Bin(len(rows), float(scores[rows].mean()), *result))
    return tuple(bins)


def drift_of(positions: Positions, scores: Floats) -> tuple[Drift, ...]:
    """Returns the mean change of a seat's score between any two stages, and to the result.

    An honest score is a martingale: what will be known later cannot change it on average.
    """
    seats = int(positions.seat.max()) + 1
    games, places = np.unique(positions.deal * seats + positions.seat, return_inverse=True)
    first = np.full((len(games), len(STAGES) + 1), np.nan)
    # positions stand in the order of play, and of equal places the last assignment holds
    first[places[::-1], positions.stage[::-1]] = scores[::-1]
    first[places, len(STAGES)] = positions.result
    drifts = []
    for start, end in combinations(range(len(STAGES) + 1), 2):
        both = ~np.isnan(first[:, start]) & ~np.isnan(first[:, end])
        deals = games[both] // seats
        if len(np.unique(deals)) < 2:
            continue
        change = mean_by_deal(first[both, end] - first[both, start], deals)
        drifts.append(Drift((*STAGES, RESULT)[start], (*STAGES, RESULT)[end], int(both.sum()), *change))
    return tuple(drifts)


def chances_of(positions: Positions, win: Floats) -> Chances:
    """Returns how well the chance to win was foretold, beside two ways that know little."""
    half = np.full(len(win), 0.5)
    points = _chances_from_points(positions)
    log_scores = [_log_scores(chances, positions.won) for chances in (win, half, points)]
    briers = [float(np.square(chances - positions.won).mean()) for chances in (win, half, points)]
    over_half: Mean = mean_by_deal(log_scores[1] - log_scores[0], positions.deal)
    over_points: Mean = mean_by_deal(log_scores[2] - log_scores[0], positions.deal)
    means = [float(scores.mean()) for scores in log_scores]
    return Chances(means[0], briers[0], means[1], briers[1], means[2], briers[2], *over_half, *over_points)


def _log_scores(chances: Floats, won: Floats) -> Floats:
    sure = np.clip(chances, _SURE, 1.0 - _SURE)
    scores: Floats = -(won * np.log(sure) + (1.0 - won) * np.log(1.0 - sure))
    return scores


def _chances_from_points(positions: Positions) -> Floats:
    """Returns the chances to win from the points so far, each from a regression on the other deals."""
    chances = np.full(len(positions.raw), 0.5)
    _different, places = np.unique(positions.deal, return_inverse=True)
    scale = max(float(positions.lead.std()), 1e-9)
    features = np.stack([np.ones(len(chances)), positions.lead / scale], axis=1)
    for stage in np.unique(positions.stage):
        for fold in range(FOLDS):
            inside = (positions.stage == stage) & (places % FOLDS == fold)
            others = (positions.stage == stage) & (places % FOLDS != fold)
            weights = fit_logistic(features[others], positions.won[others], np.zeros(2), np.full(2, 3.0), 1.0)
            chances[inside] = 1.0 / (1.0 + np.exp(-(features[inside] @ weights)))
    return chances
