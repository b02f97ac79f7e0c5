"""The public record of a deal: what all seats know of it at one time, and what follows from that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from tarocchi_engine.cards import ALL_MASK, MATTO, MATTO_MASK, lane_of
from tarocchi_engine.match import FIRST_DEAL, Standing
from tarocchi_engine.moves import Call, Event
from tarocchi_engine.variant import Ending, Variant


class Phase(StrEnum):
    """What the seat to move has to decide."""

    MONTE = "say monte or play"
    BID = "bid"
    CALL_OUT = "call out or take the last cards"
    DISCARD = "discard"
    DECLARE = "declare"
    PLAY = "play"
    GIVE = "give a card for the Matto"
    END = "end"


@dataclass(frozen=True, slots=True)
class Trick:
    """A complete trick: cards in playing order from the leader, and the seat that won them."""

    leader: int
    cards: tuple[int, ...]
    winner: int


class Record:
    """What all seats know of a deal in progress."""

    __slots__ = (
        "announced_trump_count",
        "calls",
        "cannot_hold",
        "contract",
        "dealer",
        "declared_points",
        "declarer",
        "discard_made",
        "ending",
        "events",
        "given",
        "leader",
        "matto_seat",
        "must_hold",
        "phase",
        "piles",
        "played",
        "shown",
        "sides",
        "standing",
        "trick",
        "tricks",
        "turn",
        "variant",
    )

    def __init__(self, variant: Variant, dealer: int, standing: Standing = FIRST_DEAL) -> None:
        seats = variant.seat_count
        self.variant = variant
        self.dealer = dealer
        self.standing = standing
        """The match before this deal."""
        self.leader = variant.next_seat(dealer)
        self.phase = Phase.DISCARD
        self.turn: int = dealer
        if variant.has_auction:
            self.phase, self.turn = Phase.BID, self.leader
        elif variant.has_monte_poll:
            self.phase, self.turn = Phase.MONTE, self.leader
        elif variant.has_call_out:
            self.phase = Phase.CALL_OUT
        self.ending: Ending | None = None
        self.sides = variant.side_bits
        """Bit s is the side of seat s."""
        self.calls: tuple[Call, ...] = ()
        """The auction, from the dealer's right on."""
        self.contract: Call | None = None
        """What is played after an auction, in it the highest call so far, and ..."""
        self.declarer: int | None = None
        """... the seat that called it, which then plays on side 0 against all others."""
        self.discard_made = False
        self.trick: tuple[int, ...] = ()
        """Cards on the table, from the leader on."""
        self.tricks: tuple[Trick, ...] = ()
        self.played = [0] * seats
        """The cards that each seat has played."""
        self.shown: list[int | None] = [None] * seats
        """The declaration of each seat, None before it."""
        self.cannot_hold = [0] * seats
        """Cards that a seat has proved not to hold by not following suit or not trumping, or by a signal."""
        self.must_hold: list[tuple[int, ...]] = [()] * seats
        """For each seat the sets of which it has said, by a signal, to hold a card still; until it plays one."""
        self.announced_trump_count: int | None = None
        self.given: int | None = None
        """The card given for the Matto by choice."""
        self.piles = [0, 0]
        """The tricks of each side as taken."""
        self.declared_points = [0, 0]
        self.matto_seat: int | None = None
        """The seat that has played the Matto."""
        self.events: tuple[Event, ...] = ()

    def copy(self) -> Self:
        """Returns a record that can be changed without touching this one."""
        other = type(self).__new__(type(self))
        for name in Record.__slots__:
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
        for card in self.trick:
            if card != MATTO:
                return lane_of(card)
        return ALL_MASK

    @property
    def tricks_left(self) -> int:
        """The number of tricks not yet complete."""
        return self.variant.trick_count - len(self.tricks)

    def side_of(self, seat: int) -> int:
        """Returns the side, 0 or 1, of a seat; in an auction game the declarer is on side 0, before it nobody."""
        return self.sides >> seat & 1

    def seat_of(self, place: int) -> int:
        """Returns the seat that plays `place`-th (from 0) to the current trick."""
        return (self.leader + place) % self.variant.seat_count

    @property
    def discarder(self) -> int | None:
        """The seat that lays cards away: the dealer, or the declarer who takes the stock; None if nobody does."""
        if not self.variant.has_auction:
            return self.dealer
        # the stock is taken when the auction is over, not at the first bid
        return self.declarer if self.contract is Call.GIOCO and self.phase is not Phase.BID else None

    def packets_dealt(self, seat: int) -> int:
        """Returns how many packets of cards a seat has been dealt by now."""
        if self.phase is Phase.MONTE or self.ending is Ending.THROWN_IN:
            return 1
        count = len(self.variant.packets(seat, self.dealer))
        before_last = self.phase is Phase.CALL_OUT or self.ending is Ending.CALL_OUT
        return count - 1 if before_last and seat == self.dealer else count

    def has_taken_stock(self, seat: int) -> bool:
        """Tells whether a seat has taken the stock."""
        return self.variant.has_auction and seat == self.discarder

    def cards_dealt(self, seat: int) -> int:
        """Returns how many cards a seat has been dealt by now, the stock it has taken included."""
        count = sum(self.variant.packets(seat, self.dealer)[: self.packets_dealt(seat)])
        return count + (self.variant.stock_size if self.has_taken_stock(seat) else 0)

    def exposed(self, seat: int) -> int:
        """Returns the cards that everybody knows to be in a seat's hand."""
        return (self.shown[seat] or 0) & ~self.played[seat]

    def trick_counts(self) -> tuple[int, int]:
        """Returns how many tricks each side has won."""
        second = sum(self.side_of(trick.winner) for trick in self.tricks)
        return len(self.tricks) - second, second

    def legal_calls(self) -> tuple[Call, ...]:
        """Returns what the seat to bid may say: gioco before any bid, solo before any solo (A-37)."""
        return (Call.PASS, Call.SOLO) if Call.GIOCO in self.calls else tuple(Call)

    def points_to_target(self, side: int) -> float | None:
        """Returns how many points declared in this deal end the match for a side, None where no score ends it."""
        target = self.variant.match_target
        return None if target is None else target - self.standing.scores_in(self.variant)[side]

    def has_reached_target(self, side: int) -> bool:
        """Tells whether a side has declared something in this deal and has the score that ends the match with it."""
        needed, declared = self.points_to_target(side), self.declared_points[side]
        return needed is not None and declared > 0 and declared >= needed

    def winning_place(self) -> int:
        """Returns which card of the trick wins so far (its place from 0), -1 while only the Matto lies there."""
        best = -1
        for place, card in enumerate(self.trick):
            if card == MATTO:
                continue
            if best < 0 or self.variant.pack.beaten_by(self.trick[best]) >> card & 1:
                best = place
        return best

    def _owes_for_matto(self) -> bool:
        """Tells whether the side that played the Matto has to hand over a card: the other side won that trick."""
        if self.matto_seat is None:
            return False
        side = self.side_of(self.matto_seat)
        return bool(self.piles[side]) and bool(self.piles[1 - side] & MATTO_MASK)

    def cards_to_give(self) -> tuple[int, ...]:
        """Returns the cards among which the giver chooses: those of least value in its pile but the Matto."""
        assert self.matto_seat is not None
        side = self.side_of(self.matto_seat)
        owner = self.tricks[-1].winner if self.discarder is None else self.discarder
        pile = self.piles[side]
        if self.side_of(owner) == side:  # what lies in no trick was laid aside, as all can tell
            pile |= ALL_MASK & ~(self.piles[0] | self.piles[1])
        cards = self.variant.pack.in_display_order(pile & ~MATTO_MASK)
        least = min((self.variant.pack.points[card] for card in cards), default=0)
        return tuple(card for card in cards if self.variant.pack.points[card] == least)
