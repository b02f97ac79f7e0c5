"""What a variant is: attributes that describe its deal, and the few procedures in which it differs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocchi_engine.cards import Pack
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import ASIDE_SIDE, DECLARED, LAST_SIDE, MATTO_SIDE, NO_CARD
from tarocchi_engine.scoring import settle_piles


@dataclass(frozen=True, slots=True)
class SideScore:
    """The itemised result of one side, in game points."""

    total: float
    card_points: float
    last_trick: float = 0.0
    sets: dict[str, int] = field(default_factory=dict)
    """Points of each scoring row before doubling."""
    sets_total: int = 0
    sequences: dict[str, int] = field(default_factory=dict)
    """Points of each scoring family before doubling."""
    sequences_total: int = 0
    declarations: int = 0
    trick_count: int = 0
    pile: int = 0
    """The side's cards when the deal is counted."""


@dataclass(frozen=True, slots=True)
class DealScore:
    """The count of a finished deal."""

    sides: tuple[SideScore, ...]
    winner: int | None
    """The side with more, None for a tie."""
    matto_side: int
    """The side that keeps the Matto."""
    matto_card: int | None
    """The card handed over for the Matto, None where nothing is due."""
    discard_side: int
    """The side that owns the dealer's discard."""


@dataclass(frozen=True)
class Variant(ABC):
    """A game of the family with its rule options, which are fields; `tarocchi_engine.variants` lists the games."""

    name: ClassVar[str]
    title_it: ClassVar[str]
    title_en: ClassVar[str]
    rules_revision: ClassVar[int]
    """Raised when, and only when, behaviour changes."""
    pack: ClassVar[Pack]
    scoring: ClassVar[int]
    """The scoring kernel, one of the SCORING_ constants of the layout."""
    seat_count: ClassVar[int] = 4
    side_bits: ClassVar[int] = 0b1010
    """Bit s is the side of seat s."""
    hand_size: ClassVar[int] = 15
    discard_count: ClassVar[int] = 2
    has_declarations: ClassVar[bool] = False
    announces_discarded_trumps: ClassVar[bool] = False

    most_points: ClassVar[int]
    """More than a side can score in one deal."""
    deal_points: ClassVar[float | None] = None
    """What both sides score together in every deal, None where that varies."""
    point_step: ClassVar[float] = 0.5
    """Every score is a multiple of it; cards count in halves."""
    deal_spread: ClassVar[float]
    """Standard deviation, in points, of the difference between the sides in a deal between equal players.

    From 500 deals: `python -m tarocchi_bench arena --a solver:iterations=300 --b solver:iterations=300 --pairs 500`.
    """

    @property
    def match_deal_count(self) -> int:
        """The number of deals of a match."""
        return 1

    @property
    def trick_count(self) -> int:
        """The number of tricks of a deal."""
        return self.hand_size

    @property
    def dealer_hand_size(self) -> int:
        """The number of cards that the dealer holds before the discard."""
        return self.hand_size + self.discard_count

    def side_of(self, seat: int) -> int:
        """Returns the side, 0 or 1, of a seat."""
        return self.side_bits >> seat & 1

    def dealt_to(self, seat: int, dealer: int) -> int:
        """Returns how many cards `seat` is dealt."""
        return self.dealer_hand_size if seat == dealer else self.hand_size

    def next_seat(self, seat: int) -> int:
        """Returns the seat on the right, next in every order."""
        return (seat + 1) % self.seat_count

    @abstractmethod
    def discards(self, hand: int) -> tuple[int, ...]:
        """Returns every legal discard of the dealer's full hand, in a fixed order."""

    @abstractmethod
    def check_discard(self, hand: int, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` may be laid away from the dealer's full hand."""

    def declarations(self, hand: int) -> tuple[int, ...]:
        """Returns the sets of cards that may be declared from a hand, the empty set last."""
        return (0,)

    def check_declaration(self, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` can be a declaration of some hand."""
        if cards:
            raise IllegalMoveError("NO_DECLARATIONS", f"nothing is declared in {self.name}", "declare.cards")

    def declaration_points(self, cards: int) -> int:
        """Returns the whole points that a declaration scores at once."""
        return 0

    def shows_all(self, shown: int, known: int) -> bool:
        """Tells whether a hand that declared `shown` may have held the cards `known`."""
        return True

    def kept_hand_cases(self, announced_trump_count: int | None) -> tuple[int, ...]:
        """Returns the alternatives that the discard leaves for the hand the dealer kept: sets absent from it."""
        return (0,)

    @abstractmethod
    def count_pile(self, pile: int, *, declarations: int, took_last_trick: bool, trick_count: int) -> SideScore:
        """Counts the final pile of a side that has declared so many points."""

    def score(self, position: NDArray[np.uint64], trick_counts: tuple[int, int]) -> DealScore:
        """Counts a finished deal: settles Matto and discard, then counts both piles."""
        piles = np.zeros(2, dtype=np.uint64)
        given = int(settle_piles(position, piles))
        sides = tuple(
            self.count_pile(
                int(piles[side]),
                declarations=int(position[DECLARED + side]) // 2,
                took_last_trick=int(position[LAST_SIDE]) == side,
                trick_count=trick_counts[side],
            )
            for side in (0, 1)
        )

        def keeper(side: int) -> int:
            """A side without a trick keeps nothing."""
            return side if trick_counts[side] else 1 - side

        return DealScore(
            sides=sides,
            winner=winner_of((sides[0].total, sides[1].total)),
            matto_side=keeper(int(position[MATTO_SIDE])),
            matto_card=None if given == NO_CARD else given,
            discard_side=keeper(int(position[ASIDE_SIDE])),
        )

    def _check_discard_shape(self, hand: int, cards: int) -> None:
        """Raises unless `cards` are the right number of the dealer's cards and none of five points."""
        names = self.pack.format_mask
        if cards & ~hand:
            missing = " ".join(names(cards & ~hand))
            raise IllegalMoveError(
                "CARD_NOT_IN_HAND",
                f"the dealer does not hold {missing}: discard cards of the hand",
                "discard.cards",
            )
        if cards.bit_count() != self.discard_count:
            raise IllegalMoveError(
                "DISCARD_SIZE",
                f"{cards.bit_count()} cards laid away: the dealer discards exactly {self.discard_count}",
                "discard.cards",
            )
        if fives := cards & self.pack.five_point_mask:
            raise IllegalMoveError(
                "FIVE_POINT_CARD",
                f"{' '.join(names(fives))}: cards worth five points are never discarded",
                "discard.cards",
            )


def winner_of(totals: tuple[float, float]) -> int | None:
    """Returns the side with the higher total, None for a tie."""
    if totals[0] == totals[1]:
        return None
    return 0 if totals[0] > totals[1] else 1
