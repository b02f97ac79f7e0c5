"""The chance to win a match, on results small enough to check by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from tarocchi_engine import Bid, Call, Phase, Standing, View, get_variant, new_deal, view
from tarocchi_solver.search import Budget, search
from tarocchi_solver.search.match_odds import match_win_chances

ZERO = np.zeros(1)


def leader_view(
    name: str, options: Mapping[str, str], scores: tuple[float, ...], deals_played: int, seat: int | None = None
) -> View:
    """Returns the view that `seat`, or the one that leads, has of the first trick of one deal of a match."""
    state = new_deal(get_variant(name, options), 1, 1, Standing(scores, deals_played))
    while state.phase is not Phase.PLAY:
        moves = state.legal_moves()
        state = state.apply_move(moves[-1 if state.phase in (Phase.CALL_OUT, Phase.DECLARE) else 0])
    return view(state.observe(state.table.turn if seat is None else seat))


def four_deal_view(scores: tuple[float, float], deals_played: int) -> View:
    return leader_view("piedicavallo", {"match": "four_deals"}, scores, deals_played)


def odds(seen: View, samples: np.ndarray, sums: np.ndarray | float = 228.0 / 2) -> np.ndarray:
    chances = match_win_chances(seen, samples, np.broadcast_to(sums, samples.shape))
    assert chances is not None
    return chances.mean(axis=-1)


def test_a_single_deal_has_no_match_to_win() -> None:
    for name in ("bolognese", "piedicavallo"):
        seen = leader_view(name, {}, (), 0)
        assert match_win_chances(seen, np.array([10.0, -10.0]), np.zeros(2)) is None


# --- four deals, the sum counts; seat 2, of side 0, leads ---


def test_the_last_deal_decides_the_match_by_the_sum() -> None:
    seen = four_deal_view((180.0, 162.0), 3)
    assert odds(seen, np.array([-40.0, -18.0, -10.0, 20.0])) == (0 + 0.5 + 1 + 1) / 4


def test_earlier_deals_leave_room_for_the_others() -> None:
    level = four_deal_view((0.0, 0.0), 0)
    assert odds(level, ZERO) == 0.5
    assert odds(level, np.array([[0.0, 0.0], [-2.0, 2.0]])) == pytest.approx([0.5, 0.5])
    assert odds(level, np.array([37.0 * math.sqrt(3)])) == pytest.approx(0.8413, abs=1e-4)
    later = odds(four_deal_view((100.0, 128.0), 2), np.array([65.0]))
    assert later == pytest.approx(0.8413, abs=1e-4)


def test_a_search_tells_the_chance_to_win_the_match() -> None:
    seen = four_deal_view((200.0, 142.0), 3)
    answer = search(seen.observation, Budget(iterations=500), seed=1)
    for item in answer.moves:
        assert item.match_win_probability is not None
        assert item.match_win_probability >= item.win_probability


# --- a race to 800; seat 2, of side 0, leads ---


def race(own: float, other: float, sample: float, total: float) -> float:
    """Returns the chance of side 0 after a deal that brings the sides `total` points, `sample` more to side 0."""
    return float(odds(leader_view("ottocento", {}, (own, other), 4), np.array([sample]), total))


@pytest.mark.parametrize(
    ("own", "other", "sample", "total", "chance"),
    [
        (700, 300, 100, 300, 1.0),
        (700, 300, -100, 700, 1.0),  # 1000 against 700
        (500, 700, -200, 300, 0.0),
        (700, 600, -200, 400, 0.0),  # 800 against 900: both there, the higher wins
        (700, 700, 0, 300, None),  # 850 each: another deal
        (800, 800, 0, 0, None),
        (799, 0, 1, 1, 1.0),  # by a declaration
        (0, 790, -10, 10, 0.0),
    ],
)
def test_a_race_that_is_decided_is_certain(own: int, other: int, sample: int, total: int, chance: float | None) -> None:
    found = race(own, other, sample, total)
    if chance is None:
        assert found == race(800, 800, 0, 0)
        assert 0.5 < found < 0.8, "whoever deals next is ahead"
    else:
        assert found == chance


def test_what_one_side_has_the_other_has_not() -> None:
    """Seat 1 deals, so side 0 deals next: seen from the other side the same scores and cards leave the rest."""
    steps = [float(points) for points in range(0, 800, 50)]
    for own in steps:
        chances = [race(own, other, 0.0, 0.0) for other in steps]
        assert all(0.0 < chance < 1.0 for chance in chances)
        assert chances == sorted(chances, reverse=True)
        for other, chance in zip(steps, chances, strict=True):
            of_other = odds(leader_view("ottocento", {}, (own, other), 4, seat=1), np.zeros(1), 0.0)
            assert chance + float(of_other) == pytest.approx(1.0, abs=1e-5)


def test_to_deal_next_is_worth_something_in_a_race() -> None:
    for points in (0.0, 300.0, 600.0, 700.0):
        assert 0.5 < race(points, points, 0.0, 0.0) < 0.7


def test_every_point_helps() -> None:
    seen = leader_view("ottocento", {}, (), 0)
    scores = np.arange(0.0, 800.0)
    for other in (0.0, 130.0, 400.0, 611.0, 798.0):
        chances = odds(seen, (scores - other)[:, np.newaxis], (scores + other)[:, np.newaxis])
        assert np.all(np.diff(chances) >= 0.0)
        assert chances[-1] > chances[0]


# --- a session of three seats ---


def session_view(scores: tuple[float, ...], played: int, seat: int | None, payment: str = "each_wins") -> View:
    """Returns the view of a seat that leads, where seat `seat` plays alone; with None of the first seat to bid."""
    state = new_deal(get_variant("terziglio", {"payment": payment}), 1, 2, Standing(scores, played))
    if seat is None:
        return view(state.observe(0))
    for bidder in range(3):
        if state.phase is Phase.BID:
            state = state.apply_move(Bid(Call.SOLO if bidder == seat else Call.PASS))
    return view(state.observe(0))


@pytest.mark.parametrize(
    ("scores", "declarer", "sample", "chance"),
    [
        ((10, 5, 5), 0, 8, 1.0),
        ((10, 5, 5), 0, -4, 1.0),  # the defenders come to 9
        ((10, 5, 5), 0, -5, 0.5),
        ((10, 5, 5), 0, -6, 0.0),
        ((0, 9, 0), 0, 8, 0.0),
        ((0, 8, 8), 0, 8, 0.5),
        # seat 0 defends with seat 2 and gains what it gains: a sample is half of that
        ((5, 9, 0), 1, 2.5, 1.0),  # 10, 9, 5
        ((5, 9, 0), 1, 2, 0.5),
        ((5, 9, 6), 1, 5, 0.0),  # 15, 9, 16
        ((5, 9, 5), 1, 5, 0.5),
        ((5, 1, 4), 1, -2, 0.5),  # 5, 5, 4
        ((5, 1, 4), 1, -2.5, 0.0),
        ((5, 1, 4), 1, -1, 1.0),
    ],
)
def test_the_last_deal_decides_a_session(
    scores: tuple[float, ...], declarer: int, sample: float, chance: float
) -> None:
    assert odds(session_view(scores, 8, declarer), np.array([sample])) == chance


@pytest.mark.parametrize(
    ("scores", "declarer", "sample", "chance"),
    [
        ((0, 11, -11), 0, 12, 1.0),  # 8, 7, -15
        ((0, 12, -12), 0, 12, 0.5),
        ((0, 13, -13), 0, 12, 0.0),
        ((0, 11, -11), 1, 6, 1.0),  # 4, 3, -7
        ((0, 12, -12), 1, 6, 0.5),
        ((0, -1, 1), 1, 6, 0.0),  # 4, -9, 5
    ],
)
def test_payments_between_the_seats_are_counted(
    scores: tuple[float, ...], declarer: int, sample: float, chance: float
) -> None:
    assert odds(session_view(scores, 8, declarer, "zero_sum"), np.array([sample])) == chance


def test_earlier_deals_of_a_session_leave_it_open() -> None:
    level = odds(session_view((0, 0, 0), 0, None), ZERO)
    assert level == pytest.approx(1 / 3, abs=0.03)
    ahead = [float(odds(session_view((points, 20, 20), 5, 0), ZERO)) for points in range(0, 80, 5)]
    assert ahead == sorted(ahead)
    assert ahead[0] < 0.1
    assert ahead[-1] > 0.9
    gains = [float(odds(session_view((20, 20, 20), 5, 1), np.array([gain]))) for gain in np.arange(-10.0, 10.5)]
    assert gains == sorted(gains)


@pytest.mark.parametrize(("payment", "times"), [("each_wins", 1.0), ("zero_sum", 3.0)])
def test_the_gap_between_two_seats_spreads_as_measured(payment: str, times: float) -> None:
    """One standard deviation of one deal, which is three times as much where the losers pay."""
    lead = times * get_variant("terziglio").deal_spread
    third = 0.0 if payment == "each_wins" else -400.0 - lead
    seen = session_view((200.0 + lead, 200.0, third), 7, 0, payment)
    assert odds(seen, ZERO) == pytest.approx(0.8413, abs=0.03)


def test_a_hopeless_or_certain_session_is_told_so_from_the_first_bid() -> None:
    for scores, chance in (((300.0, 0.0, 0.0), 1.0), ((0.0, 300.0, 0.0), 0.0)):
        answer = search(session_view(scores, 8, None).observation, Budget(iterations=300), seed=1)
        assert {item.match_win_probability for item in answer.moves} == {chance}
