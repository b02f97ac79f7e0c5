"""The command that measures the service."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from tarocchi_bench.console import JsonOption, long_work, show_report, table_of
from tarocchi_bench.latency import ABREAST, Latency, Report, measure


def latency(
    seconds: Annotated[float, typer.Option(min=0.1, help="seconds that each figure takes")] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Measures what the service adds to a search: latency, rate, fairness, and how fast a cancelled call lets go."""
    with long_work("Measuring", 1) as advance:
        report = measure(seconds)
        advance()
    show_report(report, as_json, _print)


def _print(console: Console, report: Report) -> None:
    table = table_of("Calls", "Clients", "p50 ms", "p99 ms", "A second", "Fewest/most")

    def row(name: str, clients: int, found: Latency, fairness: str = "") -> None:
        table.add_row(name, str(clients), f"{found.p50:.2f}", f"{found.p99:.2f}", f"{found.rate:.0f}", fairness)

    row(f"GetServerInfo, {ABREAST} abreast", 1, report.trivial)
    row(f"a server that does nothing, {ABREAST} abreast", 1, report.bare)
    row("GetServerInfo", ABREAST, report.trivial_threads)
    row("health, idle", 1, report.health_idle)
    row("health, all cores busy", 1, report.health_loaded)
    for found in report.solves:
        row(f"search of {found.budget_ms} ms", found.clients, found.latency, f"{found.fewest}/{found.most}")
    console.print(table)
    console.print(
        f"A search of 100 ms takes {report.alone_ms:.1f} ms alone and {report.called_ms:.1f} ms by a call, which makes "
        f"room for its own costs: {report.added:+.1%}.",
        f"Of answers bounded by a deadline, 99 of 100 come at least {-report.overshoot_p99_ms:.1f} ms before it; "
        f"{report.missed:.0%} did not come by then.",
        *(
            f"{found.method} lets go {found.p50:.1f} ms after it was cancelled, {found.most:.1f} ms at most."
            for found in report.cancels
        ),
        *(f"{'met' if is_met else 'NOT met'}: {bar}" for bar, is_met in report.bars.items()),
        sep="\n",
        highlight=False,
    )
