"""What the clients send: every call of the contract has its method, and both clients have the same."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from client_support import DOORS, ScriptedServer, serving, through
from service_support import SMALL, finished, in_the_middle, observed, whole_deal
from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_solver.client import (
    AsyncSolverClient,
    AsyncTable,
    DealNotOverError,
    InvalidCallError,
    NothingToDecideError,
    SolverClient,
    SolverError,
    Table,
    UnknownFieldWarning,
    calls,
)
from tarocchi_solver.client.client import NOT_READY
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.server import SolverServer

OBSERVATION = {"variant": "bolognese", "seat": 0, "dealer": 0}
METHODS = {
    "AnalyzePosition": "analyze",
    "BatchRecommendMoves": "recommend_moves",
}
"""Methods of the clients that are not called as in the contract."""
FOR_THREADS = {"begin"}
"""Methods of clients for threads alone: a task that awaits is cancelled as it is."""


def in_snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def test_every_call_of_the_contract_has_its_method() -> None:
    for contract in (solver_service_pb2, rules_service_pb2, review_service_pb2):
        for service in contract.DESCRIPTOR.services_by_name.values():
            for rpc in service.methods:
                name = METHODS.get(rpc.name, in_snake_case(rpc.name))
                for kind in (SolverClient, AsyncSolverClient):
                    assert callable(getattr(kind, name)), name


@pytest.mark.parametrize(("one", "other"), [(SolverClient, AsyncSolverClient), (Table, AsyncTable)])
def test_both_kinds_have_the_same_methods(one: type, other: type) -> None:
    def methods(kind: type) -> dict[str, list[tuple[str, Any]]]:
        return {
            name: [(parameter.name, parameter.default) for parameter in inspect.signature(method).parameters.values()]
            for name, method in inspect.getmembers(kind, callable)
            if not name.startswith("_") and name not in FOR_THREADS
        }

    assert methods(one) == methods(other)
    for name in methods(one):
        assert inspect.getdoc(getattr(one, name)), name


def test_methods_show_their_arguments() -> None:
    assert list(inspect.signature(SolverClient.get_beliefs).parameters) == ["self", "observation", "seed", "timeout"]
    assert list(inspect.signature(Table.play).parameters) == ["self", "move", "seat"]
    with SolverClient("127.0.0.1:1") as client:
        assert list(inspect.signature(client.get_beliefs).parameters) == ["observation", "seed", "timeout"]


def test_importing_the_client_does_not_load_the_compiler() -> None:
    program = "import sys, tarocchi_solver.client; print({'numba', 'numpy', 'tarocchi_engine'} & {*sys.modules})"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


@pytest.mark.parametrize("door", DOORS)
def test_a_batch_is_answered_in_order(door: str) -> None:
    scripted = ScriptedServer()
    first = solver_service_pb2.RecommendMoveRequest(observation=OBSERVATION)
    with serving(scripted) as address:
        answers = through(
            door, address, lambda client: client.recommend_moves([first, {"observation": OBSERVATION, "seed": 7}])
        )
    sent = scripted.requests[0].requests
    assert [answer.diagnostics.seed for answer in answers] == [request.seed for request in sent]
    assert sent[1].seed == 7
    assert not first.HasField("seed")  # what was given is not touched
    assert sent[0].HasField("seed")


@pytest.mark.parametrize("door", DOORS)
def test_levels_and_priorities_go_by_their_names(door: str) -> None:
    scripted = ScriptedServer()
    given = [
        {"level": "club", "priority": "analysis"},
        {"level": "LEVEL_CLUB", "priority": "PRIORITY_ANALYSIS"},
        {"level": solver_service_pb2.LEVEL_CLUB, "priority": solver_service_pb2.PRIORITY_ANALYSIS},
    ]
    with serving(scripted) as address:
        for fields in given:
            through(door, address, lambda client, fields=fields: client.recommend_move(OBSERVATION, seed=1, **fields))
    assert scripted.requests[0] == scripted.requests[1] == scripted.requests[2]
    assert scripted.requests[0].level == solver_service_pb2.LEVEL_CLUB
    assert scripted.requests[0].priority == solver_service_pb2.PRIORITY_ANALYSIS


@pytest.mark.parametrize("door", DOORS)
def test_short_names_stand_in_requests_too(door: str) -> None:
    scripted = ScriptedServer()
    short = {"observation": OBSERVATION, "seed": 1, "level": "club", "priority": "analysis"}
    full = {**short, "level": "LEVEL_CLUB", "priority": "PRIORITY_ANALYSIS"}
    with serving(scripted) as address:
        for request in (short, full):
            through(door, address, lambda client, request=request: client.recommend(request))
            through(door, address, lambda client, request=request: client.recommend_moves([request]))
    one, batch, *others = scripted.requests
    assert [one, batch] == others
    assert one == batch.requests[0]
    assert one.level == solver_service_pb2.LEVEL_CLUB
    assert one.priority == solver_service_pb2.PRIORITY_ANALYSIS


def test_beliefs_are_asked_for_with_a_seed() -> None:
    scripted = ScriptedServer()
    with serving(scripted) as address:
        assert through("threads", address, lambda client: client.get_beliefs(OBSERVATION, seed=5)).seed == 5
        drawn = through("asyncio", address, lambda client: client.get_beliefs(OBSERVATION)).seed
    assert drawn == scripted.requests[1].seed != 5


CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda client: client.recommend_move(OBSERVATION, level="grandmaster"), "level: one of LEVEL_BEGINNER, "),
    (lambda client: client.recommend_move(OBSERVATION, level=77), "level: one of LEVEL_BEGINNER, "),
    (lambda client: client.recommend_move(OBSERVATION, priority="first"), "priority: one of PRIORITY_LIVE, "),
    (lambda client: client.recommend_moves(5), "requests: a list of requests is needed"),
    (lambda client: client.recommend_moves([OBSERVATION, {"seed": -1}]), "requests[1].seed: -1 is out of range"),
    (
        lambda client: client.recommend_moves([{"level": "x", "seed": -1}, {}, {"priority": 9}]),
        "requests[0].level: one of LEVEL_BEGINNER, LEVEL_CASUAL, LEVEL_CLUB, LEVEL_EXPERT, LEVEL_MASTER is needed, "
        'not "LEVEL_X" (and 2 more)',
    ),
    (
        lambda client: client.recommend_move({**OBSERVATION, "hands": [], "stock": []}),
        "observation.hands: an observation never holds this, which shows hidden cards: give what one seat knows, such "
        "as table.observation(seat) (and 1 more)",
    ),
    (
        lambda client: client.recommend_moves([{"observation": {"deal": {"hands": []}, "events": []}}]),
        "requests[0].observation.deal: an observation never holds this",
    ),
    (
        lambda client: client.recommend_move({**OBSERVATION, "events": [{"seat": 0}] * 100_000}),
        "observation.events: 100000 are too many: at most 10000 are looked at",
    ),
    (lambda client: client.replay_deal({}, [{}] * 100_000), "events: 100000 are too many"),
    (lambda client: client.analyze({"hand": 5}), "observation.hand: a list in brackets"),
    (lambda client: client.analyze(OBSERVATION, interval_ms="1"), "interval_ms: a number is needed, not '1'"),
    (lambda client: client.analyze(OBSERVATION, timeout="1"), "timeout: a number is needed, not '1'"),
    (lambda client: client.get_beliefs(OBSERVATION, seed="x"), 'seed: a whole number is needed, not "x"'),
    (lambda client: client.review_deal({"hands": [5]}, []), "deal.hands[0]: an object in braces"),
    (lambda client: client.review_deal({}, {}), "events: a list of events is needed"),
    (lambda client: client.review_deal({}, [], seats=[0, "x"]), 'seats[1]: a whole number is needed, not "x"'),
]


@pytest.mark.filterwarnings("ignore::tarocchi_solver.client.UnknownFieldWarning")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_what_is_no_request_is_told_at_once(door: str, call: Callable[[Any], object], message: str) -> None:
    """A coroutine need not be awaited for it, nor a stream be read."""

    def check(client: Any) -> None:
        with pytest.raises(InvalidCallError) as caught:
            call(client)
        assert caught.value.message.startswith(message)

    if door == "threads":
        with SolverClient("127.0.0.1:1") as client:
            check(client)
    else:

        async def main() -> None:
            async with AsyncSolverClient("127.0.0.1:1") as client:
                check(client)

        asyncio.run(main())


def test_a_warning_is_about_the_code_that_calls(client: SolverClient) -> None:
    observation = observed(in_the_middle())
    request = {"observation": observation, "budget": {"iterations": SMALL}, "comment": "x"}
    with pytest.warns(UnknownFieldWarning) as caught:
        client.recommend(request)
    with pytest.warns(UnknownFieldWarning) as again:
        client.validate_observation({**OBSERVATION, "comment": "x"})
    with pytest.warns(UnknownFieldWarning) as third, pytest.raises(SolverError):
        client.replay_deal({}, [{"comment": "x"}])
    assert [caught[0].filename, again[0].filename, third[0].filename] == [__file__] * 3


def test_both_clients_are_told_the_same(server: SolverServer) -> None:
    observation = observed(in_the_middle())
    other = observed(in_the_middle(), (observation.seat + 1) % 4)
    request = {"observation": observation, "budget": {"iterations": SMALL}}
    deal = whole_deal(finished())
    works: list[Callable[[Any], Any]] = [
        lambda client: client.recommend_move(observation, iterations=SMALL, seed=1),
        lambda client: client.recommend({**request, "seed": 2}),
        lambda client: client.list_legal_moves(observation),
        lambda client: client.validate_observation(observation),
        lambda client: client.recommend_moves([{**request, "seed": 3}, {**request, "seed": 4}]),
        lambda client: client.analyze(observation, iterations=SMALL, seed=1),
        lambda client: client.get_beliefs(other, seed=1),
        lambda client: client.review_deal(deal.deal, deal.events, seats=[2], iterations=1, seed=1),
        lambda client: client.get_server_info(),
        lambda client: client.list_variants(),
        lambda client: client.new_deal("terziglio", seed=3),
        lambda client: client.replay_deal(deal.deal, deal.events),
        lambda client: client.is_serving(),
        lambda client: client.wait_until_serving(1),
    ]
    for work in works:
        one, other_one = (through(door, server.address, work) for door in DOORS)
        if isinstance(one, list) and hasattr(one[-1], "final"):  # how many come before the last one is up to the clock
            one, other_one = one[-1], other_one[-1]
            assert one.final
        assert one == other_one
    for door in DOORS:
        with pytest.raises(NothingToDecideError, match="has nothing to decide"):
            through(door, server.address, lambda client: client.recommend_move(other))
        with pytest.raises(DealNotOverError, match="the deal is not over"):
            through(door, server.address, lambda client: client.review_deal(deal.deal, deal.events[:-1]))
        with pytest.raises(InvalidCallError, match="the client is closed"):
            through(door, server.address, closed)


def closed(client: Any) -> Any:
    """Closes a client and calls it all the same."""
    if isinstance(client, SolverClient):
        client.close()
        return client.get_server_info()

    async def main() -> None:
        await client.close()
        await client.get_server_info()

    return main()


def test_a_server_that_is_not_there_is_not_serving() -> None:
    for door in DOORS:
        assert through(door, "127.0.0.1:1", lambda client: client.is_serving()) is False
        assert through(door, "127.0.0.1:1", lambda client: client.wait_until_serving(0.01)) is False


@pytest.mark.parametrize("door", DOORS)
def test_a_wait_in_vain_tells_its_cause_once(door: str, caplog: pytest.LogCaptureFixture) -> None:
    def wait(client: Any) -> Any:
        return client.wait_until_serving(0.3)

    assert through(door, "127.0.0.1:1", wait) is False
    (record,) = caplog.records
    assert (record.name.startswith("tarocchi_solver.client"), record.levelname) == (True, "WARNING")
    assert record.getMessage().startswith(
        "the server at 127.0.0.1:1 was not healthy within 0.3 s; at last: nobody listens at the address"
    )
    caplog.clear()
    is_over = threading.Event()
    server = SolverServer(ServerConfig(address="127.0.0.1:0"), warm_up=lambda: assert_set(is_over))
    server.start()
    try:
        caplog.clear()
        assert through(door, server.address, wait) is False
        told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert told == [f"the server at {server.address} was not healthy within 0.3 s; at last: {NOT_READY}"]
    finally:
        is_over.set()
        server.wait_until_ready(10)
    try:
        caplog.clear()
        assert through(door, server.address, wait) is True
        assert [record for record in caplog.records if record.levelname == "WARNING"] == []
    finally:
        server.stop()


def assert_set(event: threading.Event) -> None:
    assert event.wait(60)


@pytest.mark.parametrize("seconds", ["x", True, float("nan"), float("inf"), 0, -1])
@pytest.mark.parametrize("kind", [SolverClient, AsyncSolverClient])
def test_a_timeout_is_a_time(kind: type, seconds: Any) -> None:
    """Of the client, of a call, or of the wait for a server, which alone may be none."""
    is_number = isinstance(seconds, int) and not isinstance(seconds, bool)
    told = (
        f"timeout: {seconds} is no time: give seconds" if is_number else f"timeout: a number is needed, not {seconds!r}"
    )
    with pytest.raises(InvalidCallError) as caught:
        kind("127.0.0.1:1", timeout=seconds)
    assert caught.value.message.startswith(told)
    works: list[Callable[[Any], Any]] = [
        lambda client: client.list_variants(timeout=seconds),
        lambda client: client.analyze(OBSERVATION, timeout=seconds),
        lambda client: client.is_serving(seconds),
        lambda client: client.wait_until_serving(seconds),
    ]
    for work in works[: 3 if seconds == 0 and is_number else 4]:
        with pytest.raises(InvalidCallError) as caught:
            through("threads" if kind is SolverClient else "asyncio", "127.0.0.1:1", work)
        assert [fault.field for fault in caught.value.violations] == ["timeout"]
        assert caught.value.message.startswith(told)


@pytest.mark.parametrize("kind", [SolverClient, AsyncSolverClient])
@pytest.mark.parametrize("retry", [5, True, "often", {"attempts": 3}])
def test_a_policy_is_one(kind: type, retry: Any) -> None:
    with pytest.raises(InvalidCallError) as caught:
        kind("127.0.0.1:1", retry=retry)
    assert caught.value.message == f"retry: a RetryPolicy is needed, or None for one attempt, not {retry!r}"


@pytest.mark.parametrize("door", DOORS)
def test_what_is_sent_is_a_call(door: str) -> None:
    stream = calls.analyze(OBSERVATION)
    for work, told in (
        (
            lambda client: client.send(5),
            "a Call that a function of tarocchi_solver.client.calls has built is needed, not 5",
        ),
        (lambda client: client.send(stream), "a Call that a function of"),
        (lambda client: client.stream(None), "a StreamCall that a function of"),
        (lambda client: client.stream(calls.list_variants()), "a StreamCall that a function of"),
    ):
        with pytest.raises(TypeError, match=told):
            through(door, "127.0.0.1:1", work)
