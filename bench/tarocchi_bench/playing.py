"""Plays deals between agents and measures what it costs them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from tarocchi_bench.agents import Agent, ask
from tarocchi_engine import Event, State, Variant
from tarocchi_engine.rng import split


@dataclass
class Toll:
    """What a deal has cost an agent."""

    decisions: int = 0
    cpu_seconds: float | None = 0.0
    """None once an agent has no clock."""

    def add(self, before: float | None, after: float | None) -> None:
        """Takes in a decision between two readings of the agent's clock."""
        self.decisions += 1
        if before is None or after is None or self.cpu_seconds is None:
            self.cpu_seconds = None
        else:
            self.cpu_seconds += after - before


@dataclass
class Played:
    """A deal played to its end."""

    end: State
    moves: list[Event] = field(default_factory=list)
    """Those that agents made, with discards face up."""
    tolls: tuple[Toll, ...] = ()
    """For each agent."""


def play_out(state: State, agents: Sequence[Agent], agent_of_seat: Sequence[int], seed: int) -> Played:
    """Plays a deal to its end.

    Args:
        state: where it stands.
        agents: those who play.
        agent_of_seat: for each seat the place of its agent in `agents`.
        seed: of the thinking; at the same point all agents think with the same numbers.

    Raises:
        AgentError: an agent fails.
    """
    tolls = tuple(Toll() for _ in agents)
    moves: list[Event] = []
    while (seat := state.turn) is not None:
        place = agent_of_seat[seat]
        agent = agents[place]
        before = agent.cpu_seconds()
        move = ask(agent, state, split(seed, len(moves)))
        tolls[place].add(before, agent.cpu_seconds())
        moves.append(Event(seat, move))
        state = state.apply_move(move)
    return Played(state, moves, tolls)


def arrangements(variant: Variant) -> tuple[frozenset[int], ...]:
    """Returns the sets of seats that A has: either side, or in a game without partners any but none and all."""
    seats = range(variant.seat_count)
    if not variant.seats_score_alone:
        return tuple(frozenset(seat for seat in seats if variant.side_of(seat) == side) for side in (0, 1))
    return tuple(frozenset(chosen) for size in range(1, variant.seat_count) for chosen in combinations(seats, size))


def advantage(end: State, seats_of_a: frozenset[int]) -> float:
    """Returns the mean score of A's seats minus that of the others after the end of a deal."""
    variant, awards = end.variant, end.score().awards
    scores = [
        awards[seat if variant.seats_score_alone else variant.side_of(seat)] for seat in range(variant.seat_count)
    ]
    of_a = [score for seat, score in enumerate(scores) if seat in seats_of_a]
    of_b = [score for seat, score in enumerate(scores) if seat not in seats_of_a]
    return statistics.fmean(of_a) - statistics.fmean(of_b)


def contract_of(end: State) -> str | None:
    """Returns what was played, such as "gioco by 2", None in a game without an auction or where all passed."""
    table = end.table
    return None if table.contract is None or table.declarer is None else f"{table.contract} by {table.declarer}"
