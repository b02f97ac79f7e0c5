"""What all could see of every play of a deal before it was made, in the form of the kernels.

One row of `HISTORY_WORDS` words for each card played. It serves as evidence about the hand that the card came from, and
does not depend on that hand.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Play, Table
from tarocchi_engine.bits import bit, lowest
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import BEATEN_BY, LED_LANE, NO_CARD, U_ALL
from tarocchi_engine.play import shown_voids
from tarocchi_engine.scoring import FIVE_POINT_CARDS

# the words of a play's row
ACTOR: Final = 0  # the seat that played
CARD: Final = 1  # what it played
LED: Final = 2  # the cards that followed suit
BEATING: Final = 3  # the cards that would have taken the trick over
SITUATION: Final = 4  # 0 for a lead; else by place in the trick and whether the partner won it so far, and the side
STAGE: Final = 5  # 0 to 3 from the first trick to the last
GONE: Final = 6  # all cards played before
VALUE: Final = 7  # 0 to 3: the points on the table
OWN_PILE: Final = 8  # the tricks of the actor's side
OTHER_PILE: Final = 9
IS_LAST: Final = 10  # whether nobody plays to the trick afterwards
PARTNER_VOID: Final = 11  # the lanes, as bits, in which a partner has shown to have nothing
OPPONENT_VOIDS: Final = 12  # for each lane two bits: how many opponents have
SELF_LED: Final = 13  # for each lane two bits: how often the actor has led it, at most twice
PARTNER_LED: Final = 14  # the same for its partner
LATER: Final = 15  # cards of the actor that are known by now: those it plays from here on, those it has shown
HISTORY_WORDS: Final = 16

SITUATIONS: Final = 14
STAGES: Final = 4

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_6 = np.uint64(6)


@kernel
def lane_number(card: Any) -> Any:
    """Returns the suit of a card, 0 to 3, or 4 for a trump; the Matto is in lane 5."""
    if card >= 61:
        return 5
    return 4 if card >= 40 else card // 10


@kernel
def points_of(card: Any, pack: Any) -> Any:
    """Returns the points of a card, 1 to 5."""
    if FIVE_POINT_CARDS[pack >> _6] & bit(card) != _0:
        return 5
    if card < 40:
        place = card % 10
        if 6 <= place <= 8:
            return place - 4
    return 1


@kernel
def fill_history(seats: Any, cards: Any, sides: Any, seat_count: Any, trick_count: Any, pack: Any, rows: Any) -> None:
    """Fills `rows` [plays, HISTORY_WORDS] from the cards played; `LATER` has the cards that the actors play later."""
    gone = _0
    led = U_ALL
    trick = _0
    best: Any = np.int64(NO_CARD)
    winner: Any = np.int64(0)
    length = 0
    tricks = 0
    piles = np.zeros(2, dtype=np.uint64)
    voids = np.zeros(seat_count, dtype=np.uint64)
    leads = np.zeros(seat_count, dtype=np.uint64)
    for play in range(len(cards)):
        row = rows[play]
        seat, card = seats[play], cards[play]
        side = (sides >> seat) & 1
        row[ACTOR] = np.uint64(seat)
        row[CARD] = np.uint64(card)
        row[LED] = led
        row[BEATING] = BEATEN_BY[pack + np.uint64(best)]
        situation: Any = 0
        if length > 0:
            partner_wins = best != NO_CARD and (sides >> winner) & 1 == side
            situation = 1 + 2 * (length - 1) + np.int64(partner_wins)
        if seat_count == 3:
            situation += 7 * side
        row[SITUATION] = np.uint64(situation)
        row[STAGE] = np.uint64(min(4 * tricks // trick_count, 3))
        row[GONE] = gone
        row[IS_LAST] = np.uint64(length + 1 == seat_count)
        row[OWN_PILE] = piles[side]
        row[OTHER_PILE] = piles[1 - side]
        points: Any = 0
        rest = trick
        while rest != _0:
            points += np.int64(points_of(np.int64(lowest(rest)), pack)) - 1
            rest ^= bit(lowest(rest))
        row[VALUE] = np.uint64(0 if points == 0 else 1 if points < 4 else 2 if points < 8 else 3)
        row[SELF_LED] = leads[seat]
        partner_void, opponent_voids, partner_led = U_ALL, _0, _0
        has_partner = False
        for other in range(seat_count):
            if other == seat:
                continue
            if (sides >> other) & 1 == side:
                has_partner = True
                partner_void &= voids[other]
                partner_led = leads[other]
            else:
                for lane in range(5):
                    count = (opponent_voids >> np.uint64(2 * lane)) & _3
                    if (voids[other] >> np.uint64(lane)) & _1 != _0 and count < _2:
                        opponent_voids += _1 << np.uint64(2 * lane)
        row[PARTNER_VOID] = partner_void if has_partner else _0
        row[OPPONENT_VOIDS] = opponent_voids
        row[PARTNER_LED] = partner_led
        row[LATER] = _0
        for earlier in range(play + 1):
            if seats[earlier] == seat:
                rows[earlier, LATER] |= bit(np.uint64(card))

        lane = lane_number(card)
        if led != U_ALL and lane < 5 and led & bit(np.uint64(card)) == _0:
            voids[seat] |= shown_voids(led, bit(np.uint64(card)))
        if length == 0 and lane < 5:
            count = (leads[seat] >> np.uint64(2 * lane)) & _3
            if count < _2:
                leads[seat] += _1 << np.uint64(2 * lane)
        if led == U_ALL:
            led = LED_LANE[card]
        if row[BEATING] & bit(np.uint64(card)) != _0:
            best = card
            winner = seat
        trick |= bit(np.uint64(card))
        gone |= bit(np.uint64(card))
        length += 1
        if length == seat_count:
            piles[(sides >> winner) & 1] |= trick
            tricks += 1
            length, trick, led, best = 0, _0, U_ALL, np.int64(NO_CARD)


def rows_of(table: Table) -> npt.NDArray[np.uint64]:
    """Returns the rows of all plays at a table so far, [plays, HISTORY_WORDS]."""
    variant = table.variant
    plays = [(event.seat, event.move.card) for event in table.events if isinstance(event.move, Play)]
    rows = np.zeros((len(plays), HISTORY_WORDS), dtype=np.uint64)
    seats = np.array([seat for seat, _card in plays], dtype=np.int64)
    cards = np.array([card for _seat, card in plays], dtype=np.int64)
    pack = np.uint64(64 * variant.pack.index)
    fill_history(seats, cards, table.sides, variant.seat_count, variant.trick_count, pack, rows)
    return rows
