"""What the commands of `train` share: where data files go, what is written about them, and when they are refused."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from tarocchi_bench.console import WRONG_INPUT, fail

SHIPPED_IN: Final = "solver/tarocchi_solver/data"
"""Where the files lie that ship with the solver, from the root of the repository."""

RecordOption = Annotated[
    Path, typer.Option("--record", metavar="FILE", help="JSON lines: deals found there are not played again")
]
OutOption = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help=f"where the data files go, in place of those of the same names; what ships lies in {SHIPPED_IN}",
    ),
]


def require_folder(folder: Path) -> None:
    """Exits unless there is the folder."""
    if not folder.is_dir():
        fail(f"{folder}: there is no such folder: make it first", WRONG_INPUT)


def training_command(name: str, *, out: Path, **options: object) -> str:
    """Returns the command of `train` with some options, for the card of a data file.

    A folder outside the current one is called by its last name alone: where it lay says nothing to others.
    """
    folder = out.name if out.is_absolute() or ".." in out.parts else out.as_posix()
    given = {**options, "out": folder}
    words = [word for option, value in given.items() for word in (f"--{option.replace('_', '-')}", str(value))]
    return shlex.join(["python", "-m", "tarocchi_bench", "train", name, *words])


def files_of(name: str, folder: Path) -> list[Path]:
    """Returns the files that arrays with a card are written to."""
    return [folder / f"{name}.npz", folder / f"{name}.json"]


def tell_files(files: Sequence[Path]) -> None:
    """Prints which files have been written, one a line."""
    for file in files:
        print(f"wrote {file}")
