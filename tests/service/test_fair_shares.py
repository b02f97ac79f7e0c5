"""Many clients that want more than there is get about as much as each other."""

from __future__ import annotations

import threading
import time

from service_support import Call, occupied, the_same
from tarocchi_solver.service.pool import SearchPool, result_of

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
