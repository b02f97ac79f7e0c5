"""The cores are shared between searches, and what they find stays the same."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tarocchi_bench.speed.moments import early_choice
from tarocchi_solver.search import Budget, search, sharing
from tarocchi_solver.search.sharing import share_of


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "core_count", lambda: 8)


def test_one_search_gets_what_it_asks_for_up_to_all_cores() -> None:
    with share_of(5) as threads:
        assert threads == 5
    with share_of(20) as threads:
        assert threads == 8


def test_several_get_equal_shares_and_never_none() -> None:
    with share_of(8) as first, share_of(8) as second, share_of(1) as third, share_of(8) as fourth:
        assert (first, second, third, fourth) == (8, 4, 1, 2)
    with share_of(8) as again:
        assert again == 8
    with pytest.raises(ValueError, match="lost"), share_of(8):
        raise ValueError("lost")
    with share_of(8) as after:
        assert after == 8


def test_more_searches_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "core_count", lambda: 1)
    with share_of(2) as first, share_of(2) as second:
        assert (first, second) == (1, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="priorities of threads are Linux's")
def test_another_priority_does_not_count() -> None:
    found = []

    def study() -> None:
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + 1)
        with share_of(8) as threads:
            found.append(threads)

    with share_of(8):
        worker = threading.Thread(target=study)
        worker.start()
        worker.join()
    assert found == [8]


def test_answers_are_the_same_beside_other_searches() -> None:
    observation = early_choice("bolognese")
    alone = search(observation, Budget(iterations=4000), seed=3, threads=2)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(search, observation, Budget(iterations=4000), seed=3, threads=2) for _ in range(8)]
        assert all(future.result().moves == alone.moves for future in asked)
