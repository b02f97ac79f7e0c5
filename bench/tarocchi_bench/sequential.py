"""Statistics of paired results: mean, standard error, and a sequential test that says when enough was played.

Nothing here reads or writes anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tarocchi_bench.intervals import interval_95

MIN_PAIRS: Final = 50
"""No verdict before so many pairs: the spread is not known well enough."""
ERROR_RATE: Final = 0.05
BOUND: Final = math.log((1 - ERROR_RATE) / ERROR_RATE)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of independent differences and its standard error."""

    mean: float
    standard_error: float
    """Exactly 0 where all differences are alike."""
    count: int

    @property
    def interval_95(self) -> tuple[float, float] | tuple[None, None]:
        """The 95 % interval by Student's law, not known where all differences are alike: see `intervals`."""
        return interval_95(self.mean, self.standard_error, self.count)


def estimate(differences: Sequence[float]) -> Estimate:
    """Returns the mean and its standard error; needs at least two differences."""
    count = len(differences)
    if len(set(differences)) == 1:
        return Estimate(differences[0], 0.0, count)
    mean = math.fsum(differences) / count
    variance = math.fsum((value - mean) ** 2 for value in differences) / (count - 1)
    return Estimate(mean, math.sqrt(variance / count), count)


@dataclass(slots=True)
class SequentialTest:
    """Wald's sequential probability ratio test between a mean of `gain` and a mean of 0, both errors 5 %.

    The differences are taken as normal with their own spread. The one hypothesis wins at `BOUND`, the other at
    `-BOUND`, neither before `MIN_PAIRS` and neither while the differences do not differ: their spread is unknown then.
    """

    gain: float
    verdict: str | None = None
    """ "gain" or "no gain" once the test has decided; more differences do not change it."""
    _count: int = field(default=0, init=False)
    _mean: float = field(default=0.0, init=False)
    _squares: float = field(default=0.0, init=False)
    """Sum of the squared distances from the mean (Welford's method)."""

    @property
    def log_likelihood_ratio(self) -> float:
        """The log of P(data | mean = gain) / P(data | mean = 0); 0 while the differences do not differ."""
        if self._squares == 0.0:
            return 0.0
        variance = self._squares / (self._count - 1)
        return self.gain / variance * self._count * (self._mean - self.gain / 2)

    def add(self, difference: float) -> None:
        """Takes in the next difference; the test's work for it does not grow with those before."""
        if self.verdict is not None:
            return
        self._count += 1
        step = difference - self._mean
        self._mean += step / self._count
        self._squares += step * (difference - self._mean)
        ratio = self.log_likelihood_ratio
        if self._count >= MIN_PAIRS and abs(ratio) >= BOUND:
            self.verdict = "gain" if ratio > 0 else "no gain"
