"""Duplicate matches: every deal is played twice with the sides exchanged, so that the luck of the cards cancels.

The unit of analysis is the pair (two results of one deal correlate at about -0.9), never the single deal. Where every
seat plays for itself the pair is a block: the deal is played with each agent on each seat alone, against the other on
all other seats.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Final

from tarocchi_bench.agents import Agent, parse_agent
from tarocchi_bench.sequential import MIN_PAIRS, SequentialTest, estimate
from tarocchi_bench.workers import work_off
from tarocchi_engine import State, Variant, get_variant, new_deal
from tarocchi_engine.rng import split

UNDECIDED: Final = "undecided"
SAME_AGENTS: Final = (
    "both agents are the same and think with the same random numbers, so they make the same moves and every pair comes "
    "out as exactly 0"
)

_DEAL, _THINK = 1, 2


class RecordError(ValueError):
    """Says why a file cannot be the record of a match."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The results of one deal: two, or in a game without partners one for each way to mix the agents."""

    number: int
    results: tuple[float, ...]
    """A's mean score minus B's, in the order of `arrangements`."""

    @property
    def difference(self) -> float:
        """A's mean advantage in points a deal."""
        return sum(self.results) / len(self.results)


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
    low_95: float
    high_95: float
    deal_standard_deviation: float
    """Of single results: how much the cards decide."""
    deals_won: int
    deals_tied: int
    deals_lost: int
    verdict: str | None = None
    """What the sequential test found: "gain", "no gain" or, where the pairs ran out, "undecided"; None if not asked."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Who plays whom, on which deals."""

    variant: str
    a: str
    b: str
    seed: int
    pairs: int

    @property
    def is_even(self) -> bool:
        """Whether every pair comes out as 0, because equal agents make equal moves with equal random numbers."""
        a, b = parse_agent(self.a), parse_agent(self.b)
        return a == b and a.is_repeatable

    def check(self) -> None:
        """Raises `AgentSpecError`, `UnknownVariantError`, or ValueError for a number of pairs without an error."""
        get_variant(self.variant)
        parse_agent(self.a)
        parse_agent(self.b)
        if self.pairs < 2:
            raise ValueError(f"{self.pairs} pairs have no standard error: play at least 2")


def play_match(
    plan: MatchPlan,
    *,
    workers: int = 1,
    record: Path | None = None,
    gain: float | None = None,
    progress: Callable[[], None] | None = None,
) -> MatchResult:
    """Plays a match of duplicate pairs.

    Args:
        plan: who plays whom; checked first.
        workers: processes; they change the time, never the result.
        record: a file of JSON lines to which every pair is added as it ends; pairs that it holds already are not
            played again, so an interrupted match goes on where it stood.
        gain: ends the match early once a sequential test has decided between this advantage and none. The result
            is then that of the pairs up to the decision, whatever else is in the record.
        progress: called after every pair.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan, the number of workers or the gain.
        RecordError: the record cannot be read or written, or is that of another match; nothing has been played then.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    if workers < 1:
        raise ValueError(f"{workers} processes play nothing: give at least 1")
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
        with contextlib.closing(_play_pairs(plan, to_play, workers)) as pairs:
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


def read_record(record: Path, plan: MatchPlan) -> list[Pair]:
    """Returns the pairs of a match found in its record; raises `RecordError` if the file records something else."""
    if not record.exists():
        return []
    played = {}
    try:
        lines = record.read_text("utf-8").splitlines()
    except OSError as error:
        raise RecordError(f"{record}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{record}: this is no text, so it is no record of a match") from error
    for index, line in enumerate(lines):
        try:
            entry = json.loads(line)
            key = (entry["variant"], entry["a"], entry["b"], entry["seed"])
            pair = Pair(entry["pair"], tuple(entry["results"]))
            pair.difference + 0.0
        except (ValueError, KeyError, TypeError, IndexError) as error:
            if index == len(lines) - 1:
                # the line that was being written when the match was interrupted
                break
            raise RecordError(f"{record}: line {index + 1} is no pair of a match") from error
        if key != (plan.variant, plan.a, plan.b, plan.seed):
            raise RecordError(f"{record}: line {index + 1} belongs to another match; name a new file")
        if pair.number < plan.pairs:
            played[pair.number] = pair
    return list(played.values())


def prepare_record(record: Path) -> None:
    """Makes sure that a record can be written, and removes the line that was being written at an interruption.

    Raises `RecordError`.
    """
    if not record.parent.is_dir():
        raise RecordError(f"{record}: there is no folder {record.parent}: make it first")
    try:
        with record.open("a+", encoding="utf-8") as file:
            file.seek(0)
            text = file.read()
        if text and not text.endswith("\n"):
            record.write_text(text[: text.rfind("\n") + 1], "utf-8")
    except OSError as error:
        raise RecordError(f"{record}: cannot be written: {error.strerror}") from error


def append_record(record: Path, plan: MatchPlan, pair: Pair) -> None:
    """Adds one pair to the record of a match."""
    entry = {
        "variant": plan.variant,
        "a": plan.a,
        "b": plan.b,
        "seed": plan.seed,
        "pair": pair.number,
        "results": pair.results,
    }
    with record.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _play_pairs(plan: MatchPlan, numbers: list[int], workers: int) -> Generator[Pair]:
    """Yields the pairs as they end."""
    play = partial(play_pair, plan)
    if workers == 1:
        yield from map(play, numbers)
    else:
        yield from work_off(play, numbers, workers)


def play_pair(plan: MatchPlan, number: int) -> Pair:
    """Plays deal `number` in every arrangement; the dealer moves on from pair to pair."""
    agents = (parse_agent(plan.a), parse_agent(plan.b))
    rules = get_variant(plan.variant)
    start = new_deal(rules, split(plan.seed, _DEAL, number), dealer=number % rules.seat_count)
    seed = split(plan.seed, _THINK, number)
    return Pair(number, tuple(_play(start, agents, seats, seed) for seats in arrangements(rules)))


def arrangements(variant: Variant) -> tuple[frozenset[int], ...]:
    """Returns the sets of seats that A has: either side, or in a game without partners any but none and all."""
    seats = range(variant.seat_count)
    if not variant.seats_score_alone:
        return tuple(frozenset(seat for seat in seats if variant.side_of(seat) == side) for side in (0, 1))
    return tuple(frozenset(chosen) for size in range(1, variant.seat_count) for chosen in combinations(seats, size))


def _play(state: State, agents: tuple[Agent, Agent], seats_of_a: frozenset[int], seed: int) -> float:
    """Plays a deal to its end and returns A's mean score minus B's.

    All plays of a pair think with the same numbers at the same point.
    """
    step = 0
    while (seat := state.turn) is not None:
        agent = agents[seat not in seats_of_a]
        state = state.apply_move(agent.choose(state.observe(seat), split(seed, step)))
        step += 1
    variant, awards = state.variant, state.score().awards
    scores = [
        awards[seat if variant.seats_score_alone else variant.side_of(seat)] for seat in range(variant.seat_count)
    ]
    of_a = [score for seat, score in enumerate(scores) if seat in seats_of_a]
    of_b = [score for seat, score in enumerate(scores) if seat not in seats_of_a]
    return statistics.fmean(of_a) - statistics.fmean(of_b)


def summarise(plan: MatchPlan, pairs: list[Pair], decided: str | None = None) -> MatchResult:
    """Returns the statistics of played pairs, with a 95 % interval by the normal law."""
    found = estimate([pair.difference for pair in pairs])
    low, high = found.interval_95
    deals = [result for pair in pairs for result in pair.results]
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
    )
