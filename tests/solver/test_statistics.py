"""What a search says about moves, on numbers small enough to check by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tarocchi_engine import VARIANTS, Declare, Discard, Event, Move, Observation, Play, View, new_deal, view
from tarocchi_solver.search.statistics import (
    QUANTILES,
    Evidence,
    common_line,
    describe,
    is_evaluation,
    play_line,
    rank_moves,
    standard_error,
)


def leader_view(variant: str = "piedicavallo", seed: int = 1) -> tuple[View, tuple[Move, ...]]:
    """Returns the view of the seat that leads to the first trick, and its moves."""
    state = new_deal(VARIANTS[variant], seed, dealer=3)
    state = state.apply_move(state.legal_moves()[0])
    if state.phase == "declare":
        state = state.apply_move(Declare(0))
    seen = view(state.observe(0))
    return seen, seen.legal_moves()


def evidence(*values: float) -> Evidence:
    array = np.array(values)
    return Evidence(array, array, (np.sign(array) + 1) / 2, array, np.full(len(array), 228.0))


def test_choice_and_evaluation_share_no_world() -> None:
    numbers = np.arange(100)
    chosen = set(numbers[~is_evaluation(numbers)])
    kept = set(numbers[is_evaluation(numbers)])
    assert chosen.isdisjoint(kept)
    assert len(kept) == 25


def test_numbers_are_means_over_worlds_in_points() -> None:
    seen, moves = leader_view()
    best, other = evidence(4.0, 8.0, -2.0, 6.0), evidence(2.0, 8.0, -6.0, 0.0)
    first, second = describe(seen, [(moves[0], 40, best), (moves[1], 20, other)], [[], []])
    assert first.expected_score == 2.0
    assert first.standard_error == pytest.approx(np.std([2, 4, -1, 3], ddof=1) / 2)
    assert first.win_probability == 0.75
    assert (first.rank, first.visits, first.worlds) == (1, 40, 4)
    assert second.difference_to_best == pytest.approx(np.mean([-1, 0, -2, -3]))
    assert second.difference_standard_error == pytest.approx(np.std([-1, 0, -2, -3], ddof=1) / 2)
    assert second.win_probability == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert dict(first.score_quantiles)[0.5] == 2.5


def test_differences_use_the_worlds_that_both_moves_have_seen() -> None:
    seen, moves = leader_view()
    best, other = evidence(4.0, 8.0, 100.0), evidence(2.0, 2.0)
    _, second = describe(seen, [(moves[0], 3, best), (moves[1], 2, other)], [[], []])
    assert second.difference_to_best == pytest.approx(np.mean([-1, -3]))
    assert second.worlds == 2


def test_numbers_do_not_depend_on_the_moves_beside_them() -> None:
    seen, moves = leader_view()
    rng = np.random.default_rng(3)
    items = [evidence(*rng.normal(size=size)) for size in (37, 37, 5, 37, 5)]
    together = describe(seen, [(moves[i % len(moves)], i, item) for i, item in enumerate(items)], [[]] * 5)
    assert [item.rank for item in together] == [1, 2, 3, 4, 5]
    for place, item in enumerate(items):
        pair = [(moves[0], 0, items[0]), (moves[place % len(moves)], place, item)]
        assert describe(seen, pair, [[], []])[1] == replace(together[place], rank=2)
        scores = [score for _, score in together[place].score_quantiles]
        assert scores == pytest.approx((np.quantile(item.samples, QUANTILES) / 2).tolist(), rel=1e-12)


def test_standard_error_is_that_of_the_mean() -> None:
    values = np.random.default_rng(1).normal(size=400)
    assert standard_error(values) == pytest.approx(values.std(ddof=1) / 20)


def test_equal_leads_give_the_cheapest_and_weakest_suit_card_first() -> None:
    seen, moves = leader_view()
    order = rank_moves(seen, moves, np.zeros(len(moves)))
    plays = [moves[index] for index in order]
    pack = seen.variant.pack
    points = [pack.points[move.card] for move in plays if isinstance(move, Play) and move.card != 61]
    assert points == sorted(points)


def test_a_better_score_beats_any_natural_order() -> None:
    seen, moves = leader_view()
    scores = np.zeros(len(moves))
    scores[-1] = 1.0
    assert rank_moves(seen, moves, scores)[0] == len(moves) - 1


def test_showing_comes_before_not_showing() -> None:
    variant = VARIANTS["bolognese"]
    for seed in range(40):
        state = new_deal(variant, seed, dealer=3)
        state = state.apply_move(state.legal_moves()[0])
        moves = state.legal_moves()
        if len(moves) == 2:
            assert rank_moves(view(state.observe(0)), moves[::-1], np.zeros(2)) == [1, 0]
            return
    pytest.fail("no hand with a combination in 40 deals")


@pytest.mark.parametrize(("winner", "given"), [("BQ", "BN"), ("BK", "B7")])
def test_the_last_seat_feeds_its_partner_and_starves_the_others(winner: str, given: str) -> None:
    """Seat 1 plays last, seat 3 is its partner; it wins with the Queen, or seat 0 wins with the King."""
    variant = VARIANTS["piedicavallo"]
    parse, card = variant.pack.parse_cards, variant.pack.parse_card
    dealt = parse("BN BJ B7 B8 CK C6 DK D6 SK S10 S9 S8 S7 S6 T1 S5 CA".split())
    others = ["B5", "BQ", "B6"] if winner == "BQ" else ["B5", "BQ", "BK"]
    events = [Event(1, Discard(parse(["S5", "CA"])))]
    events += [Event(seat, Play(card(name))) for seat, name in zip((2, 3, 0), others, strict=True)]
    seen = view(Observation("piedicavallo", 1, 1, dealt, tuple(events)))
    moves = seen.legal_moves()
    first = moves[rank_moves(seen, moves, np.zeros(len(moves)))[0]]
    assert first == Play(card(given))


def test_the_common_line_follows_the_majority() -> None:
    lines = np.array([[5, 7, -1], [5, 8, 9], [5, 8, 2], [6, 8, 9]], dtype=np.int8)
    assert common_line(lines)[:2] == [5, 8]
    assert common_line(np.full((4, 3), -1, dtype=np.int8)) == []


def test_a_line_ends_before_the_impossible() -> None:
    seen, moves = leader_view()
    move = moves[0]
    assert isinstance(move, Play)
    line = play_line(seen, move, [move.card])
    assert line == (Event(0, move),)
