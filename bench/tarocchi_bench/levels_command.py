"""The command that measures the levels of play for the figures that the service publishes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tarocchi_bench.console import CORES, ClusterOption, SeedOption, VariantOption, WorkersOption, long_work, workers_of
from tarocchi_bench.ladder import HEADINGS, row
from tarocchi_bench.training.levels import measure_levels, plans_of, save_strengths
from tarocchi_bench.training.shipping import OutOption, require_folder, tell_files, training_command


def train_levels(
    variant: VariantOption,
    record_folder: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="made if need be; pairs found in its records are not played again"),
    ],
    out: OutOption,
    pairs: Annotated[int, typer.Option(help="deals of each match, played in every arrangement of the levels")] = 100,
    seed: SeedOption = 1,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
) -> None:
    """Plays every level against the next stronger one and writes the file with what they were measured at."""
    require_folder(out)
    command = training_command(
        "levels", variant=variant, pairs=pairs, seed=seed, record_folder=record_folder.name, out=out
    )
    plans = plans_of(variant, seed=seed, pairs=pairs)
    with long_work("pairs", pairs * len(plans), record_folder) as progress, workers_of(workers, cluster) as team:
        results = measure_levels(plans, record_folder, workers=team, progress=progress)
        name = save_strengths(results, plans, out, command)
    table = Table(*HEADINGS, title=name)
    for result in results:
        table.add_row(*row(result))
    Console().print(table)
    tell_files([out / name])
