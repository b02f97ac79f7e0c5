"""Statistics of paired results: mean, standard error, and a sequential test that says when enough was played.

Nothing here reads or writes anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MIN_PAIRS: Final = 50
"""No verdict before so many pairs: the spread is not known well enough."""
ERROR_RATE: Final = 0.05
BOUND: Final = math.log((1 - ERROR_RATE) / ERROR_RATE)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of independent differences and its standard error."""

    mean: float
    standard_error: float

    @property
    def interval_95(self) -> tuple[float, float]:
        """The 95 % interval by the normal law."""
        return self.mean - 1.96 * self.standard_error, self.mean + 1.96 * self.standard_error


def estimate(differences: Sequence[float]) -> Estimate:
    """Returns the mean and its standard error; needs at least two differences."""
    count = len(differences)
    mean = math.fsum(differences) / count
    variance = math.fsum((value - mean) ** 2 for value in differences) / (count - 1)
    return Estimate(mean, math.sqrt(variance / count))


def log_likelihood_ratio(differences: Sequence[float], gain: float) -> float:
    """Returns log P(data | mean = gain) / P(data | mean = 0) for normal differences with their own spread.

    Wald's sequential probability ratio test: the second hypothesis wins at `BOUND`, the first at `-BOUND`. 0 while the
    differences do not differ.
    """
    count = len(differences)
    found = estimate(differences)
    variance = found.standard_error**2 * count
    if variance == 0.0:
        return 0.0
    return gain / variance * count * (found.mean - gain / 2)


def verdict(differences: Sequence[float], gain: float) -> str | None:
    """Returns "gain" or "no gain" once the test has decided, None while it has not."""
    if len(differences) < MIN_PAIRS:
        return None
    ratio = log_likelihood_ratio(differences, gain)
    if abs(ratio) < BOUND:
        return None
    return "gain" if ratio > 0 else "no gain"
