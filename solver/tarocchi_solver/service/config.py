"""The settings of a server, fixed before it starts."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from tarocchi_solver.addresses import is_loopback, is_unix, may_meet, split_address
from tarocchi_solver.credentials import BEARER_FORM, is_bearer_token
from tarocchi_solver.search import DEFAULT_BUDGET, Budget
from tarocchi_solver.search.results import MAX_ITERATIONS, MAX_SAMPLED_WORLDS
from tarocchi_solver.service.logs import LogFormat, LogLevel

SPARE_THREADS: Final = 8
"""RPC threads that no search can take: they answer health checks and the rules."""
MAXIMUM_BUDGET: Final = Budget(worlds=MAX_SAMPLED_WORLDS, iterations=1_000_000_000, time_ms=60_000)
EVENT_LIMIT: Final = 200
"""More than twice as many as the longest deal has."""
MOST_TOKENS: Final = 1000
SHORTEST_SECRET: Final = 16
_LONGEST_SECRET: Final = 512
_LONGEST_SHOWN: Final = 60
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


def _searches_per_machine() -> int:
    return max(1, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class ConfigFault:
    """One thing wrong with the settings."""

    key: str
    """The setting, such as "queue_size" or "tokens[0].name"."""
    message: str
    """A sentence that names the fault and the remedy, never a secret."""
    place: str = ""
    """Where it was set, such as "server.toml: queue_size" or "--queue-size"; empty for in code."""

    def __str__(self) -> str:
        return f"{self.place or self.key}: {self.message}"


class ConfigError(ValueError):
    """Settings with which no server starts, with everything wrong about them."""

    def __init__(self, faults: Sequence[ConfigFault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Setting:
    """What values a setting can have."""

    kind: type
    """`str`, `int`, `float`, `bool`, or `Path` for the name of a file."""
    least: float = 0
    most: float = 0
    example: str = ""
    """What a text looks like."""
    choices: tuple[str, ...] = ()
    """The texts that there are; empty for any."""

    @property
    def wanted(self) -> str:
        """What has to be given, in words."""
        if self.kind in (int, float):
            number = "a whole number" if self.kind is int else "a number"
            return f"{number} from {_plain(self.least)} to {_plain(self.most)}"
        if self.kind is bool:
            return "true or false"
        if self.choices:
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        what = "the name of a file" if self.kind is Path else "a text"
        return f"{what} such as {self.example}"

    def find_fault(self, value: object) -> str | None:
        """Returns the sentence about a value that cannot be, None for one that can."""
        if self.kind in (str, Path) and isinstance(value, (str, Path)) and not str(value).strip():
            return f"it is empty: give {self.wanted}, or leave it out"
        fits = isinstance(value, (int, float) if self.kind is float else self.kind)
        if not fits or (isinstance(value, bool) and self.kind is not bool):
            return f"{shown(value)} is of the wrong kind: give {self.wanted}"
        if self.kind in (int, float) and not self.least <= value <= self.most:  # type: ignore[operator]
            return f"{shown(value)} is out of range: give {self.wanted}"
        if self.choices and value not in self.choices:
            return f"{shown(value)} is none of them: give {self.wanted}"
        return None


def _plain(number: float) -> str:
    return f"{number:g}" if number < 1 else f"{round(number):,}"


def shown(value: object) -> str:
    """Returns a value as a message shows it, cut short."""
    text = str(value).lower() if isinstance(value, bool) else repr(str(value) if isinstance(value, Path) else value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


_CAPS: Final = {
    "worlds": Setting(int, 1, MAX_SAMPLED_WORLDS),
    "iterations": Setting(int, 1, MAX_ITERATIONS),
    "time_ms": Setting(int, 1, 3_600_000),
}
SETTINGS: Final[Mapping[str, Setting]] = {
    "address": Setting(str, example="127.0.0.1:50051"),
    "concurrent_searches": Setting(int, 1, 1024),
    "queue_size": Setting(int, 0, 10_000),
    "concurrent_analyses": Setting(int, 1, 1024),
    "analysis_queue_size": Setting(int, 0, 10_000),
    "long_calls": Setting(int, 1, 10_000),
    "search_threads": Setting(int, 1, 1024),
    **{f"default_budget.{name}": setting for name, setting in _CAPS.items()},
    **{f"maximum_budget.{name}": setting for name, setting in _CAPS.items()},
    "request_size_limit": Setting(int, 1 << 12, 1 << 26),
    "batch_size_limit": Setting(int, 1, 10_000),
    "event_limit": Setting(int, 100, 10_000),
    "niceness": Setting(int, 0, 19),
    "grace_seconds": Setting(float, 0, 3600),
    "tls_certificate": Setting(Path, example="server.pem"),
    "tls_key": Setting(Path, example="server.key"),
    "tls_client_ca": Setting(Path, example="clients.pem"),
    "allow_plaintext": Setting(bool),
    "metrics_address": Setting(str, example="127.0.0.1:9090"),
    "log_format": Setting(str, choices=tuple(LogFormat)),
    "log_level": Setting(str, choices=tuple(LogLevel)),
    "log_requests": Setting(bool),
}
OPTIONAL: Final = frozenset({"tls_certificate", "tls_key", "tls_client_ca", "metrics_address"})
"""Settings that may be None."""
"""What each setting that is one value can be; a cap of a budget goes by the budget's name and its own."""


def find_fault(key: str, value: Any) -> str | None:
    """Returns the sentence about a value that a setting cannot have, None for one that it can."""
    sentence = SETTINGS[key].find_fault(value)
    if sentence is None and key in ("address", "metrics_address"):
        try:
            split_address(value)
        except OSError as error:
            return str(error)
        if key == "metrics_address" and is_unix(value):
            return f"{value!r} is no address for metrics: give host and port, such as 127.0.0.1:9090"
    return sentence


TOKEN_SETTINGS: Final[Mapping[str, Setting]] = {
    "name": Setting(str, example='"card-site"'),
    "secret": Setting(str, example="what `openssl rand -hex 32` prints"),
    "requests_per_second": Setting(float, 0.001, 1_000_000),
    "concurrent_requests": Setting(int, 1, 1_000_000),
}
"""What each part of a token can be."""


@dataclass(frozen=True, slots=True)
class Token:
    """A secret that lets its holder call, and what the holder may take."""

    name: str
    """What the log calls the holder."""
    secret: str = field(repr=False)
    requests_per_second: float | None = None
    """Calls that may begin in a second, on average; None for no limit."""
    concurrent_requests: int | None = None
    """Calls that may run at the same time; None for no limit."""

    def find_faults(self, path: str = "") -> Iterator[ConfigFault]:
        """Yields what is wrong; `path` is what messages call the token."""
        for name, setting in TOKEN_SETTINGS.items():
            value = getattr(self, name)
            below = f"{path}.{name}" if path else name
            if value is None and name not in ("name", "secret"):
                continue
            if name == "secret":
                sentence = secret_fault(value)
            else:
                sentence = setting.find_fault(value)
                if sentence is None and name == "name" and not _NAME.fullmatch(value):
                    sentence = f"{shown(value)} is no name: give 1 to 64 letters, digits, dots, dashes and underscores"
            if sentence is not None:
                yield ConfigFault(below, sentence)


def secret_fault(secret: object) -> str | None:
    """Returns the sentence about a text that cannot be the secret of a token, which it does not tell."""
    remedy = "give a random one, such as `openssl rand -hex 32` prints"
    if not isinstance(secret, str):
        return f"the secret is no text: {remedy}"
    if len(secret) < SHORTEST_SECRET:
        return f"the secret has {len(secret)} characters, which can be guessed: give at least {SHORTEST_SECRET}"
    if len(secret) > _LONGEST_SECRET:
        return f"the secret has {len(secret):,} characters: give at most {_LONGEST_SECRET}"
    if not is_bearer_token(secret):
        return f"the secret has other characters than those of tokens, {BEARER_FORM}: {remedy}"
    return None


def lowered(budget: Budget, maximum: Budget) -> Budget:
    """Returns a budget with its caps lowered to the maximum; a cap that is not set stays so."""

    def least(cap: int | None, most: int | None) -> int | None:
        return cap if cap is None or most is None else min(cap, most)

    return Budget(
        worlds=least(budget.worlds, maximum.worlds),
        iterations=least(budget.iterations, maximum.iterations),
        time_ms=least(budget.time_ms, maximum.time_ms),
    )


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What a server listens on, whom it answers and how much it takes on."""

    address: str = "127.0.0.1:50051"
    """Host and port, of which 0 chooses a free one; or a socket of this machine, unix:/path/of/socket."""
    concurrent_searches: int = field(default_factory=_searches_per_machine)
    """Searches that run at the same time."""
    queue_size: int = 16
    """Searches that may wait; more are refused."""
    concurrent_analyses: int = field(default_factory=_searches_per_machine)
    """Searches for study that run beside those of live play."""
    analysis_queue_size: int = 16
    """Searches for study that may wait; more are refused."""
    long_calls: int = 16
    """Batches and reviews under way at the same time, each of many searches; more are refused."""
    search_threads: int = 1
    """Threads that work on one search; they change its time, never its answer."""
    default_budget: Budget = DEFAULT_BUDGET
    maximum_budget: Budget = MAXIMUM_BUDGET
    """Larger caps are lowered to these; the time holds for every search."""
    request_size_limit: int = 1 << 20
    """Bytes; larger requests are refused before they are read."""
    batch_size_limit: int = 64
    """Requests in one batch; more are refused before any is read."""
    event_limit: int = EVENT_LIMIT
    """Events of an observation or a deal; more are refused before any is read."""
    niceness: int = 10
    """How far search threads stand back behind the threads that answer, 0 to 19 (Linux only)."""
    grace_seconds: float = 5.0
    """How long running searches may go on after a signal to stop; then they answer with the best so far. Together with
    the time of these answers it is below the 10 s after which container runtimes kill."""
    tls_certificate: Path | None = None
    """File with the server's certificate and those between it and its root, in PEM. None: nothing is encrypted."""
    tls_key: Path | None = None
    """File with the key of the certificate, in PEM and without a password."""
    tls_client_ca: Path | None = None
    """File with the roots of the certificates that clients have to show, in PEM; None: clients need none."""
    allow_plaintext: bool = False
    """Whether to listen beyond this machine though nothing is encrypted."""
    metrics_address: str | None = None
    """Host and port at which Prometheus finds the metrics, over plain HTTP; None: they are not shown."""
    log_format: str = LogFormat.TEXT
    """A `LogFormat`; in JSON the log also tells of every decision what is needed to make it again."""
    log_level: str = LogLevel.INFO
    """A `LogLevel`."""
    log_requests: bool = True
    """Whether the log in JSON has the requests for decisions, without which they cannot be made again."""
    tokens: tuple[Token, ...] = ()
    """Whoever calls needs one of these; none: everybody who reaches the address may call."""

    @property
    def rpc_threads(self) -> int:
        """Threads that serve calls: one for each search admitted and each long call, and the spare ones."""
        admitted = self.concurrent_searches + self.queue_size + self.concurrent_analyses + self.analysis_queue_size
        return admitted + self.long_calls + SPARE_THREADS

    def find_faults(self, unsound: Collection[str] = ()) -> list[ConfigFault]:
        """Returns everything that is wrong with the values alone and with one another; reads no file.

        Args:
            unsound: settings known to be wrong, instead of which this one has others. Nothing is said of what depends
                on them.
        """
        faults = [*self._faults_of_values(), *self._faults_of_tokens()]
        wrong = {key.partition("[")[0] for key in (*unsound, *(fault.key for fault in faults))}
        faults += self._faults_of_budgets(wrong)
        faults += self._faults_of_encryption(wrong)
        faults += self._faults_of_metrics(wrong)
        return faults

    def _faults_of_values(self) -> Iterator[ConfigFault]:
        for key in SETTINGS:
            value: Any = self
            for part in key.split("."):
                value = getattr(value, part)
            if value is None and (key in OPTIONAL or "." in key):
                continue
            sentence = find_fault(key, value)
            if sentence is not None:
                yield ConfigFault(key, sentence)
        if self.default_budget.is_open:
            yield ConfigFault("default_budget", "it has no cap: give worlds, iterations or time_ms")

    def _faults_of_tokens(self) -> Iterator[ConfigFault]:
        if len(self.tokens) > MOST_TOKENS:
            yield ConfigFault("tokens", f"{len(self.tokens):,} tokens: give at most {MOST_TOKENS:,}")
            return
        first: dict[tuple[str, object], int] = {}
        for index, token in enumerate(self.tokens):
            path = f"tokens[{index}]"
            own = list(token.find_faults(path))
            yield from own
            wrong = {fault.key for fault in own}
            for part, what in (("name", f"{shown(token.name)} is the name"), ("secret", "it is the secret")):
                if f"{path}.{part}" in wrong:
                    continue
                if (before := first.setdefault((part, getattr(token, part)), index)) != index:
                    yield ConfigFault(f"{path}.{part}", f"{what} of tokens[{before}] too: give each its own")

    def _faults_of_budgets(self, wrong: Collection[str]) -> Iterator[ConfigFault]:
        for cap in fields(Budget):
            default, most = getattr(self.default_budget, cap.name), getattr(self.maximum_budget, cap.name)
            keys = (f"default_budget.{cap.name}", f"maximum_budget.{cap.name}")
            if default is not None and most is not None and default > most and not set(wrong) & set(keys):
                yield ConfigFault(keys[0], f"{default:,} is more than {keys[1]}, {most:,}: lower it, or raise that one")

    def _faults_of_encryption(self, wrong: Collection[str]) -> Iterator[ConfigFault]:
        is_told = {"tls_certificate", "tls_key"} & set(wrong)
        if not is_told and self.tls_certificate is not None and self.tls_key is None:
            yield ConfigFault("tls_certificate", "its key is missing: name the file with tls_key")
        if not is_told and self.tls_key is not None and self.tls_certificate is None:
            yield ConfigFault("tls_key", "the certificate of this key is missing: name the file with tls_certificate")
        has_tls = bool(is_told) or self.tls_certificate is not None or self.tls_key is not None
        if self.tls_client_ca is not None and not has_tls:
            text = "certificates of clients are asked for under TLS only: name tls_certificate and tls_key too"
            yield ConfigFault("tls_client_ca", text)
        if has_tls or self.allow_plaintext or {"address", "allow_plaintext"} & set(wrong):
            return
        if not is_loopback(self.address):
            what = (
                "tokens would travel in the clear"
                if self.tokens
                else "everybody could read what is asked and answered, and ask"
            )
            yield ConfigFault(
                "address",
                f"{self.address} is not this machine alone, and nothing is encrypted, so {what}: name tls_certificate "
                "and tls_key, or say allow_plaintext if something in front of the service takes care of that",
            )

    def _faults_of_metrics(self, wrong: Collection[str]) -> Iterator[ConfigFault]:
        metrics = self.metrics_address
        if metrics is None or "metrics_address" in wrong:
            return
        if not self.allow_plaintext and "allow_plaintext" not in wrong and not is_loopback(metrics):
            yield ConfigFault(
                "metrics_address",
                f"{metrics} is not this machine alone, and metrics are never encrypted, so everybody could read them: "
                "give one such as 127.0.0.1:9090, or say allow_plaintext if something in front of the service takes "
                "care of that",
            )
        elif "address" not in wrong and may_meet(self.address, metrics):
            text = f"calls are answered at {self.address} already: give the metrics another port than that of address"
            yield ConfigFault("metrics_address", text)
