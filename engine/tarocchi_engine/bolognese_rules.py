"""What the games of the Bolognese pack share: discard, declarations of sets and sequences, the count of a pile."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import ClassVar

import numpy as np

from tarocchi_engine.cards import BOLOGNESE_PACK, FIRST_TRUMP, KING_MASK, MATTO, TRUMP_MASK, Pack, lane_of
from tarocchi_engine.combinations import (
    combination_items,
    combination_points,
    combination_unions,
    scoring_subsets,
    used_cards,
)
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import SCORING_BOLOGNESE
from tarocchi_engine.options import option
from tarocchi_engine.scoring import LAST_TRICK_HALF_POINTS, bolognese_half_points
from tarocchi_engine.selection import MAX_LISTED, all_discards, select_discards
from tarocchi_engine.variant import SideScore, Variant

DOUBLING_COUNT = 3
"""So many different rows (or families) double the sum of all of them."""


@dataclass(frozen=True)
class BologneseRules(Variant):
    """Sections 1 to 5 of the Bolognese rules; the games add who plays with whom, when, and for what."""

    pack: ClassVar[Pack] = BOLOGNESE_PACK
    scoring: ClassVar[int] = SCORING_BOLOGNESE
    has_declarations: ClassVar[bool] = True
    most_points: ClassVar[int] = 2000
    declares_subsets: ClassVar[bool] = True
    """Whether a seat may show some of its combinations and hide others."""

    def discards(self, hand: int) -> tuple[int, ...]:
        """Returns the discards without one of the eight cards of five points (section 2, A-08, A-46)."""
        if self.discard_total(hand) <= MAX_LISTED:
            return all_discards(hand & ~self.pack.five_point_mask, self.discard_count)
        return select_discards(self.pack, hand, self.discard_count)

    def discard_total(self, hand: int) -> int:
        """Returns the number of legal discards."""
        return comb((hand & ~self.pack.five_point_mask).bit_count(), self.discard_count)

    def check_discard(self, hand: int, cards: int) -> None:
        """Raises `IllegalMoveError` unless `cards` are the right number of the hand and none worth five points."""
        self._check_discard_shape(hand, cards)

    def declarations(self, hand: int) -> tuple[int, ...]:
        """Returns all combinations of the hand together first, none last; between them its parts, if allowed (4).

        Of more than MAX_LISTED such sets those that are made of whole rows and families, the most points first.
        """
        used = int(used_cards(np.uint64(hand)))
        if not used or not self.declares_subsets:
            return (used, 0) if used else (0,)
        found = np.empty(MAX_LISTED, dtype=np.uint64)
        count = int(scoring_subsets(np.uint64(used), found, 0))
        if count <= MAX_LISTED:
            return tuple(found[:count].tolist())
        wholes = sorted(combination_unions(used) - {0}, key=lambda cards: (-self.declaration_points(cards), cards))
        return (*wholes[: MAX_LISTED - 1], 0)

    def declaration_total(self, hand: int, least: int = 0) -> int:
        """Returns the number of legal declarations of `least` points or more; with 0 the empty one is included."""
        if not self.declares_subsets:
            return sum(self.declaration_points(cards) >= least for cards in self.declarations(hand))
        return int(scoring_subsets(np.uint64(used_cards(np.uint64(hand))), np.empty(0, dtype=np.uint64), least))

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

    @property
    def shows_all_or_nothing(self) -> bool:
        """At the single-deal table."""
        return not self.declares_subsets

    def shows_all(self, shown: int, known: int) -> bool:
        """Tells whether a hand that held `known` may have shown only `shown`: at all-or-nothing games only all."""
        return self.declares_subsets or int(used_cards(np.uint64(known))) == shown

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


@dataclass(frozen=True)
class SignallingRules(BologneseRules):
    """What the games with signals share besides: the choice of the card given for the Matto."""

    matto_card: str = option("giver", "who chooses the card given for the Matto", ("giver", "automatic"))
    striscio_meaning: str = option("holds_more", "what the signal striscio says", ("holds_more", "lead_trumps"))

    @property
    def giver_chooses(self) -> bool:
        """By the option (A-13)."""
        return self.matto_card == "giver"

    @property
    def has_signals(self) -> bool:
        """Always (A-34, A-45)."""
        return True

    @property
    def striscio_is_true(self) -> bool:
        """By the option (A-34)."""
        return self.striscio_meaning == "holds_more"

    @property
    def signal_condition(self) -> str:
        """As in section 6 (A-34)."""
        return "a suit opens with its King, or with all trumps, in earlier tricks, trumps are open, the Matto never"

    def may_signal(self, card: int, seen: int) -> bool:
        """A suit after its King, or after all trumps; trumps always; the Matto never (section 6, A-34)."""
        if card == MATTO:
            return False
        return card >= FIRST_TRUMP or suit_is_open(card, seen) or seen & TRUMP_MASK == TRUMP_MASK


def suit_is_open(card: int, seen: int) -> bool:
    """Tells whether the King of a suit card's suit lies among the cards `seen`."""
    return card < FIRST_TRUMP and bool(seen & KING_MASK & lane_of(card))
