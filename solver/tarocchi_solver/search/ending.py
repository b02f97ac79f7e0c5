"""Endings with all cards open: what the deal is worth at its end, and between which limits before.

Works on the words of `tarocchi_solver.search.ending_layout`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tarocchi_engine.bits import bit, lowest
from tarocchi_engine.combinations import combination_points
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    BEATEN_BY,
    DECLARED,
    GAME_FACTOR,
    GIVEN,
    LED_LANE,
    MATTO_SIDE,
    NO_CARD,
    NO_SIDE,
    PACK,
    PILES,
    SCORING,
    SCORING_PIEDICAVALLO,
    SCORING_TERZIGLIO,
    SEATS,
    SIDES,
    TRICK,
    TRICKS_LEFT,
    U_ALL,
    U_MATTO,
)
from tarocchi_engine.scoring import (
    ALL_CARDS_HALF_POINTS,
    LAST_TRICK_HALF_POINTS,
    bolognese_half_points,
    game_half_points,
    piedicavallo_half_points,
    settlement_card,
)
from tarocchi_solver.search.ending_layout import (
    BASE,
    CAPTURED_0,
    CAPTURED_1,
    CHOSEN,
    COMBINED_0,
    DECLARED_SUM,
    IN_PLAY,
    LEFT,
    LOOSE,
    LOOSE_HALF_POINTS,
    MATTO_OWNER,
    NODES,
    NOT_COUNTED,
    OF_FACTOR,
    OF_PACK,
    OF_SCORING,
    OF_SEATS,
    OF_SIDES,
    OWES,
    PIPS,
    REACHABLE_0,
    REST,
    STATUS,
    TOOK_0,
    TOOK_1,
    TRICK_ROWS,
)

_0 = np.uint64(0)
_1 = np.uint64(1)
_3 = np.uint64(3)
_NO_CARD = np.uint64(NO_CARD)
_NO_SIDE = np.uint64(NO_SIDE)
_PIEDICAVALLO = np.uint64(SCORING_PIEDICAVALLO)
_TERZIGLIO = np.uint64(SCORING_TERZIGLIO)


@kernel
def half_points(scoring: Any, cards: Any) -> Any:
    """Returns what cards count by themselves."""
    return piedicavallo_half_points(cards) if scoring == _PIEDICAVALLO else bolognese_half_points(cards)


@kernel
def take_trick(words: Any, captured_0: Any, captured_1: Any, base: Any, status: Any, cards: Any, side: Any) -> Any:
    """Returns both sides' cards, the base and the status after `side` has taken a trick."""
    scoring = words[OF_SCORING]
    owner = words[MATTO_OWNER]
    if cards & U_MATTO != _0 and owner != _NO_SIDE:
        cards ^= U_MATTO
        worth = half_points(scoring, U_MATTO)
        if owner != side and scoring != _PIEDICAVALLO:
            status |= OWES
            worth -= 2  # a pip goes the other way
        if owner == _0:
            captured_0 |= U_MATTO
            base += worth
        else:
            captured_1 |= U_MATTO
            base -= worth
    if side == _0:
        return captured_0 | cards, captured_1, base + half_points(scoring, cards), status | TOOK_0
    return captured_0, captured_1 | cards, base - half_points(scoring, cards), status | TOOK_1


@kernel
def deal_value(words: Any, base: Any, combined_0: Any, combined_1: Any, status: Any) -> Any:
    """Returns the result of a deal from its parts; `base` has everything but the combinations."""
    scoring = words[OF_SCORING]
    if scoring == _PIEDICAVALLO:
        return base
    difference = base + 2 * (combined_0 - combined_1)
    if scoring != _TERZIGLIO:
        return difference
    both = np.int64(words[DECLARED_SUM]) + 2 * (combined_0 + combined_1)
    both += ALL_CARDS_HALF_POINTS + LAST_TRICK_HALF_POINTS
    winner_total = (both + abs(difference)) // 2
    factor = np.int64(words[OF_FACTOR])
    return game_half_points(difference, winner_total, status & TOOK_0 == _0, status & TOOK_1 == _0, factor)


@kernel
def final_value(words: Any, row: Any, cards: Any, side: Any) -> Any:
    """Returns the result of the deal whose last trick, that of trick row `row`, is taken by `side`."""
    captured_0, captured_1, base, status = take_trick(
        words,
        words[row + CAPTURED_0],
        words[row + CAPTURED_1],
        np.int64(words[row + BASE]),
        words[row + STATUS],
        cards,
        side,
    )
    scoring = words[OF_SCORING]
    if scoring != _PIEDICAVALLO:
        base += -LAST_TRICK_HALF_POINTS if side == _1 else LAST_TRICK_HALF_POINTS
    loose = words[LOOSE]
    if loose != _0:
        worth = np.int64(words[LOOSE_HALF_POINTS])
        if side == _0:
            captured_0 |= loose
            base += worth
        else:
            captured_1 |= loose
            base -= worth
    if status & _3 != _3:
        # all that the trickless side had goes to the other one, and no pip for the Matto comes back
        lost = captured_1 if status & TOOK_1 == _0 else captured_0
        worth = 2 * half_points(scoring, lost) - (2 if status & OWES != _0 else 0)
        if status & TOOK_1 == _0:
            base += worth
            captured_0 |= lost
            captured_1 = _0
        else:
            base -= worth
            captured_1 |= lost
            captured_0 = _0
    elif status & OWES != _0:
        owner = words[MATTO_OWNER]
        giver, receiver = (captured_0, captured_1) if owner == _0 else (captured_1, captured_0)
        if giver & PIPS == _0 or words[CHOSEN] != _NO_CARD:
            card = words[CHOSEN]
            if card == _NO_CARD:
                card = np.uint64(settlement_card(giver, receiver))
            given = bit(card) if card != _NO_CARD else _0
            worth = 2 - 2 * bolognese_half_points(given)
            base += worth if owner == _0 else -worth
            captured_0 ^= given
            captured_1 ^= given
    if scoring == _PIEDICAVALLO:
        return base
    if status & (OWES | _3) == _3 and loose == _0 and cards & U_MATTO == _0:
        # the other side has what it had before
        if side == _0:
            return deal_value(words, base, combination_points(captured_0), combined(words, row, _1), status)
        return deal_value(words, base, combined(words, row, _0), combination_points(captured_1), status)
    return deal_value(words, base, combination_points(captured_0), combination_points(captured_1), status)


@kernel
def play_last_trick(words: Any, row: Any, seat: Any, led: Any, best: Any, winner: Any, cards: Any, length: Any) -> Any:
    """Plays the last trick, in which nobody has a choice, and returns the result of the deal."""
    seats = words[OF_SEATS]
    pack = words[OF_PACK]
    words[NODES] += seats - length
    while length < seats:
        played = words[seat]
        card = lowest(played)
        if led == U_ALL:
            led = LED_LANE[card]
        if BEATEN_BY[pack + best] & played != _0:
            best = card
            winner = seat
        cards |= played
        length += _1
        seat += _1
        if seat == seats:
            seat = _0
    return final_value(words, row, cards, (words[OF_SIDES] >> winner) & _1)


@kernel
def prepare(words: Any, position: Any) -> None:
    """Writes the head and the first trick row for a position with tricks left; the card rows are left alone."""
    scoring = position[SCORING]
    owner = position[MATTO_SIDE]
    captured_0 = position[PILES]
    captured_1 = position[PILES + 1]
    status = (TOOK_0 if captured_0 != _0 else _0) | (TOOK_1 if captured_1 != _0 else _0)
    for seat in range(4):
        words[seat] = position[seat] if np.uint64(seat) < position[SEATS] else _0
    words[OF_SEATS] = position[SEATS]
    words[OF_SIDES] = position[SIDES]
    words[OF_PACK] = position[PACK]
    words[OF_SCORING] = scoring
    words[OF_FACTOR] = position[GAME_FACTOR]
    words[MATTO_OWNER] = owner
    words[CHOSEN] = position[GIVEN]
    words[DECLARED_SUM] = position[DECLARED] + position[DECLARED + 1]
    words[LOOSE] = _0
    if position[ASIDE_SIDE] == _NO_SIDE:
        words[LOOSE] = position[ASIDE]
    elif position[ASIDE_SIDE] == _0:
        captured_0 |= position[ASIDE]
    else:
        captured_1 |= position[ASIDE]
    words[LOOSE_HALF_POINTS] = np.uint64(half_points(scoring, words[LOOSE]))
    base = np.int64(position[DECLARED]) - np.int64(position[DECLARED + 1])
    if owner != _NO_SIDE and (position[PILES] | position[PILES + 1]) & U_MATTO != _0:
        if position[PILES + owner] & U_MATTO == _0 and scoring != _PIEDICAVALLO:
            status |= OWES
            base += -2 if owner == _0 else 2
        captured_0 &= ~U_MATTO
        captured_1 &= ~U_MATTO
        if owner == _0:
            captured_0 |= U_MATTO
        else:
            captured_1 |= U_MATTO
    base += half_points(scoring, captured_0) - half_points(scoring, captured_1)
    row = TRICK_ROWS
    words[row + CAPTURED_0] = captured_0
    words[row + CAPTURED_1] = captured_1
    words[row + BASE] = np.uint64(base)
    words[row + STATUS] = status
    words[row + LEFT] = position[TRICKS_LEFT]
    in_play = position[0] | position[1] | position[2] | words[3] | position[TRICK]
    words[row + IN_PLAY] = in_play
    words[row + REST] = np.uint64(half_points(scoring, in_play & ~U_MATTO))
    for side in range(2):
        words[row + COMBINED_0 + np.uint64(side)] = NOT_COUNTED
        words[row + REACHABLE_0 + np.uint64(side)] = NOT_COUNTED


@kernel
def combined(words: Any, row: Any, side: Any) -> Any:
    """Returns what the combinations captured by `side` score so far."""
    place = row + COMBINED_0 + side
    if words[place] == NOT_COUNTED:
        words[place] = np.uint64(combination_points(words[row + CAPTURED_0 + side]))
    return np.int64(words[place])


@kernel
def reachable(words: Any, row: Any, side: Any) -> Any:
    """Returns what the combinations of `side` score if it takes all the rest."""
    place = row + REACHABLE_0 + side
    if words[place] == NOT_COUNTED:
        rest = words[row + IN_PLAY] | words[LOOSE]
        if words[MATTO_OWNER] == _1 - side:
            rest &= ~U_MATTO
        words[place] = np.uint64(combination_points(words[row + CAPTURED_0 + side] | rest))
    return np.int64(words[place])


@kernel
def bounds(words: Any, row: Any) -> Any:
    """Returns the least and the greatest result that the deal may still have; the trick row is closed (`CLOSED`).

    Combinations never score less for having more cards, so either side does best with all the rest.
    """
    base = np.int64(words[row + BASE])
    rest = np.int64(words[row + REST])
    scoring = words[OF_SCORING]
    owner = words[MATTO_OWNER]
    least = base - rest
    most = base + rest
    if words[row + IN_PLAY] & U_MATTO != _0 and owner != _NO_SIDE:
        worth = half_points(scoring, U_MATTO)
        pip = 0 if scoring == _PIEDICAVALLO else 2
        if owner == _0:
            least += worth - pip
            most += worth
        else:
            least -= worth
            most += pip - worth
    if scoring == _PIEDICAVALLO:
        return least, most
    # REST counts the Matto of no side with LOOSE
    more = LAST_TRICK_HALF_POINTS + np.int64(words[LOOSE_HALF_POINTS])
    least = deal_value(words, least - more, combined(words, row, _0), reachable(words, row, _1), _3)
    most = deal_value(words, most + more, reachable(words, row, _0), combined(words, row, _1), _3)
    return least, most


@kernel
def is_closed(words: Any, row: Any) -> Any:
    """Tells whether both sides have a trick and the Matto costs its side a pip if anything.

    Then the captured cards count for what they are in combinations, and for nothing else.
    """
    status = words[row + STATUS]
    if status & _3 != _3 or words[CHOSEN] != _NO_CARD:
        return False
    owner = words[MATTO_OWNER]
    if words[OF_SCORING] == _PIEDICAVALLO or owner == _NO_SIDE:
        return True
    if words[row + IN_PLAY] & U_MATTO == _0 and status & OWES == _0:
        return True
    return words[row + CAPTURED_0 + owner] & PIPS != _0
