"""Servers that answer as they are told, a clock that does not wait, and both clients behind one door."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi.solver.v1.review_service_pb2_grpc import ReviewServiceServicer, add_ReviewServiceServicer_to_server
from tarocchi.solver.v1.rules_service_pb2_grpc import RulesServiceServicer, add_RulesServiceServicer_to_server
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceServicer, add_SolverServiceServicer_to_server
from tarocchi_solver.client import AsyncSolverClient, SolverClient

DOORS = ("threads", "asyncio")


class Failure(Exception):
    """How a scripted server fails a call."""

    def __init__(self, code: grpc.StatusCode, reason: str = "", retry_seconds: float | None = None) -> None:
        super().__init__(code, reason)
        self.code = code
        status = status_pb2.Status(code=code.value[0], message=f"no: {reason}")
        details: list[Any] = []
        if reason:
            details.append(error_details_pb2.ErrorInfo(reason=reason, domain="tarocchi-solver"))
        if retry_seconds is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(round(retry_seconds * 1000))
            details.append(retry)
        for detail in details:
            packed = any_pb2.Any()
            packed.Pack(detail)
            status.details.append(packed)
        self.status = rpc_status.to_status(status)


ABSENT = Failure(grpc.StatusCode.UNAVAILABLE)
BUSY = Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", 1.0)


class ScriptedServer(SolverServiceServicer, ReviewServiceServicer):
    """Takes what is left of its script for each call: a failure, an answer, or an event to wait for."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.requests: list[Any] = []
        self.remaining: list[float] = []
        """Seconds to the deadline of each call, as the server sees it."""
        self.ended = threading.Semaphore(0)
        """Released whenever a stream has ended, whoever ended it."""
        self.calls_ended = threading.Semaphore(0)
        """Released whenever a call for a recommendation has ended."""

    def _next(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.requests.append(request)
        self.remaining.append(context.time_remaining() or 0.0)
        return self._do(self.script.pop(0) if self.script else None, context)

    def _do(self, step: Any, context: grpc.ServicerContext) -> Any:
        if isinstance(step, Failure):
            context.abort_with_status(step.status)
        if isinstance(step, threading.Event):
            assert step.wait(30)
            return None
        return step

    def RecommendMove(self, request: Any, context: grpc.ServicerContext) -> Any:
        context.add_callback(self.calls_ended.release)
        answer = self._next(request, context) or solver_service_pb2.RecommendMoveResponse()
        answer.diagnostics.seed = request.seed
        return answer

    def BatchRecommendMoves(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._next(request, context)
        responses = [solver_service_pb2.RecommendMoveResponse() for _ in request.requests]
        for response, one in zip(responses, request.requests, strict=True):
            response.diagnostics.seed = one.seed
        return solver_service_pb2.BatchRecommendMovesResponse(responses=responses)

    def GetBeliefs(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._next(request, context)
        return solver_service_pb2.GetBeliefsResponse(seed=request.seed)

    def AnalyzePosition(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        """Sends one response for each step of the script, which may fail or wait in between; the last one is final."""
        context.add_callback(self.ended.release)
        steps = self._next(request, context) or [1, 2, 3]
        for index, step in enumerate(steps):
            self._do(step, context)
            response = solver_service_pb2.AnalyzePositionResponse(final=index == len(steps) - 1)
            response.recommendation.legal_move_count = index + 1
            yield response

    def ReviewDeal(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        self._next(request, context)
        for index, _ in enumerate(request.events):
            decision = review_service_pb2.DecisionReview(event_index=index)
            yield review_service_pb2.ReviewDealResponse(decision=decision)
        yield review_service_pb2.ReviewDealResponse(summary=review_service_pb2.DealReview(seed=request.seed))


class CountedRules(RulesServiceServicer):
    """Deals nothing, but tells what it was asked."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def NewDeal(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.requests.append(request)
        return rules_service_pb2.NewDealResponse(deal=rules_service_pb2.Deal(seed=request.seed))


@contextlib.contextmanager
def serving(scripted: ScriptedServer, rules: RulesServiceServicer | None = None, port: int = 0) -> Iterator[str]:
    """Serves what is scripted on a free port; gives its address."""
    server = grpc.server(ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
    add_SolverServiceServicer_to_server(scripted, server)
    add_ReviewServiceServicer_to_server(scripted, server)
    if rules is not None:
        add_RulesServiceServicer_to_server(rules, server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        server.stop(0).wait()


class Clock:
    """Stands in for time: to sleep moves it on at once."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


def through(door: str, address: str, work: Callable[[Any], Any], clock: Clock | None = None, **settings: Any) -> Any:
    """Does one thing with a client for threads or for an event loop; a stream is read to its end."""

    def prepare(client: Any, sleep: Any) -> None:
        if clock is not None:
            client._now, client._sleep = clock.now, sleep

    if door == "threads":
        with SolverClient(address, **settings) as client:
            prepare(client, clock and clock.sleep)
            answer = work(client)
            return list(answer) if hasattr(answer, "__next__") else answer

    async def main() -> Any:
        async with AsyncSolverClient(address, **settings) as client:
            prepare(client, clock and clock.sleep_async)
            answer = work(client)
            return [response async for response in answer] if hasattr(answer, "__anext__") else await answer

    return asyncio.run(main())
