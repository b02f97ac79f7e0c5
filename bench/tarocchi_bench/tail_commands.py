"""The commands about the last tricks: duel and regret."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tarocchi_bench.agents.names import NAMES
from tarocchi_bench.arena import SAME_AGENTS
from tarocchi_bench.console import (
    CORES,
    AOption,
    BOption,
    ClusterOption,
    CpuMs,
    DealsOption,
    Iterations,
    JsonOption,
    SeedOption,
    TimeMs,
    VariantOption,
    WorkersOption,
    long_work,
    note,
    print_result,
    with_default_budget,
    workers_of,
)
from tarocchi_bench.duels import play_duel
from tarocchi_bench.pairs import MatchPlan, Tail
from tarocchi_bench.regret import RegretPlan, measure_regret

BaseOption = Annotated[str, typer.Option(help="who plays the deals up to there, named likewise")]
TricksOption = Annotated[int, typer.Option(help="tricks left")]
DEFAULT_BASE = "plain:iterations=300"


def duel(
    variant: VariantOption,
    a: AOption,
    b: BOption,
    tricks: TricksOption = 3,
    base: BaseOption = DEFAULT_BASE,
    positions: Annotated[int, typer.Option(help="deals, each played out with the sides exchanged")] = 300,
    seed: SeedOption = 1,
    time_ms: TimeMs = None,
    cpu_ms: CpuMs = None,
    iterations: Iterations = None,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    record: Annotated[Path | None, typer.Option(help="JSON lines: duels found there are not fought again")] = None,
    deals: DealsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plays the last tricks of deals of another agent in all arrangements and prints A's advantage in points a deal."""
    a, b = (with_default_budget(agent, time_ms, cpu_ms, iterations) for agent in (a, b))
    plan = MatchPlan(variant, a, b, seed, positions, tail=Tail(base, tricks))
    with long_work("positions", positions, record) as progress, workers_of(workers, cluster) as team:
        result = play_duel(plan, workers=team, record=record, deals=deals, progress=progress)
    if plan.is_even:
        note(SAME_AGENTS)
    print_result(asdict(result), as_json, f"{a} against {b}, {tricks} tricks")


def regret(
    variant: VariantOption,
    agent: Annotated[str, typer.Option(help=NAMES)],
    tricks: TricksOption = 3,
    base: BaseOption = DEFAULT_BASE,
    positions: Annotated[int, typer.Option(help="choices to judge, each in another deal")] = 300,
    seed: SeedOption = 1,
    time_ms: TimeMs = None,
    cpu_ms: CpuMs = None,
    iterations: Iterations = None,
    world_limit: Annotated[int, typer.Option(help="positions with more worlds are left out, and counted")] = 50_000,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    record: Annotated[Path | None, typer.Option(help="JSON lines: choices found there are not made again")] = None,
    deals: DealsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measures what an agent's choices near the end lose against solving every world that it cannot rule out."""
    agent = with_default_budget(agent, time_ms, cpu_ms, iterations)
    plan = RegretPlan(variant, agent, base, tricks, positions, seed, world_limit)
    with long_work("positions", positions, record) as progress, workers_of(workers, cluster) as team:
        result = measure_regret(plan, workers=team, record=record, deals=deals, progress=progress)
    print_result(asdict(result), as_json, f"regret of {agent}, {tricks} tricks left")
