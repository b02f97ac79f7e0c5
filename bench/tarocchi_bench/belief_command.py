"""The command that measures the beliefs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tarocchi_bench.agents.names import NAMES
from tarocchi_bench.belief_scores import BeliefPlan, measure_beliefs
from tarocchi_bench.console import (
    CORES,
    ClusterOption,
    JsonOption,
    SeedOption,
    VariantOption,
    WorkersOption,
    long_work,
    print_result,
    workers_of,
)


def beliefs(
    variant: VariantOption,
    agent: Annotated[str, typer.Option(help=f"who plays all seats: {NAMES}")] = "solver:iterations=400",
    trick: Annotated[int, typer.Option(help="the trick about to be led, from 1")] = 8,
    deals: Annotated[int, typer.Option(help="deals to play")] = 100,
    seed: SeedOption = 1,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measures how well the beliefs foretell who holds a card: the log score, and its gain over the rules alone."""
    plan = BeliefPlan(variant, agent, seed, deals, trick)
    with long_work("deals", deals) as progress, workers_of(workers, cluster) as team:
        found = measure_beliefs(plan, workers=team, progress=progress)
    print_result(asdict(found), as_json, f"beliefs at trick {trick} of {variant}")
