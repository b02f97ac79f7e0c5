"""Tests of the naive referee: the worked cases, the packs, tricks and discards."""

import math
from random import Random
from typing import Any

import pytest

from naive import (
    BOLOGNESE,
    PACKS,
    PIEDICAVALLO,
    VARIANTS,
    discard_verdict,
    legal_discards,
    legal_plays,
    trick_winner,
)
from naive.bolognese import GIVE_ORDER
from naive.cards import MATTO, is_trump, strength_of, suit_of, value_of
from naive.conformance import ANSWERS, answer_case, load_cases
from naive.oracles import (
    count_piedicavallo_discards,
)

PACK = PACKS[BOLOGNESE]

CASES = [
    pytest.param(variant, case, id=f"{variant}-{case['id']}") for variant in VARIANTS for case in load_cases(variant)
]


@pytest.mark.parametrize(("variant", "case"), CASES)
def test_worked_case(variant: str, case: dict[str, Any]) -> None:
    assert answer_case(variant, case) == case["expected"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_worked_cases_cover_every_kind(variant: str) -> None:
    kinds = {case["kind"] for case in load_cases(variant)}
    assert kinds == set(ANSWERS[variant])


@pytest.mark.parametrize("variant", VARIANTS)
def test_pack_has_62_different_cards(variant: str) -> None:
    assert len(PACKS[variant]) == len(set(PACKS[variant])) == 62


def test_bolognese_index_order() -> None:
    by_index = {0: "ANG", 4: "T16", 15: "T5", 16: "MO1", 20: "BEG", 21: "MAT", 22: "SK", 31: "SA", 36: "B10"}
    by_index |= {42: "CK", 46: "CA", 51: "C10", 61: "D10"}
    assert {index: PACK[index] for index in by_index} == by_index


def test_give_order_is_the_pack_without_the_matto() -> None:
    assert sorted(GIVE_ORDER) == sorted(set(PACK) - {MATTO})


@pytest.mark.parametrize("variant", VARIANTS)
def test_trick_winner_beats_every_other_card(variant: str) -> None:
    rng = Random(f"tricks of {variant}")
    for _ in range(2000):
        trick = rng.sample(PACKS[variant], rng.choice((2, 3, 4)))
        place = trick_winner(variant, trick)
        assert place is not None
        best = trick[place]
        led = next(card for card in trick if card != MATTO)
        assert best != MATTO
        assert suit_of(variant, best) in ("T", suit_of(variant, led))
        for other_place, card in enumerate(trick):
            if card != MATTO and suit_of(variant, card) == suit_of(variant, best) and other_place != place:
                stronger = strength_of(variant, best) - strength_of(variant, card)
                assert stronger > 0 or (stronger == 0 and other_place < place)
            assert not (is_trump(variant, card) and not is_trump(variant, best))


@pytest.mark.parametrize("variant", VARIANTS)
def test_matto_alone_wins_nothing_and_frees_the_next_player(variant: str) -> None:
    assert trick_winner(variant, [MATTO]) is None
    hand = PACKS[variant][:5]
    assert legal_plays(variant, hand, [MATTO]) == hand


def test_bolognese_discards_are_the_pairs_of_free_cards() -> None:
    rng = Random("bolognese discards")
    for _ in range(40):
        hand = rng.sample(PACK, 17)
        free = [card for card in hand if value_of(BOLOGNESE, card) < 5]
        assert len(free) >= 9
        assert len(legal_discards(BOLOGNESE, hand)) == math.comb(len(free), 2)


def piedicavallo_hand(rng: Random, plain_cards: int) -> list[str]:
    """Returns 17 cards with so many plain cards, the others trumps, Kings and the Matto."""
    pack = PACKS[PIEDICAVALLO]
    plain = [card for card in pack if suit_of(PIEDICAVALLO, card) in "SBCD" and card[1:] != "K"]
    others = [card for card in pack if card not in plain]
    return rng.sample(plain, plain_cards) + rng.sample(others, 17 - plain_cards)


@pytest.mark.parametrize("plain_cards", [0, 1, 2, 5, 9, 14, 15, 16, 17])
def test_piedicavallo_discards_agree_with_the_closed_count(plain_cards: int) -> None:
    rng = Random(f"{plain_cards} plain cards")
    for _ in range(30):
        hand = piedicavallo_hand(rng, plain_cards)
        discards = legal_discards(PIEDICAVALLO, hand)
        assert len(discards) == count_piedicavallo_discards(hand) >= 1
        assert all(2 <= sum(value_of(PIEDICAVALLO, card) for card in pair) <= 8 for pair in discards)


def test_malformed_discards_are_refused() -> None:
    hand = PACK[22:39]
    for variant in VARIANTS:
        assert discard_verdict(variant, hand, ["S9"]).reason == "wrong_number_of_cards"
        assert discard_verdict(variant, hand, ["S9", "S9"]).reason == "wrong_number_of_cards"
        assert discard_verdict(variant, hand, ["S9", "D6"]).reason == "card_not_held"
