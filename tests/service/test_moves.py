"""The moves that only some games have: what is read, refused and written, as messages and in their JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from service_support import bid, finished, lead, play_until, say, whole_deal
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_engine import Ending, Phase, Standing, get_variant, new_deal
from tarocchi_solver.client import InvalidCallError, SolverClient, SolverError

Move = Mapping[str, Any]


def faults_of(client: SolverClient, variant: str, *events: deal_pb2.Event | Move) -> list[tuple[str, str]]:
    """Returns path and reason of every fault of a deal by seat 0 with these events."""
    deal = client.new_deal(variant, seed=5, dealer=0)
    try:
        client.replay_deal(deal, events)
    except SolverError as error:
        return [(violation.field, violation.reason) for violation in error.violations]
    return []


def test_a_word_in_the_poll_has_to_be_given(client: SolverClient) -> None:
    event = deal_pb2.Event(seat=1, monte=deal_pb2.Monte())
    assert faults_of(client, "ottocento", event) == [("events[0].monte.throws_in", "MISSING_FIELD")]
    for throws_in in (True, False):
        assert faults_of(client, "ottocento", say(1, throws_in=throws_in)) == []


def test_a_call_has_to_be_given(client: SolverClient) -> None:
    assert faults_of(client, "terziglio", bid(1, deal_pb2.CALL_UNSPECIFIED), bid(2, 9)) == [  # type: ignore[arg-type]
        ("events[0].bid.call", "MISSING_FIELD"),
        ("events[1].bid.call", "OUT_OF_RANGE"),
    ]


def test_a_signal_has_to_be_one(client: SolverClient) -> None:
    event = lead(1, "T5", 7)  # type: ignore[arg-type]
    assert faults_of(client, "ottocento", event) == [("events[0].play.signal", "OUT_OF_RANGE")]


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        ({"seat": 1, "give": {"card": "zz"}}, ("events[0].give.card", "UNKNOWN_CARD")),
        ({"seat": 1, "give": {}}, ("events[0].give.card", "MISSING_FIELD")),
        ({"seat": 1, "callOut": {"cards": ["SK", "SK"]}}, ("events[0].call_out.cards[1]", "REPEATED_CARD")),
        ({"seat": 1, "give": {"card": "SK"}}, ("events[0].give", "WRONG_PHASE")),
        ({"seat": 1, "callOut": {}}, ("events[0].call_out", "WRONG_PHASE")),
        ({"seat": 1, "monte": {"throwsIn": True}}, ("events[0].monte", "WRONG_PHASE")),
        ({"seat": 2, "bid": {"call": "CALL_PASS"}}, ("events[0].seat", "OUT_OF_TURN")),
    ],
)
def test_moves_that_cannot_be(client: SolverClient, event: Move, fault: tuple[str, str]) -> None:
    assert faults_of(client, "terziglio", event) == [fault]


@pytest.mark.parametrize(
    ("event", "description"),
    [
        ({"seat": 1, "give": {}}, "the id of the card is missing: give one, such as 'SK'"),
        ({"seat": 1, "declare": {"cards": ["SK", "SK"]}}, "card 'SK' stands twice in the list: name each card once"),
        ({"seat": 2, "bid": {"call": "CALL_PASS"}}, "correct the seat, or give the move that is missing before this"),
        ({"seat": 1, "monte": {"throwsIn": True}}, "give that move, or the one that is missing before this"),
    ],
)
def test_the_remedy_is_told(client: SolverClient, event: Move, description: str) -> None:
    deal = client.new_deal("terziglio", seed=5, dealer=0)
    with pytest.raises(SolverError) as caught:
        client.replay_deal(deal, [event])
    (violation,) = caught.value.violations
    assert description in violation.description


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            {"seat": 1, "bid": {"call": "gioco"}},
            "events[0].bid.call: one of CALL_PASS, CALL_GIOCO, CALL_SOLO is needed",
        ),
        ({"seat": 1, "bid": {"call": 4}}, "events[0].bid.call: one of CALL_PASS"),
        ({"seat": 1, "bid": {"call": True}}, "events[0].bid.call: one of CALL_PASS"),
        ({"seat": 1, "monte": {"throwsIn": "yes"}}, 'events[0].monte.throws_in: true or false is needed, not "yes"'),
        ({"seat": 1, "monte": {"throwsIn": 1}}, "events[0].monte.throws_in: true or false is needed, not 1"),
        ({"seat": 1, "play": {"card": "SK", "signal": "volo"}}, "events[0].play.signal: one of SIGNAL_VOLO"),
        ({"seat": 1, "bid": {}, "monte": {}}, "events[0]: bid and monte exclude each other"),
    ],
)
def test_json_that_does_not_fit(client: SolverClient, event: Move, message: str) -> None:
    with pytest.raises(InvalidCallError) as caught:
        client.replay_deal(client.new_deal("terziglio", seed=5, dealer=0), [event])
    assert message in caught.value.message


def test_calls_may_be_given_by_name_or_number(client: SolverClient) -> None:
    for call in ("CALL_SOLO", 3):
        event = {"seat": 1, "bid": {"call": call}}
        assert client.replay_deal(client.new_deal("terziglio", seed=5, dealer=0), [event]).declarer == 1


def test_signals_come_back_as_they_went(client: SolverClient) -> None:
    for seed in range(20):
        request = whole_deal(finished("ottocento", seed))
        if any(event.play.signal for event in request.events):
            answer = client.replay_deal(request.deal, request.events)
            assert list(answer.events) == list(request.events)
            return
    raise AssertionError("no deal with a signal")


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_is_told(client: SolverClient, ending: Ending) -> None:
    variant = "terziglio" if ending is Ending.PASSED else "ottocento"
    standing = Standing((790.0, 780.0), 5) if ending in (Ending.CALL_OUT, Ending.DECLARATION) else Standing()
    for seed in range(200):
        state = finished(variant, seed, standing=standing)
        if state.table.ending is ending:
            break
    request = whole_deal(state)
    answer = client.replay_deal(request.deal, request.events)
    score = answer.score
    assert rules_service_pb2.Ending.Name(score.ending) == f"ENDING_{ending.name}"
    assert list(score.awards) == list(state.score().awards)
    if ending in (Ending.THROWN_IN, Ending.PASSED):
        assert not any(score.awards)
        assert not score.HasField("winning_side")
        assert not answer.match_progress.finished
    if ending in (Ending.CALL_OUT, Ending.DECLARATION):
        assert answer.match_progress.finished
        assert answer.match_progress.winning_side == score.winning_side
        assert answer.match_target == 800
    assert score.HasField("game") == (ending is Ending.COUNT and variant == "terziglio")


def test_a_game_tells_what_it_is_worth(client: SolverClient) -> None:
    contracts = set()
    for seed in range(12):
        state = finished("terziglio", seed)
        if state.table.ending is not Ending.COUNT:
            continue
        request = whole_deal(state)
        score = client.replay_deal(request.deal, request.events).score
        game = score.game
        contracts.add(game.contract)
        winners = {game.declarer} if score.winning_side == 0 else {0, 1, 2} - {game.declarer}
        assert list(score.awards) == [game.game_points if seat in winners else 0 for seat in range(3)]
        if game.HasField("rounded"):
            factor = 2 if game.contract == deal_pb2.CALL_SOLO else 1
            assert game.game_points == factor * game.rounded // 50
            assert -5 < score.sides[score.winning_side].total - game.rounded < 50
    assert contracts == {deal_pb2.CALL_GIOCO, deal_pb2.CALL_SOLO}


def test_a_call_out_that_cannot_succeed_may_be_said_or_left_out(client: SolverClient) -> None:
    state = play_until("ottocento", 1, lambda state: state.phase is Phase.DECLARE)
    request = whole_deal(state)
    assert any(event.HasField("call_out") for event in request.events)
    without = [event for event in request.events if not event.HasField("call_out")]
    answer = client.replay_deal(request.deal, request.events)
    assert answer == client.replay_deal(request.deal, without)
    twice = [copy for event in request.events for copy in [event] * (2 if event.HasField("call_out") else 1)]
    with pytest.raises(SolverError) as caught:
        client.replay_deal(request.deal, twice)
    assert [violation.reason for violation in caught.value.violations] == ["WRONG_PHASE"]


def test_hands_of_a_wrong_size_are_told_with_all_that_there_are(client: SolverClient) -> None:
    state = new_deal(get_variant("ottocento"), 1, dealer=0)
    names = state.variant.pack.format_mask(state.dealt[0])
    for hand, told in (
        (names[:4], "the dealer is dealt 5, later 15 and then 17"),
        (names[:15], "the dealer is dealt 5 "),
    ):
        message = deal_pb2.Observation(variant="ottocento", seat=0, dealer=0, hand=hand)
        violations = client.validate_observation(message).violations
        assert [(violation.field, violation.reason) for violation in violations] == [("observation.hand", "HAND_SIZE")]
        assert told in violations[0].description
