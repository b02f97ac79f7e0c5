"""Duplicate matches: every deal is played twice with the sides exchanged, so that the luck of the cards cancels.

The unit of analysis is the pair (two results of one deal correlate at about -0.9), never the single deal. Where every
seat plays for itself the pair is a block: the deal is played with each agent on each seat alone, against the other on
all other seats.
"""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tarocchi_bench.pairs import MatchPlan, Pair, PairPlayer, append_record, read_record
from tarocchi_bench.records import prepare_record
from tarocchi_bench.sequential import MIN_PAIRS, SequentialTest, estimate
from tarocchi_bench.workers import Workers, check_workers, work_through
from tarocchi_engine import State

UNDECIDED: Final = "undecided"
SAME_AGENTS: Final = (
    "both agents are the same and think with the same random numbers, so they make the same moves and every pair comes "
    "out as exactly 0"
)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The outcome of a match from A's view."""

    variant: str
    a: str
    b: str
    seed: int
    pairs: int
    mean_difference: float
    standard_error: float
    low_95: float | None
    high_95: float | None
    """None as the other end is where no interval is known: see `intervals`."""
    deal_standard_deviation: float
    """Of single results: how much the cards decide."""
    deals_won: int
    deals_tied: int
    deals_lost: int
    verdict: str | None = None
    """What the sequential test found: "gain", "no gain" or, where the pairs ran out, "undecided"; None if not asked."""
    options: tuple[tuple[str, str], ...] = ()
    """Rule options other than the defaults."""
    base: str | None = None
    """Who played the deals up to where A and B took over; None where they played whole deals."""
    tricks: int | None = None
    """How many tricks were left to A and B."""
    decisions_a: int = 0
    """Those that were counted: older records do not have them."""
    decisions_b: int = 0
    cpu_ms_per_decision_a: float | None = field(default=None, compare=False)
    cpu_ms_per_decision_b: float | None = field(default=None, compare=False)


def play_match(
    plan: MatchPlan,
    *,
    workers: Workers = 1,
    record: Path | None = None,
    gain: float | None = None,
    progress: Callable[[], None] | None = None,
    starts: Sequence[State] | None = None,
) -> MatchResult:
    """Plays a match of duplicate pairs.

    Args:
        plan: who plays whom; checked first.
        workers: who works; they change the time, never the result.
        record: a file of JSON lines to which every pair is added as it ends; pairs that it holds already are not
            played again, so an interrupted match goes on where it stood.
        gain: ends the match early once a sequential test has decided between this advantage and none. The result
            is then that of the pairs up to the decision, whatever else is in the record.
        progress: called after every pair.
        starts: where each pair begins, for a plan with a tail.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan, the number of workers or the gain.
        RecordError: the record cannot be read or written, or is that of another match; nothing has been played then.
        AgentError: an agent failed.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    check_workers(workers)
    if gain is not None:
        check_gain(plan, gain)
    tally = _Tally(gain)
    for pair in [] if record is None else read_record(record, plan):
        tally.add(pair)
        if progress is not None:
            progress()
    to_play = [number for number in range(plan.pairs) if number not in tally.played]
    if tally.verdict is None and to_play:
        if record is not None:
            prepare_record(record)
        with contextlib.closing(work_through(PairPlayer(plan, starts), to_play, workers)) as pairs:
            for pair in pairs:
                if record is not None:
                    append_record(record, plan, pair)
                tally.add(pair)
                if progress is not None:
                    progress()
                if tally.verdict is not None:
                    break
    without_verdict = None if gain is None else UNDECIDED
    return summarise(plan, tally.counted(), tally.verdict or without_verdict)


def check_gain(plan: MatchPlan, gain: float) -> None:
    """Raises ValueError where a match cannot come to a verdict about a gain."""
    if not 0 < gain < math.inf:
        raise ValueError(f"a gain of {gain} points cannot be tested for: give a finite number above 0")
    if plan.pairs < MIN_PAIRS:
        raise ValueError(f"the test of a gain has no verdict before {MIN_PAIRS} pairs: {plan.pairs} are too few")
    if plan.is_even:
        raise ValueError(f"a gain cannot be tested for: {SAME_AGENTS}")


class _Tally:
    """The pairs of a match as they come in, and the sequential test over those without a gap."""

    def __init__(self, gain: float | None) -> None:
        self.played: dict[int, Pair] = {}
        self._test = None if gain is None else SequentialTest(gain)
        self._tested = 0

    @property
    def verdict(self) -> str | None:
        """What the test has found so far."""
        return None if self._test is None else self._test.verdict

    def add(self, pair: Pair) -> None:
        """Takes in a pair. The test sees pairs by their numbers, so that workers do not change what it finds."""
        self.played[pair.number] = pair
        while self._test is not None and self._test.verdict is None and self._tested in self.played:
            self._test.add(self.played[self._tested].difference)
            self._tested += 1

    def counted(self) -> list[Pair]:
        """Returns the pairs of the result: those up to the verdict, all without one."""
        numbers = sorted(self.played) if self.verdict is None else range(self._tested)
        return [self.played[number] for number in numbers]


def summarise(plan: MatchPlan, pairs: list[Pair], decided: str | None = None) -> MatchResult:
    """Returns the statistics of played pairs, with a 95 % interval by Student's law."""
    found = estimate([pair.difference for pair in pairs])
    low, high = found.interval_95
    deals = [result for pair in pairs for result in pair.results]
    a, b = (_decisions(pairs, place) for place in (0, 1))
    return MatchResult(
        variant=plan.variant,
        a=plan.a,
        b=plan.b,
        seed=plan.seed,
        pairs=len(pairs),
        mean_difference=found.mean,
        standard_error=found.standard_error,
        low_95=low,
        high_95=high,
        deal_standard_deviation=statistics.stdev(deals),
        deals_won=sum(result > 0 for result in deals),
        deals_tied=sum(result == 0 for result in deals),
        deals_lost=sum(result < 0 for result in deals),
        verdict=decided,
        options=plan.options,
        base=None if plan.tail is None else plan.tail.base,
        tricks=None if plan.tail is None else plan.tail.tricks,
        decisions_a=a[0],
        decisions_b=b[0],
        cpu_ms_per_decision_a=a[1],
        cpu_ms_per_decision_b=b[1],
    )


def _decisions(pairs: Sequence[Pair], place: int) -> tuple[int, float | None]:
    """Returns how many decisions an agent made, and the CPU milliseconds of each, None where a pair does not know."""
    counted = [pair for pair in pairs if pair.decisions[place]]
    count = sum(pair.decisions[place] for pair in counted)
    known = [ms for pair in counted if (ms := pair.cpu_ms[place]) is not None]
    return count, math.fsum(known) / count if known and len(known) == len(counted) else None
