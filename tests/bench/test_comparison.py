"""Comparisons tell what changed beyond the spread, which way is better, and what makes them hard to read."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.command import run
from tarocchi_bench.speed.comparison import Change, Verdict, compare, interval
from tarocchi_bench.speed.figures import Better, Recorded, Summary, append_figure, figure

MACHINE: dict[str, Any] = {"processor": "one", "cores": 2, "features": ["avx2"], "python": "3.11", "load": [0.5]}
STEADY = [100.0, 101.0, 99.0, 100.5, 99.5]


def recorded(samples: Sequence[float], better: Better = Better.HIGHER, **more: Any) -> Recorded:
    machine: Mapping[str, Any] = more.pop("machine", MACHINE)
    return Recorded(figure("speed", more.pop("name", "it"), samples, "per s", better, **more), machine, "now")


def change_of(old: Sequence[float], new: Sequence[float], better: Better = Better.HIGHER, **more: Any) -> Change:
    (change,) = compare([recorded(old, better, **more)], [recorded(new, better, **more)]).changes
    return change


def times(factor: float, samples: Sequence[float] = STEADY) -> list[float]:
    return [factor * sample for sample in samples]


@pytest.mark.parametrize(
    ("factor", "better", "verdict"),
    [
        (1.1, Better.HIGHER, Verdict.BETTER),
        (1.1, Better.LOWER, Verdict.WORSE),
        (0.9, Better.HIGHER, Verdict.WORSE),
        (0.9, Better.LOWER, Verdict.BETTER),
        (1.001, Better.HIGHER, Verdict.SAME),
    ],
)
def test_which_way_is_better(factor: float, better: Better, verdict: Verdict) -> None:
    change = change_of(STEADY, times(factor), better)
    assert change.verdict is verdict
    assert change.ratio == pytest.approx(factor)
    assert change.low is not None
    assert change.high is not None
    assert change.low <= factor <= change.high
    assert change.gain == pytest.approx(factor if better is Better.HIGHER else 1 / factor)


def test_noise_is_not_called_a_change() -> None:
    noisy = [60.0, 140.0, 90.0, 110.0, 100.0]
    assert change_of(noisy, times(1.1, noisy)).verdict is Verdict.SAME
    assert change_of(STEADY, times(1.1)).verdict is Verdict.BETTER


def test_the_interval_covers_what_is_true() -> None:
    draw = np.random.default_rng(5)
    hits = 0
    for _ in range(60):
        old, new = draw.normal(100, 5, 15), draw.normal(120, 5, 15)
        low, high = interval(old.tolist(), new.tolist(), Summary.MEAN, is_ratio=True)
        assert low is not None
        assert high is not None
        hits += low <= 1.2 <= high
    assert 50 <= hits <= 60


@pytest.mark.parametrize(("old", "new"), [([5.0], [6.0]), ([5.0, 5.0], [6.0, 6.0]), ([5.0], [6.0, 7.0])])
def test_what_has_shown_no_spread_is_not_judged(old: list[float], new: list[float]) -> None:
    change = change_of(old, new)
    assert (change.low, change.high, change.verdict) == (None, None, Verdict.UNKNOWN)


def test_the_same_number_is_the_same() -> None:
    assert change_of([7.0], [7.0]).verdict is Verdict.SAME


def test_where_there_is_no_ratio_the_difference_counts() -> None:
    worse = change_of([0.0] * 30, [0.0, 3.0] * 15, Better.LOWER, summary=Summary.MEAN)
    assert (worse.ratio, worse.gain) == (None, None)
    assert worse.low is not None
    assert 0 < worse.low < 1.5
    assert worse.verdict is Verdict.WORSE


def test_what_is_0_at_times_is_compared_by_its_difference_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        change = change_of([0.0, 0.0, 0.0, 16.0], [0.0, 0.0, 0.0, 15.0], Better.LOWER, summary=Summary.MEAN)
    assert change.ratio is None
    assert change.difference == -0.25
    assert change.low is not None
    assert change.low < 0
    assert change.verdict is Verdict.SAME


def test_runs_of_one_file_count_together() -> None:
    single = compare([recorded(STEADY)], [recorded([90.0]), recorded([91.0]), recorded([92.0])])
    assert single.changes[0].new == 91.0
    assert single.changes[0].verdict is Verdict.WORSE


def test_figures_of_one_side_are_named() -> None:
    found = compare([recorded(STEADY), recorded([1.0], name="gone")], [recorded(STEADY), recorded([1.0], at=300)])
    assert (found.only_old, found.only_new) == (("speed: gone",), ("speed: it at 300",))


def test_other_machines_are_told_and_another_load_is_not() -> None:
    other = MACHINE | {"features": ["avx2", "bmi2"], "load": [9.0]}
    found = compare([recorded(STEADY)], [recorded(STEADY, machine=other)])
    assert found.warnings == ("the machines differ: features avx2 before, avx2 bmi2 after",)
    assert compare([recorded(STEADY)], [recorded(STEADY, machine=MACHINE | {"load": [9.0]})]).warnings == ()


def write(path: Path, *lines: Recorded) -> str:
    for line in lines:
        append_figure(path, line.figure, line.machine, line.run)
    return str(path)


@pytest.mark.parametrize(
    ("new", "least", "code"),
    [
        (times(0.9), "0.95", 1),
        (times(0.9), "0.85", 0),
        (times(1.2), "0.95", 0),
        ([90.0], "0.95", 1),
        ([60.0, 140.0, 90.0, 94.0, 80.0], "0.95", 0),
    ],
    ids=["worse", "not so much worse", "better", "worse without a spread", "within the spread"],
)
def test_what_makes_the_command_fail(new: list[float], least: str, code: int, tmp_path: Path) -> None:
    old = write(tmp_path / "old.jsonl", recorded(STEADY))
    after = write(tmp_path / "new.jsonl", recorded(new))
    done = run(f"compare --json --fail-below {least}", old, after)
    assert done.code == code, done.said
    assert json.loads(done.printed)["failed"] == ["speed: it"] * code
    assert run("compare", old, after).code == 0


def test_the_table_names_what_changed(tmp_path: Path) -> None:
    old = write(tmp_path / "old.jsonl", recorded(STEADY, machine=MACHINE | {"cores": 8}))
    done = run("compare", old, write(tmp_path / "new.jsonl", recorded(times(0.5))))
    assert "worse" in done.printed
    assert "cores 8 before, 2 after" in done.said


def test_wrong_input_is_told(tmp_path: Path) -> None:
    old = write(tmp_path / "old.jsonl", recorded(STEADY))
    other = write(tmp_path / "other.jsonl", recorded(STEADY, name="other"))
    for arguments, complaint in (
        (("compare", old, str(tmp_path / "none.jsonl")), "there is no such file"),
        (("compare", old, other), "no figure in common"),
        (("compare --fail-below 1.5", old, old), "--fail-below is 1.5"),
        (("compare --fail-below 0", old, old), "--fail-below is 0.0"),
    ):
        code, printed, said = run(*arguments)
        assert (code, printed) == (2, "")
        assert complaint in said
