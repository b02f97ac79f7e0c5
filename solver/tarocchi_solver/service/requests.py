"""Reads requests of the contract into the engine's values.

Reading never stops at the first fault: each reader adds what it finds to a list and returns None where there is
nothing to go on with. Paths are those of the request's fields, such as `observation.events[7].play.card`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from google.protobuf import duration_pb2

from tarocchi.solver.v1 import deal_pb2, review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import (
    VARIANTS,
    Fault,
    InvalidDealError,
    InvalidObservationError,
    Observation,
    OptionError,
    Standing,
    State,
    UnknownVariantError,
    Variant,
    View,
    get_variant,
    replay,
    view,
)
from tarocchi_engine.legality import hand_size_fault, receiver, seat_fault
from tarocchi_engine.match import FIRST_DEAL, find_standing_faults
from tarocchi_engine.observation import dealt_size_fault
from tarocchi_engine.options import given_options, with_options
from tarocchi_solver.search import Budget, ContradictionError
from tarocchi_solver.search.sampler import WorldNotFoundError
from tarocchi_solver.service.config import EVENT_LIMIT
from tarocchi_solver.service.errors import FaultList, ViolationReason
from tarocchi_solver.service.reading import (
    LONGEST_LIST,
    are_few_events,
    mask_of,
    parse_card_list,
    parse_cards,
    parse_events,
    require_seat,
    shortened,
)

DEFAULT_INTERVAL: Final = 0.2
"""Seconds between two responses of an analysis."""
SHORTEST_INTERVAL: Final = 0.02
LONGEST_INTERVAL: Final = 60.0
_MOST_HANDS: Final = 8
"""Further hands are not looked into, nor are further options."""
_MOST_OPTIONS: Final = 32
_MOST_NANOS: Final = 10**9 - 1
_MOST_DURATION_SECONDS: Final = 315_576_000_000

Game = deal_pb2.Observation | rules_service_pb2.Deal | rules_service_pb2.NewDealRequest
"""The messages that say what is played: a variant, its options and the match before the deal."""


def parse_variant(message: Game, faults: FaultList, path: str = "") -> Variant | None:
    """Returns the variant with the rule options that a message at `path` names."""
    where = _below(path, "variant")
    if not message.variant:
        faults.add(where, ViolationReason.MISSING_FIELD, "the name of the variant is missing: ListVariants tells them")
        return None
    try:
        variant = get_variant(shortened(message.variant))
    except UnknownVariantError as error:
        faults.add(where, ViolationReason.UNKNOWN_VARIANT, str(error))
        return None
    return _with_options(variant, message.options, faults, _below(path, "options"))


def _with_options(variant: Variant, options: Mapping[str, str], faults: FaultList, path: str) -> Variant | None:
    """Returns the variant with all given options; each is read alone first, so that every fault is found."""
    if len(options) > _MOST_OPTIONS:
        text = f"{len(options):,} rule options are more than any variant has: give at most {_MOST_OPTIONS}"
        faults.add(path, ViolationReason.TOO_MANY_OPTIONS, text)
        return None
    found = []
    for name, value in sorted(options.items()):
        try:
            with_options(variant, {shortened(name): shortened(value)})
        except OptionError as error:
            found.append(Fault(f"{path}[{repr(error.name)[1:-1]}]", error.reason, error.message))
    faults.extend(found)
    return None if found else with_options(variant, options)


def parse_standing(message: Game, faults: FaultList, path: str = "") -> Standing:
    """Returns the match before the deal of a message at `path`; the engine checks what can have happened."""
    if not message.HasField("standing"):
        return FIRST_DEAL
    scores = message.standing.scores
    variant = VARIANTS.get(message.variant)
    if variant is not None and len(scores) not in (0, variant.score_count):
        whose = "the points of each seat" if variant.seats_score_alone else "the points of side 0, then of side 1"
        text = f"{len(scores)} scores given: give {whose}"
        faults.add(_below(path, "standing.scores"), ViolationReason.SCORE_COUNT, text)
        return Standing(deals_played=message.standing.deals_played)
    return Standing(tuple(scores), message.standing.deals_played)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def parse_observation(
    request: rules_service_pb2.ListLegalMovesRequest
    | rules_service_pb2.ValidateObservationRequest
    | solver_service_pb2.RecommendMoveRequest
    | solver_service_pb2.AnalyzePositionRequest
    | solver_service_pb2.GetBeliefsRequest,
    faults: FaultList,
    event_limit: int = EVENT_LIMIT,
) -> View | None:
    """Returns the checked observation of a request, None if a fault was found."""
    if not request.HasField("observation"):
        faults.add("observation", ViolationReason.MISSING_FIELD, "the observation is missing: say what the seat knows")
        return None
    message = request.observation
    if not are_few_events(message.events, event_limit, faults, "observation.events"):
        return None
    variant = parse_variant(message, faults, "observation")
    has_seat, has_dealer = (require_seat(message, name, faults, "observation") for name in ("seat", "dealer"))
    if variant is None:
        return None
    unreadable = FaultList()
    standing = parse_standing(message, unreadable, "observation")
    hand = parse_cards(variant.pack, message.hand, unreadable, "observation.hand")
    events = parse_events(variant, message.events, unreadable, "observation.events")
    if not (has_seat and has_dealer):
        seats = ([("seat", message.seat)] if has_seat else []) + ([("dealer", message.dealer)] if has_dealer else [])
        wrong = [seat_fault(name, seat, variant) for name, seat in seats if not 0 <= seat < variant.seat_count]
        wrong += [fault.below("standing") for fault in find_standing_faults(variant, standing)]
        faults.extend([*(fault.below("observation") for fault in wrong), *unreadable.faults])
        return None
    observation = Observation(
        variant=variant.name,
        seat=message.seat,
        dealer=message.dealer,
        hand=hand or 0,
        events=() if hand is None else events,
        options=given_options(variant),
        standing=standing,
    )
    checked: View | None = None
    found: list[Fault] = []
    try:
        checked = view(observation)
    except InvalidObservationError as error:
        # of a hand that it cannot read whole the engine does not know the size
        found = [fault for fault in error.faults if fault.path != "hand" or hand is not None]
    is_told = any(fault.path == "hand" for fault in found)
    is_told |= len(message.hand) > LONGEST_LIST
    if not is_told and all(0 <= seat < variant.seat_count for seat in (message.seat, message.dealer)):
        size_fault = dealt_size_fault("hand", len(message.hand), variant, message.seat, message.dealer)
        found += [size_fault] if size_fault else []
    found = [*(fault.below("observation") for fault in found), *unreadable.faults]
    faults.extend(found)
    return None if found else checked


def contradiction_fault(error: ContradictionError) -> Fault:
    """Returns the fault of an observation for which the sampler finds no deal of the unseen cards."""
    is_proved = not isinstance(error, WorldNotFoundError)
    reason = ViolationReason.CONTRADICTION if is_proved else ViolationReason.WORLD_NOT_FOUND
    return Fault("observation", reason, f"{error}; correct the hand or the events that say so")


def parse_deal(
    request: rules_service_pb2.ReplayDealRequest | review_service_pb2.ReviewDealRequest,
    faults: FaultList,
    event_limit: int = EVENT_LIMIT,
) -> State | None:
    """Returns the state after all moves of a deal."""
    if not request.HasField("deal"):
        faults.add("deal", ViolationReason.MISSING_FIELD, "the deal is missing: give the variant and all hands")
        return None
    if not are_few_events(request.events, event_limit, faults, "events"):
        return None
    if len(request.deal.hands) > _MOST_HANDS:
        text = f"{len(request.deal.hands):,} hands: give one for each seat of the variant"
        faults.add("deal.hands", ViolationReason.HAND_COUNT, text)
        return None
    variant = parse_variant(request.deal, faults, "deal")
    has_dealer = require_seat(request.deal, "dealer", faults, "deal")
    if variant is None:
        return None
    standing = parse_standing(request.deal, faults, "deal")
    hands = [
        parse_card_list(variant.pack, hand.cards, faults, f"deal.hands[{seat}].cards")
        for seat, hand in enumerate(request.deal.hands)
    ]
    stock = parse_card_list(variant.pack, request.deal.stock, faults, "deal.stock")
    events = parse_events(variant, request.events, faults, "events")
    # of cards that it cannot read whole the engine knows neither the number nor what is missing in the pack
    beyond_engine = {ViolationReason.HAND_SIZE, ViolationReason.STOCK_SIZE}
    if stock is None or None in hands:
        beyond_engine.add(ViolationReason.INCOMPLETE_PACK)
    dealer = request.deal.dealer
    if has_dealer and 0 <= dealer < variant.seat_count:
        faults.extend(_size_faults(request.deal, variant))
    order = [hand or [] for hand in hands]
    masks = [mask_of(hand) for hand in order]
    try:
        start = State.new(variant, dealer, masks, standing, stock=mask_of(stock or []), order=order)
    except InvalidDealError as error:
        faults.extend(_deal_fault(fault) for fault in error.faults if fault.reason not in beyond_engine)
        return None
    if not has_dealer:
        return None
    try:
        return replay(start, events)
    except InvalidDealError as error:
        faults.extend(error.faults)
        return None


def _size_faults(deal: rules_service_pb2.Deal, variant: Variant) -> Iterator[Fault]:
    """Yields the faults of the numbers of ids, readable or not, in the hands and the stock of a deal."""
    for seat, hand in enumerate(deal.hands[: variant.seat_count]):
        due = variant.dealt_to(seat, deal.dealer)
        if len(hand.cards) != due:
            text = f"{receiver(variant, seat, deal.dealer)} is dealt {due}"
            yield hand_size_fault(f"deal.hands[{seat}].cards", len(hand.cards), text)
    if len(deal.stock) != variant.stock_size:
        text = f"{len(deal.stock)} cards in the stock: it has {variant.stock_size} in {variant.name}"
        yield Fault("deal.stock", ViolationReason.STOCK_SIZE, text)


def _deal_fault(fault: Fault) -> Fault:
    """Returns a fault of a deal with the path of its field in the request."""
    below = f"{fault.path}.cards" if fault.path.startswith("hands[") else fault.path
    return Fault(below, fault.reason, fault.message).below("deal")


def parse_budget(message: solver_service_pb2.Budget, faults: FaultList, path: str = "budget") -> Budget:
    """Returns the caps of a request; those not set are None."""
    caps: dict[str, int | None] = {"worlds": None, "iterations": None}
    for name in caps:
        if message.HasField(name):
            caps[name] = value = getattr(message, name)
            if value < 1:
                text = f"{value} is no cap: give at least 1, or leave it out"
                faults.add(f"{path}.{name}", ViolationReason.OUT_OF_RANGE, text)
    time_ms: int | None = None
    if message.HasField("duration"):
        nanoseconds = _nanoseconds_of(message.duration, faults, f"{path}.duration")
        if nanoseconds is not None and nanoseconds <= 0:
            text = f"{nanoseconds / 10**9:g} s is no duration to search: give more than 0 s, or leave it out"
            faults.add(f"{path}.duration", ViolationReason.OUT_OF_RANGE, text)
        elif nanoseconds is not None:
            time_ms = -(-nanoseconds // 10**6)
    return Budget(caps["worlds"], caps["iterations"], time_ms)


def _nanoseconds_of(message: duration_pb2.Duration, faults: FaultList, path: str) -> int | None:
    """Returns a duration in nanoseconds, None where it is none."""
    seconds, nanos = message.seconds, message.nanos
    if abs(seconds) > _MOST_DURATION_SECONDS:
        text = f"{seconds} seconds are no duration: give at most {_MOST_DURATION_SECONDS}, or leave it out"
        faults.add(path, ViolationReason.OUT_OF_RANGE, text)
        return None
    if abs(nanos) > _MOST_NANOS or seconds * nanos < 0:
        text = f"{seconds} seconds and {nanos} nanos are no duration: give 0 to {_MOST_NANOS} nanos, signed alike"
        faults.add(path, ViolationReason.OUT_OF_RANGE, text)
        return None
    return seconds * 10**9 + nanos


def parse_interval(request: solver_service_pb2.AnalyzePositionRequest, faults: FaultList) -> float:
    """Returns the seconds between two responses of an analysis."""
    if not request.HasField("interval"):
        return DEFAULT_INTERVAL
    nanoseconds = _nanoseconds_of(request.interval, faults, "interval")
    interval = DEFAULT_INTERVAL if nanoseconds is None else nanoseconds / 10**9
    if not SHORTEST_INTERVAL <= interval <= LONGEST_INTERVAL:
        text = f"{interval:g} s between two responses: give {SHORTEST_INTERVAL:g} to {LONGEST_INTERVAL:g} s"
        faults.add("interval", ViolationReason.OUT_OF_RANGE, text)
    return interval
