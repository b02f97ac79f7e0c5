"""Who may call and how much: certificates, tokens and their limits, over real channels."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from google.protobuf import json_format
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from typer.testing import CliRunner

from service_support import BlockingSearch, in_the_middle, observed, running, wait_for, warm_up_once
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_solver.cli import app
from tarocchi_solver.client import ClientTls, SolverClient, SolverError
from tarocchi_solver.client.channel import open_aio_channel
from tarocchi_solver.service import solver_service
from tarocchi_solver.service.calls import CALLER
from tarocchi_solver.service.config import ConfigError, ServerConfig, Token
from tarocchi_solver.service.errors import RequestError, StatusReason
from tarocchi_solver.service.handlers import Arrivals
from tarocchi_solver.service.security import Gate, Holder
from tarocchi_solver.service.server import SolverServer

SITE = Token("site", "0123456789abcdef-site")
BOT = Token("bot", "0123456789abcdef-bot", requests_per_second=1000, concurrent_requests=1)
INFO = "/tarocchi.solver.v1.SolverService/GetServerInfo"


def refusal(call: Callable[[], object]) -> SolverError:
    with pytest.raises(SolverError) as caught:
        call()
    return caught.value


# --- certificates


class Files:
    """Certificates of a server and a client, each with its root, and those of strangers."""

    def __init__(self, folder: Path) -> None:
        self.server_ca, self.client_ca, self.other_ca = (
            folder / f"{name}-ca.pem" for name in ("server", "client", "other")
        )
        for root_file, names in ((self.server_ca, "server"), (self.client_ca, "client"), (self.other_ca, "other")):
            root = trustme.CA()
            root.cert_pem.write_to_path(root_file)
            leaf = root.issue_cert("localhost", "127.0.0.1")
            (folder / f"{names}.key").write_bytes(leaf.private_key_pem.bytes())
            (folder / f"{names}.pem").write_bytes(b"".join(blob.bytes() for blob in leaf.cert_chain_pems))
        self.folder = folder

    def of_server(self) -> dict[str, Path]:
        return {"tls_certificate": self.folder / "server.pem", "tls_key": self.folder / "server.key"}

    def of_client(self, name: str = "client") -> dict[str, Path]:
        return {"ca": self.server_ca, "certificate": self.folder / f"{name}.pem", "key": self.folder / f"{name}.key"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("certificates"))


@contextlib.contextmanager
def serving(**settings: Any) -> Iterator[SolverServer]:
    """Starts a server of which no client is given."""
    warm_up_once()
    server = SolverServer(ServerConfig(**{"address": "127.0.0.1:0", **settings}), warm_up=lambda: None)
    server.start()
    try:
        assert server.wait_until_ready(10)
        yield server
    finally:
        server.stop(0)


def test_tls(files: Files) -> None:
    with serving(**files.of_server()) as server:
        with SolverClient(server.address, tls=ClientTls(ca=files.server_ca)) as client:
            assert client.get_server_info().solver_version
            assert client.is_serving()
        for tls in (ClientTls(ca=files.other_ca), True, None):
            with SolverClient(server.address, tls=tls, timeout=5) as stranger:
                assert refusal(stranger.get_server_info).code is grpc.StatusCode.UNAVAILABLE


def test_mutual_tls(files: Files) -> None:
    with serving(**files.of_server(), tls_client_ca=files.client_ca) as server:
        with SolverClient(server.address, tls=ClientTls(**files.of_client())) as client:
            assert client.get_server_info().solver_version
        for tls in (ClientTls(ca=files.server_ca), ClientTls(**files.of_client("other"))):
            with SolverClient(server.address, tls=tls, timeout=5) as stranger:
                assert refusal(stranger.get_server_info).code is grpc.StatusCode.UNAVAILABLE


def test_a_token_over_tls(files: Files) -> None:
    with serving(**files.of_server(), tokens=(SITE,)) as server:
        for token, is_known in ((SITE.secret, True), ("x" * 20, False)):
            with SolverClient(server.address, token=token, tls=ClientTls(ca=files.server_ca)) as client:
                if is_known:
                    assert client.get_server_info().solver_version
                else:
                    assert refusal(client.get_server_info).reason == StatusReason.UNKNOWN_TOKEN


def test_files_that_are_no_certificates(files: Files, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no certificate")
    missing = tmp_path / "missing"
    pair = files.of_server()
    cases: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({**pair, "tls_certificate": text}, [("tls_certificate", "holds no certificate")]),
        ({**pair, "tls_key": text}, [("tls_key", "holds no key that can be used")]),
        ({**pair, "tls_key": files.folder / "client.key"}, [("tls_key", "does not belong to the certificate")]),
        ({**pair, "tls_client_ca": text}, [("tls_client_ca", "holds no certificates")]),
        (
            {"tls_certificate": missing, "tls_key": missing, "tls_client_ca": missing},
            [(name, "cannot be read") for name in ("tls_certificate", "tls_key", "tls_client_ca")],
        ),
    ]
    for settings, told in cases:
        with pytest.raises(ConfigError) as caught:
            SolverServer(ServerConfig(address="127.0.0.1:0", **settings))
        assert [fault.key for fault in caught.value.faults] == [key for key, _ in told]
        for fault, (_, what) in zip(caught.value.faults, told, strict=True):
            assert what in fault.message


# --- where it listens


@pytest.mark.parametrize("tokens", [(), (SITE,)])
def test_plaintext_is_refused_before_anything_listens(tokens: tuple[Token, ...]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = ServerConfig(address=f"0.0.0.0:{port}", tokens=tokens)
    with pytest.raises(ConfigError, match="allow_plaintext if something in front of the service takes care"):
        SolverServer(config)
    with socket.socket() as probe:
        probe.bind(("0.0.0.0", port))


def test_plaintext_when_told(caplog: pytest.LogCaptureFixture) -> None:
    with serving(address="0.0.0.0:0", allow_plaintext=True) as server:
        port = server.address.rpartition(":")[2]
        with SolverClient(f"127.0.0.1:{port}") as client:
            assert client.get_server_info().solver_version
    assert "nothing is encrypted" in caplog.text


def test_a_socket_of_this_machine(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 's'}"
    with serving(address=address, tokens=(SITE,)) as server:
        assert server.address == address
        with SolverClient(address, token=SITE.secret) as client:
            assert client.get_server_info().solver_version
        with pytest.raises(OSError, match="it is taken by another program"):
            SolverServer(ServerConfig(address=address))
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="which is no socket"):
        SolverServer(ServerConfig(address=f"unix:{tmp_path / 'file'}"))
    with pytest.raises(OSError, match="there is no folder"):
        SolverServer(ServerConfig(address=f"unix:{tmp_path / 'no' / 's'}"))


# --- tokens


@pytest.fixture(scope="module")
def guarded() -> Iterator[SolverServer]:
    with serving(tokens=(SITE, BOT)) as server:
        yield server


@contextlib.contextmanager
def channel_to(server: SolverServer) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(server.address) as channel:
        yield channel


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([], StatusReason.MISSING_TOKEN),
        (["Bearer wrong-wrong-wrong-wrong"], StatusReason.UNKNOWN_TOKEN),
        ([f"Bearer {SITE.secret[:-1]}"], StatusReason.UNKNOWN_TOKEN),
        ([f"Bearer {SITE.secret}x"], StatusReason.UNKNOWN_TOKEN),
        ([f"Bearer {SITE.secret.upper()}"], StatusReason.UNKNOWN_TOKEN),
        ([f"Basic {SITE.secret}"], StatusReason.UNKNOWN_TOKEN),
        ([SITE.secret], StatusReason.UNKNOWN_TOKEN),
        (["Bearer"], StatusReason.UNKNOWN_TOKEN),
        ([""], StatusReason.UNKNOWN_TOKEN),
        ([f"Bearer {SITE.secret}"] * 2, StatusReason.UNKNOWN_TOKEN),
        ([f"Bearer {SITE.secret}"], None),
        ([f"bearer  {BOT.secret}"], None),
    ],
)
def test_tokens_right_and_wrong(guarded: SolverServer, headers: list[str], reason: StatusReason | None) -> None:
    with channel_to(guarded) as channel:
        call = channel.unary_unary(INFO)
        metadata = [("authorization", header) for header in headers]
        if reason is None:
            assert call(b"", metadata=metadata, timeout=10)
            return
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", metadata=metadata, timeout=10)
        error = SolverError.of(caught.value)
        assert (error.code, error.reason) == (grpc.StatusCode.UNAUTHENTICATED, reason)
        assert error.retry_seconds is None
        assert "authorization: Bearer TOKEN" in error.message
        assert "tarocchi-request-id" in dict(caught.value.initial_metadata())  # type: ignore[attr-defined]


def test_all_tokens_are_compared_whichever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []
    real = hmac.compare_digest

    def note(one: bytes, other: bytes) -> bool:
        compared.append(one)
        return bool(real(one, other))

    monkeypatch.setattr("tarocchi_solver.service.security.hmac.compare_digest", note)
    gate = Gate((SITE, BOT))
    for metadata in ((), (("authorization", f"Bearer {SITE.secret}"),), (("authorization", "Bearer x"),)):
        compared.clear()
        gate._identify(metadata)
        assert len(compared) == 2
        assert {len(digest) for digest in compared} == {32}


def test_health_and_nothing_else_needs_no_token(guarded: SolverServer) -> None:
    with channel_to(guarded) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=10).status
        watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=10)
        assert next(watch).status
        watch.cancel()
        with pytest.raises(grpc.RpcError) as caught:
            list(ProtoReflectionDescriptorDatabase(channel).get_services())
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED  # type: ignore[attr-defined]
        # who may not call is not told what there is to be called either
        for method in ("/no.such.Service/Method", "/grpc.health.v1.Healthy/Check", "/x"):
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary(method)(b"", timeout=10)
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED  # type: ignore[attr-defined]


def test_the_log_names_the_token_and_no_secret(guarded: SolverServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    for token in (SITE.secret, "wrong-" + SITE.secret):
        with SolverClient(guarded.address, token=token) as client, contextlib.suppress(SolverError):
            client.get_server_info()
    with channel_to(guarded) as channel, contextlib.suppress(grpc.RpcError):
        channel.unary_unary("/a/b\x7fc" + "d" * 1000)(b"", timeout=10)
    wait_for(lambda: caplog.text.count("GetServerInfo") >= 2)
    assert " of site answered in" in caplog.text
    assert "UNKNOWN_TOKEN" in caplog.text
    for record in caplog.records:
        assert SITE.secret not in record.getMessage()
        assert record.getMessage().isprintable()
        assert len(record.getMessage()) < 300
    assert SITE.secret not in repr(guarded.config)
    assert SITE.secret not in repr(vars(guarded.gate))


def test_a_token_from_asyncio(guarded: SolverServer) -> None:
    async def ask(token: str | None) -> bytes:
        async with open_aio_channel(guarded.address, token=token) as channel:
            return bytes(await channel.unary_unary(INFO)(b"", timeout=10))

    assert asyncio.run(ask(SITE.secret))
    with pytest.raises(grpc.RpcError):
        asyncio.run(ask(None))


@pytest.mark.parametrize(
    ("address", "more", "told"),
    [
        ("example.org:1", {"token": "x"}, "the token would travel to example.org:1 in the clear"),
        ("localhost:1", {"token": ""}, "the token has characters that no header can carry"),
        ("localhost:1", {"token": "a b"}, "the token has characters that no header can carry"),
        ("localhost:1", {"tls": ClientTls(certificate="x")}, "a certificate needs its key"),
        ("localhost:1", {"tls": ClientTls(ca="no-such-file")}, r"tls\.ca: the file no-such-file cannot be read"),
        ("localhost:1", {"tls": "yes"}, "tls: True, False or a ClientTls is needed"),
    ],
)
def test_a_client_that_cannot_be(address: str, more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SolverClient(address, **more)


def test_a_client_may_be_told_that_something_else_encrypts() -> None:
    SolverClient("example.org:1", token="x", tls=False).close()


# --- limits


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
    with serving(tokens=(slow, BOT)) as server, SolverClient(server.address, token=slow.secret) as client:
        assert client.get_server_info().solver_version
        error = refusal(client.get_server_info)
        assert (error.code, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, StatusReason.RATE_LIMIT)
        assert error.retry_seconds is not None
        assert 90 < error.retry_seconds <= 100
        # one token's limit is not another's
        with SolverClient(server.address, token=BOT.secret) as other:
            assert other.get_server_info().solver_version


@pytest.mark.parametrize("way", ["cancel", "deadline", "error", "answer"])
def test_a_call_counts_until_its_end_however_it_ends(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocking = BlockingSearch()
    monkeypatch.setattr(solver_service, "search", blocking)
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()))
    metadata = [("authorization", f"Bearer {BOT.secret}")]
    with serving(tokens=(BOT,)) as server, channel_to(server) as channel:
        assert server.gate is not None
        holder = server.gate.holders["bot"]
        if way == "deadline":
            monkeypatch.setattr(solver_service, "usable_seconds", lambda remaining: 60.0)
        call = SolverServiceStub(channel).RecommendMove.future(
            request, metadata=metadata, timeout=0.3 if way == "deadline" else 30
        )
        blocking.started.acquire()
        assert holder.running == 1
        with SolverClient(server.address, token=BOT.secret) as client:
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
        assert caught.value.code() is grpc.StatusCode.CANCELLED  # type: ignore[attr-defined]
        assert time.monotonic() - started < 10
        wait_for(lambda: service.holder.running == 0)
    never.set()
    # nor does one that ends without a request
    with pytest.raises(grpc.RpcError) as caught:
        channel.stream_unary("/s.S/One")(iter([]), **OPTIONS)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED  # type: ignore[attr-defined]
    wait_for(lambda: service.arrivals.awaited == 0)


def test_watchers_of_health_are_bounded() -> None:
    with running(concurrent_searches=1, queue_size=0) as (server, client), channel_to(server) as channel:
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


def test_the_command_line_encrypts_and_sends_a_token(files: Files, tmp_path: Path) -> None:
    source, token = tmp_path / "observation.json", tmp_path / "token"
    source.write_text(json_format.MessageToJson(observed(in_the_middle())))
    token.write_text(f"{SITE.secret}\n")
    options = ["recommend", str(source), "--iterations", "200", "--json"]
    with serving(**files.of_server(), tokens=(SITE,)) as server:
        access = ["--server", server.address, "--ca", str(files.server_ca)]
        result = CliRunner().invoke(app, [*options, *access, "--token-file", str(token)])
        assert (result.exit_code, '"moves"' in result.output) == (0, True), result.output
        result = CliRunner().invoke(app, [*options, *access])
        assert (result.exit_code, "the call comes without a token" in result.output) == (1, True)
    for more, told in (
        (["--tls"], "name it with --server"),
        (["--server", "example.org:1", "--token-file", str(token)], "in the clear"),
        (["--server", "example.org:1", "--tls", "--token-file", str(tmp_path)], "--token-file: "),
        (["--server", "example.org:1", "--ca", str(tmp_path / "no")], "cannot be read"),
    ):
        result = CliRunner().invoke(app, [*options, *more])
        assert (result.exit_code, told in result.output) == (2, True), result.output
        assert SITE.secret not in result.output
