"""Regret: what an agent's choices near the end of a deal lose against the full enumeration of all worlds.

Every world that fits what the seat knows is solved with open cards; a move is worth its mean over the worlds, all of
them equally likely. The regret of a choice is the value of the best move minus that of the move chosen. It is never
negative, and 0 for whoever averages over all worlds. It is not the whole truth: the seats are taken to know all cards
from the next card on, and nothing is inferred from how the others chose.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.agents import Agent, ask, parse_agent
from tarocchi_bench.positions import decisions_in_play, find_positions
from tarocchi_bench.records import (
    Lines,
    append_line,
    check_key,
    circumstances,
    no_entry,
    prepare_record,
    read_lines,
    version,
)
from tarocchi_bench.sequential import estimate
from tarocchi_bench.training.self_play import SelfPlay
from tarocchi_bench.workers import Workers, check_workers, work_through
from tarocchi_engine import State, get_variant, view
from tarocchi_engine.rng import split
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.exact import exact_values
from tarocchi_solver.search.question import arm_of
from tarocchi_solver.search.utilities import unit_of

MOST_TRICKS: Final = 6
_LINE: Final = "the regret of a choice"
_DEALS, _PICK, _THINK = 1, 2, 3


@dataclass(frozen=True, slots=True)
class RegretPlan:
    """Whose choices are judged, in which positions."""

    variant: str
    agent: str
    base: str
    """Who plays the deals up to the positions."""
    tricks: int
    """Tricks left."""
    positions: int
    seed: int
    world_limit: int = 50_000
    """Positions with more worlds are not solved."""

    @property
    def key(self) -> dict[str, Any]:
        """What tells its lines in a record from those of other plans."""
        return {
            "variant": self.variant,
            "agent": self.agent,
            "base": self.base,
            "tricks": self.tricks,
            "seed": self.seed,
            "world_limit": self.world_limit,
        } | circumstances(get_variant(self.variant), agent=self.agent, base=self.base)

    @property
    def deals(self) -> SelfPlay:
        """The deals that the positions are from."""
        return SelfPlay(self.variant, self.base, split(self.seed, _DEALS), self.positions)

    def check(self) -> None:
        """Raises `AgentSpecError`, `UnknownVariantError`, or ValueError for a number out of range."""
        get_variant(self.variant)
        parse_agent(self.agent)
        parse_agent(self.base)
        if self.positions < 2:
            raise ValueError(f"{self.positions} positions have no standard error: give at least 2")
        if not 1 <= self.tricks <= MOST_TRICKS:
            raise ValueError(f"{self.tricks} tricks left: give a number from 1 to {MOST_TRICKS}")
        if self.world_limit < 1:
            raise ValueError(f"a limit of {self.world_limit} worlds leaves no position: give at least 1")


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of the agent and what it loses."""

    number: int
    """Of the position."""
    worlds: int | None
    """How many worlds fit what the seat knows; None where they are more than the limit, and no regret is known."""
    chosen: str
    best: str | None
    regret: float | None
    """In points a deal of the seat's side over the other."""
    cpu_ms: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RegretResult:
    """The mean regret of an agent with its 95 % interval over positions, each of another deal."""

    variant: str
    agent: str
    base: str
    tricks: int
    seed: int
    positions: int
    unsolved: int
    """Positions, beside those, with more worlds than the limit."""
    mean_regret: float
    standard_error: float
    low_95: float | None
    high_95: float | None
    """None as the other end is where no interval is known: see `intervals`."""
    right_choices: float
    """The share of choices without regret."""
    worst_regret: float
    mean_worlds: float
    most_worlds: int
    cpu_ms_per_decision: float | None = field(default=None, compare=False)


def measure_regret(
    plan: RegretPlan,
    *,
    workers: Workers = 1,
    record: Path | None = None,
    deals: Path | None = None,
    progress: Callable[[], None] | None = None,
) -> RegretResult:
    """Measures the regret of an agent.

    Args:
        plan: whose, and where; checked first.
        workers: who works.
        record: a file of JSON lines to which every choice is added; those that it holds are not made again.
        deals: a file in which the deals of the positions are kept, and found.
        progress: called after every choice.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan or the number of workers.
        RecordError: a file cannot be read or written, or is of something else.
        AgentError: an agent failed.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    check_workers(workers)
    choices = {choice.number: choice for choice in ([] if record is None else _read(record, plan))}
    for _ in choices:
        if progress is not None:
            progress()
    to_do = [number for number in range(plan.positions) if number not in choices]
    if to_do:
        if record is not None:
            prepare_record(record)

        def cut(number: int, end: State) -> State | None:
            return choice_at(end, plan.tricks, split(plan.seed, _PICK, number))

        states = find_positions(cut, plan.positions, plan.deals, deals, workers=workers)
        with contextlib.closing(work_through(_Judge(plan, states), to_do, workers)) as judged:
            for choice in judged:
                if record is not None:
                    _append(record, plan, choice)
                choices[choice.number] = choice
                if progress is not None:
                    progress()
    return _summarise(plan, [choices[number] for number in sorted(choices)])


def choice_at(end: State, tricks: int, seed: int) -> State | None:
    """Returns one of the states of a deal, drawn by `seed`, in which a seat could choose a card with so many tricks
    left; None if there was none."""
    found = [
        state
        for state in decisions_in_play(end)
        if state.table.tricks_left == tricks and len({arm_of(move) for move in state.legal_moves()}) > 1
    ]
    return found[seed % len(found)] if found else None


@dataclass
class _Judge:
    """Lets an agent choose and says what the choice loses."""

    plan: RegretPlan
    states: Sequence[State]
    _agents: list[Agent] = field(default_factory=list, init=False)

    def __call__(self, number: int) -> Choice:
        """Judges the choice in one position."""
        if not self._agents:
            self._agents.append(parse_agent(self.plan.agent))
            self._agents[0].prepare(get_variant(self.plan.variant))
        state, agent = self.states[number], self._agents[0]
        before = agent.cpu_seconds()
        move = ask(agent, state, split(self.plan.seed, _THINK, number))
        after = agent.cpu_seconds()
        cpu_ms = None if before is None or after is None else round(1000 * (after - before), 3)
        values = move_values(state, self.plan.world_limit)
        name = state.variant.pack.format_card
        chosen = arm_of(move).bit_length() - 1
        if values is None:
            return Choice(number, None, name(chosen), None, None, cpu_ms)
        worlds, by_card = values
        best = max(by_card, key=lambda card: by_card[card])
        return Choice(number, worlds, name(chosen), name(best), by_card[best] - by_card[chosen], cpu_ms)

    def close(self) -> None:
        """Closes the agent."""
        for agent in self._agents:
            agent.close()
        self._agents.clear()


def move_values(state: State, world_limit: int) -> tuple[int, dict[int, float]] | None:
    """Returns the number of worlds that the seat to move cannot tell apart, and for each card that it may play the
    mean value over them; None if there are more worlds than the limit."""
    assert state.turn is not None
    seen = view(state.observe(state.turn))
    decision = Decision.of(seen, 0, infers=False)
    worlds = decision.sampler.enumerate(world_limit)
    if worlds is None:
        return None
    values, _sums = exact_values(decision.question, decision.sampler.arrays.destination, worlds)
    # sums of whole half points, so that equal moves have exactly equal means
    means = values.sum(axis=0) * unit_of(seen) / len(worlds)
    cards = [int(arm).bit_length() - 1 for arm in decision.question.arms]
    return len(worlds), dict(zip(cards, means.tolist(), strict=True))


def _summarise(plan: RegretPlan, choices: Sequence[Choice]) -> RegretResult:
    solved = [choice for choice in choices if choice.regret is not None]
    if len(solved) < 2:
        raise ValueError(
            f"{len(choices) - len(solved)} of {len(choices)} positions have more than {plan.world_limit:,} worlds: "
            "raise the limit"
        )
    regrets = [choice.regret for choice in solved if choice.regret is not None]
    worlds = [choice.worlds for choice in solved if choice.worlds is not None]
    found = estimate(regrets)
    low, high = found.interval_95
    known = [choice.cpu_ms for choice in choices if choice.cpu_ms is not None]
    return RegretResult(
        variant=plan.variant,
        agent=plan.agent,
        base=plan.base,
        tricks=plan.tricks,
        seed=plan.seed,
        positions=len(solved),
        unsolved=len(choices) - len(solved),
        mean_regret=found.mean,
        standard_error=found.standard_error,
        low_95=low,
        high_95=high,
        right_choices=sum(regret == 0 for regret in regrets) / len(regrets),
        worst_regret=max(regrets),
        mean_worlds=math.fsum(worlds) / len(worlds),
        most_worlds=max(worlds),
        cpu_ms_per_decision=math.fsum(known) / len(known) if len(known) == len(choices) else None,
    )


def _read(record: Path, plan: RegretPlan) -> list[Choice]:
    """Returns the choices found in a record; raises `RecordError`."""
    choices = {}
    key = plan.key
    lines = Lines(record, "position", _LINE)
    for number, entry in read_lines(record, _LINE):
        try:
            of_line = ("position", "worlds", "chosen", "best", "regret", "cpu_ms")
            choice = Choice(*(entry[name] for name in of_line))
            entry["agent"], entry["tricks"], choice.number + 0
        except (KeyError, TypeError) as error:
            raise no_entry(record, number, _LINE) from error
        check_key(record, number, entry, key)
        lines.add(number, choice.number)
        if choice.number < plan.positions:
            choices[choice.number] = choice
    return list(choices.values())


def _append(record: Path, plan: RegretPlan, choice: Choice) -> None:
    entry = {
        "position": choice.number,
        "worlds": choice.worlds,
        "chosen": choice.chosen,
        "best": choice.best,
        "regret": choice.regret,
        "cpu_ms": choice.cpu_ms,
    }
    append_line(record, plan.key | entry | version())
