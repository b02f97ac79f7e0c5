"""The model of play: fitted to choices whose law is known, and to deals, and written with its card."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tarocchi_bench.commands import app
from tarocchi_bench.records import RecordError
from tarocchi_bench.training.policy import FEATURES, Choices, choices_of, fit_discards, fit_policy, log_likelihoods
from tarocchi_bench.training.self_play import SelfPlay, play_deals, read_deals
from tarocchi_engine import Play, get_variant
from tarocchi_solver.search import policy

PLAN = SelfPlay("piedicavallo", "greedy", 5, 6)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Deals of two rules against each other, played once."""
    file = tmp_path_factory.mktemp("play") / "deals.jsonl"
    play_deals(PLAN, file)
    return file


def test_the_law_of_choices_is_recovered() -> None:
    rng = np.random.default_rng(1)
    truth = np.zeros(policy.WEIGHT_COUNT)
    truth[:12] = rng.normal(0.0, 1.0, 12)
    sizes = rng.integers(2, 8, 20_000)
    features = np.full((sizes.sum(), FEATURES), 500)
    features[:, 0] = rng.integers(0, 12, len(features))
    scores = truth[features].sum(axis=1) + rng.gumbel(size=len(features))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    chosen = np.array([scores[a : a + n].argmax() for a, n in zip(starts, sizes, strict=True)])
    fit = fit_policy(Choices(features, sizes, chosen, np.arange(len(sizes)) // 40))
    found, expected = fit.weights[:12], truth[:12]
    assert found - found.mean() == pytest.approx(expected - expected.mean(), abs=0.12)
    assert fit.log_likelihood > fit.uniform_log_likelihood + 0.05
    assert fit.plays == 20_000


def test_choices_are_the_plays_with_a_choice(record: Path) -> None:
    states = list(read_deals(record, PLAN))
    choices = choices_of(states)
    assert np.all(choices.sizes >= 2)
    assert np.all(choices.chosen < choices.sizes)
    assert len(choices.features) == choices.sizes.sum()
    plays = [sum(isinstance(event.move, Play) for event in state.events) for state in states]
    assert np.all(np.bincount(choices.deals) < plays)
    even = log_likelihoods(choices, np.zeros(policy.WEIGHT_COUNT))
    assert even == pytest.approx(-np.log(choices.sizes))


def test_what_is_often_laid_away_weighs_more(record: Path) -> None:
    states = list(read_deals(record, PLAN))
    ratios = fit_discards(get_variant("piedicavallo"), states)
    low_pips, kings = ratios[5], ratios[0]
    assert low_pips > kings
    assert np.all(ratios > 0.0)


def test_the_command_writes_a_model_and_its_card(record: Path, tmp_path: Path) -> None:
    given = ["--variant", PLAN.variant, "--agent", PLAN.agent, "--deals", "6", "--seed", "5", "--out", str(record)]
    done = CliRunner().invoke(app, ["train", "play", *given, "--folder", str(tmp_path), "--workers", "1"])
    assert done.exit_code == 0, done.output
    card = json.loads((tmp_path / "piedicavallo_play.json").read_text("utf-8"))
    assert card["agent"] == "greedy"
    assert "train play --variant piedicavallo" in card["command"]
    with np.load(tmp_path / "piedicavallo_play.npz") as arrays:
        assert arrays["weights"].shape == (policy.WEIGHT_COUNT,)
        assert arrays["discards"].shape == (policy.RANKS,)
    missing = CliRunner().invoke(app, ["train", "play", *given, "--folder", str(tmp_path / "none"), "--workers", "1"])
    assert missing.exit_code == 2
    assert "there is no such folder" in missing.output


def test_deals_of_another_plan_are_refused(record: Path) -> None:
    with pytest.raises(RecordError, match="line 1 belongs to other deals"):
        list(read_deals(record, SelfPlay("piedicavallo", "greedy", 6, 6)))
    with pytest.raises(RecordError, match="deal 6 is missing"):
        list(read_deals(record, SelfPlay("piedicavallo", "greedy", 5, 7)))
