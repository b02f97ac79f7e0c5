"""The memory of searches is measured in processes of their own, and one that takes or keeps much is noticed."""

from __future__ import annotations

import json
import sys

import pytest

from bench.command import run
from tarocchi_bench.speed import memory
from tarocchi_bench.speed.fresh import run_fresh
from tarocchi_bench.speed.memory import BOUND_MIB, measure_memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

ONE = """
from tarocchi_bench.resident import forget_peak, peak_mib, resident_mib
held = bytearray(64 << 20)
del held
forget_peak()
before = resident_mib()
held = bytearray(32 << 20)
during = resident_mib()
del held
print(before, during, peak_mib(), resident_mib())
"""
HUNGRY = """
import json
print(json.dumps({"before": 10.0, "most": %d.0, "after": 10.0, "worlds": 7}))
"""
LEAKY = """
from tarocchi_bench.resident import resident_mib
kept = []
for number in range(1, 241):
    kept.append(bytearray(b"x" * (1 << 18)))
    print(number, resident_mib(), flush=True)
"""


def test_the_most_memory_counts_from_when_it_was_forgotten() -> None:
    before, during, most, after = map(float, run_fresh(ONE).printed.split())
    # what the kernel counts may lag by some pages
    assert 31 <= during - before < 40
    assert 31 <= most - before < 40
    assert after - before < 16


def test_the_command_prints_one_json_object() -> None:
    arguments = "--variant piedicavallo --iterations 500 --worlds 50 --threads 2 --searches 100 --json"
    code, printed, said = run(f"memory {arguments}")
    assert code == 0, said
    report = json.loads(printed)
    rows = [(row["cap"], row["budget"], row["threads"]) for row in report["table"]]
    assert rows == [("iterations", 500, 2), ("worlds", 50, 2)]
    assert report["table"][1]["worlds"] == 50
    for row in report["table"]:
        assert row["worlds"] > 0
        assert 0 < row["before"] <= row["most"] + 1
        assert 0 <= row["of_search"] < BOUND_MIB
    assert report["searches"] == 100
    assert report["trend"]["lowest_mib"] > 10


def test_what_takes_or_keeps_much_misses_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_ONE", HUNGRY % (11 + BOUND_MIB))
    monkeypatch.setattr(memory, "_MANY", LEAKY)
    parts: list[int] = []
    report = measure_memory(iterations=[1], threads=[1], searches=240, worlds=[], progress=lambda: parts.append(1))
    assert report.trend is not None
    assert report.trend.is_rising
    assert report.trend.kib_per_call == pytest.approx(256, rel=0.2)
    assert list(report.bars.values()) == [False, False]
    assert report.as_json()["is_flat"] is False
    assert len(parts) == 1 + memory.sample_count(240)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--variant whist", "whist"),
        ("--iterations 0", "iterations: [0]"),
        ("--threads 0", "threads: [0]"),
        ("--worlds 200001", "worlds: [200001]"),
        ("--searches 7", "7 searches show no trend"),
        ("--searches -1", "-1 searches show no trend"),
    ],
)
def test_wrong_input_is_told(arguments: str, complaint: str) -> None:
    code, printed, said = run(f"memory {arguments} --json")
    assert (code, printed) == (2, "")
    assert complaint in said


def test_other_systems_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    code, printed, said = run("memory --json")
    assert (code, printed) == (1, "")
    assert "only Linux tells" in said
