"""Duplicate matches: every deal is played twice with the sides exchanged, so that the luck of the cards cancels.

The unit of analysis is the pair (two results of one deal correlate at about -0.9), never the single deal.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from pathlib import Path

from tarocchi_bench.agents import Agent, parse_agent
from tarocchi_bench.sequential import estimate, verdict
from tarocchi_engine import State, get_variant, new_deal
from tarocchi_engine.rng import split

_DEAL, _THINK = 1, 2


@dataclass(frozen=True, slots=True)
class Pair:
    """The two results of one deal."""

    number: int
    results: tuple[float, float]
    """Points of A's side minus points of B's side, with A on the even seats and on the odd seats."""

    @property
    def difference(self) -> float:
        """A's mean advantage in points a deal."""
        return sum(self.results) / 2


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
    """What the sequential test found, None without one or before its end."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Who plays whom, on which deals."""

    variant: str
    a: str
    b: str
    seed: int
    pairs: int

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
        gain: ends the match early once a sequential test has decided between this advantage and none.
        progress: called after every pair.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan, or a record of another match.
    """
    plan.check()
    if gain is not None and not 0 < gain < math.inf:
        raise ValueError(f"a gain of {gain} points cannot be tested for: give a finite number above 0")
    played = {} if record is None else read_record(record, plan)
    to_play = [number for number in range(plan.pairs) if number not in played]
    for _ in played:
        if progress is not None:
            progress()
    decided = verdict_so_far(plan, played, gain)
    if decided is None:
        if record is not None:
            drop_cut_line(record)
        for pair in _play_pairs(plan, to_play, workers):
            played[pair.number] = pair
            if record is not None:
                append_record(record, plan, pair)
            if progress is not None:
                progress()
            if (decided := verdict_so_far(plan, played, gain)) is not None:
                break
    return summarise(plan, [played[number] for number in sorted(played)], decided)


def verdict_so_far(plan: MatchPlan, played: dict[int, Pair], gain: float | None) -> str | None:
    """Returns the verdict of the sequential test on the pairs played without a gap, None without test or verdict."""
    if gain is None:
        return None
    differences: list[float] = []
    for number in range(plan.pairs):
        if number not in played:
            return None
        differences.append(played[number].difference)
        if found := verdict(differences, gain) if len(differences) > 1 else None:
            return found
    return None


def read_record(record: Path, plan: MatchPlan) -> dict[int, Pair]:
    """Returns the pairs of a match found in its record; raises ValueError if the file records something else."""
    if not record.exists():
        return {}
    played = {}
    lines = record.read_text("utf-8").splitlines()
    for index, line in enumerate(lines):
        try:
            entry = json.loads(line)
            key = (entry["variant"], entry["a"], entry["b"], entry["seed"])
            pair = Pair(entry["pair"], (entry["results"][0], entry["results"][1]))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            if index == len(lines) - 1:
                # the line that was being written when the match was interrupted
                break
            raise ValueError(f"{record}: line {index + 1} is no pair of a match") from error
        if key != (plan.variant, plan.a, plan.b, plan.seed):
            raise ValueError(f"{record}: line {index + 1} belongs to another match; name a new file")
        if pair.number < plan.pairs:
            played[pair.number] = pair
    return played


def drop_cut_line(record: Path) -> None:
    """Removes from a record the line that was being written when its match was interrupted."""
    text = record.read_text("utf-8") if record.exists() else ""
    if text and not text.endswith("\n"):
        record.write_text(text[: text.rfind("\n") + 1], "utf-8")


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


def _play_pairs(plan: MatchPlan, numbers: list[int], workers: int) -> Iterator[Pair]:
    """Yields the pairs in the order of their numbers."""
    if workers == 1:
        for number in numbers:
            yield play_pair(plan, number)
        return
    # spawn: a fork would copy the locks of this process's threads
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_die_with_parent) as pool:
        try:
            yield from pool.map(play_pair, [plan] * len(numbers), numbers, chunksize=1)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _die_with_parent() -> None:
    """Makes a worker process end when the one that started it has been killed; it would wait for work for ever."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, name="tarocchi-parent-watch", daemon=True).start()


def play_pair(plan: MatchPlan, number: int) -> Pair:
    """Plays deal `number` twice; the dealer moves on from pair to pair."""
    agents = (parse_agent(plan.a), parse_agent(plan.b))
    rules = get_variant(plan.variant)
    start = new_deal(rules, split(plan.seed, _DEAL, number), dealer=number % rules.seat_count)
    results = []
    for side_of_a in (0, 1):
        sides = agents if side_of_a == 0 else agents[::-1]
        totals = _play(start, sides, split(plan.seed, _THINK, number))
        results.append(totals[side_of_a] - totals[1 - side_of_a])
    return Pair(number, (results[0], results[1]))


def _play(state: State, sides: tuple[Agent, Agent], seed: int) -> tuple[float, float]:
    """Plays a deal to its end; both plays of a pair think with the same numbers at the same point."""
    step = 0
    while (seat := state.turn) is not None:
        agent = sides[state.variant.side_of(seat)]
        state = state.apply_move(agent.choose(state.observe(seat), split(seed, step)))
        step += 1
    first, second = state.score().sides
    return first.total, second.total


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
