"""The command line of training: `python -m tarocchi_bench train ...`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

import tarocchi_solver
from tarocchi_bench.calibration_commands import train_calibration
from tarocchi_bench.console import (
    CORES,
    WRONG_INPUT,
    SeedOption,
    VariantOption,
    WorkersOption,
    fail,
    long_work,
    print_result,
)
from tarocchi_bench.training.equity import VARIANT, Course, save_equity
from tarocchi_bench.training.policy import save_model
from tarocchi_bench.training.self_play import SelfPlay, play_deals, read_deals

app = typer.Typer(no_args_is_help=True, help="Makes the data files that the solver has learned from its own play.")
app.command("calibration")(train_calibration)

PACKAGE_DATA = Path(tarocchi_solver.__file__).parent / "data"

AgentOption = Annotated[str, typer.Option("--agent", help="greedy or solver:iterations=300,..., which plays all seats")]


@app.callback()
def train() -> None:
    """Makes the data files that the solver has learned from its own play."""


@app.command()
def play(
    variant: VariantOption,
    deals: Annotated[int, typer.Option(help="deals to play")],
    out: Annotated[Path, typer.Option(help="JSON lines: deals found there are not played again")],
    agent: AgentOption = "plain:iterations=600",
    seed: SeedOption = 1,
    folder: Annotated[Path, typer.Option(help="where the model goes")] = PACKAGE_DATA,
    workers: WorkersOption = CORES,
) -> None:
    """Plays deals between equals and fits the model of how players play, by which hidden hands are inferred."""
    plan = SelfPlay(variant, agent, seed, deals)
    command = _command("play", plan, out)
    _require_folder(folder)
    with long_work("deals", deals, out) as progress:
        play_deals(plan, out, workers=workers, progress=progress)
        figures = save_model(list(read_deals(out, plan)), plan, folder, command)
    print_result(figures, as_json=False, title=f"{deals} deals of {variant} by {agent}")


@app.command()
def equity(
    deals: Annotated[int, typer.Option(help="deals of Ottocento to play")],
    out: Annotated[Path, typer.Option(help="JSON lines: deals found there are not played again")],
    agent: AgentOption = "solver:iterations=300,utility=points",
    seed: SeedOption = 800,
    folder: Annotated[Path, typer.Option(help="where the table goes")] = PACKAGE_DATA,
    workers: WorkersOption = CORES,
) -> None:
    """Plays deals of Ottocento between equals and works out the chance to win a match from any scores."""
    plan = SelfPlay(VARIANT, agent, seed, deals)
    command = _command("equity", plan, out)
    _require_folder(folder)
    with long_work("deals", deals, out) as progress:
        play_deals(plan, out, workers=workers, progress=progress)
        figures = save_equity([Course.of(state) for state in read_deals(out, plan)], plan, folder, command)
    print_result(figures, as_json=False, title=f"{deals} deals by {agent}")


def _command(name: str, plan: SelfPlay, out: Path) -> str:
    """Returns the command that makes a data file again."""
    options = {"--agent": plan.agent, "--deals": plan.deals, "--seed": plan.seed, "--out": out.name}
    if name != "equity":
        options = {"--variant": plan.variant, **options}
    given = [word for option, value in options.items() for word in (option, str(value))]
    return shlex.join(["python", "-m", "tarocchi_bench", "train", name, *given])


def _require_folder(folder: Path) -> None:
    if not folder.is_dir():
        fail(f"{folder}: there is no such folder: make it first", WRONG_INPUT)
