"""What the log in JSON tells, and that decisions are made again from it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import logging
import re
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from typer.testing import CliRunner, Result

from service_support import (
    SMALL,
    finished,
    in_the_middle,
    observed,
    occupied,
    play_until,
    running,
    serving,
    wait_for,
    whole_deal,
)
from tarocchi.solver.v1 import review_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.review_service_pb2_grpc import ReviewServiceStub
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_engine import VARIANTS, Phase
from tarocchi_solver import __version__
from tarocchi_solver.cli import app
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.service import logs, searching, solver_service
from tarocchi_solver.service.config import Token
from tarocchi_solver.service.logs import LogFormat, LogLevel, logging_to
from tarocchi_solver.service.pools import Priority
from tarocchi_solver.service.server import SolverServer

SITE = Token("site", "0123456789abcdef-site", concurrent_requests=1)


class Log:
    """What a server has written."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def of(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]

    @property
    def decisions(self) -> str:
        return "".join(json.dumps(line) + "\n" for line in self.of("decision"))


@contextlib.contextmanager
def logged(**settings: Any) -> Iterator[tuple[Log, SolverServer, SolverServiceStub, ReviewServiceStub]]:
    """Starts a server that logs in JSON."""
    log = Log()
    with (
        logging_to(log.stream, LogFormat.JSON, LogLevel.INFO),
        serving(log_format="json", **settings) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        yield log, server, SolverServiceStub(channel), ReviewServiceStub(channel)


def replayed(text: str) -> Result:
    return CliRunner().invoke(app, ["replay-decision", "-"], input=text)


def verdicts(result: Result) -> list[str]:
    return re.findall(r"^\w+ [0-9a-f]{32}: (.*)$", result.output, re.MULTILINE)


def digest(message: Any) -> str:
    return hashlib.sha256(message.SerializeToString()).hexdigest()


def asked(variant: str, seed: int = 1, **budget: int) -> pb.RecommendMoveRequest:
    return pb.RecommendMoveRequest(observation=observed(in_the_middle(variant, seed)), budget=pb.Budget(**budget))


def test_every_kind_of_decision_is_made_again_to_the_byte() -> None:
    sent: list[str] = []
    with logged(concurrent_searches=2, search_threads=2) as (log, _server, solver, review):
        for variant in VARIANTS:
            sent.append(digest(solver.RecommendMove(asked(variant, iterations=SMALL))))
            beliefs = pb.GetBeliefsRequest(observation=observed(in_the_middle(variant)))
            sent.append(digest(solver.GetBeliefs(beliefs)))
            at_level = asked(variant)
            at_level.ClearField("budget")
            at_level.level = pb.LEVEL_CASUAL
            sent.append(digest(solver.RecommendMove(at_level)))
        opening = play_until("terziglio", 1, lambda state: state.phase is Phase.BID)
        batch = [asked("bolognese", worlds=10), pb.RecommendMoveRequest(observation=observed(opening), seed=2**64 - 1)]
        batch[1].budget.iterations = SMALL
        answers = solver.BatchRecommendMoves(pb.BatchRecommendMovesRequest(requests=batch)).responses
        sent += [digest(answer) for answer in answers]
        study = pb.AnalyzePositionRequest(observation=batch[0].observation, budget=pb.Budget(iterations=3000))
        *_, last = solver.AnalyzePosition(study)
        sent.append(digest(last))
        deal = whole_deal(finished("piedicavallo", 3))
        wanted = review_service_pb2.ReviewDealRequest(deal=deal.deal, events=deal.events, seats=[1])
        wanted.budget.iterations = 60
        *parts, _summary = review.ReviewDeal(wanted)
        sent += [digest(part) for part in parts]
    lines = log.of("decision")
    assert [line["sha256"] for line in lines] == sent
    assert {line["reproducible"] for line in lines} == {True}
    assert {line["solver_version"] for line in lines} == {__version__}
    assert {line["rules_revision"] for line in lines} == {1}
    result = replayed(log.decisions)
    assert result.exit_code == 0, result.output
    assert verdicts(result) == ["the same bytes"] * len(sent)
    assert result.output.count("Score ± error") == 2 * len(VARIANTS) + 3
    ids = {line["request_id"]: line for line in log.of("call")}
    for line in lines:
        assert ids[line["request_id"]]["method"] == line["method"]
        assert ids[line["request_id"]]["code"] == "OK"
        assert ids[line["request_id"]]["queue_ms"] >= line["queue_ms"] >= 0


def test_exact_answers_under_a_cap_on_time_are_made_again() -> None:
    state = play_until(
        "bolognese", 5, lambda state: len(state.tricks) >= 13 and len(state.legal_moves()) > 1, options={}
    )
    request = pb.RecommendMoveRequest(observation=observed(state))
    request.budget.duration.FromMilliseconds(60_000)
    with logged(search_threads=2) as (log, _server, solver, _review):
        answer = solver.RecommendMove(request, timeout=50)
        assert answer.diagnostics.stop_reason == pb.STOP_REASON_EXACT
    (line,) = log.of("decision")
    assert line["reproducible"]
    assert line["threads"] == 2
    # it was planned for what the deadline left
    assert line["request"]["budget"] != line["answer_budget"] == {"duration": "60s"}
    assert verdicts(replayed(log.decisions)) == ["the same bytes"]


def test_what_a_clock_has_ended_is_told() -> None:
    request = asked("bolognese")
    request.budget.duration.FromMilliseconds(20)
    with logged() as (log, _server, solver, _review):
        answer = solver.RecommendMove(request)
        study = pb.AnalyzePositionRequest(observation=request.observation)
        study.budget.duration.FromSeconds(2)
        *_, last = solver.AnalyzePosition(study, timeout=30)
    first, second = log.of("decision")
    assert not first["reproducible"]
    assert first["request"]["budget"] == {"iterations": answer.diagnostics.iterations}
    assert (first["stop_reason"], second["stop_reason"]) == ("time", "time")
    assert second["sha256"] == digest(last)
    # the last search of an analysis is cut short only where it is the first
    is_cut = last.recommendation.diagnostics.stop_reason == pb.STOP_REASON_TIME
    assert second["reproducible"] == (not is_cut)
    result = replayed(log.decisions)
    assert result.exit_code == 0
    assert verdicts(result)[0] == "other bytes: a clock, or a signal to stop, has ended its search"
    if not is_cut:
        assert verdicts(result)[1] == "the same bytes"


def test_a_minimum_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: 0.3)
    with logged(concurrent_searches=1) as (log, server, solver, _review), occupied(server._pools[Priority.LIVE], 1):
        solver.RecommendMove(asked("bolognese", iterations=SMALL), timeout=60)
        solver.GetBeliefs(pb.GetBeliefsRequest(observation=observed(in_the_middle())), timeout=60)
    move, beliefs = log.of("decision")
    assert (move["minimum"], move["reproducible"]) == (True, False)
    assert move["queue_ms"] > 0
    # beliefs know no clock: the fewer worlds are counted again
    assert (beliefs["minimum"], beliefs["reproducible"]) == (True, True)
    assert beliefs["worlds"] == solver_service.FEWEST_BELIEF_WORLDS
    assert verdicts(replayed(log.decisions))[1] == "the same bytes"


def test_requests_can_be_left_out() -> None:
    with logged(log_requests=False) as (log, _server, solver, _review):
        solver.RecommendMove(asked("bolognese", iterations=SMALL))
    assert '"hand"' not in log.stream.getvalue()
    result = replayed(log.decisions)
    assert result.exit_code == 2
    assert "request: it is missing: the service was told not to log requests (log_requests)" in result.output


def test_every_call_has_one_line_and_no_secret_is_in_any() -> None:
    with logged(tokens=(SITE,), concurrent_searches=1) as (log, server, solver, _review):
        with pytest.raises(grpc.RpcError):
            solver.GetServerInfo(pb.GetServerInfoRequest())
        with SolverClient(server.address, token=SITE.secret, retry=None) as client:
            client.get_server_info()
            with pytest.raises(SolverError):
                client.recommend_move({"variant": "nonsense", "hand": [SITE.secret]})
            for _ in range(2):
                with client.analyze(observed(in_the_middle())) as analysis:
                    next(iter(analysis))
                wait_for(lambda: server.gate is not None and server.gate.holders["site"].running == 0)
        wrong = "wrong-" + SITE.secret
        with SolverClient(server.address, token=wrong, retry=None) as client, pytest.raises(SolverError):
            client.get_server_info()
    calls = log.of("call")
    assert [(line["method"], line["code"], line["reason"], line["caller"]) for line in calls] == [
        ("GetServerInfo", "UNAUTHENTICATED", "MISSING_TOKEN", ""),
        ("GetServerInfo", "OK", "", "site"),
        ("RecommendMove", "INVALID_ARGUMENT", "INVALID_REQUEST", "site"),
        ("AnalyzePosition", "CANCELLED", "", "site"),
        ("AnalyzePosition", "CANCELLED", "", "site"),
        ("GetServerInfo", "UNAUTHENTICATED", "UNKNOWN_TOKEN", ""),
    ]
    assert len({line["request_id"] for line in calls}) == len(calls)
    for line in log.lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert {"level", "event"} <= line.keys()
    assert SITE.secret not in log.stream.getvalue()
    assert [line["event"] for line in log.lines][:3] == ["listening", "compiling", "ready"]
    assert [line["event"] for line in log.lines][-2:] == ["stopping", "stopped"]


def test_text_has_no_decisions() -> None:
    stream = io.StringIO()
    with logging_to(stream, LogFormat.TEXT, LogLevel.INFO), running() as (_server, client):
        client.recommend_move(observed(in_the_middle()), iterations=SMALL)
    (line,) = [line for line in stream.getvalue().splitlines() if "RecommendMove" in line]
    assert re.search(r" INFO RecommendMove [0-9a-f]{32} answered in \d+ ms$", line)


def test_an_exception_stays_in_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "search", None)
    with logged() as (log, _server, solver, _review), pytest.raises(grpc.RpcError):
        solver.RecommendMove(asked("bolognese", iterations=SMALL))
    (line,) = log.of("call")
    assert (line["level"], line["code"], line["reason"]) == ("error", "INTERNAL", "INTERNAL_ERROR")
    assert "Traceback" in line["exception"]


def test_writing_does_not_hold_up_calls() -> None:
    class Slow(io.StringIO):
        def write(self, text: str) -> int:
            time.sleep(0.2)
            return super().write(text)

    slow = Slow()
    with logging_to(slow, LogFormat.JSON, LogLevel.INFO), serving(log_format="json") as server:
        with grpc.insecure_channel(server.address) as channel:
            stub = SolverServiceStub(channel)
            for _ in range(5):
                stub.GetServerInfo(pb.GetServerInfoRequest())
        written_before = slow.getvalue().count("GetServerInfo")
    assert written_before < 5
    # at the end of the context every line is there
    assert len([line for line in slow.getvalue().splitlines() if '"call"' in line]) == 5


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ({}, 0, "the same bytes"),
        ({"sha256": "0" * 64}, 1, "other bytes: though version and rules are the same"),
        ({"sha256": "0", "solver_version": "0.0.1"}, 1, f"made by version 0.0.1, this is {__version__}"),
        ({"sha256": "0", "rules_revision": 9}, 1, "made under revision 9 of the rules, this is 1"),
        ({"method": "NewDeal"}, 2, "method: 'NewDeal' is none of RecommendMove, BatchRecommendMoves"),
        ({"sha256": 3}, 2, "sha256: 3 is of the wrong kind: a text is needed"),
        ({"rules_revision": True}, 2, "rules_revision: True is of the wrong kind: a whole number is needed"),
        ({"request": []}, 2, "an object in braces is needed"),
        ({"request": {"observation": {"variant": "whist"}}}, 2, "no variant is called 'whist'"),
        ({"threads": 0}, 2, "threads: 0 is out of range"),
        ({"method": "AnalyzePosition", "stop_reason": "bored"}, 2, "stop_reason: 'bored' is none of single_move"),
        ({"method": "AnalyzePosition"}, 1, "other bytes"),
        ({"event": "call"}, 2, "there is no decision in it: give lines with the event 'decision'"),
    ],
)
def test_one_line_as_the_argument(line_of_a_move: dict[str, Any], change: dict[str, Any], code: int, told: str) -> None:
    result = CliRunner().invoke(app, ["replay-decision", json.dumps(line_of_a_move | change)])
    assert (result.exit_code, told in result.output) == (code, True), result.output


def test_what_was_logged_is_there_when_the_log_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the thread that writes is about at that moment."""
    monkeypatch.setattr(logs, "_GATHERING_SECONDS", 0.0)
    for number in range(2000):
        stream = io.StringIO()
        with logging_to(stream, LogFormat.JSON, LogLevel.INFO):
            for _ in range(number % 3):
                logging.getLogger("test").info("a line")
        assert len(stream.getvalue().splitlines()) == number % 3


def test_broken_sources(tmp_path: Any) -> None:
    for argument, told in (
        ("", "the name of the file is empty"),
        ("{", "the line: no JSON"),
        (str(tmp_path / "none.log"), "cannot be read"),
    ):
        result = CliRunner().invoke(app, ["replay-decision", argument])
        assert (result.exit_code, told in result.output) == (2, True), result.output


@pytest.fixture(scope="module")
def line_of_a_move() -> dict[str, Any]:
    with logged() as (log, _server, solver, _review):
        solver.RecommendMove(asked("bolognese", iterations=SMALL))
    (line,) = log.of("decision")
    assert json_format.ParseDict(line["request"], pb.RecommendMoveRequest()).seed == int(line["seed"])
    return line
