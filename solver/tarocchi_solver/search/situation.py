"""What a seat that has to play a card knows for sure about the trick and about what its cards are worth."""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

from tarocchi_engine import Play, View
from tarocchi_engine.cards import ALL_MASK, FIRST_TRUMP, MATTO, lane_of

WINNER_PRICE: Final = 6.0
"""What it costs to throw away a card that nothing can beat any more, in points: about a trick."""
MATTO_PRICE: Final = 2.5
"""What it costs to spend the Matto on a lost trick, in points: more than a Jack, less than a Knight."""


class Outcome(NamedTuple):
    """What becomes of the trick with a card."""

    seat: int | None
    """Who holds it then, None while only the Matto lies there."""
    is_own: bool
    """Whether that is the seat itself or its partner."""
    is_sure: bool
    """Whether no seat of the other side that is still to play can take it."""


class Situation:
    """What a seat that has to play a card knows for sure."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.table = view.table
        self.pack = view.variant.pack
        self.side = self.table.side_of(view.seat)
        self.is_lead = not self.table.trick
        legal = [move.card for move in view.legal_moves() if isinstance(move, Play)]
        self.legal: tuple[int, ...] = tuple(dict.fromkeys(legal))
        seats = view.variant.seat_count
        still_to_play = range(len(self.table.trick) + 1, seats)
        self.behind = tuple(self.table.seat_of(place) for place in still_to_play)
        others = [seat for seat in range(seats) if seat != view.seat]
        self.opponents = tuple(seat for seat in others if self.table.side_of(seat) != self.side)
        self.partners = tuple(seat for seat in others if self.table.side_of(seat) == self.side)
        self._outcomes = {card: self._outcome(card) for card in self.legal}
        self._worths: dict[int, float] = {}

    def may_hold(self, seat: int) -> int:
        """Returns the cards that another seat may hold."""
        shown = self.table.exposed(seat)
        held = self.view.variant.hand_size - self.table.played[seat].bit_count()
        hidden = self.view.unseen & ~self.table.cannot_hold[seat] if held > shown.bit_count() else 0
        return shown | hidden

    @cached_property
    def out(self) -> int:
        """The cards that the opponents may hold."""
        cards = 0
        for seat in self.opponents:
            cards |= self.may_hold(seat)
        return cards

    def outcome(self, card: int) -> Outcome:
        """Returns what becomes of the trick with a legal card."""
        return self._outcomes[card]

    def _outcome(self, card: int) -> Outcome:
        place = self.table.winning_place()
        seat: int | None
        if card != MATTO and (place < 0 or self.pack.beaten_by(self.table.trick[place]) >> card & 1):
            seat, best = self.view.seat, card
        elif place >= 0:
            seat, best = self.table.seat_of(place), self.table.trick[place]
        else:
            return Outcome(None, False, False)
        led = lane_of(card) if self.table.led == ALL_MASK else self.table.led
        side = self.table.side_of(seat)
        rivals = [other for other in self.behind if self.table.side_of(other) != side]
        is_sure = not any(self._may_beat(rival, best, led) for rival in rivals)
        return Outcome(seat, side == self.side, is_sure)

    def _may_beat(self, seat: int, best: int, led: int) -> bool:
        """Tells whether a seat may beat the best card of the trick; one that must follow suit cannot trump."""
        promised = any(not held & ~led for held in self.table.must_hold[seat])
        allowed = led if promised or self.table.exposed(seat) & led else ALL_MASK
        return bool(self.may_hold(seat) & allowed & self.pack.beaten_by(best))

    @cached_property
    def partner_is_sure(self) -> bool:
        """Whether the trick already belongs to the partner, whatever card anybody plays."""
        place = self.table.winning_place()
        if place < 0 or self.table.seat_of(place) not in self.partners:
            return False
        best = self.table.trick[place]
        rivals = [seat for seat in self.behind if seat in self.opponents]
        return not any(self._may_beat(rival, best, self.table.led) for rival in rivals)

    @cached_property
    def partner_can_take(self) -> bool:
        """Whether a partner still to play has shown a card that beats the best one on the table."""
        place = self.table.winning_place()
        beating = self.pack.beaten_by(self.table.trick[place]) if place >= 0 else 0
        return any(self.table.exposed(seat) & beating for seat in self.behind if seat in self.partners)

    def worth(self, card: int) -> float:
        """Returns what it matters which side takes a card, in points: its own, and those of combinations.

        What the own side's tricks and hand lose without it, and what it adds to the other side's tricks.
        """
        if card not in self._worths:
            points = self.view.variant.declaration_points
            own = self.table.piles[self.side] | self.view.hand
            if self.table.discarder == self.view.seat:
                own |= self.view.aside or 0
            others = self.table.piles[1 - self.side] | sum(1 << played for played in self.table.trick)
            missed = points(own) - points(own & ~(1 << card))
            handed = points(others | 1 << card) - points(others)
            self._worths[card] = float(self.pack.points[card] + missed + handed)
        return self._worths[card]

    def is_winner(self, card: int) -> bool:
        """Tells whether no opponent may hold a card that beats this one."""
        return card != MATTO and not self.out & self.pack.beaten_by(card)

    def heads_suit(self, card: int) -> bool:
        """Tells whether a card of a suit is the best of it in the hand, and no opponent may hold a better one."""
        higher = lane_of(card) & self.pack.beaten_by(card)
        return card < FIRST_TRUMP and not (self.out | self.view.hand) & higher

    def gain(self, card: int) -> float:
        """Returns what it brings to add a card to an own trick: the Matto and the best trump come home anyway."""
        if card == MATTO or (card >= FIRST_TRUMP and self.is_winner(card)):
            return 0.0
        return self.worth(card)

    def price(self, card: int) -> float:
        """Returns what it costs to add a card to a trick of the opponents."""
        if card == MATTO:
            return MATTO_PRICE
        return self.worth(card) + (WINNER_PRICE if self.is_winner(card) else 0.0)

    def are_equal(self, card: int, other: int) -> bool:
        """Tells whether two cards of the hand do the same: neighbours of the suit, as far as cards are still out."""
        if lane_of(card) != lane_of(other) or MATTO in (card, other) or self.worth(card) != self.worth(other):
            return False
        low, high = min(card, other), max(card, other)
        between = ((1 << high) - 1) & ~((2 << low) - 1)
        on_table = sum(1 << played for played in self.table.trick)
        return not between & (self.view.unseen | self._shown_by_others | on_table)

    @cached_property
    def _shown_by_others(self) -> int:
        return sum(self.table.exposed(seat) for seat in (*self.opponents, *self.partners))
