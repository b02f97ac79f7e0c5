"""No request makes the server read more than a deal can hold, whatever it is filled with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service_support import finished, observed, running, whole_deal
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_engine import VARIANTS
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.service import reading
from tarocchi_solver.service.config import SETTINGS, ServerConfig

MANY = 100_000
"""Entries of a list, of which a request of the usual size has room for some times as many."""


def observation(**fields: Any) -> deal_pb2.Observation:
    return deal_pb2.Observation(**{"variant": "bolognese", "seat": 1, "dealer": 0, **fields})


def declaration(count: int) -> deal_pb2.Event:
    return deal_pb2.Event(seat=1, declare=deal_pb2.Declare(cards=["SK"] * count))


def deal(**fields: Any) -> rules_service_pb2.Deal:
    return rules_service_pb2.Deal(**{"variant": "bolognese", "dealer": 0, **fields})


@pytest.fixture
def read_cards(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes every id of a card that is looked at."""
    read: list[str] = []
    real = reading._parse_card

    def note(pack: Any, card_id: str, *more: Any) -> int | None:
        read.append(card_id)
        return real(pack, card_id, *more)

    monkeypatch.setattr(reading, "_parse_card", note)
    return read


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (observation(hand=["SK"] * MANY), [("hand", "TOO_MANY_CARDS")]),
        (observation(events=[deal_pb2.Event()] * 5000), [("events", "TOO_MANY_EVENTS")]),
        (observation(options={str(index): "" for index in range(MANY // 2)}), [("options", "TOO_MANY_OPTIONS")]),
        (
            observation(variant="ottocento", hand=["SK"] * 101, standing={"scores": [0.0] * MANY, "deals_played": 1}),
            [("standing.scores", "SCORE_COUNT"), ("hand", "TOO_MANY_CARDS")],
        ),
        (
            observation(hand=["SK"] * 101, events=[declaration(MANY // 200)] * 200),
            [
                ("hand", "TOO_MANY_CARDS"),
                *((f"events[{index}].declare.cards", "TOO_MANY_CARDS") for index in range(200)),
            ],
        ),
    ],
    ids=["hand", "events", "options", "scores", "declarations"],
)
def test_a_long_list_is_one_fault_and_none_of_it_is_read(
    client: SolverClient, message: deal_pb2.Observation, told: list[tuple[str, str]], read_cards: list[str]
) -> None:
    violations = client.validate_observation(message).violations
    assert [(entry.field.removeprefix("observation."), entry.reason) for entry in violations] == told
    assert read_cards == []
    with pytest.raises(SolverError) as caught:
        client.recommend_move(message)
    assert caught.value.violations[0].reason == told[0][1]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda client: client.replay_deal(deal(hands=[{}] * MANY)), [("deal.hands", "HAND_COUNT")]),
        (lambda client: client.replay_deal(deal(), [deal_pb2.Event()] * 5000), [("events", "TOO_MANY_EVENTS")]),
        (
            lambda client: client.new_deal("bolognese", options={str(index): "" for index in range(33)}),
            [("options", "TOO_MANY_OPTIONS")],
        ),
    ],
    ids=["hands", "events", "options"],
)
def test_a_deal_out_of_all_measure(
    client: SolverClient, call: Callable[[SolverClient], object], told: list[tuple[str, str]]
) -> None:
    with pytest.raises(SolverError) as caught:
        call(client)
    assert [(violation.field, violation.reason) for violation in caught.value.violations] == told


def test_the_stock_of_a_deal_out_of_all_measure(client: SolverClient, read_cards: list[str]) -> None:
    with pytest.raises(SolverError) as caught:
        client.replay_deal(deal(stock=["SK"] * MANY, hands=[{"cards": ["SK"] * 101}]))
    assert ("deal.stock", "TOO_MANY_CARDS") in [(entry.field, entry.reason) for entry in caught.value.violations]
    assert read_cards == []


def test_the_limit_of_events_is_that_of_the_server() -> None:
    request = whole_deal(finished())
    with running(event_limit=100) as (_, client):
        assert client.replay_deal(request.deal, request.events).observations
        message = observed(finished(), 0)
        message.events.extend([request.events[-1]] * (101 - len(message.events)))
        for call in (
            lambda: client.recommend_move(message),
            lambda: client.list_legal_moves(message),
            lambda: client.replay_deal(request.deal, message.events),
        ):
            with pytest.raises(SolverError, match=r"101 events are more than a deal has.*at most 100") as caught:
                call()
            assert [violation.reason for violation in caught.value.violations] == ["TOO_MANY_EVENTS"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_deal_comes_near_the_limit(variant: str) -> None:
    longest = max(len(finished(variant, seed).events) for seed in range(20))
    assert longest < SETTINGS["event_limit"].least
    assert ServerConfig().event_limit >= SETTINGS["event_limit"].least
