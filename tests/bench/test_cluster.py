"""A match is the same whoever plays it: this process, threads, processes, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

from tarocchi_bench import cluster
from tarocchi_bench.arena import MatchResult, play_match
from tarocchi_bench.cluster import ClusterError, cluster_executor
from tarocchi_bench.commands import app
from tarocchi_bench.pairs import MatchPlan, Pair, read_record
from tarocchi_bench.workers import WorkerDiedError, Workers, work_on

distributed = pytest.importorskip("distributed")

PLAN = MatchPlan("piedicavallo", "solver:iterations=60", "greedy", 5, 6)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    """Two workers, each a process of its own that is started again when it is killed."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as running:
        yield running


@pytest.fixture
def on_cluster(scheduler: Any) -> Iterator[Executor]:
    with cluster_executor(scheduler.scheduler_address, lambda _sentence: None) as executor:
        yield executor


def played(workers: Workers, record: Path) -> tuple[MatchResult, list[Pair]]:
    """Returns a match and what its record holds, by number; times that were measured do not count when compared."""
    result = play_match(PLAN, workers=workers, record=record)
    return result, sorted(read_record(record, PLAN), key=lambda pair: pair.number)


def test_a_match_is_the_same_whoever_plays(on_cluster: Executor, tmp_path: Path) -> None:
    alone = played(1, tmp_path / "alone.jsonl")
    assert alone[0].pairs == len(alone[1]) == PLAN.pairs
    assert played(on_cluster, tmp_path / "cluster.jsonl") == alone
    with ThreadPoolExecutor(2) as threads:
        assert played(threads, tmp_path / "threads.jsonl") == alone
    assert played(2, tmp_path / "processes.jsonl") == alone


def test_an_interrupted_match_goes_on_by_other_workers(on_cluster: Executor, tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    play_match(replace(PLAN, pairs=2), record=record)
    whole = played(on_cluster, record)
    assert whole == played(1, tmp_path / "alone.jsonl")


def slow_square(number: int) -> int:
    time.sleep(0.3)
    return number * number


def test_a_killed_worker_loses_nothing(scheduler: Any) -> None:
    found = []
    with cluster_executor(scheduler.scheduler_address, lambda _sentence: None) as executor:
        squares = work_on(slow_square, list(range(12)), executor)
        found.append(next(squares))
        with distributed.Client(scheduler.scheduler_address, set_as_default=False) as client:
            (victim, *_) = client.run(os.getpid).values()
        os.kill(victim, signal.SIGKILL)
        found += squares
    assert sorted(found) == [number * number for number in range(12)]


def die(_number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_its_workers_is_given_up(scheduler: Any) -> None:
    with (
        pytest.raises(WorkerDiedError, match="ended several workers"),
        cluster_executor(scheduler.scheduler_address, lambda _sentence: None) as executor,
    ):
        list(work_on(die, [1], executor))


def fail_at_three(number: int) -> int:
    if number == 3:
        raise ValueError("three cannot be")
    return number


class Counted:
    """A function that knows whether it has been closed."""

    closed: ClassVar[list[int]] = []

    def __call__(self, number: int) -> int:
        return number

    def close(self) -> None:
        self.closed.append(threading.get_ident())


def test_what_a_task_raises_names_it_and_ends_the_rest(on_cluster: Executor) -> None:
    with ThreadPoolExecutor(1) as threads:
        for executor in (threads, on_cluster):
            with pytest.raises(ValueError, match="three cannot be") as caught:
                list(work_on(fail_at_three, list(range(8)), executor))
            assert any("in number 3" in note for note in caught.value.__notes__)


def test_each_task_has_a_function_of_its_own_that_is_closed() -> None:
    Counted.closed.clear()
    with ThreadPoolExecutor(2) as threads:
        assert sorted(work_on(Counted(), list(range(5)), threads)) == list(range(5))
    assert len(Counted.closed) == 5


def test_tasks_are_handed_out_as_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarocchi_bench.workers.HANDED_OUT", 3)
    begun: list[Any] = []

    class Watched(ThreadPoolExecutor):
        def submit(self, *args: Any, **named: Any) -> Any:
            begun.append(args)
            return super().submit(*args, **named)

    with Watched(8) as threads:
        squares = work_on(slow_square, list(range(9)), threads)
        next(squares)
        assert len(begun) == 3
        assert len(list(squares)) == 8
    assert len(begun) == 9


def test_the_command_plays_on_a_cluster(scheduler: Any) -> None:
    given = ["--variant", PLAN.variant, "--a", PLAN.a, "--b", PLAN.b, "--pairs", "2", "--seed", "5", "--json"]
    alone = CliRunner().invoke(app, ["arena", *given, "--workers", "1"])
    found = CliRunner().invoke(app, ["arena", *given, "--cluster", scheduler.scheduler_address])
    assert (found.exit_code, alone.exit_code) == (0, 0), found.output
    assert "threads of the cluster's workers: 2" in found.stderr
    times = re.compile(r'"cpu_ms_per_decision_.": [\d.]+')
    assert times.sub("", found.stdout) == times.sub("", alone.stdout)


def test_what_is_no_cluster_is_told(scheduler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    for address, words in (
        ("tcp://127.0.0.1:1", "no scheduler answers at"),
        ("nonsense://nowhere:1", "is no address: it begins with tcp:// or tls://"),
        ("tcp://127.0.0.1:99999", "a port is a number from 0 to 65535"),
        ("nonsense", "is no address: give host and port"),
        ("tcp://", "is no address"),
        ("", "is no address"),
    ):
        with pytest.raises(ClusterError, match=words), cluster_executor(address, lambda _sentence: None):
            pass
    monkeypatch.setattr(cluster, "__version__", "9.9")
    with (
        pytest.raises(ClusterError, match="has other code"),
        cluster_executor(scheduler.scheduler_address, lambda _sentence: None),
    ):
        pass
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, protocol="tcp", dashboard_address=":0", silence_logs=50
        ) as empty,
        pytest.raises(ClusterError, match="has no worker: start some by `dask worker"),
        cluster_executor(empty.scheduler_address, lambda _sentence: None),
    ):
        pass
