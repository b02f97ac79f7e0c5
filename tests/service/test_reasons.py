"""Provokes every reason of the contract over a real channel, and checks that none is forgotten."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

import tarocchi_engine
from service_support import (
    FOUR_DEALS,
    SMALL,
    BlockingSearch,
    bid,
    finished,
    in_the_middle,
    lead,
    observed,
    occupied,
    play_until,
    running,
    say,
    the_same,
    wait_for,
    whole_deal,
)
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_engine import Phase, get_variant, new_deal
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.search.sampler import WorldNotFoundError
from tarocchi_solver.service import rules_service, searching
from tarocchi_solver.service.answers import deal_answer, replay_answer
from tarocchi_solver.service.calls import Stage
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.errors import RequestError, StatusReason, ViolationReason
from tarocchi_solver.service.formats import format_observation
from tarocchi_solver.service.pool import SearchPool
from tarocchi_solver.service.server import SolverServer

# Reasons of the engine that no request can provoke: ids name cards only, and a declaration where there are none is out
# of phase.
OUT_OF_REACH = {"NO_SUCH_CARD", "NO_DECLARATIONS"}

DISCARD_BY_OTHER = deal_pb2.Event(seat=0, discard=deal_pb2.Discard())


def play(seat: int, card: str) -> deal_pb2.Event:
    return deal_pb2.Event(seat=seat, play=deal_pb2.Play(card=card))


def declare(seat: int, *cards: str) -> deal_pb2.Event:
    return deal_pb2.Event(seat=seat, declare=deal_pb2.Declare(cards=cards))


def discard(seat: int, *cards: str, announced: int | None = None) -> deal_pb2.Event:
    return deal_pb2.Event(seat=seat, discard=deal_pb2.Discard(cards=cards, announced_trump_count=announced))


def observation(
    hand: str, *events: deal_pb2.Event, variant: str = "bolognese", seat: int = 1, dealer: int = 0, **more: Any
) -> deal_pb2.Observation:
    return deal_pb2.Observation(variant=variant, seat=seat, dealer=dealer, hand=hand.split(), events=events, **more)


def in_a_match(*scores: float, deals_played: int) -> deal_pb2.Observation:
    standing = deal_pb2.MatchStanding(scores=scores, deals_played=deals_played)
    return observation(PIEDMONTESE, variant="piedicavallo", options=FOUR_DEALS, standing=standing)


PLAIN = "SK SQ SN SJ S10 S9 S8 S7 S6 SA BK T5 T6 T7 T8"
"""A hand of seat 1 in the Bolognese game: a whole suit and some trumps."""
DEALT = "SK SQ SN SJ S10 S9 S8 S7 S6 SA BK BQ T5 T6 T7 T8 ANG"
"""The same with the two more cards of a dealer."""
PIEDMONTESE = "SK SQ SN SJ S10 S9 S8 S7 S6 S5 BK T5 T6 T7 T8"
PIEDMONTESE_DEALT = f"{PIEDMONTESE} B5 B6"
PIPS = "S10 S9 S8 S7 S6 B10 B9 B8 B7 B6 T5 T6 T7 T8 T9"
FIGURES = [suit + rank for suit in "SBCD" for rank in "KQNJ"]
OF_EIGHTEEN = f"{PLAIN} T9 T10 T11"
PLAYED_ON = [say(1, throws_in=False), DISCARD_BY_OTHER]
"""How most deals of Ottocento dealt by seat 0 begin."""
VOID_IN_SWORDS = [DISCARD_BY_OTHER, play(1, "SK"), play(2, "C6"), play(3, "C7"), play(0, "C8")]

OBSERVATIONS: dict[ViolationReason, tuple[deal_pb2.Observation, str]] = {
    ViolationReason.MISSING_FIELD: (observation(PLAIN, DISCARD_BY_OTHER, deal_pb2.Event(seat=1)), "events[1]"),
    ViolationReason.UNKNOWN_VARIANT: (observation(PLAIN, variant="whist"), "variant"),
    ViolationReason.UNKNOWN_OPTION: (observation(PLAIN, options={"speed": "fast"}), "options[speed]"),
    ViolationReason.UNKNOWN_OPTION_VALUE: (
        observation(PIEDMONTESE, variant="piedicavallo", options={"match": "5"}),
        "options[match]",
    ),
    ViolationReason.SCORE_COUNT: (in_a_match(130, deals_played=2), "standing.scores"),
    ViolationReason.SCORE_TOTAL: (in_a_match(130, 90, deals_played=2), "standing.scores"),
    ViolationReason.MATCH_OVER: (in_a_match(200, 256, deals_played=4), "standing.deals_played"),
    ViolationReason.UNKNOWN_CARD: (observation(PLAIN.replace("T8", "T99")), "hand[14]"),
    ViolationReason.REPEATED_CARD: (observation(PLAIN.replace("T8", "T7")), "hand[14]"),
    ViolationReason.NO_SUCH_SEAT: (observation(PLAIN, seat=7), "seat"),
    ViolationReason.HAND_SIZE: (observation(PLAIN.replace(" T8", "")), "hand"),
    ViolationReason.CARD_ELSEWHERE: (
        observation(PLAIN, DISCARD_BY_OTHER, play(1, "SK"), play(2, "SQ")),
        "events[2].play.card",
    ),
    ViolationReason.CARD_NOT_IN_HAND: (observation(PLAIN, DISCARD_BY_OTHER, play(1, "DK")), "events[1].play.card"),
    ViolationReason.CARD_ALREADY_PLAYED: (
        observation(PLAIN, DISCARD_BY_OTHER, play(1, "SK"), play(2, "D6"), play(3, "D6")),
        "events[3].play.card",
    ),
    ViolationReason.OUT_OF_TURN: (observation(PLAIN, DISCARD_BY_OTHER, play(2, "D6")), "events[1].seat"),
    ViolationReason.WRONG_PHASE: (observation(PLAIN, play(0, "D6")), "events[0].play"),
    ViolationReason.MUST_FOLLOW: (
        # trick 1 to seat 3, which leads a suit that seat 1 has to trump
        observation(
            PLAIN,
            DISCARD_BY_OTHER,
            *[play(1, "BK"), play(2, "BA"), play(3, "ANG"), play(0, "B6")],
            *[play(3, "C6"), play(0, "C7"), play(1, "SQ")],
        ),
        "events[7].play.card",
    ),
    ViolationReason.SUIT_DENIED_EARLIER: (
        observation(PLAIN, *VOID_IN_SWORDS[:3], play(3, "C7"), play(0, "C8"), play(1, "SQ"), play(2, "T9")),
        "events[6].play.card",
    ),
    ViolationReason.DISCARD_SIZE: (observation(DEALT, discard(1, "SQ"), dealer=1), "events[0].discard.cards"),
    ViolationReason.FIVE_POINT_CARD: (observation(DEALT, discard(1, "SQ", "SK"), dealer=1), "events[0].discard.cards"),
    ViolationReason.TRUMP_WITHOUT_REASON: (
        observation(PIEDMONTESE_DEALT, discard(1, "T5", "B5"), variant="piedicavallo", dealer=1),
        "events[0].discard.cards",
    ),
    ViolationReason.ANNOUNCEMENT_MISSING: (
        observation(PIEDMONTESE, discard(0), variant="piedicavallo"),
        "events[0].discard.announced_trump_count",
    ),
    ViolationReason.WRONG_ANNOUNCEMENT: (
        observation(PIEDMONTESE, discard(0, announced=-1), variant="piedicavallo"),
        "events[0].discard.announced_trump_count",
    ),
    ViolationReason.HIDDEN_CARDS_REVEALED: (observation(PLAIN, discard(0, "D6", "D7")), "events[0].discard.cards"),
    ViolationReason.DISCARD_CONTRADICTED: (
        # the dealer announced a trump, then shows a trump and a pip that both stayed in the hand
        observation(
            PIEDMONTESE,
            discard(0, announced=1),
            *[play(1, "SK"), play(2, "T9"), play(3, "T10"), play(0, "T11"), play(0, "C6")],
            variant="piedicavallo",
        ),
        "events[5].play.card",
    ),
    ViolationReason.DECLARATION_SIZE: (
        observation(PIPS, DISCARD_BY_OTHER, play(1, "S10"), declare(2, *FIGURES)),
        "events[2].declare.cards",
    ),
    ViolationReason.CARDS_SCORE_NOTHING: (
        observation(PLAIN, DISCARD_BY_OTHER, declare(1, "SK", "SQ", "SN", "SJ", "SA"), play(1, "SK"), declare(2, "D6")),
        "events[3].declare.cards",
    ),
    ViolationReason.DECLARATION_INCOMPLETE: (
        observation(PLAIN, DISCARD_BY_OTHER, declare(1, "SK", "SQ", "SN")),
        "events[1].declare.cards",
    ),
    ViolationReason.TARGET_NOT_REACHED: (
        observation(
            PLAIN,
            say(1, throws_in=False),
            deal_pb2.Event(seat=0, call_out=deal_pb2.CallOut(cards=["CK", "CQ", "CN"])),
            variant="ottocento",
        ),
        "events[1].call_out.cards",
    ),
    ViolationReason.BID_TOO_LOW: (
        observation(OF_EIGHTEEN, bid(1, deal_pb2.CALL_GIOCO), bid(2, deal_pb2.CALL_GIOCO), variant="terziglio"),
        "events[1].bid.call",
    ),
    ViolationReason.NO_SIGNALS: (
        observation(PLAIN, DISCARD_BY_OTHER, lead(1, "SK", deal_pb2.SIGNAL_BUSSO)),
        "events[1].play.signal",
    ),
    ViolationReason.SIGNAL_NOT_ALLOWED: (
        observation(PLAIN, *PLAYED_ON, lead(1, "SQ", deal_pb2.SIGNAL_BUSSO), variant="ottocento"),
        "events[2].play.signal",
    ),
    ViolationReason.FALSE_SIGNAL: (
        observation(PLAIN, *PLAYED_ON, lead(1, "T5", deal_pb2.SIGNAL_VOLO), variant="ottocento"),
        "events[2].play.signal",
    ),
    ViolationReason.SIGNAL_CONTRADICTED: (
        # seat 2 says that it still holds trumps, then plays none to one that is led
        observation(
            PLAIN,
            *[*PLAYED_ON, play(1, "BK"), play(2, "T16"), play(3, "B6"), play(0, "B7")],
            *[lead(2, "T15", deal_pb2.SIGNAL_STRISCIO), play(3, "T9"), play(0, "T10"), play(1, "T5")],
            *[play(2, "C6"), play(3, "C7"), play(0, "C8"), play(1, "T6"), play(1, "T7"), play(2, "D6")],
            variant="ottocento",
        ),
        "events[15].play.card",
    ),
    # Seats 2, 3 and 0 have neither swords nor trumps, but two places in the discard hide no seventeen trumps.
    ViolationReason.CONTRADICTION: (observation(PLAIN, *VOID_IN_SWORDS), ""),
    ViolationReason.MORE_FAULTS: (observation(PLAIN, *[play(9, "X")] * 100), "events"),
    ViolationReason.TOO_MANY_EVENTS: (observation(PLAIN, *[DISCARD_BY_OTHER] * 201), "events"),
    ViolationReason.TOO_MANY_CARDS: (observation(" ".join(["SK"] * 101)), "hand"),
    ViolationReason.TOO_MANY_OPTIONS: (
        observation(PLAIN, options={f"option{index}": "" for index in range(33)}),
        "options",
    ),
}


def too_many_moves() -> rules_service_pb2.ReplayDealRequest:
    request = whole_deal(finished())
    request.events.append(play(0, "SK"))
    return request


def three_hands() -> rules_service_pb2.ReplayDealRequest:
    request = whole_deal(finished())
    del request.deal.hands[3]
    return request


def sixty_one_cards() -> rules_service_pb2.ReplayDealRequest:
    request = whole_deal(finished())
    del request.deal.hands[2].cards[0]
    return request


def nine_cards_in_the_stock() -> rules_service_pb2.ReplayDealRequest:
    request = whole_deal(new_deal(get_variant("terziglio"), 1))
    request.deal.stock.append(request.deal.hands[0].cards[0])
    return request


def a_king_for_the_matto() -> rules_service_pb2.ReplayDealRequest:
    for seed in range(100):
        state = play_until("ottocento", seed, lambda state: state.phase in (Phase.GIVE, Phase.END))
        if state.phase is Phase.GIVE:
            request = whole_deal(state)
            request.events.append(deal_pb2.Event(seat=state.turn, give=deal_pb2.Give(card="SK")))
            return request
    raise AssertionError("no deal in which a card is given for the Matto")


DEALS: dict[ViolationReason, tuple[Callable[[], rules_service_pb2.ReplayDealRequest], str]] = {
    ViolationReason.DEAL_OVER: (too_many_moves, r"events\[65\]"),
    ViolationReason.HAND_COUNT: (three_hands, r"deal\.hands"),
    ViolationReason.INCOMPLETE_PACK: (sixty_one_cards, r"deal\.hands"),
    ViolationReason.STOCK_SIZE: (nine_cards_in_the_stock, r"deal\.stock"),
    ViolationReason.CARD_NOT_TO_GIVE: (a_king_for_the_matto, r"events\[\d+\]\.give\.card"),
}


def refusal(call: Callable[[], object]) -> SolverError:
    with pytest.raises(SolverError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("reason", OBSERVATIONS, ids=str)
def test_an_observation_is_refused(client: SolverClient, reason: ViolationReason) -> None:
    message, path = OBSERVATIONS[reason]
    error = refusal(lambda: client.recommend_move(message))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, StatusReason.INVALID_REQUEST)
    found = [violation for violation in error.violations if violation.reason == reason]
    assert found, error.violations
    expected = f"observation.{path}" if path else "observation"
    assert found[0].field.startswith(expected)
    assert len(found[0].description) > 20
    assert found[0].description.isprintable()
    # the referee tells the same without failing
    validated = client.validate_observation(message).violations
    assert validated
    if reason is not ViolationReason.MORE_FAULTS:
        assert reason in [violation.reason for violation in validated]


@pytest.mark.parametrize("reason", DEALS, ids=str)
def test_a_deal_is_refused(client: SolverClient, reason: ViolationReason) -> None:
    make, path = DEALS[reason]
    request = make()
    error = refusal(lambda: client.replay_deal(request.deal, request.events))
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.violations[-1].reason == reason
    assert re.fullmatch(path, error.violations[-1].field)


def test_out_of_range(client: SolverClient) -> None:
    message = observed(in_the_middle())
    error = refusal(lambda: client.recommend_move(message, worlds=0, iterations=-5, time_ms=-1))
    assert [(violation.field, violation.reason) for violation in error.violations] == [
        ("budget.worlds", "OUT_OF_RANGE"),
        ("budget.iterations", "OUT_OF_RANGE"),
        ("budget.duration", "OUT_OF_RANGE"),
    ]


@pytest.mark.parametrize(
    ("standing", "path"),
    [
        (deal_pb2.MatchStanding(scores=[0, 0], deals_played=-1), "deals_played"),
        (deal_pb2.MatchStanding(scores=[115, 0], deals_played=1), "scores[0]"),
        (deal_pb2.MatchStanding(scores=[1, float("nan")], deals_played=1), "scores[1]"),
        (deal_pb2.MatchStanding(scores=[1, float("-inf")], deals_played=3), "scores[1]"),
    ],
)
def test_a_standing_out_of_range(client: SolverClient, standing: deal_pb2.MatchStanding, path: str) -> None:
    deal = client.new_deal("piedicavallo", seed=1, options=FOUR_DEALS)
    message = client.replay_deal(deal).observations[deal.dealer]
    for one in (deal, message):
        one.standing.CopyFrom(standing)
    calls: dict[str, Callable[[], object]] = {
        "observation.": lambda: client.recommend_move(message),
        "deal.": lambda: client.replay_deal(deal),
        "": lambda: client.new_deal("piedicavallo", options=FOUR_DEALS, standing=standing),
    }
    for prefix, call in calls.items():
        found = [(violation.field, violation.reason) for violation in refusal(call).violations]
        assert found == [(f"{prefix}standing.{path}", "OUT_OF_RANGE")]


def test_a_single_deal_has_no_second(client: SolverClient) -> None:
    standing = {"scores": [57, 57], "deals_played": 1}
    error = refusal(lambda: client.new_deal("piedicavallo", standing=standing))
    assert [(violation.field, violation.reason) for violation in error.violations] == [
        ("standing.deals_played", "MATCH_OVER")
    ]


def test_every_fault_of_options_and_standing_is_told(client: SolverClient) -> None:
    options = {"speed": "fast", "allow_voiding": "no", "x\ny": "z", "match": "four_deals"}
    error = refusal(lambda: client.new_deal("piedicavallo", options=options, standing={"scores": [1]}))
    assert [(violation.field, violation.reason) for violation in error.violations] == [
        ("options[allow_voiding]", "UNKNOWN_OPTION_VALUE"),
        ("options[speed]", "UNKNOWN_OPTION"),
        ("options[x\\ny]", "UNKNOWN_OPTION"),
        ("standing.scores", "SCORE_COUNT"),
    ]
    assert error.message.isprintable()
    standing = {"scores": [1, 2, 3], "deals_played": 9}
    error = refusal(lambda: client.new_deal("piedicavallo", options=FOUR_DEALS, dealer=7, standing=standing))
    assert [violation.field for violation in error.violations] == [
        *["standing.scores", "dealer", "standing.deals_played"]
    ]
    message = in_a_match(1, deals_played=9)
    message.hand[0] = "zz"
    error = refusal(lambda: client.recommend_move(message))
    assert [violation.field for violation in error.violations] == [
        *["observation.standing.deals_played", "observation.standing.scores", "observation.hand[0]"]
    ]


def test_world_not_found(client: SolverClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for a sampler that gives up, which no observation known to us makes it do."""

    def give_up(*args: object, **kwargs: object) -> None:
        raise WorldNotFoundError(["seat 2 holds no cups " * 1000])

    monkeypatch.setattr(searching, "search", give_up)
    monkeypatch.setattr(rules_service, "check_consistent", give_up)
    message = observed(in_the_middle())
    error = refusal(lambda: client.recommend_move(message))
    assert [violation.reason for violation in error.violations] == [ViolationReason.WORLD_NOT_FOUND]
    assert "a long search found no deal" in error.message
    assert [violation.reason for violation in client.validate_observation(message).violations] == ["WORLD_NOT_FOUND"]


def test_all_faults_come_together(client: SolverClient) -> None:
    message = observation(PLAIN.replace("T8", "zz"), play(0, "T88"), deal_pb2.Event(seat=9), seat=7)
    error = refusal(lambda: client.recommend_move(message, iterations=-5))
    assert [violation.field for violation in error.violations] == [
        "observation.seat",
        "observation.hand[14]",
        "observation.events[0].play.card",
        "observation.events[1].seat",
        "observation.events[1]",
        "budget.iterations",
    ]
    assert error.message.endswith("(and 5 more)")


@pytest.mark.parametrize(
    ("hand", "dealer", "paths"),
    [
        ("zz", 0, ["hand", "hand[0]"]),
        ("SK SK", 0, ["hand", "hand[1]"]),
        (f"{PLAIN} zz", 0, ["hand", "hand[15]"]),
        (PLAIN, 1, ["hand"]),
        (PLAIN.replace("T8", "T7"), 0, ["hand[14]"]),
        (DEALT.replace("ANG", "zz"), 1, ["hand[16]"]),
        (" ".join(["zz"] * 62), 0, ["hand", *(f"hand[{index}]" for index in range(62))]),
    ],
)
def test_cards_that_cannot_be_read_count(client: SolverClient, hand: str, dealer: int, paths: list[str]) -> None:
    found = client.validate_observation(observation(hand, dealer=dealer)).violations
    assert [violation.field for violation in found] == [f"observation.{path}" for path in paths]
    if paths[0] == "hand":
        assert found[0].reason == ViolationReason.HAND_SIZE
        assert found[0].description.startswith(f"{len(hand.split())} cards: ")


def test_a_hand_of_a_wrong_size_is_told_with_a_wrong_standing(client: SolverClient) -> None:
    message = in_a_match(1, 2, deals_played=9)
    del message.hand[3]
    found = client.validate_observation(message).violations
    assert [violation.field for violation in found] == ["observation.standing.deals_played", "observation.hand"]


def test_every_fault_of_the_hands_of_a_deal_is_told(client: SolverClient) -> None:
    request = whole_deal(finished())
    hands = request.deal.hands
    assert request.deal.dealer == 2
    hands[0].cards[3] = "zz"
    del hands[1].cards[0]
    hands[2].cards[0] = hands[2].cards[1]
    hands[2].cards.append("zz")
    hands[3].cards[0] = hands[1].cards[0]
    error = refusal(lambda: client.replay_deal(request.deal, request.events))
    assert [(violation.field, violation.reason) for violation in error.violations] == [
        ("deal.hands[0].cards[3]", "UNKNOWN_CARD"),
        ("deal.hands[2].cards[1]", "REPEATED_CARD"),
        ("deal.hands[2].cards[17]", "UNKNOWN_CARD"),
        ("deal.hands[1].cards", "HAND_SIZE"),
        ("deal.hands[2].cards", "HAND_SIZE"),
        ("deal.hands[3].cards", "CARD_ELSEWHERE"),
    ]
    assert [violation.description[:9] for violation in error.violations[3:5]] == ["14 cards:", "18 cards:"]


@pytest.mark.parametrize("name", ["seat", "dealer"])
def test_seats_have_to_be_given(client: SolverClient, name: str) -> None:
    message = observation(PLAIN.replace("T8", "zz"), deal_pb2.Event(discard=deal_pb2.Discard()))
    message.ClearField(name)  # type: ignore[arg-type]
    error = refusal(lambda: client.recommend_move(message))
    assert [(violation.field, violation.reason) for violation in error.violations] == [
        (f"observation.{name}", "MISSING_FIELD"),
        ("observation.hand[14]", "UNKNOWN_CARD"),
        ("observation.events[0].seat", "MISSING_FIELD"),
    ]
    assert error.violations[0].description.endswith("give its number, also when that is 0")
    for other in {"seat", "dealer"} - {name}:
        setattr(message, other, 9)
    assert [violation.reason for violation in client.validate_observation(message).violations] == [
        *["MISSING_FIELD", "NO_SUCH_SEAT", "UNKNOWN_CARD", "MISSING_FIELD"]
    ]


def test_the_dealer_of_a_deal_has_to_be_given(client: SolverClient) -> None:
    request = whole_deal(finished())
    request.deal.ClearField("dealer")
    error = refusal(lambda: client.replay_deal(request.deal, request.events))
    assert [(violation.field, violation.reason) for violation in error.violations] == [("deal.dealer", "MISSING_FIELD")]
    del request.deal.hands[3]
    request.events[5].ClearField("seat")
    error = refusal(lambda: client.replay_deal(request.deal, request.events))
    assert [violation.field for violation in error.violations] == ["deal.dealer", "events[5].seat", "deal.hands"]


def test_answers_set_seat_0() -> None:
    state = play_until("bolognese", 1, lambda state: len(state.tricks) == 2, dealer=0)
    answer = replay_answer(state)
    messages = [*answer.observations, *answer.events, deal_answer(state, 1).deal]
    messages += [event for observation in answer.observations for event in observation.events]
    assert any(message.seat == 0 for message in answer.events)
    for message in messages:
        for name in {"seat", "dealer"} & set(message.DESCRIPTOR.fields_by_name):
            assert message.HasField(name)  # type: ignore[arg-type]


def test_long_texts_are_not_echoed(client: SolverClient) -> None:
    long = "x" * 100_000
    for message in (
        observation(long),
        observation(PLAIN, variant=long),
        observation(PLAIN, options={long: "true"}),
        observation(PIEDMONTESE, variant="piedicavallo", options={"match": long}),
    ):
        error = refusal(lambda message=message: client.recommend_move(message))  # type: ignore[misc]
        assert error.code is grpc.StatusCode.INVALID_ARGUMENT
        assert len(error.message) < 300
        assert len(error.violations[0].field) < 100


def test_queue_full_and_health_while_searches_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    blocking = BlockingSearch()
    monkeypatch.setattr(searching, "search", blocking)
    message = observed(in_the_middle())
    with running(concurrent_searches=1, queue_size=1) as (server, client):
        callers = [threading.Thread(target=client.recommend_move, args=(message,)) for _ in range(2)]
        for caller in callers:
            caller.start()
        blocking.started.acquire()
        wait_for(lambda: server.admitted_searches == 2)
        error = refusal(lambda: client.recommend_move(message))
        assert (error.code, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, StatusReason.QUEUE_FULL)
        assert error.retry_seconds is not None
        assert client.is_serving()
        assert client.list_legal_moves(message).moves
        blocking.release.set()
        for caller in callers:
            caller.join()
        assert client.recommend_move(message).moves


def test_warming_up_and_failing() -> None:
    may_end = threading.Event()

    def warm_up() -> None:
        may_end.wait(10)
        raise RuntimeError("no compiler")

    server = SolverServer(ServerConfig(address="127.0.0.1:0"), warm_up=warm_up)
    server.start()
    with SolverClient(server.address, retry=None) as client:
        error = refusal(client.get_server_info)
        assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, StatusReason.WARMING_UP)
        assert error.retry_seconds is not None
        assert not client.is_serving()
        may_end.set()
        assert not server.wait_until_ready(10)
        error = refusal(client.list_variants)
        assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, StatusReason.WARM_UP_FAILED)
        assert "no compiler" not in error.message
        assert not client.is_serving()
    server.stop(0)


def test_draining() -> None:
    with running() as (server, client):
        assert client.is_serving()
        server.readiness.move_to(Stage.DRAINING)
        error = refusal(lambda: client.new_deal("bolognese"))
        assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, StatusReason.DRAINING)
        assert error.retry_seconds is not None


def test_an_internal_error_tells_nothing_but_its_id(
    client: SolverClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret: SK lies in seat 3")

    monkeypatch.setattr(searching, "search", broken)
    error = refusal(lambda: client.recommend_move(observed(in_the_middle()), iterations=SMALL))
    assert (error.code, error.reason) == (grpc.StatusCode.INTERNAL, StatusReason.INTERNAL_ERROR)
    assert error.request_id in error.message
    assert "secret" not in error.message
    assert any(error.request_id in record.message for record in caplog.records if record.levelname == "ERROR")


def test_cancelled_before_its_search_began() -> None:
    class Gone:
        """A call whose client has gone already."""

        def add_callback(self, callback: Callable[[], None]) -> bool:
            return False

    pool = SearchPool(workers=1, queue_size=1)
    with occupied(pool, 1):
        with pytest.raises(RequestError) as caught:
            pool.run(the_same(lambda stop: None), Gone())  # type: ignore[arg-type]
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.CANCELLED, StatusReason.CANCELLED)
        assert pool.admitted == 1
    assert pool.wait_until_idle(10)
    pool.close()


def test_every_reason_is_provoked() -> None:
    elsewhere = {
        ViolationReason.OUT_OF_RANGE,
        ViolationReason.LEVEL_AND_BUDGET,
        ViolationReason.WORLD_NOT_FOUND,
        ViolationReason.UNREADABLE_REQUEST,
    }
    assert {*OBSERVATIONS, *DEALS} | elsewhere == set(ViolationReason)
    here = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    missing = [reason for reason in StatusReason if f"StatusReason.{reason}" not in here and f'"{reason}"' not in here]
    assert missing == []


def test_every_reason_of_the_engine_is_in_the_contract() -> None:
    root = Path(tarocchi_engine.__file__).parent
    known = {*ViolationReason, *OUT_OF_REACH}
    for path in root.rglob("*.py"):
        source = path.read_text()
        if "IllegalMoveError(" in source or "Fault(" in source:
            assert set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', source)) <= known, path.name


def test_a_discard_seen_by_another_seat_is_face_down() -> None:
    state = new_deal(get_variant("bolognese"), 4)
    dealer = state.table.dealer
    state = state.apply_move(state.legal_moves()[0])
    for seat in range(4):
        message = format_observation(state.observe(seat))
        assert len(message.events[0].discard.cards) == (2 if seat == dealer else 0)
