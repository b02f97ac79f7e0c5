"""The arena: paired deals, fair and reproducible, and agents that do what their names say."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tarocchi_bench.agents import AgentSpecError, parse_agent
from tarocchi_bench.arena import Pair, play_match, play_pair, summarise
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
        pair = play_pair(name, agent, agent, 5, 2)
        assert pair.results[0] == -pair.results[1]
        assert pair.difference == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_exchanging_the_agents_changes_the_sign(name: str) -> None:
    forth = play_pair(name, "greedy", "random", 7, 1)
    back = play_pair(name, "random", "greedy", 7, 1)
    assert forth.difference == -back.difference


@pytest.mark.parametrize("name", VARIANTS)
def test_workers_do_not_change_the_result(name: str) -> None:
    one, two = (play_match(name, "greedy", "random", 6, 9, workers) for workers in (1, 2))
    assert one == two


def test_greedy_beats_random() -> None:
    result = play_match("piedicavallo", "greedy", "random", 60, 3, 1)
    assert result.low_95 > 0


def test_summary_is_over_pairs() -> None:
    pairs = [Pair(0, (10.0, -4.0)), Pair(1, (6.0, 6.0)), Pair(2, (-3.0, 0.0))]
    result = summarise("bolognese", "a", "b", 1, pairs)
    differences = [3.0, 6.0, -1.5]
    mean = sum(differences) / 3
    assert result.mean_difference == pytest.approx(mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in differences) / 2)
    assert result.standard_error == pytest.approx(deviation / math.sqrt(3))
    assert (result.deals_won, result.deals_tied, result.deals_lost) == (3, 1, 2)


@pytest.mark.parametrize(
    "text", ["", "genius", "solver:iterations", "solver:speed=3", "solver:iterations=many", "random:worlds=1"]
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
        "throughput --variant bolognese --seconds 0 --json",
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
