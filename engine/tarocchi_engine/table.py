"""The table: the public record of a deal, brought forward move by move.

Both the full state and each seat's view are this table and the cards they know. The table checks turns and what may be
said or shown; `tarocchi_engine.evidence` what the record rules out about a card.
"""

from __future__ import annotations

from tarocchi_engine.cards import MATTO, TRUMP_MASK, lane_of
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.evidence import check_card, check_shown, check_signal
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Event, Give, Monte, Move, Play, Signal, field_of
from tarocchi_engine.record import Phase, Record, Trick
from tarocchi_engine.variant import Ending

_PHASE_OF = {
    Monte: Phase.MONTE,
    Bid: Phase.BID,
    CallOut: Phase.CALL_OUT,
    Discard: Phase.DISCARD,
    Declare: Phase.DECLARE,
    Play: Phase.PLAY,
    Give: Phase.GIVE,
}


def out_of_turn(record: Record, seat: int) -> str:
    """Returns what is wrong with a move of a seat that is not to move."""
    turn = f"seat {seat} moves but it is the turn of seat {record.turn} to {record.phase}"
    return f"{turn}: correct the seat, or give the move that is missing before this"


class Table(Record):
    """The public side of a deal in progress; `apply` changes it in place, `copy` keeps the old one."""

    __slots__ = ()

    def apply(self, seat: int, move: Move) -> None:
        """Makes a move; raises `IllegalMoveError` for one that the public record rules out.

        A card played where the seat still has to declare counts as declaring nothing first, and a discard where the
        dealer might call itself out as not doing so.
        """
        self.check_turn(seat)
        if implied := self.implied_before(move):
            self.apply(seat, implied)
        if _PHASE_OF[type(move)] is not self.phase:
            raise IllegalMoveError(
                "WRONG_PHASE",
                f"seat {seat} has to {self.phase}, not to {_PHASE_OF[type(move)]}: give that move, or the one that is "
                "missing before this",
                field_of(move),
            )
        match move:
            case Play(card, signal):
                self._play(seat, card, signal)
            case Monte(throws_in):
                self._say_monte(seat, throws_in)
            case Bid(call):
                self._bid(seat, call)
            case CallOut(cards):
                self._call_out(seat, cards)
            case Discard():
                self._discard(move)
            case Declare(cards):
                self._declare(seat, cards)
            case Give(card):
                self._give(card)
        self.events = (*self.events, Event(seat, move))

    def check_turn(self, seat: int) -> None:
        """Raises `IllegalMoveError` unless it is the turn of `seat`."""
        if self.phase is Phase.END:
            raise IllegalMoveError("DEAL_OVER", "the deal has ended: remove the moves after its end")
        if seat != self.turn:
            raise IllegalMoveError("OUT_OF_TURN", out_of_turn(self, seat), "seat")

    def implied_before(self, move: Move) -> Move | None:
        """Returns the refusal that may be left out of a record before `move`, None if none is due."""
        if self.phase is Phase.DECLARE and isinstance(move, Play):
            return Declare(0)
        if self.phase is Phase.CALL_OUT and isinstance(move, Discard):
            return CallOut(0)
        return None

    def _say_monte(self, seat: int, throws_in: bool) -> None:
        if throws_in and seat == self.dealer:
            self._end(Ending.THROWN_IN)
        elif throws_in:
            self.turn = self.variant.next_seat(seat)
        else:
            self.turn = self.dealer
            self.phase = Phase.CALL_OUT if self.variant.has_call_out else Phase.DISCARD

    def _bid(self, seat: int, call: Call) -> None:
        if call not in self.legal_calls():
            raise IllegalMoveError("BID_TOO_LOW", "gioco was called already: pass, or outbid it with solo", "bid.call")
        self.calls = (*self.calls, call)
        if call is not Call.PASS:
            self.contract, self.declarer = call, seat
        if call is not Call.SOLO and len(self.calls) < self.variant.seat_count:
            self.turn = self.variant.next_seat(seat)
        elif self.declarer is None:
            self._end(Ending.PASSED)
        else:
            self.sides = ((1 << self.variant.seat_count) - 1) & ~(1 << self.declarer)
            if self.contract is Call.GIOCO:
                self.phase, self.turn = Phase.DISCARD, self.declarer
            else:
                self._begin_tricks()

    def _call_out(self, seat: int, cards: int) -> None:
        if not cards:
            self.phase = Phase.DISCARD
            return
        self._show(seat, cards, "call_out.cards")
        if not self.has_reached_target(self.side_of(seat)):
            points = f"{self.variant.declaration_points(cards)} points do not reach {self.variant.match_target}"
            message = f"{points}: the dealer calls itself out only when they do, otherwise show nothing and go on"
            raise IllegalMoveError("TARGET_NOT_REACHED", message, "call_out.cards")
        self._end(Ending.CALL_OUT)

    def _end(self, ending: Ending) -> None:
        self.ending = ending
        self.phase = Phase.END

    def _discard(self, move: Discard) -> None:
        self.discard_made = True
        self.announced_trump_count = move.announced_trump_count
        self._begin_tricks()

    def _begin_tricks(self) -> None:
        self.turn = self.leader
        self.phase = self._phase_before_card()

    def _phase_before_card(self) -> Phase:
        declares = self.variant.has_declarations and self.shown[self.turn] is None
        return Phase.DECLARE if declares else Phase.PLAY

    def _declare(self, seat: int, cards: int) -> None:
        self._show(seat, cards, "declare.cards")
        if self.has_reached_target(self.side_of(seat)):
            self._end(Ending.DECLARATION)
        else:
            self.phase = Phase.PLAY

    def _show(self, seat: int, cards: int, field: str) -> None:
        check_shown(self, seat, cards, field)
        self.shown[seat] = cards
        self.declared_points[self.side_of(seat)] += self.variant.declaration_points(cards)

    def _play(self, seat: int, card: int, signal: Signal | None) -> None:
        bit = 1 << card
        led = self.led
        check_card(self, seat, card)
        if signal is not None:
            check_signal(self, seat, card, signal)
        if card == MATTO:
            self.matto_seat = seat
        elif not bit & led:
            self.cannot_hold[seat] |= led if bit & TRUMP_MASK else led | TRUMP_MASK
        if self.must_hold[seat]:
            self.must_hold[seat] = tuple(held for held in self.must_hold[seat] if not held & bit)
        if signal is Signal.VOLO:
            self.cannot_hold[seat] |= lane_of(card) & ~bit
        elif signal is Signal.STRISCIO and self.variant.striscio_is_true:
            self.must_hold[seat] = (*self.must_hold[seat], lane_of(card))
        self.played[seat] |= bit
        self.trick = (*self.trick, card)
        if len(self.trick) == self.variant.seat_count:
            self._complete_trick()
        else:
            self.turn = self.variant.next_seat(seat)
        if self.phase in (Phase.DECLARE, Phase.PLAY):
            self.phase = self._phase_before_card()

    def _complete_trick(self) -> None:
        winner = self.seat_of(self.winning_place())
        self.piles[self.side_of(winner)] |= sum(1 << card for card in self.trick)
        self.tricks = (*self.tricks, Trick(self.leader, self.trick, winner))
        self.trick = ()
        self.leader = self.turn = winner
        if len(self.tricks) < self.variant.trick_count:
            return
        if self.variant.giver_chooses and self._owes_for_matto():
            assert self.matto_seat is not None
            self.phase, self.turn = Phase.GIVE, self.matto_seat
        else:
            self._end(Ending.COUNT)

    def _give(self, card: int) -> None:
        if card not in (cards := self.cards_to_give()):
            format_card = self.variant.pack.format_card
            raise IllegalMoveError(
                "CARD_NOT_TO_GIVE",
                f"{format_card(card)} is none of the least valuable cards of the giver's pile: "
                f"give one of {' '.join(format_card(card) for card in cards)}",
                "give.card",
            )
        self.given = card
        self._end(Ending.COUNT)
