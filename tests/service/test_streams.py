"""Batches, analyses, beliefs and reviews over a real channel."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from service_support import (
    SMALL,
    bid,
    counted,
    finished,
    in_the_middle,
    observed,
    occupied,
    play_until,
    running,
    wait_for,
    whole_deal,
)
from tarocchi.solver.v1 import deal_pb2, review_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi.solver.v1.review_service_pb2_grpc import ReviewServiceStub
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_engine import VARIANTS, Phase, State
from tarocchi_solver.levels import LEVELS, Level, play_at_level
from tarocchi_solver.search import Budget
from tarocchi_solver.service import searching
from tarocchi_solver.service.formats import format_move
from tarocchi_solver.service.pools import Priority
from tarocchi_solver.service.server import SolverServer

Stubs = tuple[SolverServiceStub, ReviewServiceStub]


@contextlib.contextmanager
def connected(server: SolverServer) -> Iterator[Stubs]:
    with grpc.insecure_channel(server.address) as channel:
        yield SolverServiceStub(channel), ReviewServiceStub(channel)


@pytest.fixture
def stubs(server: SolverServer) -> Iterator[Stubs]:
    with connected(server) as pair:
        yield pair


def asked(state: State, iterations: int = SMALL, seed: int = 1) -> pb.RecommendMoveRequest:
    return pb.RecommendMoveRequest(observation=observed(state), budget=pb.Budget(iterations=iterations), seed=seed)


def faults_of(error: grpc.RpcError) -> dict[str, str]:
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None
    found = {}
    for detail in status.details:
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            found.update({entry.field: entry.reason for entry in bad.field_violations})
    return found


def reason_of(error: grpc.RpcError) -> str:
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info.reason


# --- batches


def test_a_batch_answers_each_request_as_if_it_stood_alone(stubs: Stubs) -> None:
    states = [in_the_middle(name) for name in VARIANTS]
    states.append(play_until("bolognese", 2, lambda state: state.phase is Phase.DISCARD))
    requests = [asked(state, seed=number) for number, state in enumerate(states)]
    batch = stubs[0].BatchRecommendMoves(pb.BatchRecommendMovesRequest(requests=requests))
    alone = [stubs[0].RecommendMove(request) for request in requests]
    assert [one.SerializeToString() for one in batch.responses] == [one.SerializeToString() for one in alone]


def test_all_faults_of_a_batch_are_told_before_anything_is_searched(
    stubs: Stubs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarocchi_solver.service.solver_service.run_search", lambda *_: pytest.fail("it searched"))
    good, bad, worse = (asked(in_the_middle()) for _ in range(3))
    bad.observation.hand[0] = "XX"
    worse.budget.iterations = 0
    worse.observation.seat = 9
    with pytest.raises(grpc.RpcError) as caught:
        stubs[0].BatchRecommendMoves(pb.BatchRecommendMovesRequest(requests=[good, bad, worse]))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    found = faults_of(caught.value)
    assert found["requests[1].observation.hand[0]"] == "UNKNOWN_CARD"
    assert found["requests[2].budget.iterations"] == "OUT_OF_RANGE"
    assert found["requests[2].observation.seat"] == "NO_SUCH_SEAT"
    over = pb.RecommendMoveRequest(observation=observed(finished(), 0))
    with pytest.raises(grpc.RpcError, match=r"requests\[1\]: the deal is over"):
        stubs[0].BatchRecommendMoves(pb.BatchRecommendMovesRequest(requests=[good, over]))


@pytest.mark.parametrize("count", [0, 5])
def test_batches_have_a_size(count: int) -> None:
    with running(batch_size_limit=4) as (server, _client), connected(server) as (solver, _review):
        requests = [asked(in_the_middle())] * count
        with pytest.raises(grpc.RpcError, match=f"{count} requests in a batch: give 1 to 4"):
            solver.BatchRecommendMoves(pb.BatchRecommendMovesRequest(requests=requests))
        assert solver.GetServerInfo(pb.GetServerInfoRequest()).batch_size_limit == 4


def test_a_batch_shares_the_time_to_its_deadline(stubs: Stubs) -> None:
    requests = [asked(in_the_middle(seed=seed), iterations=10**8) for seed in range(6)]
    answers = stubs[0].BatchRecommendMoves(pb.BatchRecommendMovesRequest(requests=requests), timeout=3).responses
    assert len(answers) == 6
    assert {answer.diagnostics.stop_reason for answer in answers} == {pb.STOP_REASON_TIME}


def test_long_calls_are_counted() -> None:
    with running(long_calls=1) as (server, _client), connected(server) as (solver, _review):
        endless = pb.BatchRecommendMovesRequest(requests=[asked(in_the_middle(), iterations=10**8)])
        first = solver.BatchRecommendMoves.future(endless)  # type: ignore[attr-defined]
        wait_for(lambda: server.admitted_searches > 0)
        with pytest.raises(grpc.RpcError, match="1 batches and reviews are under way already") as caught:
            solver.BatchRecommendMoves(endless)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        first.cancel()
        wait_for(lambda: server.admitted_searches == 0)
        quick = pb.BatchRecommendMovesRequest(requests=[asked(in_the_middle())])
        wait_for(lambda: _succeeds(solver, quick))


def _succeeds(solver: SolverServiceStub, request: pb.BatchRecommendMovesRequest) -> bool:
    try:
        return len(solver.BatchRecommendMoves(request).responses) == 1
    except grpc.RpcError:
        return False


# --- priorities


def test_live_play_does_not_wait_for_study() -> None:
    with running(concurrent_searches=1, concurrent_analyses=1) as (server, client), connected(server) as (solver, _):
        endless = pb.AnalyzePositionRequest(observation=observed(in_the_middle()))
        analysis = solver.AnalyzePosition(endless)
        next(iter(analysis))
        answer = client.recommend_move(observed(in_the_middle(seed=2)), iterations=SMALL, seed=1)
        assert answer.moves
        assert server.admitted_searches == 1
        analysis.cancel()
        wait_for(lambda: server.admitted_searches == 0)


def test_a_priority_has_to_exist(stubs: Stubs) -> None:
    request = asked(in_the_middle())
    request.priority = 7  # type: ignore[assignment]
    with pytest.raises(grpc.RpcError, match="7 is no priority: give PRIORITY_LIVE, PRIORITY_ANALYSIS"):
        stubs[0].RecommendMove(request)
    for priority in Priority:
        request.priority = pb.Priority.Value(f"PRIORITY_{priority.name}")
        assert stubs[0].RecommendMove(request).moves


# --- analyses


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_analysis_grows_and_ends_once(stubs: Stubs, variant: str) -> None:
    observation = observed(in_the_middle(variant))
    request = pb.AnalyzePositionRequest(observation=observation, budget=pb.Budget(iterations=5000), seed=4)
    request.interval.FromMilliseconds(20)
    answers = list(stubs[0].AnalyzePosition(request))
    assert [answer.final for answer in answers] == [False] * (len(answers) - 1) + [True]
    done = [answer.recommendation.diagnostics.iterations for answer in answers]
    assert done[:-1] == sorted(set(done[:-1]))
    assert done[-1] >= max(done)
    for answer in answers:
        found = answer.recommendation
        again = pb.RecommendMoveRequest(observation=observation, budget=found.diagnostics.budget, seed=4)
        assert stubs[0].RecommendMove(again).SerializeToString() == found.SerializeToString()
    assert answers[-1].recommendation.diagnostics.budget == pb.Budget(iterations=5000)
    assert {answer.stop_reason for answer in answers[:-1]} <= {pb.STOP_REASON_UNSPECIFIED}
    assert answers[-1].stop_reason == pb.STOP_REASON_ITERATIONS


def test_an_analysis_ends_with_its_time(stubs: Stubs) -> None:
    request = pb.AnalyzePositionRequest(observation=observed(in_the_middle()), seed=4)
    request.budget.duration.FromMilliseconds(300)
    *_others, last = stubs[0].AnalyzePosition(request)
    assert last.final
    facts = last.recommendation.diagnostics
    # on a slow machine the time may not even do for the first of its searches
    assert facts.iterations > 1500 or facts.stop_reason in (pb.STOP_REASON_TIME, pb.STOP_REASON_ITERATIONS)
    assert last.stop_reason == pb.STOP_REASON_TIME
    answers = list(stubs[0].AnalyzePosition(pb.AnalyzePositionRequest(observation=request.observation), timeout=2))
    assert (answers[-1].final, answers[-1].stop_reason) == (True, pb.STOP_REASON_TIME)


def test_an_analysis_tells_what_ended_it() -> None:
    ending = play_until("bolognese", 5, lambda state: len(state.tricks) >= 13 and len(state.legal_moves()) > 1)
    forced = play_until("bolognese", 1, lambda state: bool(state.tricks) and len(state.legal_moves()) == 1)
    with running(maximum_budget=Budget(time_ms=300)) as (server, _client), connected(server) as (solver, _review):

        def ended_by(state: State, **budget: int) -> int:
            request = pb.AnalyzePositionRequest(observation=observed(state), budget=pb.Budget(**budget))
            return list(solver.AnalyzePosition(request))[-1].stop_reason

        assert ended_by(ending) == pb.STOP_REASON_EXACT
        assert ended_by(forced) == pb.STOP_REASON_SINGLE_MOVE
        assert ended_by(in_the_middle(), worlds=2) == pb.STOP_REASON_WORLDS
        # the maximum of the server, though no search of the analysis was cut
        assert ended_by(in_the_middle()) == pb.STOP_REASON_TIME
        assert ended_by(in_the_middle(), iterations=10**9) == pb.STOP_REASON_TIME


def test_an_analysis_without_time_and_one_at_the_end_of_the_service_tell_so(monkeypatch: pytest.MonkeyPatch) -> None:
    request = pb.AnalyzePositionRequest(observation=observed(in_the_middle()))
    with running(concurrent_analyses=1) as (server, _client), connected(server) as (solver, _review):
        with monkeypatch.context() as patch, occupied(server._pools[Priority.ANALYSIS], 1):
            patch.setattr(searching, "usable_seconds", lambda remaining: 0.3)
            (least,) = solver.AnalyzePosition(request, timeout=60)
        assert (least.final, least.stop_reason) == (True, pb.STOP_REASON_TIME)
        study = solver.AnalyzePosition(request)
        first = next(iter(study))
        server.stop(0.0)
        last = [first, *study][-1]
        assert (last.final, last.stop_reason) == (True, pb.STOP_REASON_STOPPED)


def test_an_analysis_that_is_cancelled_frees_its_place(server: SolverServer, stubs: Stubs) -> None:
    before = threading.active_count()
    for _ in range(3):
        call = stubs[0].AnalyzePosition(pb.AnalyzePositionRequest(observation=observed(in_the_middle())))
        next(iter(call))
        call.cancel()
    wait_for(lambda: server.admitted_searches == 0)
    assert threading.active_count() <= before + 8


def test_a_slow_reader_misses_what_is_in_between(stubs: Stubs) -> None:
    request = pb.AnalyzePositionRequest(observation=observed(in_the_middle()), budget=pb.Budget(iterations=30_000))
    request.interval.FromSeconds(60)
    answers = list(stubs[0].AnalyzePosition(request))
    assert [answer.final for answer in answers] == [False, True]


@pytest.mark.parametrize(("nanos", "text"), [(1, "1e-09 s between"), (10**9 * 61, "61 s between"), (-(10**9), "-1 s")])
def test_an_interval_has_bounds(stubs: Stubs, nanos: int, text: str) -> None:
    request = pb.AnalyzePositionRequest(observation=observed(in_the_middle()))
    request.interval.FromNanoseconds(nanos)
    with pytest.raises(grpc.RpcError, match=text) as caught:
        list(stubs[0].AnalyzePosition(request))
    assert faults_of(caught.value) == {"interval": "OUT_OF_RANGE"}


def test_an_analysis_refuses_what_a_recommendation_refuses(stubs: Stubs) -> None:
    broken = observed(in_the_middle())
    broken.hand[0] = "XX"
    for observation, code in (
        (broken, grpc.StatusCode.INVALID_ARGUMENT),
        (observed(finished(), 0), grpc.StatusCode.FAILED_PRECONDITION),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            list(stubs[0].AnalyzePosition(pb.AnalyzePositionRequest(observation=observation)))
        assert caught.value.code() is code


def test_bytes_that_are_no_request_are_refused_in_streams(server: SolverServer) -> None:
    with grpc.insecure_channel(server.address) as channel:
        method = channel.unary_stream("/tarocchi.solver.v1.SolverService/AnalyzePosition")
        with pytest.raises(grpc.RpcError, match="no request of AnalyzePosition") as caught:
            list(method(b"\xff\xff\xff"))
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_duration_of_too_many_seconds_is_told_as_such(stubs: Stubs) -> None:
    request = asked(in_the_middle())
    request.budget.duration.seconds = 2**62
    with pytest.raises(grpc.RpcError, match=f"{2**62} seconds are no duration: give at most ") as caught:
        stubs[0].RecommendMove(request)
    assert faults_of(caught.value) == {"budget.duration": "OUT_OF_RANGE"}


# --- beliefs


@pytest.mark.parametrize("variant", VARIANTS)
def test_beliefs_are_chances(stubs: Stubs, variant: str) -> None:
    state = in_the_middle(variant)
    for seat in range(state.variant.seat_count):
        observation = observed(state, seat)
        request = pb.GetBeliefsRequest(observation=observation, seed=3)
        found = stubs[0].GetBeliefs(request)
        assert found.cards
        known = {*observation.hand, *(event.play.card for event in observation.events if event.HasField("play"))}
        assert not known & {card.card for card in found.cards}
        for card in found.cards:
            for way in ("probability", "rules_probability"):
                assert sum(getattr(place, way) for place in card.places) == pytest.approx(1.0)
            assert all(place.HasField("seat") != place.aside for place in card.places)
            assert all(place.seat != seat for place in card.places if place.HasField("seat"))
        assert found.SerializeToString() == stubs[0].GetBeliefs(request).SerializeToString()


def test_beliefs_say_nothing_about_a_deal_that_is_over(stubs: Stubs) -> None:
    with pytest.raises(grpc.RpcError, match="the deal is over"):
        stubs[0].GetBeliefs(pb.GetBeliefsRequest(observation=observed(finished(), 0)))
    silent = stubs[0].GetBeliefs(pb.GetBeliefsRequest(observation=observed(in_the_middle("terziglio")), seed=1))
    assert silent.seed == 1
    start = play_until("terziglio", 1, lambda state: state.phase is Phase.BID)
    before = stubs[0].GetBeliefs(pb.GetBeliefsRequest(observation=observed(start)))
    assert before.worlds == 0
    assert {place.standard_error for card in before.cards for place in card.places} == {0.0}


# --- reviews


def reviewing(state: State, **more: object) -> review_service_pb2.ReviewDealRequest:
    whole = whole_deal(state)
    budget = pb.Budget(iterations=60)
    return review_service_pb2.ReviewDealRequest(
        deal=whole.deal,
        events=whole.events,
        budget=budget,
        seed=5,
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_review_accounts_for_a_deal(stubs: Stubs, variant: str) -> None:
    state = finished(variant, 3)
    *decisions, last = stubs[1].ReviewDeal(reviewing(state))
    assert [part.decision.event_index for part in decisions] == list(range(len(state.events)))
    assert [part.decision.seat for part in decisions] == [event.seat for event in state.events]
    summary = last.summary
    assert [seat.seat for seat in summary.seats] == list(range(state.variant.seat_count))
    assert summary.seed == 5
    for seat in summary.seats:
        own = [part.decision for part in decisions if part.decision.seat == seat.seat]
        assert seat.cost == pytest.approx(sum(decision.made.difference_to_best for decision in own))
        assert seat.first_expected_score == pytest.approx(own[0].best.expected_score)
        assert seat.result == pytest.approx(seat.first_expected_score + seat.cost + seat.luck)
        verdicts = [decision.verdict for decision in own]
        assert seat.blunders == verdicts.count(review_service_pb2.VERDICT_BLUNDER)
        assert seat.choices == sum(verdict != review_service_pb2.VERDICT_FORCED for verdict in verdicts)
        assert {decision.best.rank for decision in own} == {1}


def test_a_review_may_be_of_some_seats(stubs: Stubs) -> None:
    state = finished("bolognese", 3)
    whole = [part.SerializeToString() for part in stubs[1].ReviewDeal(reviewing(state))][:-1]
    *parts, last = stubs[1].ReviewDeal(reviewing(state, seats=[2, 2]))
    assert {part.decision.seat for part in parts} == {2}
    assert [seat.seat for seat in last.summary.seats] == [2]
    # what the others did has no part in it
    assert [part.SerializeToString() for part in parts] == [
        part for part, event in zip(whole, state.events, strict=True) if event.seat == 2
    ]


def test_a_review_says_when_the_time_cut_it_short(stubs: Stubs) -> None:
    request = reviewing(counted("bolognese", 3))
    request.budget.iterations = 10**8
    *decisions, _last = stubs[1].ReviewDeal(request, timeout=2)
    reasons = [part.decision.diagnostics.stop_reason for part in decisions]
    assert pb.STOP_REASON_TIME in reasons
    assert not {pb.STOP_REASON_STOPPED, pb.STOP_REASON_ITERATIONS} & set(reasons)


def test_a_deal_under_way_is_not_reviewed(stubs: Stubs) -> None:
    with pytest.raises(grpc.RpcError, match="the deal is not over") as caught:
        list(stubs[1].ReviewDeal(reviewing(in_the_middle())))
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert reason_of(caught.value) == "DEAL_NOT_OVER"
    with pytest.raises(grpc.RpcError) as caught:
        list(stubs[1].ReviewDeal(reviewing(finished(), seats=[1, 4])))
    assert faults_of(caught.value) == {"seats[1]": "NO_SUCH_SEAT"}
    broken = reviewing(finished("terziglio"))
    broken.events.insert(0, bid(7, deal_pb2.CALL_PASS))
    with pytest.raises(grpc.RpcError) as caught:
        list(stubs[1].ReviewDeal(broken))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


# --- levels


def test_levels_are_told_with_their_strength(stubs: Stubs) -> None:
    levels = stubs[0].GetServerInfo(pb.GetServerInfoRequest()).levels
    assert [entry.level for entry in levels] == list(pb.Level.values()[1:])
    assert all(entry.summary for entry in levels)
    for entry in levels[:-1]:
        assert {strength.variant for strength in entry.strengths} == set(VARIANTS)
        for strength in entry.strengths:
            assert strength.opponent == entry.level + 1
            assert strength.standard_error > 0.0
            assert strength.pairs >= 2
    assert not levels[-1].strengths


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_level_plays_as_it_does_without_a_service(stubs: Stubs, variant: str) -> None:
    state = in_the_middle(variant)
    assert state.turn is not None
    moved = 0
    for level in Level:
        for seed in range(3):
            request = pb.RecommendMoveRequest(observation=observed(state), seed=seed)
            request.level = pb.Level.Value(f"LEVEL_{level.name}")  # type: ignore[assignment]
            answer = stubs[0].RecommendMove(request)
            here = play_at_level(state.observe(state.turn), level, seed=seed)
            assert answer.move == format_move(state.variant.pack, here.move)
            assert [entry.rank for entry in answer.moves] == list(range(1, len(answer.moves) + 1))
            assert answer.diagnostics.budget.iterations == LEVELS[level].iterations
            moved += answer.move != answer.moves[0].move
            assert level is not Level.MASTER or answer.move == answer.moves[0].move
    assert moved


def test_a_level_has_its_own_budget(stubs: Stubs) -> None:
    request = asked(in_the_middle())
    request.level = pb.LEVEL_CLUB
    with pytest.raises(grpc.RpcError, match="give a level or caps, not both") as caught:
        stubs[0].RecommendMove(request)
    assert faults_of(caught.value) == {"level": "LEVEL_AND_BUDGET"}
    request.level = 9  # type: ignore[assignment]
    with pytest.raises(grpc.RpcError, match="9 is no level: give LEVEL_BEGINNER,") as caught:
        stubs[0].RecommendMove(request)
    assert faults_of(caught.value) == {"level": "OUT_OF_RANGE"}
