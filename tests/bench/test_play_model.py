"""The model of play: fitted to choices whose law is known, and to deals, and written with its card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from typer.testing import CliRunner

from tarocchi_bench.agents.rules import GreedyAgent
from tarocchi_bench.commands import app
from tarocchi_bench.positions import decisions_in_play
from tarocchi_bench.records import RecordError
from tarocchi_bench.training.logit import HELD_OUT, Choices, fit_logit, log_likelihoods
from tarocchi_bench.training.policy import choices_of, fit_calls, fit_discards, fit_policy, save_model
from tarocchi_bench.training.positions import DealPlan
from tarocchi_bench.training.scored_play import play_scored_deals, read_scored_deals
from tarocchi_bench.training.self_play import SelfPlay, play_deals, read_deals
from tarocchi_engine import Phase, Play, State, get_variant, new_deal
from tarocchi_engine.cards import BOLOGNESE_PACK
from tarocchi_solver.search import learned_playout, policy
from tarocchi_solver.search.card_kinds import CARD_KINDS, RANK, RANKS

PLAN = DealPlan("piedicavallo", "plain:iterations=150", 5, 6)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Deals of a small search against itself, played once."""
    file = tmp_path_factory.mktemp("play") / "deals.jsonl"
    play_scored_deals(PLAN, file)
    return file


def test_the_law_of_choices_is_recovered() -> None:
    rng = np.random.default_rng(1)
    truth = np.zeros(policy.WEIGHT_COUNT)
    truth[:12] = rng.normal(0.0, 1.0, 12)
    sizes = rng.integers(2, 8, 20_000)
    features = np.full((sizes.sum(), policy.FEATURES), 500)
    features[:, 0] = rng.integers(0, 12, len(features))
    scores = truth[features].sum(axis=1) + rng.gumbel(size=len(features))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    targets = np.zeros(len(features))
    targets[[a + scores[a : a + n].argmax() for a, n in zip(starts, sizes, strict=True)]] = 1.0
    fit = fit_policy(Choices(features, sizes, targets, np.arange(len(sizes)) // 40))
    found, expected = fit.weights[:12], truth[:12]
    assert found - found.mean() == pytest.approx(expected - expected.mean(), abs=0.12)
    assert fit.log_likelihood > fit.uniform_log_likelihood + 0.05
    assert fit.plays == 20_000


def test_choices_are_the_plays_with_a_choice(record: Path) -> None:
    deals = list(read_scored_deals(record, PLAN))
    choices = choices_of(deals)
    assert np.all(choices.sizes >= 2)
    assert np.add.reduceat(choices.targets, choices.starts) == pytest.approx(np.ones(len(choices.sizes)))
    assert set(choices.targets) == {0.0, 1.0}
    assert len(choices.features) == choices.sizes.sum() == len(choices.targets)
    plays = [sum(isinstance(event.move, Play) for event in deal.end.events) for deal in deals]
    assert np.all(np.bincount(choices.deals) < plays)
    even = log_likelihoods(choices, np.zeros(policy.WEIGHT_COUNT))
    assert even == pytest.approx(-np.log(choices.sizes))


def test_what_is_often_laid_away_weighs_more(tmp_path: Path) -> None:
    plan = SelfPlay("piedicavallo", "greedy", 5, 6)
    play_deals(plan, tmp_path / "deals.jsonl")
    ratios = fit_discards(get_variant("piedicavallo"), read_deals(tmp_path / "deals.jsonl", plan))
    low_pips, kings = ratios[5], ratios[0]
    assert low_pips > kings
    assert np.all(ratios > 0.0)


def test_the_command_writes_a_model_and_its_card(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # so few deals of a player so weak say next to nothing
    monkeypatch.setattr("tarocchi_bench.training.policy.PENALTY", 10.0)
    given = ["--variant", PLAN.variant, "--agent", PLAN.agent, "--deals", "6", "--seed", "5", "--record", str(record)]
    done = CliRunner().invoke(app, ["train", "play", *given, "--out", str(tmp_path), "--workers", "1"])
    assert done.exit_code == 0, done.output
    files = [tmp_path / f"piedicavallo_play.{ending}" for ending in ("npz", "json")]
    assert done.output.splitlines()[-2:] == [f"wrote {file}" for file in files]
    card = json.loads((tmp_path / "piedicavallo_play.json").read_text("utf-8"))
    assert card["agent"] == PLAN.agent
    assert "train play --variant piedicavallo" in card["command"]
    with np.load(tmp_path / "piedicavallo_play.npz") as arrays:
        assert arrays["weights"].shape == (policy.WEIGHT_COUNT,)
        assert arrays["discards"].shape == (RANKS,)
        assert arrays["values"].shape == (learned_playout.WEIGHT_COUNT,)
        assert not arrays["calls"].any()  # nobody calls anything in this game
    assert 0.0 < card["held_out_regret"] < card["random_regret"]
    assert card["held_out_log_likelihood"] > card["uniform_log_likelihood"]
    missing = CliRunner().invoke(app, ["train", "play", *given, "--out", str(tmp_path / "none"), "--workers", "1"])
    assert missing.exit_code == 2
    assert "there is no such folder" in missing.output


def test_a_fit_that_is_no_better_than_chance_is_refused(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the deals held out the worst card is made the best one."""
    for module in ("policy", "values"):
        monkeypatch.setattr(f"tarocchi_bench.training.{module}.MAX_STEPS", 5)
    deals = [
        deal if number % HELD_OUT else replace(deal, scores=tuple(map(turned_round, deal.scores)))
        for number, deal in enumerate(read_scored_deals(record, PLAN))
    ]
    with pytest.raises(ValueError, match="no better than chance") as caught:
        save_model(deals, PLAN, tmp_path, "command")
    assert not list(tmp_path.iterdir())
    for part in ("with a log likelihood of", "points to the best ones", "play more than 6 deals"):
        assert part in str(caught.value)


def turned_round(scores: dict[int, float] | None) -> dict[int, float] | None:
    """Returns the scores of cards with the worst one first."""
    return None if scores is None else {card: -score for card, score in reversed(scores.items())}


def test_deals_of_another_plan_are_refused(record: Path) -> None:
    with pytest.raises(RecordError, match="line 1 belongs to other deals"):
        list(read_scored_deals(record, replace(PLAN, seed=6)))
    with pytest.raises(RecordError, match="deal 6 is missing"):
        list(read_scored_deals(record, replace(PLAN, deals=7)))


def test_a_deal_that_stands_twice_is_told(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text(record.read_text() + record.read_text().splitlines(keepends=True)[0])
    with pytest.raises(RecordError, match="line 7 is deal 0 again, which stands in line 1: remove one of the two"):
        list(read_scored_deals(file, PLAN))


def test_deals_of_other_data_files_are_read_but_do_not_go_on(tmp_path: Path) -> None:
    file = tmp_path / "deals.jsonl"
    plan = DealPlan("piedicavallo", "solver:iterations=9", 5, 2)
    play_scored_deals(plan, file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert {"piedicavallo_play"} == set(lines[0]["data"])
    for line in lines:
        line["data"]["piedicavallo_play"] = "0" * 64
    text = "".join(json.dumps(line) + "\n" for line in lines)
    file.write_text(text)
    play_scored_deals(plan, file)
    assert len(list(read_scored_deals(file, plan))) == 2
    with pytest.raises(RecordError, match="deal 0 was played with another data file piedicavallo_play"):
        play_scored_deals(replace(plan, deals=3), file)
    assert file.read_text() == text


def test_deals_without_scores_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "unscored.jsonl"
    plan = DealPlan("piedicavallo", "greedy", 5, 2)
    play_deals(SelfPlay("piedicavallo", "greedy", 5, 2), file)
    with pytest.raises(RecordError, match="deal 0 has no scores"):
        list(read_scored_deals(file, plan))


def test_scores_are_those_of_the_legal_cards_best_first(record: Path) -> None:
    wandered = choices = 0
    for deal in read_scored_deals(record, PLAN):
        states = list(decisions_in_play(deal.end))
        assert len(states) == len(deal.scores)
        for state, scores in zip(states, deal.scores, strict=True):
            legal = {move.card for move in state.legal_moves() if isinstance(move, Play)}
            if scores is None:
                assert len(legal) == 1
                continue
            assert set(scores) == legal
            choices += 1
            played = deal.end.events[len(state.events)].move
            assert isinstance(played, Play)
            wandered += played.card != next(iter(scores))
    assert 0.02 < wandered / choices < 0.2


def test_values_learn_which_card_a_search_prefers() -> None:
    """Scores that are themselves sums of weights are found again."""
    rng = np.random.default_rng(3)
    truth = rng.normal(0.0, 1.0, 6)
    sizes = rng.integers(2, 7, 6_000)
    features = rng.integers(0, 6, (sizes.sum(), 1))
    worths = truth[features].sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    chances = np.concatenate([special.softmax(worths[a : a + n]) for a, n in zip(starts, sizes, strict=True)])
    found = fit_logit(Choices(features, sizes, chances, np.zeros(len(sizes), dtype=np.int64)), 6, 0.01, 200)
    assert found - found.mean() == pytest.approx(truth - truth.mean(), abs=0.02)


def test_calls_learn_which_cards_make_a_seat_bid() -> None:
    """The fitted chances rise with the strength by which the seats bid."""
    plan = DealPlan("terziglio", "greedy", 3, 150)
    states = [play_out_greedily(number) for number in range(plan.deals)]
    weights = fit_calls(get_variant("terziglio"), states)
    ranks = CARD_KINDS[0, :, RANK]
    angel, low_trump, pip = (int(ranks[BOLOGNESE_PACK.parse_card(name)]) for name in ("ANG", "T5", "S7"))
    assert weights[0, angel] > weights[0, pip]
    assert weights[0, low_trump] > weights[0, pip]


def play_out_greedily(number: int) -> State:
    """The bids of a deal by the rule; the rest does not matter."""
    state = new_deal(get_variant("terziglio"), 500 + number)
    while state.phase is Phase.BID and state.turn is not None:
        state = state.apply_move(GreedyAgent().choose(state.observe(state.turn), 1))
    return state
