"""How players choose a card: a conditional logit over the legal cards, from what all can see and the player's hand.

The model serves as evidence about hidden hands: a world in which the cards played so far were natural is likelier than
one in which they were odd. It is fitted to self-play by a command of the benchmarks. Everything about a play that does
not depend on the hidden hand is worked out once for all worlds: a row of `history`.

A card's score is a sum of weights, one from each of the tables below; the place in a table is a combination of small
categories. The tables are laid end to end in one array of `WEIGHT_COUNT` weights.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.bits import bit, highest, lowest, popcount
from tarocchi_engine.cards import TRUMP_MASK
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import LANES, U_ALL, U_MATTO
from tarocchi_solver.search.card_kinds import CARD_KINDS, FIGURE, MATES, POINTS, RANK, RANKS, SET
from tarocchi_solver.search.history import (
    BEATING,
    CARD,
    GONE,
    IS_LAST,
    LED,
    OPPONENT_VOIDS,
    OTHER_PILE,
    OWN_PILE,
    PARTNER_LED,
    PARTNER_VOID,
    SELF_LED,
    SITUATION,
    SITUATIONS,
    STAGE,
    STAGES,
    VALUE,
    lane_number,
)

RELATIONS: Final = 10
LENGTHS: Final = 6
# the rows of a play's factors, one of each kind for a card
_ENDS, _ABOVE, _BEATERS = 4, 4, 3
_ABOVE_ROW, _BEATERS_ROW = _ENDS, _ENDS + _ABOVE
FACTORS: Final = _ENDS + _ABOVE + _BEATERS

# what a card would be in the trick
_LEAD_SUIT, _LEAD_TRUMP, _FOLLOW_BEATS, _FOLLOW, _TRUMP_BEATS, _TRUMP = 0, 1, 2, 3, 4, 5
_OVERTRUMP, _UNDERTRUMP, _DISCARD, MATTO_PLAY = 6, 7, 8, 9

_SIZES = (
    SITUATIONS * RELATIONS * RANKS,  # what the card is
    RELATIONS * RANKS * STAGES,
    5 * RELATIONS * 2,  # cards of its suit still out, whether a figure
    4 * 5 * SITUATIONS * 2,  # points on the table, its own points, whether it would win
    2 * 3 * 2 * 3,  # voids of partner and opponents, suit or trump, kind of card
    3 * 3 * 2,  # how often the actor and its partner have led the suit
    4 * 4 * 7 * 2,  # cards of its set that either side has won, which set, whether it would win
)
_STARTS = np.array([0, *np.cumsum(_SIZES)], dtype=np.int64)
PUBLIC_FEATURES: Final = len(_SIZES)
FEATURES: Final = PUBLIC_FEATURES + 4
"""Those that depend on the hand come last."""
_LENGTH_START: Final = int(_STARTS[-1])
_END_START: Final = _LENGTH_START + LENGTHS * RELATIONS * 3  # whether the lowest or highest card of its suit
_ABOVE_START: Final = _END_START + _ENDS * RELATIONS * SITUATIONS  # higher cards of its suit that others have
_BEATERS_START: Final = _ABOVE_START + _ABOVE * RELATIONS * 2 * STAGES  # cards with which the hand can win the trick
WEIGHT_COUNT: Final = _BEATERS_START + _BEATERS * RELATIONS * SITUATIONS

_0 = np.uint64(0)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_6 = np.uint64(6)
_TRUMPS = np.uint64(TRUMP_MASK)


@kernel
def count_up_to(cards: Any, most: Any) -> Any:
    """Returns how many cards there are, but no more than `most`."""
    return min(np.int64(popcount(cards)), most)


@kernel
def _lane_relation(row: Any, lane: Any) -> Any:
    """Returns what a legal card of a lane is in the trick as long as it does not win it."""
    return lane_relation(lane, row[SITUATION] % np.uint64(7) == _0, row[LED])


@kernel
def _relation(row: Any, card: Any) -> Any:
    """Returns what a legal card is in the trick."""
    relation = _lane_relation(row, lane_number(card))
    return relation_if_wins(relation) if row[BEATING] & bit(card) != _0 else relation


@kernel
def lane_relation(lane: Any, leads: Any, led: Any) -> Any:
    """Returns what a card of a lane is in the trick as long as it does not win it; `led` are the cards that follow."""
    if lane == 5:
        return MATTO_PLAY
    if leads or led == U_ALL:
        return _LEAD_TRUMP if lane == 4 else _LEAD_SUIT
    if led == _TRUMPS:
        return _UNDERTRUMP if lane == 4 else _DISCARD
    if led == LANES[lane]:
        return _FOLLOW
    return _TRUMP if lane == 4 else _DISCARD


@kernel
def relation_if_wins(relation: Any) -> Any:
    """Returns what a card is that takes the trick over, if it would have been `relation` otherwise."""
    return relation - 1 if relation in (_FOLLOW, _TRUMP, _UNDERTRUMP) else relation


@kernel
def public_features(row: Any, card: Any, pack: Any, places: Any) -> Any:
    """Writes the places of the weights of a card that do not depend on the hand to `places` [PUBLIC_FEATURES]."""
    relation = np.int64(_relation(row, card))
    of_card = CARD_KINDS[np.int64(pack >> _6), card]
    rank = of_card[RANK]
    situation = np.int64(row[SITUATION])
    stage = np.int64(row[STAGE])
    beats = np.int64(row[BEATING] & bit(card) != _0)
    lane = lane_number(card)
    places[0] = _STARTS[0] + (situation * RELATIONS + relation) * RANKS + rank
    places[1] = _STARTS[1] + (relation * RANKS + rank) * STAGES + stage
    out = 0
    lane_bit = _0
    if lane < 5:
        out = count_up_to(LANES[lane] & ~row[GONE], 9) // 2
        lane_bit = np.uint64(lane)
    kind = of_card[FIGURE]
    places[2] = _STARTS[2] + (out * RELATIONS + relation) * 2 + np.int64(kind > 0)
    places[3] = _STARTS[3] + ((np.int64(row[VALUE]) * 5 + of_card[POINTS]) * SITUATIONS + situation) * 2 + beats
    is_trump = np.int64(card >= 40)
    partner_void = np.int64((row[PARTNER_VOID] >> lane_bit) & _1)
    opponents = np.int64((row[OPPONENT_VOIDS] >> (_2 * lane_bit)) & _3)
    places[4] = _STARTS[4] + ((partner_void * 3 + opponents) * 2 + is_trump) * 3 + kind
    self_led = np.int64((row[SELF_LED] >> (_2 * lane_bit)) & _3)
    partner_led = np.int64((row[PARTNER_LED] >> (_2 * lane_bit)) & _3)
    places[5] = _STARTS[5] + (self_led * 3 + partner_led) * 2 + is_trump
    mates = MATES[card]
    own = count_up_to(mates & row[OWN_PILE], 3)
    other = count_up_to(mates & row[OTHER_PILE], 3)
    places[6] = _STARTS[6] + ((own * 4 + other) * 7 + of_card[SET]) * 2 + beats


@kernel
def _length_place(relation: Any, card: Any, length: Any) -> Any:
    """Returns the place of the weight of a card in a suit of which the hand has `length` cards."""
    return _LENGTH_START + ((min(length, LENGTHS) - 1) * RELATIONS + relation) * 3 + CARD_KINDS[0, card, FIGURE]


@kernel
def _factor_place(row: Any, factor: Any, relation: Any) -> Any:
    """Returns the place of the weight of a row of factors, for the cards of a relation."""
    situation = np.int64(row[SITUATION])
    if factor < _ABOVE_ROW:
        return _END_START + (factor * RELATIONS + relation) * SITUATIONS + situation
    if factor < _BEATERS_ROW:
        place = ((factor - _ABOVE_ROW) * RELATIONS + relation) * 2 + np.int64(row[IS_LAST])
        return _ABOVE_START + place * STAGES + np.int64(row[STAGE])
    return _BEATERS_START + ((factor - _BEATERS_ROW) * RELATIONS + relation) * SITUATIONS + situation


@kernel
def _end_row(card: Any, cards: Any) -> Any:
    """Returns the row of factors of one of the legal cards of a suit: neither, lowest (1), highest (2) or only (3)."""
    return np.int64(card == lowest(cards)) + 2 * np.int64(card == highest(cards))


@kernel
def _above_row(card: Any, others: Any) -> Any:
    """Returns the row of factors of a card, where `others` are the cards of its suit that other players may have."""
    return _ABOVE_ROW + count_up_to((others >> card) >> _1, _ABOVE - 1)


@kernel
def _beaters_row(row: Any, legal: Any) -> Any:
    """Returns the row of factors of all legal cards."""
    return _BEATERS_ROW + count_up_to(legal & row[BEATING], _BEATERS - 1)


@kernel
def fill_scores(rows: Any, pack: Any, weights: Any, scores: Any, factors: Any) -> None:
    """Fills what each card's chance in each play is in proportion to, for every hand.

    Args:
        rows: [plays, HISTORY_WORDS]
        pack: as in a position.
        weights: [WEIGHT_COUNT]
        scores: [plays, LENGTHS, 62]: by the number of cards that the hand has of the suit.
        factors: [plays, FACTORS, RELATIONS]: by what the card is in the hand.
    """
    places = np.empty(PUBLIC_FEATURES, dtype=np.int64)
    for play in range(len(rows)):
        row = rows[play]
        for card in range(62):
            public_features(row, card, pack, places)
            score = 0.0
            for place in places:
                score += weights[place]
            relation: Any = np.int64(_relation(row, card))
            for length in range(LENGTHS):
                scores[play, length, card] = np.exp(score + weights[_length_place(relation, card, length + 1)])
        for factor in range(FACTORS):
            for relation in range(RELATIONS):
                factors[play, factor, relation] = np.exp(weights[_factor_place(row, factor, relation)])


@kernel
def legal_in(row: Any, hand: Any) -> Any:
    """Returns the cards of a hand that could be played."""
    legal = hand & row[LED]
    if legal == _0:
        legal = hand & _TRUMPS
    return hand if legal == _0 else legal | (hand & U_MATTO)


@kernel
def features_of_choices(row: Any, pack: Any, hand: Any, features: Any) -> Any:
    """Writes the places of the weights of every legal card of `hand`, lowest first; returns how many cards there are.

    `features` is [at least the legal cards, FEATURES].
    """
    legal = legal_in(row, hand)
    beaters = _beaters_row(row, legal)
    count = 0
    for lane in range(6):
        cards = legal & (LANES[lane] if lane < 5 else U_MATTO)
        others = (LANES[lane] if lane < 5 else _0) & ~row[GONE] & ~hand
        rest = cards
        while rest != _0:
            card = lowest(rest)
            rest ^= bit(card)
            relation = np.int64(_relation(row, np.int64(card)))
            of_card = features[count]
            public_features(row, np.int64(card), pack, of_card)
            of_card[PUBLIC_FEATURES] = _length_place(relation, np.int64(card), np.int64(popcount(cards)))
            of_card[PUBLIC_FEATURES + 1] = _factor_place(row, _end_row(card, cards), relation)
            of_card[PUBLIC_FEATURES + 2] = _factor_place(row, _above_row(card, others), relation)
            of_card[PUBLIC_FEATURES + 3] = _factor_place(row, beaters, relation)
            count += 1
    return count


@kernel
def chance_of_play(row: Any, scores: Any, factors: Any, hand: Any) -> Any:
    """Returns the chance that the actor of a play with `hand` chooses what it did, and the number of its choices."""
    legal = legal_in(row, hand)
    of_hand = factors[_beaters_row(row, legal)]
    total = 0.0
    played = 0.0
    chosen = row[CARD]
    for lane in range(6):
        cards = legal & (LANES[lane] if lane < 5 else U_MATTO)
        if cards == _0:
            continue
        others = (LANES[lane] if lane < 5 else _0) & ~row[GONE] & ~hand
        of_length = scores[count_up_to(cards, LENGTHS) - 1]
        losing = np.int64(_lane_relation(row, lane))
        winning = np.int64(relation_if_wins(losing))
        rest = cards
        while rest != _0:
            card = lowest(rest)
            rest ^= bit(card)
            relation = winning if row[BEATING] & bit(card) != _0 else losing
            score = of_length[card] * of_hand[relation]
            score *= factors[_end_row(card, cards), relation] * factors[_above_row(card, others), relation]
            total += score
            if card == chosen:
                played = score
    return played / total, popcount(legal)
