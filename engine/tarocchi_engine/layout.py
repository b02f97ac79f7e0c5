"""The words of a position: one array of `uint64` that holds a deal in play, as the kernels read and write it.

One array of words keeps compiled signatures few and is as fast as local variables; the constants of the game
travel in it too, so that every kernel serves every variant.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, MATTO_MASK, PACKS, TRUMP_MASK, lane_of, suit_mask

MAX_SEATS: Final = 4
LANE_COUNT: Final = 5  # the four suits and the trumps

HANDS: Final = 0  # four words: the cards in each seat's hand
PILES: Final = 4  # two words: the tricks of each side as taken, the Matto with the trick it was played to
ASIDE: Final = 6  # the cards laid away, or the stock that nobody took
TRICK: Final = 7  # the cards on the table
LED: Final = 8  # the cards that follow suit; all cards while no suit is fixed
BEST: Final = 9  # the card that wins so far, NO_CARD while there is none
WINNER: Final = 10  # the seat of BEST
TURN: Final = 11  # the seat to play
LENGTH: Final = 12  # the number of cards on the table
TRICKS_LEFT: Final = 13  # tricks not yet complete
MATTO_SIDE: Final = 14  # the side that holds or has played the Matto, NO_SIDE if it lies aside
ASIDE_SIDE: Final = 15  # the side that owns ASIDE if it takes a trick, NO_SIDE: the side of the last trick
LAST_SIDE: Final = 16  # the side that took the latest trick
DECLARED: Final = 17  # two words: half points declared by each side
SEATS: Final = 19  # the number of seats
SIDES: Final = 20  # bit s is the side of seat s
PACK: Final = 21  # 64 * the index of the pack: an offset into BEATEN_BY
SCORING: Final = 22  # which scoring kernel counts the deal
GIVEN: Final = 23  # the card that the giver has chosen for the Matto, NO_CARD for the fixed rule
GAME_FACTOR: Final = 24  # what a game point counts, where a deal is counted in game points
VOIDS: Final = 25  # five bits for each seat: the lanes in which it has shown to have nothing
POSITION_WORDS: Final = 26

NO_CARD: Final = CARD_COUNT
NO_SIDE: Final = 2

SCORING_BOLOGNESE: Final = 0
SCORING_PIEDICAVALLO: Final = 1
SCORING_TERZIGLIO: Final = 2
SCORING_DECLARATIONS: Final = 3  # a deal that a declaration has ended: nothing else counts

U_ALL: Final = np.uint64(ALL_MASK)
U_MATTO: Final = np.uint64(MATTO_MASK)
U_TRUMPS: Final = np.uint64(TRUMP_MASK)


def _led_lanes() -> np.ndarray:
    return np.array([lane_of(card) for card in range(CARD_COUNT)] + [0, 0], dtype=np.uint64)


def _beaten_by() -> np.ndarray:
    """Returns for each pack and best card the set of cards that take over; for NO_CARD all but the Matto."""
    table = np.zeros((len(PACKS), 64), dtype=np.uint64)
    for pack in PACKS:
        for card in range(CARD_COUNT - 1):
            table[pack.index, card] = pack.beaten_by(card)
        table[pack.index, NO_CARD] = ALL_MASK & ~MATTO_MASK
    return table.reshape(-1)


LANES: Final = np.array([*(suit_mask(suit) for suit in range(LANE_COUNT - 1)), TRUMP_MASK], dtype=np.uint64)
"""The cards of each lane."""
LED_LANE: Final = _led_lanes()
BEATEN_BY: Final = _beaten_by()
