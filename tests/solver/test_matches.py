"""Whole matches of every variant played by the search with tiny budgets: every move legal, every number sane."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from dealing import COSTLY_RULES, RULES
from tarocchi_engine import Call, Ending, Match, Phase, Signal, State, Variant, get_variant, new_deal, view
from tarocchi_engine.moves import Bid, CallOut, Declare, Discard, Move, Play
from tarocchi_engine.options import options_of
from tarocchi_solver.search import Budget, Recommendation, search
from tarocchi_solver.search.decision import MAX_DECLARATIONS

EVERY_OPTION = {
    f"{name}-{info.name}={value}": get_variant(name, {info.name: str(value)})
    for name in ("ottocento", "terziglio", "piedicavallo")
    for info in options_of(RULES[name])
    for value in info.values
    if value != info.default
}


def check_answer(state: State, answer: Recommendation) -> None:
    """Checks that an answer is about the legal moves, and that its numbers are consistent."""
    legal = state.legal_moves()
    moves = [item.move for item in answer.moves]
    assert answer.move == moves[0]
    assert len(set(moves)) == len(moves)
    assert [item.rank for item in answer.moves] == list(range(1, len(moves) + 1))
    if state.phase in (Phase.DECLARE, Phase.CALL_OUT) and len(legal) > MAX_DECLARATIONS:
        assert set(moves) < set(legal)
        assert len(moves) == MAX_DECLARATIONS
        assert {legal[0], legal[-1]} <= set(moves), "everything, and nothing"
    elif state.phase is Phase.DISCARD and len(legal) < state.legal_move_count:
        for move in moves:
            assert isinstance(move, Discard)
            state.variant.check_discard(state.hands[state.table.turn], move.cards or 0)
    else:
        assert set(moves) == set(legal)
    most = 2000 if not state.variant.seats_score_alone else 120 * state.variant.game_factor
    for item in answer.moves:
        assert abs(item.expected_score) <= most
        assert item.standard_error >= 0.0
        assert 0.0 <= item.win_probability <= 1.0
        assert (item.match_win_probability is None) == (state.variant.match_deal_count == 1)
        assert 0.0 <= (item.match_win_probability or 0.0) <= 1.0
        assert item.principal_variation[0].move == item.move
        assert item.worlds >= 1
        assert answer.exact or item.visits >= item.worlds
    assert answer.moves[0].difference_to_best == 0.0


def play_match(variant: Variant, seed: int, iterations: int, max_deals: int) -> Counter[str]:
    """Plays a match, or its first deals, and returns what happened in it."""
    rng = random.Random(f"{variant.name} {seed}")
    match = Match(variant, rng.randrange(variant.seat_count))
    met: Counter[str] = Counter()
    while not match.is_over and met["deals"] < max_deals:
        state = new_deal(variant, rng.getrandbits(60), match.dealer, match.standing)
        while state.turn is not None:
            seen = view(state.observe(state.turn))
            answer = search(seen.observation, Budget(iterations=iterations), seed=rng.getrandbits(60))
            check_answer(state, answer)
            # a move at random now and then, for positions that good play never comes to
            moves = state.legal_moves()
            move: Move = answer.move if rng.random() < 0.7 else rng.choice(moves)
            met[str(type(move).__name__)] += 1
            met.update(_marks(move))
            state = state.apply_move(move)
        met["deals"] += 1
        met[str(state.table.ending)] += 1
        match = match.after(state.score())
    return met


def _marks(move: Move) -> list[str]:
    match move:
        case Bid(call):
            return [f"bid {call}"]
        case Play(_, signal) if signal is not None:
            return [str(signal)]
        case Declare(cards) | CallOut(cards) if cards:
            return ["shown"]
        case _:
            return []


@pytest.mark.parametrize("name", COSTLY_RULES)
def test_whole_matches_are_played_by_the_rules(name: str) -> None:
    met: Counter[str] = Counter()
    for seed in (0, 4):  # of matches in which all kinds of calls and signals occur
        met += play_match(RULES[name], seed, 30, 9)
    assert met["Play"] > 60
    if name == "terziglio":
        assert min(met[f"bid {call}"] for call in Call) > 0
    if name in ("ottocento", "terziglio"):
        assert min(met[signal] for signal in Signal) > 0
        assert met["shown"] > 0
        assert met["Give"] > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("round_index", range(10))
def test_a_hundred_matches_are_played_by_the_rules(name: str, round_index: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(10):
        met += play_match(RULES[name], 100 + 10 * round_index + seed, 30, 100)
    if name == "ottocento":
        assert met[Ending.DECLARATION] > 0


@pytest.mark.parametrize("name", EVERY_OPTION)
def test_every_option_can_be_played(name: str) -> None:
    assert play_match(EVERY_OPTION[name], 3, 20, 1)["deals"] == 1
