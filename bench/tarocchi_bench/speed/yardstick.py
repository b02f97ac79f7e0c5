"""What the machine gives to independent processes: the yardstick for searches on several threads.

Two cores of a busy or a virtual machine, or two threads of one core, give less than twice the work of one. So nothing
can be said of threads alone: the same moment is measured with processes that share nothing, play random deals in
compiled code as the search does, and are as many as the threads.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Final

import numpy as np

from tarocchi_bench.stopping import signals_held_back
from tarocchi_bench.throughput import play_at_random, whole_deals
from tarocchi_bench.workers import WorkerDiedError

_COMMAND: Final = "from tarocchi_bench.speed.yardstick import serve; serve()"
_VARIANT: Final = "piedicavallo"
_PLAYOUTS_PER_CALL: Final = 500
"""About a quarter of a millisecond, after which a process looks at the clock."""


class Yardstick:
    """Processes of pure CPU work that wait to be asked for it."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def work(self, count: int, seconds: float) -> int:
        """Has so many of the processes work at the same time for so many seconds; returns the deals played by all.

        Raises `WorkerDiedError`.
        """
        chosen = self._processes[:count]
        try:
            for process in chosen:
                assert process.stdin is not None
                process.stdin.write(f"{seconds}\n")
                process.stdin.flush()
            return sum(_number_from(process) for process in chosen)
        except (OSError, ValueError) as error:
            raise WorkerDiedError("a process of the yardstick has ended in the middle of its work") from error


def _number_from(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


@contextlib.contextmanager
def yardstick(count: int) -> Iterator[Yardstick]:
    """Starts so many processes, which are ready when this returns, and ends them."""
    processes: list[subprocess.Popen[str]] = []
    try:
        for _ in range(count):
            with signals_held_back():
                processes.append(
                    subprocess.Popen(
                        [sys.executable, "-c", _COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                    )
                )
        ready = Yardstick(processes)
        ready.work(count, 0.0)
        yield ready
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.communicate()


def serve() -> None:
    """Works for as many seconds as each line of the standard input says, and prints how many deals that were."""
    positions = whole_deals(_VARIANT, 1)
    stream = np.array([1], dtype=np.uint64)
    play_at_random(positions, 1, stream)
    for line in sys.stdin:
        played = 0
        end = time.perf_counter() + float(line)
        while time.perf_counter() < end:
            play_at_random(positions, _PLAYOUTS_PER_CALL, stream)
            played += _PLAYOUTS_PER_CALL
        print(played, flush=True)
