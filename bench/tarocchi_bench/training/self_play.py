"""Deals that an agent plays against itself, kept as JSON lines that `tarocchi replay` reads one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from google.protobuf import json_format

from tarocchi.solver.v1 import rules_service_pb2
from tarocchi_bench.agents import Agent, parse_agent
from tarocchi_bench.pairs import first_state
from tarocchi_bench.playing import play_out
from tarocchi_bench.records import DATA, Lines, RecordError, data_of, no_entry, read_lines
from tarocchi_bench.training.recording import record_missing
from tarocchi_bench.workers import Workers
from tarocchi_engine import State, get_variant
from tarocchi_engine.rng import split
from tarocchi_solver.service.answers import deal_answer
from tarocchi_solver.service.errors import FaultList
from tarocchi_solver.service.formats import format_event
from tarocchi_solver.service.requests import parse_deal

_DEAL, _THINK = 1, 2
_LINE: Final = "a deal"
_as_json: Final = json_format.MessageToDict


class DealSeries(Protocol):
    """What tells the deals of one plan from those of others."""

    @property
    def variant(self) -> str: ...

    @property
    def agent(self) -> str: ...

    @property
    def seed(self) -> int: ...


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """Which deals are played by whom."""

    variant: str
    agent: str
    seed: int
    deals: int


def play_deals(
    plan: SelfPlay, record: Path, *, workers: Workers = 1, progress: Callable[[], None] | None = None
) -> None:
    """Plays the deals of a plan that its record does not hold yet, and adds each to it as it ends.

    Raises:
        AgentSpecError, UnknownVariantError: the plan.
        RecordError: the record cannot be read or written, is that of another plan, or goes on from other data files.
        AgentError: the agent failed.
        WorkerDiedError: a worker process was killed.
    """
    data = data_of(get_variant(plan.variant), parse_agent(plan.agent))
    known = list(entries_of(record, plan))
    record_missing(_DealPlayer(plan), record, known, plan.deals, data, workers, progress, counts_known=False)


def read_deals(record: Path, plan: SelfPlay) -> Iterator[State]:
    """Yields the deals of a plan as played, by number; raises `RecordError` where they are not all there."""
    for entry in entries_in_order(record, plan, plan.deals):
        yield parse_entry(record, entry)


def entries_in_order(record: Path, plan: DealSeries, count: int) -> Iterator[dict[str, Any]]:
    """Yields the lines of deals 0 to `count - 1`; raises `RecordError` where they are not all there."""
    entries = {entry["number"]: entry for entry in entries_of(record, plan)}
    for number in range(count):
        if number not in entries:
            raise RecordError(f"{record}: deal {number} is missing: play it first")
        yield entries[number]


def parse_entry(record: Path, entry: dict[str, Any]) -> State:
    """Returns the end of the deal of a line; raises `RecordError` if there is no such deal."""
    faults = FaultList()
    message = rules_service_pb2.ReplayDealRequest()
    json_format.ParseDict({key: entry[key] for key in ("deal", "events")}, message)
    state = parse_deal(message, faults)
    if state is None or faults.faults:
        raise RecordError(f"{record}: deal {entry['number']} is none: {faults.faults[0].message}")
    return state


def deal_entry(
    plan: DealSeries, player: Agent, number: int, start: State, shuffled_by: int, end: State
) -> dict[str, Any]:
    """Returns the line of deal `number` of a plan, from its start to its end, as the agent of the plan played it."""
    return {
        "variant": plan.variant,
        "agent": plan.agent,
        "seed": plan.seed,
        "number": number,
        DATA: data_of(start.variant, player),
        "deal": _as_json(deal_answer(start, shuffled_by).deal),
        "events": [_as_json(format_event(start.variant.pack, event)) for event in end.table.events],
    }


@dataclass
class _DealPlayer:
    """Plays the deals of a plan in one process, with an agent that lives as long as itself."""

    plan: SelfPlay
    _agents: list[Agent] = field(default_factory=list, init=False)

    def __call__(self, number: int) -> dict[str, Any]:
        """Plays one deal; returns its entry in the record."""
        plan = self.plan
        if not self._agents:
            self._agents.append(parse_agent(plan.agent))
        variant = get_variant(plan.variant)
        shuffled_by = split(plan.seed, _DEAL, number)
        start = first_state(variant, shuffled_by, number)
        end = play_out(start, self._agents, [0] * variant.seat_count, split(plan.seed, _THINK, number)).end
        return deal_entry(plan, self._agents[0], number, start, shuffled_by, end)

    def close(self) -> None:
        """Closes the agent."""
        for agent in self._agents:
            agent.close()
        self._agents.clear()


def entries_of(record: Path, plan: DealSeries) -> Iterator[dict[str, Any]]:
    """Yields the lines of a record; raises `RecordError` for those of another plan."""
    lines = Lines(record, "deal", _LINE)
    for number, entry in read_lines(record, _LINE):
        if not {"variant", "agent", "seed", "number", "deal", "events"} <= set(entry):
            raise no_entry(record, number, _LINE)
        if (entry["variant"], entry["agent"], entry["seed"]) != (plan.variant, plan.agent, plan.seed):
            raise RecordError(f"{record}: line {number} belongs to other deals; name a new file")
        lines.add(number, entry["number"])
        yield entry
