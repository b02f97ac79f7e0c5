"""From the text that names an agent to the agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from tarocchi_bench.agents.base import Agent, AgentSpecError
from tarocchi_bench.agents.levels import LevelAgent
from tarocchi_bench.agents.presets import FLAT, PLAIN
from tarocchi_bench.agents.program import ProgramAgent
from tarocchi_bench.agents.rules import GreedyAgent, RandomAgent
from tarocchi_bench.agents.searching import CheatAgent, Effort, SolverAgent
from tarocchi_bench.agents.settings import Converter, converters_of, read_settings
from tarocchi_solver.search import DEFAULT_BUDGET, Budget, SearchOptions

FLAT_BUDGET: Final = Budget(iterations=1000)
NAMES: Final = "random, greedy, flat, plain, solver:KEY=VALUE,..., level:NAME, cheat:KEY=VALUE,... or exec:COMMAND"

_BUDGET: Final[dict[str, Converter]] = {**converters_of(Budget), "cpu_ms": int}
_OPTIONS: Final = converters_of(SearchOptions)


def parse_agent(text: str) -> Agent:
    """Returns the agent that `text` names; raises `AgentSpecError`.

    `random`; `greedy`, the rule that the playouts follow; `flat`, `plain`, `solver` and `cheat`, which search, with
    any caps of `Budget` and `cpu_ms` after a colon, and for `solver` and `cheat` any fields of `SearchOptions`;
    `level:NAME`, the solver at a level; `exec:COMMAND`, a program.
    """
    name, _, rest = text.partition(":")
    match name:
        case "random" | "greedy":
            read_settings(text, rest, {})
            return RandomAgent() if name == "random" else GreedyAgent()
        case "flat":
            return SolverAgent(_effort(text, read_settings(text, rest, _BUDGET), FLAT_BUDGET), FLAT)
        case "plain":
            return SolverAgent(_effort(text, read_settings(text, rest, _BUDGET), DEFAULT_BUDGET), PLAIN)
        case "solver" | "cheat":
            given = read_settings(text, rest, {**_BUDGET, **_OPTIONS})
            if name == "cheat":
                # there is nothing to infer about the only world
                given.setdefault("inference", 0.0)
            effort = _effort(text, given, DEFAULT_BUDGET)
            options = SearchOptions(**{key: value for key, value in given.items() if key in _OPTIONS})
            kind: Callable[[Effort, SearchOptions], Agent] = SolverAgent if name == "solver" else CheatAgent
            return kind(effort, options)
        case "level":
            return LevelAgent.of(text, rest)
        case "exec":
            return ProgramAgent.of(text, rest)
    raise AgentSpecError(f"no agent is called {name!r}: give {NAMES}")


def _effort(text: str, given: dict[str, Any], default: Budget) -> Effort:
    """Returns how long to think: as given, by default without any cap given."""
    caps = {field.name: given[field.name] for field in fields(Budget) if given.get(field.name) is not None}
    cpu_ms = given.get("cpu_ms")
    for key, value in {**caps, **({} if cpu_ms is None else {"cpu_ms": cpu_ms})}.items():
        if value < 1:
            raise AgentSpecError(f"agent {text!r}: {key} is {value}: give a whole number from 1")
    if cpu_ms is not None and "time_ms" in caps:
        raise AgentSpecError(f"agent {text!r}: time_ms and cpu_ms are two clocks: give one of them")
    return Effort(default if not caps and cpu_ms is None else Budget(**caps), cpu_ms)


def with_budget(text: str, caps: dict[str, int]) -> str:
    """Returns the name of an agent with the given caps where it can search and has none of its own."""
    name, _, rest = text.partition(":")
    if not caps or name not in ("flat", "plain", "solver", "cheat"):
        return text
    settings = rest.split(",") if rest else []
    if any(item.partition("=")[0] in _BUDGET for item in settings):
        return text
    return f"{name}:{','.join([*settings, *(f'{key}={value}' for key, value in caps.items())])}"
