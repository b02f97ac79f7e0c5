"""The threads that serve calls: few work at once, and none that waits holds up the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future

import pytest

from service_support import wait_for
from tarocchi_solver.service.threads import CallThreads, waiting

MOST = 6


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """Holds calls until the end of the test, or until it is set."""
    event = threading.Event()
    yield event
    event.set()


def with_patience(seconds: float, most: int = MOST) -> CallThreads:
    return CallThreads(most, at_once=2, patience=seconds)


def hold(held: threading.Event, done: list[int] | None = None, number: int = 0) -> None:
    held.wait(60)
    if done is not None:
        done.append(number)


def test_results_and_errors_come_back() -> None:
    threads = with_patience(60.0)
    assert threads.submit(lambda a, b: a + b, 1, b=2).result(10) == 3
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(10)
    wait_for(lambda: threads.begun == 0)


def test_two_work_at_once_and_the_others_follow_in_order(held: threading.Event) -> None:
    threads, done = with_patience(60.0), list[int]()
    for number in (0, 1):
        threads.submit(hold, held, done, number)
    rest = [threads.submit(done.append, number) for number in range(2, 20)]
    time.sleep(0.05)
    assert threads.begun == 2
    assert done == []
    held.set()
    for each in rest:
        each.result(10)
    wait_for(lambda: threads.begun == 0)
    assert sorted(done) == list(range(20))


def test_one_thread_keeps_the_order(held: threading.Event) -> None:
    threads, done = CallThreads(1, at_once=1, patience=60.0), list[int]()
    threads.submit(hold, held)
    rest = [threads.submit(done.append, number) for number in range(50)]
    held.set()
    for each in rest:
        each.result(10)
    assert done == list(range(50))


def test_calls_that_say_that_they_wait_let_others_work(held: threading.Event) -> None:
    threads = with_patience(60.0)

    def wait() -> str:
        with waiting():
            held.wait(60)
        return "done"

    calls = [threads.submit(wait) for _ in range(MOST - 1)]
    assert threads.submit(lambda: "at once").result(10) == "at once"
    wait_for(lambda: threads.begun == MOST - 1)
    held.set()
    assert [call.result(10) for call in calls] == ["done"] * (MOST - 1)


def test_calls_that_make_no_progress_hold_up_nobody_for_long(held: threading.Event) -> None:
    threads = with_patience(0.01)
    stuck = [threads.submit(hold, held) for _ in range(MOST - 1)]
    started = time.monotonic()
    assert threads.submit(lambda: "soon").result(10) == "soon"
    assert time.monotonic() - started < 5
    # and no more of them than before: a call behind them needs not wait again
    wait_for(lambda: threads.begun == MOST - 1)
    assert not any(call.done() for call in stuck)
    assert threads.submit(lambda: "again").result(10) == "again"


def test_no_more_begin_than_there_may_be_threads(held: threading.Event) -> None:
    threads, done = with_patience(0.001), list[int]()
    for number in range(MOST):
        threads.submit(hold, held, done, number)
    late = threads.submit(lambda: "late")
    wait_for(lambda: threads.begun == MOST)
    time.sleep(0.05)
    assert threads.begun == MOST
    assert not late.done()
    held.set()
    assert late.result(10) == "late"
    wait_for(lambda: len(done) == MOST)


def test_what_is_cancelled_in_the_queue_never_runs(held: threading.Event) -> None:
    threads, done = with_patience(60.0), list[int]()
    for _ in range(2):
        threads.submit(hold, held)
    unwanted: Future[None] = threads.submit(done.append, 1)
    assert unwanted.cancel()
    after = threads.submit(done.append, 2)
    held.set()
    after.result(10)
    assert done == [2]
    with pytest.raises(CancelledError):
        unwanted.result(10)


def test_waiting_anywhere_else_is_just_waiting() -> None:
    with waiting():
        pass


def test_nothing_is_left_of_many_calls() -> None:
    threads = with_patience(0.001)
    calls = [threads.submit(time.sleep, 0.0001 * (number % 7)) for number in range(500)]
    for call in calls:
        call.result(10)
    wait_for(lambda: threads.begun == 0)
    assert threads.submit(lambda: 1).result(10) == 1
