"""One seat's information: the cards dealt to it and the events it has seen. Nothing else enters a search."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from tarocchi_engine.cards import ALL_MASK
from tarocchi_engine.errors import (
    Fault,
    IllegalMoveError,
    InvalidObservationError,
    UnknownVariantError,
    check_kind,
    is_integer,
)
from tarocchi_engine.legality import (
    check_cards,
    checked_move,
    count_legal_moves,
    hand_fault,
    hand_size_fault,
    legal_moves_of,
    receiver,
    seat_fault,
)
from tarocchi_engine.match import FIRST_DEAL, Standing, check_standing, find_standing_faults
from tarocchi_engine.moves import CARDS_WANTED, CallOut, Declare, Discard, Event, Move, Play, check_move, field_of
from tarocchi_engine.options import OptionError
from tarocchi_engine.record import Phase
from tarocchi_engine.table import Table
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants import get_variant


@dataclass(frozen=True, slots=True)
class Observation:
    """What a seat knows of a deal, as data that may be wrong; `view` checks it and brings it to life."""

    variant: str
    seat: int
    dealer: int
    hand: int
    """The cards dealt to the seat so far, with those it has laid away or played since, and a stock it has taken."""
    events: tuple[Event, ...] = ()
    """Everything since the deal, in order; a discard face down unless it is the seat's own."""
    options: tuple[tuple[str, str], ...] = ()
    """Rule options that differ from the defaults, as pairs of name and value."""
    standing: Standing = FIRST_DEAL
    """The match before this deal."""


@dataclass(frozen=True, slots=True)
class View:
    """A checked observation: the table, and the cards that the seat knows."""

    observation: Observation
    table: Table
    hand: int
    """The cards now in the seat's hand."""
    aside: int | None
    """The discard, None where the seat has not seen it."""

    @property
    def variant(self) -> Variant:
        """The variant played."""
        return self.table.variant

    @property
    def seat(self) -> int:
        """The seat that observes."""
        return self.observation.seat

    @property
    def phase(self) -> Phase:
        """What the seat to move has to decide."""
        return self.table.phase

    @property
    def turn(self) -> int | None:
        """The seat to move, None after the end."""
        return None if self.table.is_over else self.table.turn

    def legal_moves(self) -> tuple[Move, ...]:
        """Returns the seat's legal moves, none when it is not its turn.

        Discards and declarations may be too many to list: then a selection, of `legal_move_count`.
        """
        return legal_moves_of(self.table, self.hand) if self.turn == self.seat else ()

    @property
    def legal_move_count(self) -> int:
        """The number of the seat's legal moves, 0 when it is not its turn."""
        return count_legal_moves(self.table, self.hand) if self.turn == self.seat else 0

    @property
    def unseen(self) -> int:
        """The cards whose place the seat does not know: not its own, not played, not shown."""
        known = self.observation.hand
        for seat in range(self.variant.seat_count):
            known |= self.table.played[seat] | self.table.exposed(seat)
        return ALL_MASK & ~known


def observed_move(event: Event, seat: int) -> Move:
    """Returns a move as `seat` sees it: another's discard lies face down."""
    if isinstance(event.move, Discard) and event.seat != seat:
        return Discard(None, event.move.announced_trump_count)
    return event.move


def view(observation: Observation) -> View:
    """Returns the checked form of an observation; raises `InvalidObservationError` with all faults found."""
    _check_kinds(observation)
    faults = _frame_faults(observation)
    if faults:
        raise InvalidObservationError(faults)
    variant = get_variant(observation.variant, dict(observation.options))
    table = Table(variant, observation.dealer, observation.standing)
    hand = observation.hand
    aside: int | None = None
    for index, event in enumerate(observation.events):
        try:
            hand, aside = _apply_observed(table, observation, hand, aside, event)
        except IllegalMoveError as error:
            fault = Fault(error.field, error.reason, error.message).below(f"events[{index}]")
            raise InvalidObservationError([fault]) from error
    if wrong_size := _size_fault(observation, table.cards_dealt(observation.seat), variant):
        raise InvalidObservationError([wrong_size])
    return View(observation, table, hand, aside)


def _check_kinds(observation: object) -> None:
    """Raises TypeError unless an observation is made of what its fields say; moves are checked one by one."""
    is_one = isinstance(observation, Observation)
    check_kind("observation", observation, is_one, "an Observation, such as state.observe(seat)")
    assert isinstance(observation, Observation)
    for name in ("seat", "dealer"):
        check_kind(name, value := getattr(observation, name), is_integer(value), "the number of a seat")
    check_kind("hand", observation.hand, is_integer(observation.hand), CARDS_WANTED)
    check_standing(observation.standing)
    events = observation.events
    check_kind("events", events, isinstance(events, tuple | list), "a tuple of events")
    for index, event in enumerate(events):
        check_kind(f"events[{index}]", event, isinstance(event, Event), "an Event(seat, move)")
        check_kind(f"events[{index}].seat", event.seat, is_integer(event.seat), "the number of a seat")


def find_faults(observation: Observation) -> tuple[Fault, ...]:
    """Returns everything wrong with an observation, empty if it can have happened as far as one seat can tell."""
    try:
        view(observation)
    except InvalidObservationError as error:
        return error.faults
    return ()


def _frame_faults(observation: Observation) -> list[Fault]:
    """Returns the faults outside the events."""
    try:
        variant = get_variant(observation.variant, dict(observation.options))
    except UnknownVariantError as error:
        return [Fault("variant", "UNKNOWN_VARIANT", str(error))]
    except OptionError as error:
        return [Fault(f"options[{error.name}]", error.reason, error.message)]
    faults = [
        seat_fault(path, seat, variant)
        for path, seat in (("seat", observation.seat), ("dealer", observation.dealer))
        if not 0 <= seat < variant.seat_count
    ]
    faults.extend(fault.below("standing") for fault in find_standing_faults(variant, observation.standing))
    if faults:
        return faults
    size = observation.hand.bit_count() if 0 <= observation.hand <= ALL_MASK else -1
    fault = dealt_size_fault("hand", size, variant, observation.seat, observation.dealer)
    return [_size_fault(observation, size, variant) or fault] if fault else []


def dealt_size_fault(path: str, count: int, variant: Variant, seat: int, dealer: int) -> Fault | None:
    """Returns the fault of a hand with so many cards, None if a seat has been dealt as many at some time in a deal."""
    sizes = [*accumulate(variant.packets(seat, dealer))]
    if variant.has_auction:
        sizes.append(variant.hand_size + variant.stock_size)
    if count in sizes:
        return None
    due = f"{receiver(variant, seat, dealer)} is dealt {sizes[0]}"
    if len(sizes) > 1:
        with_stock = " with the stock, if it takes that" if variant.has_auction else ""
        due = f"{due}, later {' and then '.join(str(size) for size in sizes[1:])}{with_stock}"
    return hand_size_fault(path, count, due)


def _size_fault(observation: Observation, size: int, variant: Variant) -> Fault | None:
    """Returns what is wrong with a hand that should have been dealt `size` cards by now."""
    if variant.has_auction and size != variant.hand_size and 0 <= observation.hand <= ALL_MASK:
        count = observation.hand.bit_count()
        return None if count == size else hand_size_fault("hand", count, f"this seat has {size} with the stock it took")
    return hand_fault("hand", observation.hand, size, receiver(variant, observation.seat, observation.dealer))


def _apply_observed(
    table: Table, observation: Observation, hand: int, aside: int | None, event: Event
) -> tuple[int, int | None]:
    """Makes one observed move at the table; returns the seat's hand and the known discard after it."""
    move = event.move
    check_move(move)
    check_cards(move)
    table.check_turn(event.seat)
    if event.seat != observation.seat:
        _check_foreign(table, observation, event)
        table.apply(event.seat, move)
        return hand, aside
    if implied := table.implied_before(move):
        table.apply(event.seat, implied)
    move = checked_move(table, hand, move)
    table.apply(event.seat, move)
    match move:
        case Discard(cards):
            return hand & ~(cards or 0), cards
        case Play(card):
            return hand & ~(1 << card), aside
    return hand, aside


def _check_foreign(table: Table, observation: Observation, event: Event) -> None:
    """Raises if the observer's own cards, or the rules of secrecy, rule out another seat's move."""
    pack = table.variant.pack
    match event.move:
        case Play(card):
            if observation.hand >> card & 1:
                name = pack.format_card(card)
                message = f"{name} was dealt to the observer: give the card that seat {event.seat} played"
                raise IllegalMoveError("CARD_ELSEWHERE", message, "play.card")
        case Discard(cards, announced):
            if cards is not None:
                raise IllegalMoveError(
                    "HIDDEN_CARDS_REVEALED",
                    "only the seat that laid them away knows these cards: leave them out of this seat's observation",
                    "discard.cards",
                )
            if table.variant.announces_discarded_trumps:
                if announced is None:
                    raise IllegalMoveError(
                        "ANNOUNCEMENT_MISSING",
                        "the dealer announces how many trumps were laid away: give 0, 1 or 2",
                        "discard.announced_trump_count",
                    )
                if not 0 <= announced <= table.variant.discard_count:
                    raise IllegalMoveError(
                        "WRONG_ANNOUNCEMENT",
                        f"{announced} trumps cannot lie in a discard of {table.variant.discard_count}: "
                        f"give 0 to {table.variant.discard_count}",
                        "discard.announced_trump_count",
                    )
            elif announced is not None:
                raise IllegalMoveError(
                    "HIDDEN_CARDS_REVEALED",
                    f"nothing is announced about the discard in {table.variant.name}: leave the number out",
                    "discard.announced_trump_count",
                )
        case Declare(cards) | CallOut(cards) if cards & observation.hand:
            names = " ".join(pack.format_mask(cards & observation.hand))
            message = f"{names} was dealt to the observer: give the cards that seat {event.seat} showed"
            raise IllegalMoveError("CARD_ELSEWHERE", message, field_of(event.move, "cards"))
        case _:
            pass
