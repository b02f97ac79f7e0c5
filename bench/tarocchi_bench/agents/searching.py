"""Agents that search: the solver as everybody has it, and the same search shown all hands."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from tarocchi_bench.agents.base import Agent, AgentError, CheatingAgent, HonestAgent
from tarocchi_bench.agents.settings import as_plain
from tarocchi_engine import Move, Observation, State, Variant, View, get_variant, view
from tarocchi_engine.facts import ASIDE_HOLDER, Case, HiddenCards, hidden_cards
from tarocchi_solver.search import Budget, Playout, SearchOptions, Utility, WorldSampler, search, warm_up
from tarocchi_solver.search.calibration import calibration_file
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.equity import equity_name
from tarocchi_solver.search.models import model_file
from tarocchi_solver.search.recommend import search_decision
from tarocchi_solver.search.runner import Limits
from tarocchi_solver.search.utilities import resolve
from tarocchi_solver.search.warm_up import SelfTestError


@dataclass(frozen=True)
class Effort:
    """How long an agent thinks about a move."""

    budget: Budget
    cpu_ms: int | None = None
    """CPU milliseconds of the searching thread, which other programs on the machine do not take away."""

    @property
    def is_timed(self) -> bool:
        """Whether a clock ends the search."""
        return self.cpu_ms is not None or self.budget.time_ms is not None

    @property
    def limits(self) -> tuple[Budget, Callable[[], float]]:
        """What a search is given: its caps, and the clock by which it measures time."""
        if self.cpu_ms is None:
            return self.budget, time.monotonic
        return replace(self.budget, time_ms=self.cpu_ms), time.thread_time

    @property
    def settings(self) -> dict[str, Any]:
        """All caps by their names."""
        return {**as_plain(self.budget), "cpu_ms": self.cpu_ms}


def files_of_search(options: SearchOptions, variant: Variant) -> frozenset[str]:
    """Returns the names of the data files on which the moves of a search depend."""
    names = set()
    if options.inference > 0.0 or options.playout is Playout.LEARNED:
        names.add(model_file(variant.name))
    if options.calibrated:
        names.add(calibration_file(variant.name))
    if resolve(variant, options.utility) is Utility.MATCH and variant.match_target is not None:
        names.add(equity_name(variant))
    return frozenset(names)


@cache
def warm_up_once(name: str) -> None:
    """Compiles or loads the kernels and tables for the variant of a name; raises `AgentError` if they are no good."""
    try:
        warm_up([get_variant(name)])
    except SelfTestError as error:
        raise AgentError(f"the solver cannot play on this machine: {error}") from error


@dataclass(frozen=True)
class _Searching(Agent):
    """What agents that search have in common."""

    name: ClassVar[str]

    effort: Effort
    options: SearchOptions

    @property
    def is_repeatable(self) -> bool:
        """Whether no clock ends its searches."""
        return not self.effort.is_timed

    @property
    def settings(self) -> dict[str, Any]:
        """The budget and the options."""
        return {"agent": self.name, "budget": self.effort.settings, "options": as_plain(self.options)}

    def prepare(self, variant: Variant) -> None:
        """Warms the search up."""
        warm_up_once(variant.name)

    def data_files(self, variant: Variant) -> frozenset[str]:
        """Those that the options make use of; `plain` and `flat` have learned nothing."""
        return files_of_search(self.options, variant)


@dataclass(frozen=True)
class SolverAgent(_Searching, HonestAgent):
    """The solver with a budget and options."""

    name = "solver"

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns the move that the search recommends."""
        budget, clock = self.effort.limits
        return search(observation, budget, seed=seed, options=self.options, clock=clock).move


@dataclass(frozen=True)
class CheatAgent(_Searching, CheatingAgent):
    """The solver with only one world to think about, the true one."""

    name = "cheat"

    def choose_knowing(self, state: State, seed: int) -> Move:
        """Returns the move that the search recommends when every world that it draws is the true one."""
        assert state.turn is not None
        budget, clock = self.effort.limits
        started = clock()
        seen = view(state.observe(state.turn))
        options = self.options
        decision = Decision.of(seen, seed, options.utility, step_width=options.step_width, infers=False)
        decision = replace(decision, sampler=WorldSampler(true_cards(state, seen)))
        deadline = None if budget.time_ms is None else started + budget.time_ms / 1000
        return search_decision(decision, budget, Limits(deadline, clock=clock), options).move


def true_cards(state: State, seen: View) -> HiddenCards:
    """Returns the cards that a view does not see, each allowed to its true holder alone."""
    hidden = hidden_cards(seen)

    def held(holder: int) -> int:
        if holder == ASIDE_HOLDER:
            return state.aside & seen.unseen
        # with the packets that are still to be dealt, and without the discard
        cards = state.dealt[holder] | (state.stock if state.table.has_taken_stock(holder) else 0)
        return cards & seen.unseen & ~(state.aside if state.table.discard_made else 0)

    return HiddenCards(
        cards=hidden.cards,
        holders=hidden.holders,
        capacities=hidden.capacities,
        cases=(Case(tuple(held(holder) for holder in hidden.holders)),),
        sentences=("all hands are shown",),
    )
