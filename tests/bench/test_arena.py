"""The arena: paired deals, fair and reproducible, and agents that do what their names say."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tarocchi_bench.agents import AgentSpecError, parse_agent
from tarocchi_bench.arena import MatchPlan, Pair, append_record, play_match, play_pair, summarise
from tarocchi_engine import VARIANTS, new_deal

AGENTS = ("random", "greedy", "solver:iterations=50", "solver:worlds=8,playout=random,exploration=1.0")


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("agent", AGENTS)
def test_agents_play_legal_deals(name: str, agent: str) -> None:
    player = parse_agent(agent)
    state = new_deal(VARIANTS[name], 3)
    step = 0
    while state.turn is not None:
        state = state.apply_move(player.choose(state.observe(state.turn), step))
        step += 1
    state.score()


@pytest.mark.parametrize("name", VARIANTS)
def test_an_agent_against_itself_comes_out_even(name: str) -> None:
    """Both plays of a pair are then the same deal with the same moves, seen from both sides."""
    for agent in AGENTS[:3]:
        pair = play_pair(MatchPlan(name, agent, agent, 5, 9), 2)
        assert pair.difference == 0
        # the arrangement in which the other agent has those seats is listed from the other end
        assert pair.results == tuple(-result for result in reversed(pair.results))
        assert pair.difference == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_exchanging_the_agents_changes_the_sign(name: str) -> None:
    forth = play_pair(MatchPlan(name, "greedy", "random", 7, 9), 1)
    back = play_pair(MatchPlan(name, "random", "greedy", 7, 9), 1)
    assert forth.difference == -back.difference


@pytest.mark.parametrize("name", VARIANTS)
def test_workers_do_not_change_the_result(name: str) -> None:
    one, two = (play_match(MatchPlan(name, "greedy", "random", 9, 6), workers=workers) for workers in (1, 2))
    assert one == two


def test_greedy_beats_random() -> None:
    result = play_match(MatchPlan("piedicavallo", "greedy", "random", 3, 60))
    assert result.low_95 > 0


def test_summary_is_over_pairs() -> None:
    pairs = [Pair(0, (10.0, -4.0)), Pair(1, (6.0, 6.0)), Pair(2, (-3.0, 0.0))]
    result = summarise(MatchPlan("bolognese", "a", "b", 1, 3), pairs)
    differences = [3.0, 6.0, -1.5]
    mean = sum(differences) / 3
    assert result.mean_difference == pytest.approx(mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in differences) / 2)
    assert result.standard_error == pytest.approx(deviation / math.sqrt(3))
    assert (result.deals_won, result.deals_tied, result.deals_lost) == (3, 1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "genius",
        "solver:iterations",
        "solver:speed=3",
        "solver:iterations=many",
        "random:worlds=1",
        "solver:iterations=1,iterations=2",
    ],
)
def test_wrong_agent_names_are_refused(text: str) -> None:
    with pytest.raises(AgentSpecError, match="agent"):
        parse_agent(text)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tarocchi_bench", *arguments], capture_output=True, text=True, check=False
    )


def test_command_prints_one_json_object() -> None:
    done = run(
        *"arena --variant piedicavallo --a greedy --b random --pairs 4 --seed 2 --workers 1 --json".split(),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["pairs"] == 4
    assert {"mean_difference", "standard_error"} <= result.keys()
    done = run(*["throughput", "--variant", "bolognese", "--seconds", "0.2", "--json"])
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["scoring"] is True
    assert result["playouts_per_cpu_s"] > 0
    assert result["iterations_per_cpu_s"] > 0


@pytest.mark.parametrize(
    "arguments",
    [
        "arena --variant whist --a greedy --b random --json",
        "arena --variant bolognese --a genius --b random --json",
        "arena --variant bolognese --a greedy --b random --pairs 1 --json",
        "arena --variant bolognese --a greedy --b random --workers 0 --json",
        "arena --variant bolognese --a solver:worlds=5,worlds=5 --b random --json",
        "arena --variant bolognese --a greedy --b random --record nowhere/at/all.jsonl --json",
        "arena --variant bolognese --a greedy --b random --record . --json",
        "throughput --variant whist --json",
        *(f"throughput --variant bolognese --seconds {seconds} --json" for seconds in ("0", "-1", "nan", "inf")),
        "all --seconds nan",
    ],
)
def test_wrong_arguments_end_with_one_sentence(arguments: str) -> None:
    done = run(*arguments.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert "Errno" not in done.stderr


def test_a_record_lets_a_match_go_on(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 8)
    whole = play_match(plan)
    play_match(MatchPlan("piedicavallo", "greedy", "random", 4, 5), record=record)
    text = record.read_text()
    assert len(text.splitlines()) == 5
    record.write_text(text[:-20])  # cut while the last line was written
    calls: list[None] = []
    assert play_match(plan, record=record, progress=lambda: calls.append(None)) == whole
    assert len(calls) == 8
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert sorted(line["pair"] for line in lines) == list(range(8))
    before = record.read_text()
    assert play_match(plan, record=record) == whole
    assert record.read_text() == before


@pytest.mark.parametrize(
    "text", ["no json\n{}\n", '{"variant": "bolognese", "a": "x", "b": "y", "seed": 1, "pair": 0, "results": [1, 2]}\n']
)
def test_a_record_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    record = tmp_path / "other.jsonl"
    record.write_text(text)
    with pytest.raises(ValueError, match="line 1"):
        play_match(MatchPlan("piedicavallo", "greedy", "random", 4, 8), record=record)
    assert record.read_text() == text


def test_a_match_ends_when_the_test_has_decided() -> None:
    plan = MatchPlan("piedicavallo", "greedy", "random", 3, 400)
    result = play_match(plan, gain=8.0)
    assert result.verdict == "gain"
    assert result.pairs < 400
    assert play_match(plan, gain=8.0, workers=2).pairs == result.pairs


def write_record(record: Path, plan: MatchPlan, differences: list[float]) -> None:
    """Writes a record as if its pairs had been played."""
    for number, difference in enumerate(differences):
        append_record(record, plan, Pair(number, (difference + 30.0, difference - 30.0)))


def test_a_match_without_a_verdict_is_undecided(tmp_path: Path) -> None:
    """Such as one of agents that differ by name only: below its minimum a search does the same whatever the cap."""
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "solver:worlds=1", "solver:worlds=2", 3, 60)
    write_record(record, plan, [0.0] * 60)
    result = play_match(plan, record=record, gain=2.0)
    assert (result.verdict, result.pairs, result.mean_difference) == ("undecided", 60, 0.0)
    assert play_match(plan, record=record).verdict is None
    told = "arena --variant piedicavallo --a solver:worlds=1 --b solver:worlds=2 --seed 3 --pairs 60 --gain 2 --json"
    done = run(*told.split(), "--record", str(record))
    assert json.loads(done.stdout)["verdict"] == "undecided"
    assert "all pairs came out alike" in done.stderr


def test_a_verdict_counts_the_pairs_before_it_whatever_the_record_has(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 3, 100)
    differences = [8.0 + number % 2 for number in range(100)]
    write_record(record, plan, differences)
    result = play_match(plan, record=record, gain=8.0)
    assert (result.verdict, result.pairs) == ("gain", 50)
    assert result.mean_difference == pytest.approx(8.5)
    record.write_text("".join(reversed(record.read_text().splitlines(keepends=True))))
    assert play_match(plan, record=record, gain=8.0) == result


def test_equal_agents_are_known() -> None:
    """They would play for a verdict that cannot come."""
    for a, b in (("random", "random"), ("solver", "solver:iterations=20000"), ("solver:worlds=9", "solver:worlds=9")):
        plan = MatchPlan("bolognese", a, b, 1, 100)
        assert plan.is_even
        with pytest.raises(ValueError, match="every pair comes out as exactly 0"):
            play_match(plan, gain=5.0)
    for a, b in (("random", "greedy"), ("solver", "solver:worlds=9"), ("solver:time_ms=9", "solver:time_ms=9")):
        assert not MatchPlan("bolognese", a, b, 1, 100).is_even
    done = run(*"arena --variant piedicavallo --a random --b random --pairs 2 --workers 1 --json".split())
    assert json.loads(done.stdout)["mean_difference"] == 0
    assert "every pair comes out as exactly 0" in done.stderr


def test_a_gain_is_not_tested_for_with_too_few_pairs() -> None:
    with pytest.raises(ValueError, match="no verdict before 50 pairs: 49 are too few"):
        play_match(MatchPlan("piedicavallo", "greedy", "random", 3, 49), gain=5.0)


def test_help_tells_the_floor_of_the_test() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tarocchi_bench", "arena", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "200", "TERM": "dumb"},
    )
    assert "at least 50 pairs" in " ".join(done.stdout.replace("│", " ").split())


@pytest.mark.parametrize("gain", [0.0, -5.0, float("nan"), float("inf")])
def test_a_gain_that_cannot_be_tested_for_is_refused(gain: float) -> None:
    with pytest.raises(ValueError, match="finite number above 0"):
        play_match(MatchPlan("bolognese", "greedy", "random", 3, 100), gain=gain)
