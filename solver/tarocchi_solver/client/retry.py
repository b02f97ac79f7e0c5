"""When a failed call is made again, and after how long; knows neither threads nor event loops."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import grpc

from tarocchi_solver.client.building import require_number
from tarocchi_solver.client.errors import DeadlineError, InvalidCallError, SolverError

LONGEST_TIMEOUT: Final = 1e8
"""Seconds, some years: gRPC takes a much longer time for one that has passed."""
MOST_ATTEMPTS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and after how long a call is made again that a busy or absent server did not answer.

    That is safe for every call: the service keeps nothing between them, and the client draws a seed that is not given
    before the first attempt, so that each of them asks for the same answer. A wait never goes past the timeout of its
    call. A request that is too large is not sent again.
    """

    attempts: int = 4
    """Number of attempts in all, from 1."""
    first_wait: float = 0.1
    """Seconds before the second attempt; twice as many before each further one."""
    longest_wait: float = 5.0
    """Seconds that a wait grows to. A server that asks for a longer one is not asked again."""
    jitter: float = 0.5
    """The share of a wait, 0 to 1, that chance may take off it, so that clients do not all come back at once."""
    seed: int | None = None
    """Seed of that chance, for tests; drawn if None."""

    def __post_init__(self) -> None:
        """Raises `InvalidCallError` for what is no number or out of its range."""
        if isinstance(self.attempts, bool) or not isinstance(self.attempts, int):
            raise InvalidCallError.about([("retry.attempts", f"a whole number is needed, not {self.attempts!r}")])
        _require_range("retry.attempts", self.attempts, 1, MOST_ATTEMPTS)
        _require_range("retry.first_wait", self.first_wait, 0, LONGEST_TIMEOUT)
        _require_range("retry.longest_wait", self.longest_wait, 0, LONGEST_TIMEOUT)
        _require_range("retry.jitter", self.jitter, 0, 1)


def _require_range(name: str, value: Any, least: float, most: float) -> None:
    require_number(name, value)
    if not least <= value <= most:
        raise InvalidCallError.about([(name, f"{value} is out of range: {least} to {most:g}")])


class Attempts:
    """The attempts at one call: the time that is left to them, and when the next one may follow."""

    def __init__(
        self, policy: RetryPolicy | None, draw: random.Random, timeout: float | None, now: Callable[[], float]
    ) -> None:
        """Starts the clock.

        Args:
            policy: how often to try; None for once.
            draw: the chance in the waits.
            timeout: seconds for all attempts together; None for as long as they need.
            now: tells the time in seconds.
        """
        self._policy = policy
        self._draw = draw
        self._now = now
        self._end = None if timeout is None else now() + min(timeout, LONGEST_TIMEOUT)
        self._made = 0

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline; None without one."""
        return None if self._end is None else self._end - self._now()

    def wait_after(self, error: SolverError) -> float | None:
        """Returns the seconds until the next attempt after one that failed; None if none may follow."""
        policy = self._policy
        self._made += 1
        if policy is None or self._made >= policy.attempts or not _may_pass(error):
            return None
        asked = error.retry_seconds or 0.0
        if asked > policy.longest_wait:
            return None
        backoff = min(policy.first_wait * 2.0 ** (self._made - 1), policy.longest_wait)
        wait = backoff * (1 - policy.jitter * self._draw.random())
        # where the server names a time, chance comes on top of it
        wait = min(asked + wait, policy.longest_wait) if asked else wait
        remaining = self.remaining
        return None if remaining is not None and wait >= remaining else wait

    def is_over(self) -> bool:
        """Tells whether the deadline has passed."""
        remaining = self.remaining
        return remaining is not None and remaining <= 0

    @staticmethod
    def too_late() -> DeadlineError:
        """Returns the error of a call for which no time is left."""
        return DeadlineError(
            grpc.StatusCode.DEADLINE_EXCEEDED, "no time is left for the call: give it a longer timeout"
        )


def _may_pass(error: SolverError) -> bool:
    """Tells whether what made a call fail may have passed the next time."""
    if error.code is grpc.StatusCode.UNAVAILABLE:
        return True
    # without a time it is not the queue that is exhausted but the size of a message
    return error.code is grpc.StatusCode.RESOURCE_EXHAUSTED and error.retry_seconds is not None
