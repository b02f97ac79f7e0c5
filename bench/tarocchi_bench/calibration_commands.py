"""The commands that fit the calibration to deals of self-play and that check it on fresh ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tarocchi_bench.calibration_report import Part, Report, report
from tarocchi_bench.console import (
    CORES,
    WRONG_INPUT,
    ClusterOption,
    JsonOption,
    SeedOption,
    VariantOption,
    WorkersOption,
    fail,
    long_work,
    workers_of,
)
from tarocchi_bench.training.calibration import fit_stages, save_calibration
from tarocchi_bench.training.positions import DealPlan, read_positions, record_deals
from tarocchi_bench.training.shipping import (
    OutOption,
    RecordOption,
    files_of,
    require_folder,
    tell_files,
    training_command,
)
from tarocchi_solver.search.calibration import is_of_defence

AgentOption = Annotated[str, typer.Option("--agent", help="solver:iterations=2000,... which plays all seats")]
DealsOption = Annotated[int, typer.Option(help="deals to play")]


def train_calibration(
    variant: VariantOption,
    record: RecordOption,
    out: OutOption,
    agent: AgentOption = "solver:iterations=2000",
    deals: DealsOption = 300,
    seed: SeedOption = 1,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
) -> None:
    """Plays deals, fits by stage what results lie behind the scores foretold, and writes the data file."""
    plan = DealPlan(variant, agent, seed, deals)
    require_folder(out)
    command = training_command(
        "calibration", variant=variant, agent=agent, deals=deals, seed=seed, record=record.name, out=out
    )
    with long_work("deals", deals, record) as progress, workers_of(workers, cluster) as team:
        record_deals(plan, record, workers=team, progress=progress)
        fitted = fit_stages(read_positions(record, plan))
        name = save_calibration(fitted, plan, out, command)
    table = Table("stage", "from", "positions", "deals", "line", "80 % range", title=name)
    for stage, item in fitted.items():
        if is_of_defence(stage) != is_of_defence(item.source):
            continue  # nobody defends in this game
        line = f"{item.fit.intercept:+.2f} + {item.fit.slope:.3f} v"
        spread = f"{item.fit.low_80:+.2f} to {item.fit.high_80:+.2f} sd"
        table.add_row(stage, item.source, f"{item.positions:,}", f"{item.deals:,}", line, spread)
    Console().print(table)
    tell_files(files_of(name, out))


def calibration(
    variant: VariantOption,
    record: RecordOption,
    agent: AgentOption = "solver:iterations=2000",
    deals: DealsOption = 300,
    seed: SeedOption = 2,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    plot: Annotated[Path | None, typer.Option(help="an SVG file to draw the figures to")] = None,
    as_json: JsonOption = False,
) -> None:
    """Checks on fresh deals whether scores, ranges and chances come true."""
    plan = DealPlan(variant, agent, seed, deals)
    if plot is not None and not plot.parent.is_dir():
        fail(f"{plot}: there is no folder {plot.parent}: make it first", WRONG_INPUT)
    with long_work("deals", deals, record) as progress, workers_of(workers, cluster) as team:
        record_deals(plan, record, workers=team, progress=progress)
        found = report(read_positions(record, plan), plan)
        if plot is not None:
            # drawing takes a second to load, and most calls draw nothing
            from tarocchi_bench.calibration_plot import draw_report

            draw_report(found, plot)
    if as_json:
        print(json.dumps(found.as_json()))
        return
    _print(found)


def _coverage(part: Part | None, name: str) -> str:
    return "none" if part is None else f"{getattr(part, name):.1%} ± {getattr(part, f'{name}_error'):.1%}"


def _print(found: Report) -> None:
    table = Table(
        "figure", "calibrated", "raw", "bar met", title=f"{found.positions:,} positions of {found.deals:,} deals"
    )
    ways = (found.calibrated, found.raw)
    bars = {name: "yes" if met else "no" for name, met in found.bars.items()}

    def add(title: str, bar: str, texts: list[str]) -> None:
        table.add_row(title, *texts, bars.get(bar, ""))

    add("slope", "slope", [f"{way.slope:.3f} ({way.slope_low_95:.3f} to {way.slope_high_95:.3f})" for way in ways])
    for share in ("80", "95"):
        name = f"coverage_{share}"
        add(f"within the {share} % range", name, [_coverage(way.open, name) for way in ways])
        add("and where it is exact", "", [_coverage(way.overall, name) for way in ways])
    stages = list(zip(found.calibrated.stages, found.raw.stages, strict=True))
    for parts in stages:
        add(f"{parts[0].stage}: bias", "", [f"{part.bias:+.2f} ± {part.bias_error:.2f}" for part in parts])
    for parts in stages:
        add(f"{parts[0].stage}: within 80 %", "", [f"{part.coverage_80:.1%}" for part in parts])
    worst = [max(way.drift, key=lambda each: abs(each.change) / max(each.error, 1e-9)) for way in ways]
    add("largest drift", "drift", [f"{e.start} to {e.end}: {e.change:+.2f} ± {e.error:.2f}" for e in worst])
    chances = [way.chances for way in ways]
    add("log score of the chance to win", "", [f"{each.log_score:.4f}" for each in chances])
    add("better than 0.5 by", "", [f"{e.gain_over_half:.4f} ± {e.gain_over_half_error:.4f}" for e in chances])
    add("better than points by", "", [f"{e.gain_over_points:.4f} ± {e.gain_over_points_error:.4f}" for e in chances])
    add("Brier score", "", [f"{each.brier:.4f}" for each in chances])
    add("bias of all stages", "bias_of_stages", ["", ""])
    add("coverage of all stages", "coverage_80_of_stages", ["", ""])
    add("enough positions", "enough", ["", ""])
    Console().print(table)
