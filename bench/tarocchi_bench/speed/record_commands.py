"""The commands that keep figures and compare them: all and compare."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from tarocchi_bench.agents import AgentError
from tarocchi_bench.console import FAILURE, WRONG_INPUT, JsonOption, fail, long_work, note, table_of
from tarocchi_bench.records import RecordError
from tarocchi_bench.speed.comparison import Change, Comparison, Verdict, compare
from tarocchi_bench.speed.figures import Figure, append_figure, prepare_figures, read_existing, short
from tarocchi_bench.speed.machine import machine_facts
from tarocchi_bench.speed.suites import SUITES, Size
from tarocchi_bench.workers import WorkerDiedError
from tarocchi_solver.client import SolverError

DEFAULT_OUT: Final = Path("build/bench/figures.jsonl")
_STYLES: Final = {Verdict.BETTER: "green", Verdict.WORSE: "red", Verdict.SAME: "", Verdict.UNKNOWN: "yellow"}


def measure_all(
    only: Annotated[
        list[str] | None, typer.Option(help=f"a suite of {', '.join(SUITES)}; may be given several times")
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="CPU seconds for the throughput of a variant; other suites in proportion")
    ] = 4.0,
    samples: Annotated[int, typer.Option(help="of each figure that can be measured again at little cost")] = 5,
    out: Annotated[
        Path, typer.Option(help="JSON lines to which the figures are added; a picture beside")
    ] = DEFAULT_OUT,
    as_json: JsonOption = False,
) -> None:
    """Measures all suites, or some: adds every figure to a file with what is known of the machine, and draws them."""
    chosen = _chosen(only)
    size = Size(seconds, samples)
    run = datetime.now(UTC).isoformat(timespec="seconds")
    found: list[Figure] = []
    failed: list[str] = []
    picture = out.with_suffix(".png")
    with long_work("suites", len(chosen), out) as advance:
        size.check()
        if picture == out:
            raise ValueError(f"{out}: the picture has that name: give --out another one, such as figures.jsonl")
        prepare_figures(out)
        facts = machine_facts()
        for suite in chosen:
            try:
                for each in SUITES[suite](size):
                    append_figure(out, each, facts, run)
                    found.append(each)
            except (SolverError, WorkerDiedError, AgentError, RuntimeError, OSError) as error:
                # what the others tell is worth having, and takes minutes
                failed.append(suite)
                note(f"warning: {suite} failed: {error}")
            advance()
        if found:
            from tarocchi_bench.speed.report import draw_report

            title = f"{facts['processor']}, {facts['cores']} cores, solver {facts['solver']}, {run}"
            draw_report(found, picture, title)
    if not found and not failed:
        fail(f"{', '.join(chosen)}: nothing to measure on this machine, which has a single core", FAILURE)
    if as_json:
        values = [{"suite": each.suite, "label": each.label, "value": each.value, "unit": each.unit} for each in found]
        shown = str(picture) if found else None
        print(json.dumps({"figures": values, "failed": failed, "out": str(out), "picture": shown}))
    elif found:
        _print_figures(Console(), found)
        note(f"added to {out}, drawn in {picture}")
    if failed:
        raise typer.Exit(FAILURE)


def compare_files(
    old: Annotated[Path, typer.Argument(help="figures of before, as `all` writes them")],
    new: Annotated[Path, typer.Argument(help="figures of after")],
    fail_below: Annotated[
        float | None,
        typer.Option(help="exit with 1 if a figure has less than so many times its old worth, beyond the spread"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compares two files of figures: ratios with intervals of 95 %, and what got better or worse beyond them.

    Of figures that may be 0 the difference is told, with its sign.
    """
    if fail_below is not None and not 0 < fail_below <= 1:
        fail(f"--fail-below is {fail_below}: give a ratio above 0 and at most 1, such as 0.95", WRONG_INPUT)
    try:
        found = compare(read_existing(old), read_existing(new))
    except RecordError as error:
        fail(str(error), WRONG_INPUT)
    if not found.changes:
        fail(f"{old} and {new} have no figure in common: measure the same suites for both", WRONG_INPUT)
    failures = [] if fail_below is None else found.failures(fail_below)
    for warning in found.warnings:
        note(f"warning: {warning}")
    if as_json:
        print(json.dumps(found.as_json() | {"failed": [f"{each.suite}: {each.label}" for each in failures]}))
    else:
        _print_changes(Console(), found)
    for each in failures:
        note(f"failed: {each.suite}: {each.label}")
    if failures:
        raise typer.Exit(FAILURE)


def _chosen(only: Sequence[str] | None) -> list[str]:
    """Returns the suites to measure in their usual order, or exits."""
    for name in only or ():
        if name not in SUITES:
            fail(f"--only: no suite is called {name!r}; there are {', '.join(SUITES)}", WRONG_INPUT)
    return [name for name in SUITES if not only or name in only]


def _print_figures(console: Console, figures: Sequence[Figure]) -> None:
    for suite in dict.fromkeys(each.suite for each in figures):
        table = table_of(suite.capitalize(), "Value", "From", "To")
        table.add_column("Unit")
        for each in figures:
            if each.suite == suite:
                ends = (each.value, min(each.samples), max(each.samples))
                table.add_row(each.label, *map(short, ends), each.unit)
        console.print(table)


def _print_changes(console: Console, found: Comparison) -> None:
    for suite in dict.fromkeys(change.suite for change in found.changes):
        table = table_of(suite.capitalize(), "Old", "New", "New/old", "From", "To")
        table.add_column("")
        for change in found.changes:
            if change.suite == suite:
                values = (short(change.old), short(change.new), *_of_change(change))
                table.add_row(change.label, *values, str(change.verdict), style=_STYLES[change.verdict])
        console.print(table)
    for where, labels in (("old", found.only_old), ("new", found.only_new)):
        if labels:
            console.print(f"Only in the {where} file: {'; '.join(labels)}", highlight=False)


def _of_change(change: Change) -> tuple[str, ...]:
    """Returns the ratio and the ends of its interval as a table shows them; the difference, signed, without a ratio."""
    if change.ratio is None:
        values, form = (change.difference, change.low, change.high), "+.4g"
    else:
        values, form = (change.ratio, change.low, change.high), ".3f"
    return tuple("-" if value is None else format(value, form) for value in values)
