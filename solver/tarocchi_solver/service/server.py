"""Builds, starts and stops the gRPC server."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi.solver.v1.review_service_pb2_grpc import add_ReviewServiceServicer_to_server
from tarocchi.solver.v1.rules_service_pb2_grpc import add_RulesServiceServicer_to_server
from tarocchi.solver.v1.solver_service_pb2_grpc import add_SolverServiceServicer_to_server
from tarocchi_solver.addresses import is_loopback, is_unix, split_address
from tarocchi_solver.search import warm_up
from tarocchi_solver.service.address import require_free
from tarocchi_solver.service.calls import Readiness, Stage, UnreadableRequests
from tarocchi_solver.service.config import ConfigError, ServerConfig
from tarocchi_solver.service.handlers import Arrivals
from tarocchi_solver.service.metrics import Metrics, MetricsDoor
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.records import OTHER_METHOD, told
from tarocchi_solver.service.review_service import ReviewServicer
from tarocchi_solver.service.rules_service import RulesServicer
from tarocchi_solver.service.security import Gate, server_credentials
from tarocchi_solver.service.signals import noted_signals
from tarocchi_solver.service.solver_service import FIRST_ESTIMATES, SolverServicer
from tarocchi_solver.service.telemetry import Telemetry, Watch
from tarocchi_solver.service.threads import CallThreads
from tarocchi_solver.service.watching import BoundedHealth

log = logging.getLogger(__name__)

_SERVICES: Final = (
    solver_service_pb2.DESCRIPTOR.services_by_name["SolverService"],
    rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"],
    review_service_pb2.DESCRIPTOR.services_by_name["ReviewService"],
)
SERVICE_NAMES: Final = tuple(service.full_name for service in _SERVICES)
METHODS: Final = {
    f"/{service.full_name}/{method.name}": method.name for service in _SERVICES for method in service.methods
}
"""The bare names of all methods by their paths."""
_LAST_ANSWERS_SECONDS: Final = 2.0
"""After the grace period: half of it for the answers, the rest to send them."""
_SIGNAL_POLL_SECONDS: Final = 0.05
_CALLS_PER_THREAD: Final = 16
_WATCHERS_PER_THREAD: Final = 4
_COMPILING_SECONDS: Final = 20.0
"""Between two lines about a warm-up that takes long."""
_HANDSHAKE_SECONDS: Final = 10
"""A connection that has not agreed on its keys by then is closed."""


class SolverServer:
    """The service on one address. Serves from `start` on, answers once its kernels are compiled and tested."""

    def __init__(self, config: ServerConfig | None = None, warm_up: Callable[[], None] = warm_up) -> None:
        """Builds the server and binds its address.

        Args:
            config: settings; the defaults listen on the loopback interface.
            warm_up: compiles and tests the kernels; raises if they are no good.

        Raises:
            OSError: the address is malformed or taken.
            ConfigError: other settings cannot be, or files of certificates cannot be used; every fault is told.
        """
        self.config = config or ServerConfig()
        split_address(self.config.address)
        if faults := self.config.find_faults():
            raise ConfigError(faults)
        self._credentials = server_credentials(self.config)
        self.gate = Gate(self.config.tokens) if self.config.tokens else None
        self.arrivals = Arrivals()
        self.readiness = Readiness()
        self._warm_up = warm_up
        self.metrics = Metrics(
            (*METHODS.values(), OTHER_METHOD),
            (priority.label for priority in Priority),
            is_ready=lambda: self.readiness.stage is Stage.READY,
        )
        self._pools = SearchPools(self.config, FIRST_ESTIMATES, self.metrics)
        self._health_threads = ThreadPoolExecutor(2, thread_name_prefix="tarocchi-health")
        watchers = self.config.rpc_threads * _WATCHERS_PER_THREAD
        self._health = BoundedHealth(("", *SERVICE_NAMES), watchers, self._health_threads)
        self._call_threads = CallThreads(self.config.rpc_threads)
        self._server = self._build()
        self._metrics_door = self._bind_metrics()
        self.address = self._bind()

    def _build(self) -> grpc.Server:
        threads = self.config.rpc_threads
        server = grpc.server(
            self._call_threads,
            interceptors=[
                Watch(self.metrics, METHODS),
                *([self.gate] if self.gate else []),
                self.arrivals,
                UnreadableRequests(SERVICE_NAMES),
            ],
            options=[
                ("grpc.max_receive_message_length", self.config.request_size_limit),
                ("grpc.so_reuseport", 0),
                ("grpc.server_handshake_timeout_ms", _HANDSHAKE_SECONDS * 1000),
            ],
            maximum_concurrent_rpcs=threads * _CALLS_PER_THREAD,
        )
        telemetry = Telemetry(self.metrics, self.config.log_format, log_requests=self.config.log_requests)
        solver = SolverServicer(self.readiness, self._pools, self.config, telemetry)
        add_SolverServiceServicer_to_server(solver, server)
        add_RulesServiceServicer_to_server(RulesServicer(self.readiness, self._pools, self.config.event_limit), server)
        review = ReviewServicer(self.readiness, self._pools, self.config, telemetry)
        add_ReviewServiceServicer_to_server(review, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection((*SERVICE_NAMES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        return server

    def _bind(self) -> str:
        address = self.config.address
        host, port = split_address(address)
        require_free(address)
        try:
            if self._credentials is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, self._credentials)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: is it taken by another program? Choose another one") from error
        return address if is_unix(address) else f"{host}:{port}"

    def _bind_metrics(self) -> MetricsDoor | None:
        address = self.config.metrics_address
        if address is None:
            return None
        require_free(address)
        return MetricsDoor(address, self.metrics.registry)

    @property
    def metrics_address(self) -> str | None:
        """Where the metrics are shown; None for nowhere."""
        return self._metrics_door.address if self._metrics_door else None

    def start(self) -> None:
        """Starts to serve, and to compile in the background; returns at once."""
        self._server.start()
        log.info("listening on %s", self.address, extra=told("listening", address=self.address))
        if self._metrics_door is not None:
            self._metrics_door.start()
            url = f"http://{self._metrics_door.address}/metrics"
            log.info("metrics at %s", url, extra=told("metrics", url=url))
        if self._credentials is None and not is_loopback(self.address):
            log.warning("nothing is encrypted by this server on %s, as it was told", self.address)
        threading.Thread(target=self._become_ready, name="tarocchi-warm-up", daemon=True).start()

    def _become_ready(self) -> None:
        # the first start takes minutes on a busy machine
        log.info("compiling the kernels, or loading those compiled before", extra=told("compiling"))
        is_over = threading.Event()
        threading.Thread(
            target=self._tell_of_compiling, args=(is_over,), name="tarocchi-compiling", daemon=True
        ).start()
        try:
            self._warm_up()
        except Exception:
            log.exception("the kernels cannot be used", extra=told("self-test failed"))
            self.readiness.move_to(Stage.FAILED)
            return
        finally:
            is_over.set()
        if self.readiness.move_to(Stage.READY):
            self._health.set_all(serving=True)
            log.info("ready on %s", self.address, extra=told("ready", address=self.address))

    def _tell_of_compiling(self, is_over: threading.Event) -> None:
        """Logs now and then that the kernels are not ready yet."""
        started = time.monotonic()
        while not is_over.wait(_COMPILING_SECONDS) and self.readiness.stage is Stage.WARMING_UP:
            seconds = round(time.monotonic() - started)
            log.info("compiling the kernels, for %d s now: minutes on a busy machine", seconds, extra=told("compiling"))

    @property
    def admitted_searches(self) -> int:
        """Searches running or waiting."""
        return self._pools.admitted

    def wait_until_ready(self, timeout: float | None = None) -> bool:
        """Waits for the end of the warm-up; returns whether the server answers."""
        return self.readiness.wait_until_warm(timeout)

    def stop(self, grace: float | None = None) -> None:
        """Refuses new calls, lets running searches end within `grace` seconds (or cuts them short) and stops."""
        grace = self.config.grace_seconds if grace is None else grace
        log.info("stopping", extra=told("stopping"))
        self.readiness.move_to(Stage.DRAINING)
        self._health.enter_graceful_shutdown()
        started = time.monotonic()
        self._pools.drain(grace + _LAST_ANSWERS_SECONDS / 2)
        if not self._pools.wait_until_idle(grace):
            self._pools.stop_searches()
            self._pools.wait_until_idle(_LAST_ANSWERS_SECONDS / 2)
            self._pools.refuse_waiting()
        ended = self._server.stop(max(started + grace - time.monotonic(), 0.0) + _LAST_ANSWERS_SECONDS / 2)
        while not ended.wait(_SIGNAL_POLL_SECONDS):
            if not self._call_threads.begun:
                self._health.end_watches()
        self._pools.close()
        self._health_threads.shutdown(wait=False)
        if self._metrics_door is not None:
            self._metrics_door.stop()
        log.info("stopped", extra=told("stopped"))

    def run_until_signal(self, received: list[int] | None = None) -> bool:
        """Serves until SIGTERM or SIGINT, then stops gracefully; a second signal cuts running searches short.

        Must run in the main thread. Returns False if the server stopped because its kernels cannot be used.

        Args:
            received: grows with every signal, where somebody takes note of them already (`noted_signals`).
        """
        if received is None:
            with noted_signals() as received:
                return self.run_until_signal(received)
        self.start()
        while not received and self.readiness.stage is not Stage.FAILED:
            time.sleep(_SIGNAL_POLL_SECONDS)
        is_sound = self.readiness.stage is not Stage.FAILED
        stopping = threading.Thread(target=self.stop)
        stopping.start()
        is_hurried = False
        while stopping.is_alive():
            if len(received) > 1 and not is_hurried:
                is_hurried = True
                self._pools.stop_searches()
                self._server.stop(_LAST_ANSWERS_SECONDS)
            stopping.join(_SIGNAL_POLL_SECONDS)
        return is_sound
