"""The solver for open cards against plain minimax, in all corners of the rules of all games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from solver.deals import decisions
from solver.endings import (
    MOORS,
    PIPS,
    Position,
    fast_minimax,
    made_up_ending,
    minimax,
    other_side_up,
    owes,
    played_endings,
)
from tarocchi_engine import VARIANTS, Phase, view
from tarocchi_engine.cards import MATTO, MATTO_MASK
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    DECLARED,
    GIVEN,
    LENGTH,
    MATTO_SIDE,
    NO_CARD,
    NO_SIDE,
    PILES,
    POSITION_WORDS,
    SCORING,
    SCORING_DECLARATIONS,
    SEATS,
    TRICK,
    TRICKS_LEFT,
    TURN,
)
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.double_dummy import Solver, forget, solve, solve_arms, solve_bounded
from tarocchi_solver.search.ending import bounds
from tarocchi_solver.search.ending_layout import (
    ALL_OPTIONS,
    CLOSED,
    INFINITY,
    NO_GUESS,
    NO_LIMIT,
    TRICK_ROWS,
    UNSOLVED,
    USE_BOUNDS,
    USE_EQUIVALENCE,
    USE_NARROW_WINDOWS,
    USE_TABLE,
)
from tarocchi_solver.search.ending_search import start
from tarocchi_solver.search.ending_table import extract, extract_portable
from tarocchi_solver.search.exact import exact_values
from tarocchi_solver.search.tree import apply_arm, own_result, place_world

SOLVER = Solver.allocate(12)


def endings(name: str, count: int, seed: str, most_tricks: int = 4) -> Iterator[Position]:
    """Yields endings of one to four tricks or so: two made up for each that was played."""
    variant = VARIANTS[name]
    rng = random.Random(f"{name} {seed}")
    made = 0
    while made < count:
        for position in rng.sample(found := played_endings(variant, f"{seed} {made}", most_tricks), min(6, len(found))):
            yield position
            made += 1
        for _ in range(12):
            yield made_up_ending(variant, rng, rng.choice((1, 2, 2, 3, 3, 3, 3, most_tricks)))
            made += 1


def corners(position: Position) -> list[str]:
    """Names what is rare about an ending."""
    found = []
    piles = int(position[PILES]), int(position[PILES + 1])
    if position[TRICKS_LEFT] and 0 in piles:
        found.append("sweep open")
    if position[GIVEN] != NO_CARD:
        found.append("chosen")
    if position[ASIDE_SIDE] == NO_SIDE:
        found.append("loose stock")
    side = int(position[MATTO_SIDE])
    if owes(position):
        own = piles[side] | (int(position[ASIDE]) if int(position[ASIDE_SIDE]) == side else 0)
        if not own & PIPS:
            found.append("no pip")
    if position[TRICKS_LEFT]:
        hands = [int(position[seat]) for seat in range(int(position[SEATS]))]
        if sum(bool(hand & MOORS) for hand in hands) + (int(position[TRICK]) & MOORS).bit_count() >= 3:
            found.append("moors")
        if int(position[TRICK]) >> MATTO & 1:
            found.append(f"Matto on the table, {int(position[LENGTH])} cards")
        for place, hand in enumerate(hands[int(position[TURN]) :] + hands[: int(position[TURN])]):
            if hand & MATTO_MASK and not position[LENGTH]:
                found.append(f"Matto in place {place}")
    return found


@pytest.mark.parametrize("name", VARIANTS)
def test_the_value_is_that_of_plain_minimax(name: str) -> None:
    seen = check_against_minimax(name, 600, "ordinary")
    seats = VARIANTS[name].seat_count
    expected = {"sweep open", "moors", *(f"Matto in place {place}" for place in range(seats))}
    expected |= {f"Matto on the table, {length} cards" for length in range(1, seats)}
    if name != "piedicavallo":
        expected |= {"no pip", "chosen"}
    if name == "terziglio":
        expected.add("loose stock")
    assert {corner: count for corner in expected if (count := seen[corner]) < 3} == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", VARIANTS)
def test_the_value_is_that_of_plain_minimax_5000_times(name: str) -> None:
    check_against_minimax(name, 5000, "exhaustive")


def check_against_minimax(name: str, count: int, seed: str) -> Counter[str]:
    """Compares so many endings; returns how many show each corner of the rules."""
    seen: Counter[str] = Counter()
    for position in endings(name, count, seed):
        before = position.copy()
        value = solve(SOLVER, position, NO_GUESS, NO_LIMIT)
        assert value == fast_minimax(position), describe(position)
        assert (position == before).all()
        seen.update(corners(position))
    return seen


def describe(position: Position) -> str:
    """Returns what reproduces a position."""
    return f"np.array({position.tolist()}, dtype=np.uint64)"


@pytest.mark.parametrize("name", VARIANTS)
def test_the_plain_minimax_is_plain(name: str) -> None:
    """The kernel that stands in for it looks at the same lines."""
    for position in endings(name, 60, "plain", 2):
        if position[TRICKS_LEFT] <= 2:
            assert fast_minimax(position) == minimax(position)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(("tricks", "count"), [(5, 60), (6, 12)])
def test_no_shortcut_changes_a_value(name: str, tricks: int, count: int) -> None:
    """Without the table, equivalent cards, bounds or narrow windows the value is the same."""
    rng = random.Random(f"{name} {tricks}")
    others = {
        missing: Solver.allocate(14, int(ALL_OPTIONS) & ~int(missing))
        for missing in (USE_TABLE, USE_EQUIVALENCE, USE_BOUNDS, USE_NARROW_WINDOWS)
    }
    played = [played_endings(VARIANTS[name], f"long {tricks} {number}", tricks)[0] for number in range(count // 2)]
    for position in [*played, *(made_up_ending(VARIANTS[name], rng, tricks) for _ in range(count // 2))]:
        value = solve(SOLVER, position, NO_GUESS, NO_LIMIT)
        for missing, solver in others.items():
            assert solve(solver, position, NO_GUESS, NO_LIMIT) == value, (missing, describe(position))


@pytest.mark.parametrize("name", [name for name in VARIANTS if VARIANTS[name].seat_count == 4])
def test_exchanging_the_sides_changes_the_sign(name: str) -> None:
    for position in endings(name, 200, "turned", 5):
        turned = other_side_up(position)
        assert solve(SOLVER, turned, NO_GUESS, NO_LIMIT) == -solve(SOLVER, position, NO_GUESS, NO_LIMIT)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_value_lies_within_the_bounds(name: str) -> None:
    checked = 0
    solver = Solver.allocate(12)
    for position in endings(name, 200, "bounds", 5):
        if position[TRICKS_LEFT] < 2 or position[LENGTH]:
            continue
        value = solve(SOLVER, position, NO_GUESS, NO_LIMIT)
        start(solver.words, position)
        if solver.words[TRICK_ROWS + CLOSED]:
            least, most = bounds(solver.words, TRICK_ROWS)
            assert least <= value <= most
            checked += 1
    assert checked > 40


@pytest.mark.parametrize("name", VARIANTS)
def test_a_window_gives_the_value_or_a_bound(name: str) -> None:
    for position in endings(name, 150, "window"):
        value = solve(SOLVER, position, NO_GUESS, NO_LIMIT)
        for alpha, beta in ((value - 1, value + 1), (value, value + 9), (value - 9, value), (-INFINITY, INFINITY)):
            solver = Solver.allocate(8)
            found = solve_bounded(solver, position, alpha, beta, NO_LIMIT)
            if found <= alpha:
                assert value <= found
            elif found >= beta:
                assert value >= found
            else:
                assert value == found


@pytest.mark.parametrize("name", VARIANTS)
def test_guesses_and_a_crowded_table_change_nothing(name: str) -> None:
    """A table for four positions is overwritten all the time."""
    tiny = Solver.allocate(2)
    rng = random.Random(name)
    for position in endings(name, 100, "guess", 5):
        value = solve(SOLVER, position, NO_GUESS, NO_LIMIT)
        assert solve(tiny, position, rng.randrange(-500, 500), NO_LIMIT) == value


@pytest.mark.parametrize("name", VARIANTS)
def test_the_limit_is_kept_and_leaves_the_solver_in_order(name: str) -> None:
    rng = random.Random(name)
    solver = Solver.allocate(12)
    given_up = 0
    for _ in range(20):
        position = made_up_ending(VARIANTS[name], rng, 6)
        forget(solver)
        before = solver.nodes
        found = solve(solver, position, NO_GUESS, 50)
        if found == UNSOLVED:
            given_up += 1
            assert 50 < solver.nodes - before < 250
        assert solve(solver, position, NO_GUESS, NO_LIMIT) == solve(SOLVER, position, NO_GUESS, NO_LIMIT)
    assert given_up > 5


@pytest.mark.parametrize("name", VARIANTS)
def test_a_solver_that_has_forgotten_does_the_same_again(name: str) -> None:
    rng = random.Random(name)
    solver = Solver.allocate(10)
    positions = [made_up_ending(VARIANTS[name], rng, 5) for _ in range(8)]
    rounds = []
    for _ in range(2):
        nodes = []
        for position in positions:
            forget(solver)
            before = solver.nodes
            solve(solver, position, NO_GUESS, NO_LIMIT)
            nodes.append(solver.nodes - before)
        rounds.append(nodes)
    assert rounds[0] == rounds[1]
    # and one that has not has less to do
    before = solver.nodes
    solve(solver, positions[-1], NO_GUESS, NO_LIMIT)
    assert solver.nodes - before < rounds[0][-1]


def test_a_deal_that_a_declaration_has_ended_is_not_played() -> None:
    position = made_up_ending(VARIANTS["ottocento"], random.Random(1), 5)
    position[SCORING] = SCORING_DECLARATIONS
    assert solve(SOLVER, position, NO_GUESS, 0) == int(position[DECLARED]) - int(position[DECLARED + 1])


@pytest.mark.parametrize("name", VARIANTS)
def test_moves_are_solved_in_every_world(name: str) -> None:
    """Three tricks from the end, worlds that share one table: every move is worth what plain minimax says."""
    checked = 0
    for seed in range(40):
        for state, observation in decisions(VARIANTS[name], 900 + seed):
            if state.phase is not Phase.PLAY or state.table.tricks_left != 3 or len(state.legal_moves()) < 2:
                continue
            decision = Decision.of(view(observation), 1)
            worlds = decision.sampler.enumerate(200)
            if worlds is None or checked > 30:
                continue
            question, destination = decision.question, decision.sampler.arrays.destination
            values, _sums = exact_values(question, destination, worlds)
            root, position = np.zeros((2, POSITION_WORDS), dtype=np.uint64)
            for world in range(0, len(worlds), 1 + len(worlds) // 10):
                place_world(question, destination, worlds[world], root)
                for arm in range(len(question.arms)):
                    position[:] = root
                    apply_arm(question, arm, position)
                    assert values[world, arm] == own_result(question, root, fast_minimax(position))
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", VARIANTS)
def test_moves_beyond_the_limit_are_unsolved(name: str) -> None:
    _state, observation = next(
        (state, observation)
        for seed in range(9)
        for state, observation in decisions(VARIANTS[name], seed)
        if state.phase is Phase.PLAY and state.table.tricks_left == 6 and len(state.legal_moves()) > 2
    )
    decision = Decision.of(view(observation), 1)
    world = decision.sampler.sample(1)
    root = np.zeros(POSITION_WORDS, dtype=np.uint64)
    words = np.zeros(4, dtype=np.uint64)
    words[: len(world)] = world
    place_world(decision.question, decision.sampler.arrays.destination, words, root)
    values, full = np.zeros((2, len(decision.question.arms)), dtype=np.int64)
    solver = Solver.allocate(12)
    assert not solve_arms(decision.question, solver, root, values, 40)
    assert (values == UNSOLVED).any()
    assert solve_arms(decision.question, solver, root, full, NO_LIMIT)
    assert not (full == UNSOLVED).any()
    assert all(value in (UNSOLVED, other) for value, other in zip(values, full, strict=True))


def test_bits_are_extracted_alike_with_and_without_bmi2() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        mask, source = rng.getrandbits(64) & rng.getrandbits(64), rng.getrandbits(64)
        places = [place for place in range(64) if mask >> place & 1]
        expected = sum((source >> place & 1) << rank for rank, place in enumerate(places))
        for function in (extract, extract_portable):
            assert int(function(np.uint64(source), np.uint64(mask))) == expected


@pytest.mark.parametrize("bits", [0, 31, -1])
def test_tables_of_no_sensible_size_are_refused(bits: int) -> None:
    with pytest.raises(ValueError, match="table_bits"):
        Solver.allocate(bits)
