"""The command that plays whole matches."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tarocchi_bench.console import (
    CORES,
    AOption,
    BOption,
    ClusterOption,
    CpuMs,
    Iterations,
    JsonOption,
    RuleOptions,
    SeedOption,
    TimeMs,
    VariantOption,
    WorkersOption,
    long_work,
    print_result,
    rule_options,
    with_default_budget,
    workers_of,
)
from tarocchi_bench.whole_matches import WholeMatchPlan, play_whole_matches


def whole_matches(
    variant: VariantOption,
    a: AOption,
    b: BOption,
    option: RuleOptions = None,
    least_score: Annotated[int | None, typer.Option(help="start from scores drawn from this to the target")] = None,
    pairs: Annotated[int, typer.Option(help="matches, each played with the sides exchanged")] = 100,
    seed: SeedOption = 1,
    time_ms: TimeMs = None,
    cpu_ms: CpuMs = None,
    iterations: Iterations = None,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    record: Annotated[Path | None, typer.Option(help="JSON lines: pairs found there are not played again")] = None,
    as_json: JsonOption = False,
) -> None:
    """Plays matches to their end and prints A's share of those won, with its standard error over pairs."""
    with long_work("pairs", pairs, record) as progress, workers_of(workers, cluster) as team:
        a, b = (with_default_budget(agent, time_ms, cpu_ms, iterations) for agent in (a, b))
        plan = WholeMatchPlan(variant, rule_options(option), a, b, seed, pairs, least_score)
        result = play_whole_matches(plan, workers=team, record=record, progress=progress)
    print_result(asdict(result), as_json, f"matches of {variant}: {a} against {b}")
