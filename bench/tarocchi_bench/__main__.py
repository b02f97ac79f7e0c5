"""Starts the command line of the benchmarks: `python -m tarocchi_bench`."""

from __future__ import annotations

import contextlib
import os
import sys

from tarocchi_bench.stopping import Stopped, stop_at_signals


def main() -> None:
    """Runs a command and exits: 0 for success, 1 for a failure, 2 for wrong input, 130 or 143 after a signal."""
    stop_at_signals()
    try:
        # it takes a second to load, in which a signal may come too
        from tarocchi_bench.commands import app

        app(prog_name="python -m tarocchi_bench")
    except Stopped as stopped:
        # all is in order by now; the way out of a large program takes long enough for another signal to come
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(stopped.exit_code)


if __name__ == "__main__":
    main()
