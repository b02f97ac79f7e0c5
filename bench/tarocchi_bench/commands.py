"""The command line of the benchmarks."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from tarocchi_bench.agents import AgentSpecError
from tarocchi_bench.arena import SAME_AGENTS, UNDECIDED, MatchPlan, play_match
from tarocchi_bench.endings import measure_endings
from tarocchi_bench.sequential import ERROR_RATE, MIN_PAIRS
from tarocchi_bench.stopping import Stopped
from tarocchi_bench.throughput import Throughput, measure
from tarocchi_bench.workers import WorkerDiedError
from tarocchi_engine import VARIANTS, UnknownVariantError

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
_notes = Console(stderr=True)

FAILURE, WRONG_INPUT = 1, 2

VariantOption = Annotated[str, typer.Option("--variant", help="bolognese or piedicavallo")]
GAIN_HELP = (
    f"stop when this advantage in points a deal, or none, is established with an error of {ERROR_RATE:.0%}; "
    f"takes at least {MIN_PAIRS} pairs and at most --pairs"
)
JsonOption = Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")]


@app.command()
def throughput(
    variant: VariantOption,
    seconds: Annotated[float, typer.Option(help="CPU seconds to measure for")] = 4.0,
    as_json: JsonOption = False,
) -> None:
    """Measures playouts and search iterations per second of CPU, on one thread."""
    _print(asdict(_measured(variant, seconds)), as_json, f"throughput of {variant}")


@app.command("all")
def measure_all(seconds: Annotated[float, typer.Option(help="CPU seconds for each variant")] = 4.0) -> None:
    """Measures the throughput of every variant."""
    for name in VARIANTS:
        _print(asdict(_measured(name, seconds)), as_json=False, title=f"throughput of {name}")


def _measured(variant: str, seconds: float) -> Throughput:
    try:
        return measure(variant, seconds)
    except (UnknownVariantError, ValueError) as error:
        _fail(str(error), WRONG_INPUT)


@app.command()
def endings(
    variant: VariantOption,
    tricks: Annotated[int, typer.Option(help="tricks left")] = 6,
    deals: Annotated[int, typer.Option(help="endings of random play to solve")] = 100,
    seed: Annotated[int, typer.Option(help="seed of the deals and of their play")] = 1,
    node_limit: Annotated[int, typer.Option(help="cards played after which an ending is given up")] = 10**9,
    as_json: JsonOption = False,
) -> None:
    """Measures how fast endings are solved with all cards open, each from an empty table, on one thread."""
    try:
        result = measure_endings(variant, tricks, deals, seed=seed, node_limit=node_limit)
    except (UnknownVariantError, ValueError) as error:
        _fail(str(error), WRONG_INPUT)
    _print(asdict(result), as_json, f"endings of {variant} with {tricks} tricks left")


@app.command()
def arena(
    variant: VariantOption,
    a: Annotated[str, typer.Option("--a", help="random, greedy or solver:iterations=1000,...")],
    b: Annotated[str, typer.Option("--b", help="the opponent, named likewise")],
    pairs: Annotated[int, typer.Option(help="deals, each played twice with the sides exchanged")] = 100,
    seed: Annotated[int, typer.Option(help="seed of the deals and of the thinking")] = 1,
    workers: Annotated[int, typer.Option(help="processes that play at the same time")] = os.cpu_count() or 1,
    record: Annotated[Path | None, typer.Option(help="JSON lines: pairs found there are not played again")] = None,
    gain: Annotated[float | None, typer.Option(help=GAIN_HELP)] = None,
    as_json: JsonOption = False,
) -> None:
    """Plays a duplicate match and prints A's advantage in points a deal with its standard error over pairs.

    Both sides think with the same random numbers at the same point, so moves that they agree on add no noise.
    """
    plan = MatchPlan(variant, a, b, seed, pairs)
    columns = ("pairs", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_notes, transient=True, disable=not _notes.is_terminal) as progress:
        task = progress.add_task("pairs", total=pairs)
        try:
            result = play_match(
                plan, workers=workers, record=record, gain=gain, progress=lambda: progress.advance(task)
            )
        except (AgentSpecError, UnknownVariantError, ValueError) as error:
            progress.stop()
            _fail(str(error), WRONG_INPUT)
        except (OSError, WorkerDiedError) as error:
            progress.stop()
            _fail(str(error), FAILURE)
        except Stopped as stopped:
            done = int(progress.tasks[task].completed)
            kept = f"; {record} has them, and the same command goes on from there" if record and done else ""
            progress.stop()
            _note(f"stopped by {stopped} after {done} of {pairs} pairs{kept}")
            raise
    if plan.is_even:
        _note(SAME_AGENTS)
    elif result.verdict == UNDECIDED and result.standard_error == 0:
        _note("no verdict: all pairs came out alike, so that the test has no spread to judge by")
    _print(asdict(result), as_json, f"{a} against {b}")


def _print(values: dict[str, object], as_json: bool, title: str) -> None:
    if as_json:
        print(json.dumps(values))
        return
    table = Table("figure", "value", title=title)
    for name, value in values.items():
        table.add_row(name, f"{value:,.2f}" if isinstance(value, float) else str(value))
    Console().print(table)


def _note(text: str) -> None:
    _notes.print(text, markup=False, highlight=False, soft_wrap=True)


def _fail(text: str, code: int) -> NoReturn:
    _notes.print(f"error: {text}", style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(code)
