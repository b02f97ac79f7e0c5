"""The sequential test: what it finds, how often it errs, and that it does not go through all pairs again and again."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable

import pytest

from tarocchi_bench.sequential import BOUND, SequentialTest


def after(differences: Iterable[float], gain: float) -> SequentialTest:
    """Returns a test that has seen the differences."""
    test = SequentialTest(gain)
    for difference in differences:
        test.add(difference)
    return test


def test_the_sequential_test_decides() -> None:
    rng = random.Random(1)
    level = [rng.gauss(0.0, 10.0) for _ in range(2000)]
    better = [value + 5.0 for value in level]
    assert after(level[:49], 5.0).verdict is None
    assert after([value + 50.0 for value in level[:49]], 5.0).verdict is None
    assert after([value + 50.0 for value in level[:50]], 5.0).verdict == "gain"
    assert after(level, 5.0).verdict == "no gain"
    assert after(better, 5.0).verdict == "gain"
    assert after([1.0] * 60, 5.0).verdict is None
    assert pytest.approx(2.944, abs=1e-3) == BOUND


def test_the_ratio_is_that_of_its_definition() -> None:
    rng = random.Random(2)
    values = [rng.gauss(5.0, 10.0) for _ in range(49)]
    by_definition = sum((5.0 * value - 12.5) / statistics.variance(values) for value in values)
    assert after(values, 5.0).log_likelihood_ratio == pytest.approx(by_definition)
    assert after([], 5.0).log_likelihood_ratio == after([3.0], 5.0).log_likelihood_ratio == 0.0


def test_a_verdict_stands() -> None:
    rng = random.Random(3)
    test = after([rng.gauss(5.0, 10.0) for _ in range(2000)], 5.0)
    assert test.verdict == "gain"
    for _ in range(2000):
        test.add(rng.gauss(-5.0, 10.0))
    assert test.verdict == "gain"


def test_error_rates_are_near_their_nominal_values() -> None:
    """Four hundred matches under either hypothesis, looked at after each pair: about one in twenty goes wrong."""
    for truth, wrong in ((0.0, "gain"), (4.0, "no gain")):
        rng = random.Random(int(truth) + 7)
        mistakes = 0
        for _ in range(400):
            test = SequentialTest(4.0)
            while test.verdict is None:
                test.add(rng.gauss(truth, 10.0))
            mistakes += test.verdict == wrong
        assert mistakes <= 34
