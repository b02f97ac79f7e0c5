"""Reads requests of the contract into the engine's values.

Reading never stops at the first fault: each reader adds what it finds to a list and returns None where there is
nothing to go on with. Paths are those of the request's fields, such as `observation.events[7].play.card`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import (
    Declare,
    Discard,
    Event,
    Fault,
    InvalidDealError,
    InvalidObservationError,
    Move,
    Observation,
    OptionError,
    Pack,
    Play,
    Standing,
    State,
    UnknownVariantError,
    Variant,
    View,
    get_variant,
    replay,
    view,
)
from tarocchi_engine.cards import UnknownCardError
from tarocchi_engine.legality import hand_size_fault, seat_fault
from tarocchi_engine.match import FIRST_DEAL, find_standing_faults
from tarocchi_engine.options import given_options, with_options
from tarocchi_solver.search import Budget, ContradictionError
from tarocchi_solver.search.sampler import WorldNotFoundError
from tarocchi_solver.service.errors import MAX_FAULTS, FaultList, ViolationReason

_LONGEST_NAME: Final = 40
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
        variant = get_variant(_shortened(message.variant))
    except UnknownVariantError as error:
        faults.add(where, ViolationReason.UNKNOWN_VARIANT, str(error))
        return None
    return _with_options(variant, message.options, faults, _below(path, "options"))


def _with_options(variant: Variant, options: Mapping[str, str], faults: FaultList, path: str) -> Variant | None:
    """Returns the variant with all given options; each is read alone first, so that every fault is found."""
    found = []
    for name, value in sorted(options.items())[:MAX_FAULTS]:
        try:
            with_options(variant, {_shortened(name): _shortened(value)})
        except OptionError as error:
            found.append(Fault(f"{path}[{repr(error.name)[1:-1]}]", error.reason, error.message))
    faults.extend(found)
    return None if found else with_options(variant, options)


def parse_standing(message: Game, faults: FaultList, path: str = "") -> Standing:
    """Returns the match before the deal of a message at `path`; the engine checks what can have happened."""
    if not message.HasField("standing"):
        return FIRST_DEAL
    scores = message.standing.scores
    if not scores and not message.standing.deals_played:
        return FIRST_DEAL
    if len(scores) != len(FIRST_DEAL.scores):
        text = f"{len(scores)} scores given: give the points of side 0, then of side 1"
        faults.add(_below(path, "standing.scores"), ViolationReason.SCORE_COUNT, text)
        return Standing(deals_played=message.standing.deals_played)
    return Standing((scores[0], scores[1]), message.standing.deals_played)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _parse_cards(pack: Pack, ids: Sequence[str], faults: FaultList, path: str) -> int | None:
    """Returns the set of the named cards."""
    mask = 0
    is_clean = True
    for index, card_id in enumerate(ids):
        card = _parse_card(pack, card_id, faults, f"{path}[{index}]")
        if card is None:
            is_clean = False
        elif mask >> card & 1:
            faults.add(f"{path}[{index}]", ViolationReason.REPEATED_CARD, f"card {card_id!r} stands twice in the list")
            is_clean = False
        else:
            mask |= 1 << card
    return mask if is_clean else None


def _require_seat(
    message: deal_pb2.Observation | deal_pb2.Event | rules_service_pb2.Deal, name: str, faults: FaultList, path: str
) -> bool:
    """Notes a field that is missing and that names a seat; returns whether it is there."""
    if message.HasField(name):
        return True
    who = "dealt" if name == "dealer" else "moved" if isinstance(message, deal_pb2.Event) else "asks"
    text = f"the seat that {who} is missing: give its number, also when that is 0"
    faults.add(f"{path}.{name}", ViolationReason.MISSING_FIELD, text)
    return False


def _parse_card(pack: Pack, card_id: str, faults: FaultList, path: str) -> int | None:
    if not card_id:
        faults.add(path, ViolationReason.MISSING_FIELD, "the id of the card is missing")
        return None
    try:
        return pack.parse_card(_shortened(card_id))
    except UnknownCardError as error:
        faults.add(path, ViolationReason.UNKNOWN_CARD, str(error))
        return None


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "..."


def _parse_event(variant: Variant, message: deal_pb2.Event, faults: FaultList, path: str) -> Event | None:
    """Returns one event."""
    is_given = _require_seat(message, "seat", faults, path)
    is_seat = is_given and 0 <= message.seat < variant.seat_count
    if is_given and not is_seat:
        faults.extend([seat_fault(f"{path}.seat", message.seat, variant)])
    move = _parse_move(variant.pack, message, faults, path)
    return Event(message.seat, move) if is_seat and move is not None else None


def _parse_move(pack: Pack, message: deal_pb2.Event | deal_pb2.Move, faults: FaultList, path: str) -> Move | None:
    match message.WhichOneof("action"):
        case "discard":
            discard = message.discard
            laid_away = _parse_cards(pack, discard.cards, faults, f"{path}.discard.cards")
            if laid_away is None:
                return None
            announced = discard.announced_trump_count if discard.HasField("announced_trump_count") else None
            return Discard(laid_away or None, announced)
        case "declare":
            shown = _parse_cards(pack, message.declare.cards, faults, f"{path}.declare.cards")
            return None if shown is None else Declare(shown)
        case "play":
            card = _parse_card(pack, message.play.card, faults, f"{path}.play.card")
            return None if card is None else Play(card)
        case _:
            faults.add(path, ViolationReason.MISSING_FIELD, "no move is given: set one of discard, declare and play")
            return None


def _parse_events(
    variant: Variant, messages: Sequence[deal_pb2.Event], faults: FaultList, path: str
) -> tuple[Event, ...]:
    """Returns the events before the first that cannot be read."""
    events = [_parse_event(variant, message, faults, f"{path}[{index}]") for index, message in enumerate(messages)]
    count = next((index for index, event in enumerate(events) if event is None), len(events))
    return tuple(event for event in events[:count] if event is not None)


def parse_observation(
    request: rules_service_pb2.ListLegalMovesRequest
    | rules_service_pb2.ValidateObservationRequest
    | solver_service_pb2.RecommendMoveRequest,
    faults: FaultList,
) -> View | None:
    """Returns the checked observation of a request, None if a fault was found."""
    if not request.HasField("observation"):
        faults.add("observation", ViolationReason.MISSING_FIELD, "the observation is missing: say what the seat knows")
        return None
    message = request.observation
    variant = parse_variant(message, faults, "observation")
    has_seat, has_dealer = (_require_seat(message, name, faults, "observation") for name in ("seat", "dealer"))
    if variant is None:
        return None
    unreadable = FaultList()
    standing = parse_standing(message, unreadable, "observation")
    hand = _parse_cards(variant.pack, message.hand, unreadable, "observation.hand")
    events = _parse_events(variant, message.events, unreadable, "observation.events")
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
        found = [fault for fault in error.faults if fault.path != "hand"]
    if all(0 <= seat < variant.seat_count for seat in (message.seat, message.dealer)):
        size_fault = hand_size_fault("hand", len(message.hand), message.seat, message.dealer, variant)
        found += [size_fault] if size_fault else []
    found = [*(fault.below("observation") for fault in found), *unreadable.faults]
    faults.extend(found)
    return None if found else checked


def contradiction_fault(error: ContradictionError) -> Fault:
    """Returns the fault of an observation for which the sampler finds no deal of the unseen cards."""
    is_proved = not isinstance(error, WorldNotFoundError)
    reason = ViolationReason.CONTRADICTION if is_proved else ViolationReason.WORLD_NOT_FOUND
    return Fault("observation", reason, str(error))


def parse_deal(request: rules_service_pb2.ReplayDealRequest, faults: FaultList) -> State | None:
    """Returns the state after all moves of a deal."""
    if not request.HasField("deal"):
        faults.add("deal", ViolationReason.MISSING_FIELD, "the deal is missing: give the variant and all hands")
        return None
    variant = parse_variant(request.deal, faults, "deal")
    has_dealer = _require_seat(request.deal, "dealer", faults, "deal")
    if variant is None:
        return None
    standing = parse_standing(request.deal, faults, "deal")
    hands = [
        _parse_cards(variant.pack, hand.cards, faults, f"deal.hands[{seat}].cards")
        for seat, hand in enumerate(request.deal.hands)
    ]
    events = _parse_events(variant, request.events, faults, "events")
    # of hands that it cannot read whole the engine knows neither the size nor what is missing in the pack
    beyond_engine = {ViolationReason.HAND_SIZE, *([ViolationReason.INCOMPLETE_PACK] if None in hands else [])}
    dealer = request.deal.dealer
    if has_dealer and 0 <= dealer < variant.seat_count:
        for seat, hand in enumerate(request.deal.hands[: variant.seat_count]):
            size_fault = hand_size_fault(f"deal.hands[{seat}].cards", len(hand.cards), seat, dealer, variant)
            faults.extend([size_fault] if size_fault else [])
    try:
        start = State.new(variant, dealer, [hand or 0 for hand in hands], standing)
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
        seconds, nanos = message.duration.seconds, message.duration.nanos
        nanoseconds = seconds * 10**9 + nanos
        time_ms = -(-nanoseconds // 10**6)
        if abs(nanos) > _MOST_NANOS or abs(seconds) > _MOST_DURATION_SECONDS or seconds * nanos < 0:
            text = f"{seconds} seconds and {nanos} nanos are no duration: give 0 to {_MOST_NANOS} nanos, signed alike"
            faults.add(f"{path}.duration", ViolationReason.OUT_OF_RANGE, text)
        elif nanoseconds <= 0:
            text = f"{nanoseconds / 10**9:g} s is no duration to search: give more than 0 s, or leave it out"
            faults.add(f"{path}.duration", ViolationReason.OUT_OF_RANGE, text)
    return Budget(caps["worlds"], caps["iterations"], time_ms)
