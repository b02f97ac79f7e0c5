"""Calls a server for a while in every way that clients have, good and bad, and looks what is left of it.

The server runs in a process of its own, the clients here. Each call has to end once, with an answer or with a status
that its way of calling allows; and at the end the server has to be as it was when it had warmed up.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grpc

from tarocchi_bench.memory_trend import Trend, trend_of
from tarocchi_bench.server_process import ServerProcess
from tarocchi_bench.soak_calls import FREE, SECRETS, Calls, Ledger
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.settings import variable_of

CLIENTS: Final = 16
SEARCHES: Final = 2
QUEUE_SIZE: Final = 6
RATE_LIMIT: Final = 100
GROWTH_BAR: Final = 32.0
"""MiB by which the most memory that the server takes may be more than in the warm phase: searches that happen to run at
the same time make about so much of a difference, and calls that leave something behind show in a soak of minutes."""
FEW_BAR: Final = 4
"""Threads and sockets of gRPC's own, which come and go."""
SETTLE_SECONDS: Final = 20.0
IDLE_CPU: Final = 0.1
"""Seconds of a processor that an idle server takes in a second at most."""
_WARM_SHARE: Final = 0.4
_SAMPLE_SECONDS: Final = 0.1
_CONFIG: Final = ServerConfig(
    concurrent_searches=SEARCHES,
    concurrent_analyses=SEARCHES,
    queue_size=QUEUE_SIZE,
    analysis_queue_size=QUEUE_SIZE,
    long_calls=4,
)
_SETTINGS: Final = {
    variable_of(name): str(getattr(_CONFIG, name))
    for name in ("concurrent_searches", "concurrent_analyses", "queue_size", "analysis_queue_size", "long_calls")
}
_TOKENS: Final = "".join(
    f'[[tokens]]\nname = "{name}"\nsecret = "{secret}"\n'
    + (f"requests_per_second = {RATE_LIMIT}\nconcurrent_requests = 4\n" if name != FREE else "")
    for name, secret in SECRETS.items()
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What a server takes when it is idle, after some time of calls."""

    memory_mib: float
    most_memory_mib: float
    """During the calls."""
    threads: int
    open_files: int


@dataclass(frozen=True, slots=True)
class Report:
    """What was done and what is left of it."""

    seconds: float
    calls: int
    ended: dict[str, dict[str, int]]
    """By way of calling, how many calls ended with each status."""
    dropped_connections: int
    wrong: list[str]
    """Calls that ended in another way than they may, or not once; the first of them."""
    warm: Condition
    """After the warm phase."""
    end: Condition
    trend: Trend | None
    """Of memory while the calls were made, after the warm phase; None if that was too short."""
    idle_cpu: float
    """Seconds of a processor that the server takes in a second at the end."""
    refused_places: int
    """Searches that found no place at the end, of as many as there are places."""
    log_errors: list[str]
    bars: dict[str, bool]

    @property
    def is_sound(self) -> bool:
        """Whether all bars are met."""
        return all(self.bars.values())

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        plain = asdict(self)
        if self.trend is not None:
            plain["trend"]["is_flat"] = self.trend.is_flat
        return plain


def soak(seconds: float, seed: int = 1) -> Report:
    """Returns the report of so many seconds of calls, to which the time to start and to settle is added."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "server.toml"
        config.write_text(_TOKENS, "utf-8")
        settings = {**_SETTINGS, "TAROCCHI_CONFIG": str(config)}
        with ServerProcess(folder, settings, token=SECRETS[FREE]) as server:
            return _soak(server, seconds, seed)


def _soak(server: ServerProcess, seconds: float, seed: int) -> Report:
    ledger = Ledger()
    calls = Calls(server.address, ledger, seed)
    calls.take_every_thread(_CONFIG.rpc_threads)
    # all ways of calling have been gone once before anything is measured
    warm = _settled(server, _most(_call_for(server, calls, ledger, seconds * _WARM_SHARE, seed)))
    samples = _call_for(server, calls, ledger, seconds * (1 - _WARM_SHARE), seed + 1)
    trend = trend_of(samples)
    end = _settled(server, _most(samples), warm)
    before = server.cpu_seconds()
    time.sleep(1)
    idle_cpu = server.cpu_seconds() - before
    refused = _refused_places(calls)
    log = server.log()
    errors = [line for line in log.splitlines() if "Traceback" in line or "INTERNAL" in line or " failed" in line]
    wrong = ledger.wrong()
    return Report(
        seconds=seconds,
        calls=ledger.calls,
        ended=ledger.ended(),
        dropped_connections=calls.dropped_connections,
        wrong=wrong[:20],
        warm=warm,
        end=end,
        trend=trend,
        idle_cpu=idle_cpu,
        refused_places=refused,
        log_errors=errors[:20],
        bars={
            "every call ended once and as it may": not wrong,
            "memory is bounded": end.most_memory_mib - warm.most_memory_mib <= GROWTH_BAR,
            "memory does not rise": trend is None or not trend.is_rising,
            "no thread is left": end.threads <= warm.threads + FEW_BAR,
            "no socket is left": end.open_files <= warm.open_files + FEW_BAR,
            "no search is left": idle_cpu <= IDLE_CPU and refused == 0,
            "no error in the log": not errors,
        },
    )


def _call_for(
    server: ServerProcess, calls: Calls, ledger: Ledger, seconds: float, seed: int
) -> list[tuple[int, float]]:
    """Lets all clients call for so many seconds; returns samples of the calls made so far and the server's MiB."""
    end = time.monotonic() + seconds
    samples = [(ledger.calls, server.memory_mib())]

    def work(number: int) -> None:
        draw = random.Random(f"{seed}:{number}")
        while time.monotonic() < end:
            calls.make_one(draw)

    with ThreadPoolExecutor(CLIENTS, thread_name_prefix="soak") as clients:
        running = [clients.submit(work, number) for number in range(CLIENTS)]
        while not all(each.done() for each in running):
            samples.append((ledger.calls, server.memory_mib()))
            time.sleep(_SAMPLE_SECONDS)
        for each in running:
            each.result()
    calls.hang_up()
    return samples


def _most(samples: list[tuple[int, float]]) -> float:
    return max(memory for _, memory in samples)


def _settled(server: ServerProcess, most: float, goal: Condition | None = None) -> Condition:
    """Returns what the server takes once it has come to rest: when it does nothing, and takes no more than the goal."""
    end = time.monotonic() + SETTLE_SECONDS
    while True:
        before = server.cpu_seconds()
        time.sleep(0.5)
        found = Condition(server.memory_mib(), most, server.threads(), server.open_files())
        is_at_rest = server.cpu_seconds() - before <= IDLE_CPU / 2
        is_there = goal is None or (
            found.threads <= goal.threads + FEW_BAR and found.open_files <= goal.open_files + FEW_BAR
        )
        if (is_at_rest and is_there) or time.monotonic() > end:
            return found


def _refused_places(calls: Calls) -> int:
    """Returns how many of as many searches as there are places for each priority find none."""
    codes: Counter[grpc.StatusCode] = Counter()
    lock = threading.Lock()

    def fill(is_live: bool) -> None:
        code = calls.search_once(is_live)
        with lock:
            codes[code] += 1

    with ThreadPoolExecutor(2 * (SEARCHES + QUEUE_SIZE)) as clients:
        list(clients.map(fill, [True, False] * (SEARCHES + QUEUE_SIZE)))
    return sum(count for code, count in codes.items() if code is not grpc.StatusCode.OK)
