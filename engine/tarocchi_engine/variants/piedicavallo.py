"""Piedicavallo, the Piedmontese partnership game of 114 points."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np

from tarocchi_engine.cards import ALL_MASK, KING_MASK, MATTO_MASK, PIEDMONTESE_PACK, TRUMP_MASK, Pack, cards_in
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import SCORING_PIEDICAVALLO
from tarocchi_engine.options import option
from tarocchi_engine.scoring import piedicavallo_half_points
from tarocchi_engine.variant import SideScore, Variant

DiscardGround = Literal["no_trump", "rest_only_trumps_kings", "rest_no_trumps"]

_FORCED_REST = TRUMP_MASK | KING_MASK | MATTO_MASK
"""A hand of these cards alone has no other discard than trumps (D2, A3)."""


@dataclass(frozen=True)
class Piedicavallo(Variant):
    """Section 3 of the Piedmontese rules: no combinations, no last-trick bonus, an announcement by the dealer."""

    name: ClassVar[str] = "piedicavallo"
    title_it: ClassVar[str] = "Tarocco piemontese, Piedicavallo"
    title_en: ClassVar[str] = "Tarocco Piemontese, Piedicavallo"
    rules_revision: ClassVar[int] = 1
    pack: ClassVar[Pack] = PIEDMONTESE_PACK
    scoring: ClassVar[int] = SCORING_PIEDICAVALLO
    announces_discarded_trumps: ClassVar[bool] = True
    most_points: ClassVar[int] = 114
    point_step: ClassVar[float] = 1.0
    deal_spread: ClassVar[float] = 37.0

    allow_voiding: bool = option(True, "whether the dealer may lay away the last trumps of the hand")
    matto_counts_as_trump_for_discard: bool = option(False, "whether a Matto kept counts as a trump there")
    match: str = option("single_deal", "how many deals make a match", ("single_deal", "four_deals"))

    @property
    def deal_points(self) -> float | None:
        """All points of the pack (section 3.4)."""
        return 114.0

    @property
    def match_deal_count(self) -> int | None:
        """One deal, or one by each seat."""
        return self.seat_count if self.match == "four_deals" else 1

    @property
    def _voided(self) -> int:
        """The cards that must be absent from the hand kept after the last trumps were laid away."""
        return TRUMP_MASK | (MATTO_MASK if self.matto_counts_as_trump_for_discard else 0)

    def discards(self, hand: int) -> tuple[int, ...]:
        """Returns the discards that satisfy D1 and D2 (section 3.6)."""
        free = [1 << card for card in cards_in(hand & ~self.pack.five_point_mask)]
        pairs = (first | second for first, second in combinations(free, self.discard_count))
        return tuple(cards for cards in pairs if self.discard_ground(hand, cards))

    def check_discard(self, hand: int, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` satisfy D1 and D2 (section 3.6)."""
        self._check_discard_shape(hand, cards)
        if not self.discard_ground(hand, cards):
            raise IllegalMoveError(
                "TRUMP_WITHOUT_REASON",
                f"{' '.join(self.pack.format_mask(cards & TRUMP_MASK))}: a trump goes only when the rest of the "
                f"hand has {'no trump, or ' if self.allow_voiding else ''}nothing but trumps, Kings and the Matto",
                "discard.cards",
            )

    def discard_ground(self, hand: int, cards: int) -> DiscardGround | None:
        """Returns what satisfies D2 when `cards` are laid away from `hand`, None if nothing does."""
        rest = hand & ~cards
        if not cards & TRUMP_MASK:
            return "no_trump"
        if not rest & ~_FORCED_REST:
            return "rest_only_trumps_kings"
        return "rest_no_trumps" if self.allow_voiding and not rest & self._voided else None

    def kept_hand_cases(self, announced_trump_count: int | None) -> tuple[int, ...]:
        """After trumps were laid away: no card but trumps, Kings and the Matto was kept, or no trump was (D2)."""
        if not announced_trump_count:
            return (0,)
        forced = ALL_MASK & ~_FORCED_REST
        return (forced, self._voided) if self.allow_voiding else (forced,)

    def count_pile(self, pile: int, *, declarations: int, took_last_trick: bool, trick_count: int) -> SideScore:
        """Counts a pile card by card; nothing else scores (section 3.9)."""
        points = int(piedicavallo_half_points(np.uint64(pile))) / 2
        return SideScore(total=points, card_points=points, trick_count=trick_count, pile=pile)
