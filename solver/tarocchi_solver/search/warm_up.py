"""Compiles or loads every kernel and proves it on deals whose outcome is known beforehand."""

from __future__ import annotations

from itertools import cycle

from tarocchi_engine import VARIANTS, Bid, Call, Ending, IllegalMoveError, Monte, Move, Phase, State, new_deal
from tarocchi_solver.search.recommend import search
from tarocchi_solver.search.results import Budget, Playout, SearchOptions

_SEED = 1
_BUDGET = Budget(iterations=200)
_LARGE_BUDGET = Budget(iterations=2000)
"""Enough to solve a sample of the worlds of an ending."""
_ENDING_TRICKS = 4


class SelfTestError(Exception):
    """Says that the compiled code gives wrong answers on this machine."""


def warm_up() -> None:
    """Plays deals of every variant by the search; raises `SelfTestError` if anything comes out wrong.

    Afterwards no request compiles anything.
    """
    for variant in VARIANTS.values():
        state = new_deal(variant, _SEED)
        playouts = cycle(Playout)
        while state.turn is not None:
            state = _advance(state, SearchOptions(playout=next(playouts)))
        if state.table.ending is not Ending.COUNT:
            continue
        whole = sum(side.pile.bit_count() for side in state.score().sides)
        if whole != len(variant.pack.ids):
            raise SelfTestError(f"{variant.name}: {whole} cards counted instead of {len(variant.pack.ids)}")


def _advance(state: State, options: SearchOptions) -> State:
    """Makes the move that the search recommends; a first deal goes on where it might be thrown in."""
    assert state.turn is not None
    budget = _LARGE_BUDGET if state.table.tricks_left == _ENDING_TRICKS else _BUDGET
    answer = search(state.observe(state.turn), budget, seed=_SEED, options=options)
    move: Move = Monte(False) if isinstance(answer.move, Monte) else answer.move
    if state.phase is Phase.BID and state.table.calls.count(Call.PASS) + 1 == state.variant.seat_count:
        move = Bid(Call.GIOCO)
    try:
        return state.apply_move(move)
    except IllegalMoveError as error:
        raise SelfTestError(f"{state.variant.name}: an illegal move was recommended: {answer.move}") from error
