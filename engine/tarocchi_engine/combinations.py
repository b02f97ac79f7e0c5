"""Sets and sequences of the Bolognese pack: what a hand may declare and what a pile scores.

Sets (cricche): three or four of a row, 5.1 of the rules. Sequences: seven families, 5.2 and 5.3; the contatori
(Begato and Matto) count one card each in every scoring family. Three scoring sets double the sets, three scoring
sequences the sequences. All values are whole points.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.bits import bit, highest, popcount
from tarocchi_engine.cards import BOLOGNESE_PACK, JACK_MASK, KING_MASK, KNIGHT_MASK, QUEEN_MASK
from tarocchi_engine.compilation import kernel

ROW_NAMES: Final = ("tarocchi", "re", "regine", "cavalli", "fanti")
FAMILY_NAMES: Final = ("spade", "bastoni", "coppe", "denari", "mori", "assi", "grande")

_parse = BOLOGNESE_PACK.parse_cards
_ROWS = np.array([_parse(["ANG", "MON", "BEG", "MAT"]), KING_MASK, QUEEN_MASK, KNIGHT_MASK, JACK_MASK], dtype=np.uint64)
_ROW_VALUES = np.array([18, 17, 14, 13, 12], dtype=np.int64)

_1 = np.uint64(1)
_ACES = np.uint64(_parse(["SA", "BA", "CA", "DA"]))
_MOORS = np.uint64(_parse(["MO1", "MO2", "MO3", "MO4"]))
_CONTATORI = np.uint64(_parse(["BEG", "MAT"]))
_ANGEL = np.uint64(_parse(["ANG"]))
_TOP_THREE = np.uint64(_parse(["MON", "SOL", "LUN"]))
_KING_OF = np.array([_parse([f"{suit}K"]) for suit in "SBCD"], dtype=np.uint64)
_FIGURES_OF = np.array([_parse([f"{suit}Q", f"{suit}N", f"{suit}J"]) for suit in "SBCD"], dtype=np.uint64)
_ACE_OF = np.array([_parse([f"{suit}A"]) for suit in "SBCD"], dtype=np.uint64)
_FIVE = np.uint64(BOLOGNESE_PACK.parse_card("T5"))
_NUMBERS = np.uint64((1 << 12) - 1)
_NONE = np.uint64(0)
_FAR = np.uint64(99)


@kernel
def set_points(cards: Any, row: Any) -> Any:
    """Returns the points of one row before doubling: its value for three cards, twice that for four."""
    count = np.int64(popcount(cards & _ROWS[row]))
    return _ROW_VALUES[row] * max(count - 2, 0)


@kernel
def suit_sequence(cards: Any, suit: Any, wild: Any) -> Any:
    """Returns the real cards of a suit's sequence with `wild` contatori held, or the empty set (5.2)."""
    figures = np.int64(popcount(cards & _FIGURES_OF[suit]))
    if (cards & _KING_OF[suit]) != _NONE and figures >= 1 and figures + wild >= 2:
        return cards & (_KING_OF[suit] | _FIGURES_OF[suit] | _ACE_OF[suit])
    return _NONE


@kernel
def equals_sequence(cards: Any, family: Any, wild: Any) -> Any:
    """Returns the real cards of the Aces' or the Moors' sequence, or the empty set (5.2)."""
    real = cards & family
    count = np.int64(popcount(real))
    if count >= 2 and count + wild >= 3:
        return real
    return _NONE


@kernel
def grande_sequence(cards: Any, wild: Any) -> Any:
    """Returns the cards of the Grande but the contatori, or the empty set (5.3).

    A missing number is bridged by a free contatore, two neighbours never are; the Moors follow an unbroken run.
    """
    top = np.int64(popcount(cards & _TOP_THREE))
    if (cards & _ANGEL) == _NONE or top == 0 or top + wild < 2:
        return _NONE
    free = wild - 1 if top == 1 else wild
    missing = ~(cards >> _FIVE) & _NUMBERS
    bridged = _FAR
    while missing != _NONE:
        number = highest(missing)
        if free <= 0 or number + _1 == bridged:
            above = (_NUMBERS << number) & _NUMBERS
            return cards & (_ANGEL | _TOP_THREE | (above << _FIVE))
        free -= 1
        bridged = number
        missing ^= bit(number)
    return cards & (_ANGEL | _TOP_THREE | _MOORS | (_NUMBERS << _FIVE))


@kernel
def family_sequence(cards: Any, family: Any, wild: Any) -> Any:
    """Returns the real cards but the contatori of family 0..6 (`FAMILY_NAMES`), or the empty set."""
    if family < 4:
        return suit_sequence(cards, family, wild)
    if family == 4:
        return equals_sequence(cards, _MOORS, wild)
    if family == 5:
        return equals_sequence(cards, _ACES, wild)
    return grande_sequence(cards, wild)


@kernel
def wild_count(cards: Any) -> Any:
    """Returns the number of contatori held, 0 to 2."""
    return np.int64(popcount(cards & _CONTATORI))


@kernel
def combination_points(cards: Any) -> Any:
    """Returns the points of all sets and sequences of `cards`, doublings included (5.4), 0..846."""
    sets = np.int64(0)
    set_count = np.int64(0)
    for row in range(5):
        points = set_points(cards, row)
        sets += points
        set_count += np.int64(points > 0)
    wild = wild_count(cards)
    length_sum = np.int64(0)
    sequence_count = np.int64(0)
    for suit in range(4):
        real = suit_sequence(cards, suit, wild)
        length_sum += np.int64(popcount(real))
        sequence_count += np.int64(real != _NONE)
    real = equals_sequence(cards, _MOORS, wild)
    length_sum += np.int64(popcount(real))
    sequence_count += np.int64(real != _NONE)
    real = equals_sequence(cards, _ACES, wild)
    length_sum += np.int64(popcount(real))
    sequence_count += np.int64(real != _NONE)
    real = grande_sequence(cards, wild)
    length_sum += np.int64(popcount(real))
    sequence_count += np.int64(real != _NONE)
    # a sequence of n cards scores 5 * (n - 1); each contatore adds one card to every scoring sequence
    sequences = 5 * (length_sum + sequence_count * (wild - 1))
    if set_count >= 3:
        sets *= 2
    if sequence_count >= 3:
        sequences *= 2
    return sets + sequences


@kernel
def used_cards(cards: Any) -> Any:
    """Returns the cards of `cards` that take part in a scoring combination: what a full declaration exposes (4)."""
    used = _NONE
    for row in range(5):
        if set_points(cards, row) > 0:
            used |= cards & _ROWS[row]
    wild = wild_count(cards)
    for family in range(7):
        real = family_sequence(cards, family, wild)
        if real != _NONE:
            used |= real | (cards & _CONTATORI)
    return used


@kernel
def scoring_subsets(cards: Any, found: Any, least: Any) -> Any:
    """Writes subsets of `cards` whose cards all score within it, `cards` first, until `found` is full.

    Returns the number of all such subsets that score `least` points or more; with 0 the empty set, which comes last,
    is one. `cards` are themselves one.
    """
    count = 0
    subset = cards
    while True:
        if used_cards(subset) == subset and (least <= 0 or combination_points(subset) >= least):
            if count < len(found):
                found[count] = subset
            count += 1
        if subset == _NONE:
            return count
        subset = (subset - _1) & cards


def combination_unions(cards: int) -> set[int]:
    """Returns the sets of cards that whole rows and families of `cards` make together, the empty one included."""
    word = np.uint64(cards)
    wild = int(wild_count(word))
    parts = [cards & int(_ROWS[row]) for row in range(len(ROW_NAMES)) if set_points(word, row) > 0]
    families = (int(family_sequence(word, family, wild)) for family in range(len(FAMILY_NAMES)))
    parts += [real | cards & int(_CONTATORI) for real in families if real]
    unions = {0}
    for part in parts:
        unions |= {union | part for union in unions}
    return unions


def combination_items(cards: int) -> tuple[dict[str, int], dict[str, int]]:
    """Itemises a set of cards: points of each scoring row and of each scoring family, before doubling."""
    word = np.uint64(cards)
    wild = int(wild_count(word))
    sets = {name: int(set_points(word, row)) for row, name in enumerate(ROW_NAMES)}
    lengths = {name: int(family_sequence(word, family, wild)).bit_count() for family, name in enumerate(FAMILY_NAMES)}
    sequences = {name: 5 * (length + wild - 1) for name, length in lengths.items() if length}
    return {name: points for name, points in sets.items() if points}, sequences
