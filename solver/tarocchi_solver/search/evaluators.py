"""What can be done with a world to learn about the moves: grow a tree in it, or solve it.

An evaluator fills rows of a block, one for each world. It is a pure function of the worlds' numbers, so that blocks can
be filled on any thread and in any order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine.layout import TRICKS_LEFT
from tarocchi_solver.search.double_dummy import Solver
from tarocchi_solver.search.exact import solve_listed, solve_sampled, table_bits
from tarocchi_solver.search.inference import Belief
from tarocchi_solver.search.learned_playout import PlayoutRule
from tarocchi_solver.search.question import Question
from tarocchi_solver.search.results import Playout, SearchOptions
from tarocchi_solver.search.sampler import WorldNotFoundError, WorldSampler
from tarocchi_solver.search.tree import Block, Tree, search_block
from tarocchi_solver.search.utilities import utilities_of

ITERATIONS_PER_CALL: Final = 512
"""Work of one kernel call, about a millisecond: between calls threads look at the limits."""

PLAYOUT_COSTS: Final = {Playout.RANDOM: 1, Playout.RULE: 1, Playout.LEARNED: 3}
"""How many iterations with the rule take about as long as one."""


@dataclass(frozen=True)
class Evaluator(ABC):
    """Fills blocks of worlds."""

    question: Question

    @property
    def arm_count(self) -> int:
        """The number of moves."""
        return len(self.question.arms)

    @property
    def worlds_per_call(self) -> int:
        """How many worlds make about a millisecond's work."""
        return max(1, ITERATIONS_PER_CALL // self.cost)

    @property
    @abstractmethod
    def cost(self) -> int:
        """How many iterations take about as long as one world."""

    @abstractmethod
    def allocate(self) -> Any:
        """Returns the memory that one thread needs."""

    @abstractmethod
    def fill(self, memory: Any, block: Block, first: int) -> None:
        """Evaluates worlds number `first` and following, one for each row of `block`."""


@dataclass(frozen=True)
class Source:
    """Where worlds come from: world number w is always the same."""

    sampler: WorldSampler
    belief: Belief
    seed: int

    def check(self, block: Block) -> None:
        """Raises `WorldNotFoundError` if the sampler gave up on a world of a block."""
        if (block.rejected < 0).any():
            raise WorldNotFoundError(self.sampler.facts)


@dataclass(frozen=True)
class TreeSearch(Evaluator):
    """A tree in every world."""

    source: Source
    options: SearchOptions
    iterations: int
    """For each world."""
    rule: PlayoutRule

    @property
    def cost(self) -> int:
        """How many iterations take about as long as one world."""
        return self.iterations * PLAYOUT_COSTS[self.options.playout]

    def allocate(self) -> Tree:
        """Returns the tree of one thread."""
        return Tree.allocate(self.arm_count, self.iterations)

    def fill(self, memory: Tree, block: Block, first: int) -> None:
        """Evaluates worlds number `first` and following."""
        search_block(
            self.question,
            self.source.sampler.arrays,
            self.source.belief,
            memory,
            block,
            np.uint64(self.source.seed),
            first,
            self.iterations,
            self.rule,
            self.options.exploration,
            self.options.expand_after,
        )
        self.source.check(block)


@dataclass(frozen=True)
class _Endings(Evaluator):
    @cached_property
    def _tricks_left(self) -> int:
        return int(self.question.position[TRICKS_LEFT])

    @property
    def cost(self) -> int:
        """How many iterations take about as long as one world."""
        return solving_cost(self._tricks_left) * self.arm_count

    def allocate(self) -> Solver:
        """Returns the solver of one thread."""
        return Solver.allocate(table_bits(self._tricks_left))

    def _add_utilities(self, block: Block) -> None:
        """Adds what the values are worth: they are differences, so the sum that the playout rule leads to is used."""
        flat = utilities_of(self.question.utility, block.totals.ravel(), block.sums.ravel())
        block.utilities[:] = flat.reshape(block.totals.shape)


@dataclass(frozen=True)
class SampledEndings(_Endings):
    """Sampled worlds, each solved with open cards."""

    source: Source

    def fill(self, memory: Solver, block: Block, first: int) -> None:
        """Evaluates worlds number `first` and following."""
        arrays, belief = self.source.sampler.arrays, self.source.belief
        solve_sampled(self.question, arrays, belief, memory, block, np.uint64(self.source.seed), first)
        self.source.check(block)
        self._add_utilities(block)


@dataclass(frozen=True)
class ListedEndings(_Endings):
    """Given worlds, each solved with open cards."""

    destination: npt.NDArray[np.uint64]
    worlds: npt.NDArray[np.uint64]

    def fill(self, memory: Solver, block: Block, first: int) -> None:
        """Evaluates worlds number `first` and following."""
        rows = self.worlds[first : first + len(block.rejected)]
        solve_listed(self.question, self.destination, rows, memory, block)
        self._add_utilities(block)


_SOLVING_COSTS: Final = (1, 1, 6, 8, 15, 55, 220, 900)
"""By tricks left, measured in all variants: medians, in iterations of the same variant."""


def solving_cost(tricks_left: int) -> int:
    """Returns how many iterations take about as long as solving one move of one world."""
    return _SOLVING_COSTS[min(tricks_left, len(_SOLVING_COSTS) - 1)]
