"""The client: what it accepts, and what its errors carry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from service_support import SMALL, in_the_middle, observed
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_solver import SolverClient as ExportedClient
from tarocchi_solver import examples
from tarocchi_solver.client import (
    AsyncSolverClient,
    InvalidCallError,
    RetryPolicy,
    SolverClient,
    SolverError,
    UnknownFieldWarning,
    Violation,
)
from tarocchi_solver.service.server import SolverServer


def test_takes_plain_dictionaries(client: SolverClient) -> None:
    observation = json.loads(examples.load("piedicavallo"))
    answer = client.recommend_move(observation, iterations=SMALL, seed=1)
    assert answer.move.WhichOneof("action") == "play"
    assert not client.validate_observation(observation).violations
    assert client.list_legal_moves(observation).moves
    deal = json.loads(examples.load("bolognese_deal"))
    assert client.replay_deal(deal["deal"], deal["events"]).HasField("score")


EMPTY: dict[str, Any] = {}
CALLS: list[tuple[Callable[[SolverClient], object], str]] = [
    (lambda client: client.recommend_move({"hand": 5}), "observation.hand: a list in brackets is needed, not 5"),
    (lambda client: client.recommend_move({"seat": "x"}), 'observation.seat: a whole number is needed, not "x"'),
    (lambda client: client.recommend_move({"seat": {1}}), "observation.seat: a whole number is needed"),
    (lambda client: client.recommend_move({"variant": "\ud800"}), "observation.variant: the text has half of a"),
    (lambda client: client.recommend_move({"\ud800": 1}), "observation: the key '\\ud800' has half of a character"),
    (lambda client: client.recommend_move(5), "observation: an object in braces is needed, not 5"),
    (
        lambda client: client.recommend_move(rules_service_pb2.Deal()),
        "observation: Deal given where Observation is needed",
    ),
    (
        lambda client: client.recommend_move(EMPTY, iterations=2**31),
        "budget.iterations: 2147483648 is out of range: 1 to 2147483647",
    ),
    (lambda client: client.recommend_move(EMPTY, worlds=1.5), "budget.worlds: a whole number is needed, not 1.5"),
    (lambda client: client.recommend_move(EMPTY, seed=-1), "seed: -1 is out of range: 0 to"),
    (lambda client: client.recommend_move(EMPTY, time_ms="5"), "time_ms: a number is needed, not '5'"),
    (lambda client: client.recommend_move(EMPTY, time_ms=float("nan")), "time_ms: a number is needed, not nan"),
    (lambda client: client.recommend_move(EMPTY, time_ms=1e300), "time_ms: 1e+300 milliseconds are too many"),
    (lambda client: client.recommend_move(EMPTY, timeout="soon"), "timeout: a number is needed, not 'soon'"),
    (lambda client: client.recommend({"observation": {"dealer": True}}), "observation.dealer: a whole number"),
    (lambda client: client.list_legal_moves([]), "observation: an object in braces is needed, not []"),
    (lambda client: client.validate_observation({"events": [{"seat": 0.5}]}), "observation.events[0].seat: a whole"),
    (lambda client: client.new_deal(None, seed="x"), 'seed: a whole number is needed, not "x"'),
    (
        lambda client: client.new_deal("bolognese", dealer=2**40),
        "dealer: 1099511627776 is out of range: 0 to 2147483647",
    ),
    (lambda client: client.new_deal("bolognese", options={"match": 4}), "options[match]: a text in quotation marks"),
    (lambda client: client.new_deal("x", standing={"scores": "many"}), "standing.scores: a list in brackets"),
    (lambda client: client.replay_deal({"hands": [5]}), "deal.hands[0]: an object in braces is needed, not 5"),
    (lambda client: client.replay_deal(EMPTY, 5), "events: a list of events is needed"),
    (lambda client: client.replay_deal(EMPTY, [EMPTY, 5]), "events[1]: an object in braces is needed, not 5"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_what_is_no_request_does_not_leave_the_client(
    client: SolverClient, call: Callable[[SolverClient], object], message: str
) -> None:
    with pytest.raises(InvalidCallError) as caught:
        call(client)
    assert isinstance(caught.value, SolverError)
    assert caught.value.code is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.message.startswith(message)
    assert message.startswith(caught.value.violations[0].field)


def test_every_field_that_does_not_fit_is_named(client: SolverClient) -> None:
    with pytest.raises(InvalidCallError) as caught:
        client.recommend_move({"seat": "x", "hand": ["SK", 5]})
    assert [violation.field for violation in caught.value.violations] == ["observation.seat", "observation.hand[1]"]
    assert caught.value.message.endswith("(and 1 more)")


def test_a_nesting_without_end_is_no_request(client: SolverClient) -> None:
    endless: dict[str, Any] = {}
    endless["standing"] = endless
    with pytest.raises(InvalidCallError, match="no JSON form of Observation"):
        client.recommend_move(endless)


def test_unknown_fields_are_ignored_with_a_warning(client: SolverClient) -> None:
    observation = json.loads(examples.load("bolognese"))
    observation["events"][3]["comment"] = "well played"
    with pytest.warns(UnknownFieldWarning, match=r"the first is 'observation.events\[3\].comment'") as caught:
        assert client.list_legal_moves(observation).moves
    assert len(caught) == 1


def test_tuples_and_messages_inside_dictionaries_will_do(client: SolverClient) -> None:
    observation = observed(in_the_middle())
    given = {
        "variant": observation.variant,
        "seat": observation.seat,
        "dealer": observation.dealer,
        "hand": tuple(observation.hand),
        "events": list(observation.events),
    }
    assert client.list_legal_moves(given) == client.list_legal_moves(observation)


@pytest.mark.parametrize("time_ms", [0.5, 30])
def test_a_time_may_be_any_number_above_zero(client: SolverClient, time_ms: float) -> None:
    answer = client.recommend_move(observed(in_the_middle()), time_ms=time_ms, seed=1)
    assert answer.diagnostics.budget.duration.ToMilliseconds() == max(time_ms, 1)


@pytest.mark.parametrize("address", ["", " ", None, "\ud800:1", "a\n:1"])
def test_an_address_must_be_one(address: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="is no address: give host and port"):
        SolverClient(address)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("localhost", "give host and port, such as 127.0.0.1:50051"),
        ("[::1]", "give host and port"),
        (":1", "give host and port"),
        ("http://localhost:1", "leave out http:// and give host and port alone"),
        ("localhost:1/x", "give host and port"),
        ("local/host:1", "give host and port"),
        ("a b:1", "give host and port"),
        (" localhost:1", "leave out the spaces around it"),
        ("localhost:1 ", "leave out the spaces around it"),
        ("::1:1", "put [ and ] around the host, such as [::1]:50051"),
        ("localhost:x", "give host and port"),
        ("localhost:0", "give the port that it listens on"),
        ("unix:", "give the path of the socket"),
    ],
)
def test_an_address_has_a_host_and_a_port(address: str, told: str) -> None:
    for kind in (SolverClient, AsyncSolverClient):
        with pytest.raises(ValueError, match=f"^{re.escape(repr(address))} is no address.*: {re.escape(told)}"):
            kind(address)


def test_addresses_that_can_be() -> None:
    for address in ("solver.example.org:50051", "[::1]:1", "a_b-c.:65535", "unix:relative", "città.example:1"):
        SolverClient(address).close()


def test_names_that_grpc_looks_up(server: SolverServer) -> None:
    port = server.address.rpartition(":")[2]
    for address in (f"dns:///localhost:{port}", f"ipv4:127.0.0.1:{port}", f"ipv4:127.0.0.1:1,127.0.0.1:{port}"):
        with SolverClient(address) as client:
            assert client.list_variants().variants


def test_a_port_is_not_cut_down_to_another(server: SolverServer) -> None:
    host, _, port = server.address.rpartition(":")
    with pytest.raises(ValueError, match="a port is a number from 0 to 65535"):
        SolverClient(f"{host}:{int(port) + 65536}")


def test_a_timeout_may_be_as_long_as_one_likes(server: SolverServer) -> None:
    with SolverClient(server.address, timeout=1e300) as client:
        assert client.list_variants().variants
        assert client.recommend_move(observed(in_the_middle()), iterations=SMALL, timeout=1e12).moves


def test_a_closed_client_says_so() -> None:
    with ExportedClient("127.0.0.1:1") as client:
        pass
    for call in (client.get_server_info, client.is_serving, lambda: client.wait_until_serving(5)):
        with pytest.raises(InvalidCallError, match="the client is closed") as caught:
            call()
        assert caught.value.code is grpc.StatusCode.FAILED_PRECONDITION
    client._is_closed = False  # as another thread sees it that is about to call
    with pytest.raises(InvalidCallError, match="the client is closed"):
        client.get_server_info()


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
    assert [violation.field for violation in caught.value.violations] == [
        *["observation.variant", "observation.seat", "observation.dealer"]
    ]


def test_a_server_that_is_not_there() -> None:
    with ExportedClient("127.0.0.1:1", retry=RetryPolicy(patience=0.5)) as client:
        assert not client.wait_until_serving(0.01)
        with pytest.raises(SolverError) as caught:
            client.get_server_info()
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAVAILABLE, "")
