"""Endings for tests of the solver with open cards, and two plain ways to solve them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import numpy.typing as npt

from dealing import random_states
from tarocchi_engine import Phase, Variant
from tarocchi_engine.bits import bit, lowest
from tarocchi_engine.cards import BOLOGNESE_PACK, CARD_COUNT, KING_MASK, MATTO, MATTO_MASK, TRUMP_MASK, cards_in
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import (
    ASIDE,
    ASIDE_SIDE,
    BEST,
    DECLARED,
    GAME_FACTOR,
    GIVEN,
    LAST_SIDE,
    LED,
    MATTO_SIDE,
    NO_CARD,
    NO_SIDE,
    PACK,
    PILES,
    POSITION_WORDS,
    SCORING,
    SEATS,
    SIDES,
    TRICKS_LEFT,
    TURN,
    U_ALL,
    WINNER,
)
from tarocchi_engine.play import apply_card, legal_cards
from tarocchi_engine.position import make_position
from tarocchi_engine.scoring import score_difference

Position = npt.NDArray[np.uint64]

MOORS = BOLOGNESE_PACK.parse_cards(["MO1", "MO2", "MO3", "MO4"])
PIPS = BOLOGNESE_PACK.parse_cards([f"{suit}{pip}" for suit in "SBCD" for pip in range(6, 11)])
HIGH_CARDS = KING_MASK | TRUMP_MASK & ~((1 << 57) - 1) | MATTO_MASK
LOW_TRUMPS = TRUMP_MASK & ((1 << 50) - 1)
FAVOURITES = (
    0,
    0,
    PIPS,
    MOORS | MATTO_MASK,
    HIGH_CARDS,
    LOW_TRUMPS,
    TRUMP_MASK | MATTO_MASK,
    KING_MASK >> 1 | KING_MASK,
)
"""What the hands of an ending are rich in."""

_0 = np.uint64(0)
_1 = np.uint64(1)
_FAR = 1 << 40


def made_up_ending(variant: Variant, rng: random.Random, tricks: int) -> Position:
    """Returns an ending of a whole pack whose cards lie as no real play would leave them: all corners of the rules."""
    seats = variant.seat_count
    favourites = rng.choice(FAVOURITES)
    cards = sorted(range(CARD_COUNT), key=lambda card: rng.random() - 0.8 * (favourites >> card & 1))
    in_hand = rng.sample(cards[: seats * tricks], seats * tricks)
    rest = cards[seats * tricks :]
    solo = variant.has_auction and rng.random() < 0.5
    barred = 0 if solo else variant.pack.five_point_mask
    aside = rng.sample([card for card in rest if not barred >> card & 1], variant.discard_count)
    rest = [card for card in rest if card not in aside]
    matto_side = rng.randrange(2)
    # the tricks: at random, or pips for one side only
    rng.shuffle(rest)
    if rng.random() < 0.4:
        rest.sort(key=lambda card: PIPS >> card & 1)
    tricks_taken = [rest[place : place + seats] for place in range(0, len(rest), seats)]
    share = rng.choice((0, 0, 0.1, 0.5, 0.5, 0.5, 0.9, 1))
    if rng.random() < 0.5:
        owners = [int(rng.random() < share) for _ in tricks_taken]
    else:
        border = round(share * len(tricks_taken))
        owners = [matto_side if place < border else 1 - matto_side for place in range(len(tricks_taken))]
    position = np.zeros(POSITION_WORDS, dtype=np.uint64)
    words: list[int] = [0] * POSITION_WORDS
    for place, card in enumerate(in_hand):
        words[place % seats] |= 1 << card
    for owner, taken in zip(owners, tricks_taken, strict=True):
        words[PILES + owner] |= sum(1 << card for card in taken)
    words[ASIDE] = sum(1 << card for card in aside)
    words[LED] = int(U_ALL)
    words[BEST] = words[GIVEN] = NO_CARD
    words[TURN] = rng.randrange(seats)
    words[TRICKS_LEFT] = tricks
    words[SIDES] = 0b111 & ~(1 << rng.randrange(3)) if variant.has_auction else 0b1010
    words[ASIDE_SIDE] = NO_SIDE if solo else 0 if variant.has_auction else rng.randrange(2)
    holder = next((seat for seat in range(seats) if words[seat] >> MATTO & 1), None)
    if holder is not None and rng.random() < 0.2:
        words[TURN] = holder
    words[LAST_SIDE] = words[SIDES] >> words[TURN] & 1
    words[MATTO_SIDE] = matto_side if holder is None else words[SIDES] >> holder & 1
    if words[ASIDE] & MATTO_MASK:
        words[MATTO_SIDE] = NO_SIDE
    if variant.has_declarations:
        words[DECLARED : DECLARED + 2] = [20 * rng.randrange(8) for _ in range(2)]
    words[SEATS], words[PACK], words[SCORING] = seats, 64 * variant.pack.index, variant.scoring
    words[GAME_FACTOR] = 2 if solo else 1
    position[:] = words
    if owes(position) and rng.random() < 0.3:
        pile = words[PILES + matto_side] & ~MATTO_MASK
        position[GIVEN] = rng.choice([card for card in cards_in(pile) if variant.pack.points[card] == 1] or [NO_CARD])
    advance(position, rng, rng.randrange(seats) if rng.random() < 0.5 else 0)
    return position


def owes(position: Position) -> bool:
    """Tells whether the Matto was played to a trick of the other side, and its side has a trick."""
    side = int(position[MATTO_SIDE])
    return side != NO_SIDE and int(position[PILES + 1 - side]) >> MATTO & 1 == 1 and position[PILES + side] != 0


def advance(position: Position, rng: random.Random, count: int) -> None:
    """Plays so many random legal cards, the Matto more often than others."""
    for _ in range(count):
        legal = int(legal_cards(position[int(position[TURN])], position[LED]))
        if legal & MATTO_MASK and rng.random() < 0.5:
            legal = MATTO_MASK
        apply_card(position, np.uint64(rng.choice(list(cards_in(legal)))))


def played_endings(variant: Variant, seed: str, most_tricks: int) -> list[Position]:
    """Returns the positions at the end of a random deal, now and then a lopsided one."""
    lopsided = random.Random(f"lopsided {seed}").random() < 0.4
    return [
        make_position(state.table, list(state.hands), state.aside)
        for state in random_states(variant, f"endings {seed}", lopsided)
        if state.phase in (Phase.PLAY, Phase.GIVE) and state.table.tricks_left <= most_tricks
    ]


def other_side_up(position: Position) -> Position:
    """Returns the position of a game for four with every seat moved on by one, so that the sides are exchanged."""
    turned = position.copy()
    for seat in range(4):
        turned[(seat + 1) % 4] = position[seat]
    for pair in (PILES, DECLARED):
        turned[pair], turned[pair + 1] = position[pair + 1], position[pair]
    for word in (MATTO_SIDE, ASIDE_SIDE, LAST_SIDE):
        turned[word] = {0: 1, 1: 0, NO_SIDE: NO_SIDE}[int(position[word])]
    turned[TURN] = (int(position[TURN]) + 1) % 4
    turned[WINNER] = (int(position[WINNER]) + 1) % 4
    return turned


def minimax(position: Position) -> int:
    """Returns the value of a position by looking at every line to its end: as plain as can be, and as slow."""
    if position[TRICKS_LEFT] == 0:
        return int(score_difference(position, np.zeros(2, dtype=np.uint64)))
    values = []
    for card in cards_in(int(legal_cards(position[int(position[TURN])], position[LED]))):
        after = position.copy()
        apply_card(after, np.uint64(card))
        values.append(minimax(after))
    return min(values) if int(position[SIDES]) >> int(position[TURN]) & 1 else max(values)


@kernel
def _first_value(position: Any) -> Any:
    return _FAR if (position[SIDES] >> position[TURN]) & _1 == _1 else -_FAR


@kernel
def _every_line(positions: Any, untried: Any, values: Any, piles: Any) -> Any:
    depth = 0
    untried[0] = legal_cards(positions[0][positions[0][TURN]], positions[0][LED])
    values[0] = _first_value(positions[0])
    while True:
        if untried[depth] == _0:
            value = values[depth]
            if depth == 0:
                return value
            depth -= 1
        else:
            card = lowest(untried[depth])
            untried[depth] ^= bit(card)
            position = positions[depth + 1]
            position[:] = positions[depth]
            apply_card(position, card)
            if position[TRICKS_LEFT] != _0:
                depth += 1
                untried[depth] = legal_cards(position[position[TURN]], position[LED])
                values[depth] = _first_value(position)
                continue
            value = score_difference(position, piles)
        if (positions[depth][SIDES] >> positions[depth][TURN]) & _1 == _0:
            values[depth] = max(values[depth], value)
        else:
            values[depth] = min(values[depth], value)


def fast_minimax(position: Position) -> int:
    """Returns what `minimax` does, by a kernel: every line as well, without any cut."""
    if position[TRICKS_LEFT] == 0:
        return minimax(position)
    depth = int(position[SEATS]) * int(position[TRICKS_LEFT]) + 1
    positions = np.zeros((depth, POSITION_WORDS), dtype=np.uint64)
    positions[0] = position
    scratch = np.zeros(depth, dtype=np.uint64), np.zeros(depth, dtype=np.int64), np.zeros(2, dtype=np.uint64)
    return int(_every_line(positions, *scratch))
