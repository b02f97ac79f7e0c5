"""Health, reflection, cancelling and stopping."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from service_support import SMALL, BlockingSearch, in_the_middle, observed, occupied, running, wait_for
from tarocchi.solver.v1 import deal_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_engine import get_variant, new_deal
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.service import searching, solver_service
from tarocchi_solver.service import server as server_module
from tarocchi_solver.service.config import SPARE_THREADS, ServerConfig
from tarocchi_solver.service.pools import Priority
from tarocchi_solver.service.server import SERVICE_NAMES, SolverServer

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def health_of(address: str, service: str) -> int:
    with grpc.insecure_channel(address) as channel:
        request = health_pb2.HealthCheckRequest(service=service)
        return health_pb2_grpc.HealthStub(channel).Check(request, timeout=10).status


def test_serving_only_when_warm() -> None:
    may_end = threading.Event()
    server = SolverServer(ServerConfig(address="127.0.0.1:0"), warm_up=lambda: may_end.wait(10) and None)
    server.start()
    for service in ("", *SERVICE_NAMES):
        assert health_of(server.address, service) == NOT_SERVING
    may_end.set()
    with SolverClient(server.address) as client:
        assert client.wait_until_serving(10)
    for service in ("", *SERVICE_NAMES):
        assert health_of(server.address, service) == SERVING
    with pytest.raises(grpc.RpcError) as caught:
        health_of(server.address, "no.such.Service")
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    server.stop(0)
    with SolverClient(server.address, retry=None) as client:
        assert not client.is_serving()
        with pytest.raises(SolverError) as refused:
            client.get_server_info()
    assert (refused.value.code, refused.value.reason) == (grpc.StatusCode.UNAVAILABLE, "")


def test_the_real_warm_up_makes_a_server_ready() -> None:
    server = SolverServer(ServerConfig(address="127.0.0.1:0"))
    server.start()
    assert server.wait_until_ready(300)
    with SolverClient(server.address) as client:
        assert client.recommend_move(observed(in_the_middle()), iterations=SMALL).moves
    server.stop()


def test_reflection_tells_the_contract(server: SolverServer) -> None:
    with grpc.insecure_channel(server.address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        assert set(database.get_services()) == {
            *SERVICE_NAMES,
            "grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection",
        }
        file = database.FindFileContainingSymbol("tarocchi.solver.v1.RecommendMoveRequest")
        assert file.name == "tarocchi/solver/v1/solver_service.proto"


def test_cancelling_stops_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    blocking = BlockingSearch()
    monkeypatch.setattr(searching, "search", blocking)
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()))
    with (
        running(concurrent_searches=1, queue_size=1) as (server, _),
        grpc.insecure_channel(server.address) as channel,
    ):
        stub = SolverServiceStub(channel)
        active = stub.RecommendMove.future(request)
        blocking.started.acquire()
        waiting = stub.RecommendMove.future(request)
        wait_for(lambda: server.admitted_searches == 2)
        waiting.cancel()
        wait_for(lambda: server.admitted_searches == 1)
        active.cancel()
        assert blocking.stopped.wait(10)
        wait_for(lambda: server.admitted_searches == 0)
        assert not blocking.started.acquire(blocking=False), "a cancelled call was searched"


def test_a_call_whose_turn_does_not_come_is_answered_before_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: 0.5)
    observation = observed(in_the_middle())
    with running(concurrent_searches=1, queue_size=1) as (server, client), occupied(server._pools[Priority.LIVE], 1):
        answer = client.recommend_move(observation, iterations=10**9, seed=1, timeout=60)
        assert answer.diagnostics.stop_reason == pb.STOP_REASON_TIME
        assert answer.diagnostics.budget == pb.Budget(iterations=10**9)
        assert len(answer.moves) == len(client.list_legal_moves(observation).moves)
        assert server.admitted_searches == 1


def test_a_full_queue_is_answered_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that may be used is over long before the deadline, so that no slow machine misses that."""
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: remaining - 57)
    observations = [observed(in_the_middle()), observed(new_deal(get_variant("bolognese"), 1))]
    reasons: list[int] = []
    with running(concurrent_searches=2, queue_size=10) as (server, client):

        def call(observation: deal_pb2.Observation) -> None:
            answer = client.recommend_move(observation, iterations=10**9, timeout=60)
            reasons.append(answer.diagnostics.stop_reason)

        callers = [threading.Thread(target=call, args=(observations[number % 2],)) for number in range(12)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert server.admitted_searches == 0
    assert reasons == [pb.STOP_REASON_TIME] * 12


def test_a_call_that_cannot_be_answered_in_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: 0.0)
    with running(concurrent_searches=1, queue_size=5) as (server, client), occupied(server._pools[Priority.LIVE], 1):
        with pytest.raises(SolverError, match="too many for an answer before the deadline") as caught:
            client.recommend_move(observed(in_the_middle()), timeout=60)
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL")
        assert caught.value.retry_seconds is not None
        assert server.admitted_searches == 1


@pytest.mark.parametrize("grace", [60.0, 0.0])
def test_calls_in_the_queue_are_answered_when_the_server_stops(grace: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_LAST_ANSWERS_SECONDS", 60.0)
    blocking = BlockingSearch()
    monkeypatch.setattr(searching, "search", blocking)
    reasons: list[int] = []
    with running(concurrent_searches=1, queue_size=9) as (server, client):

        def call() -> None:
            reasons.append(client.recommend_move(observed(in_the_middle()), timeout=120).diagnostics.stop_reason)

        callers = [threading.Thread(target=call) for _ in range(10)]
        for caller in callers:
            caller.start()
        wait_for(lambda: server.admitted_searches == 10)
        stopper = threading.Thread(target=server.stop, args=(grace,))
        stopper.start()
        if grace:
            wait_for(lambda: not client.is_serving())
            blocking.release.set()
        for caller in callers:
            caller.join(60)
        stopper.join(60)
    assert len(reasons) == 10
    assert set(reasons) <= {pb.STOP_REASON_STOPPED, pb.STOP_REASON_ITERATIONS}


def test_an_answer_after_the_deadline_is_logged_as_such(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that does not notice the deadline in time."""
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: remaining + 60)
    caplog.set_level("INFO")
    gone = threading.Event()
    real = solver_service.run_search

    def slow(*args: Any, **named: Any) -> Any:
        gone.wait(60)
        return real(*args, **named)

    monkeypatch.setattr(solver_service, "run_search", slow)
    with running(concurrent_searches=1) as (server, client):
        with pytest.raises(SolverError):
            client.recommend_move(observed(in_the_middle()), timeout=0.2)
        gone.set()
        wait_for(lambda: server.admitted_searches == 0)
        wait_for(lambda: "RecommendMove" in caplog.text)
    lines = [record.getMessage() for record in caplog.records if "RecommendMove" in record.getMessage()]
    assert len(lines) == 1
    assert "too late" in lines[0]


def test_a_client_that_leaves_the_queue_frees_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that does not notice the deadline in time, so that the client has gone before."""
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: remaining + 60)
    observation = observed(in_the_middle())
    with running(concurrent_searches=1, queue_size=1) as (server, client), occupied(server._pools[Priority.LIVE], 1):
        with pytest.raises(SolverError) as caught:
            client.recommend_move(observation, timeout=0.05)
        assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        wait_for(lambda: server.admitted_searches == 1)


def test_a_forced_move_does_not_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(concurrent_searches=1, queue_size=0) as (server, client):
        monkeypatch.setattr(server._pools[Priority.LIVE], "submit", None)
        state = in_the_middle()
        while len(state.legal_moves()) > 1:
            state = state.apply_move(state.legal_moves()[-1])
        answer = client.recommend_move(observed(state))
        assert answer.diagnostics.stop_reason == pb.STOP_REASON_SINGLE_MOVE


@pytest.mark.parametrize("grace", [10.0, 0.0])
def test_a_search_in_flight_is_answered_before_the_end(monkeypatch: pytest.MonkeyPatch, grace: float) -> None:
    blocking = BlockingSearch()
    monkeypatch.setattr(searching, "search", blocking)
    observation = observed(in_the_middle())
    answers: list[pb.RecommendMoveResponse] = []
    with running(concurrent_searches=1) as (server, client):
        caller = threading.Thread(target=lambda: answers.append(client.recommend_move(observation)))
        caller.start()
        blocking.started.acquire()
        stopper = threading.Thread(target=server.stop, args=(grace,))
        stopper.start()
        if grace:
            wait_for(lambda: not client.is_serving())
            with pytest.raises(SolverError) as caught:
                client.recommend_move(observation)
            assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
            blocking.release.set()
        caller.join(10)
        stopper.join(10)
        assert not stopper.is_alive()
        assert len(answers) == 1
        assert answers[0].moves
        assert blocking.stopped.is_set() == (grace == 0)


def test_who_watches_health_does_not_hold_up_the_end() -> None:
    with running() as (server, _client), grpc.insecure_channel(server.address) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        started = time.monotonic()
        server.stop(20)
        assert time.monotonic() - started < 10
        assert [answer.status for answer in watch] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert watch.code() is grpc.StatusCode.OK  # type: ignore[attr-defined]


def test_the_health_of_what_is_unknown_is_told_in_a_sentence() -> None:
    with running() as (server, _client), grpc.insecure_channel(server.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        for ask in (stub.Check, lambda request, **more: next(stub.Watch(request, **more))):
            with pytest.raises(grpc.RpcError, match="there is no service of this name: ask about one that") as caught:
                ask(health_pb2.HealthCheckRequest(service="x"), timeout=30)
            assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_health_checks_always_find_a_thread() -> None:
    config = ServerConfig(
        concurrent_searches=3, queue_size=5, concurrent_analyses=7, analysis_queue_size=11, long_calls=13
    )
    assert config.rpc_threads == 3 + 5 + 7 + 11 + 13 + SPARE_THREADS


@pytest.mark.parametrize("address", ["127.0.0.1:65536", "127.0.0.1:99999", "[::1]:" + "9" * 50])
def test_a_port_must_be_one(address: str) -> None:
    with pytest.raises(OSError, match="a port is a number from 0 to 65535"):
        SolverServer(ServerConfig(address=address))


def test_a_host_must_be_here() -> None:
    with pytest.raises(OSError, match=r"cannot listen on 192\.0\.2\.1:0: \w"):
        SolverServer(ServerConfig(address="192.0.2.1:0", allow_plaintext=True))
    with pytest.raises(OSError, match=r"cannot listen on a\.\.b:0: no such host"):
        SolverServer(ServerConfig(address="a..b:0", allow_plaintext=True))


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:٣", "127.0.0.1:-1"])
def test_an_address_must_have_host_and_port(address: str) -> None:
    with pytest.raises(OSError, match="give host and port"):
        SolverServer(ServerConfig(address=address))


def test_a_taken_address_is_told(server: SolverServer) -> None:
    with pytest.raises(OSError, match="it is taken by another program"):
        SolverServer(ServerConfig(address=server.address))
    # by the other address that its host has
    port = server.address.rpartition(":")[2]
    with pytest.raises(OSError, match="it is taken by another program"):
        SolverServer(ServerConfig(address=f"localhost:{port}"))


def test_a_long_warm_up_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(server_module, "_COMPILING_SECONDS", 0.01)
    caplog.set_level("INFO")

    def lines() -> list[str]:
        return [record.getMessage() for record in caplog.records if "s now: minutes" in record.getMessage()]

    server = SolverServer(ServerConfig(address="127.0.0.1:0"), warm_up=lambda: wait_for(lambda: len(lines()) > 2))
    server.start()
    assert server.wait_until_ready(60)
    wait_for(lambda: "tarocchi-compiling" not in [thread.name for thread in threading.enumerate()])
    server.stop()
    assert lines()[0].startswith("compiling the kernels, for ")


def test_no_signal_can_make_a_server_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handler takes no lock: a second signal may come while the first is being handled."""
    handlers: dict[int, Any] = {}

    def install(number: int, handler: Any) -> Any:
        return handlers.setdefault(number, handler)

    monkeypatch.setattr(signal, "signal", install)
    server = SolverServer(ServerConfig(address="127.0.0.1:0"), warm_up=lambda: None)
    cut_short: list[bool] = []
    monkeypatch.setattr(server._pools, "stop_searches", lambda: cut_short.append(True))
    ended: list[bool] = []
    runner = threading.Thread(target=lambda: ended.append(server.run_until_signal()))
    runner.start()
    wait_for(lambda: len(handlers) == 2)
    names = {name for handler in handlers.values() for name in handler.__code__.co_names}
    assert names == {"append"}
    for number, handler in handlers.items():
        handler(number, None)
    runner.join(60)
    assert ended == [True]
    assert cut_short
