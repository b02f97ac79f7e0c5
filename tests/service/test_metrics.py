"""What Prometheus is told, scraped while and after calls of every kind and end."""

from __future__ import annotations

import contextlib
import socket
import threading
import urllib.request
from collections.abc import Iterator

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service_support import SMALL, BlockingSearch, finished, in_the_middle, observed, occupied, running, wait_for
from service_support import whole_deal as whole
from tarocchi.solver.v1 import review_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.review_service_pb2_grpc import ReviewServiceStub
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_engine import VARIANTS
from tarocchi_solver import __version__
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.service import handlers, searching
from tarocchi_solver.service.config import ConfigError, ServerConfig, Token
from tarocchi_solver.service.pools import Priority
from tarocchi_solver.service.server import METHODS, SolverServer

LOCAL = "127.0.0.1:0"
SITE = Token("site", "0123456789abcdef-site")

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scrape(server: SolverServer) -> Samples:
    assert server.metrics_address is not None
    with urllib.request.urlopen(f"http://{server.metrics_address}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    """Returns the sum of all samples of a name that have these labels."""
    return sum(number for (key, own), number in samples.items() if key == name and labels.items() <= set(own))


def calls(samples: Samples) -> dict[tuple[str, str, str], float]:
    found = {}
    for (name, own), number in samples.items():
        if name == "tarocchi_calls_total":
            labels = dict(own)
            found[labels["method"], labels["code"], labels["reason"]] = number
    return found


@contextlib.contextmanager
def measured(**settings: object) -> Iterator[tuple[SolverServer, SolverServiceStub, ReviewServiceStub]]:
    with running(metrics_address=LOCAL, **settings) as (server, _), grpc.insecure_channel(server.address) as channel:
        yield server, SolverServiceStub(channel), ReviewServiceStub(channel)


def asked(variant: str = "bolognese", **budget: int) -> pb.RecommendMoveRequest:
    return pb.RecommendMoveRequest(observation=observed(in_the_middle(variant)), budget=pb.Budget(**budget), seed=1)


def test_the_numbers_add_up_with_the_calls() -> None:
    with measured() as (server, solver, review):
        answers = [solver.RecommendMove(asked(name, iterations=SMALL)) for name in VARIANTS]
        batch = pb.BatchRecommendMovesRequest(requests=[asked(iterations=SMALL)] * 3)
        answers += solver.BatchRecommendMoves(batch).responses
        study = pb.AnalyzePositionRequest(observation=batch.requests[0].observation, budget=pb.Budget(iterations=1500))
        *_, last = solver.AnalyzePosition(study)
        answers.append(last.recommendation)
        solver.GetBeliefs(pb.GetBeliefsRequest(observation=study.observation))
        deal = whole(finished("bolognese", 3))
        request = review_service_pb2.ReviewDealRequest(deal=deal.deal, events=deal.events, seats=[1])
        request.budget.iterations = 60
        *parts, _ = review.ReviewDeal(request)
        with pytest.raises(grpc.RpcError):
            solver.RecommendMove(asked(iterations=0))
        samples = scrape(server)
    assert calls(samples) == {
        ("RecommendMove", "OK", ""): 4,
        ("RecommendMove", "INVALID_ARGUMENT", "INVALID_REQUEST"): 1,
        ("BatchRecommendMoves", "OK", ""): 1,
        ("AnalyzePosition", "OK", ""): 1,
        ("GetBeliefs", "OK", ""): 1,
        ("ReviewDeal", "OK", ""): 1,
    }
    facts = [answer.diagnostics for answer in answers] + [part.decision.diagnostics for part in parts]
    for name, field in (
        ("tarocchi_search_iterations_total", "iterations"),
        ("tarocchi_search_worlds_total", "worlds"),
        ("tarocchi_exact_solves_total", "exact_solves"),
        ("tarocchi_rejected_worlds_total", "rejected_worlds"),
    ):
        assert value(samples, name) == sum(getattr(fact, field) for fact in facts), name
    assert value(samples, "tarocchi_exact_solves_total", variant="bolognese") > 0
    assert value(samples, "tarocchi_decisions_total") == len(facts)
    stopped = sum(fact.stop_reason == pb.STOP_REASON_ITERATIONS for fact in facts)
    assert value(samples, "tarocchi_decisions_total", stop_reason="iterations") == stopped
    # a search for each move, batch entry, analysis, belief and reviewed decision
    for name in ("tarocchi_search_duration_seconds_count", "tarocchi_queue_duration_seconds_count"):
        assert value(samples, name, priority="live") == len(VARIANTS) + 1
        assert value(samples, name, priority="analysis") == 3 + 1 + len(parts)
    assert value(samples, "tarocchi_call_duration_seconds_count") == 9
    assert value(samples, "tarocchi_call_duration_seconds_count", method="RecommendMove") == 5
    assert value(samples, "tarocchi_search_duration_seconds_sum") > 0
    assert value(samples, "tarocchi_minimum_answers_total") == 0
    for name in ("calls_in_progress", "streams_open", "searches_running", "searches_waiting"):
        assert value(samples, f"tarocchi_{name}") == 0
    assert value(samples, "tarocchi_build_info", version=__version__) == 1
    assert value(samples, "tarocchi_rules_revision", variant="bolognese") == VARIANTS["bolognese"].rules_revision


def test_cancelled_and_refused_calls_count(monkeypatch: pytest.MonkeyPatch) -> None:
    blocking = BlockingSearch()
    monkeypatch.setattr(searching, "search", blocking)
    with measured(concurrent_searches=1, queue_size=1) as (server, solver, _review):
        active = solver.RecommendMove.future(asked(iterations=SMALL))  # type: ignore[attr-defined]
        blocking.started.acquire()
        waiting = solver.RecommendMove.future(asked(iterations=SMALL))  # type: ignore[attr-defined]
        wait_for(lambda: server.admitted_searches == 2)
        during = scrape(server)
        assert value(during, "tarocchi_searches_running", priority="live") == 1
        assert value(during, "tarocchi_searches_waiting", priority="live") == 1
        assert value(during, "tarocchi_searches_running", priority="analysis") == 0
        assert value(during, "tarocchi_calls_in_progress", method="RecommendMove") == 2
        assert calls(during) == {}
        with pytest.raises(grpc.RpcError):
            solver.RecommendMove(asked(iterations=SMALL))
        waiting.cancel()
        wait_for(lambda: server.admitted_searches == 1)
        active.cancel()
        wait_for(lambda: value(scrape(server), "tarocchi_calls_in_progress") == 0)
        after = scrape(server)
    assert calls(after) == {
        ("RecommendMove", "RESOURCE_EXHAUSTED", "QUEUE_FULL"): 1,
        # one never got to a search, that of the other was given up
        ("RecommendMove", "CANCELLED", ""): 2,
    }
    assert value(after, "tarocchi_search_duration_seconds_count") == 1
    assert value(after, "tarocchi_searches_waiting") == 0


def test_streams_are_open_until_their_clients_leave() -> None:
    request = pb.AnalyzePositionRequest(observation=observed(in_the_middle()))
    with measured(concurrent_analyses=2) as (server, solver, _review):
        streams = [solver.AnalyzePosition(request) for _ in range(2)]
        for stream in streams:
            next(iter(stream))
        samples = scrape(server)
        assert value(samples, "tarocchi_streams_open", method="AnalyzePosition") == 2
        assert value(samples, "tarocchi_searches_running", priority="analysis") == 2
        for stream in streams:
            stream.cancel()
        wait_for(lambda: value(scrape(server), "tarocchi_streams_open") == 0)
        assert calls(scrape(server)) == {("AnalyzePosition", "CANCELLED", ""): 2}


def test_deadlines_and_minimum_answers_count(monkeypatch: pytest.MonkeyPatch) -> None:
    with measured(concurrent_searches=1) as (server, solver, _review):
        monkeypatch.setattr(searching, "usable_seconds", lambda remaining: 0.3)
        with occupied(server._pools[Priority.LIVE], 1):
            solver.RecommendMove(asked(iterations=SMALL), timeout=60)
            monkeypatch.setattr(searching, "usable_seconds", lambda remaining: remaining + 60)
            with pytest.raises(grpc.RpcError):
                solver.RecommendMove(asked(iterations=SMALL), timeout=0.2)
            wait_for(lambda: value(scrape(server), "tarocchi_calls_in_progress") == 0)
            samples = scrape(server)
    assert value(samples, "tarocchi_minimum_answers_total", priority="live") == 1
    assert value(samples, "tarocchi_decisions_total", stop_reason="time") == 1
    assert (
        value(samples, "tarocchi_calls_total", code="DEADLINE_EXCEEDED")
        + value(samples, "tarocchi_calls_total", code="CANCELLED")
        == 1
    )


def test_callers_cannot_make_up_series() -> None:
    with measured(tokens=(SITE,)) as (server, _solver, _review), grpc.insecure_channel(server.address) as channel:
        for number in range(5):
            with pytest.raises(grpc.RpcError):
                channel.unary_unary(f"/made.up/{number}")(b"", timeout=10)
        with (
            SolverClient(server.address, token="wrong" + SITE.secret, retry=None) as client,
            pytest.raises(SolverError),
        ):
            client.get_server_info()
        samples = scrape(server)
    assert calls(samples) == {
        ("other", "UNAUTHENTICATED", "MISSING_TOKEN"): 5,
        ("GetServerInfo", "UNAUTHENTICATED", "UNKNOWN_TOKEN"): 1,
    }
    methods = {dict(labels)["method"] for _, labels in samples if "method" in dict(labels)}
    assert methods == {*METHODS.values(), "other"}


def test_servers_count_for_themselves() -> None:
    with measured() as (one, solver, _), measured() as (other, _other_solver, _other_review):
        solver.GetServerInfo(pb.GetServerInfoRequest())
        assert calls(scrape(one)) == {("GetServerInfo", "OK", ""): 1}
        assert calls(scrape(other)) == {}


def test_readiness_is_told_while_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    with measured() as (server, _solver, _review):
        assert value(scrape(server), "tarocchi_ready") == 1
        during: list[float] = []
        real = server._pools.drain

        def drain(seconds: float) -> None:
            during.append(value(scrape(server), "tarocchi_ready"))
            real(seconds)

        monkeypatch.setattr(server._pools, "drain", drain)
        server.stop(0)
        monkeypatch.undo()
        assert during == [0]
        with pytest.raises(OSError, match="refused"):
            scrape(server)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"metrics_address": "0.0.0.0:0"}, "metrics are never encrypted"),
        ({"metrics_address": "nonsense"}, "give host and port"),
        ({"metrics_address": "unix:/run/m.sock"}, "no address for metrics"),
    ],
)
def test_an_address_for_metrics_has_to_be_one(settings: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        SolverServer(ServerConfig(address=LOCAL, **settings))  # type: ignore[arg-type]


def test_metrics_are_off_by_default_and_need_a_free_address() -> None:
    with running() as (server, _client):
        assert server.metrics_address is None
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(OSError, match="it is taken by another program"):
            SolverServer(ServerConfig(address=LOCAL, metrics_address=address))


def test_requests_that_never_came_have_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handlers.Arrivals.__init__, "__defaults__", (0.5,))
    never = threading.Event()

    def late() -> Iterator[bytes]:
        never.wait(20)
        yield b""

    with running(metrics_address=LOCAL) as (server, client), grpc.insecure_channel(server.address) as channel:
        with pytest.raises(
            SolverError, match=r"the request has 20000\d\d bytes, and the server takes 1048576"
        ) as caught:
            client.recommend_move({"variant": "x" * 2_000_000})
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")
        with pytest.raises(grpc.RpcError):
            channel.stream_unary("/tarocchi.solver.v1.SolverService/GetServerInfo")(late())
        never.set()
        expected = {
            ("RecommendMove", "CANCELLED", "NO_REQUEST"): 1,
            ("GetServerInfo", "DEADLINE_EXCEEDED", "REQUEST_LATE"): 1,
        }
        wait_for(lambda: calls(scrape(server)) == expected)
