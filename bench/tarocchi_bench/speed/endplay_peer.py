"""endplay's double-dummy solver of bridge: random endings with a trump suit, each solved for its value."""

from __future__ import annotations

import random
import statistics
import time
from importlib import metadata
from typing import Any, Final

from endplay.dds.solve import SolveMode, solve_board
from endplay.types import Deal, Denom, Player

from tarocchi_engine.rng import split

TRICKS: Final = 13
_SEATS: Final = 4
_RANKS: Final = "AKQJT98765432"
_SUITS: Final = 4


def solve_ms(tricks: int, deals: int, seed: int) -> float:
    """Returns the median CPU milliseconds in which an ending of bridge with so many tricks left is solved."""
    spent = []
    for number in range(deals):
        deal = random_ending(tricks, split(seed, number))
        started = time.process_time()
        solve_board(deal, SolveMode.OptimalOne)
        spent.append(time.process_time() - started)
    return 1000 * statistics.median(spent)


def random_ending(tricks: int, seed: int) -> Any:
    """Returns an ending with spades as trumps: so many cards of a shuffled pack for each hand, north to lead."""
    cards = list(range(_SUITS * TRICKS))
    random.Random(seed).shuffle(cards)
    hands = []
    for seat in range(_SEATS):
        held = sorted(cards[seat * tricks : (seat + 1) * tricks])
        suits = ("".join(_RANKS[card % TRICKS] for card in held if card // TRICKS == suit) for suit in range(_SUITS))
        hands.append(".".join(suits))
    return Deal(f"N:{' '.join(hands)}", first=Player.north, trump=Denom.spades)


def version() -> str:
    """Returns what is measured."""
    return f"endplay {metadata.version('endplay')}"
