"""The engine against the slow referee: same legal moves, same tricks, same itemised scores on random deals."""

from __future__ import annotations

import random

import pytest

import naive
from naive.deal import NaiveDeal
from tarocchi_engine.moves import Declare, Discard, Move, Play
from tarocchi_engine.state import State
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants import VARIANTS, get_variant

DEALS_IN_A_ROUND = 100


def to_referee(variant: Variant, move: Move) -> tuple[str, object]:
    """Returns the referee's form of a move."""
    names = variant.pack.format_mask
    match move:
        case Discard(cards):
            return "discard", frozenset(names(cards or 0))
        case Declare(cards):
            return "declare", frozenset(names(cards))
        case Play(card):
            return "play", variant.pack.format_card(card)


def play_both(variant: Variant, rng: random.Random, lopsided: bool) -> None:
    """Plays one deal in the engine and in the referee and compares everything that either can tell."""
    dealer, hands = naive.lopsided_deal(variant.name, rng) if lopsided else naive.random_deal(variant.name, rng)
    referee = NaiveDeal(variant.name, dealer, hands)
    state = State.new(variant, dealer, [variant.pack.parse_cards(hand) for hand in hands])
    keep_matto = rng.random() < 0.5
    while state.turn is not None:
        assert (state.turn, str(state.phase)) == (referee.turn(), referee.phase())
        moves = {to_referee(variant, move): move for move in state.legal_moves()}
        expected = referee.legal_moves()
        assert set(moves) == set(expected)
        assert len(moves) == len(expected)
        choices = sorted(moves, key=repr)
        if keep_matto and len(choices) > 1:
            choices = [choice for choice in choices if choice != ("play", "MAT")]
        chosen = rng.choice(choices)
        referee.apply(chosen)
        state = state.apply_move(moves[chosen])
    assert referee.phase() == "end"
    assert [trick.winner for trick in state.tricks] == list(referee.winners)
    assert itemised(state) == expected_items(variant, referee)


def itemised(state: State) -> dict[str, object]:
    """Returns the engine's count in the referee's words."""
    score = state.score()
    names = state.variant.pack.format_mask
    given = score.matto_card
    return {
        "totals": [side.total for side in score.sides],
        "card_points": [side.card_points for side in score.sides],
        "last_trick": [side.last_trick for side in score.sides],
        "sets": [side.sets for side in score.sides],
        "sets_total": [side.sets_total for side in score.sides],
        "sequences": [side.sequences for side in score.sides],
        "sequences_total": [side.sequences_total for side in score.sides],
        "declared_points": [side.declarations for side in score.sides],
        "tricks": [side.trick_count for side in score.sides],
        "piles": [set(names(side.pile)) for side in score.sides],
        "matto": (score.matto_side, None if given is None else state.variant.pack.format_card(given)),
        "discard_owner": score.discard_side,
        "result": "tie" if score.winner is None else score.winner,
    }


def expected_items(variant: Variant, referee: NaiveDeal) -> dict[str, object]:
    """Returns the referee's count, flattened."""
    score = referee.score()
    return {
        "totals": [float(total) for total in score["totals"]],
        "card_points": [float(points) for points in score["card_points"]],
        "last_trick": [float(points) for points in score["last_trick"]],
        "sets": [dict(item["rows"]) for item in score["sets"]],
        "sets_total": [item["total"] for item in score["sets"]],
        "sequences": [dict(item["families"]) for item in score["sequences"]],
        "sequences_total": [item["total"] for item in score["sequences"]],
        "declared_points": list(score["declared_points"]),
        "tricks": list(score["tricks"]),
        "piles": [set(pile) for pile in score["piles"]],
        "matto": (score["matto"]["kept_by"], score["matto"]["transferred_card"]),
        "discard_owner": score["discard"]["owner"],
        "result": score["result"],
    }


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("lopsided", [False, True], ids=["even", "lopsided"])
def test_random_deals(name: str, lopsided: bool) -> None:
    variant = get_variant(name)
    for index in range(DEALS_IN_A_ROUND):
        play_both(variant, random.Random(f"{name}/{lopsided}/{index}"), lopsided)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("round_index", range(100))
def test_many_random_deals(name: str, round_index: int) -> None:
    """100 rounds make 20,000 deals of each variant, a quarter of them lopsided."""
    variant = get_variant(name)
    for index in range(2 * DEALS_IN_A_ROUND):
        play_both(variant, random.Random(f"{name}/{round_index}/{index}"), index % 4 == 0)
