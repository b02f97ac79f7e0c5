"""Whether memory is flat is told from its samples, with as much doubt as they leave."""

from __future__ import annotations

import numpy as np
import pytest

from tarocchi_bench.memory_trend import Trend, trend_of


def sampled(kib_per_call: float, calls: int, *, seed: int = 1, swing: float = 10.0, count: int = 3000) -> Trend | None:
    """Returns the trend of memory that swings slowly, and jumps at first, on top of what calls leave behind."""
    draw = np.random.default_rng(seed)
    made = np.linspace(0, calls, count)
    slow = np.repeat(draw.normal(0, swing, count // 50), 50)
    memory = 250 + slow + kib_per_call * made / 1024
    memory[: count // 5] -= 80
    return trend_of([(int(number), float(mib)) for number, mib in zip(made, memory, strict=True)])


@pytest.mark.parametrize("seed", range(5))
def test_memory_that_only_swings_is_flat(seed: int) -> None:
    found = sampled(0.0, 50_000, seed=seed)
    assert found is not None
    assert found.is_flat
    assert not found.is_rising
    assert found.lowest_mib < 250 < found.highest_mib


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("leak", [3.0, 10.0])
def test_calls_that_leave_something_behind_are_noticed(leak: float, seed: int) -> None:
    found = sampled(leak, 50_000, seed=seed)
    assert found is not None
    assert found.is_rising
    assert not found.is_flat
    assert found.low < leak < found.high or abs(found.kib_per_call - leak) < 1


def test_few_calls_prove_nothing() -> None:
    found = sampled(0.0, 1000)
    assert found is not None
    assert not found.is_flat


def test_too_few_samples_have_no_trend() -> None:
    assert trend_of([(number, 250.0) for number in range(40)]) is None
    assert trend_of([(7, 250.0)] * 500) is None
