"""The command line of the benchmarks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tarocchi_bench.arena import SAME_AGENTS, UNDECIDED, play_match
from tarocchi_bench.belief_command import beliefs
from tarocchi_bench.calibration_commands import calibration
from tarocchi_bench.console import (
    CORES,
    WRONG_INPUT,
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
    fail,
    long_work,
    note,
    print_result,
    rule_options,
    with_default_budget,
    workers_of,
)
from tarocchi_bench.endings import measure_endings
from tarocchi_bench.ladder_command import ladder
from tarocchi_bench.latency_command import latency
from tarocchi_bench.openspiel_match import openspiel
from tarocchi_bench.pairs import MatchPlan
from tarocchi_bench.proof_commands import fuzz, soak
from tarocchi_bench.sequential import ERROR_RATE, MIN_PAIRS
from tarocchi_bench.speed.commands import memory, scaling, signature, startup
from tarocchi_bench.speed.peers_command import peers
from tarocchi_bench.speed.record_commands import compare_files, measure_all
from tarocchi_bench.tail_commands import duel, regret
from tarocchi_bench.throughput import Throughput, measure
from tarocchi_bench.training.commands import app as training
from tarocchi_bench.whole_matches_command import whole_matches
from tarocchi_engine import UnknownVariantError

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
for command in (ladder, duel, regret, whole_matches, openspiel, calibration, beliefs, latency, fuzz, soak):
    app.command()(command)
for speed_command in (signature, startup, scaling, memory, peers):
    app.command()(speed_command)
app.command("all")(measure_all)
app.command("compare")(compare_files)
app.add_typer(training, name="train")

GAIN_HELP = (
    f"stop when this advantage in points a deal, or none, is established with an error of {ERROR_RATE:.0%}; "
    f"takes at least {MIN_PAIRS} pairs and at most --pairs"
)


@app.command()
def throughput(
    variant: VariantOption,
    seconds: Annotated[float, typer.Option(help="CPU seconds to measure for")] = 4.0,
    as_json: JsonOption = False,
) -> None:
    """Measures playouts and search iterations per second of CPU, on one thread."""
    print_result(asdict(_measured(variant, seconds)), as_json, f"throughput of {variant}")


def _measured(variant: str, seconds: float) -> Throughput:
    try:
        return measure(variant, seconds)
    except (UnknownVariantError, ValueError) as error:
        fail(str(error), WRONG_INPUT)


@app.command()
def endings(
    variant: VariantOption,
    tricks: Annotated[int, typer.Option(help="tricks left")] = 6,
    deals: Annotated[int, typer.Option(help="endings of random play to solve")] = 100,
    seed: SeedOption = 1,
    node_limit: Annotated[int, typer.Option(help="cards played after which an ending is given up")] = 10**9,
    as_json: JsonOption = False,
) -> None:
    """Measures how fast endings are solved with all cards open, each from an empty table, on one thread."""
    try:
        result = measure_endings(variant, tricks, deals, seed=seed, node_limit=node_limit)
    except (UnknownVariantError, ValueError) as error:
        fail(str(error), WRONG_INPUT)
    print_result(asdict(result), as_json, f"endings of {variant} with {tricks} tricks left")


@app.command()
def arena(
    variant: VariantOption,
    a: AOption,
    b: BOption,
    pairs: Annotated[int, typer.Option(help="deals, each played twice with the sides exchanged")] = 100,
    seed: SeedOption = 1,
    option: RuleOptions = None,
    time_ms: TimeMs = None,
    cpu_ms: CpuMs = None,
    iterations: Iterations = None,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    record: Annotated[Path | None, typer.Option(help="JSON lines: pairs found there are not played again")] = None,
    gain: Annotated[float | None, typer.Option(help=GAIN_HELP)] = None,
    as_json: JsonOption = False,
) -> None:
    """Plays a duplicate match and prints A's advantage in points a deal with its standard error over pairs.

    Both sides think with the same random numbers at the same point, so moves that they agree on add no noise.
    """
    a, b = (with_default_budget(agent, time_ms, cpu_ms, iterations) for agent in (a, b))
    plan = MatchPlan(variant, a, b, seed, pairs, rule_options(option))
    with long_work("pairs", pairs, record) as progress, workers_of(workers, cluster) as team:
        result = play_match(plan, workers=team, record=record, gain=gain, progress=progress)
    if plan.is_even:
        note(SAME_AGENTS)
    elif result.verdict == UNDECIDED and result.standard_error == 0:
        note("no verdict: all pairs came out alike, so that the test has no spread to judge by")
    print_result(asdict(result), as_json, f"{a} against {b}")
