"""Intervals of 95 %: as wide as few pairs call for, and none where nothing has shown a spread."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from bench.command import run
from tarocchi_bench.intervals import half_width, interval_95, shown
from tarocchi_bench.sequential import estimate


def test_few_values_have_wide_intervals() -> None:
    """The quantiles of Student's law are those of any table of it."""
    for count, quantile in ((2, 12.706), (3, 4.303), (10, 2.262), (121, 1.980), (100_001, 1.960)):
        low, high = interval_95(1.0, 2.0, count)
        assert low is not None
        assert high is not None
        assert (1.0 - low, high - 1.0) == (pytest.approx(2 * quantile, abs=2e-3), pytest.approx(2 * quantile, abs=2e-3))


def test_the_mean_lies_in_nineteen_of_twenty_intervals() -> None:
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(2000):
        low, high = estimate(rng.normal(7.0, 3.0, 4).tolist()).interval_95
        assert low is not None
        assert high is not None
        inside += low < 7.0 < high
    assert 0.935 < inside / 2000 < 0.965


@pytest.mark.parametrize("values", [[0.0, 0.0], [5.0] * 3, [0.1] * 3, [1 / 3] * 300])
def test_values_that_are_alike_have_none(values: list[float]) -> None:
    """Nor one of the width of a rounding error."""
    found = estimate(values)
    assert (found.mean, found.standard_error, found.interval_95) == (values[0], 0.0, (None, None))


def test_a_single_value_has_none() -> None:
    assert interval_95(3.0, math.inf, 1) == (None, None)
    assert interval_95(3.0, 0.5, 1) == (None, None)


def test_what_is_shown() -> None:
    assert (shown(-1.0, 2.5), half_width(-1.0, 2.5)) == ("-1.00 to +2.50", 1.75)
    assert (shown(None, None), half_width(None, None)) == ("not known", None)


def test_commands_tell_null_or_not_known() -> None:
    told = "arena --variant piedicavallo --a random --b random --pairs 2 --workers 1"
    result = json.loads(run(f"{told} --json").printed)
    assert (result["low_95"], result["high_95"], result["mean_difference"]) == (None, None, 0.0)
    assert run(told).printed.count("not known") == 2
