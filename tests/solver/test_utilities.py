"""What the choice goes by: points, the chance to win the deal, the chance to win the match."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import pytest

from tarocchi_bench.agents import parse_agent
from tarocchi_engine import Phase, Standing, State, View, get_variant, new_deal, view
from tarocchi_solver.search import Budget, Recommendation, SearchOptions, Utility, search
from tarocchi_solver.search.equity import SCALE, race_chances
from tarocchi_solver.search.match_odds import deals_next, match_win_chances
from tarocchi_solver.search.utilities import (
    make_utility,
    resolve,
    smoothing,
    utilities_of,
)

FOUR_DEALS = {"match": "four_deals"}


def states(
    name: str, options: Mapping[str, str], standing: Standing, seed: int, is_silent: bool = False
) -> Iterator[State]:
    """Yields the states of a deal played by the greedy agent, who declares nothing if it is silent."""
    agent = parse_agent("greedy")
    state = new_deal(get_variant(name, options), seed, seed % 4, standing)
    step = 0
    while state.turn is not None:
        yield state
        refuses = is_silent and state.phase in (Phase.DECLARE, Phase.CALL_OUT)
        move = state.legal_moves()[-1] if refuses else agent.choose(state.observe(state.turn), step)
        state = state.apply_move(move)
        step += 1


@cache
def view_with(
    name: str, tricks_left: int, scores: tuple[float, ...] = (), deals_played: int = 4, seed: int = 2
) -> View:
    options = FOUR_DEALS if name == "piedicavallo" else {}
    for state in states(name, options, Standing(scores, deals_played), seed, is_silent=True):
        if state.phase is Phase.PLAY and state.table.tricks_left == tricks_left:
            return view(state.observe(state.table.turn))
    raise AssertionError("the deal has no such state")


def worth(seen: View, utility: Utility, own: float, other: float, *, is_certain: bool = False) -> float:
    """Returns what a deal with these points is worth."""
    difference, both = np.array([2.0 * (own - other)]), np.array([2.0 * (own + other)])
    return float(utilities_of(make_utility(seen, utility), difference, both, is_certain=is_certain)[0])


@pytest.mark.parametrize(
    ("name", "options", "wanted", "found"),
    [
        ("bolognese", {}, Utility.AUTO, Utility.POINTS),
        ("bolognese", {}, Utility.MATCH, Utility.POINTS),
        ("bolognese", {}, Utility.WIN, Utility.WIN),
        ("ottocento", {}, Utility.AUTO, Utility.MATCH),
        ("ottocento", {}, Utility.POINTS, Utility.POINTS),
        ("piedicavallo", {}, Utility.AUTO, Utility.POINTS),
        ("piedicavallo", FOUR_DEALS, Utility.AUTO, Utility.MATCH),
        ("terziglio", {}, Utility.AUTO, Utility.POINTS),
        ("terziglio", {}, Utility.MATCH, Utility.MATCH),
    ],
)
def test_what_a_wish_means_in_a_game(name: str, options: Mapping[str, str], wanted: Utility, found: Utility) -> None:
    assert resolve(get_variant(name, options), wanted) is found


def test_points_are_worth_themselves() -> None:
    for name in ("ottocento", "piedicavallo"):
        seen = view_with(name, 5, (100.0, 128.0) if name == "piedicavallo" else (790.0, 790.0), 2)
        assert worth(seen, Utility.POINTS, 50, 64) == -28
        assert worth(seen, Utility.POINTS, 50, 64, is_certain=True) == -28


def test_a_sure_small_gain_beats_a_gamble_at_the_end_of_a_race() -> None:
    for tricks_left in (15, 9, 2):
        seen = view_with("ottocento", tricks_left, (790.0, 790.0))
        sure = worth(seen, Utility.MATCH, 220, 200)
        gamble = (worth(seen, Utility.MATCH, 400, 100) + worth(seen, Utility.MATCH, 100, 300)) / 2
        assert sure > gamble
        assert worth(seen, Utility.POINTS, 220, 200) < (2 * 300 - 2 * 200) / 2


def test_a_gamble_is_right_for_who_is_far_behind() -> None:
    seen = view_with("ottocento", 6, (300.0, 790.0))
    if seen.table.side_of(seen.seat) == 1:
        seen = view_with("ottocento", 6, (790.0, 300.0))
    sure = worth(seen, Utility.MATCH, 250, 240)
    gamble = 0.9 * worth(seen, Utility.MATCH, 100, 400) + 0.1 * worth(seen, Utility.MATCH, 600, 5)
    assert gamble > sure


def test_with_few_tricks_left_a_win_is_a_win() -> None:
    for tricks_left in (1, 2, 3):
        seen = view_with("ottocento", tricks_left, (600.0, 600.0))
        assert smoothing(seen) == 0.0
        assert worth(seen, Utility.MATCH, 201, 200) == SCALE
        assert worth(seen, Utility.MATCH, 200, 201) == 0
        assert worth(seen, Utility.WIN, 0, 1) == 0
        assert worth(seen, Utility.WIN, 1, 0) == SCALE
        assert worth(seen, Utility.WIN, 80, 80) == SCALE / 2
        own, other = np.array([640.0]), np.array([661.0])
        chance = race_chances(own, other, seen.variant, deals_next(seen))[0]
        assert worth(seen, Utility.MATCH, 40, 61) == pytest.approx(chance * SCALE)


def test_the_step_is_smooth_while_tricks_are_left() -> None:
    scales = [smoothing(view_with("ottocento", tricks_left, (600.0, 600.0))) for tricks_left in (15, 12, 9, 4, 3)]
    assert scales[0] == pytest.approx(325.0 / 3)
    assert scales == sorted(scales, reverse=True)
    seen = view_with("ottocento", 15, (600.0, 600.0))
    assert worth(seen, Utility.WIN, 100, 0) == pytest.approx(SCALE * (1 + math.tanh(100 / scales[0])) / 2, abs=1)
    assert worth(seen, Utility.MATCH, 300, 200) == worth(seen, Utility.WIN, 300, 200)
    assert SCALE / 2 < worth(seen, Utility.MATCH, 201, 200) < 0.51 * SCALE
    assert worth(seen, Utility.MATCH, 201, 0, is_certain=True) == SCALE, "a declaration leaves nothing open"
    assert worth(seen, Utility.MATCH, 10, 200, is_certain=True) == 0


def test_a_declaration_decides_by_the_scores_not_by_the_deal() -> None:
    """Both declare ten points: the side with 790 wins."""
    for scores in ((700.0, 790.0), (790.0, 700.0)):
        seen = view_with("ottocento", 15, scores)
        own = scores[seen.table.side_of(seen.seat)]
        assert worth(seen, Utility.MATCH, 10, 10, is_certain=True) == (SCALE if own == 790.0 else 0)


def test_the_last_deal_of_a_series_is_played_for_its_sum() -> None:
    for scores in ((190.0, 152.0), (152.0, 190.0)):
        seen = view_with("piedicavallo", 2, scores, 3)
        lead = scores[seen.table.side_of(seen.seat)] - 171.0
        just, level, short = ((114 - 2 * lead + step) / 2 for step in (2, 0, -2))
        values = [worth(seen, Utility.MATCH, points, 114 - points) for points in (just, level, short)]
        assert values == [SCALE, SCALE / 2, 0]


def test_utilities_of_a_match_agree_with_the_reported_chance() -> None:
    for name, scores, played in (("piedicavallo", (100.0, 128.0), 2), ("ottocento", (420.0, 610.0), 4)):
        seen = view_with(name, 3, scores, played)
        for own, other in ((80, 34), (57, 57), (20, 94), (300, 150), (100, 250)):
            difference, both = np.array([float(own - other)]), np.array([float(own + other)])
            chance = match_win_chances(seen, difference, both)
            assert chance is not None
            if name == "ottocento" or own + other == 114:
                assert worth(seen, Utility.MATCH, own, other) == pytest.approx(float(chance[0]) * SCALE, abs=1)


# --- whole searches ---


def answers(state: State, *utilities: Utility) -> list[Recommendation]:
    return [
        search(state.observe(state.table.turn), Budget(iterations=300), seed=3, options=SearchOptions(utility=utility))
        for utility in utilities
    ]


def exact_states(name: str, standing: Standing, count: int) -> Iterator[State]:
    """Yields decisions with two tricks left, where every answer is exact."""
    options = FOUR_DEALS if name == "piedicavallo" else {}
    for seed in range(count):
        for state in states(name, options, standing, seed):
            if state.phase is Phase.PLAY and state.table.tricks_left == 2 and len(state.legal_moves()) > 1:
                yield state


@pytest.mark.parametrize(
    ("name", "standing"),
    [("ottocento", Standing((560.0, 560.0), 3)), ("piedicavallo", Standing((171.0, 171.0), 3))],
)
def test_each_utility_chooses_the_best_by_its_own_measure(name: str, standing: Standing) -> None:
    differing = 0
    for state in exact_states(name, standing, 40):
        by_points, by_win, by_match, by_default = answers(
            state, Utility.POINTS, Utility.WIN, Utility.MATCH, Utility.AUTO
        )
        assert by_points.exact
        assert by_default == by_match
        best = max(item.expected_score for item in by_points.moves)
        assert by_points.moves[0].expected_score == pytest.approx(best)
        best = max(item.win_probability for item in by_win.moves)
        assert by_win.moves[0].win_probability == pytest.approx(best)
        chances = [item.match_win_probability or 0.0 for item in by_match.moves]
        assert chances[0] == pytest.approx(max(chances), abs=2 / SCALE)
        given_up = by_points.moves[0].expected_score - by_match.moves[0].expected_score
        assert given_up >= -1e-9
        equal = [
            item.expected_score for item, chance in zip(by_match.moves, chances, strict=True) if chance == chances[0]
        ]
        assert by_match.moves[0].expected_score >= max(equal) - 0.01, "points decide between equal chances"
        differing += given_up > 1e-9
    assert differing > 0, "no decision in which the match asks for another card than the points"


@pytest.mark.parametrize("name", ["bolognese", "piedicavallo"])
def test_a_single_deal_goes_by_points(name: str) -> None:
    state = next(state for state in states(name, {}, Standing(), 4) if state.phase is Phase.PLAY)
    by_default, by_points, by_match = answers(state, Utility.AUTO, Utility.POINTS, Utility.MATCH)
    assert by_default == by_points == by_match


def test_threads_do_not_change_what_a_match_asks_for() -> None:
    for name, scores, played in (("ottocento", (700.0, 620.0), 4), ("piedicavallo", (100.0, 128.0), 2)):
        observation = view_with(name, 8, scores, played).observation
        one, three = (search(observation, Budget(iterations=900), seed=5, threads=threads) for threads in (1, 3))
        assert one == three


def test_a_declaration_is_refused_to_nobody_by_the_match() -> None:
    """Whoever can win at once does, whatever the utility."""
    found = 0
    for seed in range(12):
        for state in states("ottocento", {}, Standing((795.0, 795.0), 4), seed):
            if state.phase not in (Phase.DECLARE, Phase.CALL_OUT) or len(state.legal_moves()) < 2:
                continue
            found += 1
            for answer in answers(state, Utility.POINTS, Utility.MATCH):
                assert answer.moves[0].match_win_probability == 1.0
                assert state.apply_move(answer.move).turn is None
    assert found > 3


def test_an_option_of_another_kind_is_refused() -> None:
    observation = view_with("ottocento", 8, (700.0, 620.0)).observation
    with pytest.raises(TypeError, match=r"options\.utility is 'match' of type str: give a Utility"):
        search(observation, options=SearchOptions(utility="match"))  # type: ignore[arg-type]
