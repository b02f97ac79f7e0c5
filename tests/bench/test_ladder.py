"""Ladders: several matches in one folder, their table and their plot."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from scipy import stats

from bench.command import run
from tarocchi_bench.ladder import LIST_NAME, Ladder, climb, command
from tarocchi_bench.records import RecordError


def test_a_ladder_against_one_opponent() -> None:
    plans = climb("bolognese", ["greedy", "flat"], "random", seed=3, pairs=9)
    assert [(plan.a, plan.b, plan.seed, plan.pairs) for plan in plans] == [
        ("greedy", "random", 3, 9),
        ("flat", "random", 3, 9),
    ]


def test_a_chain_is_each_against_the_one_before() -> None:
    plans = climb("bolognese", ["random", "greedy", "flat"], None, seed=3, pairs=9)
    assert [(plan.a, plan.b) for plan in plans] == [("greedy", "random"), ("flat", "greedy")]
    for agents, against in ((["random"], None), ([], "random"), ([], None)):
        with pytest.raises(ValueError, match="at least"):
            climb("bolognese", agents, against, seed=3, pairs=9)


def test_a_ladder_is_played_reported_and_taken_up_again(tmp_path: Path) -> None:
    folder = tmp_path / "ladder"
    told = f"ladder --folder {folder} --variant piedicavallo --against random --seed 4 --workers 1 --json"
    code, printed, said = run(f"{told} --agents greedy --agents solver --iterations 9 --pairs 3")
    assert (code, said) == (0, "")
    first = json.loads(printed)
    assert [(result["a"], result["b"], result["pairs"]) for result in first] == [
        ("greedy", "random", 3),
        ("solver:iterations=9", "random", 3),
    ]
    records = {path.name: path.read_text() for path in folder.glob("*.jsonl")}
    assert len(records) == 2
    table, plot = (folder / "piedicavallo.md").read_text(), (folder / "piedicavallo.svg").read_bytes()

    # from the records alone, to the byte
    for path in (folder / "piedicavallo.md", folder / "piedicavallo.svg"):
        path.unlink()
    code, printed, _ = run("ladder --report --json", "--folder", str(folder))
    assert (code, json.loads(printed)) == (0, first)
    assert (folder / "piedicavallo.md").read_text() == table
    assert (folder / "piedicavallo.svg").read_bytes() == plot
    assert {path.name: path.read_text() for path in folder.glob("*.jsonl")} == records

    # more pairs of one agent, and another one
    code, printed, _ = run(f"{told} --agents greedy --agents flat:worlds=6 --pairs 4")
    assert [(result["a"], result["pairs"]) for result in json.loads(printed)] == [
        ("greedy", 4),
        ("solver:iterations=9", 3),
        ("flat:worlds=6", 4),
    ]
    (grown,) = (path for path in folder.glob("*.jsonl") if "-greedy-" in path.name)
    assert grown.read_text().startswith(records[grown.name])

    code, printed, _ = run("ladder --report", "--folder", str(folder))
    assert "greedy" in printed
    assert "piedicavallo" in printed


def test_the_table_has_a_command_for_every_figure(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    ladder.play(climb("piedicavallo", ["greedy"], "random", seed=4, pairs=3, options=(("match", "four_deals"),)))
    (result,) = ladder.report()
    text = (tmp_path / "piedicavallo.md").read_text()
    half = stats.t.ppf(0.975, 2) * result.standard_error
    assert f"| `greedy` | `random` | {result.mean_difference:+.2f} ± {half:.2f} |" in text
    assert f"    {command(result)}\n" in text
    words = shlex.split(command(result))
    assert words[:3] == ["python", "-m", "tarocchi_bench"]
    code, printed, _ = run("", *words[3:], "--workers", "1", "--json")
    assert code == 0
    assert json.loads(printed)["mean_difference"] == result.mean_difference


def test_a_plot_names_agents_and_shows_intervals(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    ladder.play(climb("piedicavallo", ["random", "greedy", "solver:worlds=6"], None, seed=4, pairs=3))
    results = ladder.report()
    text = (tmp_path / "piedicavallo.svg").read_text()
    for result in results:
        assert f"{result.a} against {result.b}" in text
        assert f"{result.mean_difference:+.1f} ± {stats.t.ppf(0.975, 2) * result.standard_error:.1f}" in text
    assert "<dc:date>" not in text
    assert "http://matplotlib.org" not in text.lower().replace("https", "http")


def test_matches_whose_pairs_are_alike_have_no_interval(tmp_path: Path) -> None:
    """An agent against itself: nobody knows how far other pairs may lie from these."""
    told = f"ladder --folder {tmp_path} --variant piedicavallo --agents random --against random --pairs 2 --workers 1"
    code, printed, _ = run(told)
    assert code == 0
    assert "+0.00" in printed
    assert "| `random` | `random` | +0.00 | not known | 2 |" in (tmp_path / "piedicavallo.md").read_text()
    text = (tmp_path / "piedicavallo.svg").read_text()
    assert "+0.0<" in text
    assert "±" not in text


def test_reports_of_older_versions_can_be_made(tmp_path: Path) -> None:
    """An option that the search did not have then changes what an agent's name means, not what was played."""
    ladder = Ladder(tmp_path)
    (plan,) = climb("piedicavallo", ["greedy"], "random", seed=4, pairs=2)
    ladder.play([plan])
    (result,) = ladder.report()
    record = ladder.record_of(plan)
    record.write_text(record.read_text().replace('"agents": {', '"agents": {"old": 1, '))
    assert ladder.report() == [result]
    with pytest.raises(RecordError, match="its agents is"):
        ladder.play([plan])


@pytest.mark.parametrize("text", ["", "[]", '{"matches": [{}]}', '{"matches": [{"variant": 1}]}'])
def test_a_folder_of_something_else_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / LIST_NAME).write_text(text)
    told = ["ladder", "--folder", str(tmp_path), "--variant", "bolognese", "--agents", "greedy", "--against", "random"]
    for arguments in (told, [*told[:3], "--report"]):
        code, printed, said = run("", *arguments)
        assert (code, printed) == (2, "")
        assert "this is no list of matches" in said
    assert (tmp_path / LIST_NAME).read_text() == text
