"""The solver as a bot of OpenSpiel."""

from __future__ import annotations

import time
from collections.abc import Callable

import pyspiel

from tarocchi_engine import State
from tarocchi_engine.rng import split
from tarocchi_solver.openspiel.actions import encode
from tarocchi_solver.openspiel.game import TarocchiState
from tarocchi_solver.search import DEFAULT_BUDGET, Budget, Recommendation, SearchOptions, search


class SolverBot(pyspiel.Bot):
    """Plays any seat. Of a state it looks at the observation of the seat to move alone.

    Attributes:
        searches: how many searches it has made that had a choice, and
        iterations: their iterations in all.
    """

    def __init__(
        self,
        budget: Budget = DEFAULT_BUDGET,
        *,
        seed: int = 1,
        options: SearchOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Makes a bot for any seat; `clock` measures the budget's time in seconds."""
        super().__init__()
        self._clock = clock
        self._budget = budget
        self._seed = seed
        self._options = options or SearchOptions()
        self._plan: tuple[State, Recommendation] | None = None
        self.searches = self.iterations = 0

    def restart(self) -> None:
        """Forgets the deal."""
        self._plan = None

    def restart_at(self, state: TarocchiState) -> None:
        """Forgets the deal."""
        self._plan = None

    def step(self, state: TarocchiState) -> int:
        """Returns the next action of the best move that begins with what the seat has chosen already."""
        actions = state.moment.actions()
        if len(actions) == 1:
            return actions[0]
        deal, draft = state.moment.state, state.moment.draft
        assert deal is not None
        for found in self._searched(deal).moves:
            planned = encode(deal.variant, found.move)
            begun = [card for card in planned if draft >> card & 1]
            if sum(1 << card for card in begun) == draft and planned[: len(begun)] == begun:
                return planned[len(begun)]
        return actions[0]  # no move that the search looked at begins like this: any is legal

    def _searched(self, deal: State) -> Recommendation:
        """Returns the answer of the search, the same one for all actions of a move."""
        if self._plan is None or self._plan[0] is not deal:
            seat = deal.table.turn
            found = search(
                deal.observe(seat),
                self._budget,
                seed=split(self._seed, len(deal.events), seat),
                options=self._options,
                clock=self._clock,
            )
            self._plan = deal, found
            self.searches += 1
            self.iterations += found.diagnostics.iterations
        return self._plan[1]
