"""Deals for tests of the engine: whole plays from a seed, every state on the way."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

import naive
from tarocchi_engine.cards import ALL_MASK, MATTO, cards_in
from tarocchi_engine.match import FIRST_DEAL, Standing
from tarocchi_engine.moves import Bid, Call, Monte, Move, Play
from tarocchi_engine.record import Phase
from tarocchi_engine.state import State, new_deal
from tarocchi_engine.variant import Variant
from tarocchi_engine.variants import VARIANTS, get_variant

_OTHER_OPTIONS = {
    "ottocento": {"monte": "false", "call_out": "false", "matto_card": "automatic", "striscio_meaning": "lead_trumps"},
    "terziglio": {
        "cards": "19",
        "payment": "zero_sum",
        "matto_card": "automatic",
        "signals_after_top": "false",
        "striscio_meaning": "lead_trumps",
    },
    "piedicavallo": {"allow_voiding": "false", "matto_counts_as_trump_for_discard": "true", "match": "four_deals"},
}
RULES: dict[str, Variant] = {
    **VARIANTS,
    **{f"{name}-other-options": get_variant(name, options) for name, options in _OTHER_OPTIONS.items()},
}
COSTLY_RULES = [
    *VARIANTS,
    *(pytest.param(name, marks=pytest.mark.exhaustive) for name in RULES if name not in VARIANTS),
]
"""The same for tests that take seconds: rules with other options on demand."""
"""Every variant with its defaults, and with the options that change the course of a deal."""

Choose = Callable[[State, tuple[Move, ...]], Move]


def deal_of(
    variant: Variant,
    dealer: int,
    hands: Sequence[Sequence[str]],
    stock: Sequence[str] = (),
    standing: Standing = FIRST_DEAL,
) -> State:
    """Returns a deal whose hands stand in the order in which they are dealt."""
    pack = variant.pack
    return State.new(
        variant,
        dealer,
        [pack.parse_cards(hand) for hand in hands],
        standing,
        stock=pack.parse_cards(stock),
        order=[[pack.parse_card(card) for card in hand] for hand in hands],
    )


def lopsided_cards(variant: Variant, rng: random.Random) -> tuple[int, list[list[str]], list[str]]:
    """Returns dealer, hands and stock of a deal in which one seat holds most of the highest trumps."""
    if variant.name in naive.VARIANTS:
        dealer, hands = naive.lopsided_deal(variant.name, rng)
        return dealer, [list(hand) for hand in hands], []
    dealer = rng.randrange(variant.seat_count)
    if variant.stock_size:
        return dealer, *naive.stack_terziglio(rng, variant.hand_size)
    return dealer, naive.stack_ottocento(rng, dealer), []


def lopsided_start(variant: Variant, rng: random.Random) -> State:
    """Returns a lopsided deal: a source of sweeps."""
    return deal_of(variant, *lopsided_cards(variant, rng))


def start(variant: Variant, rng: random.Random, lopsided: bool = False) -> State:
    """Returns a fresh deal."""
    return lopsided_start(variant, rng) if lopsided else new_deal(variant, rng.getrandbits(63))


def without_void_deals(state: State, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Returns the moves that do not end a deal before its first trick: nobody throws in, somebody bids."""
    if isinstance(moves[0], Monte):
        return (Monte(False),)
    if isinstance(moves[0], Bid) and state.variant.next_seat(state.table.turn) == state.table.leader:
        bids = tuple(move for move in moves if move != Bid(Call.PASS))
        return moves if set(state.table.calls) - {Call.PASS} else bids
    return moves


def random_choice(rng: random.Random, keep_matto: bool = False, void_deals: bool = False) -> Choose:
    """Returns a player that moves at random, on request keeping the Matto as long as it can."""

    def choose(state: State, moves: tuple[Move, ...]) -> Move:
        moves = moves if void_deals else without_void_deals(state, moves)
        others = [move for move in moves if not isinstance(move, Play) or move.card != MATTO]
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
    """Returns all states of one random deal, randomly played to its count."""
    rng = random.Random(f"{variant.name}/{seed}")
    return play_states(start(variant, rng, lopsided), random_choice(rng, keep_matto=lopsided and rng.random() < 0.5))


def first_with_cards(states: list[State]) -> list[State]:
    """Returns the states from the first trick on."""
    return [state for state in states if state.phase in (Phase.DECLARE, Phase.PLAY) or state.tricks]


def order_of(state: State) -> list[list[int]]:
    """Returns the cards of each seat packet by packet."""
    hands: list[list[int]] = []
    for packets in state.packets:
        steps = [held & ~before for before, held in pairwise((0, *packets))]
        hands.append([card for packet in steps for card in cards_in(packet)])
    return hands


def fresh(state: State) -> State:
    """Returns the deal of a state before its first move."""
    order = order_of(state)
    return State.new(state.variant, state.table.dealer, state.dealt, state.standing, stock=state.stock, order=order)


def all_cards_of(state: State) -> list[int]:
    """Returns the places where cards lie: hands, packets not dealt yet, cards laid aside, piles as taken, the table."""
    table = state.table
    undealt = [hand & ~state.packets[seat][table.packets_dealt(seat) - 1] for seat, hand in enumerate(state.dealt)]
    on_table = sum(1 << card for card in table.trick)
    return [*state.hands, *undealt, state.aside, *table.piles, on_table]


def holds_every_card_once(masks: list[int]) -> bool:
    """Tells whether sets of cards make up the pack without overlap."""
    union = 0
    for mask in masks:
        if union & mask:
            return False
        union |= mask
    return union == ALL_MASK
