"""The measurement of the solver for open cards."""

from __future__ import annotations

import json

import pytest

from bench.command import run
from tarocchi_bench.endings import measure_endings, random_ending
from tarocchi_engine import VARIANTS
from tarocchi_engine.layout import SEATS, TRICKS_LEFT


@pytest.mark.parametrize("name", VARIANTS)
def test_endings_have_the_tricks_asked_for(name: str) -> None:
    position = random_ending(name, 4, 7)
    assert position[TRICKS_LEFT] == 4
    assert [int(position[seat]).bit_count() for seat in range(int(position[SEATS]))] == [4] * int(position[SEATS])


@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_endings_take_the_same_work(name: str) -> None:
    first, second = (measure_endings(name, 4, 5, seed=3) for _ in range(2))
    assert (first.checksum, first.mean_nodes) == (second.checksum, second.mean_nodes)
    assert first.solved == 5
    assert measure_endings(name, 6, 5, seed=3, node_limit=1).solved < 5


def test_the_command_prints_one_json_object() -> None:
    code, printed, said = run("endings --variant piedicavallo --tricks 4 --deals 3 --json")
    assert code == 0, said
    result = json.loads(printed)
    assert result["solved"] == result["deals"] == 3
    assert result["nodes_per_cpu_s"] > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--variant whist", "whist"),
        ("--variant bolognese --tricks 16", "tricks is 16"),
        ("--variant bolognese --deals 0", "deals is 0"),
        ("--variant bolognese --node-limit 0", "node_limit is 0"),
    ],
)
def test_wrong_input_is_told(arguments: str, complaint: str) -> None:
    code, printed, said = run(f"endings {arguments} --json")
    assert code == 2
    assert complaint in said
    assert printed == ""
