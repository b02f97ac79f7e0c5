"""What kind of card each one is, as the learned models tell cards apart; tables for the kernels."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine.cards import (
    BOLOGNESE_PACK,
    CARD_COUNT,
    JACK_MASK,
    KING_MASK,
    KNIGHT_MASK,
    MATTO_MASK,
    PACKS,
    QUEEN_MASK,
    TRUMP_MASK,
    Pack,
)

RANKS: Final = 29

# the columns of CARD_KINDS
RANK: Final = 0  # 0 to 6 in a suit from the King down, 7 to 27 for each trump, 28 for the Matto
FIGURE: Final = 1  # 0 for a pip, 1 for a figure, 2 for a King, a trump or the Matto
POINTS: Final = 2  # the points of the card, less one
SET: Final = 3  # which set of equals it belongs to, NO_SET for none

NO_SET: Final = 6

_parse = BOLOGNESE_PACK.parse_cards


def _mask(names: list[str]) -> int:
    return int(_parse(names))


_ACES: Final = _mask(["SA", "BA", "CA", "DA"])
_MOORS: Final = _mask(["MO1", "MO2", "MO3", "MO4"])
_SET_CARDS: Final = (KING_MASK, QUEEN_MASK, KNIGHT_MASK, JACK_MASK, _mask(["ANG", "MON", "BEG", "MAT"]))
_FIGURES: Final = KING_MASK | QUEEN_MASK | KNIGHT_MASK | JACK_MASK
_HIGH: Final = KING_MASK | TRUMP_MASK | MATTO_MASK


def _rank(pack: Pack, card: int) -> int:
    if 1 << card & (TRUMP_MASK | MATTO_MASK):
        return card - 33
    place = card % 10
    if place >= 6:
        return 9 - place
    if pack is BOLOGNESE_PACK and 1 << card & _ACES:
        return 4
    return 5 if place <= 2 else 6


def _row(pack: Pack, card: int) -> tuple[int, int, int, int]:
    one = 1 << card
    figure = 2 if one & _HIGH else 1 if one & _FIGURES else 0
    number = next((row for row, cards in enumerate(_SET_CARDS) if one & cards), NO_SET)
    return _rank(pack, card), figure, int(pack.points[card]) - 1, 5 if one & (_ACES | _MOORS) else number


def _mates(card: int) -> int:
    return next((cards for cards in (*_SET_CARDS, _ACES, _MOORS) if 1 << card & cards), 0)


CARD_KINDS: Final[npt.NDArray[np.int64]] = np.array(
    [[_row(pack, card) for card in range(CARD_COUNT)] for pack in PACKS], dtype=np.int64
)
"""[packs, cards, columns]"""
MATES: Final[npt.NDArray[np.uint64]] = np.array([_mates(card) for card in range(CARD_COUNT)], dtype=np.uint64)
"""[cards]: the set of equals that a card belongs to, with itself; empty for none."""
