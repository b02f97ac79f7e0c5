"""The command that plays ladders and reports them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tarocchi_bench.agents.names import NAMES
from tarocchi_bench.console import (
    CORES,
    WRONG_INPUT,
    ClusterOption,
    CpuMs,
    Iterations,
    JsonOption,
    RuleOptions,
    SeedOption,
    TimeMs,
    WorkersOption,
    fail,
    long_work,
    rule_options,
    with_default_budget,
    workers_of,
)
from tarocchi_bench.ladder import HEADINGS, Ladder, climb, row
from tarocchi_bench.records import RecordError
from tarocchi_engine import VARIANTS


def ladder(
    folder: Annotated[Path, typer.Option(help="where records, tables and plots are; made if need be")],
    variant: Annotated[str | None, typer.Option(help=", ".join(VARIANTS))] = None,
    agents: Annotated[list[str] | None, typer.Option(help=f"given for each one, weakest first: {NAMES}")] = None,
    against: Annotated[
        str | None, typer.Option(help="whom they all play against; without it each plays the one named before it")
    ] = None,
    pairs: Annotated[int, typer.Option(help="deals of each match, played twice with the sides exchanged")] = 100,
    seed: SeedOption = 1,
    option: RuleOptions = None,
    time_ms: TimeMs = None,
    cpu_ms: CpuMs = None,
    iterations: Iterations = None,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
    report: Annotated[bool, typer.Option("--report", help="play nothing, make tables and plots anew")] = False,
    as_json: JsonOption = False,
) -> None:
    """Plays several matches and makes a table and a plot of all that the folder has.

    Pairs that are in the folder are not played again; another run adds its matches to those of earlier ones.
    """
    found = Ladder(folder)
    try:
        if not report:
            if variant is None:
                fail(f"--variant is missing: give one of {', '.join(VARIANTS)}", WRONG_INPUT)
            named = [with_default_budget(agent, time_ms, cpu_ms, iterations) for agent in agents or ()]
            reference = None if against is None else with_default_budget(against, time_ms, cpu_ms, iterations)
            plans = climb(variant, named, reference, seed=seed, pairs=pairs, options=rule_options(option))
            with long_work("pairs", pairs * len(plans), folder) as progress, workers_of(workers, cluster) as team:
                found.play(plans, workers=team, progress=progress)
        results = found.report()
        if not results:
            fail(f"{folder}: there is no match with two pairs in it: play one first", WRONG_INPUT)
    except (RecordError, ValueError) as error:
        fail(str(error), WRONG_INPUT)
    if as_json:
        print(json.dumps([asdict(result) for result in results]))
        return
    for name in dict.fromkeys(result.variant for result in results):
        table = Table(*HEADINGS, title=name)
        for result in results:
            if result.variant == name:
                table.add_row(*row(result))
        Console().print(table)
