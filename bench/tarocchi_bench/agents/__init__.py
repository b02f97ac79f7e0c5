"""Players for tournaments, by name. All but the cheat see one seat's observation, never the state."""

from tarocchi_bench.agents.base import Agent, AgentError, AgentSpecError, CheatingAgent, HonestAgent, ask
from tarocchi_bench.agents.names import parse_agent, with_budget
from tarocchi_bench.agents.presets import FLAT, PLAIN

__all__ = [
    "FLAT",
    "PLAIN",
    "Agent",
    "AgentError",
    "AgentSpecError",
    "CheatingAgent",
    "HonestAgent",
    "ask",
    "parse_agent",
    "with_budget",
]
