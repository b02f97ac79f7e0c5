"""Builds, starts and stops the gRPC server."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2, solver_service_pb2
from tarocchi.solver.v1.review_service_pb2_grpc import add_ReviewServiceServicer_to_server
from tarocchi.solver.v1.rules_service_pb2_grpc import add_RulesServiceServicer_to_server
from tarocchi.solver.v1.solver_service_pb2_grpc import add_SolverServiceServicer_to_server
from tarocchi_solver.search import warm_up
from tarocchi_solver.service.address import require_free, split_address
from tarocchi_solver.service.calls import Readiness, Stage, UnreadableRequests
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.pools import SearchPools
from tarocchi_solver.service.review_service import ReviewServicer
from tarocchi_solver.service.rules_service import RulesServicer
from tarocchi_solver.service.solver_service import FIRST_ESTIMATES, SolverServicer

log = logging.getLogger(__name__)

SERVICE_NAMES: Final = (
    solver_service_pb2.DESCRIPTOR.services_by_name["SolverService"].full_name,
    rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
    review_service_pb2.DESCRIPTOR.services_by_name["ReviewService"].full_name,
)
_LAST_ANSWERS_SECONDS: Final = 2.0
"""After the grace period: half of it for the answers, the rest to send them."""
_SIGNAL_POLL_SECONDS: Final = 0.05
_CALLS_PER_THREAD: Final = 16


class SolverServer:
    """The service on one address. Serves from `start` on, answers once its kernels are compiled and tested."""

    def __init__(self, config: ServerConfig | None = None, warm_up: Callable[[], None] = warm_up) -> None:
        """Builds the server and binds its address.

        Args:
            config: settings; the defaults listen on the loopback interface.
            warm_up: compiles and tests the kernels; raises if they are no good.

        Raises:
            OSError: the address is malformed or taken.
        """
        self.config = config or ServerConfig()
        self.readiness = Readiness()
        self._warm_up = warm_up
        self._pools = SearchPools(self.config, FIRST_ESTIMATES)
        self._health_threads = ThreadPoolExecutor(2, thread_name_prefix="tarocchi-health")
        self._health = health.HealthServicer(
            experimental_non_blocking=True, experimental_thread_pool=self._health_threads
        )
        self._server = self._build()
        self._set_health(serving=False)
        self.address = self._bind()

    def _build(self) -> grpc.Server:
        threads = self.config.rpc_threads
        server = grpc.server(
            ThreadPoolExecutor(threads, thread_name_prefix="tarocchi-rpc"),
            interceptors=[UnreadableRequests(SERVICE_NAMES)],
            options=[
                ("grpc.max_receive_message_length", self.config.request_size_limit),
                ("grpc.so_reuseport", 0),
            ],
            maximum_concurrent_rpcs=threads * _CALLS_PER_THREAD,
        )
        solver = SolverServicer(self.readiness, self._pools, self.config)
        add_SolverServiceServicer_to_server(solver, server)
        add_RulesServiceServicer_to_server(RulesServicer(self.readiness), server)
        review = ReviewServicer(self.readiness, self._pools, self.config)
        add_ReviewServiceServicer_to_server(review, server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection((*SERVICE_NAMES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        return server

    def _bind(self) -> str:
        address = self.config.address
        host, port = split_address(address)
        require_free(address)
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: is it taken by another program?") from error
        return f"{host}:{port}"

    def start(self) -> None:
        """Starts to serve, and to compile in the background; returns at once."""
        self._server.start()
        log.info("listening on %s", self.address)
        threading.Thread(target=self._become_ready, name="tarocchi-warm-up", daemon=True).start()

    def _become_ready(self) -> None:
        try:
            self._warm_up()
        except Exception:
            log.exception("the kernels cannot be used")
            self.readiness.move_to(Stage.FAILED)
            return
        if self.readiness.move_to(Stage.READY):
            self._set_health(serving=True)
            log.info("ready on %s", self.address)

    def _set_health(self, *, serving: bool) -> None:
        kind = health_pb2.HealthCheckResponse
        for name in ("", *SERVICE_NAMES):
            self._health.set(name, kind.SERVING if serving else kind.NOT_SERVING)

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
        log.info("stopping")
        self.readiness.move_to(Stage.DRAINING)
        self._health.enter_graceful_shutdown()
        started = time.monotonic()
        self._pools.drain(grace + _LAST_ANSWERS_SECONDS / 2)
        if not self._pools.wait_until_idle(grace):
            self._pools.stop_searches()
            self._pools.wait_until_idle(_LAST_ANSWERS_SECONDS / 2)
            self._pools.refuse_waiting()
        self._server.stop(max(started + grace - time.monotonic(), 0.0) + _LAST_ANSWERS_SECONDS / 2).wait()
        self._pools.close()
        self._health_threads.shutdown(wait=False)

    def run_until_signal(self) -> bool:
        """Serves until SIGTERM or SIGINT, then stops gracefully; a second signal cuts running searches short.

        Must run in the main thread. Returns False if the server stopped because its kernels cannot be used.
        """
        received: list[int] = []
        # a handler that took a lock could meet itself holding it
        before = {
            number: signal.signal(number, lambda number, frame: received.append(number))
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            self.start()
            while not received and self.readiness.stage is not Stage.FAILED:
                time.sleep(_SIGNAL_POLL_SECONDS)
            is_sound = self.readiness.stage is not Stage.FAILED
            stopping = threading.Thread(target=self.stop)
            stopping.start()
            while stopping.is_alive():
                if len(received) > 1:
                    self._pools.stop_searches()
                stopping.join(_SIGNAL_POLL_SECONDS)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return is_sound
