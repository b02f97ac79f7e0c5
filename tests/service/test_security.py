"""Who may call and how much: certificates, tokens and their limits, over real channels."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from google.protobuf import json_format
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from typer.testing import CliRunner

from service_support import in_the_middle, observed, serving, wait_for
from tarocchi_solver import examples
from tarocchi_solver.cli import app
from tarocchi_solver.client import AsyncSolverClient, ClientTls, SolverClient, SolverError
from tarocchi_solver.client.channel import open_aio_channel
from tarocchi_solver.service.config import ConfigError, ServerConfig, Token
from tarocchi_solver.service.errors import StatusReason
from tarocchi_solver.service.security import Gate
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


def test_tls(files: Files) -> None:
    with serving(**files.of_server()) as server:
        with SolverClient(server.address, tls=ClientTls(ca=files.server_ca)) as client:
            assert client.get_server_info().solver_version
            assert client.is_serving()
        for tls in (ClientTls(ca=files.other_ca), True, None):
            with SolverClient(server.address, tls=tls, timeout=5) as stranger:
                refused = refusal(stranger.get_server_info)
                assert refused.code is grpc.StatusCode.UNAVAILABLE
                assert "give tls where the server encrypts and only there, the CA" in refused.message


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_certificate_for_another_name(files: Files, tmp_path: Path, host: str) -> None:
    root = trustme.CA()
    root.cert_pem.write_to_path(tmp_path / "ca.pem")
    leaf = root.issue_cert("solver.example")
    leaf.private_key_pem.write_to_path(tmp_path / "server.key")
    leaf.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")
    pair = {"tls_certificate": tmp_path / "server.pem", "tls_key": tmp_path / "server.key"}
    waits: list[float] = []
    tls = ClientTls(ca=tmp_path / "ca.pem")
    with serving(address=f"{host}:0", **pair) as server, SolverClient(server.address, tls=tls) as client:
        client._sleep = waits.append
        refused = refusal(client.get_server_info)
    assert (refused.code, waits) == (grpc.StatusCode.UNAVAILABLE, [])
    assert refused.message.startswith("the certificate is for another name: mend the address, whose host")
    assert "Hostname Verification Check failed" in refused.message


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
        (
            {**pair, "tls_client_ca": text},
            [("tls_client_ca", "holds no certificate: give those of the clients' roots")],
        ),
        (
            {"tls_certificate": missing, "tls_key": missing, "tls_client_ca": missing},
            [(name, "cannot be read") for name in ("tls_certificate", "tls_key", "tls_client_ca")],
        ),
        (
            {"tls_certificate": text, "tls_key": missing},
            [("tls_certificate", "holds no certificate"), ("tls_key", "cannot be read")],
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
    with grpc.insecure_channel(guarded.address) as channel:
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
        assert "tarocchi-request-id" in dict(caught.value.trailing_metadata())  # type: ignore[attr-defined]


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
    with grpc.insecure_channel(guarded.address) as channel:
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
    with grpc.insecure_channel(guarded.address) as channel, contextlib.suppress(grpc.RpcError):
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
        ("dns:///localhost:1", {"token": "x"}, "the token would travel to dns:///localhost:1 in the clear"),
        ("localhost:1", {"token": ""}, "the token is no text or an empty one"),
        ("localhost:1", {"token": "a b"}, "the token has other characters than those of tokens: letters, digits and"),
        ("localhost:1", {"tls": ClientTls(certificate="x")}, "a certificate needs its key"),
        ("localhost:1", {"tls": ClientTls(ca="no-such-file")}, r"tls\.ca: the file no-such-file cannot be read"),
        ("localhost:1", {"tls": "yes"}, "tls: True, False or a ClientTls is needed"),
    ],
)
def test_a_client_that_cannot_be(address: str, more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SolverClient(address, **more)


def test_a_client_looks_at_its_files(files: Files, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no certificate")
    own = files.of_client()
    for more, told in (
        (
            {"ca": text},
            r"tls\.ca: the file .*/text holds no certificate: give the roots of the server's certificate in",
        ),
        ({"ca": files.folder / "client.key"}, r"tls\.ca: the file .*/client\.key holds no certificate"),
        ({"ca": 3}, r"tls\.ca: the name of a file is needed, not 3"),
        ({**own, "certificate": text}, r"tls\.certificate: the file .*/text holds no certificate: give the client's"),
        ({**own, "key": text}, r"tls\.key: the file .*/text holds no key that can be used"),
        ({**own, "key": files.folder / "other.key"}, r"tls\.key: the key in .* does not belong to the certificate in"),
    ):
        for kind in (SolverClient, AsyncSolverClient):
            with pytest.raises(ValueError, match=told):
                kind("localhost:1", tls=ClientTls(**more))
    # what else stands in a bundle may be of any language
    bundle = tmp_path / "bundle"
    bundle.write_bytes("# Főtanúsítvány\n".encode() + files.server_ca.read_bytes())
    SolverClient("localhost:1", tls=ClientTls(ca=str(bundle))).close()


def test_a_client_may_be_told_that_something_else_encrypts() -> None:
    SolverClient("example.org:1", token="x", tls=False).close()


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
        (["--server", "example.org:1", "--ca", str(tmp_path / "no")], "--ca: the file "),
        (["--key", str(token)], "name it with --server"),
        (["--server", "example.org:1", "--key", str(token)], "--certificate needs its --key"),
        (["--server", "example.org:1", "--certificate", str(token), "--key", str(token)], "--certificate: the file "),
    ):
        result = CliRunner().invoke(app, [*options, *more])
        assert (result.exit_code, told in result.output) == (2, True), result.output
        assert SITE.secret not in result.output


@pytest.mark.parametrize("command", ["recommend", "analyze", "beliefs", "review"])
def test_the_command_line_shows_a_certificate(files: Files, tmp_path: Path, command: str) -> None:
    source = tmp_path / "input.json"
    if command == "review":
        source.write_text(examples.load("bolognese_deal"))
    else:
        source.write_text(json_format.MessageToJson(observed(in_the_middle())))
    caps = [] if command == "beliefs" else ["--iterations", "1"]
    own = files.of_client()
    shown = ["--certificate", str(own["certificate"]), "--key", str(own["key"])]
    with serving(**files.of_server(), tls_client_ca=files.client_ca) as server:
        asked = [command, str(source), *caps, "--json", "--server", server.address, "--ca", str(own["ca"])]
        result = CliRunner().invoke(app, [*asked, *shown])
        assert result.exit_code == 0, result.output
        assert json.loads(result.output.splitlines()[-1] if command in ("analyze", "review") else result.output)
        result = CliRunner().invoke(app, asked)
        assert result.exit_code == 1, result.output
