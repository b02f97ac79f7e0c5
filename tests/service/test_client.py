"""The client: what it accepts, and what its errors carry."""

from __future__ import annotations

import json

import grpc
import pytest

from service_support import SMALL, in_the_middle, observed
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_solver import SolverClient as ExportedClient
from tarocchi_solver import examples
from tarocchi_solver.client import SolverClient, SolverError, Violation


def test_takes_plain_dictionaries(client: SolverClient) -> None:
    observation = json.loads(examples.load("piedicavallo"))
    answer = client.recommend_move(observation, iterations=SMALL, seed=1)
    assert answer.move.WhichOneof("action") == "play"
    assert not client.validate_observation(observation).violations
    assert client.list_legal_moves(observation).moves
    deal = json.loads(examples.load("bolognese_deal"))
    assert client.replay_deal(deal["deal"], deal["events"]).HasField("score")


def test_what_is_no_observation_does_not_leave_the_client(client: SolverClient) -> None:
    with pytest.raises(ValueError, match="hand"):
        client.recommend_move({"hand": 5})
    with pytest.raises(ValueError, match="scores"):
        client.new_deal("piedicavallo", standing={"scores": "many"})
    with pytest.raises(TypeError, match="Deal given where Observation is needed"):
        client.recommend_move(rules_service_pb2.Deal())  # type: ignore[arg-type]


def test_an_error_carries_all_that_the_server_said(client: SolverClient) -> None:
    observation = observed(in_the_middle())
    observation.hand[0] = "XX"
    with pytest.raises(SolverError) as caught:
        client.recommend_move(observation)
    error = caught.value
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.reason == "INVALID_REQUEST"
    assert error.retry_seconds is None
    assert error.violations[0] == Violation("observation.hand[0]", "UNKNOWN_CARD", error.violations[0].description)
    assert error.message.startswith("observation.hand[0]: 'XX' is not a card")


def test_an_empty_observation_is_refused(client: SolverClient) -> None:
    with pytest.raises(SolverError) as caught:
        client.recommend_move(deal_pb2.Observation())
    assert [violation.field for violation in caught.value.violations] == ["observation.variant"]


def test_a_server_that_is_not_there() -> None:
    with ExportedClient("127.0.0.1:1") as client:
        assert not client.wait_until_serving(0.01)
        with pytest.raises(SolverError) as caught:
            client.get_server_info()
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAVAILABLE, "")
