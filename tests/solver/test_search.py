"""The search: legal, reproducible, blind to hidden cards, honest about its numbers."""

from __future__ import annotations

import random
import re
import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dealing import COSTLY_RULES, RULES, fresh, order_of
from solver.deals import decision_number, decisions, true_world, with_world
from solver.test_worlds_of_deals import PHASES
from tarocchi_engine import (
    VARIANTS,
    Declare,
    Event,
    InvalidObservationError,
    Move,
    Phase,
    Play,
    State,
    get_variant,
    new_deal,
    replay,
    view,
)
from tarocchi_engine.cards import BOLOGNESE_PACK
from tarocchi_engine.facts import Case, HiddenCards, hidden_cards
from tarocchi_engine.options import given_options
from tarocchi_solver.search import (
    Budget,
    NothingToDecideError,
    Playout,
    SearchOptions,
    StopReason,
    WorldSampler,
    search,
)
from tarocchi_solver.search import decision as decision_module
from tarocchi_solver.search.decision import MAX_DECLARATIONS
from tarocchi_solver.search.evaluators import Source, TreeSearch
from tarocchi_solver.search.halving import MIN_CHOICE_WORLDS, MIN_EVALUATION_WORLDS
from tarocchi_solver.search.inference import NO_INFERENCE
from tarocchi_solver.search.models import playout_rule
from tarocchi_solver.search.question import arm_of, make_question
from tarocchi_solver.search.runner import MIN_WORLDS, Limits, Runner
from tarocchi_solver.search.sampler import WorldNotFoundError
from tarocchi_solver.search.sampling_kernels import KNOWN, SHOWN
from tarocchi_solver.search.utilities import unit_of

HALVED = (Phase.DISCARD, Phase.PLAY)

SMALL = Budget(iterations=300)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("playout", Playout)
def test_every_answer_is_legal_and_whole(name: str, playout: Playout) -> None:
    for state, observation in decisions(RULES[name], 1):
        answer = search(observation, SMALL, seed=7, options=SearchOptions(playout=playout))
        moves = {item.move for item in answer.moves}
        assert moves <= set(state.legal_moves())
        is_selected = state.phase is Phase.DECLARE and len(state.legal_moves()) > MAX_DECLARATIONS
        assert len(moves) == len(answer.moves) == (MAX_DECLARATIONS if is_selected else len(state.legal_moves()))
        assert answer.move == answer.moves[0].move
        assert [item.rank for item in answer.moves] == list(range(1, len(answer.moves) + 1))
        for item in answer.moves:
            assert item.principal_variation[0] == Event(observation.seat, item.move)
            assert 0.0 <= item.win_probability <= 1.0
            scores = [score for _, score in item.score_quantiles]
            assert scores == sorted(scores)
            assert item.visits >= item.worlds > 0
        assert answer.moves[0].difference_to_best == 0.0


@pytest.mark.parametrize("name", RULES)
def test_threads_do_not_change_the_answer(name: str) -> None:
    budget = Budget(iterations=3000)
    for _state, observation in decisions(RULES[name], 2)[::6]:
        one, two, three = (search(observation, budget, seed=11, threads=threads) for threads in (1, 2, 3))
        assert one == two == three


@pytest.mark.parametrize("name", RULES)
def test_the_seed_matters_and_is_drawn_when_missing(name: str) -> None:
    _state, observation = decision_number(RULES[name], 12, 3)
    assert search(observation, SMALL, seed=1) != search(observation, SMALL, seed=2)
    drawn = search(observation, SMALL)
    assert search(observation, SMALL, seed=drawn.diagnostics.seed) == drawn


@pytest.mark.parametrize("name", COSTLY_RULES)
def test_hidden_cards_change_nothing(name: str) -> None:
    """Deals that differ in all that the seat cannot see, by the hundred: equal observations and equal answers."""
    compared = check_blindness(name, range(100, 124), 0.1)
    assert compared.total() >= 100
    assert name not in PHASES or set(compared) == PHASES[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("round_index", range(10))
def test_hidden_cards_change_nothing_in_500_deals(name: str, round_index: int) -> None:
    check_blindness(name, range(2000 + 50 * round_index, 2050 + 50 * round_index), 0.5)


def check_blindness(name: str, seeds: range, share: float) -> Counter[Phase]:
    """Compares answers about deals that one seat cannot tell apart; returns how many by phase."""
    rng = random.Random(f"{name} {seeds}")
    compared: Counter[Phase] = Counter()
    for seed in seeds:
        for state, observation in decisions(RULES[name], seed):
            if state.phase is Phase.PLAY and rng.random() > share:
                continue
            hidden = hidden_cards(view(observation))
            world = WorldSampler(hidden).sample(rng.getrandbits(64))
            other = with_world(state, observation.seat, dict(zip(hidden.holders, world, strict=True)), rng)
            mirrored = other.observe(observation.seat)
            assert mirrored == observation
            budget = Budget(iterations=60)
            assert search(mirrored, budget, seed=5, threads=1 + seed % 3) == search(observation, budget, seed=5)
            compared[state.phase] += 1
    return compared


def result_for(state: State, seat: int) -> float:
    """Returns the score of a finished deal as the search counts it for a seat."""
    score = state.score()
    if state.variant.seats_score_alone:
        others = [gain for other, gain in enumerate(score.awards) if other != seat]
        return score.awards[seat] - sum(others) / len(others)
    side = state.table.side_of(seat)
    return score.sides[side].total - score.sides[1 - side].total


def solve_plainly(state: State, seat: int) -> float:
    """Returns the result of `seat` under best play of all seats, by plain minimax over whole states."""
    if state.turn is None:
        return result_for(state, seat)
    results = [solve_plainly(state.apply_move(move), seat) for move in state.legal_moves() if not is_signal(move)]
    return max(results) if state.table.side_of(state.turn) == state.table.side_of(seat) else min(results)


def is_signal(move: Move) -> bool:
    return isinstance(move, Play) and move.signal is not None


def with_fixed_gift(state: State) -> State:
    """Returns the deal with the fixed rule for the card given for the Matto, which the search foresees for all."""
    if not state.variant.giver_chooses:
        return state
    start = fresh(state)
    variant = get_variant(state.variant.name, {**dict(given_options(state.variant)), "matto_card": "automatic"})
    start = State.new(
        variant, state.table.dealer, start.dealt, state.standing, stock=start.stock, order=order_of(start)
    )
    return replay(start, state.events)


@pytest.mark.parametrize("name", COSTLY_RULES)
def test_last_two_tricks_are_the_mean_over_all_worlds(name: str) -> None:
    checked = 0
    for seed in range(6):
        for state, observation in decisions(RULES[name], 200 + seed):
            if state.phase is not Phase.PLAY or state.table.tricks_left > 2 or len(state.legal_moves()) < 2:
                continue
            answer = search(observation, seed=1, options=SearchOptions(inference=0.0))
            assert answer.exact
            assert answer.diagnostics.stop_reason is StopReason.EXACT
            hidden = hidden_cards(view(observation))
            worlds = WorldSampler(hidden).enumerate(10_000)
            assert worlds is not None
            assert len(worlds) == answer.diagnostics.worlds == answer.diagnostics.exact_solves
            if len(worlds) > 60:
                continue
            deals = [
                with_fixed_gift(
                    with_world(state, observation.seat, dict(zip(hidden.holders, map(int, world), strict=False)))
                )
                for world in worlds
            ]
            for item in answer.moves:
                values = [solve_plainly(deal.apply_move(item.move), observation.seat) for deal in deals]
                assert item.expected_score == pytest.approx(np.mean(values), abs=1e-9)
                assert item.standard_error == 0.0
                assert item.raw_score == item.expected_score
                assert item.safe_score == pytest.approx(min(values), abs=1e-9)
                low, high = item.score_range_80
                assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
            best = max(item.expected_score for item in answer.moves)
            assert answer.moves[0].expected_score == pytest.approx(best, abs=1e-9)
            checked += 1
    assert checked >= 8


def test_a_single_legal_move_is_answered_with_the_least_effort() -> None:
    state, observation = next(
        (state, observation)
        for state, observation in decisions(VARIANTS["bolognese"], 4)
        if state.phase is Phase.PLAY and len(state.legal_moves()) == 1 and state.table.tricks_left > 2
    )
    answer = search(observation, Budget(iterations=1_000_000_000), seed=1)
    assert answer.move == state.legal_moves()[0]
    assert answer.diagnostics.stop_reason is StopReason.SINGLE_MOVE
    assert answer.diagnostics.iterations == MIN_WORLDS


@pytest.mark.parametrize("name", RULES)
def test_budgets_are_kept(name: str) -> None:
    for _state, observation in decisions(RULES[name], 5)[:30:4]:
        moves = len(view(observation).legal_moves())
        if moves == 1:
            continue
        answer = search(observation, Budget(iterations=5000), seed=1)
        assert answer.diagnostics.iterations <= max(5000, 2 * moves)
        assert answer.diagnostics.stop_reason is StopReason.ITERATIONS
        answer = search(observation, Budget(worlds=40), seed=1)
        assert answer.diagnostics.worlds <= 40
        assert answer.diagnostics.stop_reason is StopReason.WORLDS


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("index", [0, 1, 12])
def test_the_smallest_budgets_do_the_minimum(name: str, index: int) -> None:
    state, observation = decision_number(RULES[name], index, 5)
    moves = len(state.legal_moves())
    least = MIN_CHOICE_WORLDS + MIN_EVALUATION_WORLDS if state.phase in HALVED else MIN_WORLDS
    for budget, reason in (
        (Budget(worlds=1), StopReason.WORLDS),
        (Budget(iterations=1), StopReason.ITERATIONS),
        (Budget(iterations=10**6, worlds=3), StopReason.WORLDS),
    ):
        answer = search(observation, budget, seed=1)
        if moves > 1:
            assert answer.diagnostics.stop_reason is reason
            assert answer.diagnostics.worlds == least
        assert answer.move in state.legal_moves()


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("index", [0, 5, 20])
def test_a_budget_of_time_ends_by_time(name: str, index: int) -> None:
    _state, observation = decision_number(RULES[name], index, 6)
    answer = search(observation, Budget(time_ms=1), seed=1)
    assert answer.move in view(observation).legal_moves()
    answer = search(observation, Budget(time_ms=30), seed=1)
    assert answer.diagnostics.stop_reason in (StopReason.TIME, StopReason.SINGLE_MOVE)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_signal_ends_the_search_with_an_answer(threads: int) -> None:
    _state, observation = decisions(VARIANTS["bolognese"], 7)[12]
    stop = threading.Event()
    seen = []

    def stop_after_some(worlds: int) -> None:
        seen.append(worlds)
        if sum(seen) > 50:
            stop.set()

    answer = search(observation, Budget(worlds=10**9), seed=1, threads=threads, stop=stop, progress=stop_after_some)
    assert answer.diagnostics.stop_reason is StopReason.STOPPED
    assert answer.diagnostics.worlds < 10_000


def test_a_signal_given_before_the_start_still_leaves_a_sane_answer() -> None:
    stop = threading.Event()
    stop.set()
    for _state, observation in decisions(VARIANTS["bolognese"], 8)[:20:3]:
        answer = search(observation, Budget(worlds=10**9), seed=1, stop=stop)
        assert answer.move in view(observation).legal_moves()


@pytest.mark.parametrize(
    ("budget", "seed", "threads", "named"),
    [
        (Budget(iterations=0), 1, 1, "budget.iterations"),
        (Budget(worlds=-5), 1, 1, "budget.worlds"),
        (Budget(time_ms=-1), 1, 1, "budget.time_ms"),
        (Budget(), -1, 1, "seed"),
        (Budget(), 1 << 64, 1, "seed"),
        (Budget(), 1, 0, "threads"),
    ],
)
def test_numbers_out_of_range_are_refused(budget: Budget, seed: int, threads: int, named: str) -> None:
    _state, observation = decisions(VARIANTS["bolognese"], 9)[3]
    with pytest.raises(ValueError, match=named):
        search(observation, budget, seed=seed, threads=threads)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 1000}, "budget is 1000 of type int: give a Budget"),
        ({"budget": Budget(iterations=True)}, "budget.iterations is True of type bool: give a whole number from 1"),
        ({"budget": Budget(iterations=1e3)}, "budget.iterations is 1000.0 of type float: give a whole number from 1"),
        ({"budget": Budget(time_ms="5")}, "budget.time_ms is '5' of type str: give a whole number from 1"),
        ({"seed": "1"}, "seed is '1' of type str: give a whole number from 0"),
        ({"seed": 1.5}, "seed is 1.5 of type float: give a whole number from 0"),
        ({"threads": "2"}, "threads is '2' of type str: give a whole number from 1"),
        ({"threads": None}, "threads is None: give a whole number from 1"),
        ({"stop": 1}, "stop is 1: give a threading.Event"),
        ({"progress": 3}, "progress is 3: give a function of one number"),
        ({"options": {}}, "options is {} of type dict: give SearchOptions"),
        ({"options": SearchOptions(playout="rule")}, "options.playout is 'rule' of type str: give a Playout"),
        ({"options": SearchOptions(exploration="1")}, "options.exploration is '1' of type str: give a finite number"),
        ({"options": SearchOptions(expand_after=2.5)}, "options.expand_after is 2.5 of type float: give a whole"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused(arguments: dict[str, Any], message: str) -> None:
    _state, observation = decisions(VARIANTS["bolognese"], 9)[3]
    with pytest.raises(TypeError, match=re.escape(message)):
        search(observation, **arguments)


def test_only_an_observation_can_be_searched() -> None:
    state, _observation = decisions(VARIANTS["bolognese"], 9)[3]
    for given, message in (
        (state, "observation is a State, which knows all cards: give what one seat knows, state.observe(seat)"),
        (None, "observation is None: give an Observation, such as state.observe(seat)"),
        ({"seat": 1}, "observation is {'seat': 1} of type dict: give an Observation"),
    ):
        with pytest.raises(TypeError, match=re.escape(message)):
            search(given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(exploration=-1.0),
        SearchOptions(exploration=float("nan")),
        SearchOptions(expand_after=0),
        SearchOptions(iterations_per_world=0),
        SearchOptions(iterations_per_world=10**6),
    ],
)
def test_options_out_of_range_are_refused(options: SearchOptions) -> None:
    _state, observation = decisions(VARIANTS["bolognese"], 9)[3]
    with pytest.raises(ValueError, match="options"):
        search(observation, SMALL, seed=1, options=options)


@pytest.mark.parametrize("name", COSTLY_RULES)
def test_large_trees_approach_best_play(name: str) -> None:
    """In a world that is known, a large tree that explores enough comes close to plain minimax, for both sides."""
    checked = 0
    for seed in range(40):
        states = [
            state
            for state, _ in decisions(RULES[name], 400 + seed)
            if state.phase is Phase.PLAY and state.table.tricks_left == 3 and len(state.legal_moves()) > 1
        ]
        if not states:
            continue
        state = states[0]
        seen = view(state.observe(state.table.turn))
        hidden = hidden_cards(seen)
        truth = true_world(state, hidden)
        known = replace(
            hidden, shown_hands=(), promises=(), cases=(Case(tuple(truth[holder] for holder in hidden.holders)),)
        )
        moves = [move for move in seen.legal_moves() if not is_signal(move)]
        question = make_question(seen, [arm_of(move) for move in moves])
        source = Source(WorldSampler(known), NO_INFERENCE.belief, 1)
        options = SearchOptions(expand_after=1, exploration=4.0)
        trees = TreeSearch(question, source, options, 200_000, playout_rule(seen.variant.name, options))
        block = Runner(1, Limits()).run(trees, 0, 1).block
        deal = with_fixed_gift(state)
        exact = [solve_plainly(deal.apply_move(move), seen.seat) for move in moves]
        found = block.totals[0] / block.visits[0] * unit_of(seen)
        spread = {"piedicavallo": 40, "terziglio": 20}.get(state.variant.name, 300)
        assert np.abs(found - exact).max() < 0.02 * spread
        checked += 1
        if checked == 4:
            return
    pytest.fail(f"only {checked} endings")


def test_nothing_to_decide() -> None:
    state = new_deal(VARIANTS["bolognese"], 1, dealer=0)
    with pytest.raises(NothingToDecideError, match="seat 0 has to discard"):
        search(state.observe(2), SMALL)
    while state.turn is not None:
        state = state.apply_move(state.legal_moves()[-1])
    with pytest.raises(NothingToDecideError, match="over"):
        search(state.observe(2), SMALL)


def test_an_impossible_observation_is_refused() -> None:
    observation = new_deal(VARIANTS["bolognese"], 1, dealer=0).observe(0)
    with pytest.raises(InvalidObservationError):
        search(replace(observation, hand=observation.hand & (observation.hand - 1)), SMALL)


def test_showing_is_worth_about_the_points_shown() -> None:
    """A declaration scores at once and, to open cards, costs nothing."""
    variant = VARIANTS["bolognese"]
    for seed in range(60):
        state = new_deal(variant, seed, dealer=3)
        state = state.apply_move(state.legal_moves()[0])
        moves = state.legal_moves()
        if len(moves) == 1:
            continue
        shown = moves[0]
        assert isinstance(shown, Declare)
        answer = search(state.observe(0), Budget(iterations=20_000), seed=seed)
        assert answer.move == shown
        loss = -answer.moves[1].difference_to_best
        error = answer.moves[1].difference_standard_error
        assert abs(loss - variant.declaration_points(shown.cards)) < 5 * error + 1
        return
    pytest.fail("no hand with a combination in 60 deals")


def test_plays_in_display_order_are_not_preferred() -> None:
    """With equal values the cheapest card goes, not the first of the list."""
    variant = VARIANTS["piedicavallo"]
    found = 0
    for seed in range(40):
        for state, observation in decisions(variant, 300 + seed)[-8:]:
            if state.phase is not Phase.PLAY or state.table.tricks_left > 2:
                continue
            answer = search(observation, seed=1)
            equals = [item for item in answer.moves if item.expected_score == answer.moves[0].expected_score]
            plays = [item.move.card for item in equals if isinstance(item.move, Play)]
            if len(plays) > 1 and 61 not in plays and not state.table.trick:
                points = [variant.pack.points[card] for card in plays]
                assert points[0] == min(points)
                found += 1
    assert found > 5


def test_a_sampler_that_gives_up_ends_the_search_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """No world is made up where none was found in millions of draws."""
    _state, observation = decisions(VARIANTS["bolognese"], 2)[14]
    arrays = WorldSampler(hidden_cards(view(observation))).arrays
    hopeless = arrays.words.copy()
    hopeless[SHOWN : SHOWN + 4] = 0
    hopeless[KNOWN : KNOWN + 4] = BOLOGNESE_PACK.parse_cards(["SK", "BK", "CK"])

    class Hopeless(WorldSampler):
        def __init__(self, hidden: HiddenCards, weights: np.ndarray | None = None) -> None:
            super().__init__(hidden, weights)
            self.arrays = self.arrays._replace(words=hopeless)

    monkeypatch.setattr(decision_module, "WorldSampler", Hopeless)
    with pytest.raises(WorldNotFoundError, match="holds"):
        search(observation, SMALL, seed=1)
