"""Measured figures as JSON lines: one record for each, with its samples and what it was measured on."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.records import RecordError, append_line, no_entry, prepare_record, read_lines

_LINE: Final = "a figure of a benchmark"

FLAG: Final = "1 if so"
"""The unit of a figure that says yes or no."""


class Better(StrEnum):
    """Which way a figure gets better."""

    HIGHER = "higher"
    LOWER = "lower"


class Summary(StrEnum):
    """What stands for the samples of a figure."""

    MEDIAN = "median"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured, once or several times."""

    suite: str
    name: str
    variant: str | None
    """None where it does not depend on the game."""
    at: float | None
    """Where it stands on the axis of its plot, such as a budget; None for a figure that stands alone."""
    unit: str
    better: Better
    summary: Summary
    samples: tuple[float, ...]

    @property
    def value(self) -> float:
        """What stands for the samples."""
        return summarise(self.samples, self.summary)

    @property
    def key(self) -> tuple[str, str, str | None, float | None]:
        """What tells it from other figures."""
        return self.suite, self.name, self.variant, self.at

    @property
    def label(self) -> str:
        """Its name for people."""
        place = "" if self.at is None else f" at {self.at:,.10g}"
        return f"{self.name}{place}{'' if self.variant is None else f', {self.variant}'}"


def figure(
    suite: str,
    name: str,
    samples: Sequence[float] | float,
    unit: str,
    better: Better,
    *,
    variant: str | None = None,
    at: float | None = None,
    summary: Summary = Summary.MEDIAN,
) -> Figure:
    """Returns a figure; a single number is its only sample."""
    values = (samples,) if isinstance(samples, int | float) else samples
    return Figure(suite, name, variant, at, unit, better, summary, tuple(float(value) for value in values))


def summarise(samples: Sequence[float], summary: Summary) -> float:
    """Returns the median or the mean."""
    return statistics.median(samples) if summary is Summary.MEDIAN else math.fsum(samples) / len(samples)


def short(value: float) -> str:
    """Returns a number with about four digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A figure as a file has it."""

    figure: Figure
    machine: Mapping[str, Any]
    run: str
    """When the run began of which it is a part."""


def append_figure(record: Path, found: Figure, machine: Mapping[str, Any], run: str) -> None:
    """Adds a figure to a file."""
    append_line(record, {**asdict(found), "value": found.value, "run": run, "machine": dict(machine)})


def prepare_figures(record: Path) -> None:
    """Makes sure that figures can be added to a file, and makes its folder; raises `RecordError`, OSError."""
    record.parent.mkdir(parents=True, exist_ok=True)
    read_figures(record)
    prepare_record(record)


def read_figures(record: Path) -> list[Recorded]:
    """Returns the figures of a file, none if there is no such file; raises `RecordError` where it holds other lines."""
    found = []
    for number, entry in read_lines(record, _LINE):
        try:
            found.append(_parsed(entry))
        except (KeyError, TypeError, ValueError) as error:
            raise no_entry(record, number, _LINE) from error
    return found


def read_existing(record: Path) -> list[Recorded]:
    """Returns the figures of a file that has to be there and to hold some; raises `RecordError`."""
    if not record.exists():
        raise RecordError(f"{record}: there is no such file: `python -m tarocchi_bench all --out {record}` makes one")
    found = read_figures(record)
    if not found:
        raise RecordError(f"{record}: it holds no figures: `python -m tarocchi_bench all --out {record}` adds some")
    return found


def _parsed(entry: Mapping[str, Any]) -> Recorded:
    samples = tuple(float(value) for value in entry["samples"])
    if not samples or not all(map(math.isfinite, samples)):
        raise ValueError("samples")
    texts = [entry[name] for name in ("suite", "name", "unit", "run")]
    variant, at, machine = entry["variant"], entry["at"], entry["machine"]
    if not all(isinstance(text, str) for text in (*texts, variant or "")) or not isinstance(machine, dict):
        raise TypeError("texts")
    suite, name, unit, run = texts
    place = None if at is None else float(at)
    of_line = Figure(suite, name, variant, place, unit, Better(entry["better"]), Summary(entry["summary"]), samples)
    return Recorded(of_line, machine, run)
