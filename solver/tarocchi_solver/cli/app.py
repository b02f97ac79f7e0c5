"""The commands. Each imports what it needs when it runs, so that help and remote calls do not wait for the engine."""

from __future__ import annotations

from typing import Annotated

import typer

from tarocchi_solver.cli.game_commands import conformance, deal, legal, replay, variants
from tarocchi_solver.cli.replay_decision_command import replay_decision
from tarocchi_solver.cli.search_commands import demo, recommend
from tarocchi_solver.cli.serve_command import serve
from tarocchi_solver.cli.study_commands import analyze, beliefs, review
from tarocchi_solver.cli.warm_up_command import warm_up

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _show_version(asked: bool) -> None:
    if asked:
        from tarocchi_solver import __version__

        typer.echo(f"tarocchi-solver {__version__}")
        raise typer.Exit


@app.callback()
def _describe(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Player and referee for the Italian tarot games with 62 cards."""


for _command in (
    recommend,
    analyze,
    beliefs,
    review,
    legal,
    deal,
    replay,
    variants,
    conformance,
    serve,
    warm_up,
    replay_decision,
    demo,
):
    app.command()(_command)
