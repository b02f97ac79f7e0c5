"""Pairs: what is played, how each one is played, and its line in a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.agents import Agent, parse_agent
from tarocchi_bench.playing import Played, Toll, advantage, arrangements, contract_of, play_out
from tarocchi_bench.records import Lines, append_line, check_key, circumstances, no_entry, read_lines, version
from tarocchi_engine import State, Variant, get_variant, new_deal
from tarocchi_engine.rng import split

_PAIR: Final = "a pair of a match"
_DEAL, _THINK = 1, 2


@dataclass(frozen=True, slots=True)
class Tail:
    """Where the deals of a match begin that another agent plays up to there."""

    base: str
    """The agent that plays the tricks before."""
    tricks: int
    """The tricks left for A and B."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Who plays whom, on which deals."""

    variant: str
    a: str
    b: str
    seed: int
    pairs: int
    options: tuple[tuple[str, str], ...] = ()
    """Rule options other than the defaults."""
    tail: Tail | None = None
    """None where A and B play whole deals."""

    @property
    def rules(self) -> Variant:
        """The variant with its options; raises `UnknownVariantError` or `OptionError`."""
        return get_variant(self.variant, dict(self.options))

    @property
    def is_even(self) -> bool:
        """Whether every pair comes out as 0, because equal agents make equal moves with equal random numbers."""
        a, b = parse_agent(self.a), parse_agent(self.b)
        return a == b and a.is_repeatable

    @property
    def names(self) -> dict[str, Any]:
        """What was asked for, without what it means."""
        names: dict[str, Any] = {"variant": self.variant, "a": self.a, "b": self.b, "seed": self.seed}
        return names if self.tail is None else names | {"base": self.tail.base, "tricks": self.tail.tricks}

    @property
    def key(self) -> dict[str, Any]:
        """What tells its lines in a record from those of other matches."""
        agents = {"a": self.a, "b": self.b} | ({} if self.tail is None else {"base": self.tail.base})
        return self.names | circumstances(self.rules, **agents)

    def check(self) -> None:
        """Raises `AgentSpecError`, `UnknownVariantError`, `OptionError`, or ValueError for a number out of range."""
        rules = self.rules
        for text in (self.a, self.b, *(() if self.tail is None else (self.tail.base,))):
            parse_agent(text)
        if self.pairs < 2:
            raise ValueError(f"{self.pairs} pairs have no standard error: play at least 2")
        if self.tail is not None and not 1 <= self.tail.tricks < rules.trick_count:
            raise ValueError(f"{self.tail.tricks} tricks left: give a number from 1 to {rules.trick_count - 1}")


@dataclass(frozen=True, slots=True)
class Pair:
    """The results of one deal: two, or in a game without partners one for each way to mix the agents."""

    number: int
    results: tuple[float, ...]
    """A's mean score minus B's, in the order of `arrangements`."""
    contracts: tuple[str | None, ...] = ()
    """What was played in each arrangement of a game with an auction."""
    decisions: tuple[int, int] = (0, 0)
    """Of A and of B, in all arrangements together."""
    cpu_ms: tuple[float | None, float | None] = field(default=(None, None), compare=False)
    """What they cost A and B, None where that is not known."""

    @property
    def difference(self) -> float:
        """A's mean advantage in points a deal."""
        return sum(self.results) / len(self.results)


@dataclass
class PairPlayer:
    """Plays the pairs of a plan in one process, with agents that live as long as itself."""

    plan: MatchPlan
    starts: Sequence[State] | None = None
    """Where each pair begins; None for new deals."""
    _agents: list[Agent] = field(default_factory=list, init=False)

    def __call__(self, number: int) -> Pair:
        """Plays deal `number` in every arrangement; the dealer moves on from pair to pair."""
        if not self._agents:
            self._agents += [parse_agent(self.plan.a), parse_agent(self.plan.b)]
            for agent in self._agents:
                agent.prepare(self.plan.rules)
        plan = self.plan
        if self.starts is None:
            start = first_state(plan.rules, split(plan.seed, _DEAL, number), number)
        else:
            start = self.starts[number]
        seed = split(plan.seed, _THINK, number)
        # all plays of a pair think with the same numbers at the same point
        ways = arrangements(start.variant)
        seats = range(start.variant.seat_count)
        played = [play_out(start, self._agents, [seat not in of_a for seat in seats], seed) for of_a in ways]
        tolls = [_sum(played, place) for place in (0, 1)]
        return Pair(
            number,
            tuple(advantage(each.end, of_a) for each, of_a in zip(played, ways, strict=True)),
            tuple(contract_of(each.end) for each in played) if start.variant.has_auction else (),
            (tolls[0].decisions, tolls[1].decisions),
            (_ms(tolls[0]), _ms(tolls[1])),
        )

    def close(self) -> None:
        """Closes the agents."""
        for agent in self._agents:
            agent.close()
        self._agents.clear()


def first_state(rules: Variant, seed: int, number: int) -> State:
    """Returns deal `number` of a series, shuffled by `seed`, before its first move."""
    return new_deal(rules, seed, dealer=number % rules.seat_count)


def _sum(played: Sequence[Played], place: int) -> Toll:
    tolls = [each.tolls[place] for each in played if each.tolls[place].decisions]
    seconds = [toll.cpu_seconds for toll in tolls]
    known = [second for second in seconds if second is not None]
    return Toll(sum(toll.decisions for toll in tolls), sum(known) if len(known) == len(seconds) else None)


def _ms(toll: Toll) -> float | None:
    return None if toll.cpu_seconds is None else round(1000 * toll.cpu_seconds, 3)


def read_record(record: Path, plan: MatchPlan, *, as_now: bool = True) -> list[Pair]:
    """Returns the pairs of a match found in its record; raises `RecordError` if the file records something else.

    `as_now` refuses pairs of agents or rules whose names meant something else when they were played.
    """
    played = {}
    key = plan.key if as_now else plan.names
    ways = len(arrangements(plan.rules))
    lines = Lines(record, "pair", _PAIR)
    for number, entry in read_lines(record, _PAIR):
        try:
            pair = _pair_of(entry, ways)
            entry["variant"], entry["a"], entry["b"], entry["seed"]
        except (ValueError, KeyError, TypeError) as error:
            raise no_entry(record, number, _PAIR) from error
        if ("tricks" in entry) != (plan.tail is not None):
            raise no_entry(record, number, f"a line of a {'match' if plan.tail is None else 'duel'}")
        check_key(record, number, entry, key)
        lines.add(number, pair.number)
        if entry.get("dealer", dealer := pair.number % plan.rules.seat_count) != dealer:
            raise no_entry(record, number, f"pair {pair.number} of a match, in which seat {dealer} deals")
        if pair.number < plan.pairs:
            played[pair.number] = pair
    return list(played.values())


def _pair_of(entry: dict[str, Any], ways: int) -> Pair:
    """Returns the pair of a line, played in so many arrangements; raises ValueError, KeyError or TypeError for none."""
    a_decisions, b_decisions = entry.get("decisions", (0, 0))
    a_ms, b_ms = entry.get("cpu_ms", (None, None))
    pair = Pair(
        entry["pair"],
        tuple(entry["results"]),
        tuple(entry.get("contracts", ())),
        (a_decisions, b_decisions),
        (a_ms, b_ms),
    )
    numbers = [*pair.results, *pair.decisions, *(ms for ms in pair.cpu_ms if ms is not None)]
    if len(pair.results) != ways or not all(map(math.isfinite, numbers)) or min(numbers[ways:]) < 0:
        raise ValueError("these are no results of a pair")
    return pair


def append_record(record: Path, plan: MatchPlan, pair: Pair) -> None:
    """Adds one pair to the record of a match."""
    entry: dict[str, Any] = {"pair": pair.number, "results": pair.results}
    if plan.tail is None:
        entry["dealer"] = pair.number % plan.rules.seat_count
    if pair.contracts:
        entry["contracts"] = pair.contracts
    append_line(record, plan.key | entry | {"decisions": pair.decisions, "cpu_ms": pair.cpu_ms} | version())
