"""One picture of a run: for each suite its figures, medians with the range of their samples, means with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure as Picture

from tarocchi_bench.intervals import half_width
from tarocchi_bench.plots import STYLE
from tarocchi_bench.sequential import estimate
from tarocchi_bench.speed.figures import FLAG, Better, Figure, Summary, short

_COLUMNS: Final = 2
_WIDTH: Final = 7.2
_ROW: Final = 0.30
_FRAME: Final = 1.1
_DPI: Final = 110
_AXES: Final = {"scaling": "milliseconds of a search", "latency": "clients", "memory": "iterations"}
"""What `at` is, for the suites that have figures at several places."""


def draw_report(figures: Sequence[Figure], path: Path, title: str) -> None:
    """Draws figures as a PNG file, a panel for each unit of a suite; those with several budgets become lines."""
    panels = _panels([found for found in figures if found.unit != FLAG])
    rows = math.ceil(len(panels) / _COLUMNS)
    heights = [max(_height(panel) for panel in panels[row * _COLUMNS : (row + 1) * _COLUMNS]) for row in range(rows)]
    with mpl.rc_context(STYLE):
        picture = Picture(figsize=(_WIDTH * _COLUMNS, sum(heights) + 0.5), layout="constrained")
        axes = picture.subplots(rows, _COLUMNS, squeeze=False, height_ratios=heights).flatten()
        for own, panel in zip(axes, panels, strict=False):
            (_draw_lines if _is_curve(panel) else _draw_bars)(own, panel)
            better = {found.better for found in panel}
            arrow = {Better.HIGHER: " (more is better)", Better.LOWER: " (less is better)"}
            own.set_title(f"{panel[0].suite}{arrow[better.pop()] if len(better) == 1 else ''}", loc="left")
        for own in axes[len(panels) :]:
            own.set_axis_off()
        picture.suptitle(title, fontsize=9)
        picture.savefig(path, format="png", dpi=_DPI, metadata={"Software": None})


def _panels(figures: Sequence[Figure]) -> list[list[Figure]]:
    """Returns the figures by suite, unit and whether they stand on an axis, in the order in which they came."""
    panels: dict[tuple[str, str, bool], list[Figure]] = {}
    for found in figures:
        panels.setdefault((found.suite, found.unit, found.at is None), []).append(found)
    return list(panels.values())


def _is_curve(panel: Sequence[Figure]) -> bool:
    """Tells whether every figure of a panel stands somewhere on an axis, at more than one place."""
    places = {found.at for found in panel}
    return None not in places and len(places) > 1


def _height(panel: Sequence[Figure]) -> float:
    return _FRAME + (2.4 if _is_curve(panel) else _ROW * len(panel))


def _error(found: Figure) -> list[list[float]]:
    """Returns how far the samples reach below and above a median; of a mean, half the width of its interval of 95 %."""
    if found.summary is Summary.MEAN:
        half = half_width(*estimate(found.samples).interval_95) if len(found.samples) > 1 else None
        return [[half or 0.0], [half or 0.0]]
    return [[max(found.value - min(found.samples), 0.0)], [max(max(found.samples) - found.value, 0.0)]]


def _draw_bars(axes: Any, panel: Sequence[Figure]) -> None:
    places = list(range(len(panel)))[::-1]
    for found, place in zip(panel, places, strict=True):
        axes.barh(place, found.value, xerr=_error(found), height=0.6, color="tab:blue", alpha=0.75, capsize=2)
        axes.annotate(
            short(found.value),
            (found.value + _error(found)[1][0], place),
            (4, 0),
            textcoords="offset points",
            va="center",
        )
    axes.set_yticks(places, [found.label for found in panel])
    axes.set_xlabel(panel[0].unit)
    axes.margins(x=0.15)


def _draw_lines(axes: Any, panel: Sequence[Figure]) -> None:
    lines: dict[str, list[Figure]] = {}
    for found in panel:
        name = found.name if found.variant is None else f"{found.name}, {found.variant}"
        lines.setdefault(name, []).append(found)
    for name, line in lines.items():
        line.sort(key=lambda found: found.at or 0.0)
        below, above = ([_error(found)[side][0] for found in line] for side in (0, 1))
        places, values = [found.at for found in line], [found.value for found in line]
        axes.errorbar(places, values, yerr=[below, above], fmt="o-", markersize=4, capsize=3, label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel(panel[0].unit)
    axes.set_xlabel(_AXES.get(panel[0].suite, ""))
    axes.legend(fontsize=7, frameon=False)
