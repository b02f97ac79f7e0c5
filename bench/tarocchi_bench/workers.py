"""Works off a list of tasks: here, in processes that end with whoever started them, or by any executor.

A task is a block of work, such as a pair of deals, and its answer depends on nothing but the task: so who works and in
which order changes the time, never what is found.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from multiprocessing import connection, get_context, parent_process, resource_tracker
from typing import Any, Final, TypeVar

from tarocchi_bench.stopping import SIGNALS, signals_held_back

T = TypeVar("T")
R = TypeVar("R")
Workers = int | Executor
"""Who works: so many processes of this machine, 1 for this one, or an executor, such as that of a cluster."""


class WorkerDiedError(Exception):
    """A worker process ended before its work was done."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


HANDED_OUT: Final = 1000
"""Tasks that an executor has at a time: enough for many machines, and few enough to be kept in mind."""
GRACE_SECONDS: Final = 4.0
"""How long workers may take to end, together, before they are killed."""


def check_workers(workers: Workers) -> None:
    """Raises ValueError for a number of processes that cannot be."""
    if isinstance(workers, int) and workers < 1:
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


def work_through(function: Callable[[T], R], tasks: Sequence[T], workers: Workers) -> Generator[R]:
    """Works off tasks as `work_off` does, or `work_on`; with one worker in this process, in the order of the tasks."""
    if isinstance(workers, Executor):
        yield from work_on(function, tasks, workers)
        return
    if workers > 1:
        yield from work_off(function, tasks, workers)
        return
    with _closing(function):
        for task in tasks:
            yield _answer(function, task)


def work_on(function: Callable[[T], R], tasks: Sequence[T], executor: Executor) -> Generator[R]:
    """Yields `function(task)` for every task as soon as an executor has it, in no fixed order.

    What has not begun is called off when the iteration ends or is given up.

    Args:
        function: can be sent to another process. Each task has one of its own, which is closed after it.
        tasks: what to apply it to; handed out in order.
        executor: who works; it is left open.

    Raises:
        What `function` raises, and what the executor does where it can work no more.
    """
    sent = pickle.dumps(function)
    waiting = iter(tasks)
    pending: set[Future[R]] = set()
    try:
        while True:
            pending |= {executor.submit(_work_once, sent, task) for task in islice(waiting, HANDED_OUT - len(pending))}
            if not pending:
                return
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            while done:
                yield done.pop().result()
    finally:
        for future in pending:
            future.cancel()


def _work_once(sent: bytes, task: Any) -> Any:
    """Returns what a function makes of one task."""
    with _closing(function := pickle.loads(sent)):
        return _answer(function, task)


def _answer(function: Callable[[T], R], task: T) -> R:
    """Returns what a function makes of a task; an error says of which."""
    try:
        return function(task)
    except Exception as error:
        error.add_note(f"in number {task}")
        raise


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
                answer = _answer(function, task)
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
