"""Plots as SVG files that depend on what they show alone: no dates, no random names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

from tarocchi_bench.arena import MatchResult
from tarocchi_bench.intervals import half_width

STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "tarocchi",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_NO_TRACES: Final = {"Date": None, "Creator": None}


def plot_matches(results: Sequence[MatchResult], path: Path) -> None:
    """Draws the advantages of matches of one variant with their 95 % intervals where known, the first on top."""
    opponents = {result.b for result in results}
    has_one = len(opponents) == 1
    labels = [result.a if has_one else f"{result.a} against {result.b}" for result in results]
    means = [result.mean_difference for result in results]
    halves = [half_width(result.low_95, result.high_95) for result in results]
    places = list(range(len(results)))[::-1]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 1.1 + 0.38 * len(results)), layout="constrained")
        axes = figure.subplots()
        axes.axvline(0.0, color="0.6", linewidth=0.8)
        bars = [math.nan if half is None else half for half in halves]
        axes.errorbar(means, places, xerr=bars, fmt="o", markersize=4, capsize=3, color="tab:blue")
        for mean, half, place in zip(means, halves, places, strict=True):
            text = f"{mean:+.1f}{'' if half is None else f' ± {half:.1f}'}"
            axes.annotate(text, (mean, place), (0, 5), textcoords="offset points", ha="center", fontsize=7)
        axes.set_yticks(places, labels)
        axes.set_ylim(-0.6, len(results) - 0.4)
        axes.margins(x=0.12)
        unit = f"points a deal against {next(iter(opponents))}" if has_one else "points a deal"
        axes.set_xlabel(f"{unit}, with 95 % intervals")
        axes.set_title(results[0].variant)
        figure.savefig(path, format="svg", metadata=_NO_TRACES)
