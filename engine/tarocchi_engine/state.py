"""The full truth of a deal: all hands, the discard and the table. Immutable; moves return a new state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tarocchi_engine.cards import ALL_MASK, CARD_COUNT
from tarocchi_engine.errors import DealNotOverError, Fault, IllegalMoveError, InvalidDealError
from tarocchi_engine.legality import check_cards, checked_move, hand_fault, legal_moves_of, seat_fault
from tarocchi_engine.match import FIRST_DEAL, Standing, find_standing_faults
from tarocchi_engine.moves import Declare, Discard, Event, Move, Play
from tarocchi_engine.observation import Observation, observed_move
from tarocchi_engine.options import given_options
from tarocchi_engine.rng import split
from tarocchi_engine.table import Phase, Table, Trick
from tarocchi_engine.variant import DealScore, Variant

_SHUFFLE, _DEALER = 1, 2


@dataclass(frozen=True, slots=True)
class State:
    """A deal in progress with every card face up."""

    dealt: tuple[int, ...]
    """The cards dealt to each seat, the dealer's before the discard."""
    hands: tuple[int, ...]
    """The cards now in each hand."""
    aside: int
    """The dealer's discard, empty before it."""
    table: Table
    standing: Standing = FIRST_DEAL
    """The match before this deal."""

    @classmethod
    def new(cls, variant: Variant, dealer: int, hands: Sequence[int], standing: Standing = FIRST_DEAL) -> State:
        """Returns the start of a deal.

        Raises `InvalidDealError` unless `hands` are a whole pack rightly dealt and the match has a deal left.
        """
        faults = find_deal_faults(variant, dealer, hands)
        faults.extend(fault.below("standing") for fault in find_standing_faults(variant, standing))
        if faults:
            raise InvalidDealError(faults)
        return cls(tuple(hands), tuple(hands), 0, Table(variant, dealer), standing)

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

    def legal_moves(self) -> tuple[Move, ...]:
        """Returns every legal move of the seat to move, never empty before the end."""
        return () if self.table.is_over else legal_moves_of(self.table, self.hands[self.table.turn])

    def apply_move(self, move: Move) -> State:
        """Returns the state after the seat to move makes `move`; raises `IllegalMoveError`."""
        check_cards(move)
        table = self.table.copy()
        seat = table.turn
        if not table.is_over:
            hand = self.hands[seat]
            if table.phase is Phase.DECLARE and isinstance(move, Play):
                table.apply(seat, Declare(0))
            move = checked_move(table, hand, move)
        table.apply(seat, move)
        hands = list(self.hands)
        aside = self.aside
        if isinstance(move, Discard):
            aside = move.cards or 0
            hands[seat] &= ~aside
        elif isinstance(move, Play):
            hands[seat] &= ~(1 << move.card)
        return State(self.dealt, tuple(hands), aside, table, self.standing)

    def observe(self, seat: int) -> Observation:
        """Returns what `seat` knows: the cards dealt to it and the events as it saw them.

        Raises IndexError if there is no such seat.
        """
        table = self.table
        if not 0 <= seat < table.variant.seat_count:
            raise IndexError(f"there is no seat {seat}: seats are 0 to {table.variant.seat_count - 1}")
        events = tuple(Event(event.seat, observed_move(event, seat)) for event in table.events)
        return Observation(
            table.variant.name,
            seat,
            table.dealer,
            self.dealt[seat],
            events,
            given_options(table.variant),
            self.standing,
        )

    def score(self) -> DealScore:
        """Returns the count of a finished deal; raises `DealNotOverError` before its end."""
        if not self.table.is_over:
            raise DealNotOverError(f"the deal is not over: seat {self.table.turn} has to {self.table.phase}")
        position = self.table.position(list(self.hands), self.aside)
        return self.variant.score(position, self.table.trick_counts())


def find_deal_faults(variant: Variant, dealer: int, hands: Sequence[int]) -> list[Fault]:
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
        if fault := hand_fault(f"hands[{seat}]", hand, seat, dealer, variant):
            faults.append(fault)
        hand &= ALL_MASK
        if twice := seen & hand:
            names = " ".join(variant.pack.format_mask(twice))
            faults.append(Fault(f"hands[{seat}]", "CARD_ELSEWHERE", f"{names} stands in an earlier hand too"))
        seen |= hand
    if seen != ALL_MASK:
        names = " ".join(variant.pack.format_mask(ALL_MASK & ~seen))
        faults.append(Fault("hands", "INCOMPLETE_PACK", f"nobody was dealt {names}"))
    return faults


def new_deal(variant: Variant, seed: int, dealer: int | None = None, standing: Standing = FIRST_DEAL) -> State:
    """Deals a pack shuffled by `seed`, as one deal of a match; without `dealer` the seed draws one too.

    Raises `InvalidDealError` if there is no such seat or the match has no deal left, ValueError for a seed outside
    0 to 2**64 - 1.
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed}: give an integer from 0 to 2**64 - 1")
    if dealer is None:
        dealer = split(seed, _DEALER) % variant.seat_count
    order = list(range(CARD_COUNT))
    for last in range(CARD_COUNT - 1, 0, -1):
        other = split(seed, _SHUFFLE, last) % (last + 1)
        order[last], order[other] = order[other], order[last]
    hands = [0] * variant.seat_count
    place = 0
    for seat in range(variant.seat_count):
        count = variant.dealt_to(seat, dealer)
        hands[seat] = sum(1 << card for card in order[place : place + count])
        place += count
    return State.new(variant, dealer, hands, standing)


def replay(state: State, moves: Iterable[Move | Event]) -> State:
    """Makes moves one after another; raises `InvalidDealError` that names the first impossible one."""
    for index, entry in enumerate(moves):
        path = f"events[{index}]"
        move = entry.move if isinstance(entry, Event) else entry
        if isinstance(entry, Event) and state.turn not in (None, entry.seat):
            message = f"seat {entry.seat} moves but it is the turn of seat {state.turn} to {state.phase}"
            raise InvalidDealError([Fault(f"{path}.seat", "OUT_OF_TURN", message)])
        try:
            state = state.apply_move(move)
        except IllegalMoveError as error:
            raise InvalidDealError([Fault(error.field, error.reason, error.message).below(path)]) from error
    return state
