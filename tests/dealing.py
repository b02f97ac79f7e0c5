"""Deals for tests of the engine: whole plays from a seed, every state on the way."""

from __future__ import annotations

import random
from collections.abc import Callable

import naive
from tarocchi_engine.cards import ALL_MASK, MATTO
from tarocchi_engine.moves import Move, Play
from tarocchi_engine.state import State, new_deal
from tarocchi_engine.variant import Variant

Choose = Callable[[State, tuple[Move, ...]], Move]


def lopsided_start(variant: Variant, rng: random.Random) -> State:
    """Returns a deal in which one seat holds most of the highest trumps: a source of sweeps."""
    dealer, hands = naive.lopsided_deal(variant.name, rng)
    return State.new(variant, dealer, [variant.pack.parse_cards(hand) for hand in hands])


def start(variant: Variant, rng: random.Random, lopsided: bool = False) -> State:
    """Returns a fresh deal."""
    return lopsided_start(variant, rng) if lopsided else new_deal(variant, rng.getrandbits(63))


def random_choice(rng: random.Random, keep_matto: bool = False) -> Choose:
    """Returns a player that moves at random, on request keeping the Matto as long as it can."""

    def choose(_state: State, moves: tuple[Move, ...]) -> Move:
        others = [move for move in moves if move != Play(MATTO)]
        return rng.choice(others if keep_matto and others else moves)

    return choose


def play_states(state: State, choose: Choose) -> list[State]:
    """Plays a deal to its end and returns all its states, the given one first."""
    states = [state]
    while state.turn is not None:
        state = state.apply_move(choose(state, state.legal_moves()))
        states.append(state)
    return states


def random_states(variant: Variant, seed: str, lopsided: bool = False) -> list[State]:
    """Returns all states of one random deal, randomly played."""
    rng = random.Random(f"{variant.name}/{seed}")
    return play_states(start(variant, rng, lopsided), random_choice(rng, keep_matto=lopsided and rng.random() < 0.5))


def all_cards_of(state: State) -> list[int]:
    """Returns the places where cards lie: hands, discard, piles as taken, the table."""
    table = state.table
    return [*state.hands, state.aside, *table.piles, sum(1 << card for card in table.trick)]


def holds_every_card_once(masks: list[int]) -> bool:
    """Tells whether sets of cards make up the pack without overlap."""
    union = 0
    for mask in masks:
        if union & mask:
            return False
        union |= mask
    return union == ALL_MASK
