"""Plans answers that fall due: what one costs, when the next has to begin, whether one more fits in.

An answer is work for the interpreter, which does one thing at a time. So the plan has all of them one after another:
the minimum answers of calls that wait, and the ends of searches that run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

FIRST_ESTIMATE: Final = 0.02
"""Seconds that an answer is thought to take before one of its kind was given."""
LONGEST_ESTIMATE: Final = 0.2
"""Seconds; a machine that stood still for once does not make every later call look hopeless."""
_RISE: Final = 0.4
_FALL: Final = 0.1
_SOFTENING: Final = 0.98


class Due(NamedTuple):
    """A piece of work and the moment at which it has to be done."""

    latest: float
    cost: float
    """Seconds that it takes."""


class Estimates:
    """What answers of each kind take, learned from those given."""

    def __init__(self, known: Mapping[str, float], first: float = FIRST_ESTIMATE) -> None:
        """Starts with the `known` seconds for some kinds, and with `first` for the others."""
        self._known = dict(known)
        self._first = first

    def of(self, kind: str) -> float:
        """Returns the seconds for the next answer of a kind."""
        return self._known.get(kind, self._first)

    def note(self, kind: str, seconds: float) -> None:
        """Learns from one answer: quickly that they take longer, slowly that they take less."""
        known = self.of(kind)
        weight = _RISE if seconds > known else _FALL
        self._known[kind] = min(known + weight * (seconds - known), LONGEST_ESTIMATE)

    def soften(self, kind: str) -> None:
        """Lowers an estimate that turned a call away, because then no answer corrects it."""
        self._known[kind] = self.of(kind) * _SOFTENING


def latest_starts(plan: Sequence[Due]) -> list[float]:
    """Returns when each piece of work has to begin at the latest, if they are done one after another in this order."""
    starts = []
    next_start = math.inf
    for due in reversed(plan):
        next_start = min(next_start, due.latest) - due.cost
        starts.append(next_start)
    return starts[::-1]


def are_in_time(plan: Iterable[Due], now: float) -> list[bool]:
    """Tells of each piece of work whether it is done in time, if they are done one after another from now on."""
    found = []
    for due in plan:
        now += due.cost
        found.append(now <= due.latest)
    return found
