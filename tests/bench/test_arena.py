"""The arena: paired deals, fair and reproducible, and agents that do what their names say."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tarocchi_bench.agents import AgentSpecError, parse_agent
from tarocchi_bench.arena import MatchPlan, Pair, play_match, play_pair, summarise
from tarocchi_bench.sequential import BOUND, log_likelihood_ratio, verdict
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
        assert pair.results[0] == -pair.results[1]
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
        "throughput --variant whist --json",
        *(f"throughput --variant bolognese --seconds {seconds} --json" for seconds in ("0", "-1", "nan", "inf")),
    ],
)
def test_wrong_arguments_end_with_one_sentence(arguments: str) -> None:
    done = run(*arguments.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_workers_end_with_a_killed_parent() -> None:
    """A match that is killed leaves no process behind."""
    command = "arena --variant bolognese --a solver:iterations=20000 --b greedy --pairs 50 --workers 2".split()
    parent = subprocess.Popen([sys.executable, "-m", "tarocchi_bench", *command], start_new_session=True)
    group = parent.pid
    try:
        for _ in range(600):
            if len(members(group)) >= 3:
                break
            time.sleep(0.1)
        assert len(members(group)) >= 3
        parent.kill()
        parent.wait()
        for _ in range(600):
            if not members(group):
                return
            time.sleep(0.1)
        pytest.fail(f"still alive: {members(group)}")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def members(group: int) -> list[int]:
    """Returns the living processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[2]) == group and fields[0] != "Z":
                    found.append(int(entry.name))
    return found


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


def test_the_sequential_test_decides() -> None:
    rng = random.Random(1)
    level = [rng.gauss(0.0, 10.0) for _ in range(2000)]
    better = [value + 5.0 for value in level]
    assert verdict(level[:49], 5.0) is None
    assert verdict(level, 5.0) == "no gain"
    assert verdict(better, 5.0) == "gain"
    assert verdict([1.0] * 60, 5.0) is None
    spread = statistics.stdev(better)
    by_definition = sum((5.0 * value - 12.5) / statistics.variance(better) for value in better)
    assert log_likelihood_ratio(better, 5.0) == pytest.approx(by_definition)
    assert spread > 0
    assert pytest.approx(2.944, abs=1e-3) == BOUND


def test_error_rates_of_the_sequential_test_are_near_their_nominal_values() -> None:
    """Two hundred matches under either hypothesis: about one in twenty goes wrong."""
    for truth, wrong in ((0.0, "gain"), (4.0, "no gain")):
        rng = random.Random(int(truth) + 7)
        mistakes = 0
        for _ in range(200):
            differences = [rng.gauss(truth, 10.0) for _ in range(50)]
            while (found := verdict(differences, 4.0)) is None:
                differences.extend(rng.gauss(truth, 10.0) for _ in range(10))
            mistakes += found == wrong
        assert mistakes <= 22


def test_a_match_ends_when_the_test_has_decided() -> None:
    plan = MatchPlan("piedicavallo", "greedy", "random", 3, 400)
    result = play_match(plan, gain=8.0)
    assert result.verdict == "gain"
    assert result.pairs < 400
    assert play_match(plan, gain=8.0, workers=2).pairs == result.pairs


@pytest.mark.parametrize("gain", [0.0, -5.0, float("nan"), float("inf")])
def test_a_gain_that_cannot_be_tested_for_is_refused(gain: float) -> None:
    with pytest.raises(ValueError, match="gain"):
        play_match(MatchPlan("bolognese", "greedy", "random", 3, 4), gain=gain)
