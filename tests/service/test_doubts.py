"""Observations of which only a long search tells whether any deal fits: that has its place in the queue for study."""

from __future__ import annotations

import threading
from typing import Any

import grpc
import pytest

from service_support import SMALL, in_the_middle, observed, occupied, play_until, running, wait_for
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_engine import Phase, State
from tarocchi_solver.client import OverloadedError, SolverClient, UnavailableError
from tarocchi_solver.search import UndecidedError, WorldSampler, check_consistent, sampler
from tarocchi_solver.service import searching
from tarocchi_solver.service import server as server_module
from tarocchi_solver.service.pools import Priority


def after_a_declaration() -> State:
    """Returns a state whose seat to move knows that another hand had no more to show."""
    return play_until(
        "bolognese",
        3,
        lambda state: (
            state.phase is Phase.PLAY
            and len(state.tricks) >= 2
            and any(shown for seat, shown in enumerate(state.table.shown) if seat != state.turn)
        ),
    )


@pytest.fixture
def doubtful(monkeypatch: pytest.MonkeyPatch) -> deal_pb2.Observation:
    """Returns an observation that is always in doubt."""
    monkeypatch.setattr(sampler, "_TRIALS", ())
    return observed(after_a_declaration())


def test_an_impatient_check_leaves_it_undecided(doubtful: deal_pb2.Observation) -> None:
    state = after_a_declaration()
    assert state.turn is not None
    observation = state.observe(state.turn)
    with pytest.raises(UndecidedError):
        check_consistent(observation, is_patient=False)
    check_consistent(observation)
    # where no draw can fail there is no doubt
    check_consistent(in_the_middle("piedicavallo").observe(0), is_patient=False)


def test_few_draws_decide_all_but_the_strangest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorldSampler, "_prove_feasible", lambda self: pytest.fail("it searched for long"))
    state = after_a_declaration()
    for seat in range(4):
        check_consistent(state.observe(seat), is_patient=False)


def test_long_searches_wait_in_the_queue_for_study(doubtful: deal_pb2.Observation) -> None:
    answers: list[Any] = []
    plain = observed(in_the_middle("piedicavallo"))
    with running(concurrent_analyses=1, analysis_queue_size=1) as (server, client):
        pool = server._pools[Priority.ANALYSIS]
        asking = threading.Thread(target=lambda: answers.append(client.validate_observation(doubtful, timeout=120)))
        with occupied(pool, 1):
            asking.start()
            wait_for(lambda: pool.waiting == 1)
            with SolverClient(server.address, retry=None) as hasty, pytest.raises(OverloadedError) as caught:
                hasty.validate_observation(doubtful)
            assert (caught.value.reason, caught.value.retry_seconds is not None) == ("QUEUE_FULL", True)
            # all others are answered meanwhile
            assert not client.validate_observation(plain).violations
            assert client.recommend_move(plain, iterations=SMALL).moves
            assert answers == []
        asking.join(60)
        (answer,) = answers
        assert (len(answer.violations), answer.phase) == (0, deal_pb2.PHASE_PLAY)
        wait_for(lambda: server.admitted_searches == 0)


def test_what_the_long_search_finds_is_told(doubtful: deal_pb2.Observation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler.kernels, "count_accepted", lambda *_: 0)
    with running() as (_server, client):
        (violation,) = client.validate_observation(doubtful).violations
    assert (violation.field, violation.reason) == ("observation", "WORLD_NOT_FOUND")


def test_a_client_that_goes_frees_its_place(doubtful: deal_pb2.Observation) -> None:
    with running(concurrent_analyses=1) as (server, _client):
        pool = server._pools[Priority.ANALYSIS]
        with occupied(pool, 1), grpc.insecure_channel(server.address) as channel:
            call = channel.unary_unary(
                "/tarocchi.solver.v1.RulesService/ValidateObservation",
                rules_service_pb2.ValidateObservationRequest.SerializeToString,
            ).future(rules_service_pb2.ValidateObservationRequest(observation=doubtful))
            wait_for(lambda: pool.waiting == 1)
            call.cancel()
            wait_for(lambda: pool.waiting == 0)


def test_one_for_which_there_is_no_time_is_told_to_come_again(
    doubtful: deal_pb2.Observation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "usable_seconds", lambda remaining: 0.3)
    with (
        running(concurrent_analyses=1) as (server, _client),
        occupied(server._pools[Priority.ANALYSIS], 1),
        SolverClient(server.address, retry=None) as hasty,
        pytest.raises(OverloadedError) as caught,
    ):
        hasty.validate_observation(doubtful, timeout=60)
    assert "there was no time for the long search" in caught.value.message
    assert caught.value.retry_seconds is not None


def test_one_that_waits_when_the_server_stops_is_sent_elsewhere(
    doubtful: deal_pb2.Observation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "_LAST_ANSWERS_SECONDS", 60.0)
    errors: list[UnavailableError] = []

    def ask(address: str) -> None:
        with SolverClient(address, retry=None) as client, pytest.raises(UnavailableError) as caught:
            client.validate_observation(doubtful, timeout=120)
        errors.append(caught.value)

    with running(concurrent_analyses=1) as (server, _client):
        pool = server._pools[Priority.ANALYSIS]
        asking = threading.Thread(target=ask, args=(server.address,))
        with occupied(pool, 1):
            asking.start()
            wait_for(lambda: pool.waiting == 1)
            stopping = threading.Thread(target=server.stop, args=(0.0,))
            stopping.start()
            asking.join(60)
        stopping.join(60)
    assert [error.reason for error in errors] == ["DRAINING"]
