"""OpenSpiel's compiled games: random playouts of `tarok`, and its ISMCTS on `hearts`, which it can deal anew."""

from __future__ import annotations

import random
from typing import Any, Final

import pyspiel

from tarocchi_bench.throughput import rate_of
from tarocchi_engine.rng import split

_PLAYOUTS_PER_CALL: Final = 500
_SIMULATIONS: Final = 1_000
_EXPLORATION: Final = 26.0
"""In points of a deal of hearts; it decides where the tree grows, hardly how fast."""
_CHOICE: Final = 4


def playout_rate(seconds: float, seed: int) -> float:
    """Returns the random playouts of `tarok` in a second of CPU, from the first lead of a deal on, with its count.

    A tree search with a single iteration evaluates the state it is given, by as many playouts as it is asked for; all
    of that runs in compiled code.
    """
    game, state = _dealt("tarok", {"rng_seed": seed & 0x7FFFFFFF}, seed)
    while "Tricks playing" not in str(state):
        # the first action is to pass; where all do, the deal is played nevertheless
        state.apply_action(state.legal_actions()[0])
    evaluator = pyspiel.RandomRolloutEvaluator(_PLAYOUTS_PER_CALL, seed & 0x7FFFFFFF)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False)

    def search_once() -> int:
        bot.mcts_search(state)
        return _PLAYOUTS_PER_CALL

    return rate_of(search_once, seconds)


def search_rate(seconds: float, seed: int) -> float:
    """Returns the simulations of information set Monte Carlo tree search on `hearts` in a second of CPU.

    Each deals the unseen cards anew and has one random playout. They start early in a deal, with a choice of cards.
    """
    _, state = _dealt("hearts", {"pass_cards": False}, seed)
    while len(state.legal_actions()) < _CHOICE:
        state.apply_action(state.legal_actions()[0])
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed & 0x7FFFFFFF)
    policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot = pyspiel.ISMCTSBot(seed & 0x7FFFFFFF, evaluator, _EXPLORATION, _SIMULATIONS, -1, policy, False, False)

    def search_once() -> int:
        bot.step(state)
        return _SIMULATIONS

    return rate_of(search_once, seconds)


def version() -> str:
    """Returns what is measured."""
    return f"OpenSpiel {getattr(pyspiel, '__version__', '')}".strip()


def _dealt(name: str, parameters: dict[str, Any], seed: int) -> tuple[Any, Any]:
    game = pyspiel.load_game(name, parameters)
    state = game.new_initial_state()
    draw = random.Random(split(seed))
    while state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(draw.choices(actions, chances)[0])
    return game, state
