"""What the commands share: their options, the progress of long work, how results and errors are shown."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn, Protocol, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from tarocchi_bench.agents import AgentError, with_budget
from tarocchi_bench.agents.names import NAMES
from tarocchi_bench.cluster import ClusterError, cluster_executor
from tarocchi_bench.intervals import NOT_KNOWN
from tarocchi_bench.stopping import Stopped
from tarocchi_bench.workers import WorkerDiedError, Workers
from tarocchi_engine import VARIANTS
from tarocchi_engine.compilation import default_cache_root

FAILURE, WRONG_INPUT = 1, 2
CORES = os.cpu_count() or 1

VariantOption = Annotated[str, typer.Option("--variant", help=", ".join(VARIANTS))]
RuleOptions = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="a rule option; may be given several times")
]
AOption = Annotated[str, typer.Option("--a", help=NAMES)]
BOption = Annotated[str, typer.Option("--b", help="the opponent, named likewise")]
SeedOption = Annotated[int, typer.Option(help="seed of the deals and of the thinking")]
WorkersOption = Annotated[int, typer.Option(help="processes that play at the same time")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers play instead"
    ),
]
TimeMs = Annotated[int | None, typer.Option(min=1, help="milliseconds a decision, for agents that name no budget")]
CpuMs = Annotated[int | None, typer.Option(min=1, help="CPU milliseconds a decision, for agents that name no budget")]
Iterations = Annotated[int | None, typer.Option(min=1, help="iterations a decision, for agents that name no budget")]
JsonOption = Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")]
DealsOption = Annotated[
    Path | None, typer.Option(help="JSON lines of whole deals of the base agent, kept for next time")
]

_notes = Console(stderr=True)


def note(text: str) -> None:
    """Says something beside the result."""
    _notes.print(text, markup=False, highlight=False, soft_wrap=True)


def fail(text: str, code: int) -> NoReturn:
    """Says what is wrong and exits."""
    _notes.print(f"error: {text}", style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(code)


def print_result(values: Mapping[str, object], as_json: bool, title: str) -> None:
    """Prints named figures as one JSON object or as a table, which leaves out what does not apply."""
    if as_json:
        print(json.dumps(values))
        return
    table = Table("figure", "value", title=title)
    for name, value in values.items():
        if value is None and name not in ("low_95", "high_95"):
            continue
        value = NOT_KNOWN if value is None else value
        table.add_row(name, f"{value:,.2f}" if isinstance(value, float) else str(value))
    Console().print(table)


class Report(Protocol):
    """Figures of a measurement."""

    def as_json(self) -> dict[str, Any]:
        """Returns them as plain data."""


ReportShown = TypeVar("ReportShown", bound=Report)


def show_report(report: ReportShown, as_json: bool, tell: Callable[[Console, ReportShown], None]) -> None:
    """Prints a report as one JSON object, or as `tell` does for people."""
    if as_json:
        print(json.dumps(report.as_json()))
    else:
        tell(Console(), report)


def table_of(first: str, *titles: str) -> Table:
    """Returns an empty table whose columns but the first are of numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right")
    return table


def rule_options(given: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Returns rule options as pairs of name and value, or exits; the engine knows which there are."""
    options: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            fail(f"--option: {text!r} is no rule option: write NAME=VALUE, such as match=four_deals", WRONG_INPUT)
        if name in options:
            fail(f"--option: {name} is given twice", WRONG_INPUT)
        options[name] = value
    return tuple(sorted(options.items()))


def with_default_budget(
    text: str, time_ms: int | None = None, cpu_ms: int | None = None, iterations: int | None = None
) -> str:
    """Returns an agent's name with the budget of the command where it has none."""
    caps = {"time_ms": time_ms, "cpu_ms": cpu_ms, "iterations": iterations}
    return with_budget(text, {name: value for name, value in caps.items() if value is not None})


def _with_notes(error: Exception) -> str:
    """Returns what an error says, and in which deal or pair it was, but no traceback of another process."""
    notes = [note for note in getattr(error, "__notes__", []) if "\n" not in note]
    return "; ".join([str(error), *notes])


@contextlib.contextmanager
def workers_of(workers: int, cluster: str | None) -> Iterator[Workers]:
    """Gives who works: so many processes, or the workers of a cluster."""
    if cluster is None:
        yield workers
    else:
        with cluster_executor(cluster, note) as executor:
            yield executor


@contextlib.contextmanager
def long_work(what: str, total: int, record: Path | None = None) -> Iterator[Callable[[], None]]:
    """Shows the progress of long work, which calls what it is given after every part, and how it ends early.

    Wrong input and failures exit with a sentence; a signal is told with what is kept, and goes on.
    """
    if not any(default_cache_root().glob("*/*.nbi")):
        note("the kernels are compiled first, which takes a minute or two, once")
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_notes, transient=True, disable=not _notes.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        try:
            yield lambda: progress.advance(task)
        except ValueError as error:
            # names of agents, variants and options, numbers out of range, records of something else
            progress.stop()
            fail(_with_notes(error), WRONG_INPUT)
        except (OSError, AgentError, ClusterError, WorkerDiedError) as error:
            progress.stop()
            fail(_with_notes(error), FAILURE)
        except Stopped as stopped:
            done = int(progress.tasks[task].completed)
            kept = f"; {record} has them, and the same command goes on from there" if record and done else ""
            progress.stop()
            note(f"stopped by {stopped} after {done} of {total} {what}{kept}")
            raise
