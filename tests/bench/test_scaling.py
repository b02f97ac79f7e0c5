"""What threads and processes gain is told in iterations; nothing here depends on how fast they are."""

from __future__ import annotations

import json

import pytest

from bench.command import run
from tarocchi_bench.speed import scaling
from tarocchi_bench.speed.moments import early_choice
from tarocchi_bench.speed.scaling import measure_scaling
from tarocchi_bench.speed.yardstick import yardstick
from tarocchi_bench.workers import WorkerDiedError
from tarocchi_engine import VARIANTS


def test_processes_work_as_long_as_they_are_asked_to() -> None:
    with yardstick(2) as processes:
        assert processes.work(1, 0.0) == 0
        assert processes.work(1, 0.02) > 0
        assert processes.work(2, 0.02) > 0
        processes._processes[0].kill()
        processes._processes[0].wait()
        with pytest.raises(WorkerDiedError, match="yardstick"):
            processes.work(2, 0.01)
    assert all(process.poll() is not None for process in processes._processes)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_choice_that_is_searched_is_an_early_one(variant: str) -> None:
    observation = early_choice(variant, 5)
    assert observation == early_choice(variant, 5)
    assert observation != early_choice(variant, 6)
    assert observation.variant == variant


def test_the_command_prints_one_json_object() -> None:
    code, printed, said = run(
        "scaling --variant piedicavallo --budget-ms 20 --budget-ms 10 --rounds 2 --threads 2 --json"
    )
    assert code == 0, said
    report = json.loads(printed)
    assert [found["budget_ms"] for found in report["gains"]] == [10, 20]
    for found in report["gains"]:
        assert found["threads"] == 2
        assert found["iterations_of_one"] > 0
        assert len(found["shares"]) == len(found["gains"]) == report["rounds"] == 2
        assert found["share"] == pytest.approx(sum(found["shares"]) / 2)
    for found in report["together"]:
        assert found["searches"] == 8
        assert 0 < found["fairness"] <= 1
        assert found["total_share"] > 0


@pytest.mark.parametrize(("by_threads", "is_met"), [((100, 190), True), ((100, 100), False)])
def test_gains_are_judged_beside_those_of_processes(
    by_threads: tuple[int, int], is_met: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_round(*arguments: object) -> None:
        into = arguments[-1]
        assert isinstance(into, scaling._Rounds)
        into.ones.append(by_threads[0])
        into.alls.append(by_threads[1])
        into.gains.append(by_threads[1] / by_threads[0])
        into.of_processes.append(1.95)
        into.fairnesses.append(0.4)
        into.total_shares.append(1.0)

    monkeypatch.setattr(scaling, "_one_round", one_round)
    monkeypatch.setattr(scaling, "warm_up", lambda _variants: None)
    report = measure_scaling("piedicavallo", [100], 3, threads=2)
    assert report.gains[0].gain == by_threads[1] / by_threads[0]
    assert list(report.bars.values()) == [is_met, False]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--variant whist", "whist"),
        ("--threads 1", "1 threads have no gain"),
        ("--rounds 0", "0 rounds measure nothing"),
        ("--budget-ms 5", "budgets are [5] ms"),
    ],
)
def test_wrong_input_is_told(arguments: str, complaint: str) -> None:
    code, printed, said = run(f"scaling --threads 2 {arguments} --json")
    assert (code, printed) == (2, "")
    assert complaint in said
