"""Compiles or loads every kernel and proves it on deals whose outcome is known beforehand."""

from __future__ import annotations

from tarocchi_engine import VARIANTS, Move, State, new_deal
from tarocchi_solver.search.recommend import search
from tarocchi_solver.search.results import Budget, Playout, SearchOptions

_SEED = 1
_BUDGET = Budget(iterations=200)


class SelfTestError(Exception):
    """Says that the compiled code gives wrong answers on this machine."""


def warm_up() -> None:
    """Plays one deal of every variant by the search; raises `SelfTestError` if anything comes out wrong.

    Afterwards no request compiles anything.
    """
    for variant in VARIANTS.values():
        for playout in Playout:
            state = new_deal(variant, _SEED)
            while state.turn is not None:
                state = state.apply_move(_checked_move(state, SearchOptions(playout=playout)))
            score = state.score()
            whole = sum(side.pile.bit_count() for side in score.sides)
            if whole != len(variant.pack.ids):
                raise SelfTestError(f"{variant.name}: {whole} cards counted instead of {len(variant.pack.ids)}")


def _checked_move(state: State, options: SearchOptions) -> Move:
    assert state.turn is not None
    answer = search(state.observe(state.turn), _BUDGET, seed=_SEED, options=options)
    if answer.move not in state.legal_moves():
        raise SelfTestError(f"{state.variant.name}: an illegal move was recommended: {answer.move}")
    return answer.move
