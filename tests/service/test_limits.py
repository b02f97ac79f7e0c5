"""How much the holder of a token may call, and that no call leaves anything behind, over real channels."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from service_support import BlockingSearch, in_the_middle, observed, running, serving, wait_for
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.service import searching, solver_service
from tarocchi_solver.service.calls import CALLER
from tarocchi_solver.service.config import Token
from tarocchi_solver.service.errors import RequestError, StatusReason
from tarocchi_solver.service.handlers import Arrivals
from tarocchi_solver.service.security import Gate, Holder

SITE = Token("site", "0123456789abcdef-site")
BOT = Token("bot", "0123456789abcdef-bot", requests_per_second=1000, concurrent_requests=1)


def refusal(call: Callable[[], object]) -> SolverError:
    with pytest.raises(SolverError) as caught:
        call()
    return caught.value


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def begin(holder: Holder) -> None:
    with holder.call():
        pass


def refused(holder: Holder) -> RequestError:
    with pytest.raises(RequestError) as caught:
        begin(holder)
    assert caught.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    return caught.value


def test_a_rate_is_kept_whatever_the_bursts() -> None:
    clock = Clock()
    holder = Holder(Token("t", SITE.secret, requests_per_second=4), clock)
    for _ in range(4):
        begin(holder)
    assert (refused(holder).reason, refused(holder).retry_seconds) == (StatusReason.RATE_LIMIT, 0.25)
    # what is refused costs nothing, and who waits as told is answered
    clock.now += refused(holder).retry_seconds or 0
    begin(holder)
    refused(holder)
    clock.now += 1000
    for _ in range(4):
        begin(holder)
    refused(holder)


def test_a_rate_below_one_lets_the_first_call_in() -> None:
    clock = Clock()
    holder = Holder(Token("t", SITE.secret, requests_per_second=0.1), clock)
    begin(holder)
    assert refused(holder).retry_seconds == 10
    clock.now = 10
    begin(holder)


def test_calls_at_a_time_are_counted_also_when_they_fail() -> None:
    holder = Holder(Token("t", SITE.secret, concurrent_requests=2))
    with holder.call(), holder.call():
        assert (refused(holder).reason, holder.running) == (StatusReason.CONCURRENCY_LIMIT, 2)
        assert refused(holder).retry_seconds
    for _ in range(3):
        with pytest.raises(KeyError), holder.call():
            raise KeyError
    assert holder.running == 0


def test_the_rate_limit_over_the_wire() -> None:
    slow = Token("slow", SITE.secret, requests_per_second=0.01)
    with serving(tokens=(slow, BOT)) as server, SolverClient(server.address, token=slow.secret, retry=None) as client:
        assert client.get_server_info().solver_version
        error = refusal(client.get_server_info)
        assert (error.code, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, StatusReason.RATE_LIMIT)
        assert error.retry_seconds is not None
        assert 90 < error.retry_seconds <= 100
        # one token's limit is not another's
        with SolverClient(server.address, token=BOT.secret, retry=None) as other:
            assert other.get_server_info().solver_version


@pytest.mark.parametrize("way", ["cancel", "deadline", "error", "answer"])
def test_a_call_counts_until_its_end_however_it_ends(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocking = BlockingSearch()
    monkeypatch.setattr(searching, "search", blocking)
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()))
    metadata = [("authorization", f"Bearer {BOT.secret}")]
    with serving(tokens=(BOT,)) as server, grpc.insecure_channel(server.address) as channel:
        assert server.gate is not None
        holder = server.gate.holders["bot"]
        if way == "deadline":
            monkeypatch.setattr(searching, "usable_seconds", lambda remaining: 60.0)
        call = SolverServiceStub(channel).RecommendMove.future(
            request, metadata=metadata, timeout=1.0 if way == "deadline" else 30
        )
        blocking.started.acquire()
        assert holder.running == 1
        with SolverClient(server.address, token=BOT.secret, retry=None) as client:
            error = refusal(client.get_server_info)
            assert (error.code, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, StatusReason.CONCURRENCY_LIMIT)
            assert error.retry_seconds is not None
            if way == "cancel":
                call.cancel()
            elif way == "error":
                monkeypatch.setattr(solver_service, "_answer", None)
            if way in ("error", "answer"):
                blocking.release.set()
            wait_for(lambda: holder.running == 0)
            assert client.get_server_info().solver_version


class Streams:
    """A service of all four kinds of calls behind a gate."""

    def __init__(self) -> None:
        self.gate = Gate((BOT,))
        self.holder = self.gate.holders["bot"]
        self.arrivals = Arrivals(0.5)
        self.callers: list[str] = []
        self.may_end = threading.Event()
        self.closed = threading.Event()

    def one(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        self.callers.append(CALLER.get())
        return request

    def many(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        self.callers.append(CALLER.get())
        try:
            yield b"first"
            if request == b"raise":
                raise KeyError
            while request == b"endless":
                time.sleep(0.001)
                yield b"x" * 1000
            self.may_end.wait(10)
            yield b"last"
        finally:
            self.closed.set()

    def from_stream(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> bytes:
        return b"".join(requests)

    def both(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        yield from requests


@pytest.fixture(scope="module")
def streams() -> Iterator[tuple[Streams, grpc.Channel]]:
    service = Streams()
    server = grpc.server(ThreadPoolExecutor(8), interceptors=[service.gate, service.arrivals])
    handlers: dict[str, Any] = {
        "One": grpc.unary_unary_rpc_method_handler(service.one),
        "Many": grpc.unary_stream_rpc_method_handler(service.many),
        "FromStream": grpc.stream_unary_rpc_method_handler(service.from_stream),
        "Both": grpc.stream_stream_rpc_method_handler(service.both),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("s.S", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield service, channel
    server.stop(0).wait()


OPTIONS: dict[str, Any] = {"metadata": [("authorization", f"Bearer {BOT.secret}")], "timeout": 20}


def test_every_kind_of_call_passes_or_is_refused(streams: tuple[Streams, grpc.Channel]) -> None:
    service, channel = streams
    service.may_end.set()
    calls: dict[str, Callable[..., Any]] = {
        "one": lambda **options: channel.unary_unary("/s.S/One")(b"a", **options),
        "many": lambda **options: list(channel.unary_stream("/s.S/Many")(b"a", **options)),
        "from_stream": lambda **options: channel.stream_unary("/s.S/FromStream")(iter([b"a", b"b"]), **options),
        "both": lambda **options: list(channel.stream_stream("/s.S/Both")(iter([b"a", b"b"]), **options)),
    }
    answers = {
        name: call(**OPTIONS) for name, call in calls.items() if not wait_for(lambda: service.holder.running == 0)
    }
    assert answers == {"one": b"a", "many": [b"first", b"last"], "from_stream": b"ab", "both": [b"a", b"b"]}
    assert set(service.callers) == {"bot"}
    for call in calls.values():
        with pytest.raises(grpc.RpcError) as caught:
            call(timeout=20)
        assert SolverError.of(caught.value).reason == StatusReason.MISSING_TOKEN
    wait_for(lambda: service.holder.running == 0)


@pytest.mark.parametrize("way", ["cancel", "deadline", "raise", "endless", "abandon"])
def test_a_stream_counts_until_its_end_however_it_ends(streams: tuple[Streams, grpc.Channel], way: str) -> None:
    service, channel = streams
    wait_for(lambda: service.holder.running == 0)
    service.may_end.clear()
    service.closed.clear()
    options = {**OPTIONS, "timeout": 0.3 if way == "deadline" else 20}
    call = channel.unary_stream("/s.S/Many")(way.encode(), **options)
    assert next(call) == b"first"
    if way != "raise":
        assert service.holder.running == 1
        with pytest.raises(grpc.RpcError) as caught:
            list(channel.unary_stream("/s.S/Many")(b"", **OPTIONS))
        assert SolverError.of(caught.value).reason == StatusReason.CONCURRENCY_LIMIT
        assert service.holder.running == 1
    if way in ("cancel", "endless"):
        call.cancel()
    elif way == "abandon":
        del call
    else:
        with pytest.raises(grpc.RpcError):
            list(call)
    service.may_end.set()
    assert service.closed.wait(10)
    wait_for(lambda: service.holder.running == 0)


def test_many_calls_at_once_leave_nothing_behind(streams: tuple[Streams, grpc.Channel]) -> None:
    service, channel = streams
    service.may_end.set()

    def ask(number: int) -> str:
        try:
            call = channel.unary_stream("/s.S/Many")(b"", **OPTIONS)
            if number % 3 == 0:
                call.cancel()
            return "answer" if list(call) else ""
        except grpc.RpcError as error:
            return SolverError.of(error).reason

    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(ask, range(200)))
    assert found <= {"answer", "", StatusReason.CONCURRENCY_LIMIT, StatusReason.RATE_LIMIT}
    wait_for(lambda: service.holder.running == 0)
    wait_for(lambda: service.arrivals.awaited == 0)


def test_a_request_that_does_not_arrive_frees_its_thread(streams: tuple[Streams, grpc.Channel]) -> None:
    service, channel = streams
    wait_for(lambda: service.holder.running == 0)
    never = threading.Event()

    def requests() -> Iterator[bytes]:
        never.wait(20)
        yield b""

    for method in ("One", "Many", "FromStream", "Both"):
        started = time.monotonic()
        call = channel.stream_stream(f"/s.S/{method}")(requests(), **OPTIONS)
        wait_for(lambda: service.holder.running == 1)
        with pytest.raises(grpc.RpcError) as caught:
            list(call)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED  # type: ignore[attr-defined]
        assert re.match(r"the request was not there after [\d.]+ s: send it", caught.value.details())  # type: ignore[attr-defined]
        assert time.monotonic() - started < 10
        wait_for(lambda: service.holder.running == 0)
    never.set()
    # nor does one that ends without a request
    with pytest.raises(grpc.RpcError) as caught:
        channel.stream_unary("/s.S/One")(iter([]), **OPTIONS)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED  # type: ignore[attr-defined]
    wait_for(lambda: service.arrivals.awaited == 0)


def test_watchers_of_health_are_bounded() -> None:
    with (
        running(concurrent_searches=1, queue_size=0) as (server, client),
        grpc.insecure_channel(server.address) as channel,
    ):
        stub = health_pb2_grpc.HealthStub(channel)
        most = server._health._most_watchers
        watches = [stub.Watch(health_pb2.HealthCheckRequest(), timeout=60) for _ in range(most)]
        for watch in watches:
            assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.RpcError) as caught:
            next(stub.Watch(health_pb2.HealthCheckRequest(), timeout=60))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # type: ignore[attr-defined]
        assert client.is_serving()
        for watch in watches:
            watch.cancel()
        wait_for(lambda: server._health.watchers == 0)
        # names that are none of its own are not kept
        with pytest.raises(grpc.RpcError) as caught:
            next(stub.Watch(health_pb2.HealthCheckRequest(service="x" * 1000), timeout=60))
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND  # type: ignore[attr-defined]
        wait_for(lambda: server._health.watchers == 0)
