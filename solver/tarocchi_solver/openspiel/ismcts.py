"""OpenSpiel's information set Monte Carlo tree search, set up for these games."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts

from tarocchi_engine.rng import split
from tarocchi_solver.openspiel.game import TarocchiGame, TarocchiState

EXPLORATION: Final = 0.7
"""The constant of UCT in units of the spread of a deal's result, as in the solver's own search."""
LEAST_SIMULATIONS: Final = 2
"""The first one only opens the root, so with one there is no answer."""
_TREE, _ROLLOUT, _WORLD = 1, 2, 3


class TimedISMCTSBot(ismcts.ISMCTSBot):
    """OpenSpiel's `ISMCTSBot` (Cowling, Powley and Whitehouse, 2012) with random rollouts, capped by number or time.

    Every simulation draws a deal of its own. A seed and a cap on simulations give the same play again.

    Attributes:
        searches: how many searches it has made that had a choice, and
        iterations: their simulations in all.
    """

    def __init__(
        self,
        game: TarocchiGame,
        *,
        iterations: int | None = None,
        time_ms: int | None = None,
        seed: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Makes a bot for any seat of a game.

        Args:
            game: the game.
            iterations: the simulations of a search, at least LEAST_SIMULATIONS.
            time_ms: milliseconds of a search; one of the two caps has to be given, and both may be.
            seed: of the rollouts, of the deals drawn and of what decides ties.
            clock: measures time in seconds.
        """
        if iterations is None and time_ms is None:
            raise ValueError("a search without an end: give iterations or time_ms")
        if iterations is not None and iterations < LEAST_SIMULATIONS:
            raise ValueError(f"iterations is {iterations}: give at least {LEAST_SIMULATIONS}")
        super().__init__(
            game,
            mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=_random_state(seed, _ROLLOUT)),
            EXPLORATION * game.rules.variant.deal_spread,
            iterations or 0,
            random_state=_random_state(seed, _TREE),
        )
        draw = random.Random(split(seed, _WORLD)).random
        self.set_resampler(lambda state, player: state.resample_from_infostate(player, draw))
        self._cap = iterations
        self._clock = clock
        self._seconds = None if time_ms is None else time_ms / 1000
        self.searches = self.iterations = 0

    def run_search(self, state: TarocchiState) -> Any:
        """Returns pairs of action and probability."""
        actions = state.legal_actions()
        if len(actions) == 1:
            return [(actions[0], 1.0)]
        self.reset()
        root = self.create_new_node(state)
        end = None if self._seconds is None else self._clock() + self._seconds
        done = 0
        while done < LEAST_SIMULATIONS or not (done == self._cap or (end is not None and self._clock() >= end)):
            self.run_simulation(self.sample_root_state(state))
            done += 1
        self.searches += 1
        self.iterations += done
        return self.get_final_policy(state, root)


def _random_state(seed: int, purpose: int) -> np.random.RandomState:
    return np.random.RandomState(split(seed, purpose) >> 32)
