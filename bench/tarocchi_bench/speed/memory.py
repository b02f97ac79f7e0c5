"""How much memory a search takes, by its budget and threads, and whether searches leave anything behind (Linux only).

Every budget has a process of its own, warmed up by a small search of the same decision, so that what is told is what
the search itself takes on top of modules and kernels.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from typing import Any, Final

from tarocchi_bench.memory_trend import Trend, trend_of
from tarocchi_bench.resident import forget_peak, peak_mib, resident_mib
from tarocchi_bench.speed.fresh import run_fresh
from tarocchi_bench.speed.moments import early_choice
from tarocchi_engine import get_variant
from tarocchi_engine.rng import split
from tarocchi_solver.search import Budget, search
from tarocchi_solver.search.results import MAX_ITERATIONS, MAX_SAMPLED_WORLDS

ITERATIONS: Final = (1_000, 10_000, 100_000, 1_000_000)
WORLDS: Final = (MAX_SAMPLED_WORLDS,)
"""What takes most: every world leaves its results, and no search has more of them."""
BOUND_MIB: Final = 128
"""No search takes more, whatever its budget, with up to two threads."""
SEARCHES: Final = 10_000
MOST_THREADS: Final = 256
FEWEST_SEARCHES: Final = 100
"""Fewer give too few samples for a trend."""
_EACH: Final = 200
"""Iterations of one of many searches."""
_SAMPLES: Final = 240
_DECISIONS: Final = 16
_WARM: Final = Budget(iterations=1_000)
_ONE: Final = "from tarocchi_bench.speed.memory import report_one; report_one()"
_MANY: Final = "from tarocchi_bench.speed.memory import report_many; report_many()"


@dataclass(frozen=True, slots=True)
class Taken:
    """What one search took, in MiB."""

    cap: str
    """What the budget is a number of: "iterations" or "worlds"."""
    budget: int
    threads: int
    before: float
    """Resident memory of the process before the search."""
    most: float
    """The most during the search."""
    after: float
    worlds: int
    """Worlds that it searched."""

    @property
    def of_search(self) -> float:
        """What the search took on top of what was there."""
        return max(self.most - self.before, 0.0)


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """All figures, and which bars are met."""

    variant: str
    table: tuple[Taken, ...]
    searches: int
    """Made one after the other in one process."""
    trend: Trend | None
    bars: dict[str, bool]

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        own = [{**asdict(row), "of_search": row.of_search} for row in self.table]
        flat = None if self.trend is None else self.trend.is_flat
        return asdict(self) | {"table": own, "is_flat": flat}


def check_system() -> None:
    """Raises OSError where the system does not tell what a process takes."""
    if sys.platform != "linux":
        raise OSError("only Linux tells how much memory a process takes: measure it there")
    forget_peak()
    peak_mib()


def measure_memory(
    variant_name: str = "bolognese",
    iterations: Sequence[int] = ITERATIONS,
    threads: Sequence[int] = (1, 2),
    searches: int = SEARCHES,
    *,
    worlds: Sequence[int] = WORLDS,
    progress: Callable[[], None] | None = None,
) -> MemoryReport:
    """Measures the memory of searches.

    Args:
        variant_name: whose first choice of a card is searched.
        iterations: budgets; there may be none if there are `worlds`.
        threads: on how many each budget is searched.
        worlds: further budgets, caps on worlds alone.
        searches: how many small ones to make in one process, for the trend; 0 for none.
        progress: called after every budget, and then `sample_count` times.

    Raises:
        UnknownVariantError, ValueError: an argument.
        OSError: the system does not tell.
        WorkerDiedError: a process failed.
    """
    get_variant(variant_name)
    limits = (
        ("iterations", iterations, MAX_ITERATIONS),
        ("worlds", worlds, MAX_SAMPLED_WORLDS),
        ("threads", threads, MOST_THREADS),
    )
    for name, values, most in limits:
        if not all(1 <= value <= most for value in values):
            raise ValueError(f"{name}: {list(values)}: give numbers from 1 to {most:,}")
    if searches != 0 and searches < FEWEST_SEARCHES:
        raise ValueError(f"{searches} searches show no trend: give at least {FEWEST_SEARCHES}, or 0 for none")
    check_system()
    table = []
    for count in threads:
        for cap, budget in (*(("iterations", each) for each in iterations), *(("worlds", each) for each in worlds)):
            found = json.loads(run_fresh(_ONE, variant_name, cap, budget, count).printed)
            table.append(Taken(cap=cap, budget=budget, threads=count, **found))
            if progress is not None:
                progress()
    trend = trend_of(_samples(variant_name, searches, progress)) if searches else None
    bars = {f"no search takes more than {BOUND_MIB} MiB": all(row.of_search <= BOUND_MIB for row in table)}
    if trend is not None:
        bars["memory does not rise"] = not trend.is_rising
    return MemoryReport(variant_name, tuple(table), searches, trend, bars)


def _samples(variant_name: str, searches: int, progress: Callable[[], None] | None) -> list[tuple[int, float]]:
    """Returns the memory of a process that searches, over the searches made."""
    samples: list[tuple[int, float]] = []

    def take(line: str) -> None:
        made, mib = line.split()
        samples.append((int(made), float(mib)))
        if progress is not None:
            progress()

    run_fresh(_MANY, variant_name, searches, on_line=take)
    return samples


# in the processes that are measured


def report_one() -> None:
    """Searches once with the variant, cap and threads of the command line; prints what that took, as JSON."""
    variant_name, budget, threads = sys.argv[1], Budget(**{sys.argv[2]: int(sys.argv[3])}), int(sys.argv[4])
    observation = early_choice(variant_name)
    search(observation, _WARM, seed=1, threads=threads)
    forget_peak()
    before = resident_mib()
    answer = search(observation, budget, seed=1, threads=threads)
    most, after = peak_mib(), resident_mib()
    print(json.dumps({"before": before, "most": most, "after": after, "worlds": answer.diagnostics.worlds}))


def report_many() -> None:
    """Makes as many small searches as the command line says; prints lines of those made and the MiB taken."""
    variant_name, searches = sys.argv[1], int(sys.argv[2])
    decisions = [early_choice(variant_name, split(1, number)) for number in range(_DECISIONS)]
    step = max(searches // _SAMPLES, 1)
    for number, observation in enumerate(islice(cycle(decisions), searches), start=1):
        search(observation, Budget(iterations=_EACH), seed=split(2, number))
        if number % step == 0:
            print(number, resident_mib(), flush=True)


def sample_count(searches: int) -> int:
    """Returns how many samples so many searches give."""
    return searches // max(searches // _SAMPLES, 1)
