"""A search is the same to the last bit on threads, on processes and on the workers of a Dask cluster."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from service_support import play_until
from tarocchi_bench.speed.moments import early_choice
from tarocchi_engine import Observation
from tarocchi_solver.search import Budget, search
from tarocchi_solver.search.analysis import analyze
from tarocchi_solver.search.results import StopReason
from tarocchi_solver.search.sampler import ContradictionError, WorldNotFoundError

KINDS = ("threads", "processes", "cluster")


def ending(tricks: int) -> Observation:
    state = play_until(
        "bolognese", 5, lambda state: state.table.tricks_left == tricks and len(state.legal_moves()) > 1, options={}
    )
    assert state.turn is not None
    return state.observe(state.turn)


POSITIONS = {"early": early_choice("bolognese"), "solved worlds": ending(4), "all worlds": ending(3)}


@pytest.fixture(scope="module")
def executors() -> Iterator[dict[str, Executor]]:
    distributed = pytest.importorskip("distributed")
    with ExitStack() as stack:
        running = stack.enter_context(
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
        )
        client = stack.enter_context(distributed.Client(running, set_as_default=False))
        spawn = multiprocessing.get_context("spawn")
        yield {
            "threads": stack.enter_context(ThreadPoolExecutor(2)),
            "processes": stack.enter_context(ProcessPoolExecutor(2, mp_context=spawn)),
            "cluster": client.get_executor(pure=False),
        }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("position", POSITIONS)
def test_the_answer_is_the_same(kind: str, position: str, executors: dict[str, Executor]) -> None:
    observation, budget = POSITIONS[position], Budget(iterations=8000)
    alone = search(observation, budget, seed=7)
    for threads in (1, 3):
        found = search(observation, budget, seed=7, threads=threads, executor=executors[kind])
        assert (found.moves, found.diagnostics) == (alone.moves, alone.diagnostics)


def test_an_analysis_may_be_handed_out(executors: dict[str, Executor]) -> None:
    budget = Budget(iterations=4000)
    alone = [snapshot.found.moves for snapshot in analyze(POSITIONS["early"], budget, seed=3)]
    there = [
        snapshot.found.moves
        for snapshot in analyze(POSITIONS["early"], budget, seed=3, threads=2, executor=executors["cluster"])
    ]
    assert there == alone


def test_limits_hold(executors: dict[str, Executor]) -> None:
    found = search(POSITIONS["early"], Budget(time_ms=200), seed=1, threads=2, executor=executors["threads"])
    assert found.diagnostics.stop_reason is StopReason.TIME
    stop = threading.Event()
    told: list[int] = []

    def tell(worlds: int) -> None:
        told.append(worlds)
        if len(told) == 3:
            stop.set()

    found = search(
        POSITIONS["early"], Budget(), seed=1, threads=2, executor=executors["threads"], stop=stop, progress=tell
    )
    assert found.diagnostics.stop_reason is StopReason.STOPPED
    assert found.diagnostics.worlds <= sum(told)


def test_what_is_no_executor_is_refused() -> None:
    nonsense: Any = 4
    with pytest.raises(TypeError, match="executor is 4 of type int: give one of concurrent"):
        search(POSITIONS["early"], Budget(iterations=100), executor=nonsense)


@pytest.mark.parametrize("kind", [ContradictionError, WorldNotFoundError])
def test_a_contradiction_keeps_its_facts_on_its_way(kind: type[ContradictionError]) -> None:
    told = kind(["seat 1 is void of coins", "seat 2 holds no Matto"])
    again = pickle.loads(pickle.dumps(told))
    assert (type(again), again.facts, str(again)) == (kind, told.facts, str(told))
