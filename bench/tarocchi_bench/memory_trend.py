"""Tells from samples of a process's memory whether its calls leave anything behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

LEAK_KIB: Final = 1.0
"""Less than so much for each call, and memory is called flat."""
CONFIDENCE: Final = 0.95
_SETTLED_SHARE: Final = 2 / 3
"""The share of the samples, the last ones, that the line goes through."""
_BLOCKS: Final = 24
"""The line goes through the medians of so many blocks: samples that follow each other closely say much the same."""
_FEWEST: Final = 2 * _BLOCKS


@dataclass(frozen=True, slots=True)
class Trend:
    """The slope of memory over calls, through the last two thirds of the samples, with an interval of 95 %."""

    kib_per_call: float
    low: float
    high: float
    lowest_mib: float
    highest_mib: float
    """The least and the most memory among the samples."""

    @property
    def is_flat(self) -> bool:
        """Whether calls leave less than LEAK_KIB behind, as sure as the interval is."""
        return self.high <= LEAK_KIB

    @property
    def is_rising(self) -> bool:
        """Whether calls leave something behind, as sure as the interval is, and not next to nothing."""
        return self.low > 0.0 and not self.is_flat


def trend_of(samples: Sequence[tuple[int, float]]) -> Trend | None:
    """Returns the trend of samples of (calls made so far, MiB) in the order of time; None if they are too few."""
    settled = np.array(samples[round(len(samples) * (1 - _SETTLED_SHARE)) :], dtype=np.float64)
    if len(settled) < _FEWEST or settled[0, 0] == settled[-1, 0]:
        return None
    blocks = np.array_split(settled, _BLOCKS)
    calls = np.array([block[:, 0].mean() for block in blocks])
    kib = np.array([np.median(block[:, 1]) for block in blocks]) * 1024
    # every command of the benchmarks would wait for it
    from scipy import stats

    line = stats.linregress(calls, kib)
    margin = float(stats.t.ppf((1 + CONFIDENCE) / 2, _BLOCKS - 2) * line.stderr)
    slope = float(line.slope)
    memory = settled[:, 1]
    return Trend(slope, slope - margin, slope + margin, float(memory.min()), float(memory.max()))
