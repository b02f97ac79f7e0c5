"""The calls of the service, built and checked, whoever sends them: a thread, an event loop or a table.

A call is data. Each function here is a method of both clients, which add only how a call is sent. All raise
`InvalidCallError` for what is no request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from google.protobuf.message import Message

from tarocchi.solver.v1 import deal_pb2, review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_solver.client.building import (
    budget_of,
    duration_of,
    fresh_seed,
    full_name,
    message_of,
    require_timeout,
    without_none,
)
from tarocchi_solver.client.errors import InvalidCallError, Violation
from tarocchi_solver.client.json_form import MOST_ENTRIES

PACKAGE: Final = "tarocchi.solver.v1"
_PREFIXES: Final = {"level": "LEVEL_", "priority": "PRIORITY_"}
"""How the names of the values of these fields begin in full."""

Answer = TypeVar("Answer")
AnyMessage = TypeVar("AnyMessage", bound=Message)
Json = Mapping[str, Any]
Level = solver_service_pb2.Level | str | None
"""A level by its number or its name, in full or short: "club"; None for full strength."""
Priority = solver_service_pb2.Priority | str | None
"""A priority by its number or its name, in full or short: "analysis"; None for that of the method."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A call that is answered once."""

    method: str
    """Its path, such as "/tarocchi.solver.v1.SolverService/RecommendMove"."""
    request: Message
    """What is sent."""
    read: Callable[[bytes], Answer]
    """Reads the answer."""
    timeout: float | None = None
    """Seconds that all attempts together may take, instead of those of the client."""

    def __post_init__(self) -> None:
        """Raises `InvalidCallError` if the timeout is no time."""
        if self.timeout is not None:
            require_timeout("timeout", self.timeout)


@dataclass(frozen=True, slots=True)
class StreamCall(Generic[Answer]):
    """A call that is answered by a stream of responses."""

    call: Call[Answer]
    """The call as such; `read` reads one response."""


def to_bytes(message: Message) -> bytes:
    """Returns what is sent for a message."""
    return message.SerializeToString()


# --- the search


def recommend_move(
    observation: deal_pb2.Observation | Json,
    *,
    worlds: int | None = None,
    iterations: int | None = None,
    time_ms: float | None = None,
    seed: int | None = None,
    level: Level = None,
    priority: Priority = None,
    timeout: float | None = None,
) -> Call[solver_service_pb2.RecommendMoveResponse]:
    """Asks for the best move of the observing seat.

    Args:
        observation: what the seat knows, as a message or in the JSON form of it. In that form fields that the
            contract does not know are ignored with an `UnknownFieldWarning`.
        worlds: cap on sampled worlds.
        iterations: cap on iterations over all worlds.
        time_ms: cap on the milliseconds of the search, above 0; the contract calls it `duration`.
        seed: seed of the random numbers; drawn if None.
        level: how well to play, such as "club", instead of caps; None for full strength.
        priority: "live" or "analysis"; None for live.
        timeout: seconds that the call may take, instead of the client's own.

    Raises:
        SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
    """
    fields = _asked(seed=seed, level=full_name("LEVEL_", level), priority=full_name("PRIORITY_", priority))
    request = message_of(solver_service_pb2.RecommendMoveRequest, fields, "")
    request.budget.CopyFrom(budget_of(worlds, iterations, time_ms))
    request.observation.CopyFrom(message_of(deal_pb2.Observation, observation, "observation"))
    return _recommend(request, timeout)


def recommend(
    request: solver_service_pb2.RecommendMoveRequest | Json, timeout: float | None = None
) -> Call[solver_service_pb2.RecommendMoveResponse]:
    """Sends a request for a move that is complete but for its seed; see `recommend_move`."""
    return _recommend(_seeded(_request_of(request, "")), timeout)


def recommend_moves(
    requests: Iterable[solver_service_pb2.RecommendMoveRequest | Json], *, timeout: float | None = None
) -> Call[list[solver_service_pb2.RecommendMoveResponse]]:
    """Asks for many moves at once; returns the answers in the same order.

    Args:
        requests: the requests, each with an observation and what else a request may hold, `level` and `priority` also
            by their short names; seeds that are missing are drawn.
        timeout: seconds that the call may take, instead of the client's own; the server shares them out.

    Raises:
        SolverError: the server refused or failed; faults of a request are named as in `requests[3].observation.hand`.
    """
    batch = solver_service_pb2.BatchRecommendMovesRequest()
    faults: list[Violation] = []
    for index, request in enumerate(_listed("requests", requests)):
        try:
            batch.requests.append(_seeded(_request_of(request, f"requests[{index}]")))
        except InvalidCallError as error:
            faults += error.violations
    if faults:
        raise InvalidCallError.about([(fault.field, fault.description) for fault in faults])

    def read(data: bytes) -> list[solver_service_pb2.RecommendMoveResponse]:
        return list(solver_service_pb2.BatchRecommendMovesResponse.FromString(data).responses)

    return Call(_path("SolverService", "BatchRecommendMoves"), batch, read, timeout)


def analyze(
    observation: deal_pb2.Observation | Json,
    *,
    worlds: int | None = None,
    iterations: int | None = None,
    time_ms: float | None = None,
    interval_ms: float | None = None,
    seed: int | None = None,
    priority: Priority = None,
    timeout: float | None = None,
) -> StreamCall[solver_service_pb2.AnalyzePositionResponse]:
    """Analyses a position and tells meanwhile what is known so far; the last response is `final`.

    That one has the `stop_reason` of the whole analysis, which may be another one than that of its last search.

    Close the stream when enough is known: that stops the search. Leaving it as a context manager closes it too.

    Args:
        observation: what the seat knows, as for `recommend_move`.
        worlds: cap on sampled worlds.
        iterations: cap on iterations over all worlds.
        time_ms: cap on the milliseconds of the whole analysis, above 0.
        interval_ms: least milliseconds between two responses; the server's default if None.
        seed: seed of the random numbers; drawn if None.
        priority: "live" or "analysis"; None for analysis.
        timeout: seconds that the analysis may take, instead of the client's own. It ends in time with its final
            response.

    Raises:
        SolverError: the server refused or failed, told with the first response; `InvalidCallError` at once if nothing
            could be sent.
    """
    fields = _asked(seed=seed, priority=full_name("PRIORITY_", priority))
    request = message_of(solver_service_pb2.AnalyzePositionRequest, fields, "")
    request.budget.CopyFrom(budget_of(worlds, iterations, time_ms))
    if interval_ms is not None:
        request.interval.CopyFrom(duration_of("interval_ms", interval_ms))
    request.observation.CopyFrom(message_of(deal_pb2.Observation, observation, "observation"))
    path = _path("SolverService", "AnalyzePosition")
    return StreamCall(Call(path, request, solver_service_pb2.AnalyzePositionResponse.FromString, timeout))


def get_beliefs(
    observation: deal_pb2.Observation | Json, *, seed: int | None = None, timeout: float | None = None
) -> Call[solver_service_pb2.GetBeliefsResponse]:
    """Asks where the cards that the observing seat does not see may lie, and how likely.

    Args:
        observation: what the seat knows, as for `recommend_move`; it may be another seat's turn.
        seed: seed of the random numbers; drawn if None.
        timeout: seconds that the call may take, instead of the client's own.

    Raises:
        SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
    """
    request = message_of(solver_service_pb2.GetBeliefsRequest, _asked(seed=seed), "")
    request.observation.CopyFrom(message_of(deal_pb2.Observation, observation, "observation"))
    path = _path("SolverService", "GetBeliefs")
    return Call(path, request, solver_service_pb2.GetBeliefsResponse.FromString, timeout)


def get_server_info(timeout: float | None = None) -> Call[solver_service_pb2.GetServerInfoResponse]:
    """Asks for versions, budgets, limits and levels."""
    read = solver_service_pb2.GetServerInfoResponse.FromString
    return Call(_path("SolverService", "GetServerInfo"), solver_service_pb2.GetServerInfoRequest(), read, timeout)


# --- the review


def review_deal(
    deal: rules_service_pb2.Deal | Json,
    events: Iterable[deal_pb2.Event | Json],
    *,
    seats: Iterable[int] = (),
    worlds: int | None = None,
    iterations: int | None = None,
    time_ms: float | None = None,
    seed: int | None = None,
    timeout: float | None = None,
) -> StreamCall[review_service_pb2.ReviewDealResponse]:
    """Reviews a finished deal: what each decision cost, in the order of play, then a summary.

    Args:
        deal: the hands as dealt.
        events: all moves made, with the discard face up.
        seats: the seats whose decisions are reviewed; all if empty.
        worlds: cap on sampled worlds, for each decision.
        iterations: cap on iterations over all worlds, for each decision.
        time_ms: cap on the milliseconds of the search of each decision, above 0.
        seed: seed of the random numbers; drawn if None.
        timeout: seconds that the review may take, instead of the client's own.

    Raises:
        SolverError: the server refused or failed, told with the next response; `InvalidCallError` at once if nothing
            could be sent.
    """
    fields = _asked(seed=seed, seats=_listed("seats", seats))
    request = message_of(review_service_pb2.ReviewDealRequest, fields, "")
    request.budget.CopyFrom(budget_of(worlds, iterations, time_ms))
    _add_deal(request, deal, events)
    path = _path("ReviewService", "ReviewDeal")
    return StreamCall(Call(path, request, review_service_pb2.ReviewDealResponse.FromString, timeout))


# --- the rules


def list_variants(timeout: float | None = None) -> Call[rules_service_pb2.ListVariantsResponse]:
    """Asks for the variants and their packs."""
    read = rules_service_pb2.ListVariantsResponse.FromString
    return Call(_path("RulesService", "ListVariants"), rules_service_pb2.ListVariantsRequest(), read, timeout)


def list_legal_moves(
    observation: deal_pb2.Observation | Json, timeout: float | None = None
) -> Call[rules_service_pb2.ListLegalMovesResponse]:
    """Asks for the legal moves of the observing seat."""
    message = message_of(deal_pb2.Observation, observation, "observation")
    request = rules_service_pb2.ListLegalMovesRequest(observation=message)
    return Call(
        _path("RulesService", "ListLegalMoves"), request, rules_service_pb2.ListLegalMovesResponse.FromString, timeout
    )


def validate_observation(
    observation: deal_pb2.Observation | Json, timeout: float | None = None
) -> Call[rules_service_pb2.ValidateObservationResponse]:
    """Asks for every fault of an observation."""
    message = message_of(deal_pb2.Observation, observation, "observation")
    request = rules_service_pb2.ValidateObservationRequest(observation=message)
    read = rules_service_pb2.ValidateObservationResponse.FromString
    return Call(_path("RulesService", "ValidateObservation"), request, read, timeout)


def new_deal(
    variant: str,
    *,
    seed: int | None = None,
    dealer: int | None = None,
    options: Mapping[str, str] | None = None,
    standing: deal_pb2.MatchStanding | Json | None = None,
    timeout: float | None = None,
) -> Call[rules_service_pb2.Deal]:
    """Asks for a shuffled deal.

    Args:
        variant: name of the variant.
        seed: seed of the shuffle; drawn if None.
        dealer: the seat that deals; drawn from the seed if None.
        options: rule options by name; those left out have their defaults.
        standing: the match before this deal, None before the first.
        timeout: seconds that the call may take, instead of the client's own.

    Raises:
        SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
    """
    fields = _asked(seed=seed, variant=variant, dealer=dealer, options=options)
    request = message_of(rules_service_pb2.NewDealRequest, fields, "")
    if standing is not None:
        request.standing.CopyFrom(message_of(deal_pb2.MatchStanding, standing, "standing"))

    def read(data: bytes) -> rules_service_pb2.Deal:
        return rules_service_pb2.NewDealResponse.FromString(data).deal

    return Call(_path("RulesService", "NewDeal"), request, read, timeout)


def replay_deal(
    deal: rules_service_pb2.Deal | Json,
    events: Iterable[deal_pb2.Event | Json] = (),
    *,
    include_decisions: bool = False,
    timeout: float | None = None,
) -> Call[rules_service_pb2.ReplayDealResponse]:
    """Asks where a deal stands after its moves.

    Args:
        deal: the hands as dealt.
        events: the moves made, with the discard face up.
        include_decisions: whether the answer tells what each seat knew before each of the moves.
        timeout: seconds that the call may take, instead of the client's own.

    Raises:
        SolverError: the server refused or failed; `InvalidCallError` if nothing could be sent.
    """
    request = message_of(rules_service_pb2.ReplayDealRequest, {"include_decisions": include_decisions}, "")
    _add_deal(request, deal, events)
    read = rules_service_pb2.ReplayDealResponse.FromString
    return Call(_path("RulesService", "ReplayDeal"), request, read, timeout)


# --- parts of requests


def _path(service: str, method: str) -> str:
    return f"/{PACKAGE}.{service}/{method}"


def _asked(*, seed: int | None, **fields: object) -> dict[str, object]:
    """Returns the fields that are given, always with a seed."""
    return without_none(seed=fresh_seed(seed), **fields)


def _seeded(
    request: solver_service_pb2.RecommendMoveRequest,
) -> solver_service_pb2.RecommendMoveRequest:
    """Returns a request that has a seed; the one given is left as it is."""
    if request.HasField("seed"):
        return request
    seeded = solver_service_pb2.RecommendMoveRequest(seed=fresh_seed())
    seeded.MergeFrom(request)
    return seeded


def _request_of(
    request: solver_service_pb2.RecommendMoveRequest | Json, path: str
) -> solver_service_pb2.RecommendMoveRequest:
    """Returns a request that is given as a message or in its JSON form, in which names may be short: "club"."""
    if isinstance(request, Mapping):
        short = {name: prefix for name, prefix in _PREFIXES.items() if name in request}
        request = {**request, **{name: full_name(prefix, request[name]) for name, prefix in short.items()}}
    return message_of(solver_service_pb2.RecommendMoveRequest, request, path)


def _recommend(
    request: solver_service_pb2.RecommendMoveRequest, timeout: float | None
) -> Call[solver_service_pb2.RecommendMoveResponse]:
    read = solver_service_pb2.RecommendMoveResponse.FromString
    return Call(_path("SolverService", "RecommendMove"), request, read, timeout)


def _add_deal(
    request: rules_service_pb2.ReplayDealRequest | review_service_pb2.ReviewDealRequest,
    deal: rules_service_pb2.Deal | Json,
    events: Iterable[deal_pb2.Event | Json],
) -> None:
    request.deal.CopyFrom(message_of(rules_service_pb2.Deal, deal, "deal"))
    for index, event in enumerate(_listed("events", events)):
        request.events.append(message_of(deal_pb2.Event, event, f"events[{index}]"))


def _listed(name: str, values: Iterable[Any]) -> list[Any]:
    """Returns the values of an argument; raises `InvalidCallError` for what is no list."""
    if not isinstance(values, Iterable) or isinstance(values, (str, Mapping)):
        raise InvalidCallError.about([(name, f"a list of {name} is needed")])
    found = list(values)
    if len(found) > MOST_ENTRIES:
        raise InvalidCallError.about([(name, f"{len(found)} are too many: at most {MOST_ENTRIES} are looked at")])
    return found
