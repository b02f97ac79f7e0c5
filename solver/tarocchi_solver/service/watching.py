"""The health service of gRPC, with a bound on what its watchers take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2

_UNKNOWN: Final = "there is no service of this name: ask about one that reflection lists, or about none for all of them"


class BoundedHealth(health.HealthServicer):
    """Tells the health of a few services to so many watchers; anybody may ask, also without a token."""

    def __init__(self, services: Iterable[str], most_watchers: int, threads: ThreadPoolExecutor) -> None:
        """Starts with all services as not serving.

        Args:
            services: their names; others are not found.
            most_watchers: watchers at the same time; more are refused.
            threads: where watching begins.
        """
        super().__init__(experimental_non_blocking=True, experimental_thread_pool=threads)
        self._services = frozenset(services)
        self._most_watchers = most_watchers
        self._watchers = 0
        self._watchers_lock = threading.Lock()
        self.set_all(serving=False)

    @property
    def watchers(self) -> int:
        """Watchers at present."""
        return self._watchers

    def set_all(self, *, serving: bool) -> None:
        """Sets the health of all services."""
        kind = health_pb2.HealthCheckResponse
        for name in self._services:
            self.set(name, kind.SERVING if serving else kind.NOT_SERVING)

    def end_watches(self) -> None:
        """Ends what is watched, after all that has been told."""
        base: Any = self  # which keeps them in attributes that its stubs do not have
        with base._lock:
            for tell in [tell for tells in base._send_response_callbacks.values() for tell in tells]:
                tell(None)

    def Check(self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext) -> Any:
        """Tells the health of a service now."""
        if request.service not in self._services:
            context.abort(grpc.StatusCode.NOT_FOUND, _UNKNOWN)
        return super().Check(request, context)

    def Watch(
        self,
        request: health_pb2.HealthCheckRequest,
        context: grpc.ServicerContext,
        send_response_callback: Callable[[Any], None] | None = None,
    ) -> Any:
        """Tells the health of a service now and whenever it changes."""
        # the base class would keep every name that it was ever asked about
        if request.service not in self._services:
            context.abort(grpc.StatusCode.NOT_FOUND, _UNKNOWN)
        with self._watchers_lock:
            is_one_too_many = self._watchers >= self._most_watchers
            self._watchers += not is_one_too_many
        if is_one_too_many:
            text = f"{self._most_watchers} watch already: ask with Check, or again in a moment"
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        if not context.add_callback(self._leave):
            self._leave()
            return None
        return super().Watch(request, context, send_response_callback)

    def _leave(self) -> None:
        with self._watchers_lock:
            self._watchers -= 1
