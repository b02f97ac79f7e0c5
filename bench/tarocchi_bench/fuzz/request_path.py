"""The path of a request through the service without a network: bytes come in, an outcome goes out.

The handlers are those of a server, with the interceptor that reads the bytes; only threads and sockets of gRPC are
left out, so that a million requests take minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi.solver.v1.review_service_pb2_grpc import add_ReviewServiceServicer_to_server
from tarocchi.solver.v1.rules_service_pb2_grpc import add_RulesServiceServicer_to_server
from tarocchi.solver.v1.solver_service_pb2_grpc import add_SolverServiceServicer_to_server
from tarocchi_bench.fuzz.paths import is_path
from tarocchi_solver.search import Budget
from tarocchi_solver.service.calls import Readiness, Stage, UnreadableRequests
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.errors import DETAILS_BYTES, DOMAIN
from tarocchi_solver.service.metrics import Metrics
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.review_service import ReviewServicer
from tarocchi_solver.service.rules_service import RulesServicer
from tarocchi_solver.service.server import SERVICE_NAMES
from tarocchi_solver.service.solver_service import FIRST_ESTIMATES, SolverServicer
from tarocchi_solver.service.telemetry import Telemetry

TINY: Final = Budget(worlds=2, iterations=16, time_ms=20)
"""What a search may take here."""
BATCH_LIMIT: Final = 3
DETAILS_KEY: Final = "grpc-status-details-bin"
REFUSALS: Final = frozenset({grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION})
"""How a request may be refused by a server that is ready and idle."""
_FILES: Final = (solver_service_pb2, rules_service_pb2, review_service_pb2)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request."""

    code: str
    """OK, or the name of the status."""
    told: tuple[tuple[str, str], ...] = ()
    """Field and reason of every violation, or the reason of the status alone."""
    complaint: str = ""
    """What is wrong with it as an outcome; empty if nothing is."""


class _Aborted(Exception):
    """Ends a call, as gRPC does."""

    def __init__(self, code: grpc.StatusCode, details: str, metadata: Sequence[tuple[str, Any]]) -> None:
        super().__init__(code, details)
        self.code = code
        self.metadata = dict(metadata)


class _Call:
    """Stands in for the context of a call without a deadline, whose client waits."""

    def __init__(self) -> None:
        self._metadata: Sequence[tuple[str, Any]] = ()

    def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        raise _Aborted(code, details, self._metadata)

    def is_active(self) -> bool:
        return True

    def time_remaining(self) -> float | None:
        return None

    def add_callback(self, callback: Callable[[], None]) -> bool:
        return True

    def send_initial_metadata(self, metadata: object) -> None:
        pass

    def set_trailing_metadata(self, metadata: Sequence[tuple[str, Any]]) -> None:
        self._metadata = metadata


class _Handlers(UnreadableRequests):
    """Takes the place of a server to which servicers are added, and keeps their handlers."""

    def __init__(self) -> None:
        super().__init__(SERVICE_NAMES)
        self.found: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        pass

    def add_registered_method_handlers(self, service: str, handlers: dict[str, Any]) -> None:
        for name, handler in handlers.items():
            details: Any = _Details(f"/{service}/{name}")
            read = self.intercept_service(lambda _details, handler=handler: handler, details)  # type: ignore[misc]
            assert read is not None
            self.found[name] = read


@dataclass(frozen=True, slots=True)
class _Details:
    method: str


class RequestPath:
    """The methods of all services, with budgets for searches that take no time worth mentioning."""

    def __init__(self) -> None:
        self.requests: dict[str, type[Message]] = {
            method.name: GetMessageClass(method.input_type)
            for file in _FILES
            for service in file.DESCRIPTOR.services_by_name.values()
            for method in service.methods
        }
        """The kind of request of every method."""
        config = ServerConfig(
            concurrent_searches=1,
            concurrent_analyses=1,
            default_budget=TINY,
            maximum_budget=TINY,
            batch_size_limit=BATCH_LIMIT,
        )
        readiness = Readiness()
        readiness.move_to(Stage.READY)
        metrics = Metrics(self.requests, (priority.label for priority in Priority), is_ready=lambda: True)
        telemetry = Telemetry(metrics)
        self._pools = SearchPools(config, FIRST_ESTIMATES, metrics)
        handlers: Any = _Handlers()
        add_SolverServiceServicer_to_server(SolverServicer(readiness, self._pools, config, telemetry), handlers)
        add_RulesServiceServicer_to_server(RulesServicer(readiness, self._pools, config.event_limit), handlers)
        add_ReviewServiceServicer_to_server(ReviewServicer(readiness, self._pools, config, telemetry), handlers)
        self._handlers: dict[str, Any] = handlers.found

    @property
    def admitted(self) -> int:
        """Searches running or waiting; 0 between two requests."""
        return self._pools.admitted

    def close(self) -> None:
        """Lets the threads of the searches go."""
        self._pools.close()

    def outcome(self, method: str, data: bytes) -> Outcome:
        """Serves a request and returns what came of it, whatever that is."""
        handler = self._handlers[method]
        kind: Any = self.requests[method].DESCRIPTOR
        context = _Call()
        try:
            request = handler.request_deserializer(data)
            behavior = handler.unary_stream or handler.unary_unary
            answers = behavior(request, context) if handler.unary_stream else [behavior(request, context)]
            told: tuple[tuple[str, str], ...] = ()
            for answer in answers:
                handler.response_serializer(answer)
                told = tuple((entry.field, entry.reason) for entry in getattr(answer, "violations", ()))
        except _Aborted as aborted:
            return _refusal(kind, aborted)
        except Exception as error:
            return Outcome("CRASH", complaint=f"the handler raised {error!r}")
        wrong = [field for field, _ in told if not is_path(kind, field)]
        return Outcome("OK", told, f"no fields of the request: {wrong}" if wrong else self._left_behind())

    def _left_behind(self) -> str:
        # the thread of a search hands its result over before it is idle
        end = time.monotonic() + 1
        while self.admitted and time.monotonic() < end:
            time.sleep(0.0001)
        return f"{self.admitted} searches are left behind" if self.admitted else ""


def _refusal(request: Any, aborted: _Aborted) -> Outcome:
    """Returns the outcome of a call that ended with a status, with what is wrong about that."""
    code = aborted.code.name
    cause = aborted.__context__
    packed = aborted.metadata.get(DETAILS_KEY, b"")
    complaints = []
    if aborted.code not in REFUSALS:
        complaints.append(f"{code} because of {cause!r}")
    if len(packed) > DETAILS_BYTES + 1000:
        complaints.append(f"{len(packed)} bytes of details")
    info, faults = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status_pb2.Status.FromString(packed).details:
        _ = detail.Unpack(info) or detail.Unpack(faults)
    told = tuple((entry.field, entry.reason) for entry in faults.field_violations)
    complaints += list(_flaws(request, info, faults))
    if bool(told) != (aborted.code is grpc.StatusCode.INVALID_ARGUMENT):
        complaints.append(f"{len(told)} violations with {code}")
    return Outcome(code, told or (("", info.reason),), "; ".join(complaints))


def _flaws(request: Any, info: error_details_pb2.ErrorInfo, faults: error_details_pb2.BadRequest) -> Iterator[str]:
    if not info.reason or info.domain != DOMAIN:
        yield "no reason"
    for entry in faults.field_violations:
        if not entry.reason or not entry.description:
            yield f"nothing is said about {entry.field!r}"
        # a request that cannot be read has no fields
        if not is_path(request, entry.field) and entry.reason != "UNREADABLE_REQUEST":
            yield f"no field of the request: {entry.field!r}"
