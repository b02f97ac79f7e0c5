"""Compares two files of figures: ratios with their spread, and what got better or worse beyond it.

The spread is an interval of 95 % from resampling the samples of both sides (percentile bootstrap with a fixed seed). It
knows what happened while they were taken, not how another hour on the same machine would have been: several runs in
one file, taken in turn with those of the other, say more than one of each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_bench.speed.figures import Better, Figure, Recorded, Summary
from tarocchi_bench.speed.machine import COMPARED

RESAMPLES: Final = 4_000
CONFIDENCE: Final = 0.95
_SEED: Final = 1


class Verdict(StrEnum):
    """What two sets of samples say about a figure."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "within the spread"
    UNKNOWN = "spread not known"


@dataclass(frozen=True, slots=True)
class Change:
    """A figure that both files have."""

    suite: str
    label: str
    unit: str
    better: Better
    old: float
    new: float
    ratio: float | None
    """The new value over the old one; None where a sample of either is 0 or less."""
    low: float | None
    high: float | None
    """The ends of the interval of the ratio; of the difference where there is no ratio. None where not known."""
    verdict: Verdict

    @property
    def difference(self) -> float:
        """The new value minus the old one."""
        return self.new - self.old

    @property
    def gain(self) -> float | None:
        """The ratio, turned so that more than 1 is better."""
        if not self.ratio:
            return None
        return self.ratio if self.better is Better.HIGHER else 1.0 / self.ratio


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes, and what makes them hard to read."""

    changes: tuple[Change, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    warnings: tuple[str, ...]

    def failures(self, least: float) -> list[Change]:
        """Returns what has less than `least` times its old worth, unless the spread may account for it."""
        return [change for change in self.changes if _has_failed(change, least)]

    def as_json(self) -> dict[str, Any]:
        """Returns the comparison as plain data."""
        changes = [{**asdict(change), "gain": change.gain} for change in self.changes]
        return asdict(self) | {"changes": changes}


def compare(old: Sequence[Recorded], new: Sequence[Recorded]) -> Comparison:
    """Compares the figures of two files; those of several runs in one file count together."""
    before, after = _pooled(old), _pooled(new)
    changes = tuple(_change(before[key], after[key]) for key in before if key in after)
    return Comparison(
        changes=changes,
        only_old=tuple(_full_label(found) for key, found in before.items() if key not in after),
        only_new=tuple(_full_label(found) for key, found in after.items() if key not in before),
        warnings=tuple(_warnings(old, new)),
    )


def _pooled(lines: Sequence[Recorded]) -> dict[tuple[object, ...], Figure]:
    """Returns each figure, by what tells it from others and its unit, with the samples of all its lines."""
    found: dict[tuple[object, ...], Figure] = {}
    for line in lines:
        own = line.figure
        key = (*own.key, own.unit)
        known = found.get(key)
        found[key] = own if known is None else replace(own, samples=known.samples + own.samples)
    return found


def _full_label(found: Figure) -> str:
    return f"{found.suite}: {found.label}"


def _change(old: Figure, new: Figure) -> Change:
    before, after = old.value, new.value
    # resamples of a figure that is sometimes 0, as regret is, may be 0 as a whole
    has_ratio = min(*old.samples, *new.samples) > 0
    low, high = interval(old.samples, new.samples, new.summary, is_ratio=has_ratio)
    if low is None or high is None:
        # a figure that came out the same to the last bit, such as a count, needs no spread
        verdict = Verdict.SAME if before == after else Verdict.UNKNOWN
    else:
        nothing = 1.0 if has_ratio else 0.0
        is_more, is_less = low > nothing, high < nothing
        is_better = is_more if new.better is Better.HIGHER else is_less
        verdict = Verdict.BETTER if is_better else Verdict.WORSE if is_more or is_less else Verdict.SAME
    ratio = after / before if has_ratio else None
    return Change(new.suite, new.label, new.unit, new.better, before, after, ratio, low, high, verdict)


def interval(
    old: Sequence[float], new: Sequence[float], summary: Summary, *, is_ratio: bool
) -> tuple[float, float] | tuple[None, None]:
    """Returns the interval of 95 % of the new summary over the old one, or of the new one minus the old one.

    None where a side has a single sample, or where all samples are alike: that is no certainty.
    """
    if min(len(old), len(new)) < 2 or (len(set(old)) == 1 and len(set(new)) == 1):
        return None, None
    # every command of the benchmarks would wait for it
    from scipy import stats

    of_rows = np.median if summary is Summary.MEDIAN else np.mean

    def change(before: npt.NDArray[np.float64], after: npt.NDArray[np.float64], axis: int = -1) -> Any:
        first, second = of_rows(before, axis=axis), of_rows(after, axis=axis)
        return second / first if is_ratio else second - first

    with np.errstate(divide="ignore", invalid="ignore"):
        found = stats.bootstrap(
            (np.asarray(old), np.asarray(new)),
            change,
            n_resamples=RESAMPLES,
            confidence_level=CONFIDENCE,
            method="percentile",
            vectorized=True,
            rng=np.random.default_rng(_SEED),
        ).confidence_interval
    low, high = float(found.low), float(found.high)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (None, None)


def _has_failed(change: Change, least: float) -> bool:
    if change.verdict not in (Verdict.WORSE, Verdict.UNKNOWN):
        return False
    if change.gain is None:
        return change.verdict is Verdict.WORSE
    return change.gain < least


def _warnings(old: Sequence[Recorded], new: Sequence[Recorded]) -> list[str]:
    """Returns sentences on what differs between the machines, or within one side."""
    found = []
    for name in COMPARED:
        before, after = (_values(lines, name) for lines in (old, new))
        if before != after:
            found.append(f"the machines differ: {name} {' and '.join(before)} before, {' and '.join(after)} after")
    return found


def _values(lines: Sequence[Recorded], name: str) -> list[str]:
    return sorted({_shown(line.machine, name) for line in lines})


def _shown(machine: Mapping[str, Any], name: str) -> str:
    value = machine.get(name, "not told")
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
