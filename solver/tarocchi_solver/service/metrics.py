"""What a server counts and measures, in a registry of its own, for Prometheus."""

from __future__ import annotations

import functools
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import grpc
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector, make_wsgi_app

from tarocchi_engine import VARIANTS
from tarocchi_solver import __version__
from tarocchi_solver.addresses import split_address
from tarocchi_solver.service.decisions import Decision
from tarocchi_solver.service.records import Call, Trace

_CALL_BUCKETS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 300)
_QUEUE_BUCKETS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60)
_REQUEST_SECONDS: Final = 10
"""Who takes longer to ask for the metrics is not answered."""


class Metrics:
    """The metrics of one server; servers share none."""

    def __init__(self, methods: Iterable[str], priorities: Iterable[str], *, is_ready: Callable[[], bool]) -> None:
        """Starts with everything at 0.

        Args:
            methods: their bare names.
            priorities: the names of the pools.
            is_ready: tells whether the server answers.
        """
        self.registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"tarocchi_{name}", text, labels, registry=self.registry)

        def gauge(name: str, text: str, *labels: str) -> Gauge:
            return Gauge(f"tarocchi_{name}", text, labels, registry=self.registry)

        def histogram(name: str, text: str, label: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"tarocchi_{name}", text, (label,), buckets=buckets, registry=self.registry)

        calls = counter("calls", "Calls that have ended, by status code and reason.", "method", "code", "reason")
        call_seconds = histogram(
            "call_duration_seconds", "Time from the start of a call to its end.", "method", _CALL_BUCKETS
        )
        open_calls = gauge("calls_in_progress", "Calls under way, streams included.", "method")
        open_streams = gauge("streams_open", "Streams of answers under way.", "method")
        # the search for the series of some labels takes longer than counting
        self._calls = functools.cache(calls.labels)
        self._call_seconds = functools.cache(call_seconds.labels)
        self._open_calls = functools.cache(open_calls.labels)
        self._open_streams = functools.cache(open_streams.labels)
        self._queue_seconds = histogram(
            "queue_duration_seconds", "Time that searches waited before they began.", "priority", _QUEUE_BUCKETS
        )
        self._search_seconds = histogram(
            "search_duration_seconds", "Time that searches took, cancelled ones included.", "priority", _CALL_BUCKETS
        )
        self._minimums = counter("minimum_answers", "Searches for which there was time for the least only.", "priority")
        self._decisions = counter(
            "decisions", "Decisions answered by a search, by what ended it.", "method", "variant", "stop_reason"
        )
        self._iterations = counter("search_iterations", "Iterations behind the answers.", "variant")
        self._worlds = counter("search_worlds", "Sampled or listed deals behind the answers.", "variant")
        self._exact = counter("exact_solves", "Deals solved to the end for the answers.", "variant")
        self._rejected = counter(
            "rejected_worlds", "Drawn deals that were thrown away because of what has been shown.", "variant"
        )
        self._running = gauge("searches_running", "Searches that run now.", "priority")
        self._waiting = gauge("searches_waiting", "Searches that wait for their turn.", "priority")
        gauge("ready", "Whether calls are answered: 1 once warm and until the server stops, else 0.").set_function(
            lambda: float(is_ready())
        )
        build = Info("tarocchi_build", "The version of the solver.", registry=self.registry)
        build.info({"version": __version__})
        revisions = gauge("rules_revision", "The revision of the rules of a variant.", "variant")
        for name, variant in VARIANTS.items():
            revisions.labels(name).set(variant.rules_revision)
            for counted in (self._iterations, self._worlds, self._exact, self._rejected):
                counted.labels(name)
        for method in methods:
            open_calls.labels(method)
            call_seconds.labels(method)
        for priority in priorities:
            for measured in (self._queue_seconds, self._search_seconds, self._minimums):
                measured.labels(priority)
        ProcessCollector(registry=self.registry)

    def watch_pool(self, priority: str, running: Callable[[], int], waiting: Callable[[], int]) -> None:
        """Tells the searches of a pool whenever they are asked for."""
        self._running.labels(priority).set_function(lambda: float(running()))
        self._waiting.labels(priority).set_function(lambda: float(waiting()))

    def begin(self, call: Call, *, is_stream: bool) -> None:
        """Counts a call that begins."""
        self._open_calls(call.method).inc()
        if is_stream:
            self._open_streams(call.method).inc()

    def end(self, call: Call, *, seconds: float, is_stream: bool, is_counted: bool) -> None:
        """Counts a call that has begun and now ends; one that is not counted is only under way no more."""
        self._open_calls(call.method).dec()
        if is_stream:
            self._open_streams(call.method).dec()
        if not is_counted:
            return
        code = grpc.StatusCode.UNKNOWN if call.code is None else call.code
        self._calls(call.method, code.name, call.reason).inc()
        self._call_seconds(call.method).observe(seconds)

    def searched(self, priority: str, trace: Trace) -> None:
        """Counts a search that has ended, whatever came of it."""
        self._queue_seconds.labels(priority).observe(trace.queue_seconds)
        self._search_seconds.labels(priority).observe(trace.search_seconds)
        if trace.is_minimum:
            self._minimums.labels(priority).inc()

    def decided(self, method: str, decision: Decision) -> None:
        """Counts the answer to a decision."""
        found = decision.diagnostics
        if found is None:
            return
        variant = decision.variant
        self._decisions.labels(method, variant, decision.stop_reason).inc()
        self._iterations.labels(variant).inc(found.iterations)
        self._worlds.labels(variant).inc(found.worlds)
        self._exact.labels(variant).inc(found.exact_solves)
        self._rejected.labels(variant).inc(found.rejected_worlds)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _ServerOfSix(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = _REQUEST_SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""


class MetricsDoor:
    """Shows the metrics over HTTP, unencrypted, to whoever reaches the address."""

    def __init__(self, address: str, registry: CollectorRegistry) -> None:
        """Binds the address; raises `OSError` if it is taken."""
        host, port = split_address(address)
        kinds: Mapping[bool, type[_Server]] = {True: _ServerOfSix, False: _Server}
        kind = kinds[":" in host]
        self._http = make_server(host.strip("[]"), port, make_wsgi_app(registry), kind, _Handler)
        self.address = f"{host}:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, name="tarocchi-metrics", daemon=True)

    def start(self) -> None:
        """Answers from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Answers no more, and gives the address back."""
        if self._thread.is_alive():
            self._http.shutdown()
        self._http.server_close()
