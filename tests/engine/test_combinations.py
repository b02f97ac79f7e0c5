"""Sets and sequences of the kernels against the referee, two old formulas and the laws of section 5."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import naive
from naive.bolognese import settlement_card as referees_settlement_card
from naive.combos import FAMILIES, ROWS
from naive.oracles import barilli_sets, pisarri_grande
from tarocchi_engine.cards import ALL_MASK, BOLOGNESE_PACK, CARD_COUNT, MATTO_MASK, cards_in
from tarocchi_engine.combinations import (
    FAMILY_NAMES,
    ROW_NAMES,
    combination_items,
    combination_points,
    family_sequence,
    set_points,
    used_cards,
    wild_count,
)
from tarocchi_engine.layout import NO_CARD
from tarocchi_engine.scoring import settlement_card

parse = BOLOGNESE_PACK.parse_cards
names = BOLOGNESE_PACK.format_mask
RICH = sum(
    parse(cards)
    for cards in (
        ["ANG", "MON", "SOL", "LUN", "BEG", "MAT", "MO1", "MO2", "MO3"],
        ["SK", "SQ", "SN", "BK", "BQ", "CK", "CN", "DK", "DJ", "SA", "BA", "CA"],
    )
)
GRANDE_TRUMPS = parse(["ANG", "MON", "SOL", "LUN", *(f"T{number}" for number in range(5, 17)), "BEG", "MAT"])
GRANDE = FAMILY_NAMES.index("grande")


def random_masks(seed: str, count: int) -> Iterator[int]:
    """Yields sets of every size, half of them rich in cards that combine."""
    rng = random.Random(seed)
    for index in range(count):
        share = rng.random()
        likely = (0, RICH, 0, GRANDE_TRUMPS)[index % 4]
        yield sum(1 << card for card in range(CARD_COUNT) if rng.random() < (0.85 if likely >> card & 1 else share))


def points(mask: int) -> int:
    return int(combination_points(np.uint64(mask)))


def test_names_are_the_referees() -> None:
    assert tuple(ROWS) == ROW_NAMES
    assert set(FAMILY_NAMES) == set(FAMILIES)


def test_points_items_and_used_cards_are_the_referees() -> None:
    scoring = 0
    for mask in random_masks("referee", 2500):
        cards = names(mask)
        assert points(mask) == naive.combo(cards)
        assert names(int(used_cards(np.uint64(mask)))) == naive.used(cards)
        assert combination_items(mask) == (naive.sets(cards), naive.sequences(cards))
        scoring += points(mask) > 0
    assert scoring > 1500


def test_extremes() -> None:
    assert points(0) == 0
    assert points(ALL_MASK) == 846
    assert int(used_cards(np.uint64(0))) == 0
    assert points(parse(["ANG", "MON", "BEG", "MAT"])) == 36 + 15


def test_points_never_fall_when_a_card_is_added() -> None:
    rng = random.Random("growth")
    for _ in range(150):
        mask = before = 0
        for card in rng.sample(range(CARD_COUNT), CARD_COUNT):
            mask |= 1 << card
            after = points(mask)
            assert before <= after <= 846
            before = after
        assert before == 846


def test_used_cards_score_the_same_and_use_themselves_up() -> None:
    for mask in random_masks("used", 2000):
        used = int(used_cards(np.uint64(mask)))
        assert not used & ~mask
        assert points(used) == points(mask)
        assert int(used_cards(np.uint64(used))) == used


def test_grande_is_pisarris() -> None:
    for mask in random_masks("pisarri", 3000):
        assert grande_points(mask | parse(["ANG"])) == pisarri_grande(names(mask | parse(["ANG"])))
        assert grande_points(mask & ~parse(["ANG"])) == 0


def grande_points(mask: int) -> int:
    word = np.uint64(mask)
    wild = int(wild_count(word))
    real = int(family_sequence(word, GRANDE, wild))
    return 5 * (real.bit_count() + wild - 1) if real else 0


@pytest.mark.exhaustive
def test_grande_is_pisarris_for_all_655360_holdings() -> None:
    """Every set of the trumps that matter; of the equal Moors only how many."""
    free = list(cards_in(GRANDE_TRUMPS & ~parse(["ANG"])))
    moors = [parse([f"MO{number}" for number in range(1, count + 1)]) for count in range(5)]
    count = 0
    for held in product((False, True), repeat=len(free)):
        trumps = parse(["ANG"]) | sum(1 << card for card, here in zip(free, held, strict=True) if here)
        for some in moors:
            assert grande_points(trumps | some) == pisarri_grande(names(trumps | some))
            count += 1
    assert count == 655_360


def test_sets_are_barillis() -> None:
    for mask in random_masks("barilli", 2000):
        undoubled = sum(int(set_points(np.uint64(mask), row)) for row in range(5))
        assert undoubled == barilli_sets(names(mask))


def test_the_card_given_for_the_matto_is_the_referees() -> None:
    rng = random.Random("settlement")
    for index in range(250):
        share = rng.random() * (0.2 if index % 3 else 1)
        giver = sum(1 << card for card in range(CARD_COUNT) if rng.random() < share) | MATTO_MASK
        if index % 3 == 0:
            giver &= RICH
        receiver = ALL_MASK & ~giver
        given = int(settlement_card(np.uint64(giver), np.uint64(receiver)))
        expected = referees_settlement_card(set(names(giver)), set(names(receiver))) if giver != MATTO_MASK else None
        assert (None if given == NO_CARD else BOLOGNESE_PACK.format_card(given)) == expected
    assert int(settlement_card(np.uint64(MATTO_MASK), np.uint64(ALL_MASK ^ MATTO_MASK))) == NO_CARD
