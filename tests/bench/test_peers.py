"""Other programs are set beside the solver where they are installed, and named with a remedy where not."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable

import pytest

from bench.command import run
from tarocchi_bench.speed import peers
from tarocchi_bench.speed.peers import Comparison, measure_peers


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Makes packages look as if they were not installed."""
    find: Callable[[str], object] = importlib.util.find_spec
    monkeypatch.setattr(peers, "find_spec", lambda name: None if name in modules else find(name))


def test_openspiel_beside_ours() -> None:
    pytest.importorskip("pyspiel", reason="needs the extra peers")
    code, printed, said = run("peers --only openspiel --rounds 2 --seconds 0.02 --json")
    assert code == 0, said
    report = json.loads(printed)
    assert report["missing"] == []
    works = [found["work"] for found in report["comparisons"]]
    assert works == ["random playouts, tarok", "search, hearts", "search with random playouts, hearts"]
    for found in report["comparisons"]:
        assert found["theirs"] > 0
        assert len(found["ratios"]) == 2
    # two orders of magnitude lie between the playouts, so that this is no matter of what else the machine does
    assert report["comparisons"][0]["ratio"] > 1


def test_endplay_beside_ours() -> None:
    pytest.importorskip("endplay", reason="needs the extra peers")
    from tarocchi_bench.speed.endplay_peer import random_ending, solve_ms

    report = measure_peers(1, 0.02, only="endplay")
    assert len(report.comparisons) == 4
    assert all(found.ours > 0 < found.theirs for found in report.comparisons)
    assert solve_ms(3, 2, 1) > 0
    deal = random_ending(3, 1)
    assert deal.to_pbn() == random_ending(3, 1).to_pbn() != random_ending(3, 2).to_pbn()
    assert [len(hand) for _, hand in deal] == [3] * 4


def test_the_values_of_endplay_are_those_of_the_endings() -> None:
    """Four aces of trumps and side suits win all; this is what keeps the measured work from being something else."""
    pytest.importorskip("endplay", reason="needs the extra peers")
    from endplay.dds.solve import SolveMode, solve_board
    from endplay.types import Deal, Denom, Player

    deal = Deal("N:AK... QJ... .AK.. .QJ..", first=Player.north, trump=Denom.spades)
    assert {tricks for _, tricks in solve_board(deal, SolveMode.OptimalOne)} == {2}


def test_a_time_and_a_rate_both_become_a_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    works = [
        peers._Work("it", "rate", "per s", lambda _seed: 6.0, lambda _seed: 2.0),
        peers._Work("it", "time", "ms", lambda _seed: 6.0, lambda _seed: 2.0, is_time=True),
    ]
    monkeypatch.setattr(peers, "_PEERS", {"endplay": lambda _seconds: ("it 1", iter(works))})
    monkeypatch.setattr(peers, "find_spec", lambda _name: object())
    monkeypatch.setattr(peers, "warm_up", lambda: None)
    rounds: list[int] = []
    report = measure_peers(3, only="endplay", progress=lambda: rounds.append(1))
    assert report.versions == ("it 1",)
    assert [found.ratio for found in report.comparisons] == [3.0, 1 / 3]
    assert report.comparisons[0] == Comparison("it", "rate", "per s", 6.0, 2.0, 3.0, (3.0, 3.0, 3.0))
    assert len(rounds) == 3


def test_a_missing_peer_is_told_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "endplay")
    monkeypatch.setattr(peers, "warm_up", lambda: None)
    monkeypatch.setattr(peers, "_PEERS", {"openspiel": lambda _seconds: ("it 1", iter(()))})
    monkeypatch.setattr(peers, "MODULES", {"openspiel": "json", "endplay": "endplay"})
    code, printed, said = run("peers --rounds 1 --json")
    assert code == 0
    (sentence,) = json.loads(printed)["missing"]
    assert sentence == (
        "endplay is not installed, so nothing is compared with it: pip install 'tarocchi-solver[peers]'"
    )
    assert sentence in said


@pytest.mark.parametrize("arguments", ["", "--only endplay", "--only openspiel"])
def test_without_any_peer_the_command_fails_with_the_remedy(arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "endplay", "pyspiel")
    code, printed, said = run(f"peers {arguments} --json")
    assert (code, printed) == (1, "")
    assert "pip install 'tarocchi-solver[peers]'" in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--only gnugo", "no peer is called 'gnugo'"),
        ("--rounds 0", "0 rounds measure nothing"),
        ("--seconds 0", "0.0 seconds"),
    ],
)
def test_wrong_input_is_told(arguments: str, complaint: str) -> None:
    code, printed, said = run(f"peers {arguments} --json")
    assert (code, printed) == (2, "")
    assert complaint in said
