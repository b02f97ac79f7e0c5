"""The moves of the solver for endings, the most promising first."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarocchi_engine.bits import bit, lowest
from tarocchi_engine.cards import PACKS
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    BEATEN_BY,
    LED_LANE,
    NO_CARD,
    U_ALL,
    U_TRUMPS,
)
from tarocchi_engine.play import legal_cards
from tarocchi_solver.search.ending_layout import (
    FUNGIBLE,
    OF_PACK,
    OF_SEATS,
    OF_SIDES,
    OPTIONS,
    PLY_BEST,
    PLY_CHOICE,
    PLY_LED,
    PLY_LENGTH,
    PLY_LIST,
    PLY_MOVES,
    PLY_NEXT,
    PLY_SEAT,
    PLY_WINNER,
    USE_EQUIVALENCE,
)
from tarocchi_solver.search.equivalence import without_equivalents

_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_NO_CARD = np.uint64(NO_CARD)
_WORTH = np.array([[*pack.points, 0, 0] for pack in PACKS], dtype=np.int64).reshape(-1)
_ORDER_BIAS = 1 << 20


@kernel
def list_moves(words: Any, row: Any, trick: Any, first: Any) -> None:
    """Writes the moves of a card row, the most promising first; `first` goes before all others."""
    seat = words[row + PLY_SEAT]
    led = words[row + PLY_LED]
    hand = words[seat]
    cards = legal_cards(hand, led)
    words[row + PLY_NEXT] = _0
    words[row + PLY_CHOICE] = _NO_CARD
    if cards & (cards - _1) == _0:
        words[row + PLY_MOVES] = _1
        words[row + PLY_LIST] = lowest(cards)
        return
    best = words[row + PLY_BEST]
    pack = words[OF_PACK]
    if words[OPTIONS] & USE_EQUIVALENCE != _0:
        others = (words[0] | words[1] | words[2] | words[3]) ^ hand
        if best != _NO_CARD:
            others |= bit(best)
        cards = without_equivalents(cards, others, words[trick + FUNGIBLE], pack == _0)
    sides = words[OF_SIDES]
    own = (sides >> seat) & _1
    # the hands of opponents who play after this card
    enemy_0 = _0
    enemy_1 = _0
    seats = words[OF_SEATS]
    other = seat
    for _ in range(np.int64(seats - words[row + PLY_LENGTH]) - 1):
        other = other + _1 if other + _1 < seats else _0
        if (sides >> other) & _1 != own:
            enemy_1 = enemy_0
            enemy_0 = words[other]
    beating = BEATEN_BY[pack + best]
    has_won = best != _NO_CARD and (sides >> words[row + PLY_WINNER]) & _1 == own
    count = _0
    while cards != _0:
        card = lowest(cards)
        played = bit(card)
        cards ^= played
        lane = LED_LANE[card] if led == U_ALL else led
        threat = enemy_0 & lane
        if threat == _0:
            threat = enemy_0 & U_TRUMPS
        threat_1 = enemy_1 & lane
        if threat_1 == _0:
            threat_1 = enemy_1 & U_TRUMPS
        threat |= threat_1
        worth = 10 * _WORTH[pack + card]
        if played & beating != _0:
            score = 100 + worth if threat & BEATEN_BY[pack + card] == _0 else 20 - worth
        elif has_won and threat & beating == _0:
            score = worth
        else:
            score = -worth
        score = (_ORDER_BIAS + score) * 64 + 63 - np.int64(card)
        if card == first:
            score += _ORDER_BIAS * 1024
        entry = (np.uint64(score) << _6) | card
        place = row + PLY_LIST + count
        while place > row + PLY_LIST and words[place - _1] < entry:
            words[place] = words[place - _1]
            place -= _1
        words[place] = entry
        count += _1
    words[row + PLY_MOVES] = count
