"""Measures what the service adds to a search: latency, throughput, fairness, and how fast a cancelled call lets go.

The server runs in a process of its own, as it does for its users, and the clients here; both share the machine. How
fast cancelled calls free their thread is measured in this process, where one can look.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import grpc
import numpy as np

from tarocchi.solver.v1 import deal_pb2, solver_service_pb2
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_bench.server_process import SERVE, free_address
from tarocchi_bench.trivial_calls import BARE, SERVER_INFO, bare_server, flood
from tarocchi_engine import Phase, State, get_variant, new_deal
from tarocchi_solver.client import DeadlineError, SolverClient
from tarocchi_solver.search import Budget, search
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.formats import format_observation
from tarocchi_solver.service.server import SolverServer

CLIENTS: Final = (1, 8, 64)
SOLVE_MS: Final = (10, 100)
QUEUE_SIZE: Final = 64
"""Of the server: all clients find a place."""
START_SECONDS: Final = 300.0
ADDED_BAR: Final = 0.02
"""How much longer than the search alone a call of 100 ms may take."""
CANCEL_BAR_MS: Final = 10.0
HEALTH_BAR: Final = 1.5
"""How many times as long a health check may take while all cores search."""
RATE_BAR: Final = 2000.0
"""Trivial calls a second."""
ABREAST: Final = 8
"""Trivial calls under way at the same time."""
OVERSHOOT_BAR_MS: Final = 5.0
"""How long after their deadline answers may come, 99 of 100."""
MISSED_BAR: Final = 0.01
FAIRNESS_BAR: Final = 0.5
"""The share of the best served client's answers that the worst served one gets at least."""
_POLL_SECONDS: Final = 0.0002
_SETTLE_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Latency:
    """How long calls took, in milliseconds."""

    calls: int
    p50: float
    p99: float
    rate: float
    """Calls a second, of all clients together."""

    @classmethod
    def of(cls, seconds: list[float], elapsed: float) -> Latency:
        """Returns the figures of calls that were made within some time."""
        low, high = (float(np.percentile(seconds, share)) * 1000 for share in (50, 99))
        return cls(len(seconds), low, high, len(seconds) / elapsed)


@dataclass(frozen=True, slots=True)
class Solves:
    """Searches with a cap on time, asked for by several clients that each wait for their answer."""

    budget_ms: int
    clients: int
    latency: Latency
    fewest: int
    most: int
    """Answers of the clients that got fewest and most; one more or less is a matter of where the time ends."""

    @property
    def fairness(self) -> float:
        """Answers of the client that got fewest over those of the one that got most."""
        return self.fewest / self.most


@dataclass(frozen=True, slots=True)
class Cancel:
    """From cancelling a call until its search thread is free, in milliseconds."""

    method: str
    p50: float
    most: float


@dataclass(frozen=True, slots=True)
class Report:
    """All figures, and which bars are met."""

    cores: int
    trivial: Latency
    """GetServerInfo from one client with so many calls under way."""
    trivial_threads: Latency
    """GetServerInfo from as many clients in threads, each of which waits for its answer."""
    bare: Latency
    """Calls, made as those of `trivial`, of a server that does nothing."""
    health_idle: Latency
    health_loaded: Latency
    """Health checks while all search threads are busy."""
    solves: tuple[Solves, ...]
    alone_ms: float
    """Median of a search of 100 ms in this process, without a service."""
    called_ms: float
    """Median of the same by the service, in turn with it."""
    added: float
    """By what part a call takes longer."""
    overshoot_p99_ms: float
    """How much later than its deadline allows the answer to a search without other caps comes; negative: earlier."""
    missed: float
    """The share of those searches to which no answer came by the deadline."""
    cancels: tuple[Cancel, ...]
    bars: dict[str, bool]

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        return asdict(self)


def a_position(variant: str = "bolognese") -> deal_pb2.Observation:
    """Returns what the seat to move knows in the middle of a deal, with several legal cards."""
    state: State = new_deal(get_variant(variant), 1)
    while len(state.tricks) < 4 or state.phase is not Phase.PLAY or len(state.legal_moves()) < 4:
        state = state.apply_move(state.legal_moves()[0])
    assert state.turn is not None
    return format_observation(state.observe(state.turn))


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Starts a server in a process of its own; gives its address."""
    address = free_address()
    command = [*SERVE, "--address", address, "--queue-size", str(QUEUE_SIZE)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with SolverClient(address) as client:
            if not client.wait_until_serving(START_SECONDS):
                raise RuntimeError("the service did not become healthy")
        yield address
    finally:
        process.terminate()
        process.wait()


def timed(
    clients: int, seconds: float, connect: Callable[[], tuple[Callable[[], object], Callable[[], None]]]
) -> tuple[list[list[float]], float]:
    """Makes calls from several clients at once, each with a connection of its own, for so many seconds.

    `connect` returns how to make a call and how to end the connection. Returns how long the calls of each client took,
    and the seconds that all of them took.
    """
    taken: list[list[float]] = [[] for _ in range(clients)]
    ready = threading.Barrier(clients + 1)
    end = [0.0]

    def work(own: list[float]) -> None:
        call, close = connect()
        call()
        ready.wait()
        while (started := time.perf_counter()) < end[0] or not own:
            call()
            own.append(time.perf_counter() - started)
        close()

    threads = [threading.Thread(target=work, args=(own,)) for own in taken]
    for thread in threads:
        thread.start()
    # every client makes its first call before any is measured
    end[0] = time.perf_counter() + START_SECONDS
    ready.wait()
    started = time.perf_counter()
    end[0] = started + seconds
    for thread in threads:
        thread.join()
    return taken, time.perf_counter() - started


def measure(seconds: float) -> Report:
    """Returns the report; each figure takes about so many seconds."""
    position = a_position()
    with served() as address:

        def connected(
            ask: Callable[[SolverClient], object],
        ) -> Callable[[], tuple[Callable[[], object], Callable[[], None]]]:
            def connect() -> tuple[Callable[[], object], Callable[[], None]]:
                client = SolverClient(address, timeout=None)
                return lambda: ask(client), client.close

            return connect

        trivial = _latency(flood(address, SERVER_INFO, ABREAST, seconds))
        with bare_server() as nothing:
            bare = _latency(flood(nothing, BARE, ABREAST, seconds))
        trivial_threads = _latency(timed(ABREAST, seconds, connected(lambda client: client.get_server_info())))
        healthy = connected(lambda client: client.is_serving(60.0))
        health_idle = _latency(timed(1, seconds, healthy))
        with _under_load(address, position):
            health_loaded = _latency(timed(1, seconds, healthy))
        solves = []
        for budget_ms, clients in itertools.product(SOLVE_MS, CLIENTS):
            ask = functools.partial(_recommend, position=position, time_ms=budget_ms)
            taken = timed(clients, max(seconds, clients * budget_ms / 250), connected(ask))
            counts = [len(own) for own in taken[0]]
            solves.append(Solves(budget_ms, clients, _latency(taken), min(counts), max(counts)))
        alone_ms, called_ms = _added(address, position, seconds)
        overshoot, missed = _overshoot(address, position, seconds)
    cancels = tuple(_cancels(position))
    added = called_ms / alone_ms - 1
    return Report(
        cores=os.cpu_count() or 1,
        trivial=trivial,
        trivial_threads=trivial_threads,
        bare=bare,
        health_idle=health_idle,
        health_loaded=health_loaded,
        solves=tuple(solves),
        alone_ms=alone_ms,
        called_ms=called_ms,
        added=added,
        overshoot_p99_ms=overshoot,
        missed=missed,
        cancels=cancels,
        bars={
            "a call adds at most 2 % to 100 ms": added <= ADDED_BAR,
            "99 of 100 answers at most 5 ms after their deadline": overshoot <= OVERSHOOT_BAR_MS
            and missed <= MISSED_BAR,
            "cancel to idle within 10 ms": all(cancel.p50 <= CANCEL_BAR_MS for cancel in cancels),
            "health under load at most 1.5 times idle": health_loaded.p50 <= HEALTH_BAR * health_idle.p50,
            "every client gets half of what another gets": all(found.fairness >= FAIRNESS_BAR for found in solves),
            "2,000 trivial calls a second": trivial.rate >= RATE_BAR,
        },
    )


def _recommend(client: SolverClient, position: deal_pb2.Observation, time_ms: int) -> object:
    return client.recommend_move(position, time_ms=time_ms, seed=1)


def _latency(taken: tuple[list[list[float]], float]) -> Latency:
    of_clients, elapsed = taken
    return Latency.of([each for own in of_clients for each in own], elapsed)


@contextlib.contextmanager
def _under_load(address: str, position: deal_pb2.Observation) -> Iterator[None]:
    """Keeps every search thread of a server busy."""
    with SolverClient(address, timeout=None) as client:
        analyses = [client.analyze(position, interval_ms=60_000) for _ in range(os.cpu_count() or 1)]
        searches = [
            threading.Thread(target=_search_until_closed, args=(client, position)) for _ in range(os.cpu_count() or 1)
        ]
        for thread in searches:
            thread.start()
        for analysis in analyses:
            next(analysis)
        time.sleep(_SETTLE_SECONDS)
        yield
        for analysis in analyses:
            analysis.close()
    for thread in searches:
        thread.join()


def _search_until_closed(client: SolverClient, position: deal_pb2.Observation) -> None:
    with contextlib.suppress(Exception):
        while True:
            client.recommend_move(position, time_ms=10_000)


def _added(address: str, position: deal_pb2.Observation, seconds: float) -> tuple[float, float]:
    """Returns the medians in milliseconds of a search of 100 ms alone and by the service, in turn."""
    from tarocchi_solver.service.questions import read_question

    observation = read_question(solver_service_pb2.RecommendMoveRequest(observation=position), Budget()).observation
    alone: list[float] = []
    called: list[float] = []
    with SolverClient(address) as client:
        end = time.perf_counter() + 2 * seconds
        while time.perf_counter() < end or len(alone) < 3:
            started = time.perf_counter()
            search(observation, Budget(time_ms=100), seed=1)
            between = time.perf_counter()
            client.recommend_move(position, time_ms=100, seed=1)
            alone.append(between - started)
            called.append(time.perf_counter() - between)
    return statistics.median(alone) * 1000, statistics.median(called) * 1000


def _overshoot(address: str, position: deal_pb2.Observation, seconds: float) -> tuple[float, float]:
    """Returns by how many milliseconds answers come later than the deadlines of their calls, the worst of hundred, and
    the share of calls that were given up at the deadline: their answers come later by an unknown time."""
    late: list[float] = []
    missed = 0
    with SolverClient(address, retry=None) as client:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(late) < 3:
            for timeout in (0.05, 0.1, 0.3):
                started = time.perf_counter()
                try:
                    client.recommend_move(position, iterations=2_000_000_000, seed=1, timeout=timeout)
                except DeadlineError:
                    missed += 1
                late.append((time.perf_counter() - started - timeout) * 1000)
    return float(np.percentile(late, 99)), missed / len(late)


def _cancels(position: deal_pb2.Observation, count: int = 20) -> Iterator[Cancel]:
    """Yields how fast each kind of call lets go when it is cancelled."""
    endless = solver_service_pb2.RecommendMoveRequest(observation=position, seed=1)
    endless.budget.iterations = 2_000_000_000
    batch = solver_service_pb2.BatchRecommendMovesRequest(requests=[endless] * 4)
    analysis = solver_service_pb2.AnalyzePositionRequest(observation=position)
    server = SolverServer(ServerConfig(address="127.0.0.1:0", concurrent_searches=1, concurrent_analyses=1))
    server.start()
    try:
        if not server.wait_until_ready(START_SECONDS):
            raise RuntimeError("the service did not become healthy")
        with grpc.insecure_channel(server.address) as channel:
            stub: Any = SolverServiceStub(channel)
            calls: dict[str, Callable[[], Any]] = {
                "RecommendMove": lambda: stub.RecommendMove.future(endless),
                "BatchRecommendMoves": lambda: stub.BatchRecommendMoves.future(batch),
                "AnalyzePosition": lambda: stub.AnalyzePosition(analysis),
            }
            for method, begin in calls.items():
                taken = []
                for _ in range(count):
                    call = begin()
                    _wait_until(lambda: server.admitted_searches > 0)
                    time.sleep(_SETTLE_SECONDS)
                    started = time.perf_counter()
                    call.cancel()
                    _wait_until(lambda: server.admitted_searches == 0)
                    taken.append((time.perf_counter() - started) * 1000)
                yield Cancel(method, statistics.median(taken), max(taken))
    finally:
        server.stop(0)


def _wait_until(is_so: Callable[[], bool]) -> None:
    end = time.perf_counter() + START_SECONDS
    while not is_so():
        if time.perf_counter() > end:
            raise RuntimeError("waited in vain for the service")
        time.sleep(_POLL_SECONDS)
