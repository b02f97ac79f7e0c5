"""Log scores of beliefs: counted from the true holders, the same for any number of workers."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

import pytest
from typer.testing import CliRunner

from tarocchi_bench import belief_scores
from tarocchi_bench.belief_scores import BeliefPlan, holder_of, measure_beliefs, scores_of_deal
from tarocchi_bench.commands import app
from tarocchi_engine import VARIANTS, UnknownVariantError
from tarocchi_engine.facts import ASIDE_HOLDER
from tarocchi_solver.search.beliefs import Beliefs, CardBelief, PlaceBelief

PLAN = BeliefPlan("bolognese", "solver:iterations=40", 3, 4, 8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_seat_judges_what_it_does_not_see(variant: str) -> None:
    found = measure_beliefs(BeliefPlan(variant, "greedy", 3, 6, 5))
    assert found.cards > 100
    assert found.rules < 0.0
    assert found.low_95 < found.gain < found.high_95
    assert found.gain == pytest.approx(found.believed - found.rules)


def test_the_score_is_that_of_the_true_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = {}

    def all_knowing(observation: object, *, seed: int) -> Beliefs:
        cards = tuple(
            CardBelief(card, (PlaceBelief(holder, 0.9, 0.0, 0.25), PlaceBelief(9, 0.1, 0.0, 0.75)))
            for card, holder in truth.items()
        )
        return Beliefs(cards, seed, 1, 1.0)

    def remember(state: object, card: int) -> int:
        return truth[card]

    truth.update({3: 0, 7: ASIDE_HOLDER})
    monkeypatch.setattr(belief_scores, "beliefs", all_knowing)
    monkeypatch.setattr(belief_scores, "holder_of", remember)
    assert scores_of_deal(PLAN, 0) == [(math.log(0.25), math.log(0.9))] * 8


def test_the_interval_is_over_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two deals have one degree of freedom, however many cards they have."""
    gains = {0: [1.0] * 30, 1: [3.0] * 30}
    monkeypatch.setattr(belief_scores, "scores_of_deal", lambda plan, number: [(0.0, gain) for gain in gains[number]])
    found = measure_beliefs(replace(PLAN, deals=2))
    assert (found.gain, found.cards, found.deals) == (2.0, 60, 2)
    assert (found.low_95, found.high_95) == (pytest.approx(2 - 12.7062, abs=1e-3), pytest.approx(2 + 12.7062, abs=1e-3))
    gains[1] = gains[0]
    found = measure_beliefs(replace(PLAN, deals=2))
    assert (found.gain, found.low_95, found.high_95) == (1.0, None, None)


def test_workers_change_nothing() -> None:
    assert measure_beliefs(PLAN, workers=2) == measure_beliefs(PLAN)


def test_wrong_plans_are_refused() -> None:
    for wrong, text in ((("trick", 1), "trick 1: give 2 to 15"), (("deals", 1), "1 deals say nothing")):
        plan = BeliefPlan(**{**asdict(PLAN), wrong[0]: wrong[1]})
        with pytest.raises(ValueError, match=text):
            measure_beliefs(plan)
    with pytest.raises(UnknownVariantError):
        measure_beliefs(BeliefPlan("briscola", "greedy", 1, 2, 8))
    result = CliRunner().invoke(app, ["beliefs", "--variant", "bolognese", "--trick", "99"])
    assert result.exit_code == 2


def test_holders_are_seats_or_nobody() -> None:
    from tarocchi_engine import new_deal

    state = new_deal(VARIANTS["terziglio"], 1)
    holders = [holder_of(state, card) for card in range(62)]
    assert [holders.count(seat) for seat in (0, 1, 2, ASIDE_HOLDER)] == [18, 18, 18, 8]
