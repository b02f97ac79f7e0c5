"""Players for tournaments: each sees one seat's observation, never the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tarocchi_engine import Bid, CallOut, Declare, Discard, Give, Monte, Move, Observation, Play, View, view
from tarocchi_engine.cards import cards_in
from tarocchi_engine.layout import LED
from tarocchi_engine.play import choose_by_rule, legal_cards
from tarocchi_engine.position import make_position
from tarocchi_engine.rng import split
from tarocchi_solver.search import DEFAULT_BUDGET, Budget, Playout, SearchOptions, search
from tarocchi_solver.search.opening import imagined_call


class AgentSpecError(ValueError):
    """Says what is wrong with the text that names an agent."""


class Agent(ABC):
    """A player. Agents are equal if their names mean the same."""

    @property
    def is_repeatable(self) -> bool:
        """Whether an equal agent with an equal observation and seed makes an equal move."""
        return True

    @abstractmethod
    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns a legal move of the observing seat."""


@dataclass(frozen=True)
class RandomAgent(Agent):
    """Makes any legal move."""

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns a uniformly random legal move."""
        moves = view(observation).legal_moves()
        return moves[split(seed) % len(moves)]


@dataclass(frozen=True)
class GreedyAgent(Agent):
    """Bids by the strength of its hand, lays away the cheapest cards of its shortest suits, declares everything.

    It never throws a deal in nor signals, and plays by the playout rule.
    """

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns the rule's move; a lead is random."""
        seen = view(observation)
        moves = seen.legal_moves()
        if not isinstance(moves[0], Play):
            return min(moves, key=lambda move: self._price(seen, move))
        hands = [seen.hand if seat == seen.seat else 0 for seat in range(seen.variant.seat_count)]
        position = make_position(seen.table, hands, 0)
        legal = legal_cards(np.uint64(seen.hand), position[LED])
        return Play(int(choose_by_rule(position, legal, np.uint64(split(seed)))))

    @staticmethod
    def _price(seen: View, move: Move) -> tuple[int, ...]:
        """Returns the key of the smallest sacrifice: many cards shown; few points laid away, from short suits."""
        pack = seen.variant.pack
        match move:
            case Declare(shown) | CallOut(shown):
                return (-shown.bit_count(),)
            case Monte(throws_in):
                return (int(throws_in),)
            case Bid(call):
                return (int(call is not imagined_call(seen, seen.hand)),)
            case Give(card):
                return (card,)
        assert isinstance(move, Discard)
        cards = list(cards_in(move.cards or 0))
        suits = [pack.suit_of(card) for card in cards]
        lengths = [sum(pack.suit_of(held) == suit for held in cards_in(seen.hand)) for suit in suits]
        return (suits.count("T"), sum(pack.points[card] for card in cards), sum(lengths))


@dataclass(frozen=True)
class SolverAgent(Agent):
    """The solver with a budget and options."""

    budget: Budget
    options: SearchOptions

    @property
    def is_repeatable(self) -> bool:
        """Whether no clock ends its searches."""
        return self.budget.time_ms is None

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns the move that the search recommends."""
        return search(observation, self.budget, seed=seed, options=self.options).move


_CONVERTERS: dict[str, Any] = {
    "worlds": int,
    "iterations": int,
    "time_ms": int,
    "playout": Playout,
    "exploration": float,
    "expand_after": int,
    "iterations_per_world": int,
}


def parse_agent(text: str) -> Agent:
    """Returns the agent that `text` names: `random`, `greedy` or `solver:KEY=VALUE,...`.

    Keys of the solver are the fields of `Budget` and `SearchOptions`. Raises `AgentSpecError`.
    """
    name, _, rest = text.partition(":")
    given: dict[str, Any] = {}
    for item in rest.split(",") if rest else ():
        key, separator, value = item.partition("=")
        if not separator or key not in _CONVERTERS or name != "solver":
            known = ", ".join(f"{known}=..." for known in _CONVERTERS) if name == "solver" else "none"
            raise AgentSpecError(f"agent {text!r}: {item!r} is not a setting of {name}; settings: {known}")
        if key in given:
            raise AgentSpecError(f"agent {text!r}: {key} stands twice: give it once")
        try:
            given[key] = _CONVERTERS[key](value)
        except ValueError as error:
            raise AgentSpecError(f"agent {text!r}: {value!r} is no value for {key}") from error
    match name:
        case "random":
            return RandomAgent()
        case "greedy":
            return GreedyAgent()
        case "solver":
            of_budget = {field.name for field in fields(Budget)}
            budget = Budget(**{key: value for key, value in given.items() if key in of_budget})
            budget = DEFAULT_BUDGET if budget.is_open else budget
            return SolverAgent(budget, SearchOptions(**{k: v for k, v in given.items() if k not in of_budget}))
    raise AgentSpecError(f"no agent is called {name!r}: give random, greedy or solver:iterations=1000,...")
