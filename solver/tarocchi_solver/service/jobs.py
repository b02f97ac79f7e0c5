"""What is to be done for a call: a search that makes use of its time, and an answer for which there is none."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tarocchi_solver.service.records import Trace

T = TypeVar("T")


class StopSignal(threading.Event):
    """Tells a search to end."""

    is_for_time = False
    """Whether the search has to end because its time is over."""
    is_abandoned = False
    """Whether nobody waits for the answer any more: then the search ends without one."""


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """What is to be done for a call."""

    kind: str
    """Jobs of the same kind take about the same time to answer."""
    search: Callable[[StopSignal, float], T]
    """Answers as well as the given number of seconds allows; ends early with what it has when the signal is set."""
    minimum: Callable[[StopSignal], T]
    """Answers at once; its signal is set already."""
    latest: float = math.inf
    """The value of time.monotonic() at which the answer has to be there."""
    trace: Trace = field(default_factory=Trace)
    """Is filled in while the job is done."""
