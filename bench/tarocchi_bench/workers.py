"""Processes that work off a list of tasks and end with whoever started them, however that one ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process, resource_tracker
from typing import Any, Final, TypeVar

from tarocchi_bench.stopping import SIGNALS, signals_held_back

T = TypeVar("T")
R = TypeVar("R")


class WorkerDiedError(Exception):
    """A worker process ended before its work was done."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


GRACE_SECONDS: Final = 4.0
"""How long workers may take to end, together, before they are killed."""


def check_workers(workers: int) -> None:
    """Raises ValueError for a number of processes that cannot be."""
    if workers < 1:
        raise ValueError(f"{workers} processes play nothing: give at least 1")


def work_off(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Generator[R]:
    """Yields `function(task)` for every task as soon as it is there, in no fixed order.

    Args:
        function: what a process can import by its name, or an object that can be sent to one: each works with its
            own. Where it has a method `close`, that is called at the end.
        tasks: what to apply it to; taken in order.
        workers: processes; they end when the iteration ends or is given up, and leave Ctrl-C to this process.

    Raises:
        WorkerDiedError: a process was killed or crashed; what `function` raises is raised as it is.
    """
    # spawn: a fork would copy the locks of this process's threads
    context = get_context("spawn")
    waiting = deque(tasks)
    team: dict[Any, Any] = {}
    idle: set[Any] = set()
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
                        idle.add(link)
                if isinstance(answer, _Failure):
                    raise answer.error
                yield answer
    finally:
        deadline = time.monotonic() + GRACE_SECONDS
        for link, process in team.items():
            if link in idle:
                link.close()  # which it takes for the end of its work
            else:
                process.terminate()
        for link, process in team.items():
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()
            process.join()
            link.close()


def work_through(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Generator[R]:
    """Works off tasks as `work_off` does; with one worker in this process, in the order of the tasks."""
    if workers > 1:
        yield from work_off(function, tasks, workers)
        return
    with _closing(function):
        yield from map(function, tasks)


@contextlib.contextmanager
def _closing(function: object) -> Iterator[None]:
    """Closes what can be closed, at the end."""
    try:
        yield
    finally:
        close = getattr(function, "close", None)
        if close is not None:
            close()


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
    signal.signal(signal.SIGTERM, _end)
    with _closing(function), contextlib.suppress(EOFError, OSError):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        while True:
            task = link.recv()
            try:
                answer = function(task)
            except Exception as error:
                error.add_note(f"In a worker process:\n{traceback.format_exc()}")
                answer = _Failure(error)
            link.send(answer)


def _end(number: int, frame: object) -> None:
    """Ends a worker in order; what asks for it again while it does so is heard no more."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _die_with_parent() -> None:
    """Makes this process end when the one that started it has been killed, even in the middle of its work."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, name="tarocchi-parent-watch", daemon=True).start()
