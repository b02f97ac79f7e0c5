"""Several servers behind one address: calls go round those that are healthy, and a lost one loses no call."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from client_support import DOORS, ScriptedServer
from service_support import in_the_middle, observed
from tarocchi.solver.v1.solver_service_pb2_grpc import add_SolverServiceServicer_to_server
from tarocchi_bench.server_process import ServerProcess
from tarocchi_solver.client import AsyncSolverClient, SolverClient, UnavailableError

SERVICE = "tarocchi.solver.v1.SolverService"
OBSERVATION = {"variant": "bolognese", "seat": 0, "dealer": 0}
READY = health_pb2.HealthCheckResponse.SERVING
AWAY = health_pb2.HealthCheckResponse.NOT_SERVING


@dataclass
class Replica:
    """A server that counts what it is asked, and tells the health that a test gives it."""

    scripted: ScriptedServer
    health: health.HealthServicer
    address: str

    def become(self, status: Any) -> None:
        self.health.set(SERVICE, status)

    @property
    def asked(self) -> int:
        return len(self.scripted.requests)


@contextlib.contextmanager
def replica(status: Any) -> Iterator[Replica]:
    scripted, told = ScriptedServer(), health.HealthServicer()
    told.set(SERVICE, status)
    server = grpc.server(ThreadPoolExecutor(8))
    add_SolverServiceServicer_to_server(scripted, server)
    health_pb2_grpc.add_HealthServicer_to_server(told, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield Replica(scripted, told, f"127.0.0.1:{port}")
    finally:
        server.stop(0).wait()


@pytest.fixture
def replicas() -> Iterator[list[Replica]]:
    with replica(READY) as one, replica(READY) as two, replica(AWAY) as three:
        yield [one, two, three]


def address_of(replicas: list[Replica]) -> str:
    return "ipv4:" + ",".join(each.address for each in replicas)


def ask_often(door: str, address: str, times: int, **settings: Any) -> None:
    """Asks one client so often, one call after the other."""
    if door == "threads":
        with SolverClient(address, **settings) as client:
            for _ in range(times):
                client.recommend_move(OBSERVATION)
        return

    async def main() -> None:
        async with AsyncSolverClient(address, **settings) as client:
            for _ in range(times):
                await client.recommend_move(OBSERVATION)

    asyncio.run(main())


def until(holds: Callable[[], bool], work: Callable[[], Any]) -> None:
    """Works until something holds, for half a minute."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        work()


@pytest.mark.parametrize("door", DOORS)
def test_calls_go_round_the_servers_that_are_healthy(door: str, replicas: list[Replica]) -> None:
    one, two, three = replicas
    ask_often(door, address_of(replicas), 40)
    # the first calls may all go to the server that was connected first
    assert one.asked + two.asked == 40
    assert min(one.asked, two.asked) >= 10
    assert three.asked == 0


def test_a_server_is_asked_once_it_is_healthy_and_no_more_when_it_is_not(replicas: list[Replica]) -> None:
    one, _two, three = replicas
    with SolverClient(address_of(replicas)) as client:

        def ask() -> None:
            client.recommend_move(OBSERVATION)

        three.become(READY)
        until(lambda: three.asked > 0, ask)
        one.become(AWAY)
        before = -1

        def has_settled() -> bool:
            nonlocal before
            last, before = before, one.asked
            return last == before

        until(has_settled, lambda: [ask() for _ in range(9)])
        for _ in range(9):
            ask()
        assert one.asked == before


@pytest.mark.parametrize("door", DOORS)
def test_until_one_is_healthy_calls_wait(door: str, replicas: list[Replica]) -> None:
    for each in replicas:
        each.become(AWAY)
    timer = threading.Timer(1.5, replicas[1].become, [READY])
    timer.start()
    ask_often(door, address_of(replicas), 3, timeout=30)
    timer.join()
    assert [each.asked for each in replicas] == [0, 3, 0]


def test_that_none_is_healthy_is_told(replicas: list[Replica]) -> None:
    for each in replicas:
        each.become(AWAY)
    with (
        SolverClient(address_of(replicas)) as client,
        pytest.raises(UnavailableError, match="none of the servers"),
    ):
        client.recommend_move(OBSERVATION, timeout=2)


def test_one_of_three_is_killed_under_load_and_no_call_is_lost(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        folders = [tmp_path / str(number) for number in range(3)]
        for folder in folders:
            folder.mkdir()
        servers = [stack.enter_context(ServerProcess(folder, is_warm=False)) for folder in folders]
        observation = observed(in_the_middle())
        half = threading.Event()
        answers: dict[int, Any] = {}
        with SolverClient("ipv4:" + ",".join(each.address for each in servers), timeout=60) as client:

            def ask(number: int) -> None:
                answers[number] = client.recommend_move(observation, iterations=300, seed=number % 5)
                if len(answers) >= 20:
                    half.set()

            with ThreadPoolExecutor(4) as pool:
                asked = [pool.submit(ask, number) for number in range(60)]
                assert half.wait(120)
                servers[0].kill()
                for future in asked:
                    future.result()
    assert len(answers) == 60
    for number, answer in answers.items():
        assert answer.moves == answers[number % 5].moves
