"""The kernels against the table: the same steps, and playouts that end with the score of the cards they played."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from dealing import RULES, first_with_cards, random_states
from tarocchi_engine.bits import select
from tarocchi_engine.cards import MATTO_MASK, cards_in
from tarocchi_engine.layout import (
    BEST,
    DECLARED,
    GIVEN,
    MATTO_SIDE,
    NO_CARD,
    NO_SIDE,
    PILES,
    TRICKS_LEFT,
    TURN,
    VOIDS,
    WINNER,
)
from tarocchi_engine.moves import Call, Give, Play, Signal
from tarocchi_engine.play import PLAYOUT_RANDOM, PLAYOUT_RULE, apply_card, choose_by_rule, legal_cards, playout
from tarocchi_engine.position import make_position
from tarocchi_engine.record import Phase
from tarocchi_engine.rng import next_u64
from tarocchi_engine.scoring import score_difference, settle_piles, settlement_card
from tarocchi_engine.state import State
from tarocchi_engine.table import Table
from tarocchi_engine.variant import Variant

pytestmark = pytest.mark.parametrize("variant", RULES.values(), ids=RULES)


def compared(position: np.ndarray) -> np.ndarray:
    """Returns the words that a kernel and a table must agree on: no winner while there is none, no turn at the end."""
    words = position.copy()
    words[DECLARED : DECLARED + 2] = 0
    if not words[TRICKS_LEFT]:
        words[TURN] = 0
    if words[BEST] == NO_CARD:
        words[WINNER] = 0
    return words


def position_of(state: State) -> np.ndarray:
    return make_position(state.table, list(state.hands), state.aside)


def test_kernels_step_like_the_table(variant: Variant) -> None:
    for index in range(15):
        states = first_with_cards(random_states(variant, f"steps {index}", lopsided=index % 3 == 0))
        position = position_of(states[0])
        for before, after in pairwise(states):
            move = after.events[-1].move
            if isinstance(move, Play):
                assert np.array_equal(compared(position), compared(position_of(before)))
                apply_card(position, move.card)
                if move.signal is Signal.VOLO:  # what is said is no matter of the cards
                    position[VOIDS] = position_of(after)[VOIDS]
                assert np.array_equal(compared(position), compared(position_of(after)))
        final = position_of(states[-1])
        for word in (DECLARED, DECLARED + 1, GIVEN):
            position[word] = final[word]
        assert int(score_difference(position, np.zeros(2, dtype=np.uint64))) == half_points(states[-1])


def half_points(state: State) -> int:
    """Returns the result of a finished deal in half points, or half game points of the declarer."""
    score = state.score()
    if score.game is not None:
        return 2 * score.game.game_points * (1 if score.winner == 0 else -1)
    first, second = score.sides
    return round(2 * (first.total - second.total))


@pytest.mark.parametrize("policy", [PLAYOUT_RANDOM, PLAYOUT_RULE])
def test_playouts_end_with_the_score_of_the_cards_they_played(variant: Variant, policy: int) -> None:
    rng = random.Random(f"playout {variant.name} {policy}")
    contracts = set()
    for index in range(16):
        states = first_with_cards(random_states(variant, f"playout {index}", lopsided=index % 4 == 0))
        contracts.add(states[0].table.contract)
        for state in [states[0], *rng.sample(states[1:], 3), states[-1]]:
            seed = rng.getrandbits(64)
            position = position_of(state)
            stream = np.array([seed], dtype=np.uint64)
            result = int(playout(position, np.zeros(2, dtype=np.uint64), stream, policy))
            final = played_like_the_kernel(state, seed, policy)
            assert result == half_points(final)
            assert position[TRICKS_LEFT] == 0
            assert [int(pile) for pile in position[PILES : PILES + 2]] == final.table.piles
            piles = np.zeros(2, dtype=np.uint64)
            given = int(settle_piles(position, piles))
            assert [int(pile) for pile in piles] == [side.pile for side in final.score().sides]
            assert (None if given == NO_CARD else given) == final.score().matto_card
    if variant.has_auction:
        assert contracts == {Call.GIOCO, Call.SOLO}


def test_playouts_count_a_matto_that_lies_in_the_stock(variant: Variant) -> None:
    """It goes with the last trick of a solo, and nothing is given for it (A-49, A-50)."""
    if not variant.has_auction:
        pytest.skip("no stock")
    owners = set()
    for index in range(150):
        states = first_with_cards(random_states(variant, f"stock {index}"))
        if states[0].table.contract is not Call.SOLO or not states[0].stock & MATTO_MASK:
            continue
        for state in states[:: len(states) // 4]:
            position = position_of(state)
            assert position[MATTO_SIDE] == NO_SIDE
            stream = np.array([index], dtype=np.uint64)
            result = int(playout(position, np.zeros(2, dtype=np.uint64), stream, PLAYOUT_RULE))
            score = (final := played_like_the_kernel(state, index, PLAYOUT_RULE)).score()
            assert result == half_points(final)
            assert score.matto_card is None
            assert score.matto_side == score.discard_side == final.table.side_of(final.tricks[-1].winner)
            owners.add(score.matto_side)
    assert owners == {0, 1}


def played_like_the_kernel(state: State, seed: int, policy: int) -> State:
    """Plays a state to its end card by card, drawing as `playout` does; nothing more is declared."""
    stream = np.array([seed], dtype=np.uint64)
    share = (1 << 64) // 5
    if state.phase is Phase.GIVE:
        return state.apply_move(Give(automatic_card(state)))
    while state.turn is not None:
        draw = int(next_u64(stream))
        tricks = len(state.tricks)
        while state.turn is not None and len(state.tricks) == tricks:
            legal = int(legal_cards(np.uint64(state.hands[state.turn]), np.uint64(state.table.led)))
            count = legal.bit_count()
            at_random = True
            if policy == PLAYOUT_RULE and count > 1:
                # one number says whether, and what is left of it which card
                draw = int(next_u64(stream))
                at_random = draw < share
                draw = draw * 5 % 2**64 if at_random else (draw - share) + (draw - share) // 4
            if at_random:
                card = int(select(np.uint64(legal), np.uint64(draw * count >> 64)))
                draw = draw * count % 2**64
            else:
                card = int(choose_by_rule(position_of(state), np.uint64(legal), np.uint64(draw)))
            state = state.apply_move(Play(card))
            if state.phase is Phase.GIVE:
                state = state.apply_move(Give(automatic_card(state)))
    return state


def automatic_card(state: State) -> int:
    """Returns the card that the fixed rule hands over for the Matto, from the piles as the referee's text has them."""
    table = state.table
    assert table.matto_seat is not None
    side = table.side_of(table.matto_seat)
    piles = list(table.piles)
    owner = table.tricks[-1].winner if table.discarder is None else table.discarder
    piles[table.side_of(owner)] |= state.aside
    piles[side] |= MATTO_MASK
    piles[1 - side] &= ~MATTO_MASK
    return int(settlement_card(np.uint64(piles[side]), np.uint64(piles[1 - side])))


def test_random_playouts_choose_every_legal_card_equally_often(variant: Variant) -> None:
    state = first_with_cards(random_states(variant, "equal"))[0]
    position = position_of(state)
    seat = state.table.turn
    count = 3000
    stream = np.array([1], dtype=np.uint64)
    lasts: Counter[int] = Counter()
    for _ in range(count):
        words = position.copy()
        # one trick to play: the first card goes to the winner of that trick, whoever it is
        words[TRICKS_LEFT] = 1
        playout(words, np.zeros(2, dtype=np.uint64), stream, PLAYOUT_RANDOM)
        lasts[int(position[seat] & ~words[seat]).bit_length() - 1] += 1
    hand = list(cards_in(state.hands[seat]))
    assert set(lasts) == set(hand)
    statistic = sum((lasts[card] - count / len(hand)) ** 2 / (count / len(hand)) for card in hand)
    freedom = len(hand) - 1
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5


def test_the_rule_plays_the_obvious_card_when_last(variant: Variant) -> None:
    parse = variant.pack.parse_card
    cups_pip = "C10" if variant.pack.name == "bolognese" else "C6"
    top_trump = "ANG" if variant.pack.name == "bolognese" else "T21"
    situations = [
        ("the partner wins: the richest card", ["S6", "SK", "S7"], ["SQ", "S8"], "SQ"),
        ("the trick can be won: the richest winner", ["S9", "S7", "SJ"], ["SQ", "SN", "S8", "SK"], "SK"),
        (
            "the trick can be trumped: the richest trump",
            ["S6", "S7", "SK"],
            ["CQ", cups_pip, top_trump, "T7"],
            top_trump,
        ),
        ("the trick is lost: the poorest card", ["S6", "S7", "SK"], ["SQ", "S8"], "S8"),
        ("nothing poor to lose: the Matto", ["S6", "S7", "SK"], ["SQ", "MAT"], "MAT"),
        ("the Matto is kept otherwise", ["S6", "S7", "SK"], ["SJ", "MAT"], "SJ"),
        ("the last card", ["S6", "S7", "SK"], ["MAT"], "MAT"),
    ]
    for reason, trick, hand, expected in situations:
        table = Table(variant, 0)
        table.phase = Phase.PLAY
        table.leader, table.turn = 1, 0
        if variant.seat_count == 3:
            # seat 1 plays alone, seat 2 is the partner; the winning card stays with the same side
            table.sides = 0b101
            trick = [trick[0], trick[1]] if reason.startswith("the partner") else [trick[2], trick[0]]
        table.trick = tuple(parse(card) for card in trick)
        held = variant.pack.parse_cards(hand)
        legal = legal_cards(np.uint64(held), np.uint64(table.led))
        hands = [held, *[0] * (variant.seat_count - 1)]
        chosen = int(choose_by_rule(make_position(table, hands, 0), legal, np.uint64(0)))
        assert variant.pack.format_card(chosen) == expected, reason
