"""What `make bench` measures: suites that turn measurements into figures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tarocchi_bench.endings import measure_endings
from tarocchi_bench.latency import measure as measure_latency
from tarocchi_bench.records import read_lines
from tarocchi_bench.regret import RegretPlan, measure_regret
from tarocchi_bench.speed.figures import FLAG, Better, Figure, Summary, figure
from tarocchi_bench.speed.memory import FEWEST_SEARCHES, measure_memory
from tarocchi_bench.speed.scaling import measure_scaling
from tarocchi_bench.speed.startup import CLIENT, HELP, INTERPRETER, NUMPY, measure_startup
from tarocchi_bench.throughput import measure as measure_throughput
from tarocchi_engine import VARIANTS
from tarocchi_solver.search import warm_up

HIGHER, LOWER = Better.HIGHER, Better.LOWER
REGRET_AGENT: Final = "solver:iterations=300"
REGRET_BASE: Final = "greedy"
REGRET_TRICKS: Final = 3
ENDING_TRICKS: Final = 6
_MEMORY_ITERATIONS: Final = (1_000, 10_000, 100_000)
_SEARCHES_PER_SECOND: Final = 500
_DEALS_PER_SECOND: Final = 10
_LATENCY_SHARE: Final = 8


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    seconds: float = 4.0
    """Of CPU, for the throughput of a variant; the other suites are sized in proportion, where they can be."""
    samples: int = 5
    """Of each figure that can be measured again at little cost."""

    def check(self) -> None:
        """Raises ValueError for numbers out of range."""
        if not 0 < self.seconds <= 3600:
            raise ValueError(f"{self.seconds} seconds are no time to measure for: give more than 0, at most 3600")
        if not 2 <= self.samples <= 1000:
            raise ValueError(f"{self.samples} samples: give from 2, which show a spread, to 1000")


def _throughput(size: Size) -> Iterator[Figure]:
    playouts: dict[str, list[float]] = {name: [] for name in VARIANTS}
    iterations: dict[str, list[float]] = {name: [] for name in VARIANTS}
    warm_up()
    for _ in range(size.samples):
        for name in VARIANTS:
            # the same deals every time: samples differ by the machine alone
            found = measure_throughput(name, size.seconds / size.samples, is_cold=False)
            playouts[name].append(found.playouts_per_cpu_s)
            iterations[name].append(found.iterations_per_cpu_s)
    for name in VARIANTS:
        yield figure("throughput", "playouts", playouts[name], "playouts per CPU s", HIGHER, variant=name)
        yield figure("throughput", "iterations", iterations[name], "iterations per CPU s", HIGHER, variant=name)


def _latency(size: Size) -> Iterator[Figure]:
    report = measure_latency(max(size.seconds / _LATENCY_SHARE, 0.1))
    yield figure("latency", "trivial call, median", report.trivial.p50, "ms", LOWER)
    yield figure("latency", "trivial calls", report.trivial.rate, "per s", HIGHER)
    yield figure("latency", "trivial calls of a server that does nothing", report.bare.rate, "per s", HIGHER)
    yield figure("latency", "health check, idle, median", report.health_idle.p50, "ms", LOWER)
    yield figure("latency", "health check, all cores busy, median", report.health_loaded.p50, "ms", LOWER)
    yield figure("latency", "a search of 100 ms alone", report.alone_ms, "ms", LOWER)
    yield figure("latency", "a search of 100 ms by a call", report.called_ms, "ms", LOWER)
    # what remains of the figures above where the machine is busy
    of_bare = report.trivial.rate / report.bare.rate
    yield figure("latency", "trivial calls over those of a server that does nothing", of_bare, "ratio", HIGHER)
    busy = report.health_loaded.p50 / report.health_idle.p50
    yield figure("latency", "health check, busy over idle", busy, "ratio", LOWER)
    yield figure("latency", "a search by a call over one alone", report.called_ms / report.alone_ms, "ratio", LOWER)
    for cancel in report.cancels:
        yield figure("latency", f"{cancel.method} lets go after, median", cancel.p50, "ms", LOWER)
    for solves in report.solves:
        name = f"fewest/most answers, {solves.budget_ms} ms"
        yield figure("latency", name, solves.fairness, "share", HIGHER, at=solves.clients)


def _startup(size: Size) -> Iterator[Figure]:
    for start in measure_startup(rounds=size.samples).starts:
        if start.name not in (NUMPY, INTERPRETER):
            yield figure("startup", start.name, start.ratios, "times import numpy", LOWER)
        if start.name in (CLIENT, HELP):
            yield figure("startup", f"{start.name} imports numba", float(start.imports_numba), FLAG, LOWER)


def _scaling(size: Size) -> Iterator[Figure]:
    if (os.cpu_count() or 1) < 2:
        return
    report = measure_scaling(rounds=size.samples)
    for gain in report.gains:
        name = f"gain of {gain.threads} threads"
        yield figure("scaling", name, gain.gains, "times one thread", HIGHER, variant=report.variant, at=gain.budget_ms)
        name, of_processes = f"gain of {gain.threads} processes", gain.gains_of_processes
        yield figure(
            "scaling", name, of_processes, "times one thread", HIGHER, variant=report.variant, at=gain.budget_ms
        )
        name = f"gain of {gain.threads} threads over that of processes"
        yield figure("scaling", name, gain.shares, "share", HIGHER, variant=report.variant, at=gain.budget_ms)
    for found in report.together:
        name = f"fewest/most iterations of {found.searches} searches"
        at = found.budget_ms
        yield figure("scaling", name, found.fairnesses, "share", HIGHER, variant=report.variant, at=at)


def _regret(size: Size) -> Iterator[Figure]:
    positions = max(round(_DEALS_PER_SECOND * size.seconds), 8)
    for name in VARIANTS:
        plan = RegretPlan(name, REGRET_AGENT, REGRET_BASE, REGRET_TRICKS, positions, seed=1)
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "choices.jsonl"
            measure_regret(plan, workers=os.cpu_count() or 1, record=record)
            lines = sorted((entry["position"], entry["regret"]) for _, entry in read_lines(record, "a choice"))
        regrets = [regret for _, regret in lines if regret is not None]
        yield figure("regret", REGRET_AGENT, regrets, "points a deal", LOWER, variant=name, summary=Summary.MEAN)


def _endings(size: Size) -> Iterator[Figure]:
    deals = max(round(_DEALS_PER_SECOND * size.seconds), 3)
    for name in VARIANTS:
        found = [measure_endings(name, ENDING_TRICKS, deals) for _ in range(size.samples)]
        rates, times = [each.nodes_per_cpu_s for each in found], [each.median_ms for each in found]
        yield figure("endings", "nodes", rates, "nodes per CPU s", HIGHER, variant=name, at=ENDING_TRICKS)
        yield figure("endings", "time to the value", times, "CPU ms", LOWER, variant=name, at=ENDING_TRICKS)
        nodes = found[0].mean_nodes
        yield figure("endings", "nodes to the value, mean", nodes, "nodes", LOWER, variant=name, at=ENDING_TRICKS)


def _memory(size: Size) -> Iterator[Figure]:
    searches = max(round(_SEARCHES_PER_SECOND * size.seconds), FEWEST_SEARCHES)
    report = measure_memory(iterations=_MEMORY_ITERATIONS, searches=searches, worlds=())
    for row in report.table:
        name = f"of a search, {row.threads} thread{'s' if row.threads > 1 else ''}"
        yield figure("memory", name, row.of_search, "MiB", LOWER, variant=report.variant, at=row.budget)
    yield figure("memory", "of the process before a search", [row.before for row in report.table], "MiB", LOWER)
    if report.trend is not None:
        yield figure("memory", f"left by each of {searches} searches", report.trend.kib_per_call, "KiB", LOWER)


SUITES: Final[Mapping[str, Callable[[Size], Iterator[Figure]]]] = MappingProxyType(
    {
        "throughput": _throughput,
        "latency": _latency,
        "startup": _startup,
        "scaling": _scaling,
        "regret": _regret,
        "endings": _endings,
        "memory": _memory,
    }
)
