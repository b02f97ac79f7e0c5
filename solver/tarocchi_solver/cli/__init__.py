"""The command line `tarocchi`."""

from __future__ import annotations

import contextlib
import io
import sys

from tarocchi_solver.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line and exits: 0 for success, 1 for a failure, 2 for wrong input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(OSError, ValueError):
                stream.reconfigure(errors="replace")
    app()
