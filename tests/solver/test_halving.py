"""The choice by halving: plans that keep every cap, and searches that keep their plans."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocchi_engine import VARIANTS, Observation, new_deal
from tarocchi_solver.search import Budget, StopReason, search
from tarocchi_solver.search.halving import MIN_CHOICE_WORLDS, MIN_EVALUATION_WORLDS, Plan, judge
from tarocchi_solver.search.results import MAX_SAMPLED_WORLDS

MIN_WORLDS = MIN_CHOICE_WORLDS + MIN_EVALUATION_WORLDS
MOVES = st.integers(2, 500)
CAPS = st.one_of(st.integers(1, 5_000), st.integers(1, 10**10))


def counts(plan: Plan) -> list[int]:
    return [stage.worlds for stage in (*plan.rounds, plan.everything, plan.finalists)]


def world_count(plan: Plan) -> int:
    return sum(counts(plan))


def iteration_count(plan: Plan) -> int:
    return sum(stage.worlds * stage.width for stage in (*plan.rounds, plan.everything, plan.finalists))


def dealers_view(name: str, seed: int = 1) -> Observation:
    state = new_deal(VARIANTS[name], seed)
    assert state.turn is not None
    return state.observe(state.turn)


@given(MOVES, CAPS)
def test_a_cap_on_iterations_is_kept_and_used(moves: int, cap: int) -> None:
    plan = Plan.of(moves, Budget(iterations=cap))
    assert iteration_count(plan) <= max(cap, MIN_WORLDS * moves)
    if plan.cap is StopReason.ITERATIONS and cap >= 10 * moves:
        assert iteration_count(plan) >= 0.7 * cap


@given(MOVES, CAPS)
def test_a_cap_on_worlds_is_kept_and_used(moves: int, cap: int) -> None:
    plan = Plan.of(moves, Budget(worlds=cap))
    assert plan.cap is StopReason.WORLDS
    assert min(cap, MAX_SAMPLED_WORLDS) - 20 <= world_count(plan) <= max(cap, MIN_WORLDS)


@given(MOVES, CAPS, CAPS)
def test_of_two_caps_one_alone_decides(moves: int, worlds: int, iterations: int) -> None:
    both = Plan.of(moves, Budget(worlds=worlds, iterations=iterations))
    alone = {
        StopReason.WORLDS: Plan.of(moves, Budget(worlds=worlds)),
        StopReason.ITERATIONS: Plan.of(moves, Budget(iterations=iterations)),
    }
    assert counts(both) == counts(alone[both.cap])
    assert world_count(both) == min(world_count(plan) for plan in alone.values())
    assert iteration_count(both) == min(iteration_count(plan) for plan in alone.values())


@given(MOVES, CAPS, CAPS)
def test_more_budget_never_means_less_of_anything(moves: int, one: int, other: int) -> None:
    low, high = sorted((one, other))
    for small, large in (
        (Budget(iterations=low), Budget(iterations=high)),
        (Budget(worlds=low), Budget(worlds=high)),
    ):
        pairs = zip(counts(Plan.of(moves, small)), counts(Plan.of(moves, large)), strict=True)
        assert all(less <= more for less, more in pairs)


@given(MOVES)
def test_the_minimum_tries_every_move_and_evaluates_it_twice(moves: int) -> None:
    plan = Plan.of(moves, Budget(iterations=1))
    assert plan.rounds[0].worlds == 1
    assert plan.everything.worlds == 2
    assert world_count(plan) == 3
    assert iteration_count(plan) == 3 * moves


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("cap", [1, 150, 400, 734, 1000, 1500, 4000])
def test_searches_keep_their_plan(name: str, cap: int) -> None:
    observation = dealers_view(name)
    for budget in (Budget(iterations=cap), Budget(worlds=cap // 10 + 1)):
        answer = search(observation, budget, seed=3)
        plan = Plan.of(len(answer.moves), budget)
        assert answer.diagnostics.iterations == iteration_count(plan) == sum(item.visits for item in answer.moves)
        assert answer.diagnostics.worlds == world_count(plan)
        assert answer.diagnostics.stop_reason is plan.cap
        assert all(item.worlds >= 2 for item in answer.moves)
        assert answer.moves[0].worlds == answer.diagnostics.evaluation_worlds
        assert search(observation, budget, seed=3, threads=2) == answer


@pytest.mark.parametrize("name", VARIANTS)
def test_a_cap_that_does_not_bind_changes_nothing(name: str) -> None:
    observation = dealers_view(name)
    by_worlds, by_iterations = Budget(worlds=50), Budget(iterations=1000)
    assert search(observation, Budget(worlds=50, iterations=5000), seed=3) == search(observation, by_worlds, seed=3)
    assert search(observation, Budget(worlds=900, iterations=1000), seed=3) == search(
        observation, by_iterations, seed=3
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_without_time_or_after_a_stop_the_minimum_is_done(name: str) -> None:
    observation = dealers_view(name)
    stop = threading.Event()
    stop.set()
    answer = search(observation, Budget(iterations=20_000), seed=3, stop=stop)
    assert answer.diagnostics.stop_reason is StopReason.STOPPED
    least = search(observation, Budget(iterations=1), seed=3)
    assert answer.moves[0].worlds >= 2
    assert answer.diagnostics.worlds < 60
    assert least.diagnostics.worlds <= answer.diagnostics.worlds


def test_kindred_moves_lend_their_results_while_worlds_are_few() -> None:
    cards = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]], dtype=bool)
    totals = np.array([0, 40, 0, 0])
    early = judge(totals, cards, 1)
    assert early[1] == early.max()
    assert early[0] == early[3] > early[2], "a move gains by sharing a card with the best"
    late = judge(totals, cards, 10**6)
    assert late == pytest.approx(totals, abs=0.01)


def test_equal_results_stay_equal() -> None:
    cards = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool)
    assert judge(np.array([7, 7, 7]), cards, 3).tolist() == [7.0, 7.0, 7.0]
