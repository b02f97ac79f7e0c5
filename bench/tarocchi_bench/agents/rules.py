"""Agents that do not search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tarocchi_bench.agents.base import HonestAgent
from tarocchi_engine import (
    Bid,
    CallOut,
    Declare,
    Discard,
    Give,
    Monte,
    Move,
    Observation,
    Play,
    Variant,
    View,
    new_deal,
    view,
)
from tarocchi_engine.cards import cards_in
from tarocchi_engine.layout import LED
from tarocchi_engine.play import choose_by_rule, legal_cards
from tarocchi_engine.position import make_position
from tarocchi_engine.rng import split
from tarocchi_solver.search.opening import imagined_call


class _Simple(HonestAgent):
    """What these agents have in common: a deal takes them no time."""

    def prepare(self, variant: Variant) -> None:
        """Plays a deal."""
        _practise(self, variant)


@cache
def _practise(agent: HonestAgent, variant: Variant) -> None:
    """Lets an agent play all seats of a deal."""
    state = new_deal(variant, 1)
    while state.turn is not None:
        state = state.apply_move(agent.choose(state.observe(state.turn), 1))


@dataclass(frozen=True)
class RandomAgent(_Simple):
    """Makes any legal move."""

    @property
    def settings(self) -> dict[str, Any]:
        """The name alone."""
        return {"agent": "random"}

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns a uniformly random legal move."""
        moves = view(observation).legal_moves()
        return moves[split(seed) % len(moves)]


@dataclass(frozen=True)
class GreedyAgent(_Simple):
    """Bids by the strength of its hand, lays away the cheapest cards of its shortest suits, declares everything.

    It never throws a deal in nor signals, and plays by the playout rule.
    """

    @property
    def settings(self) -> dict[str, Any]:
        """The name alone."""
        return {"agent": "greedy"}

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns the rule's move; a lead is random."""
        seen = view(observation)
        moves = seen.legal_moves()
        if not isinstance(moves[0], Play):
            return min(moves, key=lambda move: self._price(seen, move))
        hands = [seen.hand if seat == seen.seat else 0 for seat in range(seen.variant.seat_count)]
        position = make_position(seen.table, hands, 0)
        legal = legal_cards(np.uint64(seen.hand), position[LED])
        return Play(int(choose_by_rule(position, legal, np.uint64(split(seed)))))

    @staticmethod
    def _price(seen: View, move: Move) -> tuple[int, ...]:
        """Returns the key of the smallest sacrifice: many cards shown; few points laid away, from short suits."""
        pack = seen.variant.pack
        match move:
            case Declare(shown) | CallOut(shown):
                return (-shown.bit_count(),)
            case Monte(throws_in):
                return (int(throws_in),)
            case Bid(call):
                return (int(call is not imagined_call(seen, seen.hand)),)
            case Give(card):
                return (card,)
        assert isinstance(move, Discard)
        cards = list(cards_in(move.cards or 0))
        suits = [pack.suit_of(card) for card in cards]
        lengths = [sum(pack.suit_of(held) == suit for held in cards_in(seen.hand)) for suit in suits]
        return (suits.count("T"), sum(pack.points[card] for card in cards), sum(lengths))
