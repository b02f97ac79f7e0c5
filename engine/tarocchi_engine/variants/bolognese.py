"""Tarocco Bolognese at the single-deal table: sets and sequences, shown in the first trick and captured."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from tarocchi_engine.cards import BOLOGNESE_PACK, Pack, cards_in
from tarocchi_engine.combinations import combination_items, combination_points, used_cards
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import SCORING_BOLOGNESE
from tarocchi_engine.scoring import LAST_TRICK_HALF_POINTS, bolognese_half_points
from tarocchi_engine.variant import SideScore, Variant

DOUBLING_COUNT = 3
"""So many different rows (or families) double the sum of all of them."""


@dataclass(frozen=True)
class Bolognese(Variant):
    """The `table` profile of the rules: one deal, the higher total wins, all combinations shown or none."""

    name: ClassVar[str] = "bolognese"
    title_it: ClassVar[str] = "Tarocco bolognese, mano singola"
    title_en: ClassVar[str] = "Tarocco Bolognese, single deal"
    rules_revision: ClassVar[int] = 1
    pack: ClassVar[Pack] = BOLOGNESE_PACK
    scoring: ClassVar[int] = SCORING_BOLOGNESE
    has_declarations: ClassVar[bool] = True
    most_points: ClassVar[int] = 2000
    deal_spread: ClassVar[float] = 330.0

    def discards(self, hand: int) -> tuple[int, ...]:
        """Any two cards but the eight of five points (section 2, A-08)."""
        free = [1 << card for card in cards_in(hand & ~self.pack.five_point_mask)]
        return tuple(first | second for first, second in combinations(free, self.discard_count))

    def check_discard(self, hand: int, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` are two of the hand and none worth five points."""
        self._check_discard_shape(hand, cards)

    def declarations(self, hand: int) -> tuple[int, ...]:
        """All combinations of the hand together, or none (section 4)."""
        used = int(used_cards(np.uint64(hand)))
        return (used, 0) if used else (0,)

    def check_declaration(self, cards: int) -> None:
        """Raises `IllegalMoveError` unless every card belongs to a combination of the cards shown."""
        if idle := cards & ~int(used_cards(np.uint64(cards))):
            raise IllegalMoveError(
                "CARDS_SCORE_NOTHING",
                f"{' '.join(self.pack.format_mask(idle))} scores nothing with the other cards shown: "
                "show only the cards of scoring sets and sequences",
                "declare.cards",
            )

    def declaration_points(self, cards: int) -> int:
        """Returns the points of the combinations shown, doublings within them included (A-19)."""
        return int(combination_points(np.uint64(cards)))

    def shows_all(self, shown: int, known: int) -> bool:
        """Tells whether `shown` are all the combinations of a hand that held `known` (all or nothing)."""
        return int(used_cards(np.uint64(known))) == shown

    def count_pile(self, pile: int, *, declarations: int, took_last_trick: bool, trick_count: int) -> SideScore:
        """Counts declarations, sets, sequences, card points and the last trick (sections 3 to 5)."""
        sets, sequences = combination_items(pile)
        sets_total = sum(sets.values()) * (2 if len(sets) >= DOUBLING_COUNT else 1)
        sequences_total = sum(sequences.values()) * (2 if len(sequences) >= DOUBLING_COUNT else 1)
        card_points = int(bolognese_half_points(np.uint64(pile))) / 2
        last_trick = LAST_TRICK_HALF_POINTS / 2 if took_last_trick else 0.0
        return SideScore(
            total=declarations + sets_total + sequences_total + card_points + last_trick,
            card_points=card_points,
            last_trick=last_trick,
            sets=sets,
            sets_total=sets_total,
            sequences=sequences,
            sequences_total=sequences_total,
            declarations=declarations,
            trick_count=trick_count,
            pile=pile,
        )
