"""Where the data files lie that ship with the solver, and the command that makes one of them again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import tarocchi_solver
from tarocchi_bench.console import WRONG_INPUT, fail

PACKAGE_DATA: Final = Path(tarocchi_solver.__file__).parent / "data"


def require_folder(folder: Path) -> None:
    """Exits unless there is the folder."""
    if not folder.is_dir():
        fail(f"{folder}: there is no such folder: make it first", WRONG_INPUT)


def training_command(name: str, **options: object) -> str:
    """Returns the command of `train` with some options, for the card of a data file."""
    words = [word for option, value in options.items() for word in (f"--{option.replace('_', '-')}", str(value))]
    return shlex.join(["python", "-m", "tarocchi_bench", "train", name, *words])
