"""The packs: 62 cards, their points and order, and the tables that the kernels make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import naive
from naive.cards import total_value
from tarocchi_engine.cards import (
    ALL_MASK,
    BOLOGNESE_PACK,
    CARD_COUNT,
    JACK_MASK,
    KING_MASK,
    KNIGHT_MASK,
    MATTO,
    MATTO_MASK,
    PACKS,
    PIEDMONTESE_PACK,
    QUEEN_MASK,
    SUIT_CARDS_MASK,
    SUITS,
    TRUMP_MASK,
    Pack,
    RepeatedCardError,
    UnknownCardError,
    cards_in,
    lane_of,
    suit_mask,
)
from tarocchi_engine.layout import BEATEN_BY, LED_LANE, NO_CARD
from tarocchi_engine.variants import VARIANTS

PACK_OF = {"bolognese": BOLOGNESE_PACK, "piedicavallo": PIEDMONTESE_PACK}

each_pack = pytest.mark.parametrize(("name", "pack"), PACK_OF.items(), ids=list(PACK_OF))


@each_pack
def test_packs_hold_the_referees_cards(name: str, pack: Pack) -> None:
    assert len(pack.ids) == len(set(pack.ids)) == CARD_COUNT == 62
    assert [pack.ids[card] for card in pack.display_order] == naive.PACKS[name]
    assert PACKS[pack.index] is pack
    assert VARIANTS[name].pack is pack
    for card, card_id in enumerate(pack.ids):
        assert pack.suit_of(card) == naive.suit_of(name, card_id)
        assert pack.points[card] == naive.value_of(name, card_id)


@each_pack
def test_strengths_rank_cards_like_the_referee(name: str, pack: Pack) -> None:
    assert pack.strength(MATTO) == 0
    for lane in (*map(suit_mask, range(4)), TRUMP_MASK):
        assert min(pack.strength(card) for card in cards_in(lane)) == 1
        for first in cards_in(lane):
            for second in cards_in(lane):
                engine = pack.strength(first) - pack.strength(second)
                referee = naive.strength_of(name, pack.ids[first]) - naive.strength_of(name, pack.ids[second])
                assert (engine > 0, engine == 0) == (referee > 0, referee == 0)


def test_points_of_the_packs() -> None:
    assert sum(BOLOGNESE_PACK.points) == 118 == total_value("bolognese", naive.PACKS["bolognese"])
    assert sum(PIEDMONTESE_PACK.points) == 114
    kings = ["SK", "BK", "CK", "DK"]
    assert BOLOGNESE_PACK.format_mask(BOLOGNESE_PACK.five_point_mask) == ["ANG", "MON", "BEG", "MAT", *kings]
    assert PIEDMONTESE_PACK.format_mask(PIEDMONTESE_PACK.five_point_mask) == ["T21", "T1", "MAT", *kings]


def test_masks_partition_the_pack() -> None:
    lanes = [suit_mask(suit) for suit in range(4)]
    assert sum(lanes) == SUIT_CARDS_MASK
    assert SUIT_CARDS_MASK | TRUMP_MASK | MATTO_MASK == ALL_MASK
    assert SUIT_CARDS_MASK.bit_count() + TRUMP_MASK.bit_count() + 1 == CARD_COUNT
    for rank, mask in zip("KQNJ", (KING_MASK, QUEEN_MASK, KNIGHT_MASK, JACK_MASK), strict=True):
        for pack in PACKS:
            assert set(pack.format_mask(mask)) == {suit + rank for suit in SUITS}


def test_lanes() -> None:
    assert lane_of(MATTO) == ALL_MASK
    for card in range(MATTO):
        lane = lane_of(card)
        assert lane >> card & 1
        assert {BOLOGNESE_PACK.suit_of(other) for other in cards_in(lane)} == {BOLOGNESE_PACK.suit_of(card)}
        assert lane.bit_count() == (21 if card >= 40 else 10)
    assert [int(lane) for lane in LED_LANE[:CARD_COUNT]] == [lane_of(card) for card in range(CARD_COUNT)]


@each_pack
def test_two_cards_make_the_referees_trick(name: str, pack: Pack) -> None:
    """Every ordered pair of cards, by the pack and by the table of the kernels."""
    for first in range(MATTO):
        table = int(BEATEN_BY[64 * pack.index + first])
        assert table == pack.beaten_by(first)
        for second in range(CARD_COUNT):
            if first != second:
                winner = naive.trick_winner(name, [pack.ids[first], pack.ids[second]])
                assert table >> second & 1 == winner
        assert not table >> first & 1
    assert int(BEATEN_BY[64 * pack.index + NO_CARD]) == ALL_MASK & ~MATTO_MASK


@each_pack
def test_parsing_and_formatting_are_inverse(name: str, pack: Pack) -> None:
    for card, card_id in enumerate(pack.ids):
        assert pack.parse_card(card_id) == card
        assert pack.format_card(card) == card_id
        assert pack.format_mask(1 << card) == [card_id]
    assert pack.parse_cards(pack.format_mask(ALL_MASK)) == ALL_MASK
    assert pack.parse_cards([]) == 0
    assert list(cards_in(0b1011 << 58)) == [58, 59, 61]


@each_pack
@pytest.mark.parametrize("text", ["", "XX", "S1", "T22", "S11", "Sk", "SK ", "CC", "62", "MATTO"])
def test_other_texts_are_no_cards(name: str, pack: Pack, text: str) -> None:
    with pytest.raises(UnknownCardError) as caught:
        pack.parse_card(text)
    assert repr(text) in str(caught.value)
    assert pack.name in str(caught.value)


def test_near_misses_get_a_hint() -> None:
    with pytest.raises(UnknownCardError, match="did you mean 'SK'"):
        BOLOGNESE_PACK.parse_card(" sk")
    with pytest.raises(UnknownCardError) as caught:
        BOLOGNESE_PACK.parse_card("S5")
    assert "did you mean" not in str(caught.value)


def test_each_pack_refuses_the_others_cards() -> None:
    for card_id in ("S5", "C2", "T1", "T21"):
        assert PIEDMONTESE_PACK.parse_card(card_id) >= 0
        with pytest.raises(UnknownCardError):
            BOLOGNESE_PACK.parse_card(card_id)
    for card_id in ("SA", "C10", "ANG", "BEG", "MO1"):
        assert BOLOGNESE_PACK.parse_card(card_id) >= 0
        with pytest.raises(UnknownCardError):
            PIEDMONTESE_PACK.parse_card(card_id)


def test_a_card_twice_is_refused() -> None:
    with pytest.raises(RepeatedCardError, match="'SK' stands twice"):
        BOLOGNESE_PACK.parse_cards(["SK", "DK", "SK"])


@each_pack
def test_every_card_has_two_names_of_its_own(name: str, pack: Pack) -> None:
    for language in (0, 1):
        assert len({pack.names(card)[language] for card in range(CARD_COUNT)}) == CARD_COUNT
    assert pack.names(pack.parse_card("CN")) == ("Cavallo di coppe", "Knight of cups")
    assert pack.names(pack.parse_card("DA" if name == "bolognese" else "D2"))[1] in ("Ace of coins", "2 of coins")
    assert pack.names(MATTO) == ("Matto", "Fool")
    assert pack.names(pack.parse_card("T9")) == ("Tarocco 9", "Trump 9")


@pytest.mark.parametrize("number", [-1, 1 << 62, 1 << 64])
def test_numbers_that_are_no_sets_are_refused(number: int) -> None:
    """A negative number has no lowest card to end at."""
    with pytest.raises(ValueError, match="no set of cards"):
        list(cards_in(number))
    with pytest.raises(ValueError, match="no set of cards"):
        BOLOGNESE_PACK.format_mask(number)


@pytest.mark.parametrize("number", [-1, 62, 1000])
def test_numbers_that_are_no_cards_have_no_name(number: int) -> None:
    with pytest.raises(ValueError, match="no card"):
        BOLOGNESE_PACK.format_card(number)


@pytest.mark.parametrize("value", [None, "SK", ["SK"], 3.0])
def test_what_is_no_number_is_neither_a_card_nor_a_set(value: Any) -> None:
    with pytest.raises(TypeError, match="no set of cards: sets are integers"):
        list(cards_in(value))
    with pytest.raises(TypeError, match="no set of cards: sets are integers"):
        BOLOGNESE_PACK.format_mask(value)
    with pytest.raises(TypeError, match="no card: cards are the integers"):
        BOLOGNESE_PACK.format_card(value)


@pytest.mark.parametrize("value", ["SK BK", "SK", "", b"SK", b"", None, 7, [9], [None], [["SK"]]])
def test_what_is_no_list_of_ids_is_told_so(value: Any) -> None:
    """A text has letters to go through, but they are no cards; a text of none is no empty list."""
    with pytest.raises(TypeError, match=r"no list of ids: give a list like|no id of a card: ids are texts"):
        BOLOGNESE_PACK.parse_cards(value)


def test_integers_of_numpy_are_cards_and_sets() -> None:
    assert BOLOGNESE_PACK.format_card(np.int64(MATTO)) == "MAT"
    assert BOLOGNESE_PACK.format_mask(np.uint64(MATTO_MASK)) == ["MAT"]
