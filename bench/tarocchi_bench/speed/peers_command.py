"""The command that sets other programs beside the solver."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from tarocchi_bench.console import FAILURE, JsonOption, fail, long_work, note, show_report, table_of
from tarocchi_bench.speed.commands import Rounds
from tarocchi_bench.speed.peers import MODULES, NoPeerError, PeersReport, measure_peers


def peers(
    only: Annotated[str | None, typer.Option(help=f"one of {', '.join(MODULES)}; by default all installed")] = None,
    rounds: Rounds = 5,
    seconds: Annotated[float, typer.Option(help="of CPU for each rate in a round")] = 0.5,
    as_json: JsonOption = False,
) -> None:
    """Measures other programs beside the solver, in turn: playouts and search of OpenSpiel, endings of endplay.

    The games differ, so the ratios tell orders of magnitude. The extra `peers` installs both programs.
    """
    try:
        with long_work("rounds", rounds) as advance:
            report = measure_peers(rounds, seconds, only=only, progress=advance)
    except NoPeerError as error:
        fail(str(error), FAILURE)
    for sentence in report.missing:
        note(f"warning: {sentence}")
    show_report(report, as_json, _print)


def _print(console: Console, report: PeersReport) -> None:
    table = table_of("Work, theirs", "Ours", "Theirs", "Speed", "From", "To")
    table.add_column("Unit")
    for found in report.comparisons:
        values = (f"{value:,.3f}" if value < 1000 else f"{value:,.0f}" for value in (found.ours, found.theirs))
        ratios = (f"{value:.3g}" for value in (found.ratio, min(found.ratios), max(found.ratios)))
        table.add_row(f"{found.peer}: {found.work}", *values, *ratios, found.unit)
    console.print(table)
    console.print(
        f"{', '.join(report.versions)}, {report.rounds} rounds; speed: ours over theirs, the games being others.",
        highlight=False,
    )
