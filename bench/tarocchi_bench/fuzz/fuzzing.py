"""Sends mutated requests down the request path, keeps those that reach something new, and notes what went wrong."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import tarocchi_engine
from tarocchi_bench.fuzz.guidance import FaultGuidance, LineGuidance
from tarocchi_bench.fuzz.mutations import mutated
from tarocchi_bench.fuzz.real_requests import real_requests
from tarocchi_bench.fuzz.request_path import Outcome, RequestPath
from tarocchi_bench.records import RecordError, append_line, check_key, no_entry, prepare_record, read_lines, version
from tarocchi_bench.resident import resident_mib
from tarocchi_engine import VARIANTS
from tarocchi_solver import service
from tarocchi_solver.search import warm_up

BLOCK: Final = 1000
"""Messages of which each run is decided by the seed and the requests kept until then."""
SLOWEST: Final = 5.0
"""Seconds of processors that a message may take, many times what a search with its tiny budget takes."""
HANG: Final = 60.0
"""Seconds after which a message is taken for one that never ends; the process ends then."""
GROWTH_BAR: Final = 48.0
"""MiB that the process may grow by after the warm phase, for all messages together."""
WARM_MESSAGES: Final = 20_000
"""The first of these fill caches."""
HANG_EXIT: Final = 3
_TICK_SECONDS: Final = 1.0
_FIRST_DEALS: Final = 4
_MOST_KEPT: Final = 3000
_WHAT: Final = "a line of a fuzzing run"
_WEIGHTS: Final = {
    # of methods that search, whose valid requests take a hundred times as long as others
    "RecommendMove": 0.1,
    "AnalyzePosition": 0.1,
    "BatchRecommendMoves": 0.05,
    "GetBeliefs": 0.02,
    "ReviewDeal": 0.01,
    "ValidateObservation": 0.5,
    # of methods whose requests have no fields
    "GetServerInfo": 0.02,
    "ListVariants": 0.005,
}
"""How often methods are asked, where it is not as often as others."""

Sample = tuple[str, bytes]
"""A method and the bytes of a request."""


@dataclass(slots=True)
class Finding:
    """A request with an outcome that must not be."""

    method: str
    data: bytes
    complaint: str
    seed: int

    def as_entry(self) -> dict[str, Any]:
        """Returns it as a line of a record."""
        return {
            "kind": "finding",
            "method": self.method,
            "data": base64.b64encode(self.data).decode(),
            "complaint": self.complaint,
            "seed": self.seed,
        }


@dataclass(slots=True)
class Report:
    """What came of a run."""

    messages: int = 0
    """All of them, also those that the record had before."""
    seconds: float = 0.0
    """Of this run."""
    rate: float = 0.0
    """Messages a second in this run."""
    outcomes: dict[str, int] = field(default_factory=dict)
    """Messages by status, in this run."""
    slowest_ms: float = 0.0
    """Of processors, for one message."""
    kept: int = 0
    """Requests that reached something new."""
    fault_kinds: int = 0
    """Different kinds of outcomes: method, status, field and reason."""
    lines_reached: int = 0
    lines_known: int = 0
    """Lines of the functions of service and engine that were entered."""
    growth_mib: float = 0.0
    """Memory at the end over that after the warm phase of this run."""
    findings: list[str] = field(default_factory=list)
    is_flat: bool = True
    """Whether the growth is within its bar."""

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        return asdict(self)

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return self.is_flat and not self.findings


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps refused requests, of which there are very many, out of the log."""
    logger = logging.getLogger("tarocchi_solver")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class Fuzzer:
    """One run; the same seed and number of messages send the same requests."""

    def __init__(self, seed: int, record: Path | None = None, lines: bool = True) -> None:
        """Reads what the record has.

        Args:
            seed: decides about everything.
            record: JSON lines with what was kept, found and done; a run goes on from there.
            lines: whether lines guide the choice too, and not kinds of faults alone; it takes more time.

        Raises:
            RecordError: the file is none of such a run, or cannot be written.
        """
        self._seed = seed
        self._record = record
        self._path = RequestPath()
        self._lines = LineGuidance(service, tarocchi_engine) if lines else None
        self._faults = FaultGuidance()
        self._report = Report()
        self._outcomes: Counter[str] = Counter()
        self._corpus: dict[str, list[bytes]] = {name: [] for name in self._path.requests}
        self._names = list(self._path.requests)
        self._weights = [_WEIGHTS.get(name, 1.0) for name in self._names]
        self._watchdog = _Watchdog(self._note_hang)
        if record is not None:
            prepare_record(record)
            self._read(record)

    def close(self) -> None:
        """Lets the threads go."""
        self._watchdog.close()
        self._path.close()

    def run(self, messages: int, progress: Callable[[], None] = lambda: None) -> Report:
        """Sends requests until there have been so many; calls `progress` after every block."""
        with _quiet():
            return self._run(messages, progress)

    def _run(self, messages: int, progress: Callable[[], None]) -> Report:
        report = self._report
        warm_up()
        began = time.perf_counter()
        before = report.messages
        warm_at = before + min(WARM_MESSAGES, (messages - before) // 2)
        warm: float | None = None
        if any(self._corpus.values()):
            self._learn_again()
        else:
            self._begin()
        while report.messages < messages:
            count = min(BLOCK, messages - report.messages)
            for method, data in self._block(report.messages, count):
                self._try(method, data)
            report.messages += count
            if warm is None and report.messages >= warm_at:
                warm = resident_mib()
            self._note({"kind": "done", "seed": self._seed, "messages": report.messages, **version()})
            progress()
        report.seconds = time.perf_counter() - began
        report.rate = (report.messages - before) / report.seconds if report.messages > before else 0.0
        report.growth_mib = 0.0 if warm is None else resident_mib() - warm
        report.is_flat = report.growth_mib <= GROWTH_BAR
        return self._counted()

    def replay(self, findings: Sequence[Sample]) -> Report:
        """Sends requests as they are."""
        for method, data in findings:
            self._try(method, data)
            self._report.messages += 1
        return self._counted()

    def _counted(self) -> Report:
        """Returns the report with what was reached."""
        self._report.outcomes = dict(self._outcomes)
        self._report.fault_kinds = len(self._faults.kinds)
        if self._lines is not None:
            self._report.lines_reached, self._report.lines_known = self._lines.reached, self._lines.known
        return self._report

    def lines_left(self) -> list[str]:
        """Returns the lines of functions that were entered that no request has reached."""
        return [] if self._lines is None else [f"{name}:{line}" for name, line in self._lines.left()]

    def _begin(self) -> None:
        draw = random.Random(self._seed)
        for variant in VARIANTS:
            for _ in range(_FIRST_DEALS):
                for method, message in real_requests(draw, variant):
                    data = message.SerializeToString()
                    if not self._try(method, data):
                        self._keep(method, data)

    def _learn_again(self) -> None:
        """Sends what an earlier run kept, so that it is nothing new."""
        kept = [(method, data) for method, requests in self._corpus.items() for data in requests]
        for sample in kept:
            self._try(*sample, may_keep=False)

    def _block(self, number: int, count: int) -> Iterator[Sample]:
        """Yields the requests of a block: mutations of what is kept, and of a fresh deal."""
        # the block alone decides, so that an interrupted run goes on as it would have gone
        draw = random.Random(f"{self._seed}:{number}")
        fresh = {
            method: message.SerializeToString() for method, message in real_requests(draw, draw.choice(tuple(VARIANTS)))
        }
        for _ in range(count):
            method, other = draw.choices(self._names, self._weights, k=2)
            kept = self._corpus[method]
            data = fresh[method] if not kept or draw.random() < 0.3 else draw.choice(kept)
            pieces = (fresh[other], draw.choice(self._corpus[other] or [b""]))
            yield method, mutated(draw, self._path.requests[method], data, pieces)

    def _try(self, method: str, data: bytes, may_keep: bool = True) -> bool:
        """Sends one request; returns whether it was kept."""
        self._watchdog.begin((method, data))
        started = time.process_time()

        def send() -> Outcome:
            return self._path.outcome(method, data)

        outcome, is_news = (send(), False) if self._lines is None else self._lines.watch(send)
        taken = time.process_time() - started
        self._watchdog.begin(None)
        self._report.slowest_ms = max(self._report.slowest_ms, taken * 1000)
        self._outcomes[outcome.code] += 1
        if taken > SLOWEST:
            self._find(method, data, f"it took {taken:.1f} s")
        if outcome.complaint:
            self._find(method, data, outcome.complaint)
        is_news = self._faults.has_news(method, outcome.code, outcome.told) or is_news
        is_kept = is_news and may_keep and len(self._corpus[method]) < _MOST_KEPT
        if is_kept:
            self._keep(method, data)
        return is_kept

    def _keep(self, method: str, data: bytes) -> None:
        self._corpus[method].append(data)
        self._report.kept += 1
        self._note({"kind": "kept", "seed": self._seed, "method": method, "data": base64.b64encode(data).decode()})

    def _find(self, method: str, data: bytes, complaint: str) -> None:
        finding = Finding(method, data, complaint, self._seed)
        self._report.findings.append(f"{method}: {complaint}")
        self._note(finding.as_entry())

    def _note_hang(self, sample: Sample) -> None:
        self._find(*sample, f"no answer within {HANG:g} s")

    def _note(self, entry: dict[str, Any]) -> None:
        if self._record is not None:
            append_line(self._record, entry)

    def _read(self, record: Path) -> None:
        """Goes on from a record: with the requests kept in blocks that were done."""
        for number, entry in read_lines(record, _WHAT):
            check_key(record, number, entry, {"seed": self._seed})
            match entry.get("kind"):
                case "kept" | "finding" as kind:
                    method, data = sample_of(record, number, entry)
                    if kind == "finding":
                        self._report.findings.append(f"{method}: {entry.get('complaint')}")
                    else:
                        self._corpus[method].append(data)
                        self._report.kept += 1
                case "done":
                    self._report.messages = int(entry["messages"])
                case _:
                    raise no_entry(record, number, _WHAT)


def sample_of(record: Path, number: int, entry: dict[str, Any]) -> Sample:
    """Returns the request in a line of a record; raises `RecordError`."""
    try:
        return str(entry["method"]), base64.b64decode(entry["data"], validate=True)
    except (KeyError, TypeError, ValueError) as error:
        raise no_entry(record, number, _WHAT) from error


def findings_of(record: Path) -> list[Sample]:
    """Returns the requests that were found wrong in a run; raises `RecordError`."""
    if not record.exists():
        raise RecordError(f"{record}: there is no such file")
    return [
        sample_of(record, number, entry)
        for number, entry in read_lines(record, _WHAT)
        if entry.get("kind") == "finding"
    ]


class _Watchdog:
    """Ends the process if one message takes for ever."""

    def __init__(self, note: Callable[[Sample], None]) -> None:
        self._note = note
        self._current: Sample | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="tarocchi-watchdog", daemon=True).start()

    def begin(self, sample: Sample | None) -> None:
        """Starts the clock of a message, or stops it."""
        self._current = sample

    def close(self) -> None:
        """Ends the watch."""
        self._closed.set()

    def _watch(self) -> None:
        watched, ticks = None, 0
        # its own waits are counted, so that the time in which the process was held does not
        while not self._closed.wait(_TICK_SECONDS):
            current = self._current
            ticks = ticks + 1 if current is watched else 0
            watched = current
            if current is not None and ticks * _TICK_SECONDS > HANG:
                self._note(current)
                os._exit(HANG_EXIT)
