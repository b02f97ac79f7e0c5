"""The 62 cards as bits of one word, and the two packs that give the bits their names and points.

Bits 0-9, 10-19, 20-29 and 30-39 are the suits S (spade), B (bastoni), C (coppe), D (denari), weakest card first;
bits 40-60 the trumps, weakest first; bit 61 the Matto. So "follow suit" is an AND with a lane and "who wins" a
comparison of bit positions. A card is an `int` (its bit), a set of cards an `int` mask.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, SupportsIndex

CARD_COUNT: Final = 62
SUITS: Final = ("S", "B", "C", "D")
SUIT_SIZE: Final = 10
FIRST_TRUMP: Final = 40
TRUMP_COUNT: Final = 21
MATTO: Final = 61

ALL_MASK: Final = (1 << CARD_COUNT) - 1
MATTO_MASK: Final = 1 << MATTO
TRUMP_MASK: Final = ((1 << TRUMP_COUNT) - 1) << FIRST_TRUMP
SUIT_CARDS_MASK: Final = (1 << FIRST_TRUMP) - 1

SuitLetter = Literal["S", "B", "C", "D", "T", "M"]


def _each_suit(rank_bit: int) -> int:
    return sum(1 << (SUIT_SIZE * suit + rank_bit) for suit in range(4))


JACK_MASK: Final = _each_suit(6)
KNIGHT_MASK: Final = _each_suit(7)
QUEEN_MASK: Final = _each_suit(8)
KING_MASK: Final = _each_suit(9)


def suit_mask(suit: int) -> int:
    """Returns the ten cards of suit number 0..3 (S, B, C, D)."""
    return ((1 << SUIT_SIZE) - 1) << (SUIT_SIZE * suit)


_LANES: Final = tuple(
    ALL_MASK if card == MATTO else TRUMP_MASK if card >= FIRST_TRUMP else suit_mask(card // SUIT_SIZE)
    for card in range(CARD_COUNT)
)


def lane_of(card: int) -> int:
    """Returns the cards that follow suit to `card`: its suit, the trumps, or everything for the Matto."""
    return _LANES[card]


def cards_in(mask: int) -> Iterator[int]:
    """Yields the cards of a set, lowest bit first; raises ValueError for a number that is none, TypeError otherwise."""
    mask = _integer(mask, "set of cards: sets are integers with a bit for each card")
    if not 0 <= mask <= ALL_MASK:
        raise ValueError(f"{mask} is no set of cards: sets have the bits 0 to {CARD_COUNT - 1}")
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _integer(value: SupportsIndex, what: str) -> int:
    """Returns an integer, also one of numpy, as an `int`; raises a TypeError saying that anything else is no `what`."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{value!r} is no {what}") from None


class UnknownCardError(ValueError):
    """Says that a text is not the id of a card of the pack."""


class RepeatedCardError(ValueError):
    """Says that a card stands twice in one list."""


@dataclass(frozen=True)
class Pack:
    """Names and points of the 62 bits; two packs of the family differ in nothing else but their equal trumps."""

    name: str
    index: int
    ids: tuple[str, ...]
    points: tuple[int, ...]
    display_order: tuple[int, ...]
    equal_mask: int = 0
    """Trumps of equal strength: the one played last wins (the Moors)."""
    trump_names: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Italian and English names of the trumps that have one."""

    @cached_property
    def _bit_of_id(self) -> dict[str, int]:
        return {card_id: bit for bit, card_id in enumerate(self.ids)}

    @cached_property
    def _place_in_display(self) -> dict[int, int]:
        return {card: place for place, card in enumerate(self.display_order)}

    @cached_property
    def five_point_mask(self) -> int:
        """The cards worth five points, which no dealer may lay away."""
        return sum(1 << card for card, value in enumerate(self.points) if value == 5)

    def parse_card(self, text: str) -> int:
        """Returns the bit of the card named `text`; raises `UnknownCardError` for others, TypeError for no text."""
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no id of a card: ids are texts like 'SK'")
        bit = self._bit_of_id.get(text)
        if bit is None:
            hint = text.strip().upper()
            known = f"; did you mean {hint!r}?" if hint in self._bit_of_id else ""
            raise UnknownCardError(f"{text!r} is not a card of the {self.name} pack (ids look like 'SK'){known}")
        return bit

    def format_card(self, card: int) -> str:
        """Returns the id of a card; raises ValueError for a number that is no card, TypeError for anything else."""
        card = _integer(card, f"card: cards are the integers 0 to {CARD_COUNT - 1}")
        if not 0 <= card < CARD_COUNT:
            raise ValueError(f"{card} is no card: cards are the bits 0 to {CARD_COUNT - 1}")
        return self.ids[card]

    def parse_cards(self, texts: Iterable[str]) -> int:
        """Returns the set of the named cards.

        Raises `UnknownCardError` or `RepeatedCardError`; TypeError for what is no list of texts, such as one text.
        """
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise TypeError(f"{texts!r} is no list of ids: give a list like ['SK', 'BK']")
        mask = 0
        for text in texts:
            bit = 1 << self.parse_card(text)
            if mask & bit:
                raise RepeatedCardError(f"card {text!r} stands twice: name each card once")
            mask |= bit
        return mask

    def in_display_order(self, mask: int) -> list[int]:
        """Returns the cards of a set in display order."""
        return sorted(cards_in(mask), key=self._place_in_display.__getitem__)

    def format_mask(self, mask: int) -> list[str]:
        """Returns the ids of a set of cards in display order."""
        return [self.ids[card] for card in self.in_display_order(mask)]

    def suit_of(self, card: int) -> SuitLetter:
        """Returns 'S', 'B', 'C', 'D', 'T' for a trump or 'M' for the Matto."""
        if card == MATTO:
            return "M"
        if card >= FIRST_TRUMP:
            return "T"
        letters: tuple[SuitLetter, ...] = ("S", "B", "C", "D")
        return letters[card // SUIT_SIZE]

    def strength(self, card: int) -> int:
        """Returns the rank inside the suit as the rules number it: 1 the weakest, 4 each Moor, 0 the Matto."""
        if card == MATTO:
            return 0
        if card < FIRST_TRUMP:
            return card % SUIT_SIZE + 1
        if self.equal_mask >> card & 1:
            card = self.equal_mask.bit_length() - 1
        above_equals = self.equal_mask and not self.equal_mask >> card > 1
        return card - FIRST_TRUMP + (0 if above_equals else 1)

    def beaten_by(self, card: int) -> int:
        """Returns the cards that win a trick when played after `card`, the best card so far."""
        lane = lane_of(card)
        higher = lane & ~((2 << card) - 1)
        if self.equal_mask >> card & 1:
            higher |= self.equal_mask & ~(1 << card)
        return higher | (TRUMP_MASK if card < FIRST_TRUMP else 0)

    def names(self, card: int) -> tuple[str, str]:
        """Returns the Italian and the English name of a card."""
        card_id = self.ids[card]
        if card >= FIRST_TRUMP:
            if card_id in self.trump_names:
                return self.trump_names[card_id]
            return f"Tarocco {card_id[1:]}", f"Trump {card_id[1:]}"
        suit_it, suit_en = _SUIT_NAMES[card_id[0]]
        rank = card_id[1:]
        rank_it, rank_en = _RANK_NAMES.get(rank, (rank, rank))
        return f"{rank_it} di {suit_it}", f"{rank_en} of {suit_en}"


_SUIT_NAMES = {
    "S": ("spade", "swords"),
    "B": ("bastoni", "batons"),
    "C": ("coppe", "cups"),
    "D": ("denari", "coins"),
}
_RANK_NAMES = {
    "K": ("Re", "King"),
    "Q": ("Regina", "Queen"),
    "N": ("Cavallo", "Knight"),
    "J": ("Fante", "Jack"),
    "A": ("Asso", "Ace"),
}
_FIGURES = "J N Q K"


def _suits(long_pips: str, round_pips: str) -> list[str]:
    """Returns the forty suit cards in bit order, from the pips of a long and of a round suit, weakest first."""
    return [
        suit + rank
        for suit, pips in zip(SUITS, (long_pips, long_pips, round_pips, round_pips), strict=True)
        for rank in f"{pips} {_FIGURES}".split()
    ]


def _make_pack(
    name: str,
    index: int,
    suits: list[str],
    trumps: str,
    five_point_trumps: str,
    display: list[str],
    equal: str = "",
    trump_names: dict[str, tuple[str, str]] | None = None,
) -> Pack:
    ids = (*suits, *trumps.split(), "MAT")
    by_rank = {"K": 5, "Q": 4, "N": 3, "J": 2}
    fives = {*five_point_trumps.split(), "MAT"}
    points = tuple(
        (5 if card_id in fives else 1) if bit >= FIRST_TRUMP else by_rank.get(card_id[1:], 1)
        for bit, card_id in enumerate(ids)
    )
    bit_of = {card_id: bit for bit, card_id in enumerate(ids)}
    return Pack(
        name=name,
        index=index,
        ids=ids,
        points=points,
        display_order=tuple(bit_of[card_id] for card_id in display),
        equal_mask=sum(1 << bit_of[card_id] for card_id in equal.split()),
        trump_names={"MAT": ("Matto", "Fool"), **(trump_names or {})},
    )


def _suits_for_display(suits: list[str]) -> list[str]:
    return [card_id for start in range(0, 40, 10) for card_id in reversed(suits[start : start + 10])]


_BOLOGNESE_SUITS = _suits("A 6 7 8 9 10", "10 9 8 7 6 A")
_NUMBERS = [f"T{number}" for number in range(5, 17)]

BOLOGNESE_PACK: Final = _make_pack(
    "bolognese",
    0,
    _BOLOGNESE_SUITS,
    "BEG MO1 MO2 MO3 MO4 " + " ".join(_NUMBERS) + " LUN SOL MON ANG",
    "BEG MON ANG",
    display=[
        *["ANG", "MON", "SOL", "LUN"],
        *reversed(_NUMBERS),
        *["MO1", "MO2", "MO3", "MO4", "BEG", "MAT"],
        *_suits_for_display(_BOLOGNESE_SUITS),
    ],
    equal="MO1 MO2 MO3 MO4",
    trump_names={
        "ANG": ("Angelo", "Angel"),
        "MON": ("Mondo", "World"),
        "SOL": ("Sole", "Sun"),
        "LUN": ("Luna", "Moon"),
        "BEG": ("Begato", "Magician"),
        **{f"MO{number}": (f"Moro {number}", f"Moor {number}") for number in range(1, 5)},
    },
)

_PIEDMONTESE_SUITS = _suits("5 6 7 8 9 10", "6 5 4 3 2 A")
_PIEDMONTESE_TRUMPS = [f"T{number}" for number in range(1, 22)]

PIEDMONTESE_PACK: Final = _make_pack(
    "piedmontese",
    1,
    _PIEDMONTESE_SUITS,
    " ".join(_PIEDMONTESE_TRUMPS),
    "T1 T21",
    display=[*reversed(_PIEDMONTESE_TRUMPS), "MAT", *_suits_for_display(_PIEDMONTESE_SUITS)],
    trump_names={"T1": ("Bagatto", "Magician"), "T21": ("Mondo", "World")},
)

PACKS: Final = (BOLOGNESE_PACK, PIEDMONTESE_PACK)
