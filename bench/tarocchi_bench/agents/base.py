"""What an agent is: honest ones are handed an observation, only a cheat is handed the state."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

from tarocchi_engine import Move, Observation, State, Variant


class AgentSpecError(ValueError):
    """Says what is wrong with the text that names an agent."""


class AgentError(Exception):
    """Says what an agent did wrong in the middle of a deal."""


class Agent(ABC):
    """A player of one of the two kinds below. Agents are equal if their names mean the same."""

    @property
    def is_repeatable(self) -> bool:
        """Whether an equal agent with an equal observation and seed makes an equal move."""
        return True

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """All that makes the agent what it is, defaults included, in a form that JSON can hold."""

    def data_files(self, variant: Variant) -> frozenset[str]:
        """Returns the names, without an ending, of the data files of the solver that its moves in a game depend on."""
        return frozenset()

    def prepare(self, variant: Variant) -> None:
        """Compiles or loads what its moves in a game take, so that no clock runs meanwhile; later calls do nothing.

        Raises `AgentError` if it cannot play on this machine.
        """
        return

    def cpu_seconds(self) -> float | None:
        """Returns a reading of the clock of the CPU that the agent thinks on, None where there is none."""
        return time.thread_time()

    def close(self) -> None:
        """Lets go of what the agent holds; it makes no moves afterwards."""
        return


class HonestAgent(Agent):
    """Knows what its seat knows."""

    @abstractmethod
    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns a legal move of the observing seat; raises `AgentError` if it has none."""


class CheatingAgent(Agent):
    """Knows all cards."""

    @abstractmethod
    def choose_knowing(self, state: State, seed: int) -> Move:
        """Returns a legal move of the seat to move; raises `AgentError` if it has none."""


def ask(agent: Agent, state: State, seed: int) -> Move:
    """Returns an agent's move for the seat to move; the state goes to cheats alone."""
    assert state.turn is not None
    if isinstance(agent, CheatingAgent):
        return agent.choose_knowing(state, seed)
    assert isinstance(agent, HonestAgent)
    return agent.choose(state.observe(state.turn), seed)
