"""Deals, observations and servers for the tests of the service and the command line."""

from __future__ import annotations

import contextlib
import functools
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import grpc

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2
from tarocchi_engine import VARIANTS, Ending, Phase, Standing, State, get_variant, new_deal
from tarocchi_engine.match import FIRST_DEAL
from tarocchi_solver.client import SolverClient
from tarocchi_solver.search import Budget, Recommendation, search, warm_up
from tarocchi_solver.service.answers import deal_answer
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.formats import format_event, format_observation
from tarocchi_solver.service.jobs import Job
from tarocchi_solver.service.pool import SearchPool
from tarocchi_solver.service.server import SolverServer

SMALL = 200
"""Iterations that take no time worth mentioning."""
UNSEARCHED = ()
"""Variants that the search does not answer yet: no RecommendMove, and no sampling in ValidateObservation."""
SEARCHED = [name for name in VARIANTS if name not in UNSEARCHED]
FOUR_DEALS = {"match": "four_deals"}
"""The option of Piedicavallo that makes a match."""


def play_until(
    variant: str,
    seed: int,
    is_there: Callable[[State], bool],
    dealer: int | None = None,
    options: Mapping[str, str] | None = None,
    standing: Standing = FIRST_DEAL,
) -> State:
    """Returns the first state of a deal of random legal moves for which `is_there` holds."""
    draw = random.Random(seed)
    state = new_deal(get_variant(variant, options), seed, dealer, standing)
    while not is_there(state):
        assert state.turn is not None, "the deal ended first"
        state = state.apply_move(draw.choice(state.legal_moves()))
    return state


def finished(variant: str = "bolognese", seed: int = 1, **game: Any) -> State:
    """Returns a deal played to its end; `game` says more about it, as for `play_until`."""
    return play_until(variant, seed, lambda state: state.turn is None, **game)


def counted(variant: str = "bolognese", seed: int = 1, **game: Any) -> State:
    """Returns the first deal from `seed` on that is played to its count; `game` as for `play_until`."""
    state = finished(variant, seed, **game)
    return state if state.table.ending is Ending.COUNT else counted(variant, seed + 1000, **game)


def in_the_middle(variant: str = "bolognese", seed: int = 1, **game: Any) -> State:
    """Returns a deal after five tricks, whose seat to move has a choice; `game` as for `play_until`."""
    return play_until(
        variant,
        seed,
        lambda state: len(state.tricks) >= 5 and state.phase is Phase.PLAY and len(state.legal_moves()) > 2,
        **game,
    )


def observed(state: State, seat: int | None = None) -> deal_pb2.Observation:
    """Returns the observation of a seat, that of the seat to move if none is named."""
    at = state.turn if seat is None else seat
    assert at is not None
    return format_observation(state.observe(at))


def say(seat: int, *, throws_in: bool) -> deal_pb2.Event:
    """Returns what a seat says in the poll about throwing in."""
    return deal_pb2.Event(seat=seat, monte=deal_pb2.Monte(throws_in=throws_in))


def bid(seat: int, call: deal_pb2.Call) -> deal_pb2.Event:
    """Returns a call in an auction."""
    return deal_pb2.Event(seat=seat, bid=deal_pb2.Bid(call=call))


def lead(seat: int, card: str, signal: deal_pb2.Signal) -> deal_pb2.Event:
    """Returns a card led with a signal."""
    return deal_pb2.Event(seat=seat, play=deal_pb2.Play(card=card, signal=signal))


def whole_deal(state: State) -> rules_service_pb2.ReplayDealRequest:
    """Returns a deal with all its moves as a request."""
    deal = deal_answer(state, seed=0).deal
    deal.ClearField("seed")
    events = [format_event(state.variant.pack, event) for event in state.events]
    return rules_service_pb2.ReplayDealRequest(deal=deal, events=events)


def a_recommendation() -> Recommendation:
    """Returns some answer of the search, for stand-ins of it."""
    state = in_the_middle()
    assert state.turn is not None
    return search(state.observe(state.turn), Budget(iterations=SMALL), seed=1)


class BlockingSearch:
    """Stands in for the search: waits until it is released or told to stop."""

    def __init__(self) -> None:
        self.started = threading.Semaphore(0)
        self.release = threading.Event()
        self.stopped = threading.Event()
        self._answer = a_recommendation()

    def __call__(self, *args: Any, stop: threading.Event, **kwargs: Any) -> Recommendation:
        self.started.release()
        while not self.release.wait(0.005):
            if stop.is_set():
                self.stopped.set()
                break
        return self._answer


class Call:
    """Stands in for the context of a call whose client waits."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[], None]] = []

    def add_callback(self, callback: Callable[[], None]) -> bool:
        self._callbacks.append(callback)
        return True

    def leave(self) -> None:
        """Makes the client go."""
        for callback in self._callbacks:
            callback()


def the_same(work: Callable[[threading.Event], Any], latest: float = math.inf, kind: str = "play") -> Job[Any]:
    """Returns a job that does the same whether its turn comes or not."""
    return Job(kind, lambda stop, _seconds: work(stop), work, latest)


@contextlib.contextmanager
def occupied(pool: SearchPool, count: int) -> Iterator[None]:
    """Keeps so many search threads of a pool busy, whatever they are told."""
    started = threading.Semaphore(0)
    release = threading.Event()

    def occupy(stop: threading.Event) -> None:
        started.release()
        release.wait(60)

    threads = [threading.Thread(target=pool.run, args=(the_same(occupy), Call())) for _ in range(count)]
    for thread in threads:
        thread.start()
        started.acquire()
    try:
        yield
    finally:
        release.set()
        for thread in threads:
            thread.join()


def wait_for(is_so: Callable[[], bool]) -> None:
    """Waits until a condition holds; fails if it never does."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.001)


@functools.cache
def warm_up_once() -> None:
    """Compiles or loads every kernel, so that no request of a test has to, however cold the cache."""
    warm_up()


@contextlib.contextmanager
def serving(**settings: Any) -> Iterator[SolverServer]:
    """Starts a server on a free port. Kernels are warmed up once for all servers."""
    warm_up_once()
    server = SolverServer(ServerConfig(**{"address": "127.0.0.1:0", **settings}), warm_up=lambda: None)
    server.start()
    try:
        assert server.wait_until_ready(10)
        yield server
    finally:
        server.stop(0)


@contextlib.contextmanager
def running(**settings: Any) -> Iterator[tuple[SolverServer, SolverClient]]:
    """Starts a server as `serving` does; gives it and a client of it that tries once."""
    with serving(**settings) as server, SolverClient(server.address, retry=None) as client:
        yield server, client


def raw_recommend(address: str, request: bytes, **options: Any) -> tuple[bytes, grpc.Call]:
    """Returns the bytes of an answer of RecommendMove and its call."""
    with grpc.insecure_channel(address) as channel:
        method = channel.unary_unary("/tarocchi.solver.v1.SolverService/RecommendMove")
        return method.with_call(request, timeout=60, **options)
