"""Means and intervals of positions of which those from one deal hang together: the deal is the unit of analysis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Mean(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float


def deal_sums(values: npt.NDArray[Any], deals: npt.NDArray[np.int64]) -> Floats:
    """Returns the sum of `values` [positions, ...] over each deal, [deals, ...]."""
    _different, places = np.unique(deals, return_inverse=True)
    sums = np.zeros((int(places.max()) + 1, *values.shape[1:]))
    np.add.at(sums, places, values)
    return sums


def mean_by_deal(values: npt.NDArray[Any], deals: npt.NDArray[np.int64]) -> Mean:
    """Returns the mean of `values` and its standard error over deals, infinite for a single deal."""
    mean = float(values.mean())
    sums = deal_sums(values - mean, deals)
    count = len(sums)
    if count < 2:
        return Mean(mean, float("inf"))
    return Mean(mean, float(np.sqrt(np.square(sums).sum() * count / (count - 1)) / len(values)))


def slope_by_deal(
    predicted: Floats, results: Floats, deals: npt.NDArray[np.int64], resamples: int, seed: int = 0
) -> tuple[float, float, float]:
    """Returns the slope of `results` over `predicted` with its 95 % interval, by a bootstrap over deals."""
    ones = np.ones(len(predicted))
    columns = np.stack([ones, predicted, results, predicted * predicted, predicted * results], axis=1)
    sums = deal_sums(columns, deals)
    weights = np.random.default_rng(seed).multinomial(len(sums), np.full(len(sums), 1.0 / len(sums)), size=resamples)
    totals = np.concatenate([sums.sum(axis=0, keepdims=True), weights @ sums])
    count, x, y, xx, xy = totals.T
    slopes = (count * xy - x * y) / np.maximum(count * xx - x * x, 1e-12)
    low, high = np.quantile(slopes[1:], [0.025, 0.975])
    return float(slopes[0]), float(low), float(high)
