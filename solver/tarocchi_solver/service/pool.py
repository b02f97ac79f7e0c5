"""Runs searches on a few threads of their own, with a bounded queue in front of them and a lane beside it.

The thread that serves the call waits here. A server has more such threads than searches can be admitted, so waiting
searches never take the threads that answer health checks.

A call whose turn does not come in time gets a minimum answer. These are given one after another by a single thread, the
lane, the most urgent first and none earlier than it must be. The lane also ends the searches that run, each in time.
A call that could not even have a minimum answer in time is not admitted.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import grpc

from tarocchi_solver.search.runner import AbandonedError
from tarocchi_solver.service.agenda import Due, Estimates, are_in_time, latest_starts
from tarocchi_solver.service.calls import RETRY_SECONDS, Stage, refusal_of
from tarocchi_solver.service.errors import RequestError, StatusReason
from tarocchi_solver.service.jobs import Job, StopSignal
from tarocchi_solver.service.records import Trace
from tarocchi_solver.service.threads import stand_back, waiting

_LONGEST_PAUSE: Final = 3600.0
"""Seconds; a call may have its deadline at the end of time, for which no thread can wait."""
_ABREAST: Final = 0.05
"""A search that runs ends after the minimum answers that are due at most so many seconds later."""

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class _Ticket:
    """A job on its way."""

    job: Job[Any]
    latest: float
    """When the answer has to be there, as things stand now."""
    admitted: float = field(default_factory=time.monotonic)
    stop: StopSignal = field(default_factory=StopSignal)
    result: Future[Any] = field(default_factory=Future)
    end: float = math.inf
    """When a search that runs is to end, or was told to."""
    is_hurried: bool = False
    """Whether it is due before its time, because the server is about to stop."""
    is_of_many: bool = False
    """Whether its call makes many searches."""


class SearchPool:
    """A bounded number of searches running and waiting."""

    def __init__(
        self,
        workers: int,
        queue_size: int,
        niceness: int = 0,
        longest: float = math.inf,
        first_estimates: Mapping[str, float] | None = None,
        on_done: Callable[[Trace], None] | None = None,
    ) -> None:
        """Starts no thread yet.

        Args:
            workers: searches that run at the same time.
            queue_size: searches that may wait.
            niceness: added to the niceness of the search threads, where the system has one for each thread.
            longest: seconds that a search may take.
            first_estimates: seconds for the first answers to jobs of some kinds.
            on_done: called when a job that was begun has ended, whatever came of it.
        """
        self._workers = workers
        self._capacity = workers + queue_size
        self._longest = longest
        self._on_done = on_done
        self._executor = ThreadPoolExecutor(
            workers, thread_name_prefix="tarocchi-solver", initializer=stand_back, initargs=(niceness,)
        )
        # reentrant, because what holds it asks how many calls are admitted
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)
        self._changed = threading.Condition(self._lock)
        self._line: list[object] = []
        self._waiting: list[_Ticket] = []
        self._running: list[_Ticket] = []
        self._in_lane: _Ticket | None = None
        self._lane_free_at = 0.0
        self._lane_wakes_at = -math.inf
        self._lane: threading.Thread | None = None
        self._minimums = Estimates(first_estimates or {})
        self._endings = Estimates(first_estimates or {})
        self._is_draining = self._is_stopping = self._is_closed = False

    @property
    def admitted(self) -> int:
        """Searches running or waiting."""
        with self._lock:
            return len(self._waiting) + len(self._running) + (self._in_lane is not None)

    @property
    def running(self) -> int:
        """Searches that run, minimum answers included."""
        with self._lock:
            return len(self._running) + (self._in_lane is not None)

    @property
    def waiting(self) -> int:
        """Searches that wait."""
        with self._lock:
            return len(self._waiting)

    @property
    def workers(self) -> int:
        """Searches that run at the same time."""
        return self._workers

    def run(self, job: Job[T], context: grpc.ServicerContext) -> T:
        """Does a job when its turn comes and returns its result; as `submit`, and waits."""
        return result_of(self.submit(job, context))

    @contextlib.contextmanager
    def in_line(self) -> Iterator[object]:
        """Gives a call of many searches, which found no place, one in front of all that come later.

        It holds for half of the places of the pool: for the other half such calls compete with the others, so that
        neither can keep the others out.
        """
        place = object()
        with self._lock:
            self._line.append(place)
        try:
            yield place
        finally:
            with self._lock:
                self._line.remove(place)

    def minimum_seconds(self, kind: str) -> float:
        """Returns what a minimum answer to a job of a kind takes, as far as one can tell."""
        with self._lock:
            return self._minimums.of(kind)

    def submit(
        self, job: Job[T], context: grpc.ServicerContext, *, is_of_many: bool = False, place: object = None
    ) -> Future[T]:
        """Puts a job into the queue; returns what will hold its result, see `result_of`.

        When the client of the call `context` cancels it, or its deadline passes, the search ends or never starts. A job
        of a call of many searches says so, and which `place` the call has in the line, if any.

        Raises:
            RequestError: the queue is full or so long that even a minimum answer would be late, or the server is about
                to stop.
        """
        ticket = _Ticket(job, job.latest, is_of_many=is_of_many)
        self._admit(ticket, place)
        if not context.add_callback(lambda: self._give_up(ticket)):
            self._give_up(ticket)
        return ticket.result

    def wait_until_idle(self, timeout: float) -> bool:
        """Waits until nothing runs or waits; returns whether that came to pass within `timeout` seconds."""
        with self._lock:
            return self._idle.wait_for(lambda: not self.admitted, timeout)

    def drain(self, seconds: float) -> None:
        """Admits nothing more, and sees to it that the calls that wait are answered within so many seconds.

        Those for which there is not even time for a minimum answer are refused at once.
        """
        with self._lock:
            self._is_draining = True
            self._bring_forward(time.monotonic() + seconds)
            done_at, end = self._lane_ready_at(), time.monotonic() + seconds
            for ticket in sorted(self._waiting, key=lambda ticket: ticket.latest):
                cost = self._minimums.of(ticket.job.kind)
                if done_at + cost > end:
                    self._refuse(ticket)
                else:
                    done_at += cost

    def stop_searches(self) -> None:
        """Makes all searches end now with the best answer so far, those that wait with a minimum answer."""
        with self._lock:
            self._is_draining = self._is_stopping = True
            for ticket in self._running:
                ticket.stop.set()
            self._bring_forward(time.monotonic())

    def refuse_waiting(self) -> None:
        """Turns away the calls that wait."""
        with self._lock:
            self._is_draining = True
            for ticket in tuple(self._waiting):
                self._refuse(ticket)

    def close(self) -> None:
        """Lets the threads go; calls that wait are turned away."""
        with self._lock:
            self.refuse_waiting()
            self._is_closed = True
            self._changed.notify_all()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _claimed(self, place: object) -> int:
        """Returns the free places that belong to those in the line in front of a place, or to all of them if None."""
        held = sum(ticket.is_of_many for ticket in (*self._waiting, *self._running))
        ahead = len(self._line) if place is None else self._line.index(place)
        return max(min(ahead, self._capacity // 2 - held), 0)

    def _admit(self, ticket: _Ticket, place: object) -> None:
        """Puts a ticket into the queue or raises `RequestError`."""
        with self._lock:
            if self._is_draining:
                raise refusal_of(Stage.DRAINING)
            if self.admitted + self._claimed(place) >= self._capacity:
                raise queue_full(f"{self._capacity} searches run or wait already: ask again in a moment")
            has_to_wait = len(self._running) + len(self._waiting) >= self._workers
            self._waiting.append(ticket)
            if has_to_wait and not self._is_in_time(ticket):
                self._waiting.remove(ticket)
                if place is None:  # one in the line asks again and again
                    self._minimums.soften(ticket.job.kind)
                raise queue_full(
                    f"{self.admitted} searches run or wait already, too many for an answer before the deadline: "
                    "ask again in a moment, or with a later deadline"
                )
            if self._lane is None:
                self._lane = threading.Thread(target=self._work_in_lane, name="tarocchi-lane", daemon=True)
                self._lane.start()
            self._executor.submit(self._search_next)
            self._wake_lane_if_due()

    def _give_up(self, ticket: _Ticket) -> None:
        """Frees the place of a call that has ended, or stops its search."""
        ticket.stop.is_abandoned = True
        ticket.stop.set()
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                ticket.result.cancel()
                self._tell_change()

    def _refuse(self, ticket: _Ticket) -> None:
        self._waiting.remove(ticket)
        ticket.result.set_exception(refusal_of(Stage.DRAINING))
        self._tell_change()

    def _bring_forward(self, latest: float) -> None:
        """Makes the calls that wait due at a moment, unless they are so earlier."""
        for ticket in self._waiting:
            if latest < ticket.latest:
                ticket.latest, ticket.is_hurried = latest, True
        self._changed.notify_all()

    def _tell_change(self) -> None:
        if self._waiting or self._running:
            self._changed.notify_all()
        if not self.admitted:
            self._idle.notify_all()

    def _due(self, ticket: _Ticket) -> Due:
        """Returns what a ticket takes, to be done the time of one such answer early, because estimates are no more."""
        estimates = self._endings if ticket in self._running else self._minimums
        cost = estimates.of(ticket.job.kind)
        return Due(ticket.latest - cost, cost)

    def _plan(self) -> list[tuple[_Ticket, Due]]:
        """Returns what has to be answered by some moment, in the order in which that is done."""
        # a search that runs makes use of its time, so it ends last among those that are due about when it is
        order = [(ticket.latest, ticket) for ticket in self._waiting]
        order += [(ticket.latest + _ABREAST, ticket) for ticket in self._running if not ticket.stop.is_set()]
        order.sort(key=lambda entry: entry[0])
        return [(ticket, self._due(ticket)) for key, ticket in order if key < math.inf]

    def _starts(self) -> list[tuple[_Ticket, float]]:
        """Returns when work on each answer has to begin, in this order."""
        plan = self._plan()
        starts = latest_starts([due for _, due in plan])
        return [(ticket, start) for (ticket, _), start in zip(plan, starts, strict=True)]

    def _lane_ready_at(self) -> float:
        """Returns when the lane is done with what it does now, as far as one can tell."""
        now = time.monotonic()
        return max(self._lane_free_at, now) if self._in_lane else now

    def _is_in_time(self, ticket: _Ticket) -> bool:
        """Tells whether a ticket in the queue, and those behind it, can be answered in time."""
        plan = self._plan()
        place = next((place for place, (other, _) in enumerate(plan) if other is ticket), len(plan))
        return all(are_in_time([due for _, due in plan], self._lane_ready_at())[place:])

    def _search_next(self) -> None:
        """Searches for the first call in the queue that still has time for it; the others are left to the lane."""
        with self._lock:
            now = time.monotonic()
            starts = dict(self._starts())
            enough = (t for t in self._waiting if starts.get(t, math.inf) - now > self._minimums.of(t.job.kind))
            ticket = None if self._is_stopping else next(enough, None)
            if ticket is None:
                return
            self._waiting.remove(ticket)
            self._running.append(ticket)
            ticket.latest = min(ticket.latest, now + self._longest + 2 * self._endings.of(ticket.job.kind))
            seconds = dict(self._starts()).get(ticket, math.inf) - now
            seconds = max(min(seconds, self._longest), 0.0)
            ticket.end = now + seconds
            self._wake_lane_if_due()
        self._settle(ticket, lambda: ticket.job.search(ticket.stop, seconds))

    def _wake_lane_if_due(self) -> None:
        """Lets the lane look at the plan again if something in it has to begin before the lane would look anyway."""
        if next((start for _, start in self._starts()), math.inf) < self._lane_wakes_at:
            self._changed.notify_all()

    def _work_in_lane(self) -> None:
        """Gives minimum answers, and ends searches, until the pool is closed."""
        while (ticket := self._next_in_lane()) is not None:
            self._settle(ticket, lambda ticket=ticket: ticket.job.minimum(ticket.stop))  # type: ignore[misc]

    def _next_in_lane(self) -> _Ticket | None:
        """Waits until a call needs its minimum answer; returns None once the pool is closed."""
        with self._lock:
            while not self._is_closed:
                now = time.monotonic()
                pause: float | None = None
                for ticket, start in self._starts():
                    if start > now:
                        pause = min(start - now, _LONGEST_PAUSE)
                        break
                    ticket.stop.is_for_time = not ticket.is_hurried
                    ticket.stop.set()
                    if ticket in self._waiting:
                        self._waiting.remove(ticket)
                        self._in_lane = ticket
                        ticket.end = now
                        self._lane_free_at = now + self._minimums.of(ticket.job.kind)
                        return ticket
                    ticket.end = now
                self._lane_wakes_at = math.inf if pause is None else now + pause
                self._changed.wait(pause)
        return None

    def _settle(self, ticket: _Ticket, work: Callable[[], Any]) -> None:
        """Does the work for a ticket and hands over what comes of it."""
        result, error = None, None
        trace, begun = ticket.job.trace, time.monotonic()
        trace.queue_seconds = begun - ticket.admitted
        trace.is_minimum = ticket is self._in_lane
        try:
            result = work()
        except BaseException as raised:
            error = raised
        trace.search_seconds = time.monotonic() - begun
        if self._on_done is not None:
            self._on_done(trace)
        with self._lock:
            taken = time.monotonic() - ticket.end
            if ticket is self._in_lane:
                self._in_lane = None
                estimates = self._minimums
            else:
                self._running.remove(ticket)
                estimates = self._endings
            if error is None and taken > 0:  # a search that came to its end of itself was done earlier
                estimates.note(ticket.job.kind, taken)
            self._tell_change()
        if error is None:
            ticket.result.set_result(result)
        else:
            ticket.result.set_exception(error)


def result_of(future: Future[T]) -> T:
    """Waits for the result of a job; raises `RequestError` if its client has gone, or what the job raised."""
    try:
        with waiting():
            return future.result()
    except (CancelledError, AbandonedError):
        message = "the call ended before its search did"
        raise RequestError(grpc.StatusCode.CANCELLED, StatusReason.CANCELLED, message) from None


def queue_full(message: str) -> RequestError:
    """Returns the error of a call for which there is no place."""
    code = grpc.StatusCode.RESOURCE_EXHAUSTED
    return RequestError(code, StatusReason.QUEUE_FULL, message, retry_seconds=RETRY_SECONDS)
