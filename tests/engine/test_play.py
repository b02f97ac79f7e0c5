"""The playout rule and the playouts: what the rule gives and keeps, and that both play whole legal deals."""

from __future__ import annotations

import numpy as np
import pytest

from dealing import RULES, first_with_cards, random_states
from tarocchi_engine.cards import BOLOGNESE_PACK, FIRST_TRUMP, MATTO, lane_of
from tarocchi_engine.layout import BEST, HANDS, LAST_SIDE, LED, LENGTH, NO_CARD, PILES, TRICKS_LEFT, TURN, WINNER
from tarocchi_engine.play import PLAYOUT_RANDOM, PLAYOUT_RULE, choose_by_rule, legal_cards, playout
from tarocchi_engine.position import make_position
from tarocchi_engine.variants import VARIANTS

PACK = BOLOGNESE_PACK


def rule_choice(hand: str, trick: str, winner: int, seat: int, draw: int = 1) -> str:
    """Returns what the rule plays for `seat` from `hand` when `winner` has the trick; all cards of it follow suit."""
    state = random_states(VARIANTS["bolognese"], "rule")[1]
    position = make_position(state.table, [0] * 4, 0)
    cards = [PACK.parse_card(card) for card in trick.split()]
    position[HANDS + seat] = PACK.parse_cards(hand.split())
    position[TURN] = seat
    position[WINNER] = winner
    position[LENGTH] = len(cards)
    position[LED] = lane_of(cards[0]) if cards else lane_of(MATTO)
    position[BEST] = max(cards, key=lambda card: (card >= FIRST_TRUMP, card)) if cards else NO_CARD
    legal = legal_cards(position[HANDS + seat], position[LED])
    return PACK.format_card(int(choose_by_rule(position, legal, np.uint64(draw))))


def test_last_behind_a_winning_partner_gives_the_richest_card() -> None:
    assert rule_choice("SQ S9 SJ", "S8 SK S7", winner=2, seat=0) == "SQ"


def test_last_takes_with_the_richest_card_that_wins() -> None:
    assert rule_choice("SK SN S9", "S8 SJ S7", winner=1, seat=0) == "SK"


def test_before_the_last_the_highest_of_the_suit_is_played() -> None:
    assert rule_choice("SK SQ S9", "S8", winner=3, seat=0) == "SK"


def test_a_suit_is_ruffed_with_the_lowest_trump_that_wins() -> None:
    assert rule_choice("T16 T7 CK", "S8", winner=3, seat=0) == "T7"


def test_without_a_chance_the_poorest_card_goes() -> None:
    assert rule_choice("SQ S7 SJ", "SK", winner=3, seat=0) == "S7"


def test_the_matto_saves_a_dear_card_and_is_kept_otherwise() -> None:
    assert rule_choice("SQ MAT", "SK", winner=3, seat=0) == "MAT"
    assert rule_choice("S7 MAT", "SK", winner=3, seat=0) == "S7"
    for draw in range(20):
        assert rule_choice("S7 C9 MAT", "", winner=0, seat=0, draw=draw << 59) != "MAT"


def test_the_matto_is_played_when_nothing_else_is_left() -> None:
    assert rule_choice("MAT", "SK", winner=3, seat=0) == "MAT"


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("policy", [PLAYOUT_RANDOM, PLAYOUT_RULE])
def test_playouts_end_with_all_cards_in_the_piles(name: str, policy: int) -> None:
    stream = np.array([7], dtype=np.uint64)
    piles = np.zeros(2, dtype=np.uint64)
    for state in first_with_cards(random_states(RULES[name], "playout")):
        position = make_position(state.table, list(state.hands), state.aside)
        playout(position, piles, stream, policy)
        assert not position[HANDS : HANDS + 4].any()
        assert position[TRICKS_LEFT] == 0
        taken = int(position[PILES]) | int(position[PILES + 1]) | state.aside
        assert taken.bit_count() == 62
        assert int(piles[0]) & int(piles[1]) == 0
        assert (int(piles[0]) | int(piles[1])).bit_count() == 62
        assert int(position[LAST_SIDE]) in (0, 1)


@pytest.mark.parametrize("name", RULES)
def test_a_stream_gives_the_same_playouts_again(name: str) -> None:
    state = first_with_cards(random_states(RULES[name], "again"))[0]
    position = make_position(state.table, list(state.hands), state.aside)
    piles = np.zeros(2, dtype=np.uint64)
    results = [
        [playout(position.copy(), piles, stream, policy) for policy in (PLAYOUT_RANDOM, PLAYOUT_RULE) for _ in range(5)]
        for stream in (np.array([3], dtype=np.uint64), np.array([3], dtype=np.uint64), np.array([4], dtype=np.uint64))
    ]
    assert results[0] == results[1]
    assert results[0] != results[2]
