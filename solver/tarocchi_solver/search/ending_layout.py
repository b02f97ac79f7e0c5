"""The words of the solver for endings: one array that holds all it knows of the line that it looks at.

Hands and constants of the deal come first, then a row for every trick that the line has begun, and last a row for
every card of it. The cards that a side has captured stand in a trick row as they will be counted: with the cards laid
away if the side owns them, and with the Matto on the side that played it. The few ways in which that turns out wrong
(a side without a trick, a giver without a pip) are put right at the end of the deal.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tarocchi_engine.cards import BOLOGNESE_PACK

# The head of the array: the four hands, then what stays the same in one deal.
NODES: Final = np.uint64(4)
"""Cards played by the solver so far."""
OPTIONS: Final = np.uint64(5)
GENERATION: Final = np.uint64(6)
SALT: Final = np.uint64(7)
OF_SEATS: Final = np.uint64(8)
OF_SIDES: Final = np.uint64(9)
OF_PACK: Final = np.uint64(10)
OF_SCORING: Final = np.uint64(11)
OF_FACTOR: Final = np.uint64(12)
MATTO_OWNER: Final = np.uint64(13)
LOOSE: Final = np.uint64(14)
"""The cards that go to whoever takes the last trick."""
CHOSEN: Final = np.uint64(15)
"""The card chosen for the Matto, NO_CARD for the fixed rule."""
DECLARED_SUM: Final = np.uint64(16)
LOOSE_HALF_POINTS: Final = np.uint64(17)
STAMP: Final = np.uint64(18)
"""What tells the entries of one generation of the table from those of others."""

# A row for every trick that the line has begun.
TRICK_ROWS: Final = np.uint64(32)
TRICK_STRIDE: Final = np.uint64(32)
CAPTURED_0: Final = np.uint64(0)
CAPTURED_1: Final = np.uint64(1)
BASE: Final = np.uint64(2)
"""Half points so far, side 0 minus side 1, without combinations and the last trick."""
STATUS: Final = np.uint64(3)
LEFT: Final = np.uint64(4)
"""Tricks to be played, this one included."""
REST: Final = np.uint64(5)
"""Half points of the cards in play but the Matto."""
KEY: Final = np.uint64(6)
SLOT: Final = np.uint64(7)
LEAST: Final = np.uint64(8)
MOST: Final = np.uint64(9)
"""The window in which the trick is looked at."""
FUNGIBLE: Final = np.uint64(10)
"""Cards that differ from others of them that lie next to them by nothing but rank."""
IDLE_0: Final = np.uint64(11)
IDLE_1: Final = np.uint64(12)
"""The cards that can take part in no combination of a side any more."""
COMBINED_0: Final = np.uint64(13)
COMBINED_1: Final = np.uint64(14)
REACHABLE_0: Final = np.uint64(15)
REACHABLE_1: Final = np.uint64(16)
"""Combination points of what a side has, and of that with all it may still get; NOT_COUNTED until asked for."""
IN_PLAY: Final = np.uint64(17)
CLOSED: Final = np.uint64(18)
"""1 if both sides have a trick and the Matto costs its side a pip if anything."""

PIPS: Final = np.uint64(BOLOGNESE_PACK.parse_cards([f"{suit}{pip}" for suit in "SBCD" for pip in range(6, 11)]))
"""The cards of the Bolognese pack that belong to no combination."""

NOT_COUNTED: Final = np.uint64((1 << 64) - 1)

TOOK_0: Final = np.uint64(1)
TOOK_1: Final = np.uint64(2)
OWES: Final = np.uint64(4)
"""The Matto was played to a trick of the other side."""

USE_TABLE: Final = np.uint64(1)
USE_EQUIVALENCE: Final = np.uint64(2)
USE_BOUNDS: Final = np.uint64(4)
USE_NARROW_WINDOWS: Final = np.uint64(8)
ALL_OPTIONS: Final = int(USE_TABLE | USE_EQUIVALENCE | USE_BOUNDS | USE_NARROW_WINDOWS)

UNSOLVED: Final = -(1 << 40)
"""The value where the limit of nodes was reached."""
NO_GUESS: Final = -(1 << 41)
INFINITY: Final = 1 << 39
NO_LIMIT: Final = 1 << 60
"""A limit of nodes that is never reached."""

MAX_TRICKS: Final = 19
MAX_PLIES: Final = 61

# A row for every card of the line.
PLY_SEAT: Final = np.uint64(0)
PLY_LED: Final = np.uint64(1)
PLY_BEST: Final = np.uint64(2)
PLY_WINNER: Final = np.uint64(3)
PLY_CARDS: Final = np.uint64(4)
PLY_LENGTH: Final = np.uint64(5)
PLY_CARD: Final = np.uint64(6)
PLY_MOVES: Final = np.uint64(7)
PLY_NEXT: Final = np.uint64(8)
PLY_ALPHA: Final = np.uint64(9)
PLY_BETA: Final = np.uint64(10)
PLY_VALUE: Final = np.uint64(11)
PLY_CHOICE: Final = np.uint64(12)
PLY_SCOUT: Final = np.uint64(13)
"""1 while a card is tried with the narrowest window, 2 where it has to be tried again with a wider one."""
PLY_LIST: Final = np.uint64(14)
PLY_STRIDE: Final = np.uint64(64)

PLY_ROWS: Final = np.uint64(32 + (MAX_TRICKS + 1) * 32)
SOLVER_WORDS: Final = int(PLY_ROWS) + (MAX_PLIES + 1) * int(PLY_STRIDE)
