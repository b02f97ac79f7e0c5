"""Whole matches: played by the rules, fair to both agents, resumable."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarocchi_bench.commands import app
from tarocchi_bench.records import RecordError
from tarocchi_bench.whole_matches import MatchPair, WholeMatchPlan, play_pair, play_whole_matches, summarise

FOUR_DEALS = WholeMatchPlan("piedicavallo", (("match", "four_deals"),), "greedy", "random", 5, 4)
RACE = WholeMatchPlan("ottocento", (), "greedy", "random", 5, 4, least_score=700)
SESSION = WholeMatchPlan("terziglio", (("deals", "3"),), "greedy", "random", 5, 2)


@pytest.mark.parametrize("plan", [FOUR_DEALS, RACE, SESSION], ids=lambda plan: plan.variant)
def test_exchanging_the_agents_exchanges_the_wins(plan: WholeMatchPlan) -> None:
    forth, back = play_pair(plan, 1), play_pair(replace(plan, a=plan.b, b=plan.a), 1)
    assert forth.deals == tuple(reversed(back.deals))
    assert forth.wins == pytest.approx(tuple(1.0 - won for won in reversed(back.wins)))
    assert forth.win_share + back.win_share == pytest.approx(1.0)


@pytest.mark.parametrize("plan", [FOUR_DEALS, RACE, SESSION], ids=lambda plan: plan.variant)
def test_an_agent_wins_half_of_its_matches_against_itself(plan: WholeMatchPlan) -> None:
    assert play_pair(replace(plan, b=plan.a), 0).win_share == pytest.approx(0.5)


def test_matches_are_as_long_as_the_rules_say() -> None:
    assert play_pair(FOUR_DEALS, 0).deals == (4, 4)
    assert set(play_pair(SESSION, 0).deals) == {3}
    whole = play_pair(replace(RACE, least_score=None), 0)
    assert all(deals >= 2 for deals in whole.deals), "nobody scores 800 in a deal"
    assert all(0 <= score < 800 for score in replace(RACE, least_score=0).first_standing(3).scores)
    for number in range(20):
        assert all(700 <= score < 800 for score in RACE.first_standing(number).scores)


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    whole = play_whole_matches(FOUR_DEALS, record=record)
    lines = record.read_text().splitlines()
    assert len(lines) == 4
    record.write_text("\n".join(lines[:2]) + "\n" + lines[2][:30])
    steps: list[int] = []
    assert play_whole_matches(FOUR_DEALS, record=record, progress=lambda: steps.append(1)) == whole
    assert len(steps) == 4
    assert sorted(record.read_text().splitlines()) == sorted(lines)
    with pytest.raises(RecordError, match="line 1 belongs to other work: its seed is 5, not 6; name a new file"):
        play_whole_matches(replace(FOUR_DEALS, seed=6), record=record)
    record.write_text("{}\n" + lines[1] + "\n")
    with pytest.raises(RecordError, match="line 1 is not a pair of whole matches: remove that line"):
        play_whole_matches(FOUR_DEALS, record=record)


def test_pairs_of_other_circumstances_are_refused(tmp_path: Path) -> None:
    """Older lines tell less."""
    record = tmp_path / "record.jsonl"
    plan = replace(FOUR_DEALS, pairs=2)
    whole = play_whole_matches(plan, record=record)
    first, second = map(json.loads, record.read_text().splitlines())
    assert first["data"] == {}
    for name, value, told in (
        ("data", {"piedicavallo_play": "0" * 64}, "line 2 was played with another data file piedicavallo_play"),
        ("agents", {"a": "?"}, "line 2 belongs to other work: its agents is"),
        ("rules_revision", 99, "line 2 belongs to other work: its rules_revision is 99"),
    ):
        record.write_text(json.dumps(first) + "\n" + json.dumps(second | {name: value}) + "\n")
        with pytest.raises(RecordError, match=told):
            play_whole_matches(plan, record=record)
    names = ("variant", "options", "a", "b", "seed", "least_score", "pair", "wins", "deals")
    old = ({name: line[name] for name in names} for line in (first, second))
    record.write_text("".join(json.dumps(line) + "\n" for line in old))
    assert play_whole_matches(plan, record=record) == whole


def test_a_pair_that_stands_twice_is_told(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    play_whole_matches(replace(FOUR_DEALS, pairs=2), record=record)
    text = record.read_text()
    record.write_text(text + text.splitlines(keepends=True)[1])
    told = "line 3 is pair 1 again, which stands in line 2: remove one of the two lines"
    with pytest.raises(RecordError, match=told):
        play_whole_matches(FOUR_DEALS, record=record)


def test_the_figures_are_those_of_the_pairs() -> None:
    pairs = [MatchPair(0, (1.0, 1.0), (2, 3)), MatchPair(1, (1.0, 0.0), (4, 3)), MatchPair(2, (0.5, 0.0), (3, 3))]
    result = summarise(FOUR_DEALS, pairs)
    assert result.win_share == pytest.approx((1 + 0.5 + 0.25) / 3)
    assert (result.matches_won, result.matches_drawn, result.matches_lost) == (3, 1, 2)
    assert result.pairs_alike == 1
    assert result.deals_a_match == 3.0
    assert result.low_95 < result.win_share < result.high_95


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": ()}, "a deal of piedicavallo stands alone"),
        ({"pairs": 1}, "1 pairs have no standard error"),
        ({"least_score": 10}, "no score ends this match"),
        ({"variant": "ottocento", "options": (), "least_score": 800}, "from 800 points: give 0 to 799"),
        ({"a": "nobody"}, "nobody"),
    ],
)
def test_a_plan_that_cannot_be_played(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_whole_matches(replace(FOUR_DEALS, **change))  # type: ignore[arg-type]


def test_the_command_prints_the_result() -> None:
    words = "whole-matches --variant piedicavallo --option match=four_deals --a greedy --b random --pairs 2 --seed 5"
    answer = CliRunner().invoke(app, [*words.split(), "--workers", "1", "--json"])
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["win_share"] == play_whole_matches(replace(FOUR_DEALS, pairs=2)).win_share
    wrong = CliRunner().invoke(app, [*words.split(), "--option", "match=ten_deals"])
    assert wrong.exit_code == 2
