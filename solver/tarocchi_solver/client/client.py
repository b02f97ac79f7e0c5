"""Calls the service: one method for each RPC, typed errors, requests from messages or from plain dictionaries."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, TypeVar

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi.solver.v1.rules_service_pb2_grpc import RulesServiceStub
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_solver.client.errors import SolverError

DEFAULT_TIMEOUT: Final = 60.0
_POLL_SECONDS: Final = 0.05

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)
M = TypeVar("M", bound=Message)
Json = Mapping[str, Any]


class SolverClient:
    """A connection to one server; usable as a context manager and from several threads."""

    def __init__(self, address: str, *, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Opens a channel; the connection is made with the first call.

        Args:
            address: host and port.
            timeout: seconds that a call may take; None for as long as it needs.
        """
        self._timeout = timeout
        self._channel = grpc.insecure_channel(address)
        self._solver = SolverServiceStub(self._channel)
        self._rules = RulesServiceStub(self._channel)
        self._check_health = self._channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )

    def __enter__(self) -> SolverClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the channel."""
        self._channel.close()

    def is_serving(self, timeout: float = 5.0) -> bool:
        """Tells whether the server is healthy; False also if it cannot be reached."""
        try:
            answer = self._check_health(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    def wait_until_serving(self, timeout: float) -> bool:
        """Waits up to `timeout` seconds until the server is healthy; returns whether it is."""
        end = time.monotonic() + timeout
        while not self.is_serving():
            if time.monotonic() >= end:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def recommend_move(
        self,
        observation: deal_pb2.Observation | Json,
        *,
        worlds: int | None = None,
        iterations: int | None = None,
        time_ms: int | None = None,
        seed: int | None = None,
        timeout: float | None = None,
    ) -> solver_service_pb2.RecommendMoveResponse:
        """Asks for the best move of the observing seat.

        Args:
            observation: what the seat knows, as a message or in the JSON form of it.
            worlds: cap on sampled worlds.
            iterations: cap on iterations over all worlds.
            time_ms: cap on the milliseconds of the search.
            seed: seed of the random numbers; drawn by the server if None.
            timeout: seconds that the call may take, instead of the client's own.

        Raises:
            SolverError: the server refused or failed.
        """
        budget = solver_service_pb2.Budget(worlds=worlds, iterations=iterations)
        if time_ms is not None:
            budget.duration.FromMilliseconds(time_ms)
        request = solver_service_pb2.RecommendMoveRequest(
            observation=_message(deal_pb2.Observation, observation), budget=budget, seed=seed
        )
        return self.recommend(request, timeout)

    def recommend(
        self, request: solver_service_pb2.RecommendMoveRequest, timeout: float | None = None
    ) -> solver_service_pb2.RecommendMoveResponse:
        """Sends a request for a move that is complete already; see `recommend_move`."""
        return self._call(self._solver.RecommendMove, request, timeout)

    def get_server_info(self) -> solver_service_pb2.GetServerInfoResponse:
        """Asks for versions, budgets and limits."""
        return self._call(self._solver.GetServerInfo, solver_service_pb2.GetServerInfoRequest())

    def list_variants(self) -> rules_service_pb2.ListVariantsResponse:
        """Asks for the variants and their packs."""
        return self._call(self._rules.ListVariants, rules_service_pb2.ListVariantsRequest())

    def list_legal_moves(self, observation: deal_pb2.Observation | Json) -> rules_service_pb2.ListLegalMovesResponse:
        """Asks for the legal moves of the observing seat."""
        request = rules_service_pb2.ListLegalMovesRequest(observation=_message(deal_pb2.Observation, observation))
        return self._call(self._rules.ListLegalMoves, request)

    def validate_observation(
        self, observation: deal_pb2.Observation | Json
    ) -> rules_service_pb2.ValidateObservationResponse:
        """Asks for every fault of an observation."""
        request = rules_service_pb2.ValidateObservationRequest(observation=_message(deal_pb2.Observation, observation))
        return self._call(self._rules.ValidateObservation, request)

    def new_deal(
        self,
        variant: str,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        options: Mapping[str, str] | None = None,
        standing: deal_pb2.MatchStanding | Json | None = None,
    ) -> rules_service_pb2.Deal:
        """Asks for a shuffled deal.

        Args:
            variant: name of the variant.
            seed: seed of the shuffle; drawn by the server if None.
            dealer: the seat that deals; drawn from the seed if None.
            options: rule options by name; those left out have their defaults.
            standing: the match before this deal, None before the first.

        Raises:
            SolverError: the server refused or failed.
        """
        request = rules_service_pb2.NewDealRequest(
            variant=variant,
            seed=seed,
            dealer=dealer,
            options=options,
            standing=None if standing is None else _message(deal_pb2.MatchStanding, standing),
        )
        return self._call(self._rules.NewDeal, request).deal

    def replay_deal(
        self, deal: rules_service_pb2.Deal | Json, events: Sequence[deal_pb2.Event | Json] = ()
    ) -> rules_service_pb2.ReplayDealResponse:
        """Asks where a deal stands after its moves."""
        request = rules_service_pb2.ReplayDealRequest(
            deal=_message(rules_service_pb2.Deal, deal), events=[_message(deal_pb2.Event, event) for event in events]
        )
        return self._call(self._rules.ReplayDeal, request)

    def _call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float | None = None,
    ) -> Response:
        try:
            return method(request, timeout=self._timeout if timeout is None else timeout)
        except grpc.RpcError as error:
            raise SolverError.of(error) from error


def _message(kind: type[M], value: M | Json) -> M:
    """Returns a message given as such or in its JSON form; raises `ValueError` for a form that does not fit."""
    if isinstance(value, kind):
        return value
    if isinstance(value, Message):
        raise TypeError(f"{type(value).__name__} given where {kind.__name__} is needed")
    try:
        return json_format.ParseDict(dict(value), kind())
    except json_format.ParseError as error:
        raise ValueError(str(error)) from error
