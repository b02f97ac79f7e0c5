"""Terziglio: Tarocco Bolognese for three, with an auction, one against two, counted in game points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocchi_engine.bolognese_rules import SignallingRules, suit_is_open
from tarocchi_engine.cards import (
    BOLOGNESE_PACK,
    JACK_MASK,
    KING_MASK,
    KNIGHT_MASK,
    MATTO_MASK,
    QUEEN_MASK,
    TRUMP_MASK,
)
from tarocchi_engine.layout import SCORING_TERZIGLIO
from tarocchi_engine.moves import Call
from tarocchi_engine.options import option
from tarocchi_engine.scoring import GAME_POINTS_FOR_ALL_TRICKS, SOLO_FACTOR, rounded_total
from tarocchi_engine.variant import DealScore, GameScore

ROUNDING_STEP = 50
_parse = BOLOGNESE_PACK.parse_cards
_ANGEL = _parse(["ANG"])


@dataclass(frozen=True)
class Terziglio(SignallingRules):
    """Section 7 of the Bolognese rules. Side 0 is the declarer, side 1 the defenders."""

    name: ClassVar[str] = "terziglio"
    title_it: ClassVar[str] = "Terziglio"
    title_en: ClassVar[str] = "Terziglio, three players"
    rules_revision: ClassVar[int] = 1
    scoring: ClassVar[int] = SCORING_TERZIGLIO
    seat_count: ClassVar[int] = 3
    side_bits: ClassVar[int] = 0b111
    seats_score_alone: ClassVar[bool] = True
    dealer_extra: ClassVar[int] = 0
    has_auction: ClassVar[bool] = True
    most_points: ClassVar[int] = 2 * 2 * 2000 // ROUNDING_STEP
    bid_features: ClassVar[tuple[int, ...]] = (
        TRUMP_MASK,
        _parse(["ANG", "MON"]),
        _parse(["SOL", "LUN"]),
        KING_MASK,
        MATTO_MASK,
        _parse(["BEG"]),
        QUEEN_MASK | KNIGHT_MASK | JACK_MASK,
    )
    point_step: ClassVar[float] = 1.0
    deal_spread: ClassVar[float] = 7.0

    cards: str = option("18", "how many cards each seat is dealt; the others are the stock", ("18", "19"))
    deals: str = option("9", "how many deals make a session", ("1", "3", "6", "9", "12", "15", "18"))
    payment: str = option("each_wins", "whether the losers pay what the winners win", ("each_wins", "zero_sum"))
    signals_after_top: bool = option(
        True, "whether signals in a suit always wait for its King, in trumps for the Angel"
    )

    @property
    def hand_size(self) -> int:
        """By the option (A-35)."""
        return int(self.cards)

    @property
    def match_deal_count(self) -> int | None:
        """By the option (A-43)."""
        return int(self.deals)

    @property
    def deal_points(self) -> float | None:
        """Nothing in all where the losers pay what the winners win."""
        return 0.0 if self.payment == "zero_sum" else None

    @property
    def least_points(self) -> int:  # type: ignore[override]
        """Nothing, or what the losers pay."""
        return -self.most_points if self.payment == "zero_sum" else 0

    @property
    def bid_weights(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """A linear fit to what the search found for 400 random first hands; its level for 500 others of each size.

        A card more in every hand makes the stock smaller by three.
        """
        more = self.hand_size - 18
        gioco = (1.85, 2.5, 0.7, 2.3, 3.0, 2.65, 0.65, -18.2 - 4.8 * more)
        solo = (3.7, 5.35, 1.7, 4.55, 4.55, 1.7, 1.5, -54.1 - 3.1 * more)
        return gioco, solo

    @property
    def game_factor(self) -> float:
        """Three where the losers pay: the declarer wins two from nothing while each defender loses one."""
        return 3.0 if self.payment == "zero_sum" else 1.0

    @property
    def signal_condition(self) -> str:
        """By the option."""
        if not self.signals_after_top:
            return super().signal_condition
        return "a suit opens with its King in an earlier trick, trumps open with the Angel, the Matto never"

    def may_signal(self, card: int, seen: int) -> bool:
        """As in Ottocento, or with the limit a suit after its King and trumps after the Angel only."""
        if not self.signals_after_top:
            return super().may_signal(card, seen)
        return bool(seen & _ANGEL) if TRUMP_MASK >> card & 1 else suit_is_open(card, seen)

    def score(
        self, position: NDArray[np.uint64], trick_counts: tuple[int, int], contract: Call | None, declarer: int | None
    ) -> DealScore:
        """Counts both sides and makes game points of their totals: rounding, solo, all tricks (A-38 to A-41)."""
        count = super().score(position, trick_counts, contract, declarer)
        assert contract is not None
        assert declarer is not None
        winner, game = self.game((count.sides[0].total, count.sides[1].total), trick_counts, contract, declarer)
        return replace(count, winner=winner, awards=self.awards(declarer, winner, game.game_points), game=game)

    def game(
        self, totals: tuple[float, float], trick_counts: tuple[int, int], contract: Call, declarer: int
    ) -> tuple[int, GameScore]:
        """Returns the winning side and what the contract is worth when declarer and defenders have these totals."""
        if 0 in trick_counts:
            return 1 - trick_counts.index(0), GameScore(contract, declarer, None, GAME_POINTS_FOR_ALL_TRICKS)
        winner = 0 if totals[0] > totals[1] else 1
        fifties = int(rounded_total(int(2 * totals[winner])))
        points = fifties * (SOLO_FACTOR if contract is Call.SOLO else 1)
        return winner, GameScore(contract, declarer, ROUNDING_STEP * fifties, points)

    def awards(self, declarer: int, winner: int, game_points: int) -> tuple[float, ...]:
        """Returns what each seat gets (A-41)."""
        if self.payment == "zero_sum":
            each = -game_points if winner == 0 else game_points
            of_declarer = -2 * each
        else:
            of_declarer, each = (game_points, 0) if winner == 0 else (0, game_points)
        return tuple(float(of_declarer if seat == declarer else each) for seat in range(self.seat_count))
