"""Processes that work off a list of tasks and end with whoever started them, however that one ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process, resource_tracker
from typing import Any, TypeVar

from tarocchi_bench.stopping import SIGNALS, signals_held_back

T = TypeVar("T")
R = TypeVar("R")


class WorkerDiedError(Exception):
    """A worker process ended before its work was done."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


def work_off(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Iterator[R]:
    """Yields `function(task)` for every task as soon as it is there, in no fixed order.

    Args:
        function: what a process can import by its name.
        tasks: what to apply it to; taken in order.
        workers: processes, killed when the iteration ends or is given up. They leave signals to this process.

    Raises:
        WorkerDiedError: a process was killed or crashed; what `function` raises is raised as it is.
    """
    # spawn: a fork would copy the locks of this process's threads
    context = get_context("spawn")
    waiting = deque(tasks)
    team: dict[Any, Any] = {}
    # it is a process too, started with the first one, and its start would let signals through
    resource_tracker.ensure_running()
    try:
        for _ in range(min(workers, len(tasks))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(function, theirs), daemon=True)
            with signals_held_back():
                process.start()
            theirs.close()
            team[ours] = process
        for link, process in team.items():
            with _as_worker_error(process):
                link.send(waiting.popleft())
        busy = set(team)
        while busy:
            ready: list[Any] = connection.wait(list(busy))
            for link in ready:
                with _as_worker_error(team[link]):
                    answer = link.recv()
                    if waiting:
                        link.send(waiting.popleft())
                    else:
                        busy.discard(link)
                if isinstance(answer, _Failure):
                    raise answer.error
                yield answer
    finally:
        for process in team.values():
            process.kill()
        for link, process in team.items():
            process.join()
            link.close()


@contextlib.contextmanager
def _as_worker_error(process: Any) -> Iterator[None]:
    """Says that a process has ended where the connection to it is found closed."""
    try:
        yield
    except (EOFError, OSError):
        process.join()
        raise WorkerDiedError(
            f"a worker process ended with code {process.exitcode} in the middle of its work"
        ) from None


def _work(function: Callable[[Any], Any], link: Any) -> None:
    """Answers tasks until there is nobody to answer to."""
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = link.recv()
            try:
                answer = function(task)
            except Exception as error:
                error.add_note(f"In a worker process:\n{traceback.format_exc()}")
                answer = _Failure(error)
            link.send(answer)


def _die_with_parent() -> None:
    """Makes this process end when the one that started it has been killed, even in the middle of its work."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, name="tarocchi-parent-watch", daemon=True).start()
