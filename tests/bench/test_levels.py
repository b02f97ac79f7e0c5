"""Measuring levels: the agent that plays at one, the command, its records and the file that it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarocchi_bench.agents import AgentSpecError, parse_agent, with_budget
from tarocchi_bench.agents.levels import LevelAgent
from tarocchi_bench.arena import play_match
from tarocchi_bench.commands import app
from tarocchi_bench.ladder import Ladder
from tarocchi_bench.training.levels import measure_levels, plans_of, save_strengths
from tarocchi_engine import new_deal
from tarocchi_engine.variants import get_variant
from tarocchi_solver import levels
from tarocchi_solver.levels import LEVELS, STEPS, Level, parse_strengths, play_at_level, strengths_file

VARIANT = "piedicavallo"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the searches of all levels short, and every level another player: one that draws by its own numbers."""
    short = {level: replace(item, iterations=9 + 30 * place) for place, (level, item) in enumerate(LEVELS.items())}
    monkeypatch.setattr(levels, "LEVELS", short)


def test_an_agent_plays_at_its_level() -> None:
    state = new_deal(get_variant(VARIANT), 3)
    assert state.turn is not None
    observation = state.observe(state.turn)
    agent = parse_agent("level:beginner")
    assert isinstance(agent, LevelAgent)
    assert agent.choose(observation, 5) == play_at_level(observation, Level.BEGINNER, seed=5).move
    assert agent.is_repeatable
    assert agent == parse_agent("level:beginner") != parse_agent("level:master")


def test_its_settings_tell_what_the_level_means() -> None:
    for level in Level:
        settings = parse_agent(f"level:{level}").settings
        assert json.loads(json.dumps(settings)) == settings
        assert (settings["agent"], settings["level"]) == ("level", level)
        assert settings["iterations"] == LEVELS[level].iterations
        assert settings["loss_limit"] == LEVELS[level].loss_limit


@pytest.mark.parametrize("text", ["level", "level:", "level:genius", "level:master,worlds=8"])
def test_wrong_levels_are_refused(text: str) -> None:
    with pytest.raises(AgentSpecError, match=r"is no level: give one of beginner, casual, club, expert, master$"):
        parse_agent(text)


def test_a_level_has_its_own_budget() -> None:
    assert with_budget("level:club", {"cpu_ms": 10}) == "level:club"


def test_every_level_plays_the_next() -> None:
    plans = plans_of(VARIANT, seed=3, pairs=7)
    assert [(plan.a, plan.b) for plan in plans] == [(f"level:{level}", f"level:{other}") for level, other in STEPS]
    assert {(plan.variant, plan.seed, plan.pairs) for plan in plans} == {(VARIANT, 3, 7)}


@pytest.mark.usefixtures("quick")
def test_the_file_holds_what_matches_bring_and_the_record_goes_on(tmp_path: Path) -> None:
    folder, out = tmp_path / "matches", tmp_path / "data"
    out.mkdir()
    told = f"train levels --variant {VARIANT} --pairs 2 --seed 4 --workers 1 --record-folder {folder} --out {out}"
    answer = CliRunner().invoke(app, told.split())
    assert answer.exit_code == 0, answer.output
    text = (out / strengths_file(VARIANT)).read_text("utf-8")
    found = parse_strengths(text, VARIANT)
    plans = plans_of(VARIANT, seed=4, pairs=2)
    for step, plan in zip(found, plans, strict=True):
        result = play_match(plan, record=Ladder(folder).record_of(plan))
        assert step.mean_difference == pytest.approx(result.mean_difference, abs=1e-4)
        assert step.standard_error == pytest.approx(result.standard_error, abs=1e-4)
        assert step.pairs == result.pairs == 2
    card = json.loads(text)
    assert card["command"] == (
        f"python -m tarocchi_bench train levels --variant {VARIANT} --pairs 2 --seed 4 "
        "--record-folder matches --out data"
    )
    assert answer.output.splitlines()[-1] == f"wrote {out / strengths_file(VARIANT)}"
    assert {"version", "rules_revision", "seed", "settings"} <= set(card)

    # what is recorded is not played again, and a record cut short is completed to the same
    cut = Ladder(folder).record_of(plans[1])
    lines = cut.read_text("utf-8").splitlines(keepends=True)
    cut.write_text(lines[0] + lines[1][:20], "utf-8")
    played: list[int] = []
    results = measure_levels(plans, folder, progress=lambda: played.append(1))
    assert len(played) == 2 * len(plans)
    assert len(cut.read_text("utf-8").splitlines()) == 2
    save_strengths(results, plans, out, card["command"])
    assert (out / strengths_file(VARIANT)).read_text("utf-8") == text


@pytest.mark.usefixtures("quick")
def test_pairs_of_other_settings_are_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = plans_of(VARIANT, seed=4, pairs=2)[:1]
    measure_levels(plans, tmp_path)
    changed = {level: replace(item, loss_limit=item.loss_limit / 2) for level, item in LEVELS.items()}
    monkeypatch.setattr(levels, "LEVELS", changed)
    with pytest.raises(ValueError, match="belongs to other work: its agents is"):
        measure_levels(plans, tmp_path)


def test_figures_without_an_error_are_refused(tmp_path: Path) -> None:
    plans = plans_of(VARIANT, seed=4, pairs=2)
    even = play_match(replace(plans[0], a="random", b="random"))
    assert even.standard_error == 0.0
    with pytest.raises(ValueError, match="all 2 pairs of beginner against casual came out alike"):
        save_strengths([even] * len(plans), plans, tmp_path, "command")
    assert not list(tmp_path.iterdir())


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    run = CliRunner()
    folder = str(tmp_path / "matches")
    for arguments in (["--variant", "chess"], ["--variant", VARIANT, "--pairs", "1"]):
        wrong = run.invoke(app, ["train", "levels", *arguments, "--record-folder", folder, "--out", str(tmp_path)])
        assert wrong.exit_code == 2
    wrong = run.invoke(app, ["train", "levels", "--variant", VARIANT, "--record-folder", folder, "--out", folder])
    assert wrong.exit_code == 2
    assert not (tmp_path / "matches").exists()
