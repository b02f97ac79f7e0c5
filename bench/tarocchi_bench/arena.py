"""Duplicate matches: every deal is played twice with the sides exchanged, so that the luck of the cards cancels.

The unit of analysis is the pair (two results of one deal correlate at about -0.9), never the single deal.
"""

from __future__ import annotations

import math
import os
import statistics
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process

from tarocchi_bench.agents import Agent, parse_agent
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


def play_match(
    variant: str, a: str, b: str, pairs: int, seed: int, workers: int, progress: Callable[[], None] | None = None
) -> MatchResult:
    """Plays `pairs` duplicate pairs between the agents named `a` and `b` and returns the result.

    Raises `AgentSpecError`, `UnknownVariantError`, or ValueError for less than two pairs.
    """
    get_variant(variant)
    parse_agent(a)
    parse_agent(b)
    if pairs < 2:
        raise ValueError(f"{pairs} pairs have no standard error: play at least 2")
    played = []
    for pair in _play_pairs(variant, a, b, pairs, seed, workers):
        played.append(pair)
        if progress is not None:
            progress()
    return summarise(variant, a, b, seed, played)


def _play_pairs(variant: str, a: str, b: str, pairs: int, seed: int, workers: int) -> Iterator[Pair]:
    if workers == 1:
        for number in range(pairs):
            yield play_pair(variant, a, b, seed, number)
        return
    # spawn: a fork would copy the locks of this process's threads
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_die_with_parent) as pool:
        columns = [[item] * pairs for item in (variant, a, b, seed)]
        yield from pool.map(play_pair, *columns, range(pairs), chunksize=1)


def _die_with_parent() -> None:
    """Makes a worker process end when the one that started it has been killed; it would wait for work for ever."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, name="tarocchi-parent-watch", daemon=True).start()


def play_pair(variant: str, a: str, b: str, seed: int, number: int) -> Pair:
    """Plays deal `number` twice; the dealer moves on from pair to pair."""
    agents = (parse_agent(a), parse_agent(b))
    rules = get_variant(variant)
    start = new_deal(rules, split(seed, _DEAL, number), dealer=number % rules.seat_count)
    results = []
    for side_of_a in (0, 1):
        sides = agents if side_of_a == 0 else agents[::-1]
        totals = _play(start, sides, split(seed, _THINK, number))
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


def summarise(variant: str, a: str, b: str, seed: int, pairs: list[Pair]) -> MatchResult:
    """Returns the statistics of played pairs, with a 95 % interval by the normal law."""
    differences = [pair.difference for pair in pairs]
    count = len(differences)
    mean = math.fsum(differences) / count
    variance = math.fsum((value - mean) ** 2 for value in differences) / (count - 1)
    error = math.sqrt(variance / count)
    deals = [result for pair in pairs for result in pair.results]
    return MatchResult(
        variant=variant,
        a=a,
        b=b,
        seed=seed,
        pairs=count,
        mean_difference=mean,
        standard_error=error,
        low_95=mean - 1.96 * error,
        high_95=mean + 1.96 * error,
        deal_standard_deviation=statistics.stdev(deals),
        deals_won=sum(result > 0 for result in deals),
        deals_tied=sum(result == 0 for result in deals),
        deals_lost=sum(result < 0 for result in deals),
    )
