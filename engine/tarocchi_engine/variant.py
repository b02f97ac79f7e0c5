"""What a variant is: attributes that describe its deal, and the few procedures in which it differs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocchi_engine.cards import CARD_COUNT, MATTO_MASK, Pack
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import ASIDE, DECLARED, LAST_SIDE, NO_CARD
from tarocchi_engine.moves import Call
from tarocchi_engine.scoring import settle_piles


class Ending(StrEnum):
    """How a deal has ended."""

    COUNT = "count"
    """After the last trick."""
    THROWN_IN = "thrown_in"
    """All seats said monte: nothing is scored."""
    PASSED = "passed"
    """All seats passed: nothing is scored."""
    CALL_OUT = "call_out"
    """The dealer reached the target before the first trick."""
    DECLARATION = "declaration"
    """A declaration reached the target; nothing else is played or counted."""


@dataclass(frozen=True, slots=True)
class SideScore:
    """The itemised result of one side, in points."""

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
class GameScore:
    """What an auction game makes of the totals of its two sides, declarer and defenders."""

    contract: Call
    declarer: int
    rounded: int | None
    """The winners' total in whole fifties, None where nothing was counted."""
    game_points: int


@dataclass(frozen=True, slots=True)
class DealScore:
    """The count of a finished deal."""

    sides: tuple[SideScore, ...]
    winner: int | None
    """The side that won the deal, None for a tie or where nothing was scored."""
    awards: tuple[float, ...]
    """What the deal adds to the scores of the match: for each side, or each seat where every seat plays for itself."""
    ending: Ending = Ending.COUNT
    """How the deal ended; piles were counted only after COUNT, and the rest tells of them."""
    matto_side: int | None = None
    """The side that keeps the Matto."""
    matto_card: int | None = None
    """The card handed over for the Matto, None where nothing is due."""
    discard_side: int | None = None
    """The side that owns the discard, or the stock that nobody took."""
    game: GameScore | None = None
    """In a game with an auction."""


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
    """Bit s is the side of seat s; in a game with an auction before anybody has bid."""
    seats_score_alone: ClassVar[bool] = False
    """Whether the match counts for each seat, not for each side."""
    dealer_extra: ClassVar[int] = 2
    """The cards that the dealer is dealt above the others."""
    has_declarations: ClassVar[bool] = False
    announces_discarded_trumps: ClassVar[bool] = False
    has_auction: ClassVar[bool] = False
    """Whether the seats bid for who plays alone, and the highest bidder may take the stock."""
    match_target: ClassVar[int | None] = None
    """The score that ends a match, where a match has no fixed number of deals."""

    bid_features: ClassVar[tuple[int, ...]] = ()
    """Sets of cards that tell what a hand is worth in the auction."""

    most_points: ClassVar[int]
    """More than a deal can add to a score of the match."""
    least_points: ClassVar[int] = 0
    """Less than which a deal never adds."""
    point_step: ClassVar[float] = 0.5
    """Every score is a multiple of it; cards count in halves."""
    deal_spread: ClassVar[float]
    """Standard deviation of the difference between two scores that a deal between equal players adds to a match.

    From 400 to 500 deals of self-play with `solver:iterations=300`, like `deal_sum`.
    """
    deal_sum: ClassVar[float] = 0.0
    """What both sides score together on average, where a score ends the match."""

    @property
    def match_deal_count(self) -> int | None:
        """The number of deals of a match, None where a score ends it."""
        return 1

    @property
    def deal_points(self) -> float | None:
        """What all scores of a match gain together in every deal, None where that varies."""
        return None

    @property
    def score_count(self) -> int:
        """The number of scores that a match keeps."""
        return self.seat_count if self.seats_score_alone else 2

    @property
    def hand_size(self) -> int:
        """The number of cards that every seat plays."""
        return 15

    @property
    def trick_count(self) -> int:
        """The number of tricks of a deal."""
        return self.hand_size

    @property
    def stock_size(self) -> int:
        """The number of cards dealt to nobody."""
        return CARD_COUNT - self.seat_count * self.hand_size - self.dealer_extra

    @property
    def discard_count(self) -> int:
        """The number of cards laid away by whoever holds more than a hand."""
        return self.dealer_extra or self.stock_size

    @property
    def has_monte_poll(self) -> bool:
        """Whether the seats may agree to throw in their first packets."""
        return False

    @property
    def has_call_out(self) -> bool:
        """Whether the dealer may end the match with what it holds before its last packet."""
        return False

    @property
    def giver_chooses(self) -> bool:
        """Whether the seat that owes a card for the Matto chooses it; a fixed rule does otherwise."""
        return False

    @property
    def has_signals(self) -> bool:
        """Whether the leader of a trick may tell its partner something."""
        return False

    @property
    def striscio_is_true(self) -> bool:
        """Whether `striscio` says that more cards of the suit are held."""
        return True

    @property
    def bid_weights(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """What a hand as dealt is worth alone, in game points, in gioco and in solo.

        For each the worth of a card of every feature, and last of an empty hand: a rule of thumb by which the seats
        are imagined to bid.
        """
        return (0.0,), (0.0,)

    @property
    def game_factor(self) -> float:
        """How far apart one game point sets the winner's score from the mean of the others, in an auction game."""
        return 1.0

    @property
    def signal_condition(self) -> str:
        """When a lead may carry a signal, in words."""
        return ""

    def may_signal(self, card: int, seen: int) -> bool:
        """Tells whether the leader may signal with `card` when the earlier tricks held the cards `seen`."""
        return False

    def side_of(self, seat: int) -> int:
        """Returns the side, 0 or 1, of a seat; in a game with an auction the table knows."""
        return self.side_bits >> seat & 1

    def dealt_to(self, seat: int, dealer: int) -> int:
        """Returns how many cards `seat` is dealt."""
        return self.hand_size + (self.dealer_extra if seat == dealer else 0)

    def packets(self, seat: int, dealer: int) -> tuple[int, ...]:
        """Returns the sizes of the packets in which a seat is dealt its cards, where it decides between them."""
        return (self.dealt_to(seat, dealer),)

    def next_seat(self, seat: int) -> int:
        """Returns the seat on the right, next in every order."""
        return (seat + 1) % self.seat_count

    @abstractmethod
    def discards(self, hand: int) -> tuple[int, ...]:
        """Returns every legal discard of a hand before it, in a fixed order; of very many a selection."""

    def discard_total(self, hand: int) -> int:
        """Returns the number of legal discards."""
        return len(self.discards(hand))

    @abstractmethod
    def check_discard(self, hand: int, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` may be laid away from a hand before the discard."""

    def declarations(self, hand: int) -> tuple[int, ...]:
        """Returns the sets of cards that may be declared from a hand, the best first, the empty set last.

        Of very many a selection.
        """
        return (0,)

    def declaration_total(self, hand: int, least: int = 0) -> int:
        """Returns the number of legal declarations of `least` points or more."""
        return sum(self.declaration_points(cards) >= least for cards in self.declarations(hand))

    def check_declaration(self, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` can be a declaration of some hand."""
        if cards:
            raise IllegalMoveError(
                "NO_DECLARATIONS", f"nothing is declared in {self.name}: leave it out", "declare.cards"
            )

    def declaration_points(self, cards: int) -> int:
        """Returns the whole points that a declaration scores at once."""
        return 0

    def shows_all(self, shown: int, known: int) -> bool:
        """Tells whether a hand that declared `shown` may have held the cards `known`."""
        return True

    @property
    def shows_all_or_nothing(self) -> bool:
        """Whether a seat that declares anything shows all its combinations."""
        return False

    def kept_hand_cases(self, announced_trump_count: int | None) -> tuple[int, ...]:
        """Returns the alternatives that the discard leaves for the hand the dealer kept: sets absent from it."""
        return (0,)

    @abstractmethod
    def count_pile(self, pile: int, *, declarations: int, took_last_trick: bool, trick_count: int) -> SideScore:
        """Counts the final pile of a side that has declared so many points."""

    def score(
        self, position: NDArray[np.uint64], trick_counts: tuple[int, int], contract: Call | None, declarer: int | None
    ) -> DealScore:
        """Counts a deal that was played out: settles Matto and discard, then counts both piles."""
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
        totals = (sides[0].total, sides[1].total)
        aside = int(position[ASIDE]) & ~(0 if given == NO_CARD else 1 << given)
        return DealScore(
            sides=sides,
            winner=winner_of(totals),
            awards=totals,
            matto_side=int(not int(piles[0]) & MATTO_MASK),
            matto_card=None if given == NO_CARD else given,
            discard_side=int(not int(piles[0]) & aside),
        )

    def _check_discard_shape(self, hand: int, cards: int) -> None:
        """Raises unless `cards` are the right number of the hand's cards and none of five points."""
        names = self.pack.format_mask
        if cards & ~hand:
            missing = " ".join(names(cards & ~hand))
            raise IllegalMoveError(
                "CARD_NOT_IN_HAND",
                f"the hand does not hold {missing}: discard cards of the hand",
                "discard.cards",
            )
        if cards.bit_count() != self.discard_count:
            raise IllegalMoveError(
                "DISCARD_SIZE",
                f"{cards.bit_count()} cards laid away: exactly {self.discard_count} are discarded",
                "discard.cards",
            )
        if fives := cards & self.pack.five_point_mask:
            raise IllegalMoveError(
                "FIVE_POINT_CARD",
                f"{' '.join(names(fives))}: cards worth five points are never discarded, lay others away",
                "discard.cards",
            )


def winner_of(scores: tuple[float, ...]) -> int | None:
    """Returns the place of the highest score, None for a tie."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None
