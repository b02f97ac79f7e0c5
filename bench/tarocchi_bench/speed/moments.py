"""Decisions to measure a search by."""

from __future__ import annotations

from tarocchi_engine import Observation, Phase, State, get_variant, new_deal
from tarocchi_engine.rng import split


def early_choice(variant_name: str, seed: int = 1) -> Observation:
    """Returns what a seat knows that has to follow with a choice of cards, as soon as random play comes to that.

    Nothing is solved so early, so that a search takes as much as its budget allows. Raises `UnknownVariantError`.
    """
    variant = get_variant(variant_name)
    state: State = new_deal(variant, seed)
    step = 0
    while True:
        if state.turn is None:
            # thrown in, or all have passed
            state = new_deal(variant, split(seed, step))
            continue
        moves = state.legal_moves()
        if state.phase is Phase.PLAY and state.table.trick and len(moves) > 3:
            return state.observe(state.turn)
        state = state.apply_move(moves[split(seed, step) % len(moves)])
        step += 1
