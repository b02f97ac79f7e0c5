"""The commands about what the solver costs: signature, startup, scaling and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from tarocchi_bench.console import CORES, JsonOption, VariantOption, long_work, print_result, show_report, table_of
from tarocchi_bench.speed.memory import ITERATIONS, SEARCHES, WORLDS, MemoryReport, measure_memory, sample_count
from tarocchi_bench.speed.scaling import BUDGETS_MS, ScalingReport, measure_scaling
from tarocchi_bench.speed.signature import signatures
from tarocchi_bench.speed.startup import StartupReport, measure_startup
from tarocchi_engine import VARIANTS

OneVariant = Annotated[str | None, typer.Option("--variant", help=f"one of {', '.join(VARIANTS)}; by default all")]
Rounds = Annotated[int, typer.Option(help="times that each figure is measured, in turn with the others")]
DEFAULT_VARIANT = "bolognese"


def signature(variant: OneVariant = None, as_json: JsonOption = False) -> None:
    """Prints one number for each variant that stays as it is while the search plays as it did.

    Fixed positions of random play are searched with a fixed seed and budgets; the number of threads and the last bits
    of scores do not matter.
    """
    names = tuple(VARIANTS) if variant is None else (variant,)
    found: dict[str, object] = {}
    with long_work("variants", len(names)) as advance:
        for signed in signatures(names):
            found[signed.variant] = signed.signature
            advance()
    print_result(found, as_json, "signatures of play")


def startup(
    variant: VariantOption = DEFAULT_VARIANT,
    rounds: Rounds = 7,
    cold: Annotated[bool, typer.Option("--cold", help="compile all kernels into an empty folder, too")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measures what it costs to start, in fresh processes, as multiples of `import numpy`: CPU time of whole ones."""
    with long_work("rounds", rounds) as advance:
        report = measure_startup(variant, rounds, is_cold=cold, progress=advance)
    show_report(report, as_json, _print_startup)


def scaling(
    variant: VariantOption = DEFAULT_VARIANT,
    budget_ms: Annotated[list[int] | None, typer.Option(help="of a search; may be given several times")] = None,
    rounds: Rounds = 7,
    threads: Annotated[int, typer.Option(help="how many are all")] = CORES,
    as_json: JsonOption = False,
) -> None:
    """Measures what all threads bring to one search, beside what as many processes gain, and how searches share."""
    budgets = tuple(budget_ms or BUDGETS_MS)
    with long_work("measurements", rounds * len(set(budgets))) as advance:
        report = measure_scaling(variant, budgets, rounds, threads=threads, progress=advance)
    show_report(report, as_json, _print_scaling)


def memory(
    variant: VariantOption = DEFAULT_VARIANT,
    iterations: Annotated[list[int] | None, typer.Option(help="a budget; may be given several times")] = None,
    threads: Annotated[list[int] | None, typer.Option(help="of a search; may be given several times")] = None,
    worlds: Annotated[list[int] | None, typer.Option(help="a cap on worlds alone; several times; 0 for none")] = None,
    searches: Annotated[int, typer.Option(help="made in one process, for the trend; 0 for none")] = SEARCHES,
    as_json: JsonOption = False,
) -> None:
    """Measures the memory that searches take by their budgets, and whether many leave anything behind (Linux only)."""
    budgets, counts = tuple(iterations or ITERATIONS), tuple(threads or (1, 2))
    caps = () if worlds == [0] else tuple(worlds or WORLDS)
    total = (len(budgets) + len(caps)) * len(counts) + (sample_count(searches) if searches > 0 else 0)
    with long_work("measurements", total) as advance:
        report = measure_memory(variant, budgets, counts, searches, worlds=caps, progress=advance)
    show_report(report, as_json, _print_memory)


def _print_startup(console: Console, report: StartupReport) -> None:
    table = table_of("Start", "CPU ms", "Times numpy", "From", "To", "numba")
    for start in report.starts:
        ends = (f"{min(start.ratios):.2f}", f"{max(start.ratios):.2f}")
        numba = "imported" if start.imports_numba else "no"
        table.add_row(start.name, f"{start.cpu_ms:.0f}", f"{start.times_numpy:.2f}", *ends, numba)
    console.print(table)
    if (cold := report.cold) is not None:
        console.print(
            f"All kernels compile in {cold.compile_s:.1f} CPU s: a warm-up takes {cold.empty_s:.1f} with an empty "
            f"folder and {cold.full_s:.1f} with a full one.",
            highlight=False,
        )
    _print_bars(console, report.bars)


def _print_scaling(console: Console, report: ScalingReport) -> None:
    table = table_of("One search", "Iterations, 1 thread", "All threads", "Gain", "Gain of processes", "Share")
    for gain in report.gains:
        table.add_row(
            f"{gain.budget_ms} ms, {gain.threads} threads",
            f"{gain.iterations_of_one:,.0f}",
            f"{gain.iterations_of_all:,.0f}",
            *(f"{value:.2f}" for value in (gain.gain, gain.gain_of_processes, gain.share)),
        )
    console.print(table)
    table = table_of("Searches at the same time", "Fewest/most", "Iterations of all/of one alone")
    for found in report.together:
        name = f"{found.searches} of {found.budget_ms} ms, {found.threads} threads each"
        table.add_row(name, f"{found.fairness:.2f}", f"{found.total_share:.2f}")
    console.print(table)
    _print_bars(console, report.bars)


def _print_memory(console: Console, report: MemoryReport) -> None:
    table = table_of("Budget", "Threads", "Worlds", "MiB before", "Most", "After", "Of the search")
    for row in report.table:
        mib: Sequence[float] = (row.before, row.most, row.after, row.of_search)
        table.add_row(
            f"{row.budget:,} {row.cap}", str(row.threads), f"{row.worlds:,}", *(f"{value:.1f}" for value in mib)
        )
    console.print(table)
    if (trend := report.trend) is not None:
        console.print(
            f"{report.searches:,} searches in one process leave {trend.kib_per_call:+.3f} KiB each behind "
            f"({trend.low:+.3f} to {trend.high:+.3f}): {'flat' if trend.is_flat else 'not shown to be flat'}.",
            highlight=False,
        )
    _print_bars(console, report.bars)


def _print_bars(console: Console, bars: Mapping[str, Any]) -> None:
    for bar, is_met in bars.items():
        console.print(f"{'met' if is_met else 'NOT met'}: {bar}", highlight=False)
