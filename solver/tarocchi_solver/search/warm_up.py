"""Compiles or loads every kernel and proves it on deals whose outcome is known beforehand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import cycle

from tarocchi_engine import VARIANTS, Bid, Call, Ending, IllegalMoveError, Monte, Move, Phase, State, Variant, new_deal
from tarocchi_solver.search.analysis import analyze
from tarocchi_solver.search.beliefs import beliefs
from tarocchi_solver.search.recommend import search
from tarocchi_solver.search.results import Budget, Playout, SearchOptions
from tarocchi_solver.search.review import decisions_of, review_decision

_SEED = 1
_BUDGET = Budget(iterations=200)
_LARGE_BUDGET = Budget(iterations=6_000)
"""Enough to solve a sample of the worlds of an ending."""
_ENDING_TRICKS = 4
_BELIEF_WORLDS = 64
_TOLERANCE = 1e-9


class SelfTestError(Exception):
    """Says that the compiled code gives wrong answers on this machine."""


def warm_up(variants: Iterable[Variant] = tuple(VARIANTS.values())) -> None:
    """Plays a deal of each variant by the search and studies it; raises `SelfTestError` if anything comes out wrong.

    Afterwards no request for one of them compiles anything.
    """
    for variant in variants:
        state = new_deal(variant, _SEED)
        playouts = cycle(Playout)
        phases: set[Phase] = set()
        while state.turn is not None:
            if state.phase not in phases:
                phases.add(state.phase)
                _weigh_cards(state)
            state = _advance(state, SearchOptions(playout=next(playouts)))
        if state.table.ending is not Ending.COUNT:
            continue
        whole = sum(side.pile.bit_count() for side in state.score().sides)
        if whole != len(variant.pack.ids):
            raise SelfTestError(f"{variant.name}: {whole} cards counted instead of {len(variant.pack.ids)}")
        _study_last(state)


def _weigh_cards(state: State) -> None:
    """Tells where the unseen cards may lie; raises `SelfTestError` where that is no chance."""
    assert state.turn is not None
    for card in beliefs(state.observe(state.turn), seed=_SEED, worlds=_BELIEF_WORLDS).cards:
        by_rules = math.fsum(place.rules_probability for place in card.places)
        by_play = math.fsum(place.probability for place in card.places)
        if max(abs(by_rules - 1.0), abs(by_play - 1.0)) > _TOLERANCE:
            name = state.variant.pack.format_card(card.card)
            raise SelfTestError(f"{state.variant.name}: the chances of {name} make {by_rules} and {by_play}, not 1")


def _study_last(state: State) -> None:
    """Reviews and analyses the last decision of a finished deal, which has to be worked out exactly."""
    *_, (number, then) = decisions_of(state)
    assert then.turn is not None
    reviewed = review_decision(state, number, then, _BUDGET, seed=_SEED)
    *_, last = analyze(then.observe(then.turn), _BUDGET, seed=_SEED)
    if not (reviewed.exact and last.found.exact and last.found.move == state.events[number].move):
        raise SelfTestError(f"{state.variant.name}: the last card of a deal is not worked out")


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
