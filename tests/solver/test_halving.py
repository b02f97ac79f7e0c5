"""The choice by halving: plans that keep every cap, and searches that keep their plans."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealing import RULES, play_states, random_choice
from tarocchi_engine import Bid, Call, Discard, Observation, Phase, State, new_deal, view
from tarocchi_solver.search import Budget, SearchOptions, StopReason, Utility, search
from tarocchi_solver.search.halving import (
    MIN_CHOICE_WORLDS,
    MIN_EVALUATION_WORLDS,
    SCOUTING_SHARE,
    Plan,
    _share_of,
    judge,
)
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


def before_discard(name: str, seed: int = 1) -> State:
    """Returns a deal in which a seat has to discard; in an auction the first seat has bid gioco."""
    state = new_deal(RULES[name], seed)
    if state.phase is Phase.BID:
        state = state.apply_move(Bid(Call.GIOCO)).apply_move(Bid(Call.PASS)).apply_move(Bid(Call.PASS))
    states = play_states(state, random_choice(random.Random(seed)))
    return next(state for state in states if state.phase is Phase.DISCARD)


def discarders_view(name: str, seed: int = 1) -> Observation:
    state = before_discard(name, seed)
    return state.observe(state.table.turn)


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


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("cap", [1, 150, 400, 734, 1000, 1500, 4000])
def test_searches_keep_their_plan(name: str, cap: int) -> None:
    observation = discarders_view(name)
    for budget in (Budget(iterations=cap), Budget(worlds=cap // 10 + 1)):
        answer = search(observation, budget, seed=3)
        assert search(observation, budget, seed=3, threads=2) == answer
        if is_improved(observation, budget):
            continue
        plan = Plan.of(len(answer.moves), budget)
        assert answer.diagnostics.iterations == iteration_count(plan) == sum(item.visits for item in answer.moves)
        assert answer.diagnostics.worlds == world_count(plan)
        assert answer.diagnostics.stop_reason is plan.cap
        assert all(item.worlds >= 2 for item in answer.moves)
        assert answer.moves[0].worlds == answer.diagnostics.evaluation_worlds


def is_improved(observation: Observation, budget: Budget) -> bool:
    """Tells whether a search looks for discards beyond a selection, on a part of its budget."""
    seen = view(observation)
    count = len(seen.legal_moves())
    first = Plan.of(count, _share_of(budget, SCOUTING_SHARE))
    return seen.legal_move_count > count and first.everything.worlds > MIN_EVALUATION_WORLDS


@pytest.mark.parametrize("name", ["terziglio", "terziglio-other-options"])
@pytest.mark.parametrize("seed", range(3))
def test_discards_beyond_the_selection_keep_the_caps(name: str, seed: int) -> None:
    """Eight cards of 26 can be laid away in far too many ways: those near the best of a selection are tried as well."""
    observation = discarders_view(name, seed)
    seen = view(observation)
    listed = set(seen.legal_moves())
    improved = 0
    for cap in (1, 500, 3000, 8000, 15_000, 40_000):
        worlds = cap // 20 + 1
        for budget in (Budget(iterations=cap), Budget(worlds=worlds), Budget(iterations=cap, worlds=worlds)):
            answer = search(observation, budget, seed=cap)
            done = answer.diagnostics
            assert done.iterations <= max(budget.iterations or done.iterations, MIN_WORLDS * len(answer.moves))
            assert done.worlds <= max(budget.worlds or done.worlds, MIN_WORLDS)
            moves = [item.move for item in answer.moves]
            assert len(set(moves)) == len(moves)
            for move in moves:
                assert isinstance(move, Discard)
                seen.variant.check_discard(seen.hand, move.cards or 0)
            assert all(item.worlds >= 2 for item in answer.moves)
            assert is_improved(observation, budget) == (set(moves) != listed)
            improved += set(moves) != listed
    assert improved >= 3


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_discards_beyond_the_selection_depend_on_the_seed_alone(threads: int) -> None:
    observation = discarders_view("terziglio", 4)
    budget = Budget(iterations=12_000)
    assert is_improved(observation, budget)
    assert search(observation, budget, seed=9, threads=threads) == search(observation, budget, seed=9)


@pytest.mark.parametrize("name", RULES)
def test_discards_converge(name: str) -> None:
    """A small budget picks a discard that the large one finds not much worse than its own."""
    options = SearchOptions(utility=Utility.POINTS)
    losses = []
    for seed in range(4):
        observation = discarders_view(name, seed)
        small = search(observation, Budget(iterations=4000), seed=seed, options=options).move
        large = search(observation, Budget(iterations=30_000), seed=seed, options=options)
        assert isinstance(small, Discard)
        item = next((item for item in large.moves if item.move == small), None)
        if item is not None:  # the large search may have gone on from other discards
            losses.append(-item.difference_to_best - 3 * item.difference_standard_error)
    # a tenth of the spread of a deal's results at the most, beyond what may be chance
    assert max(losses, default=0) <= 0.1 * RULES[name].deal_spread * RULES[name].game_factor
    assert len(losses) >= 2


@pytest.mark.parametrize("name", RULES)
def test_a_cap_that_does_not_bind_changes_nothing(name: str) -> None:
    observation = discarders_view(name)
    by_worlds, by_iterations = Budget(worlds=50), Budget(iterations=1000)
    assert search(observation, Budget(worlds=50, iterations=5000), seed=3) == search(observation, by_worlds, seed=3)
    assert search(observation, Budget(worlds=900, iterations=1000), seed=3) == search(
        observation, by_iterations, seed=3
    )


@pytest.mark.parametrize("name", RULES)
def test_without_time_or_after_a_stop_the_minimum_is_done(name: str) -> None:
    observation = discarders_view(name)
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
