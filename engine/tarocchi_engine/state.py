"""The full truth of a deal: all hands, the discard and the table. Immutable; moves return a new state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, cards_in
from tarocchi_engine.errors import (
    DealNotOverError,
    Fault,
    IllegalMoveError,
    InvalidDealError,
    check_kind,
    is_integer,
)
from tarocchi_engine.legality import (
    can_call_out,
    check_cards,
    checked_move,
    count_legal_moves,
    hand_fault,
    legal_moves_of,
    no_such_cards,
    receiver,
    seat_fault,
)
from tarocchi_engine.match import FIRST_DEAL, Standing, check_standing, find_standing_faults
from tarocchi_engine.moves import CARDS_WANTED, CallOut, Discard, Event, Move, check_move
from tarocchi_engine.observation import Observation, observed_move
from tarocchi_engine.options import given_options
from tarocchi_engine.position import make_position
from tarocchi_engine.record import Phase, Trick
from tarocchi_engine.rng import split
from tarocchi_engine.table import Table, out_of_turn
from tarocchi_engine.variant import DealScore, Ending, SideScore, Variant

_SHUFFLE, _DEALER = 1, 2


@dataclass(frozen=True, slots=True)
class State:
    """A deal in progress with every card face up."""

    packets: tuple[tuple[int, ...], ...]
    """For each seat the cards it holds after its first packet, its second, and so on, before it parts with any."""
    stock: int
    """The cards dealt to nobody, which a declarer may have taken."""
    aside: int
    """The cards in no hand: those laid away, or a stock that nobody has taken; empty before a dealer's discard."""
    table: Table

    @classmethod
    def new(
        cls,
        variant: Variant,
        dealer: int,
        hands: Sequence[int],
        standing: Standing = FIRST_DEAL,
        *,
        stock: int = 0,
        order: Sequence[Sequence[int]] | None = None,
    ) -> State:
        """Returns the start of a deal.

        Args:
            variant: the game.
            dealer: the seat that deals.
            hands: the cards dealt to each seat in the end.
            standing: the match before this deal.
            stock: the cards dealt to nobody, in games that have a stock.
            order: the cards of each seat in the order in which they were dealt, for games that decide between
                packets; from the lowest bit if None.

        Raises:
            InvalidDealError: the hands are no whole pack rightly dealt, or the match has no deal left.
        """
        _check_frame(variant, dealer, standing)
        for seat, hand in enumerate(hands):
            check_kind(f"hands[{seat}]", hand, is_integer(hand), CARDS_WANTED)
        check_kind("stock", stock, is_integer(stock), CARDS_WANTED)
        faults = find_deal_faults(variant, dealer, hands, stock)
        faults.extend(fault.below("standing") for fault in find_standing_faults(variant, standing))
        if faults:
            raise InvalidDealError(faults)
        order = order or [list(cards_in(hand)) for hand in hands]
        packets = tuple(
            tuple(sum(1 << card for card in order[seat][:count]) for count in accumulate(variant.packets(seat, dealer)))
            for seat in range(variant.seat_count)
        )
        table = Table(variant, dealer, standing)
        return _decline_hopeless_call_out(cls(packets, stock, stock, table))

    @property
    def dealt(self) -> tuple[int, ...]:
        """All cards dealt to each seat, the dealer's before the discard."""
        return tuple(held[-1] for held in self.packets)

    @property
    def hands(self) -> tuple[int, ...]:
        """The cards now in each hand."""
        return tuple(self._hand(seat) for seat in range(self.variant.seat_count))

    def _hand(self, seat: int) -> int:
        held = self.dealt_by_now(seat) & ~self.table.played[seat]
        return held & ~self.aside if self.table.discard_made and seat == self.table.discarder else held

    def dealt_by_now(self, seat: int) -> int:
        """Returns the cards that a seat has been dealt so far, with the stock if it has taken that."""
        held = self.packets[seat][self.table.packets_dealt(seat) - 1]
        return held | self.stock if self.table.has_taken_stock(seat) else held

    @property
    def standing(self) -> Standing:
        """The match before this deal."""
        return self.table.standing

    @property
    def variant(self) -> Variant:
        """The variant played."""
        return self.table.variant

    @property
    def phase(self) -> Phase:
        """What the seat to move has to decide."""
        return self.table.phase

    @property
    def turn(self) -> int | None:
        """The seat to move, None after the end."""
        return None if self.table.is_over else self.table.turn

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The complete tricks."""
        return self.table.tricks

    @property
    def events(self) -> tuple[Event, ...]:
        """All moves made, with the discard face up."""
        return self.table.events

    def moments(self) -> Iterator[State]:
        """Yields the deal as it stood before each of its events."""
        table = Table(self.variant, self.table.dealer, self.standing)
        for event in self.events:
            is_taken = any(table.has_taken_stock(seat) for seat in range(self.variant.seat_count))
            before_discard = 0 if is_taken else self.stock
            yield State(self.packets, self.stock, self.aside if table.discard_made else before_discard, table)
            table = table.copy()
            table.apply(event.seat, event.move)

    def legal_moves(self) -> tuple[Move, ...]:
        """Returns every legal move of the seat to move, never empty before the end.

        Discards and declarations may be too many to list: then a selection, of `legal_move_count`.
        """
        return () if self.table.is_over else legal_moves_of(self.table, self._hand(self.table.turn))

    @property
    def legal_move_count(self) -> int:
        """The number of legal moves, 0 after the end."""
        return 0 if self.table.is_over else count_legal_moves(self.table, self._hand(self.table.turn))

    def apply_move(self, move: Move) -> State:
        """Returns the state after the seat to move makes `move`; raises `IllegalMoveError`.

        A dealer who cannot call itself out takes its last cards without being asked.
        """
        check_move(move)
        check_cards(move)
        table = self.table.copy()
        seat = table.turn
        if not table.is_over:
            if implied := table.implied_before(move):
                table.apply(seat, implied)
            # the refusal of a call-out brings the dealer its last packet
            move = checked_move(table, State(self.packets, self.stock, self.aside, table)._hand(seat), move)
        table.apply(seat, move)
        aside = self.aside
        if isinstance(move, Discard):
            aside = move.cards or 0
        elif table.discarder is not None and not table.discard_made:
            aside = 0  # a stock that was taken
        return _decline_hopeless_call_out(State(self.packets, self.stock, aside, table))

    def observe(self, seat: int) -> Observation:
        """Returns what `seat` knows: the cards dealt to it and the events as it saw them.

        Raises IndexError if there is no such seat.
        """
        table = self.table
        check_kind("seat", seat, is_integer(seat), f"an integer from 0 to {table.variant.seat_count - 1}")
        if not 0 <= seat < table.variant.seat_count:
            raise IndexError(f"there is no seat {seat}: seats are 0 to {table.variant.seat_count - 1}")
        seen = table.events
        if table.phase is Phase.DISCARD and seat != table.dealer and seen[-1:] == (Event(table.dealer, CallOut(0)),):
            # that the dealer could not call itself out is told no sooner than that it could and did not
            seen = seen[:-1]
        events = tuple(Event(event.seat, observed_move(event, seat)) for event in seen)
        return Observation(
            table.variant.name,
            seat,
            table.dealer,
            self.dealt_by_now(seat),
            events,
            given_options(table.variant),
            table.standing,
        )

    def score(self) -> DealScore:
        """Returns the count of a finished deal; raises `DealNotOverError` before its end."""
        if not self.table.is_over:
            text = f"the deal is not over: seat {self.table.turn} has to {self.table.phase}, play it to its end first"
            raise DealNotOverError(text)
        if self.table.ending is not Ending.COUNT:
            return uncounted_score(self.table)
        table = self.table
        position = make_position(table, list(self.hands), self.aside)
        return self.variant.score(position, table.trick_counts(), table.contract, table.declarer)


def _decline_hopeless_call_out(state: State) -> State:
    """Returns the state after the refusal of a call-out that could not succeed, else `state` itself."""
    table = state.table
    if table.phase is not Phase.CALL_OUT or can_call_out(table, state._hand(table.turn)):
        return state
    table = table.copy()
    table.apply(table.turn, CallOut(0))
    return State(state.packets, state.stock, state.aside, table)


def uncounted_score(table: Table) -> DealScore:
    """Returns the score of a deal that ended before its count: only what was declared."""
    variant = table.variant
    totals = (float(table.declared_points[0]), float(table.declared_points[1]))
    sides = tuple(SideScore(total=total, card_points=0.0, declarations=int(total)) for total in totals)
    is_scored = table.ending in (Ending.CALL_OUT, Ending.DECLARATION)
    awards = totals if not variant.seats_score_alone else (0.0,) * variant.seat_count
    # who declares last ends the match: the other side may have declared more
    winner = table.side_of(table.events[-1].seat) if is_scored else None
    return DealScore(sides, winner, awards, table.ending or Ending.COUNT)


def find_deal_faults(variant: Variant, dealer: int, hands: Sequence[int], stock: int = 0) -> list[Fault]:
    """Returns everything wrong with a deal of a whole pack; empty if it can be played."""
    if not 0 <= dealer < variant.seat_count:
        return [seat_fault("dealer", dealer, variant)]
    if len(hands) != variant.seat_count:
        return [
            Fault(
                "hands",
                "HAND_COUNT",
                f"{len(hands)} hands given: {variant.name} has {variant.seat_count} seats",
            )
        ]
    faults = []
    seen = 0
    for seat, hand in enumerate(hands):
        whose = receiver(variant, seat, dealer)
        if fault := hand_fault(f"hands[{seat}]", hand, variant.dealt_to(seat, dealer), whose):
            faults.append(fault)
        hand &= ALL_MASK
        if twice := seen & hand:
            names = " ".join(variant.pack.format_mask(twice))
            message = f"{names} stands in an earlier hand too: give each card to one hand"
            faults.append(Fault(f"hands[{seat}]", "CARD_ELSEWHERE", message))
        seen |= hand
    faults.extend(_stock_faults(variant, stock, seen))
    seen |= stock & ALL_MASK
    if seen != ALL_MASK:
        names = " ".join(variant.pack.format_mask(ALL_MASK & ~seen))
        faults.append(Fault("hands", "INCOMPLETE_PACK", f"nobody was dealt {names}"))
    return faults


def _stock_faults(variant: Variant, stock: int, in_hands: int) -> list[Fault]:
    names = variant.pack.format_mask
    if not 0 <= stock <= ALL_MASK:
        return [Fault("stock", "NO_SUCH_CARD", no_such_cards(stock))]
    if stock.bit_count() != variant.stock_size:
        message = f"{stock.bit_count()} cards in the stock: it has {variant.stock_size} in {variant.name}"
        return [Fault("stock", "STOCK_SIZE", message)]
    if twice := stock & in_hands:
        message = f"{' '.join(names(twice))} stands in a hand too: give each card to a hand or the stock"
        return [Fault("stock", "CARD_ELSEWHERE", message)]
    return []


def new_deal(variant: Variant, seed: int, dealer: int | None = None, standing: Standing = FIRST_DEAL) -> State:
    """Deals a pack shuffled by `seed`, as one deal of a match; without `dealer` the seed draws one too.

    Raises `InvalidDealError` if there is no such seat or the match has no deal left, ValueError for a seed outside
    0 to 2**64 - 1, TypeError for arguments of other kinds.
    """
    _check_frame(variant, 0 if dealer is None else dealer, standing)
    check_kind("seed", seed, is_integer(seed), "an integer from 0 to 2**64 - 1")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed}: give an integer from 0 to 2**64 - 1")
    if dealer is None:
        dealer = split(seed, _DEALER) % variant.seat_count
    order = list(range(CARD_COUNT))
    for last in range(CARD_COUNT - 1, 0, -1):
        other = split(seed, _SHUFFLE, last) % (last + 1)
        order[last], order[other] = order[other], order[last]
    hands = []
    for seat in range(variant.seat_count):
        count = variant.dealt_to(seat, dealer)
        hands.append(order[:count])
        order = order[count:]
    masks = [sum(1 << card for card in hand) for hand in hands]
    return State.new(variant, dealer, masks, standing, stock=sum(1 << card for card in order), order=hands)


def _check_frame(variant: object, dealer: object, standing: object) -> None:
    """Raises TypeError for what is no variant, no number of a seat, or no standing."""
    check_kind("variant", variant, isinstance(variant, Variant), "a variant, such as get_variant('bolognese')")
    check_kind("dealer", dealer, is_integer(dealer), "the number of a seat, an integer from 0")
    check_standing(standing)


def replay(state: State, moves: Iterable[Move | Event]) -> State:
    """Makes moves one after another; raises `InvalidDealError` that names the first impossible one.

    A record may name the refusal that a dealer who could not call itself out was not asked for.
    """
    was_refused = _ends_with_refusal(state)
    for index, entry in enumerate(moves):
        path = f"events[{index}]"
        move = entry.move if isinstance(entry, Event) else entry
        if isinstance(entry, Event) and state.turn not in (None, entry.seat):
            raise InvalidDealError([Fault(f"{path}.seat", "OUT_OF_TURN", out_of_turn(state.table, entry.seat))])
        if was_refused and move == CallOut(0):
            was_refused = False
            continue
        try:
            state = state.apply_move(move)
        except IllegalMoveError as error:
            raise InvalidDealError([Fault(error.field, error.reason, error.message).below(path)]) from error
        was_refused = move != CallOut(0) and _ends_with_refusal(state)
    return state


def _ends_with_refusal(state: State) -> bool:
    """Tells whether the latest event is that the dealer does not call itself out."""
    return bool(state.events) and state.events[-1].move == CallOut(0)
