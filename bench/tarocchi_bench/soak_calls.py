"""The ways in which clients of a soak call: they ask, leave, are late, are slow, and break off."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from tarocchi.solver.v1 import review_service_pb2
from tarocchi.solver.v1 import solver_service_pb2 as pb
from tarocchi_bench.fuzz.real_requests import real_requests
from tarocchi_bench.relay import Relay
from tarocchi_engine import VARIANTS
from tarocchi_solver.client.channel import open_channel

FREE: Final = "free"
LIMITED: Final = "limited"
SECRETS: Final = {FREE: "soak-0123456789abcdef-free", LIMITED: "soak-0123456789abcdef-limited"}
UNKNOWN: Final = "soak-0123456789abcdef-unknown"
ENDLESS_SECONDS: Final = 60.0
"""After which a call that has not ended is taken for one that never ends."""
_SERVICES: Final = {
    **dict.fromkeys(("ListVariants", "ListLegalMoves", "ValidateObservation", "NewDeal", "ReplayDeal"), "RulesService"),
    **dict.fromkeys(("ReviewDeal",), "ReviewService"),
}
_STREAMS: Final = ("AnalyzePosition", "ReviewDeal")
_SEARCHED: Final = ("RecommendMove", "BatchRecommendMoves", "GetBeliefs")
_RULES: Final = ("ListVariants", "ListLegalMoves", "ValidateObservation", "NewDeal", "ReplayDeal", "GetServerInfo")
_BUSY: Final = ("OK", "RESOURCE_EXHAUSTED")
_MANY: Final = 10**8
"""Iterations of a search that does not end by itself."""
_SOON: Final = 0.04
"""Seconds after which a client has left at the latest."""
_ARRIVING_SECONDS: Final = 1.0
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
_DEALS: Final = 3


class Ledger:
    """Which calls were made and how they ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: Counter[str] = Counter()
        self._ended: dict[str, Counter[str]] = {}
        self._wrong: list[str] = []

    @property
    def calls(self) -> int:
        """Calls that were begun."""
        return sum(self._begun.values())

    def begin(self, way: str) -> None:
        """Notes that a call begins."""
        with self._lock:
            self._begun[way] += 1

    def end(self, way: str, code: str, allowed: frozenset[str], details: str = "") -> None:
        """Notes that a call has ended, with a status that is or is not among those allowed."""
        with self._lock:
            self._ended.setdefault(way, Counter())[code] += 1
            if code not in allowed:
                self._wrong.append(f"{way}: {code} {details}")

    def complain(self, way: str, text: str) -> None:
        """Notes that a call went wrong in another way."""
        with self._lock:
            self._wrong.append(f"{way}: {text}")

    def ended(self) -> dict[str, dict[str, int]]:
        """Returns how many calls ended with each status, by way."""
        with self._lock:
            return {way: dict(sorted(codes.items())) for way, codes in sorted(self._ended.items())}

    def wrong(self) -> list[str]:
        """Returns what went wrong, with the ways in which not as many calls ended as began."""
        ended = {way: sum(codes.values()) for way, codes in self.ended().items()}
        odd = [f"{way}: {begun} calls, {ended.get(way, 0)} ends" for way, begun in self._begun.items()]
        return self._wrong + [
            text for text, (way, begun) in zip(odd, self._begun.items(), strict=True) if ended.get(way, 0) != begun
        ]


class Calls:
    """Calls of one server; all clients share them."""

    def __init__(self, address: str, ledger: Ledger, seed: int) -> None:
        """Plays a few deals to ask about."""
        self._address = address
        self._ledger = ledger
        self._lock = threading.Lock()
        self.dropped_connections = 0
        draw = random.Random(seed)
        self._requests = [
            dict(real_requests(draw, variant, is_decision=True)) for variant in VARIANTS for _ in range(_DEALS)
        ]
        self._shared = self._open(FREE)
        self._limited = self._open(LIMITED)
        self._ways: tuple[tuple[Callable[[random.Random], None], int], ...] = (
            (self._ask_rules, 30),
            (self._search, 15),
            (self._cancel, 15),
            (self._with_deadline, 10),
            (self._ask_badly, 5),
            (self._read_slowly, 5),
            (self._leave_stream, 10),
            (self._close_channel, 4),
            (self._break_socket, 4),
            (self._beyond_limit, 10),
            (self._without_token, 3),
        )

    def _open(self, name: str) -> grpc.Channel:
        return open_channel(self._address, token=SECRETS.get(name, name))

    def hang_up(self) -> None:
        """Closes the channels and opens new ones, so that no connection is left of what was."""
        for channel in (self._shared, self._limited):
            channel.close()
        self._shared, self._limited = self._open(FREE), self._open(LIMITED)

    def make_one(self, draw: random.Random) -> None:
        """Makes a call in some way."""
        ways, weights = zip(*self._ways, strict=True)
        draw.choices(ways, weights)[0](draw)

    def search_once(self, is_live: bool) -> grpc.StatusCode:
        """Makes one search of either priority and returns how it ended."""
        _, request = self._any(random.Random(0), ("RecommendMove",), 1)
        request.priority = pb.PRIORITY_LIVE if is_live else pb.PRIORITY_ANALYSIS
        method: Any = self._shared.unary_unary(_path("RecommendMove"))
        call = method.future(request.SerializeToString(), timeout=ENDLESS_SECONDS)
        call.exception()
        code: grpc.StatusCode = call.code()
        return code

    def take_every_thread(self, count: int) -> None:
        """Lets the server start all of so many threads: each call keeps one as long as its request is on its way."""
        released = threading.Event()

        def requests() -> Iterator[bytes]:
            released.wait(ENDLESS_SECONDS)
            yield b""

        method: Any = self._shared.stream_unary(_path("GetServerInfo"))
        # the client's own channels send a token with single requests alone
        token = (("authorization", f"Bearer {SECRETS[FREE]}"),)
        calls = [method.future(requests(), timeout=ENDLESS_SECONDS, metadata=token) for _ in range(count)]
        time.sleep(_ARRIVING_SECONDS)
        released.set()
        for call in calls:
            call.result()

    # how a call is made

    def _begin(
        self, way: str, channel: grpc.Channel, method: str, request: Message, allowed: Iterable[str], timeout: float
    ) -> Any:
        """Begins a call, whose end the ledger hears of; returns it."""
        self._ledger.begin(way)
        data = request.SerializeToString()
        call: Any
        caller: Any
        if method in _STREAMS:
            caller = channel.unary_stream(_path(method))
            call = caller(data, timeout=timeout)
        else:
            caller = channel.unary_unary(_path(method))
            call = caller.future(data, timeout=timeout)
        may = frozenset(allowed)

        def end(_call: object = None) -> None:
            self._ledger.end(way, call.code().name, may, call.details() or "")

        call.add_done_callback(end)
        return call

    def _make(
        self,
        way: str,
        method: str,
        request: Message,
        allowed: Iterable[str] = _BUSY,
        channel: grpc.Channel | None = None,
        timeout: float = ENDLESS_SECONDS,
    ) -> None:
        """Makes a call and waits for its end."""
        call = self._begin(way, channel or self._shared, method, request, allowed, timeout)
        with contextlib.suppress(grpc.RpcError, grpc.FutureCancelledError):
            if method in _STREAMS:
                self._read(way, method, call)
            else:
                call.result()

    def _read(self, way: str, method: str, call: Iterable[bytes], pause: float = 0.0) -> None:
        """Reads a stream to its end, which has to be marked as such."""
        marks = []
        for data in call:
            time.sleep(pause)
            if method == "AnalyzePosition":
                marks.append(pb.AnalyzePositionResponse.FromString(data).final)
            else:
                marks.append(review_service_pb2.ReviewDealResponse.FromString(data).HasField("summary"))
        if marks.count(True) != 1 or not marks[-1]:
            self._ledger.complain(way, f"{method} answers with {marks.count(True)} ends in {len(marks)} parts")

    def _any(self, draw: random.Random, methods: Sequence[str], iterations: int) -> tuple[str, Any]:
        """Returns a method and a request for it, whose searches have so many iterations."""
        method = draw.choice(methods)
        request: Any = type(message := draw.choice(self._requests)[method])()
        request.CopyFrom(message)
        if "budget" in request.DESCRIPTOR.fields_by_name:
            request.budget.CopyFrom(pb.Budget(iterations=iterations))
        for entry in getattr(request, "requests", ()):
            entry.budget.CopyFrom(pb.Budget(iterations=iterations))
        return method, request

    # the ways of calling

    def _ask_rules(self, draw: random.Random) -> None:
        self._make("rules", *self._any(draw, _RULES, 0), allowed=("OK",))

    def _search(self, draw: random.Random) -> None:
        self._make("search", *self._any(draw, (*_SEARCHED, *_STREAMS), draw.choice((1, 50, 500))))

    def _cancel(self, draw: random.Random) -> None:
        method, request = self._any(draw, _SEARCHED, _MANY)
        call = self._begin("cancel", self._shared, method, request, (*_BUSY, "CANCELLED"), ENDLESS_SECONDS)
        time.sleep(draw.uniform(0, _SOON))
        call.cancel()

    def _with_deadline(self, draw: random.Random) -> None:
        timeout = draw.choice((0.001, 0.02, 0.1, 0.3))
        allowed = (*_BUSY, "DEADLINE_EXCEEDED")
        self._make("deadline", *self._any(draw, (*_SEARCHED, *_STREAMS), _MANY), allowed=allowed, timeout=timeout)

    def _ask_badly(self, draw: random.Random) -> None:
        _, request = self._any(draw, ("RecommendMove",), 1)
        request.observation.hand.append("XX")
        self._make("bad request", "RecommendMove", request, allowed=("INVALID_ARGUMENT",))

    def _read_slowly(self, draw: random.Random) -> None:
        method, request = self._any(draw, _STREAMS, 200)
        if method == "AnalyzePosition":
            request.interval.FromMilliseconds(20)
            request.budget.CopyFrom(pb.Budget())
            request.budget.duration.FromMilliseconds(200)
        call = self._begin("slow reader", self._shared, method, request, _BUSY, ENDLESS_SECONDS)
        with contextlib.suppress(grpc.RpcError):
            self._read("slow reader", method, call, pause=draw.choice((0.005, 0.03)))

    def _leave_stream(self, draw: random.Random) -> None:
        method, request = self._any(draw, _STREAMS, _MANY)
        call = self._begin("leave stream", self._shared, method, request, (*_BUSY, "CANCELLED"), ENDLESS_SECONDS)
        leave = threading.Timer(draw.choice((0.0, _SOON, 5 * _SOON)), call.cancel)
        leave.start()
        with contextlib.suppress(grpc.RpcError):
            for _ in call:
                pass
        leave.join()

    def _close_channel(self, draw: random.Random) -> None:
        with self._open(FREE) as channel:
            self._begin_some("closed channel", channel, draw, ("CANCELLED",))
            time.sleep(draw.uniform(0, _SOON))

    def _break_socket(self, draw: random.Random) -> None:
        with Relay(self._address) as relay, open_channel(relay.address, token=SECRETS[FREE]) as channel:
            self._begin_some("broken connection", channel, draw, ("UNAVAILABLE", "CANCELLED"))
            time.sleep(draw.uniform(0, _SOON))
            relay.snap()
        host, _, port = self._address.rpartition(":")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port))) as stranger:
            stranger.sendall(_PREFACE[: draw.randrange(len(_PREFACE) + 1)] + draw.randbytes(draw.choice((0, 9, 300))))
        with self._lock:
            self.dropped_connections += 2

    def _begin_some(self, way: str, channel: grpc.Channel, draw: random.Random, allowed: Iterable[str]) -> None:
        for _ in range(draw.randint(1, 3)):
            method, request = self._any(draw, (*_SEARCHED, *_STREAMS), _MANY)
            self._begin(way, channel, method, request, (*_BUSY, *allowed), ENDLESS_SECONDS)

    def _beyond_limit(self, draw: random.Random) -> None:
        self._make("limited token", *self._any(draw, _RULES, 0), channel=self._limited)

    def _without_token(self, draw: random.Random) -> None:
        with self._open(UNKNOWN) as channel:
            self._make("unknown token", *self._any(draw, _RULES, 0), allowed=("UNAUTHENTICATED",), channel=channel)


def _path(method: str) -> str:
    return f"/tarocchi.solver.v1.{_SERVICES.get(method, 'SolverService')}/{method}"
