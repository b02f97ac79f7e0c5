"""The table: everything about a deal that is known to all seats, brought forward move by move.

Both the full state and each seat's view are this table and the cards they know. The table checks what can be
checked without seeing a hand: turns, cards played twice, suits that a seat has shown it lacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tarocchi_engine.cards import ALL_MASK, MATTO, MATTO_MASK, TRUMP_MASK, lane_of
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    BEST,
    DECLARED,
    HANDS,
    LAST_SIDE,
    LED,
    LENGTH,
    MATTO_SIDE,
    NO_CARD,
    PACK,
    PILES,
    POSITION_WORDS,
    SCORING,
    SEATS,
    SIDES,
    TRICK,
    TRICKS_LEFT,
    TURN,
    WINNER,
)
from tarocchi_engine.moves import Declare, Discard, Event, Move, Play
from tarocchi_engine.variant import Variant


class Phase(StrEnum):
    """What the seat to move has to decide."""

    DISCARD = "discard"
    DECLARE = "declare"
    PLAY = "play"
    END = "end"


_PHASE_OF = {Discard: Phase.DISCARD, Declare: Phase.DECLARE, Play: Phase.PLAY}


@dataclass(frozen=True, slots=True)
class Trick:
    """A complete trick: cards in playing order from the leader, and the seat that won them."""

    leader: int
    cards: tuple[int, ...]
    winner: int


class Table:
    """The public side of a deal in progress; `apply` changes it in place, `copy` keeps the old one."""

    __slots__ = (
        "announced_trump_count",
        "cannot_hold",
        "dealer",
        "declared_points",
        "events",
        "leader",
        "matto_seat",
        "phase",
        "piles",
        "played",
        "shown",
        "trick",
        "tricks",
        "turn",
        "variant",
    )

    def __init__(self, variant: Variant, dealer: int) -> None:
        seats = variant.seat_count
        self.variant = variant
        self.dealer = dealer
        self.phase = Phase.DISCARD
        self.turn: int = dealer
        self.leader = variant.next_seat(dealer)
        self.trick: tuple[int, ...] = ()
        """Cards on the table, from the leader on."""
        self.tricks: tuple[Trick, ...] = ()
        self.played = [0] * seats
        """The cards that each seat has played."""
        self.shown: list[int | None] = [None] * seats
        """The declaration of each seat, None before it."""
        self.cannot_hold = [0] * seats
        """Cards that a seat has proved not to hold by not following suit or not trumping."""
        self.announced_trump_count: int | None = None
        self.piles = [0, 0]
        """The tricks of each side as taken."""
        self.declared_points = [0, 0]
        self.matto_seat: int | None = None
        """The seat that has played the Matto."""
        self.events: tuple[Event, ...] = ()

    def copy(self) -> Table:
        """Returns a table that can be changed without touching this one."""
        other = Table.__new__(Table)
        for name in Table.__slots__:
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, list) else value)
        return other

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return self.phase is Phase.END

    @property
    def led(self) -> int:
        """The cards that follow suit, all cards while no suit is fixed (a Matto led fixes none)."""
        return next((lane_of(card) for card in self.trick if card != MATTO), ALL_MASK)

    @property
    def tricks_left(self) -> int:
        """The number of tricks not yet complete."""
        return self.variant.trick_count - len(self.tricks)

    def seat_of(self, place: int) -> int:
        """Returns the seat that plays `place`-th (from 0) to the current trick."""
        return (self.leader + place) % self.variant.seat_count

    def exposed(self, seat: int) -> int:
        """Returns the cards that everybody knows to be in a seat's hand."""
        return (self.shown[seat] or 0) & ~self.played[seat]

    def trick_counts(self) -> tuple[int, int]:
        """Returns how many tricks each side has won."""
        second = sum(self.variant.side_of(trick.winner) for trick in self.tricks)
        return len(self.tricks) - second, second

    def apply(self, seat: int, move: Move) -> None:
        """Makes a move; raises `IllegalMoveError` for one that the public record rules out.

        A card played where the seat still has to declare counts as declaring nothing first.
        """
        self.check_turn(seat)
        if self.phase is Phase.DECLARE and isinstance(move, Play):
            self.apply(seat, Declare(0))
        if _PHASE_OF[type(move)] is not self.phase:
            raise IllegalMoveError(
                "WRONG_PHASE",
                f"seat {seat} has to {self.phase}, not to {_PHASE_OF[type(move)]}",
                _PHASE_OF[type(move)].value,
            )
        match move:
            case Discard():
                self._discard(move)
            case Declare(cards):
                self._declare(seat, cards)
            case Play(card):
                self._play(seat, card)
        self.events = (*self.events, Event(seat, move))

    def check_turn(self, seat: int) -> None:
        """Raises `IllegalMoveError` unless it is the turn of `seat`."""
        if self.phase is Phase.END:
            raise IllegalMoveError("DEAL_OVER", "the deal has ended: remove the moves after its last card")
        if seat != self.turn:
            raise IllegalMoveError(
                "OUT_OF_TURN",
                f"seat {seat} moves but it is the turn of seat {self.turn} to {self.phase}",
                "seat",
            )

    def _discard(self, move: Discard) -> None:
        self.announced_trump_count = move.announced_trump_count
        self.turn = self.leader
        self.phase = self._phase_before_card()

    def _phase_before_card(self) -> Phase:
        declares = self.variant.has_declarations and self.shown[self.turn] is None
        return Phase.DECLARE if declares else Phase.PLAY

    def _declare(self, seat: int, cards: int) -> None:
        self.variant.check_declaration(cards)
        if cards.bit_count() > self.variant.hand_size:
            raise IllegalMoveError(
                "DECLARATION_SIZE",
                f"{cards.bit_count()} cards shown: a hand has {self.variant.hand_size}",
                "declare.cards",
            )
        for other, shown in enumerate(self.shown):
            if gone := cards & ((shown or 0) | self.played[other]):
                names = " ".join(self.variant.pack.format_mask(gone))
                raise IllegalMoveError(
                    "CARD_ELSEWHERE", f"{names} was already shown or played by seat {other}", "declare.cards"
                )
        self.shown[seat] = cards
        self.declared_points[self.variant.side_of(seat)] += self.variant.declaration_points(cards)
        self.phase = Phase.PLAY

    def _play(self, seat: int, card: int) -> None:
        bit = 1 << card
        led = self.led
        self._check_card(seat, card, led)
        if card == MATTO:
            self.matto_seat = seat
        elif not bit & led:
            self.cannot_hold[seat] |= led if bit & TRUMP_MASK else led | TRUMP_MASK
        self.played[seat] |= bit
        self.trick = (*self.trick, card)
        if len(self.trick) == self.variant.seat_count:
            self._complete_trick()
        else:
            self.turn = self.variant.next_seat(seat)
        if self.phase is not Phase.END:
            self.phase = self._phase_before_card()

    def _check_card(self, seat: int, card: int, led: int) -> None:
        """Raises if what is known to all rules out that `seat` plays `card`."""
        bit = 1 << card
        variant = self.variant
        elsewhere = self.played[seat]
        for other in range(variant.seat_count):
            if other != seat:
                elsewhere |= self.played[other] | (self.shown[other] or 0)
        if elsewhere & bit:
            self._refuse_card_elsewhere(card)
        shown = self.shown[seat] or 0
        known = self.played[seat] | shown | bit
        if self.cannot_hold[seat] & bit:
            raise self._refused("SUIT_DENIED_EARLIER", seat, card, "earlier showed that it has none")
        if known.bit_count() > variant.hand_size:
            raise self._refused(
                "CARD_NOT_IN_HAND", seat, card, "has shown all the cards it still holds, this not among them"
            )
        self._check_obligation(seat, card, led)
        if seat == self.dealer and self.announced_trump_count:
            cases = variant.kept_hand_cases(self.announced_trump_count)
            if all(known & absent for absent in cases):
                reason = "laid away a trump, so it cannot have kept this with the other cards it has shown or played"
                raise self._refused("DISCARD_CONTRADICTED", seat, card, reason)
        if shown and not variant.shows_all(shown, known):
            reason = "had more to show with it than it did: all combinations are shown or none"
            raise self._refused("DECLARATION_INCOMPLETE", seat, card, reason)

    def _refused(self, reason: str, seat: int, card: int, but: str) -> IllegalMoveError:
        """Returns the error for a card that a seat cannot have played."""
        name = self.variant.pack.format_card(card)
        return IllegalMoveError(reason, f"seat {seat} plays {name} but {but}", "play.card")

    def _refuse_card_elsewhere(self, card: int) -> None:
        """Raises the error for a card that was played before or lies in another hand for all to see."""
        name = self.variant.pack.format_card(card)
        for other in range(self.variant.seat_count):
            if self.played[other] >> card & 1:
                raise IllegalMoveError("CARD_ALREADY_PLAYED", f"{name} was already played by seat {other}", "play.card")
            if self.exposed(other) >> card & 1:
                raise IllegalMoveError(
                    "CARD_ELSEWHERE", f"{name} was shown by seat {other}, which holds it", "play.card"
                )

    def _check_obligation(self, seat: int, card: int, led: int) -> None:
        """Raises if cards known to be in the hand had to be played instead."""
        if card == MATTO or 1 << card & led:
            return
        held = self.exposed(seat)
        due = held & led or (0 if 1 << card & TRUMP_MASK else held & TRUMP_MASK)
        if due:
            names = " or ".join(self.variant.pack.format_mask(due))
            raise IllegalMoveError("MUST_FOLLOW", f"seat {seat} holds {names} and must play that suit", "play.card")

    def winning_place(self) -> int:
        """Returns which card of the trick wins so far (its place from 0), -1 while only the Matto lies there."""
        best = -1
        for place, card in enumerate(self.trick):
            if card == MATTO:
                continue
            if best < 0 or self.variant.pack.beaten_by(self.trick[best]) >> card & 1:
                best = place
        return best

    def _complete_trick(self) -> None:
        winner = self.seat_of(self.winning_place())
        self.piles[self.variant.side_of(winner)] |= sum(1 << card for card in self.trick)
        self.tricks = (*self.tricks, Trick(self.leader, self.trick, winner))
        self.trick = ()
        self.leader = self.turn = winner
        if len(self.tricks) == self.variant.trick_count:
            self.phase = Phase.END

    def position(self, hands: list[int], aside: int) -> NDArray[np.uint64]:
        """Returns the kernels' form of this table with the given hands and discard.

        The Matto belongs to the side that has played it or holds it; side 0 stands in where it lies with nobody.
        """
        variant = self.variant
        words = [0] * POSITION_WORDS
        words[HANDS : HANDS + variant.seat_count] = hands
        words[PILES : PILES + 2] = self.piles
        words[ASIDE] = aside
        words[TRICK] = sum(1 << card for card in self.trick)
        words[LED] = self.led
        best = self.winning_place()
        words[BEST] = self.trick[best] if best >= 0 else NO_CARD
        words[WINNER] = self.seat_of(max(best, 0))
        words[TURN] = self.turn
        words[LENGTH] = len(self.trick)
        words[TRICKS_LEFT] = self.tricks_left
        holder = self.matto_seat
        if holder is None:
            holder = next((seat for seat, hand in enumerate(hands) if hand & MATTO_MASK), 0)
        words[MATTO_SIDE] = variant.side_of(holder)
        words[ASIDE_SIDE] = variant.side_of(self.dealer)
        words[LAST_SIDE] = variant.side_of(self.tricks[-1].winner) if self.tricks else 0
        words[DECLARED : DECLARED + 2] = [2 * points for points in self.declared_points]
        words[SEATS] = variant.seat_count
        words[SIDES] = variant.side_bits
        words[PACK] = 64 * variant.pack.index
        words[SCORING] = variant.scoring
        return np.array(words, dtype=np.uint64)
