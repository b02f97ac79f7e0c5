"""What is known of one call while it is served, for the log and the metrics."""

from __future__ import annotations

import os
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, TypeAlias

import grpc

from tarocchi_solver.search import Budget

ExceptionInfo: TypeAlias = "tuple[type[BaseException], BaseException, TracebackType | None]"

_ID_BYTES: Final = 16


@dataclass(eq=False, slots=True)
class Call:
    """A call from its beginning to its end."""

    method: str
    """Its bare name, or OTHER_METHOD."""
    request_id: str = field(default_factory=lambda: os.urandom(_ID_BYTES).hex())
    caller: str = ""
    """The name of the token that it came with; empty where no tokens are asked for."""
    started: float = field(default_factory=time.monotonic)
    code: grpc.StatusCode | None = None
    """None while it is not known how the call ends."""
    reason: str = ""
    message: str = ""
    error: ExceptionInfo | None = None
    """What made it an internal error."""
    queue_seconds: float | None = None
    """The longest time that a search of the call waited; None if it had none."""

    @property
    def name(self) -> str:
        """What the log calls it: its id, and whose token it came with."""
        return f"{self.request_id} of {self.caller}" if self.caller else self.request_id

    @property
    def elapsed_ms(self) -> int:
        """Whole milliseconds since it began."""
        return round((time.monotonic() - self.started) * 1000)


OTHER_METHOD: Final = "other"
"""Stands for every method that is none of the contract's, of which a caller may make up as many as it likes."""
CALL: Final[ContextVar[Call | None]] = ContextVar("tarocchi_call", default=None)
"""The call that this thread serves."""


@dataclass(eq=False, slots=True)
class Trace:
    """How an answer came about, as far as the answer itself does not tell."""

    queue_seconds: float = 0.0
    search_seconds: float = 0.0
    over: float | None = None
    """The value of time.monotonic() at which the time for the search was over; None if something else ended it."""
    is_minimum: bool = False
    """Whether there was no time for more than the least."""
    budget: Budget | None = None
    """What the search was planned by, the time for it included where that shaped the plan."""
    threads: int = 1

    def plan(self, budget: Budget, threads: int = 1) -> None:
        """Notes what the search is planned by."""
        self.budget, self.threads = budget, threads


def told(event: str, **fields: Any) -> dict[str, Any]:
    """Returns the `extra` of a line in the log: the name of its event, and what lines in JSON tell besides."""
    return {"event": event, "fields": fields}
