"""Draws a report on calibration."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.figure import Figure

from tarocchi_bench.calibration_report import COVERAGE_80_BAR, RESULT, Figures, Report
from tarocchi_solver.search.calibration import STAGES

_SALT: Final = "tarocchi"
_INCHES: Final = (13.0, 4.2)
_COLOURS: Final = {"calibrated": "#1b6ca8", "raw": "#c0752a"}


def draw_report(report: Report, path: Path) -> None:
    """Writes an SVG with the reliability, the coverage and the drift; the same report gives the same bytes."""
    with matplotlib.rc_context({"svg.hashsalt": _SALT, "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        reliability, coverage, drift = figure.subplots(1, 3)
        ways = {"calibrated": report.calibrated, "raw": report.raw}
        if report.calibration is None:
            ways.pop("calibrated")
        _draw_reliability(reliability, ways)
        _draw_coverage(coverage, ways)
        _draw_drift(drift, ways)
        figure.suptitle(f"{report.variant}: {report.positions:,} positions of {report.deals:,} deals, {report.agent}")
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _draw_reliability(axes: Any, ways: dict[str, Figures]) -> None:
    for name, found in ways.items():
        foretold = [each.foretold for each in found.bins]
        axes.errorbar(
            foretold,
            [each.result for each in found.bins],
            yerr=[2 * each.error for each in found.bins],
            fmt="o",
            markersize=4,
            capsize=2,
            color=_COLOURS[name],
            label=f"{name}, slope {found.slope:.3f}",
        )
    ends = [min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.get_xlim()[1], axes.get_ylim()[1])]
    axes.plot(ends, ends, color="grey", linewidth=0.8)
    axes.set(xlabel="expected score", ylabel="mean result ± 2 errors", title="Reliability")
    axes.legend(frameon=False)


def _draw_coverage(axes: Any, ways: dict[str, Figures]) -> None:
    for name, found in ways.items():
        places = [STAGES.index(part.stage) for part in found.stages]
        axes.errorbar(
            places,
            [100 * part.coverage_80 for part in found.stages],
            yerr=[200 * part.coverage_80_error for part in found.stages],
            fmt="o",
            markersize=4,
            capsize=2,
            color=_COLOURS[name],
            label=f"{name}, {found.overall.coverage_80:.1%} of all",
        )
    axes.axhspan(*(100 * share for share in COVERAGE_80_BAR), color="grey", alpha=0.25)
    axes.set_xticks(range(len(STAGES)), STAGES, rotation=60)
    axes.set(ylabel="results within the 80 % range, %", title="Coverage")
    axes.legend(frameon=False)


def _draw_drift(axes: Any, ways: dict[str, Figures]) -> None:
    for name, found in ways.items():
        to_result = [each for each in found.drift if each.end == RESULT]
        axes.errorbar(
            [STAGES.index(each.start) for each in to_result],
            [each.change for each in to_result],
            yerr=[2 * each.error for each in to_result],
            fmt="o",
            markersize=4,
            capsize=2,
            color=_COLOURS[name],
            label=name,
        )
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(STAGES)), STAGES, rotation=60)
    axes.set(ylabel="result minus score, points ± 2 errors", title="Drift to the end of the deal")
    axes.legend(frameon=False)
