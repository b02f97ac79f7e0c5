"""The match against OpenSpiel's search: paired, reproducible with a cap on iterations, plain about its effort."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from tarocchi_bench.commands import app
from tarocchi_bench.openspiel_match import play_openspiel_match
from tarocchi_bench.playing import arrangements
from tarocchi_engine import VARIANTS

REPEATED = ("mean_difference", "standard_error", "solver_iterations_per_search", "openspiel_iterations_per_search")


@pytest.mark.exhaustive
def test_a_match_with_equal_iterations_comes_out_the_same_again() -> None:
    first, second = (play_openspiel_match("piedicavallo", iterations=2, pairs=2, seed=5) for _ in range(2))
    assert [getattr(first, name) for name in REPEATED] == [getattr(second, name) for name in REPEATED]
    assert first.openspiel_iterations_per_search == 2
    assert first.solver_iterations_per_search > 2  # the least that it does
    assert -114 <= first.mean_difference <= 114
    # two pairs tell little
    assert first.high_95 - first.low_95 == pytest.approx(2 * 12.7062 * first.standard_error, rel=1e-4)


def test_equal_time_is_kept() -> None:
    arguments = ["openspiel", "--variant", "piedicavallo", "--time-ms", "5", "--pairs", "2", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["time_ms"] == 5
    assert found["iterations"] is None
    assert found["openspiel_milliseconds_per_search"] >= 5
    assert found["solver_iterations_per_second"] > 10 * found["openspiel_iterations_per_second"]


def test_the_help_tells_of_the_minimum() -> None:
    result = CliRunner().invoke(app, ["openspiel", "--help"], env={"COLUMNS": "300", "TERM": "dumb"})
    assert "the solver never does less than its minimum" in result.output


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--variant", "whist", "--iterations", "5"], "no variant is called 'whist'"),
        (["--variant", "terziglio"], "one cap, the same for both"),
        (["--variant", "terziglio", "--iterations", "5", "--time-ms", "5"], "one cap, the same for both"),
        (["--variant", "terziglio", "--iterations", "1"], "at least 2"),
        (["--variant", "terziglio", "--iterations", "5", "--pairs", "1"], "at least 2"),
    ],
)
def test_what_is_no_match_is_told(arguments: list[str], fault: str) -> None:
    result = CliRunner().invoke(app, ["openspiel", *arguments])
    assert result.exit_code == 2
    assert fault in " ".join(result.output.split())


def test_the_solver_has_every_seat_as_often_as_the_other() -> None:
    for variant in VARIANTS.values():
        found = arrangements(variant)
        for seat in range(variant.seat_count):
            assert sum(seat in seats for seats in found) * 2 == len(found)
