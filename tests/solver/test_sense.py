"""Sense among equal moves: what a good player would not do, on positions small enough to check by eye."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.late_positions import LATE, TIES
from solver.positions import Position
from solver.sense_positions import POSITIONS
from tarocchi_engine import VARIANTS, Move, Play, View, view
from tarocchi_solver.search import Budget, SearchOptions, search
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.exact import exact_values
from tarocchi_solver.search.inference import infer, world_weights
from tarocchi_solver.search.sense import MIN_COMMON_WORLDS, MOST_BEHIND, PRINCIPLES, Tried, sensible_first, undecided
from tarocchi_solver.search.situation import MATTO_PRICE, Situation

README = Path(__file__).resolve().parents[2] / "README.md"
BY_NAME = {principle.name: principle for principle in PRINCIPLES}


def lead(variant: str, hand: str, events: str = "") -> Position:
    """Returns the lead of seat 0, to the first trick or after some events."""
    start = {"piedicavallo": "-=0", "bolognese": "- []"}[variant]
    return Position("", variant, 0, 3, hand, f"{start} {events}", "")


def last(hand: str, trick: str) -> Position:
    """Returns the last card to the first trick, to which seat 0, the partner of seat 2, has played second."""
    return Position("", "piedicavallo", 2, 2, hand, f"-D5.D6=0 {trick}", "")


def second(hand: str, trick: str) -> Position:
    """Returns the second card to the first trick, with an opponent and then the partner to come."""
    return Position("", "piedicavallo", 2, 0, hand, f"-=0 {trick}", "")


MIXED = "T1 T5 T9 SK SQ S5 S10 BK B5 B10 CQ C5 C6 DJ D5"
VOID_OF_C = "MAT T1 T3 T14 SK SQ S5 S10 BK B5 B10 BQ DJ DN D3 D5 D6"
WITH_C = "MAT T1 T3 SK SQ S5 S10 BK B5 B10 CK CQ CJ C6 DJ D5 D6"
TRUMPS = "T1 T3 T5 T14 SK SQ S5 S10 BK B5 B10 BQ DJ D3 D4"

CASES = {
    "five points led": [
        (lead("piedicavallo", MIXED), "T1", "T5"),
        (lead("bolognese", "MON BEG T5 SK SQ S6 S10 BK B6 B10 CQ C6 C7 DJ D6"), "MON", "T5"),
        (lead("bolognese", "MON BEG T5 SK SQ S6 S10 BK B6 B10 CQ C6 C7 DJ D6"), "BEG", "T5"),
        (lead("bolognese", "MON ANG BEG SK SQ S6 S10 BK B6 B10 CQ C6 C7 DJ D6"), "BEG", "MON"),
    ],
    "Matto led": [(lead("piedicavallo", MIXED.replace("T5", "MAT")), "MAT", "D5")],
    # an opponent has trumped spade while the partner followed
    "ruff invited": [(lead("piedicavallo", MIXED, "SQ T7 S7 S8 B6 B7 B8 BK"), "S5", "C5")],
    "figure led": [(lead("piedicavallo", MIXED), "CQ", "SQ"), (lead("piedicavallo", MIXED), "DJ", "D5")],
    "five points thrown away": [(second(TRUMPS, "T8"), "T1", "T3")],
    "partner overtaken": [
        (last(VOID_OF_C, "C2 T12 C4"), "T14", "T3"),
    ],
    "partner starved": [
        (last(VOID_OF_C, "C2 T12 C4"), "T3", "T1"),
        (last(VOID_OF_C, "C2 CK C4"), "T14", "T1"),
        (last(VOID_OF_C, "C2 T12 C4"), "MAT", "T3"),
        (last(WITH_C, "C2 T12 C4"), "C6", "CQ"),
        (last(WITH_C, "C2 T12 C4"), "CJ", "CQ"),
    ],
    "opponents fed": [
        (last(WITH_C, "C2 C4 T12"), "CK", "CQ"),
        (last(WITH_C, "C2 C4 T12"), "CQ", "MAT"),
        (last(WITH_C, "C2 C4 T12"), "MAT", "CJ"),
        (last(WITH_C, "C2 C4 T12"), "CJ", "C6"),
        (last(VOID_OF_C, "C2 C4 T12"), "T1", "T3"),
    ],
    "rank wasted": [(last(VOID_OF_C, "C2 CA C4"), "T14", "T3"), (last(VOID_OF_C, "C2 CK C4"), "T14", "T3")],
}


def seen(position: Position) -> View:
    return view(position.observation())


def blame(name: str, position: Position, card: str) -> float:
    now = seen(position)
    parsed = now.variant.pack.parse_card(card)
    assert parsed in Situation(now).legal
    return BY_NAME[name].blame(Situation(now), parsed)


@pytest.mark.parametrize(
    ("name", "position", "worse", "better"),
    [pytest.param(name, *case, id=f"{name}: {case[1]}, {case[2]}") for name, cases in CASES.items() for case in cases],
)
def test_a_principle_prefers_one_card_to_another(name: str, position: Position, worse: str, better: str) -> None:
    assert blame(name, position, worse) > blame(name, position, better) >= 0.0


def test_every_principle_is_tested_and_told() -> None:
    assert list(CASES) == [principle.name for principle in PRINCIPLES]
    told = re.sub(r"\s+", " ", README.read_text(encoding="utf-8"))
    for number, principle in enumerate(PRINCIPLES, 1):
        assert f"{number}. {principle.sentence}" in told
        assert principle.source


@pytest.mark.parametrize(
    ("name", "position", "card"),
    [
        # nothing is higher than the World once the Angel is in the same hand
        ("five points led", lead("bolognese", "MON ANG BEG SK SQ S6 S10 BK B6 B10 CQ C6 C7 DJ D6"), "MON"),
        # the partner has trumped spade too, below the opponent
        ("ruff invited", lead("piedicavallo", MIXED, "SQ T7 T6 S8 B6 B7 B8 BK"), "S5"),
        # the opponent is out of spade, but shows it by a trump that was his duty; nobody else is
        ("ruff invited", lead("piedicavallo", MIXED, "SQ T7 S7 S8 B6 B7 B8 BK"), "T5"),
        # the King of the suit is in the own hand
        ("figure led", lead("piedicavallo", MIXED), "SQ"),
        # the lowest trump comes home in the partner's trick
        ("partner overtaken", last(VOID_OF_C, "C2 CK C4"), "T1"),
        # the partner may still lose the trick to the last player
        ("partner overtaken", second(TRUMPS, "T8"), "T14"),
        ("partner starved", Position("", "piedicavallo", 2, 3, TRUMPS, "-=0 T8 T2", ""), "T3"),
        # whether to keep the King that heads its suit is left to the evidence
        ("partner starved", last(WITH_C, "C2 T12 C4"), "CK"),
        # with the partner still to play nothing is lost for sure
        ("opponents fed", second(TRUMPS, "T8"), "T5"),
        # neighbours are one card
        ("rank wasted", last(VOID_OF_C.replace("T14", "T4"), "C2 CA C5"), "T4"),
    ],
)
def test_a_principle_has_nothing_to_say(name: str, position: Position, card: str) -> None:
    assert blame(name, position, card) == 0.0


def test_combinations_are_worth_more_than_points() -> None:
    # a sequence of denari in hand, and Jacks of which the opponents' tricks hold none
    hand = "SQ S9 S8 S7 S6 BN B10 B9 B8 B7 DK DQ DJ D6 D7"
    position = Position("", "bolognese", 2, 3, hand, "- [] C6 [] CK []", "")
    assert blame("opponents fed", position, "DJ") > blame("opponents fed", position, "SQ")
    assert blame("opponents fed", position, "SQ") > blame("opponents fed", position, "BN") > 0.0


def test_a_card_that_nothing_beats_is_dear() -> None:
    situation = Situation(seen(last(WITH_C, "C2 C4 T12")))
    king, matto = (situation.pack.parse_card(card) for card in ("CK", "MAT"))
    assert not situation.is_winner(king)
    assert situation.price(king) == 5.0
    assert situation.price(matto) == MATTO_PRICE


# evidence

WORLDS = 16
MOST = 2 * MOST_BEHIND * 37.0  # half points, by the spread of a deal of Piedicavallo


def results(*columns: list[float]) -> Tried:
    values = np.array(columns).T
    return Tried(np.arange(len(columns)), values, values)


def spread(mean: float, deviation: float) -> list[float]:
    """Returns results with a mean and a standard deviation (of the population)."""
    return [mean + deviation, mean - deviation] * (WORLDS // 2)


def less(values: list[float], other: list[float]) -> list[float]:
    return [value - change for value, change in zip(values, other, strict=True)]


def close(*columns: list[float]) -> list[int]:
    return undecided(seen(lead("piedicavallo", MIXED)), 0, [results(*columns)])


def test_cards_within_one_standard_error_of_the_difference_are_close() -> None:
    error = 2.0 / (WORLDS - 1) ** 0.5
    assert error < MOST
    best = spread(3.0, 50.0)  # what the results have in common does not count
    within, beyond = spread(0.98 * error, 2.0), spread(1.02 * error, 2.0)
    assert close(best, less(best, within), less(best, beyond)) == [0, 1]


def test_no_card_far_behind_is_close_however_wide_the_error() -> None:
    best = [0.0] * WORLDS
    assert close(best, spread(-0.98 * MOST, 90.0), spread(-1.02 * MOST, 90.0)) == [0, 1]


def test_equal_results_are_close_and_different_ones_without_error_are_not() -> None:
    best = spread(5.0, 8.0)
    assert close(best, best, [value - 0.1 for value in best]) == [0, 1]


def test_a_card_ahead_of_the_chosen_one_is_close() -> None:
    best = spread(5.0, 8.0)
    assert close(best, [value + 1.0 for value in best]) == [0, 1]


def test_cards_given_up_are_compared_in_the_worlds_they_were_tried_in() -> None:
    now = seen(lead("piedicavallo", MIXED))
    alike, apart = np.ones((MIN_COMMON_WORLDS, 3)), np.array([[9.0, 1.0]] * MIN_COMMON_WORLDS)
    first = Tried(np.array([2, 0, 1]), alike, alike)
    then = Tried(np.array([0, 1]), apart, apart)
    assert undecided(now, 0, [first, then]) == [0, 2]


def test_a_card_tried_in_too_few_worlds_is_not_close() -> None:
    now = seen(lead("piedicavallo", MIXED))
    alike = np.ones((MIN_COMMON_WORLDS - 1, 2))
    few = Tried(np.array([0, 1]), alike, alike)
    assert undecided(now, 0, [few]) == [0]


def ordered(position: Position, cards: str, close: list[int]) -> list[str]:
    now = seen(position)
    moves: list[Move] = [Play(now.variant.pack.parse_card(card)) for card in cards.split()]
    return [cards.split()[place] for place in sensible_first(now, moves, range(len(moves)), close)]


def test_close_cards_come_first_by_the_principles_and_the_others_keep_their_order() -> None:
    position = lead("piedicavallo", MIXED)
    assert ordered(position, "T1 CQ S5 B5 T9", [0, 1, 3]) == ["B5", "CQ", "T1", "S5", "T9"]


def test_nothing_moves_without_a_close_card_or_a_fault() -> None:
    position = lead("piedicavallo", MIXED)
    assert ordered(position, "T1 CQ S5", [0]) == ["T1", "CQ", "S5"]
    assert ordered(position, "S5 B5 T9", [0, 1, 2]) == ["S5", "B5", "T9"]


# whole searches


def recommended(position: Position, iterations: int, seed: int, options: SearchOptions | None = None) -> str:
    answer = search(position.observation(), Budget(iterations=iterations), seed=seed, options=options)
    assert isinstance(answer.move, Play)
    assert [item.rank for item in answer.moves] == list(range(1, len(answer.moves) + 1))
    assert (answer.moves[0].move, answer.moves[0].difference_to_best) == (answer.move, 0.0)
    return VARIANTS[position.variant].pack.format_card(answer.move.card)


@pytest.mark.parametrize("iterations", [300, 2_000])
@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: f"{position.variant}: {position.name}")
def test_a_position_is_played_with_sense(position: Position, iterations: int) -> None:
    played = {recommended(position, iterations, seed) for seed in range(2)}
    assert not played & set(position.bad.split())


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: f"{position.variant}: {position.name}")
def test_a_position_offers_both_sense_and_nonsense(position: Position) -> None:
    legal = {VARIANTS[position.variant].pack.format_card(card) for card in Situation(seen(position)).legal}
    bad = set(position.bad.split())
    assert bad
    assert bad < legal


def exact_results(position: Position) -> dict[str, float]:
    """Returns the mean result of every card over all deals that fit, by their chances, with open cards."""
    now = seen(position)
    decision = Decision.of(now, 1)
    worlds = decision.sampler.enumerate(5_000)
    assert worlds is not None
    values, _sums = exact_values(decision.question, decision.sampler.arrays.destination, worlds)
    belief = infer(now, decision.sampler, 1, SearchOptions().inference).belief
    means = world_weights(decision.sampler, belief, worlds) @ values
    names = [now.variant.pack.format_card(move.card) for move in decision.moves if isinstance(move, Play)]
    return {name: float(means[arm]) for name, arm in zip(names, decision.arm_of_move, strict=True)}


@pytest.mark.parametrize("position", LATE, ids=lambda position: f"{position.variant}: {position.name}")
def test_late_tricks_are_played_best(position: Position) -> None:
    assert seen(position).table.tricks_left in (2, 3)
    results = exact_results(position)
    best = {card for card, value in results.items() if value > max(results.values()) - 1e-6}
    assert best == set(results) - set(position.bad.split())
    for iterations in (300, 2_000):
        assert {recommended(position, iterations, seed) for seed in range(4)} <= best


@pytest.mark.parametrize("position", TIES, ids=lambda position: f"{position.variant}: {position.name}")
def test_exact_ties_are_put_in_order(position: Position) -> None:
    results = exact_results(position)
    assert max(results.values()) - min(results.values()) < 1e-6
    blind = {recommended(position, 100_000, seed, SearchOptions(sense=False)) for seed in range(2)}
    assert {recommended(position, 100_000, seed) for seed in range(2)} <= set(results) - set(position.bad.split())
    # what is exact leaves nothing to the seed
    assert len(blind) == 1


def test_sense_can_be_switched_off() -> None:
    changed = 0
    for position in (*POSITIONS, *TIES):
        changed += recommended(position, 300, 1) != recommended(position, 300, 1, SearchOptions(sense=False))
    assert changed > 0


def test_the_switch_has_to_be_true_or_false() -> None:
    wrong: Any = 1
    with pytest.raises(TypeError, match=r"^options\.sense is 1: give True or False$"):
        search(POSITIONS[0].observation(), options=SearchOptions(sense=wrong))
