"""Runs pieces of Python in fresh processes and tells what each took of the processors."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tarocchi_bench.stopping import signals_held_back
from tarocchi_bench.workers import WorkerDiedError

_SHOWN: Final = 500
"""Characters of its complaint that are quoted when a process fails."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that has come to its end."""

    printed: str
    cpu_seconds: float
    """Of the process and of those that it has started and waited for, from its start to its end."""


def run_fresh(
    code: str,
    *arguments: object,
    settings: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
) -> Ran:
    """Runs Python code in a process of its own, on the same modules as this one.

    Args:
        code: the code.
        arguments: what it finds in `sys.argv[1:]`.
        settings: variables of its environment, beside those of this process.
        on_line: called with every line that it prints, as it comes.

    Raises `WorkerDiedError` if it fails.
    """
    command: Sequence[str] = [sys.executable, "-c", code, *map(str, arguments)]
    printed = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaint:
        with signals_held_back():
            process = subprocess.Popen(
                command, env={**os.environ, **(settings or {})}, stdout=subprocess.PIPE, stderr=complaint, text=True
            )
        try:
            assert process.stdout is not None
            with process.stdout as lines:
                for line in lines:
                    printed.append(line)
                    if on_line is not None:
                        on_line(line)
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            complaint.seek(0)
            said = complaint.read().strip()[-_SHOWN:]
            raise WorkerDiedError(f"a process that was measured ended with code {process.returncode}: {said}")
    return Ran("".join(printed), usage.ru_utime + usage.ru_stime)
