"""The queue in front of the searches and the lane beside it: what is due when, and who is answered how."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from service_support import Call, occupied, the_same, wait_for
from tarocchi_solver.service.agenda import (
    FIRST_ESTIMATE,
    LONGEST_ESTIMATE,
    Due,
    Estimates,
    are_in_time,
    latest_starts,
)
from tarocchi_solver.service.errors import RequestError
from tarocchi_solver.service.jobs import Job, StopSignal
from tarocchi_solver.service.pool import SearchPool

HOURS = 10_000.0
"""Seconds that never pass in a test."""


class Callers:
    """Threads that wait for their jobs, as those that serve calls do."""

    def __init__(self, pool: SearchPool) -> None:
        self._pool = pool
        self._threads: list[threading.Thread] = []
        self.answers: list[Any] = []
        self.refusals: list[str] = []

    def send(self, job: Job[Any], call: Call | None = None) -> None:
        """Hands a job in and waits until it is admitted."""
        before = self._pool.admitted

        def wait() -> None:
            try:
                self.answers.append(self._pool.run(job, call or Call()))  # type: ignore[arg-type]
            except RequestError as error:
                self.refusals.append(error.reason)

        self._threads.append(threading.Thread(target=wait))
        self._threads[-1].start()
        wait_for(lambda: self._pool.admitted > before or not self._threads[-1].is_alive())

    def join(self) -> None:
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()


def named(name: str, latest: float, log: list[str] | None = None) -> Job[str]:
    """Returns a job that answers with its name and how it was done, and that writes the same into a log."""

    def told(how: str) -> str:
        if log is not None:
            log.append(f"{name} {how}")
        return f"{name} {how}"

    def minimum(stop: StopSignal) -> str:
        assert stop.is_set()
        return told("late" if stop.is_for_time else "stopped")

    return Job("play", lambda _stop, _seconds: told("searched"), minimum, latest)


def test_work_begins_as_late_as_all_of_it_can_be_done() -> None:
    assert latest_starts([]) == []
    assert latest_starts([Due(10.0, 1.0)]) == [9.0]
    # due together: one after another; far apart: each on its own
    assert latest_starts([Due(10.0, 1.0), Due(10.0, 2.0), Due(10.5, 1.0)]) == [6.5, 7.5, 9.5]
    assert latest_starts([Due(10.0, 1.0), Due(100.0, 2.0)]) == [9.0, 98.0]
    assert latest_starts([Due(math.inf, 1.0)]) == [math.inf]


def test_what_cannot_be_done_in_time_is_known_before() -> None:
    plan = [Due(10.0, 1.0), Due(11.0, 2.0), Due(50.0, 1.0)]
    assert are_in_time(plan, now=8.0) == [True, True, True]
    assert are_in_time(plan, now=8.5) == [True, False, True]
    assert are_in_time(plan, now=9.5) == [False, False, True]


def test_work_that_begins_when_it_has_to_is_in_time() -> None:
    plan = [Due(latest, cost) for latest, cost in ((3.0, 1.0), (3.0, 0.5), (3.25, 0.5), (9.0, 4.0), (9.0, 3.0))]
    first = latest_starts(plan)[0]
    assert all(are_in_time(plan, first))
    assert not all(are_in_time(plan, first + 0.01))


def test_estimates_follow_what_is_measured() -> None:
    estimates = Estimates({"discard": 0.05})
    assert (estimates.of("discard"), estimates.of("play")) == (0.05, FIRST_ESTIMATE)
    for _ in range(20):
        estimates.note("play", 0.1)
    assert estimates.of("play") == pytest.approx(0.1, rel=0.01)
    estimates.note("play", 0.01)
    assert 0.08 < estimates.of("play") < 0.1  # one quick answer proves little
    for _ in range(100):
        estimates.note("play", 0.01)
    assert estimates.of("play") == pytest.approx(0.01, rel=0.01)
    assert estimates.of("discard") == 0.05
    # a machine that stood still
    for _ in range(20):
        estimates.note("play", 30.0)
    assert estimates.of("play") == LONGEST_ESTIMATE
    for _ in range(200):
        estimates.soften("play")
    assert estimates.of("play") < FIRST_ESTIMATE


def test_those_whose_turn_does_not_come_are_answered_by_urgency() -> None:
    pool = SearchPool(workers=1, queue_size=4)
    callers = Callers(pool)
    done: list[str] = []
    now = time.monotonic()
    with occupied(pool, 1):
        for name, seconds in (("c", HOURS), ("b", 2.1), ("a", 2.0), ("d", HOURS)):
            callers.send(named(name, now + seconds, done))
        wait_for(lambda: pool.admitted == 3)
        assert done == ["a late", "b late"]
        assert time.monotonic() > now + 1.5, "they were given up early"
    callers.join()
    assert done[2:] == ["c searched", "d searched"]
    assert sorted(callers.answers) == sorted(done)
    pool.close()


def test_minimum_answers_are_given_one_at_a_time() -> None:
    pool = SearchPool(workers=1, queue_size=8)
    callers = Callers(pool)
    at_work = threading.Lock()

    def alone(stop: threading.Event) -> bool:
        is_alone = at_work.acquire(blocking=False)
        time.sleep(0.002)
        at_work.release()
        return is_alone

    with occupied(pool, 1):
        for _ in range(8):
            callers.send(the_same(alone))
        pool.stop_searches()
        wait_for(lambda: pool.admitted == 1)
    callers.join()
    assert callers.answers == [True] * 8
    pool.close()


def test_a_call_that_would_make_others_late_is_refused() -> None:
    pool = SearchPool(workers=1, queue_size=8, first_estimates={"long": 20.0})
    callers = Callers(pool)
    calls = [Call() for _ in range(3)]
    with occupied(pool, 1):
        latest = time.monotonic() + 70.0
        for call in calls:
            callers.send(the_same(lambda stop: None, latest, "long"), call)
        assert pool.admitted == 3
        wait_for(lambda: callers.refusals == ["QUEUE_FULL"])
        # there is room for one that is due later, and for none before
        callers.send(named("later", latest + HOURS))
        assert pool.admitted == 4
        callers.send(named("sooner", latest - 15.0))
        wait_for(lambda: callers.refusals == ["QUEUE_FULL"] * 2 or pool.admitted == 5)
        assert pool.admitted == 5, "a short answer fits in before two long ones"
        callers.send(the_same(lambda stop: None, latest - 15.0, "long"))
        wait_for(lambda: callers.refusals == ["QUEUE_FULL"] * 2)
        for call in calls:
            call.leave()
        wait_for(lambda: pool.admitted == 3)
        pool.stop_searches()
        wait_for(lambda: pool.admitted == 1)
    callers.join()
    pool.close()


def test_a_search_ends_in_time_to_be_answered() -> None:
    pool = SearchPool(workers=1, queue_size=0, longest=60.0, first_estimates={"play": 0.5})
    given: list[float] = []

    def search(stop: StopSignal, seconds: float) -> bool:
        given.append(seconds)
        return stop.wait(60) and stop.is_for_time

    start = time.monotonic()
    assert pool.run(Job("play", search, lambda stop: None, start + 2.0), Call())  # type: ignore[arg-type]
    assert 0.5 < given[0] <= 1.0  # an answer takes half a second, and so much time is left over
    pool.run(Job("play", lambda stop, seconds: given.append(seconds), lambda stop: None), Call())  # type: ignore[arg-type]
    assert given[1] == pytest.approx(60.0)
    pool.close()


@pytest.mark.filterwarnings("error")
def test_a_deadline_at_the_end_of_time_is_waited_for() -> None:
    pool = SearchPool(workers=1, queue_size=2)
    callers = Callers(pool)
    with occupied(pool, 1):
        callers.send(named("patient", 1e30))
        time.sleep(0.1)
        callers.send(named("urgent", time.monotonic() + 1.0))
        wait_for(lambda: callers.answers == ["urgent late"])
    callers.join()
    assert callers.answers == ["urgent late", "patient searched"]
    pool.close()


def test_a_client_that_leaves_frees_its_place_at_once() -> None:
    pool = SearchPool(workers=1, queue_size=2)
    callers = Callers(pool)
    call = Call()
    with occupied(pool, 1):
        callers.send(named("gone", time.monotonic() + HOURS), call)
        assert pool.admitted == 2
        call.leave()
        assert pool.admitted == 1
    callers.join()
    assert (callers.answers, callers.refusals) == ([], ["CANCELLED"])
    pool.close()


@pytest.mark.parametrize("is_late", [True, False])
def test_an_error_of_a_job_is_told_as_it_is(is_late: bool) -> None:
    def fail(stop: threading.Event) -> None:
        raise TimeoutError("its own")

    pool = SearchPool(workers=1, queue_size=1)
    with occupied(pool, 1 if is_late else 0), pytest.raises(TimeoutError, match="its own"):
        pool.run(the_same(fail, time.monotonic() + (1.0 if is_late else HOURS)), Call())  # type: ignore[arg-type]
    assert pool.wait_until_idle(10)
    pool.close()


def test_draining_answers_those_that_wait_and_refuses_those_it_cannot() -> None:
    pool = SearchPool(workers=1, queue_size=9, first_estimates={"long": 20.0})
    callers = Callers(pool)
    with occupied(pool, 1):
        callers.send(named("first", math.inf))
        for _ in range(3):
            callers.send(the_same(lambda stop: "long", kind="long"))
        pool.drain(50.0)
        wait_for(lambda: callers.refusals == ["DRAINING"])
        callers.send(named("new", math.inf))
        wait_for(lambda: callers.refusals == ["DRAINING"] * 2)
        pool.stop_searches()
        wait_for(lambda: pool.admitted == 1)
    callers.join()
    assert sorted(filter(None, callers.answers)) == ["first stopped", "long", "long"]
    pool.close()


@pytest.mark.parametrize("end", [SearchPool.refuse_waiting, SearchPool.close])
def test_nobody_waits_for_ever(end: Callable[[SearchPool], None]) -> None:
    pool = SearchPool(workers=1, queue_size=3)
    callers = Callers(pool)
    with occupied(pool, 1):
        for latest in (math.inf, time.monotonic() + HOURS):
            callers.send(named("waiting", latest))
        end(pool)
        callers.join()
        assert callers.refusals == ["DRAINING"] * 2
    assert pool.wait_until_idle(10)
    pool.close()
