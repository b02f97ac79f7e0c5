"""The command line of training: `python -m tarocchi_bench train ...`."""

from __future__ import annotations

from typing import Annotated

import typer

from tarocchi_bench.calibration_commands import train_calibration
from tarocchi_bench.console import (
    CORES,
    ClusterOption,
    SeedOption,
    VariantOption,
    WorkersOption,
    long_work,
    print_result,
    workers_of,
)
from tarocchi_bench.levels_command import train_levels
from tarocchi_bench.training.equity import VARIANT, Course, save_equity
from tarocchi_bench.training.policy import save_model
from tarocchi_bench.training.positions import DealPlan
from tarocchi_bench.training.scored_play import play_scored_deals, read_scored_deals
from tarocchi_bench.training.self_play import SelfPlay, play_deals, read_deals
from tarocchi_bench.training.shipping import (
    OutOption,
    RecordOption,
    files_of,
    require_folder,
    tell_files,
    training_command,
)
from tarocchi_engine import get_variant
from tarocchi_solver.search.equity import equity_name
from tarocchi_solver.search.models import model_file

app = typer.Typer(no_args_is_help=True, help="Makes the data files that the solver has learned from its own play.")
app.command("calibration")(train_calibration)
app.command("levels")(train_levels)

AgentOption = Annotated[str, typer.Option("--agent", help="plain or solver:iterations=300,..., which plays all seats")]


@app.callback()
def train() -> None:
    """Makes the data files that the solver has learned from its own play."""


@app.command()
def play(
    variant: VariantOption,
    deals: Annotated[int, typer.Option(help="deals to play")],
    record: RecordOption,
    out: OutOption,
    agent: AgentOption = "plain:iterations=1200",
    seed: SeedOption = 1,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
) -> None:
    """Plays deals between equals and fits how players play, for inference, and what cards are worth, for playouts.

    Nothing is written where the fit is no better than chance in deals that it has not seen.
    """
    plan = DealPlan(variant, agent, seed, deals)
    require_folder(out)
    command = training_command(
        "play", variant=variant, agent=agent, deals=deals, seed=seed, record=record.name, out=out
    )
    with long_work("deals", deals, record) as progress, workers_of(workers, cluster) as team:
        play_scored_deals(plan, record, workers=team, progress=progress)
        figures = save_model(list(read_scored_deals(record, plan)), plan, out, command)
    print_result(figures, as_json=False, title=f"{deals} deals of {variant} by {agent}")
    tell_files(files_of(model_file(variant), out))


@app.command()
def equity(
    deals: Annotated[int, typer.Option(help="deals of Ottocento to play")],
    record: RecordOption,
    out: OutOption,
    agent: AgentOption = "solver:iterations=300,utility=points",
    seed: SeedOption = 800,
    workers: WorkersOption = CORES,
    cluster: ClusterOption = None,
) -> None:
    """Plays deals of Ottocento between equals and works out the chance to win a match from any scores."""
    plan = SelfPlay(VARIANT, agent, seed, deals)
    require_folder(out)
    command = training_command("equity", agent=agent, deals=deals, seed=seed, record=record.name, out=out)
    with long_work("deals", deals, record) as progress, workers_of(workers, cluster) as team:
        play_deals(plan, record, workers=team, progress=progress)
        figures = save_equity([Course.of(state) for state in read_deals(record, plan)], plan, out, command)
    print_result(figures, as_json=False, title=f"{deals} deals by {agent}")
    tell_files(files_of(equity_name(get_variant(VARIANT)), out))
