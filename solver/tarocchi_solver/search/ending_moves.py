"""The moves of the solver for endings, the most promising first."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarocchi_engine.bits import bit, highest, lowest
from tarocchi_engine.cards import BOLOGNESE_PACK, CARD_COUNT, FIRST_TRUMP, PACKS
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
    PLY_SCOUT,
    PLY_SEAT,
    PLY_WINNER,
    USE_EQUIVALENCE,
)
from tarocchi_solver.search.equivalence import without_equivalents

_0 = np.uint64(0)
_1 = np.uint64(1)
_6 = np.uint64(6)
_NO_CARD = np.uint64(NO_CARD)


def _worths() -> np.ndarray:
    """Returns what a card is worth to the order of moves: about its value, and what it brings to combinations."""
    values = np.zeros((len(PACKS), 64), dtype=np.int64)
    for pack in PACKS:
        values[pack.index, :CARD_COUNT] = pack.points
    roles = {"K": 4, "Q": 3, "N": 3, "J": 3, "A": 2}
    of_trumps = {"ANG": 8, "MON": 4, "BEG": 6, "MAT": 6, "SOL": 2, "LUN": 2, "MO1": 1, "MO2": 1, "MO3": 1, "MO4": 1}
    for card, name in enumerate(BOLOGNESE_PACK.ids):
        values[BOLOGNESE_PACK.index, card] += of_trumps.get(name, roles.get(name[1:], 0))
    return values.reshape(-1)


_WORTH = _worths()
_LOWEST_TRUMP = np.uint64(FIRST_TRUMP)
_ORDER_BIAS = 1 << 20


@kernel
def playable(hand: Any, lane: Any) -> Any:
    """Returns the cards of a hand that could win a trick in which `lane` is led."""
    cards = hand & lane
    return cards if cards != _0 else hand & U_TRUMPS


@kernel
def list_moves(words: Any, row: Any, trick: Any, first: Any) -> None:
    """Writes the moves of a card row, the most promising first; `first` goes before all others."""
    seat = words[row + PLY_SEAT]
    led = words[row + PLY_LED]
    hand = words[seat]
    cards = legal_cards(hand, led)
    words[row + PLY_NEXT] = _0
    words[row + PLY_CHOICE] = _NO_CARD
    words[row + PLY_SCOUT] = _0
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
    ally = _0
    seats = words[OF_SEATS]
    other = seat
    for _ in range(np.int64(seats - words[row + PLY_LENGTH]) - 1):
        other = other + _1 if other + _1 < seats else _0
        if (sides >> other) & _1 != own:
            enemy_1 = enemy_0
            enemy_0 = words[other]
        else:
            ally = words[other]
    beating = BEATEN_BY[pack + best]
    has_won = best != _NO_CARD and (sides >> words[row + PLY_WINNER]) & _1 == own
    lane = _0
    threat = _0
    help = _0
    is_kept = False
    count = _0
    while cards != _0:
        card = lowest(cards)
        played = bit(card)
        cards ^= played
        of_card = LED_LANE[card] if led == U_ALL else led
        if of_card != lane:
            lane = of_card
            threat = playable(enemy_0, lane) | playable(enemy_1, lane)
            is_kept = has_won and threat & beating == _0
            # the best that the partner has left, if it wins
            help = playable(ally, lane)
            if help != _0:
                top = highest(help)
                help = bit(top) & beating if threat & BEATEN_BY[pack + top] == _0 else _0
        worth = 10 * _WORTH[pack + card]
        beaten_by = beating
        if played & beating != _0:
            beaten_by = BEATEN_BY[pack + card]
            score = 100 + worth if threat & beaten_by == _0 else 20 - worth
            if score >= 100 and card > _LOWEST_TRUMP:
                # a trump that wins now can win later: the lowest that does
                score = 150 - np.int64(card)
        else:
            score = worth if is_kept else -worth
        if score < 100 and help & beaten_by != _0:
            score = 50 + worth
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
