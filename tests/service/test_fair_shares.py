"""Many clients that want more than there is get about as much as each other."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from service_support import Call, occupied, the_same, wait_for
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.errors import RequestError, StatusReason
from tarocchi_solver.service.metrics import Metrics
from tarocchi_solver.service.pool import SearchPool, result_of
from tarocchi_solver.service.pools import Priority, SearchPools

CLIENTS = 64
SECONDS = 1.0


def test_jobs_that_wait_are_taken_in_turn() -> None:
    pool = SearchPool(1, CLIENTS)
    order: list[int] = []
    with occupied(pool, 1):
        waiting = [
            pool.submit(the_same(lambda stop, number=number: order.append(number)), Call())  # type: ignore[misc]
            for number in range(CLIENTS)
        ]
    for each in waiting:
        result_of(each)
    pool.close()
    assert order == list(range(CLIENTS))


def test_clients_that_ask_again_and_again_get_equal_shares() -> None:
    """No client is left out, and none gets a second answer for each of another's."""
    pool = SearchPool(2, CLIENTS)
    counts = [0] * CLIENTS
    is_over = threading.Event()

    def ask(number: int) -> None:
        while not is_over.is_set():
            pool.run(the_same(lambda stop: time.sleep(0.001)), Call())
            counts[number] += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 30
    time.sleep(SECONDS)
    # on a machine that is busy with other things it takes a while until there is something to compare
    while sum(counts) < 8 * CLIENTS and time.monotonic() < end:
        time.sleep(0.01)
    is_over.set()
    for thread in threads:
        thread.join()
    pool.close()
    assert min(counts) > max(counts) / 2


# --- calls of many searches


PLACES = 8


class ActiveCall(Call):
    def is_active(self) -> bool:
        return True


class Full(NamedTuple):
    pools: SearchPools
    pool: SearchPool
    waiting: list[Call]
    end_search: Callable[[], None]
    """Ends the search that runs."""


@contextlib.contextmanager
def full_pools() -> Iterator[Full]:
    """Gives pools whose place for study and its queue are taken."""
    config = ServerConfig(concurrent_analyses=1, analysis_queue_size=PLACES - 1)
    metrics = Metrics(("other",), (priority.label for priority in Priority), is_ready=lambda: True)
    pools = SearchPools(config, {}, metrics)
    pool = pools[Priority.ANALYSIS]
    with contextlib.ExitStack() as busy:
        busy.enter_context(occupied(pool, 1))
        calls = [Call() for _ in range(PLACES - 1)]
        for call in calls:
            pool.submit(the_same(lambda stop: None), call)
        yield Full(pools, pool, calls, busy.close)
    pools.close()


def is_refused(pool: SearchPool) -> bool:
    try:
        pool.submit(the_same(lambda stop: None), Call())
    except RequestError as error:
        return error.reason is StatusReason.QUEUE_FULL
    return False


def begun(pools: SearchPools, latest: float, done: list[Any], jobs: int = 2) -> threading.Thread:
    """Begins a call of many searches, which puts its results, or its error, into `done`."""

    def work() -> None:
        many = [the_same(lambda stop, number=number: number, latest) for number in range(jobs)]  # type: ignore[misc]
        try:
            done.extend(pools.search_in_turn(Priority.ANALYSIS, many, ActiveCall(), abreast=1))
        except RequestError as error:
            done.append((error, time.monotonic()))

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_call_of_many_searches_that_waits_comes_before_newcomers() -> None:
    done: list[Any] = []
    with full_pools() as (pools, pool, waiting, end_search):
        thread = begun(pools, math.inf, done)
        wait_for(lambda: len(pool._line) == 1)
        for call in waiting[:2]:
            call.leave()
        # of the two places that are free now, one belongs to the call in the line, whenever it asks for it
        assert not is_refused(pool)
        assert is_refused(pool)
        wait_for(lambda: not pool._line)
        assert pool.admitted == PLACES
        end_search()
        thread.join(30)
    assert done == [0, 1]


def test_calls_of_many_searches_leave_half_of_the_places_to_others() -> None:
    done: list[Any] = []
    with full_pools() as (pools, pool, waiting, end_search):
        threads = [begun(pools, math.inf, done) for _ in range(PLACES)]
        wait_for(lambda: len(pool._line) == PLACES)
        # as if all of them were slow to take their places
        held = list(pool._line)
        for call in waiting:
            call.leave()
        with pool._lock:
            assert pool._claimed(None) <= PLACES // 2
            assert pool._claimed(held[0] if held[0] in pool._line else None) <= PLACES // 2
        end_search()
        for thread in threads:
            thread.join(30)
    assert sorted(done) == [0] * PLACES + [1] * PLACES


def test_a_call_of_many_searches_without_a_place_is_refused_before_its_deadline() -> None:
    done: list[Any] = []
    with full_pools() as (pools, *_):
        deadline = time.monotonic() + 0.5
        begun(pools, deadline, done).join(30)
    [(error, when)] = done
    assert (error.reason, error.retry_seconds) == (StatusReason.QUEUE_FULL, 1.0)
    assert when < deadline + 0.05


def test_a_place_that_comes_late_is_of_use_still() -> None:
    """The time that was meant for the first searches is over by then: they share what is left."""
    done: list[Any] = []
    with full_pools() as (pools, pool, waiting, _):
        now = time.monotonic()
        many = [the_same(lambda stop, number=number: number, now + 0.5 * (number + 1)) for number in range(4)]  # type: ignore[misc]
        thread = threading.Thread(
            target=lambda: done.extend(pools.search_in_turn(Priority.ANALYSIS, many, ActiveCall(), abreast=1))
        )
        thread.start()
        wait_for(lambda: len(pool._line) == 1)
        time.sleep(0.8)
        waiting[0].leave()
        thread.join(30)
        assert done == [0, 1, 2, 3]
        assert time.monotonic() < now + 2.2
