"""Runs commands of the benchmarks in this process."""

from __future__ import annotations

import contextlib
import io
from typing import NamedTuple

from tarocchi_bench.commands import app


class Done(NamedTuple):
    """How a command ended, what it printed, and what it said besides."""

    code: object
    printed: str
    said: str


def run(arguments: str, *more: str) -> Done:
    """Runs a command given as words between blanks, and further arguments."""
    printed, said = io.StringIO(), io.StringIO()
    code: object = None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        try:
            app([*arguments.split(), *more])
        except SystemExit as ended:
            code = ended.code
    return Done(code, printed.getvalue(), said.getvalue())
