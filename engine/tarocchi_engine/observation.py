"""One seat's information: the cards dealt to it and the events it has seen. Nothing else enters a search."""

from __future__ import annotations

from dataclasses import dataclass

from tarocchi_engine.cards import ALL_MASK
from tarocchi_engine.errors import Fault, IllegalMoveError, InvalidObservationError, UnknownVariantError
from tarocchi_engine.legality import check_cards, checked_move, hand_fault, legal_moves_of, seat_fault
from tarocchi_engine.match import FIRST_DEAL, Standing, find_standing_faults
from tarocchi_engine.moves import Declare, Discard, Event, Move, Play
from tarocchi_engine.options import OptionError
from tarocchi_engine.table import Phase, Table
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants import get_variant


@dataclass(frozen=True, slots=True)
class Observation:
    """What a seat knows of a deal, as data that may be wrong; `view` checks it and brings it to life."""

    variant: str
    seat: int
    dealer: int
    hand: int
    """The cards dealt to the seat; the dealer's seventeen before the discard."""
    events: tuple[Event, ...] = ()
    """Everything since, in order; the dealer's discard face down unless the seat is the dealer."""
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
        """Returns the seat's legal moves, none when it is not its turn."""
        return legal_moves_of(self.table, self.hand) if self.turn == self.seat else ()

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
    faults = _frame_faults(observation)
    if faults:
        raise InvalidObservationError(faults)
    variant = get_variant(observation.variant, dict(observation.options))
    table = Table(variant, observation.dealer)
    hand = observation.hand
    aside: int | None = None
    for index, event in enumerate(observation.events):
        try:
            hand, aside = _apply_observed(table, observation, hand, aside, event)
        except IllegalMoveError as error:
            fault = Fault(error.field, error.reason, error.message).below(f"events[{index}]")
            raise InvalidObservationError([fault]) from error
    return View(observation, table, hand, aside)


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
    fault = hand_fault("hand", observation.hand, observation.seat, observation.dealer, variant)
    return [fault] if fault else []


def _apply_observed(
    table: Table, observation: Observation, hand: int, aside: int | None, event: Event
) -> tuple[int, int | None]:
    """Makes one observed move at the table; returns the seat's hand and the known discard after it."""
    move = event.move
    check_cards(move)
    table.check_turn(event.seat)
    if event.seat != observation.seat:
        _check_foreign(table, observation, event)
        table.apply(event.seat, move)
        return hand, aside
    if table.phase is Phase.DECLARE and isinstance(move, Play):
        table.apply(event.seat, Declare(0))
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
        case Discard(cards, announced):
            if cards is not None:
                raise IllegalMoveError(
                    "HIDDEN_CARDS_REVEALED",
                    "only the dealer knows the discard: leave its cards out of this seat's observation",
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
                        f"{announced} trumps cannot lie in a discard of {table.variant.discard_count}",
                        "discard.announced_trump_count",
                    )
            elif announced is not None:
                raise IllegalMoveError(
                    "HIDDEN_CARDS_REVEALED",
                    f"nothing is announced about the discard in {table.variant.name}: leave the number out",
                    "discard.announced_trump_count",
                )
        case Declare(cards) if cards & observation.hand:
            names = " ".join(pack.format_mask(cards & observation.hand))
            raise IllegalMoveError("CARD_ELSEWHERE", f"{names} was dealt to the observer", "declare.cards")
        case Play(card) if observation.hand >> card & 1:
            raise IllegalMoveError("CARD_ELSEWHERE", f"{pack.format_card(card)} was dealt to the observer", "play.card")
        case _:
            pass
