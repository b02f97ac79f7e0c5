"""The agent that plays at a level, as the service offers it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tarocchi_bench.agents.base import AgentSpecError, HonestAgent
from tarocchi_bench.agents.searching import files_of_search, warm_up_once
from tarocchi_engine import Move, Observation, Variant
from tarocchi_solver.levels import Level, play_at_level, settings_of
from tarocchi_solver.search import SearchOptions


@dataclass(frozen=True)
class LevelAgent(HonestAgent):
    """The solver at a level."""

    level: Level

    @classmethod
    def of(cls, text: str, name: str) -> LevelAgent:
        """Returns the agent of a level's name; raises `AgentSpecError`, which quotes the agent's `text`."""
        try:
            return cls(Level(name))
        except ValueError as error:
            raise AgentSpecError(f"agent {text!r}: {name!r} is no level: give one of {', '.join(Level)}") from error

    @property
    def settings(self) -> dict[str, Any]:
        """The level and what it means."""
        return {"agent": "level", "level": self.level.value, **asdict(settings_of(self.level))}

    def prepare(self, variant: Variant) -> None:
        """Warms the search up."""
        warm_up_once(variant.name)

    def data_files(self, variant: Variant) -> frozenset[str]:
        """Those of the search as it is."""
        return files_of_search(SearchOptions(), variant)

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns the move that the level makes."""
        return play_at_level(observation, self.level, seed=seed).move
