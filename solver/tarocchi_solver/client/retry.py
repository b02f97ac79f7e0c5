"""When a failed call is made again, and after how long; knows neither threads nor event loops."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import grpc

from tarocchi_solver.client.building import require_number, require_timeout
from tarocchi_solver.client.errors import DeadlineError, InvalidCallError, SolverError
from tarocchi_solver.client.wording import is_away, is_misnamed, is_unreached, put_plainly

LONGEST_TIMEOUT: Final = 1e8
"""Seconds, some years: gRPC takes a much longer time for one that has passed."""
MOST_ATTEMPTS: Final = 1000
AWAY_WAIT: Final = 1.0
"""Seconds that a wait grows to while a server is away, beside what it asks for: to knock costs nothing, and it may be
there any moment."""
_SHORTEST_AWAY_WAIT: Final = 0.05
_LAST_KNOCK: Final = 0.025
"""Seconds before the end of the time at which a last attempt is made where nobody listens ..."""
_LAST_QUESTION: Final = 0.5
"""... and where a server refuses everything, so that it can say so before the deadline."""
_MOST_DOUBLINGS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and after how long a call is made again that a busy or absent server did not answer.

    That is safe for every call: the service keeps nothing between them, and the client draws a seed that is not given
    before the first attempt, so that each of them asks for the same answer. A wait never goes past the timeout of its
    call. A request that is too large is not sent again.

    While a server is restarted nobody listens at its address, or it refuses every call because it is about to stop
    (`DRAINING`) or loads and compiles its kernels (`WARMING_UP`). Such attempts do not count: they go on for as long as
    the call's timeout and `patience` allow.
    """

    attempts: int = 4
    """Number of attempts in all, from 1, but for those at which the server was away in one of these ways."""
    first_wait: float = 0.1
    """Seconds before the second attempt; twice as many before each further one."""
    longest_wait: float = 5.0
    """Seconds that a wait grows to. A server that asks for a longer one is not asked again."""
    patience: float = 60.0
    """Seconds from the first attempt for which a server that is away is tried again, within the timeout."""
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
        _require_range("retry.patience", self.patience, 0, LONGEST_TIMEOUT)
        _require_range("retry.jitter", self.jitter, 0, 1)


def _require_range(name: str, value: Any, least: float, most: float) -> None:
    require_number(name, value)
    if not least <= value <= most:
        raise InvalidCallError.about([(name, f"{value} is out of range: {least} to {most:g}")])


def require_settings(timeout: Any, retry: Any) -> None:
    """Raises `InvalidCallError` for what is no timeout or no policy of a client."""
    if timeout is not None:
        require_timeout("timeout", timeout)
    if retry is not None and not isinstance(retry, RetryPolicy):
        raise InvalidCallError.about([("retry", f"a RetryPolicy is needed, or None for one attempt, not {retry!r}")])


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
        self._started = now()
        self._end = None if timeout is None else now() + min(timeout, LONGEST_TIMEOUT)
        self._made = 0
        self._away = 0

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline; None without one."""
        return None if self._end is None else self._end - self._now()

    def wait_after(self, error: SolverError) -> float | None:
        """Returns the seconds until the next attempt after one that failed; None if none may follow.

        Then `error` says how long was waited, where it came from gRPC.
        """
        wait = None if self._policy is None else self._wait_of(self._policy, error)
        if wait is None:
            put_plainly(error, self._now() - self._started, self._made + self._away)
        return wait

    def _wait_of(self, policy: RetryPolicy, error: SolverError) -> float | None:
        if is_away(error):
            wait = self._wait_for_server(policy, error)
            if wait is not None:
                self._away += 1
                return wait
        self._made += 1
        if self._made >= policy.attempts or not _may_pass(error):
            return None
        asked = error.retry_seconds or 0.0
        if asked > policy.longest_wait:
            return None
        wait = self._drawn(policy, self._made, policy.longest_wait)
        # where the server names a time, chance comes on top of it
        wait = min(asked + wait, policy.longest_wait) if asked else wait
        remaining = self.remaining
        return None if remaining is not None and wait >= remaining else wait

    def _wait_for_server(self, policy: RetryPolicy, error: SolverError) -> float | None:
        """Returns the seconds until the next attempt at a server that is away; None if the time for it is over."""
        asked = error.retry_seconds or 0.0
        ends = [policy.patience - (self._now() - self._started)]
        if self.remaining is not None:
            ends.append(self.remaining)
        left = min(ends)
        last = _LAST_KNOCK if is_unreached(error) else _LAST_QUESTION
        if asked > policy.longest_wait or left <= 2 * last:
            return None
        wait = asked + self._drawn(policy, self._away + 1, min(policy.longest_wait, AWAY_WAIT))
        # the last attempt is made just before the end
        return min(max(min(wait, policy.longest_wait), _SHORTEST_AWAY_WAIT), left - last)

    def _drawn(self, policy: RetryPolicy, number: int, longest: float) -> float:
        """Returns the wait before an attempt, counted from 1, with the chance in it."""
        backoff = min(policy.first_wait * 2.0 ** min(number - 1, _MOST_DOUBLINGS), longest)
        return backoff * (1 - policy.jitter * self._draw.random())

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
        return not is_misnamed(error)
    # without a time it is not the queue that is exhausted but the size of a message
    return error.code is grpc.StatusCode.RESOURCE_EXHAUSTED and error.retry_seconds is not None
