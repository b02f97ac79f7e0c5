"""The service as a process: its log in JSON, the decisions made again from it, and its end with streams open."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc
from typer.testing import CliRunner

from service_support import SMALL, finished, in_the_middle, observed, wait_for, whole_deal
from tarocchi.solver.v1 import review_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.review_service_pb2_grpc import ReviewServiceStub
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_engine import VARIANTS
from tarocchi_solver.cli import app
from tarocchi_solver.client import SolverClient
from tarocchi_solver.service import server as server_module

# on a busy machine the last answers may take a while
CODE = """
from tarocchi_solver.service import server
server._LAST_ANSWERS_SECONDS = 10.0
from tarocchi_solver.cli import main
main()
"""
SERVE = [sys.executable, "-c", CODE, "serve", "--address", "127.0.0.1:0"]
GRACE = 2
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def outcome_of(call: Any) -> grpc.StatusCode:
    """Waits for the end of a stream."""
    with contextlib.suppress(grpc.RpcError):
        list(call)
    return call.code()  # type: ignore[no-any-return]


def watched(channel: grpc.Channel, seen: list[int]) -> threading.Thread:
    """Notes every health that the service tells, until it ends."""

    def watch() -> None:
        with contextlib.suppress(grpc.RpcError):
            answers = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            seen.extend(answer.status for answer in answers)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


UNDER_WAY = {
    'tarocchi_searches_running{priority="live"} 1.0',
    'tarocchi_streams_open{method="AnalyzePosition"} 1.0',
    'tarocchi_streams_open{method="ReviewDeal"} 1.0',
    'tarocchi_calls_in_progress{method="BatchRecommendMoves"} 1.0',
}

QUEUED = {
    'tarocchi_searches_running{priority="live"} 1.0',
    'tarocchi_searches_waiting{priority="live"} 1.0',
}


def metrics_of(log: Path) -> set[str]:
    """Returns the lines of the metrics of the service that writes this log."""
    (url,) = (line["url"] for line in map(json.loads, log.read_text().splitlines()) if line["event"] == "metrics")
    with urllib.request.urlopen(url, timeout=10) as answer:
        return set(answer.read().decode().splitlines())


def address_of(process: subprocess.Popen[bytes], log: Path) -> str:
    """Returns where a service with metrics listens, once it does."""
    wait_for(lambda: '"metrics"' in log.read_text() or process.poll() is not None)
    address: str = json.loads(log.read_text().splitlines()[0])["address"]
    return address


def endless(seed: int = 1) -> pb.RecommendMoveRequest:
    return pb.RecommendMoveRequest(
        observation=observed(in_the_middle(seed=seed)), budget=pb.Budget(iterations=10**9), seed=1
    )


def endless_review() -> review_service_pb2.ReviewDealRequest:
    deal = whole_deal(finished("bolognese", 3))
    budget = pb.Budget(iterations=10**9)
    return review_service_pb2.ReviewDealRequest(deal=deal.deal, events=deal.events, budget=budget, seed=1)


def test_a_service_with_open_streams_stops_in_good_order(tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    arguments = ["--log-format", "json", "--grace", str(GRACE), "--searches", "1", "--metrics-address", "127.0.0.1:0"]
    with log.open("w") as file:
        process = subprocess.Popen([*SERVE, *arguments], stderr=file, stdout=subprocess.PIPE)
    try:
        address = address_of(process, log)
        with SolverClient(address) as client, grpc.insecure_channel(address) as channel:
            assert client.wait_until_serving(300)
            solver, review = SolverServiceStub(channel), ReviewServiceStub(channel)
            for variant in VARIANTS:
                request = pb.RecommendMoveRequest(observation=observed(in_the_middle(variant)))
                request.budget.iterations = SMALL
                solver.RecommendMove(request)
            seen: list[int] = []
            watcher = watched(channel, seen)
            study = solver.AnalyzePosition(pb.AnalyzePositionRequest(observation=endless().observation))
            first = next(iter(study))
            assert not first.final
            parts = review.ReviewDeal(endless_review())
            batch = solver.BatchRecommendMoves.future(  # type: ignore[attr-defined]
                pb.BatchRecommendMovesRequest(requests=[endless(seed) for seed in range(1, 40)])
            )
            move = solver.RecommendMove.future(endless())  # type: ignore[attr-defined]
            wait_for(lambda: seen == [SERVING])
            wait_for(lambda: metrics_of(log) >= UNDER_WAY)
            process.send_signal(signal.SIGTERM)
            # health goes first, while everything is still under way
            wait_for(lambda: seen == [SERVING, NOT_SERVING])
            assert [call.done() for call in (study, batch, move)] == [False] * 3
            *_, last = study
            assert (last.final, last.stop_reason) == (True, pb.STOP_REASON_STOPPED)
            assert last.recommendation.moves
            assert move.result().diagnostics.stop_reason == pb.STOP_REASON_STOPPED
            assert batch.code() is grpc.StatusCode.UNAVAILABLE
            assert outcome_of(parts) is grpc.StatusCode.UNAVAILABLE
            output, _ = process.communicate(timeout=60)
            watcher.join(10)
    finally:
        process.kill()
    assert (process.returncode, output) == (0, b"")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    ends = {(line["method"], line["code"], line["reason"]) for line in lines if line["event"] == "call"}
    assert ends == {
        ("RecommendMove", "OK", ""),
        ("AnalyzePosition", "OK", ""),
        ("ReviewDeal", "UNAVAILABLE", "DRAINING"),
        ("BatchRecommendMoves", "UNAVAILABLE", "DRAINING"),
    }
    assert lines[-1]["event"] == "stopped"
    result = CliRunner().invoke(app, ["replay-decision", str(log)])
    assert result.exit_code == 0, result.output
    assert len(re.findall(r"^RecommendMove \w+: the same bytes$", result.output, re.MULTILINE)) == len(VARIANTS)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_grace_period(tmp_path: Path, second: signal.Signals) -> None:
    log = tmp_path / "serve.log"
    arguments = ["--log-format", "json", "--grace", "3600", "--searches", "1", "--metrics-address", "127.0.0.1:0"]
    with log.open("w") as file:
        process = subprocess.Popen([*SERVE, *arguments], stderr=file, stdout=subprocess.PIPE)
    try:
        address = address_of(process, log)
        with SolverClient(address) as client, grpc.insecure_channel(address) as channel:
            assert client.wait_until_serving(300)
            solver = SolverServiceStub(channel)
            seen: list[int] = []
            watcher = watched(channel, seen)
            study = solver.AnalyzePosition(pb.AnalyzePositionRequest(observation=endless().observation), timeout=300)
            next(iter(study))
            # one is searched for, the other one waits
            moves = [solver.RecommendMove.future(endless(seed)) for seed in (1, 2)]  # type: ignore[attr-defined]
            wait_for(lambda: seen == [SERVING] and metrics_of(log) >= QUEUED)
            process.send_signal(signal.SIGTERM)
            wait_for(lambda: seen == [SERVING, NOT_SERVING])
            # the first one leaves the searches an hour
            assert [call.done() for call in (study, *moves)] == [False] * 3
            process.send_signal(second)
            *_, last = study
            assert (last.final, last.stop_reason) == (True, pb.STOP_REASON_STOPPED)
            answers = [call.result(60) for call in moves]
            assert [answer.diagnostics.stop_reason for answer in answers] == [pb.STOP_REASON_STOPPED] * 2
            output, _ = process.communicate(timeout=60)
            watcher.join(10)
            assert not watcher.is_alive()
    finally:
        process.kill()
    assert (process.returncode, output) == (0, b"")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[-1]["event"] == "stopped"
    assert {line["code"] for line in lines if line["event"] == "call"} == {"OK"}


def test_two_signals_while_it_compiles_end_it(tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    with log.open("w") as file:
        process = subprocess.Popen([*SERVE, "--log-format", "json"], stderr=file, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: '"compiling"' in log.read_text() or process.poll() is not None)
        for number in (signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
        assert process.wait(60) == 0
    finally:
        process.kill()
    assert json.loads(log.read_text().splitlines()[-1])["event"] == "stopped"


def test_a_client_that_does_not_encrypt_leaves_no_line_of_another_form(tmp_path: Path) -> None:
    root = trustme.CA()
    leaf = root.issue_cert("localhost", "127.0.0.1")
    (tmp_path / "server.key").write_bytes(leaf.private_key_pem.bytes())
    (tmp_path / "server.pem").write_bytes(leaf.cert_chain_pems[0].bytes())
    files = ["--tls-certificate", str(tmp_path / "server.pem"), "--tls-key", str(tmp_path / "server.key")]
    log = tmp_path / "serve.log"
    main = "from tarocchi_solver.cli import main; main()"
    command = [sys.executable, "-c", main, "serve", "--address", "127.0.0.1:0"]
    with log.open("w") as file:
        process = subprocess.Popen([*command, "--log-format", "json", *files], stderr=file, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: '"listening"' in log.read_text() or process.poll() is not None)
        address = json.loads(log.read_text().splitlines()[0])["address"]
        with SolverClient(address, retry=None) as client:
            assert not client.is_serving()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    finally:
        process.kill()
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert events[-1] == "stopped"


def test_a_failed_self_test_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("this kernel adds wrongly")

    real = server_module.SolverServer
    monkeypatch.setattr(server_module, "SolverServer", lambda config: real(config, fail))
    result = CliRunner().invoke(app, ["serve", "--address", "127.0.0.1:0", "--log-format", "json"])
    assert result.exit_code == 1
    *lines, last = result.stderr.splitlines()
    assert last == "tarocchi: the kernels cannot be used, see above"
    told = [json.loads(line) for line in lines]
    assert [line["event"] for line in told] == ["listening", "compiling", "self-test failed", "stopping", "stopped"]
    assert "this kernel adds wrongly" in told[2]["exception"]
