"""A table of moves that changes while an analysis goes on."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

from rich.console import Console, Group
from rich.live import Live

from tarocchi.solver.v1 import rules_service_pb2, solver_service_pb2
from tarocchi_solver.cli.tables import moves_lines, print_moves, stop_text

_GOING_ON = "going on"
_INTERRUPTED = "ended by Ctrl-C"


def show_live(
    console: Console,
    first: solver_service_pb2.AnalyzePositionResponse,
    others: Iterator[solver_service_pb2.AnalyzePositionResponse],
    variant: rules_service_pb2.Variant,
) -> None:
    """Shows the answers of an analysis, each in the place of the one before, until they end or Ctrl-C; the last stays.

    Where the console is no terminal the last one alone is printed. The sentence below the table of the last one tells
    what ended the analysis, which is mostly not what ended the search behind that answer.
    """
    shown = first
    live = Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None
    with contextlib.suppress(KeyboardInterrupt), live or contextlib.nullcontext():
        for shown in itertools.chain([first], others):
            if live is not None:
                live.update(Group(*moves_lines(variant, shown.recommendation, _GOING_ON)), refresh=True)
    print_moves(console, variant, shown.recommendation, _ending_of(shown))


def _ending_of(last: solver_service_pb2.AnalyzePositionResponse) -> str | None:
    """Returns why an analysis ended, None if its server is too old to tell."""
    if not last.final:
        return _INTERRUPTED
    return stop_text(last.stop_reason) if last.stop_reason else None
