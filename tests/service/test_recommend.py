"""RecommendMove and GetServerInfo over a real channel."""

from __future__ import annotations

import threading
import time
from typing import Any

import grpc
import pytest

from service_support import SMALL, finished, in_the_middle, observed, play_until, raw_recommend, running, wait_for
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_engine import Phase, State, View, get_variant, new_deal, view
from tarocchi_solver import __version__
from tarocchi_solver.client import SolverClient, SolverError
from tarocchi_solver.search import Budget, Recommendation
from tarocchi_solver.search.halving import MIN_CHOICE_WORLDS, MIN_EVALUATION_WORLDS
from tarocchi_solver.service import searching, solver_service
from tarocchi_solver.service.agenda import Estimates
from tarocchi_solver.service.answers import recommendation_answer
from tarocchi_solver.service.calls import ELAPSED_KEY, REQUEST_ID_KEY
from tarocchi_solver.service.errors import FaultList
from tarocchi_solver.service.questions import Question, read_question
from tarocchi_solver.service.requests import parse_budget
from tarocchi_solver.service.server import SolverServer


@pytest.mark.parametrize("variant", ["bolognese", "piedicavallo"])
def test_answers_every_legal_move_best_first(client: SolverClient, variant: str) -> None:
    observation = observed(in_the_middle(variant))
    answer = client.recommend_move(observation, iterations=SMALL, seed=7)
    legal = client.list_legal_moves(observation)
    assert sorted(entry.move.play.card for entry in answer.moves) == sorted(move.play.card for move in legal.moves)
    assert [entry.rank for entry in answer.moves] == list(range(1, len(legal.moves) + 1))
    assert answer.move == answer.moves[0].move
    for entry in answer.moves:
        assert 0 <= entry.win_probability <= 1
        assert entry.score_range.low <= entry.score_range.high
        assert entry.score_range.probability == 0.8
        assert not entry.HasField("safe_score")
        assert abs(entry.raw_score) < 1000
        assert entry.principal_variation[0].seat == observation.seat
        assert entry.principal_variation[0].play.card == entry.move.play.card
    facts = answer.diagnostics
    assert (facts.solver_version, facts.rules_revision, facts.seed) == (__version__, 1, 7)
    assert facts.budget == pb.Budget(iterations=SMALL)
    assert facts.stop_reason == pb.STOP_REASON_ITERATIONS
    assert facts.worlds > facts.evaluation_worlds > 0
    assert 1 / 64 <= facts.belief_effective_share <= 1
    assert facts.iterations > 0


@pytest.mark.parametrize("phase", [Phase.DISCARD, Phase.DECLARE])
def test_answers_discards_and_declarations(client: SolverClient, phase: Phase) -> None:
    state = play_until("bolognese", 2, lambda state: state.phase is phase and len(state.legal_moves()) > 1)
    answer = client.recommend_move(observed(state), iterations=SMALL, seed=1)
    assert answer.move.WhichOneof("action") == phase.value
    assert len(answer.moves) == len(state.legal_moves())


def test_an_exact_answer_says_so(client: SolverClient) -> None:
    state = play_until(
        "piedicavallo", 3, lambda state: len(state.tricks) == 13 and not state.table.trick and state.turn is not None
    )
    answer = client.recommend_move(observed(state), seed=1)
    assert answer.exact
    for entry in answer.moves:
        assert entry.raw_score == entry.expected_score
        assert entry.HasField("safe_score")
        assert entry.safe_score <= entry.score_range.low <= entry.score_range.high
    assert answer.diagnostics.stop_reason == pb.STOP_REASON_EXACT
    assert all(entry.standard_error == 0 for entry in answer.moves)


def test_a_seed_is_drawn_and_told_if_none_is_given(client: SolverClient) -> None:
    observation = observed(in_the_middle())
    first, second = (client.recommend_move(observation, iterations=SMALL) for _ in range(2))
    assert first.diagnostics.seed != second.diagnostics.seed
    again = client.recommend_move(observation, iterations=SMALL, seed=first.diagnostics.seed)
    assert again == first


def test_same_bytes_whatever_threads_server_and_deadline(server: SolverServer) -> None:
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()), budget=pb.Budget(iterations=3000), seed=5)
    data = request.SerializeToString()
    expected, call = raw_recommend(server.address, data)
    assert raw_recommend(server.address, data)[0] == expected
    trailing = dict(call.trailing_metadata())
    assert int(trailing[ELAPSED_KEY]) >= 0
    assert len(trailing[REQUEST_ID_KEY]) == 32
    assert dict(call.initial_metadata())[REQUEST_ID_KEY] == trailing[REQUEST_ID_KEY]
    with running(search_threads=2) as (other, _):
        assert raw_recommend(other.address, data)[0] == expected


def test_caps_are_lowered_to_the_maximum() -> None:
    maximum = Budget(worlds=50, iterations=300, time_ms=60_000)
    with running(maximum_budget=maximum, default_budget=Budget(iterations=100)) as (_, client):
        observation = observed(in_the_middle())
        used = client.recommend_move(observation, iterations=10**6, time_ms=10**8, seed=1).diagnostics
        assert used.budget.iterations == 300
        assert used.budget.duration.ToMilliseconds() == 60_000
        assert used.iterations <= 300
        assert client.recommend_move(observation, seed=1).diagnostics.budget == pb.Budget(iterations=100)
        info = client.get_server_info()
        assert (info.maximum_budget.worlds, info.default_budget.iterations) == (50, 100)


@pytest.mark.filterwarnings("error")
def test_a_server_may_have_no_maximum() -> None:
    with running(maximum_budget=Budget()) as (server, _):
        request = pb.RecommendMoveRequest(observation=observed(in_the_middle()), seed=1)
        for budget, reason in (
            (pb.Budget(iterations=3000), pb.STOP_REASON_ITERATIONS),
            (pb.Budget(duration={"nanos": 10**7}), pb.STOP_REASON_TIME),
        ):
            request.budget.CopyFrom(budget)
            with grpc.insecure_channel(server.address) as channel:
                answer = SolverServiceStub(channel).RecommendMove(request)  # without a deadline
            assert answer.diagnostics.stop_reason == reason


def test_a_deadline_leaves_a_tenth_of_its_time(client: SolverClient, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []
    real = solver_service.run_search

    def spy(question: Any, stop: threading.Event, seconds: float, *more: Any, **named: Any) -> Recommendation:
        given.append(seconds)
        return real(question, stop, seconds, *more, **named)

    monkeypatch.setattr(solver_service, "run_search", spy)
    observation = observed(in_the_middle())
    client.recommend_move(observation, iterations=SMALL, timeout=20)
    client.recommend_move(observation, iterations=SMALL, timeout=500)
    assert 0 < given[0] < 19  # gRPC rounds long deadlines up a little
    assert given[1] == pytest.approx(60)  # the server's own maximum


@pytest.mark.parametrize(
    ("remaining", "usable"), [(100.0, 90.0), (0.2, 0.18), (0.1, 0.08), (0.02, 0.0), (0.001, 0.0), (-1.0, 0.0)]
)
def test_a_short_deadline_keeps_a_reserve(remaining: float, usable: float) -> None:
    assert searching.usable_seconds(remaining) == pytest.approx(usable)


def long_question(state: State) -> Question:
    """Returns a question that asks for hours of search."""
    request = pb.RecommendMoveRequest(observation=observed(state), budget=pb.Budget(iterations=10**9), seed=1)
    return read_question(request, Budget(iterations=1))


@pytest.mark.parametrize("phase", [Phase.DISCARD, Phase.PLAY])
@pytest.mark.parametrize("seconds", [0.0, 0.02])
def test_a_search_without_end_is_cut_by_time(phase: Phase, seconds: float) -> None:
    state = new_deal(get_variant("piedicavallo"), 1) if phase is Phase.DISCARD else in_the_middle()
    started = time.monotonic()
    found = searching.run_search(long_question(state), threading.Event(), seconds=seconds)
    assert time.monotonic() - started < 1
    assert found.diagnostics.stop_reason == "time"
    assert len(found.moves) == len(state.legal_moves())


@pytest.mark.parametrize(("seconds", "reason"), [(None, "stopped"), (60.0, "stopped"), (0.0, "time")])
def test_a_search_that_is_stopped_already_does_the_minimum(seconds: float | None, reason: str) -> None:
    stop = threading.Event()
    stop.set()
    found = searching.run_search(long_question(in_the_middle()), stop, seconds)
    assert found.diagnostics.stop_reason == reason
    assert found.diagnostics.worlds == MIN_CHOICE_WORLDS + MIN_EVALUATION_WORLDS


def test_what_a_deadline_cannot_reach_does_not_change_the_answer() -> None:
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()), budget=pb.Budget(iterations=3000), seed=1)
    question = read_question(request, Budget(iterations=1))
    one, two = (searching.run_search(question, threading.Event(), seconds) for seconds in (None, 60.0))
    assert one == two


def test_a_time_cap_reaches_the_search(client: SolverClient, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Budget] = []
    real = searching.search

    def spy(view: View, budget: Budget, **options: Any) -> Recommendation:
        given.append(budget)
        return real(view, budget, **options)

    monkeypatch.setattr(searching, "search", spy)
    answer = client.recommend_move(observed(in_the_middle()), time_ms=30, seed=1)
    assert given == [Budget(time_ms=30)]
    assert answer.diagnostics.stop_reason == pb.STOP_REASON_TIME


@pytest.mark.parametrize(("time_ms", "least", "most"), [(200, 0.015, 0.1), (10, 0.005, 0.0055)])
def test_a_cap_on_time_is_for_the_whole_call(
    client: SolverClient, monkeypatch: pytest.MonkeyPatch, time_ms: int, least: float, most: float
) -> None:
    """What reading took and answering will take is not left to the search, but half of the time always is."""
    spent: list[float] = []
    real = searching.search

    def spy(view: View, budget: Budget, *, began: float, **options: Any) -> Recommendation:
        spent.append(time.monotonic() - began)
        return real(view, budget, began=began, **options)

    monkeypatch.setattr(searching, "search", spy)
    monkeypatch.setattr(Estimates, "of", lambda _self, _kind: 0.015)
    client.recommend_move(observed(in_the_middle()), time_ms=time_ms, seed=1)
    (seconds,) = spent
    assert least <= seconds <= most


def test_room_for_answers_is_learned_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[float] = []
    monkeypatch.setattr(Estimates, "note", lambda _self, kind, seconds: noted.append(seconds))
    monkeypatch.setattr(solver_service, "recommendation_answer", slow_answer)
    with running() as (_server, client):
        client.recommend_move(observed(in_the_middle()), time_ms=20, seed=1)
        wait_for(lambda: solver_service.LONGEST_ANSWERING in noted)


def slow_answer(*args: Any) -> pb.RecommendMoveResponse:
    time.sleep(0.05)
    return recommendation_answer(*args)


def test_a_checked_observation_is_searched_alike() -> None:
    state = in_the_middle()
    observation = state.observe(state.turn or 0)
    one, two = (searching.search(known, Budget(iterations=500), seed=1) for known in (observation, view(observation)))
    assert one == two


def test_time_that_began_earlier_ends_earlier() -> None:
    state = in_the_middle()
    began = time.monotonic() - 60
    found = searching.search(state.observe(state.turn or 0), Budget(time_ms=60_000), seed=1, began=began)
    assert time.monotonic() - began < 90
    assert found.diagnostics.stop_reason == "time"


def test_tells_what_it_is(client: SolverClient) -> None:
    info = client.get_server_info()
    assert info.solver_version == __version__
    assert [(variant.name, variant.rules_revision) for variant in info.variants] == [
        *[("bolognese", 1), ("ottocento", 1), ("terziglio", 1), ("piedicavallo", 1)]
    ]
    assert info.request_size_limit == 1 << 20
    assert info.concurrent_search_count == 2


@pytest.mark.parametrize(("seat_offset", "reason"), [(1, "NOT_YOUR_TURN"), (3, "NOT_YOUR_TURN")])
def test_nothing_to_decide(client: SolverClient, seat_offset: int, reason: str) -> None:
    state = in_the_middle()
    assert state.turn is not None
    with pytest.raises(SolverError) as caught:
        client.recommend_move(observed(state, (state.turn + seat_offset) % 4))
    assert caught.value.code is grpc.StatusCode.FAILED_PRECONDITION
    assert caught.value.reason == reason
    assert f"seat {state.turn} has to play" in caught.value.message


def test_nothing_to_decide_after_the_end(client: SolverClient) -> None:
    with pytest.raises(SolverError) as caught:
        client.recommend_move(observed(finished(), 0))
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "DEAL_OVER")


def test_a_duration_is_rounded_up_to_milliseconds() -> None:
    message = pb.Budget()
    message.duration.FromNanoseconds(1_000_001)
    assert parse_budget(message, FaultList()) == Budget(time_ms=2)


def test_a_large_request_is_refused_cleanly(server: SolverServer, client: SolverClient) -> None:
    request = pb.RecommendMoveRequest()
    request.observation.hand.append("x" * 10_000_000)
    with pytest.raises(grpc.RpcError) as caught:
        raw_recommend(server.address, request.SerializeToString())
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert client.is_serving()


@pytest.mark.parametrize(
    "data", [b"\xff\xff\xff\xff", b"\x0a\x03\x0a\x01\xff", b"\x0a\x7f"], ids=["bytes", "text", "short"]
)
def test_bytes_that_are_no_message_are_refused(
    server: SolverServer, client: SolverClient, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    caplog.set_level("INFO")
    with pytest.raises(grpc.RpcError) as caught:
        raw_recommend(server.address, data)
    error = SolverError.of(caught.value)
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert [(violation.field, violation.reason) for violation in error.violations] == [("", "UNREADABLE_REQUEST")]
    assert "no request of RecommendMove" in error.message
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("INFO", None)]
    assert client.is_serving()


def test_an_unknown_method_stays_unknown(server: SolverServer) -> None:
    with grpc.insecure_channel(server.address) as channel, pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/tarocchi.solver.v1.SolverService/Cheat")(b"", timeout=10)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize(
    ("seconds", "nanos"),
    [(0, 2 * 10**9), (0, 10**9), (1, -5), (-1, 5), (315_576_000_001, 0), (0, 0), (-1, 0), (0, -1)],
)
def test_a_duration_must_be_one(client: SolverClient, seconds: int, nanos: int) -> None:
    request = pb.RecommendMoveRequest(observation=observed(in_the_middle()))
    request.budget.duration.seconds, request.budget.duration.nanos = seconds, nanos
    with pytest.raises(SolverError) as caught:
        client.recommend(request)
    assert [(violation.field, violation.reason) for violation in caught.value.violations] == [
        ("budget.duration", "OUT_OF_RANGE")
    ]
