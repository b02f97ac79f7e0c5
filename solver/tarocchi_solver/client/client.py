"""Calls the service: one method for each RPC, typed errors, requests from messages or from plain dictionaries.

Every method raises `SolverError`: its subclass `InvalidCallError` where nothing could be sent, otherwise with what the
server said. Fields of a dictionary that the contract does not know are ignored with an `UnknownFieldWarning`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi.solver.v1.rules_service_pb2_grpc import RulesServiceStub
from tarocchi.solver.v1.solver_service_pb2_grpc import SolverServiceStub
from tarocchi_solver.client.building import budget_of, message_of, require_number, without_none
from tarocchi_solver.client.channel import ClientTls, open_channel
from tarocchi_solver.client.errors import InvalidCallError, SolverError

DEFAULT_TIMEOUT: Final = 60.0
LONGEST_TIMEOUT: Final = 1e8
"""Seconds, some years: gRPC takes a much longer time for one that has passed."""
_POLL_SECONDS: Final = 0.05

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)
Json = Mapping[str, Any]


class SolverClient:
    """A connection to one server; usable as a context manager and from several threads."""

    def __init__(
        self,
        address: str,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        token: str | None = None,
        tls: ClientTls | bool | None = None,
    ) -> None:
        """Opens a channel; the connection is made with the first call.

        Args:
            address: host and port, or unix:/path/of/socket.
            timeout: seconds that a call may take; None for as long as it needs.
            token: sent with every call, where the server asks for one.
            tls: encrypts; True with the roots of the system, a `ClientTls` with others or with an own certificate.

        Raises:
            ValueError: the address is no text, an empty one, or has a port that cannot be; the token cannot be sent, or
                not without `tls`; a file of `tls` cannot be read.
            InvalidCallError: the timeout is no number.
        """
        if timeout is not None:
            require_number("timeout", timeout)
        self._timeout = timeout
        self._is_closed = False
        self._channel = open_channel(address, token=token, tls=tls)
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
        """Closes the channel; no call can be made any more."""
        self._is_closed = True
        self._channel.close()

    def is_serving(self, timeout: float = 5.0) -> bool:
        """Tells whether the server is healthy; False also if it cannot be reached."""
        try:
            answer = self._call(self._check_health, health_pb2.HealthCheckRequest(), timeout)
        except InvalidCallError:
            raise
        except SolverError:
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
        time_ms: float | None = None,
        seed: int | None = None,
        timeout: float | None = None,
    ) -> solver_service_pb2.RecommendMoveResponse:
        """Asks for the best move of the observing seat.

        Args:
            observation: what the seat knows, as a message or in the JSON form of it. In that form fields that the
                contract does not know are ignored with an `UnknownFieldWarning`.
            worlds: cap on sampled worlds.
            iterations: cap on iterations over all worlds.
            time_ms: cap on the milliseconds of the search, above 0; the contract calls it `duration`.
            seed: seed of the random numbers; drawn by the server if None.
            timeout: seconds that the call may take, instead of the client's own.

        Raises:
            SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
        """
        request = message_of(solver_service_pb2.RecommendMoveRequest, without_none(seed=seed), "")
        request.budget.CopyFrom(budget_of(worlds, iterations, time_ms))
        request.observation.CopyFrom(message_of(deal_pb2.Observation, observation, "observation"))
        return self._call(self._solver.RecommendMove, request, timeout)

    def recommend(
        self, request: solver_service_pb2.RecommendMoveRequest | Json, timeout: float | None = None
    ) -> solver_service_pb2.RecommendMoveResponse:
        """Sends a request for a move that is complete already; see `recommend_move`."""
        message = message_of(solver_service_pb2.RecommendMoveRequest, request, "")
        return self._call(self._solver.RecommendMove, message, timeout)

    def get_server_info(self) -> solver_service_pb2.GetServerInfoResponse:
        """Asks for versions, budgets and limits."""
        return self._call(self._solver.GetServerInfo, solver_service_pb2.GetServerInfoRequest())

    def list_variants(self) -> rules_service_pb2.ListVariantsResponse:
        """Asks for the variants and their packs."""
        return self._call(self._rules.ListVariants, rules_service_pb2.ListVariantsRequest())

    def list_legal_moves(self, observation: deal_pb2.Observation | Json) -> rules_service_pb2.ListLegalMovesResponse:
        """Asks for the legal moves of the observing seat."""
        message = message_of(deal_pb2.Observation, observation, "observation")
        return self._call(self._rules.ListLegalMoves, rules_service_pb2.ListLegalMovesRequest(observation=message))

    def validate_observation(
        self, observation: deal_pb2.Observation | Json
    ) -> rules_service_pb2.ValidateObservationResponse:
        """Asks for every fault of an observation."""
        message = message_of(deal_pb2.Observation, observation, "observation")
        request = rules_service_pb2.ValidateObservationRequest(observation=message)
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
            SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
        """
        fields = without_none(variant=variant, seed=seed, dealer=dealer, options=options)
        request = message_of(rules_service_pb2.NewDealRequest, fields, "")
        if standing is not None:
            request.standing.CopyFrom(message_of(deal_pb2.MatchStanding, standing, "standing"))
        return self._call(self._rules.NewDeal, request).deal

    def replay_deal(
        self,
        deal: rules_service_pb2.Deal | Json,
        events: Sequence[deal_pb2.Event | Json] = (),
        *,
        include_decisions: bool = False,
    ) -> rules_service_pb2.ReplayDealResponse:
        """Asks where a deal stands after its moves.

        Args:
            deal: the hands as dealt.
            events: the moves made, with the discard face up.
            include_decisions: whether the answer tells what each seat knew before each of the moves.

        Raises:
            SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
        """
        if not isinstance(events, Iterable):
            raise InvalidCallError.about([("events", "a list of events is needed")])
        request = message_of(rules_service_pb2.ReplayDealRequest, {"include_decisions": include_decisions}, "")
        request.deal.CopyFrom(message_of(rules_service_pb2.Deal, deal, "deal"))
        for index, event in enumerate(events):
            request.events.append(message_of(deal_pb2.Event, event, f"events[{index}]"))
        return self._call(self._rules.ReplayDeal, request)

    def _call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float | None = None,
    ) -> Response:
        if timeout is not None:
            require_number("timeout", timeout)
        if self._is_closed:
            raise InvalidCallError.closed()
        try:
            seconds = self._timeout if timeout is None else timeout
            return method(request, timeout=None if seconds is None else min(seconds, LONGEST_TIMEOUT))
        except grpc.RpcError as error:
            raise SolverError.of(error) from error
        except ValueError as error:  # closed by another thread in the meantime
            raise InvalidCallError.closed() from error
