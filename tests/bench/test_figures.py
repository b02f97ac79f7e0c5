"""Figures are kept as they were measured, with what they were measured on, and drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.command import run
from tarocchi_bench.records import RecordError
from tarocchi_bench.speed import record_commands, report
from tarocchi_bench.speed.figures import (
    FLAG,
    Better,
    Figure,
    Summary,
    append_figure,
    figure,
    read_existing,
    read_figures,
)
from tarocchi_bench.speed.machine import machine_facts
from tarocchi_bench.speed.report import draw_report
from tarocchi_bench.speed.suites import SUITES, Size
from tarocchi_bench.workers import WorkerDiedError

FIGURES = (
    figure("speed", "playouts", [3.0, 1.0, 2.0], "per s", Better.HIGHER, variant="bolognese"),
    figure("speed", "regret", [0.0, 0.0, 3.0], "points", Better.LOWER, summary=Summary.MEAN),
    *(figure("scaling", "gain", [1.5, at / 100], "times", Better.HIGHER, at=at) for at in (100, 300)),
    figure("latency", "a call", 4, "ms", Better.LOWER),
)


def width_and_height(picture: Path) -> tuple[int, int]:
    """Returns the size of a PNG file in pixels."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def test_what_stands_for_the_samples() -> None:
    assert [found.value for found in FIGURES] == [2.0, 1.0, 1.25, 2.25, 4.0]
    assert FIGURES[2].label == "gain at 100"
    assert FIGURES[0].label == "playouts, bolognese"


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    record = tmp_path / "figures.jsonl"
    facts = machine_facts()
    for found in FIGURES:
        append_figure(record, found, facts, "now")
    read = read_figures(record)
    assert tuple(line.figure for line in read) == FIGURES
    assert all(line.run == "now" and line.machine == facts for line in read)
    entry = json.loads(record.read_text("utf-8").splitlines()[0])
    assert {"suite", "name", "variant", "value", "unit", "better", "samples", "machine"} <= set(entry)
    wanted = {"processor", "cores", "features", "numba", "numpy", "python", "load", "solver", "command"}
    assert wanted <= set(entry["machine"])


@pytest.mark.parametrize(
    "change",
    [{"samples": []}, {"samples": ["x"]}, {"better": "more"}, {"summary": None}, {"suite": 3}, {"machine": None}],
    ids=str,
)
def test_lines_of_something_else_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    record = tmp_path / "figures.jsonl"
    append_figure(record, FIGURES[0], {}, "now")
    entry = json.loads(record.read_text("utf-8"))
    assert len(read_figures(record)) == 1
    record.write_text(json.dumps(entry | change) + "\n{}\n", "utf-8")
    with pytest.raises(RecordError, match="line 1 is not a figure of a benchmark"):
        read_figures(record)


def test_no_figures_are_told(tmp_path: Path) -> None:
    record = tmp_path / "none.jsonl"
    with pytest.raises(RecordError, match="there is no such file"):
        read_existing(record)
    record.write_text("", "utf-8")
    with pytest.raises(RecordError, match="it holds no figures"):
        read_existing(record)


def test_the_picture_grows_with_what_it_shows(tmp_path: Path) -> None:
    for name, shown in (("few", FIGURES[:1]), ("all", FIGURES)):
        draw_report(shown, tmp_path / f"{name}.png", name)
    few, every = (width_and_height(tmp_path / f"{name}.png") for name in ("few", "all"))
    assert few[0] == every[0] > 1000
    assert every[1] > few[1]


def test_panels_have_one_unit_and_one_kind_of_place() -> None:
    flag = figure("latency", "is so", 1, FLAG, Better.LOWER)
    alone = figure("scaling", "alone", [1.0, 2.0], "times", Better.HIGHER)
    panels = report._panels([*FIGURES, flag, alone])
    assert [[found.name for found in panel] for panel in panels] == [
        ["playouts"],
        ["regret"],
        ["gain", "gain"],
        ["a call"],
        ["is so"],
        ["alone"],
    ]
    assert [report._is_curve(panel) for panel in panels] == [False, False, True, False, False, False]


def test_bars_reach_over_the_samples_of_a_median_and_the_interval_of_a_mean() -> None:
    assert report._error(FIGURES[0]) == [[1.0], [1.0]]
    ((below,), (above,)) = report._error(FIGURES[1])
    assert below == above == pytest.approx(4.303, abs=0.01)  # Student's t of 2 degrees of freedom, an error of 1


def test_a_machine_that_has_nothing_to_show_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    code, printed, said = run("all --only scaling --json --out", str(tmp_path / "figures.jsonl"))
    assert (code, printed) == (1, "")
    assert "scaling: nothing to measure on this machine" in said


def test_suites_are_measured_once_each_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[Size] = []

    def measured(size: Size) -> Iterator[Figure]:
        sizes.append(size)
        yield FIGURES[0]
        yield FIGURES[-1]

    monkeypatch.setattr(record_commands, "SUITES", dict.fromkeys(SUITES, measured))
    out = tmp_path / "new" / "figures.jsonl"
    for _ in range(2):
        arguments = "all --only memory --only throughput --only memory --seconds 0.5 --samples 3 --json --out"
        code, printed, said = run(arguments, str(out))
        assert code == 0, said
    assert sizes == [Size(0.5, 3)] * 4
    answer = json.loads(printed)
    assert [found["value"] for found in answer["figures"]] == [2.0, 4.0] * 2
    assert len(read_figures(out)) == 8
    assert width_and_height(Path(answer["picture"]))


def test_a_suite_that_fails_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_size: Size) -> Iterator[Figure]:
        yield FIGURES[0]
        raise WorkerDiedError("out of ideas")

    suites = {"latency": broken, "memory": lambda _size: iter(FIGURES[-1:])}
    monkeypatch.setattr(record_commands, "SUITES", suites)
    out = tmp_path / "figures.jsonl"
    code, printed, said = run("all --json --out", str(out))
    assert code == 1
    assert "latency failed: out of ideas" in said
    answer = json.loads(printed)
    assert answer["failed"] == ["latency"]
    assert [line.figure for line in read_figures(out)] == [FIGURES[0], FIGURES[-1]]


def test_throughput_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "figures.jsonl"
    code, _, said = run("all --only throughput --seconds 0.02 --samples 2 --out", str(out))
    assert code == 0, said
    lines = read_figures(out)
    assert {(line.figure.name, line.figure.variant) for line in lines} >= {
        ("playouts", "bolognese"),
        ("iterations", "terziglio"),
    }
    assert all(len(line.figure.samples) == 2 and min(line.figure.samples) > 0 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--only speed", "no suite is called 'speed'"),
        ("--seconds 0", "0.0 seconds"),
        ("--seconds nan", "nan seconds"),
        ("--samples 1", "1 samples"),
        ("--out figures.png", "the picture has that name"),
    ],
)
def test_wrong_input_is_told(arguments: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, printed, said = run(f"all {arguments} --json")
    assert (code, printed) == (2, "")
    assert complaint in said
    assert not list(tmp_path.iterdir())


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "figures.jsonl"
    out.write_text('{"move": 1}\n{"move": 2}\n', "utf-8")
    code, printed, said = run("all --only memory --json --out", str(out))
    assert (code, printed) == (2, "")
    assert "line 1 is not a figure" in said
    assert out.read_text("utf-8") == '{"move": 1}\n{"move": 2}\n'
