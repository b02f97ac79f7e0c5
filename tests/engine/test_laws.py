"""Laws that every deal of every variant obeys, whatever is played."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dealing import all_cards_of, holds_every_card_once, play_states, random_states, start
from tarocchi_engine.bits import select
from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, MATTO_MASK, cards_in
from tarocchi_engine.combinations import used_cards
from tarocchi_engine.errors import DealNotOverError, IllegalMoveError, InvalidDealError
from tarocchi_engine.layout import BEST, DECLARED, NO_CARD, PILES, TRICKS_LEFT, WINNER
from tarocchi_engine.moves import Declare, Discard, Event, Move, Play
from tarocchi_engine.observation import find_faults, view
from tarocchi_engine.play import PLAYOUT_RANDOM, PLAYOUT_RULE, apply_card, choose_by_rule, legal_cards, playout
from tarocchi_engine.rng import next_u64
from tarocchi_engine.scoring import score_difference, settle_piles
from tarocchi_engine.state import State, new_deal, replay
from tarocchi_engine.table import Phase, Table
from tarocchi_engine.variant import DealScore, Variant
from tarocchi_engine.variants import VARIANTS

CONSTANT_SUM = {"bolognese": 93, "piedicavallo": 114}
SWEEP = {"bolognese": 939, "piedicavallo": 114}

pytestmark = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)

a_deal = st.tuples(st.integers(0, 2**63 - 1), st.booleans())
choices = st.lists(st.integers(0, 10**6), max_size=70)
laws = settings(derandomize=True, deadline=None, max_examples=15, database=None)


def chosen_play(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> list[State]:
    """Returns the states of a deal in which each number picks a move; the first legal one when they run out."""
    seed, lopsided = deal
    remaining = list(reversed(numbers))

    def choose(_state: State, moves: tuple[Move, ...]) -> Move:
        return moves[remaining.pop() % len(moves) if remaining else 0]

    return play_states(start(variant, random.Random(seed), lopsided), choose)


def table_fields(table: Table) -> dict[str, Any]:
    """Returns all that a table tells apart from the events, which a seat may see face down."""
    return {name: getattr(table, name) for name in Table.__slots__ if name not in ("events", "variant")}


def assert_same_state(left: State, right: State) -> None:
    assert (left.dealt, left.hands, left.aside, left.events) == (right.dealt, right.hands, right.aside, right.events)
    assert table_fields(left.table) == table_fields(right.table)


# --- cards, moves, points


@laws
@given(deal=a_deal, numbers=choices)
def test_cards_are_conserved_at_every_step(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    for state in chosen_play(variant, deal, numbers):
        assert holds_every_card_once(all_cards_of(state))
        for seat, hand in enumerate(state.hands):
            own_aside = state.aside if seat == state.table.dealer else 0
            assert hand | state.table.played[seat] | own_aside == state.dealt[seat]


@laws
@given(deal=a_deal, numbers=choices)
def test_legal_moves_come_from_the_hand_and_keep_the_matto(
    variant: Variant, deal: tuple[int, bool], numbers: list[int]
) -> None:
    for state in chosen_play(variant, deal, numbers):
        moves = state.legal_moves()
        assert bool(moves) == (state.phase is not Phase.END)
        assert len(set(moves)) == len(moves)
        hand = state.hands[state.turn] if state.turn is not None else 0
        if state.phase is Phase.PLAY:
            plays = sum(1 << move.card for move in moves if isinstance(move, Play))
            assert plays.bit_count() == len(moves)
            assert not plays & ~hand
            assert plays & MATTO_MASK == hand & MATTO_MASK
        for move in moves:
            if isinstance(move, Discard | Declare):
                assert not (move.cards or 0) & ~hand


@laws
@given(deal=a_deal, numbers=choices)
def test_a_deal_has_sixty_cards_in_fifteen_tricks(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    state = chosen_play(variant, deal, numbers)[-1]
    plays = [event.move.card for event in state.events if isinstance(event.move, Play)]
    assert len(plays) == len(set(plays)) == 60
    assert len(state.tricks) == 15
    leaders = [variant.next_seat(state.table.dealer)] + [trick.winner for trick in state.tricks]
    assert [trick.leader for trick in state.tricks] == leaders[:-1]
    assert state.hands == (0, 0, 0, 0)


@laws
@given(deal=a_deal, numbers=choices)
def test_points_have_a_constant_sum(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    state = chosen_play(variant, deal, numbers)[-1]
    sides = state.score().sides
    assert sum(side.card_points + side.last_trick for side in sides) == CONSTANT_SUM[variant.name]
    assert all(side.total == int(side.total) for side in sides)
    for side in sides:
        items = side.card_points + side.last_trick + side.sets_total + side.sequences_total + side.declarations
        assert side.total == items


@laws
@given(deal=a_deal, numbers=choices)
def test_final_piles_partition_the_pack_and_are_even(
    variant: Variant, deal: tuple[int, bool], numbers: list[int]
) -> None:
    score = chosen_play(variant, deal, numbers)[-1].score()
    assert holds_every_card_once([side.pile for side in score.sides])
    if variant.name == "bolognese":
        assert all(side.pile.bit_count() % 2 == 0 for side in score.sides)
    assert score.sides[score.matto_side].pile & MATTO_MASK


@laws
@given(deal=a_deal, numbers=choices)
def test_no_five_point_card_is_laid_away(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    states = chosen_play(variant, deal, numbers)
    for move in states[0].legal_moves():
        assert isinstance(move, Discard)
        assert move.cards is not None
        assert move.cards.bit_count() == 2
        assert not move.cards & variant.pack.five_point_mask
    assert states[1].aside.bit_count() == 2
    assert states[-1].score().sides[states[-1].score().discard_side].pile & states[1].aside


def test_discards_are_the_referees_for_hands_of_every_make(variant: Variant) -> None:
    """From hands without a plain card, which a shuffle hardly ever deals, to hands without anything else."""
    rng = random.Random("makes")
    pack = variant.pack
    plain = [card for card in range(40) if card % 10 != 9]
    others = [card for card in range(CARD_COUNT) if card not in plain]
    for count in (0, 0, 1, 1, 2, 2, 3, 8, 14, 15, 15, 16, 16, 17):
        for _ in range(5):
            hand = sum(1 << card for card in rng.sample(plain, count) + rng.sample(others, 17 - count))
            expected = {pack.parse_cards(pair) for pair in naive.legal_discards(variant.name, pack.format_mask(hand))}
            assert set(variant.discards(hand)) == expected
            for pair in combinations(cards_in(hand), 2):
                cards = sum(1 << card for card in pair)
                if cards in expected:
                    variant.check_discard(hand, cards)
                else:
                    with pytest.raises(IllegalMoveError):
                        variant.check_discard(hand, cards)


@laws
@given(deal=a_deal, numbers=choices)
def test_declarations_belong_to_the_first_trick(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    declared = [0, 0]
    for state in chosen_play(variant, deal, numbers):
        if state.phase is Phase.DECLARE:
            assert variant.has_declarations
            assert not state.tricks
            seat = state.table.turn
            used = int(used_cards(np.uint64(state.hands[seat])))
            assert {move.cards for move in state.legal_moves() if isinstance(move, Declare)} == {used, 0}
        if state.events and isinstance(move := state.events[-1].move, Declare):
            seat = state.events[-1].seat
            assert not move.cards & ~state.hands[seat]
            declared[variant.side_of(seat)] += variant.declaration_points(move.cards)
    assert [side.declarations for side in state.score().sides] == declared
    assert sum(isinstance(event.move, Declare) for event in state.events) == (4 if variant.has_declarations else 0)


def test_a_side_without_a_trick_keeps_nothing(variant: Variant) -> None:
    swept = 0
    forfeits: Counter[tuple[bool, bool]] = Counter()
    for index in range(80):
        states = random_states(variant, f"sweep {index}", lopsided=True)
        score = states[-1].score()
        for side, count in enumerate(score.sides):
            if count.trick_count == 0:
                other = score.sides[1 - side]
                swept += 1
                forfeits[variant.side_of(states[0].table.dealer) == side, matto_was_with(states, side)] += 1
                assert count.pile == 0
                assert other.pile == ALL_MASK
                assert count.total == count.declarations
                assert other.total == SWEEP[variant.name] + other.declarations
                assert score.winner == 1 - side
                assert (score.matto_side, score.discard_side, score.matto_card) == (1 - side, 1 - side, None)
    assert swept >= 20
    assert len(forfeits) == 4, "sweeps of a side with and without the discard, with and without the Matto"


def matto_was_with(states: list[State], side: int) -> bool:
    variant = states[0].variant
    return any(hand & MATTO_MASK and variant.side_of(seat) == side for seat, hand in enumerate(states[0].dealt))


def test_there_is_no_score_before_the_end(variant: Variant) -> None:
    for state in random_states(variant, "score")[:-1]:
        with pytest.raises(DealNotOverError, match=f"seat {state.turn} has to {state.phase}"):
            state.score()


def test_the_winner_has_the_higher_total(variant: Variant) -> None:
    winners: set[int | None] = set()
    for index in range(40):
        score: DealScore = random_states(variant, f"winner {index}")[-1].score()
        first, second = (side.total for side in score.sides)
        assert score.winner == (None if first == second else int(second > first))
        winners.add(score.winner)
    assert winners >= {0, 1}


# --- records


@laws
@given(deal=a_deal, numbers=choices)
def test_replay_reproduces_the_state(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    states = chosen_play(variant, deal, numbers)
    for state in (states[0], states[len(states) // 2], states[-1]):
        fresh = State.new(variant, state.table.dealer, state.dealt)
        assert_same_state(replay(fresh, state.events), state)
        assert_same_state(replay(fresh, [event.move for event in state.events]), state)


def test_moves_leave_the_old_state_alone(variant: Variant) -> None:
    states = random_states(variant, "immutable")
    for before, after in pairwise(states):
        again = replay(State.new(variant, before.table.dealer, before.dealt), before.events)
        assert_same_state(before, again)
        assert len(after.events) == len(before.events) + 1


def test_a_card_where_a_declaration_is_due_declares_nothing(variant: Variant) -> None:
    if not variant.has_declarations:
        pytest.skip("no declarations in this variant")
    for index in range(10):
        final = random_states(variant, f"silent {index}")[-1]
        silent = [Event(event.seat, Declare(0)) if isinstance(event.move, Declare) else event for event in final.events]
        shortened = [event for event in silent if not isinstance(event.move, Declare)]
        fresh = State.new(variant, final.table.dealer, final.dealt)
        expected = replay(fresh, silent)
        assert_same_state(replay(fresh, shortened), expected)
        for seat in range(4):
            observation = expected.observe(seat)
            bare = replace(observation, events=tuple(e for e in observation.events if not isinstance(e.move, Declare)))
            assert view(bare).table.events == view(observation).table.events
            assert table_fields(view(bare).table) == table_fields(view(observation).table)


# --- what a seat sees


def test_views_agree_with_the_state(variant: Variant) -> None:
    for index in range(4):
        for state in random_states(variant, f"views {index}", lopsided=index == 3):
            for seat in range(variant.seat_count):
                seen = view(state.observe(seat))
                assert (seen.hand, seen.turn, seen.phase, seen.seat) == (
                    state.hands[seat],
                    state.turn,
                    state.phase,
                    seat,
                )
                assert table_fields(seen.table) == table_fields(state.table)
                assert seen.legal_moves() == (state.legal_moves() if state.turn == seat else ())
                discarded = state.phase is not Phase.DISCARD
                assert seen.aside == (state.aside if seat == state.table.dealer and discarded else None)
                hidden = 0 if seat == state.table.dealer else state.aside
                for other, hand in enumerate(state.hands):
                    hidden |= hand & ~state.table.exposed(other) if other != seat else 0
                assert seen.unseen == hidden


def test_observations_keep_hidden_cards_hidden(variant: Variant) -> None:
    """Two deals that differ in nothing a seat can see give it the same observation."""
    rng = random.Random(f"wall {variant.name}")
    pairs = 0
    for index in range(8):
        states = random_states(variant, f"wall {index}")
        for state in rng.sample(states[:40], 12):
            for seat in range(variant.seat_count):
                other = reshuffled(state, seat, rng)
                if other is not None:
                    pairs += 1
                    assert other.dealt != state.dealt
                    assert other.observe(seat) == state.observe(seat)
                    assert repr(other.observe(seat)) == repr(state.observe(seat))
                    assert find_faults(other.observe(seat)) == ()
    assert pairs > 100


def reshuffled(state: State, seat: int, rng: random.Random) -> State | None:
    """Returns a deal with the same public course in which the cards that `seat` does not see lie elsewhere."""
    variant = state.variant
    dealer = state.table.dealer
    hidden = [hand & ~state.table.exposed(other) if other != seat else 0 for other, hand in enumerate(state.hands)]
    hidden_aside = state.aside if seat != dealer else 0
    for _ in range(10):
        cards = [card for mask in (*hidden, hidden_aside) for card in cards_in(mask)]
        rng.shuffle(cards)
        dealt = list(state.dealt)
        for other in range(variant.seat_count):
            count = hidden[other].bit_count()
            dealt[other] = dealt[other] & ~hidden[other] | sum(1 << card for card in cards[:count])
            cards = cards[count:]
        aside = sum(1 << card for card in cards)
        if hidden_aside:
            dealt[dealer] = dealt[dealer] & ~hidden_aside | aside
        moves = [event.move for event in state.events]
        if hidden_aside and isinstance(first := moves[0], Discard):
            moves[0] = Discard(aside, first.announced_trump_count)
        try:
            other_state = replay(State.new(variant, dealer, dealt), moves)
        except InvalidDealError:
            continue
        if other_state.dealt != state.dealt:
            return other_state
    return None


# --- dealing


def test_a_seed_is_a_deal(variant: Variant) -> None:
    for seed in (0, 1, 2**63 - 1, 2**64 - 1):
        assert_same_state(new_deal(variant, seed), new_deal(variant, seed))
    assert len({new_deal(variant, seed).dealt for seed in range(500)}) == 500
    for dealer in range(variant.seat_count):
        deal = new_deal(variant, 7, dealer)
        assert deal.table.dealer == deal.turn == dealer
        assert [hand.bit_count() for hand in deal.dealt] == [17 if seat == dealer else 15 for seat in range(4)]
        assert holds_every_card_once(list(deal.dealt))
    with pytest.raises(InvalidDealError, match="there is no seat 4"):
        new_deal(variant, 7, 4)


def test_deals_are_uniform(variant: Variant) -> None:
    """Chi-square of card by seat, of neighbours in one hand and of the dealer, within five standard deviations."""
    count = 3000
    table = np.zeros((CARD_COUNT, variant.seat_count))
    neighbours = 0
    dealers: Counter[int] = Counter()
    for seed in range(count):
        if seed % 2:
            dealers[new_deal(variant, seed).table.dealer] += 2
        for seat, hand in enumerate(new_deal(variant, seed, 0).dealt):
            table[list(cards_in(hand)), seat] += 1
            neighbours += (hand & hand >> 1).bit_count()
    expected = count * np.array([17, 15, 15, 15]) / CARD_COUNT
    # each card falls to one seat and each seat gets its number: 61 x 3 degrees of freedom
    statistic = float(((table - expected) ** 2 / expected).sum()) * 61 / 62
    freedom = 61 * 3
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5
    chance = (17 * 16 + 3 * 15 * 14) / (62 * 61)
    assert abs(neighbours - 61 * count * chance) < 5 * (61 * count * chance * (1 - chance)) ** 0.5
    assert all(abs(dealers[seat] - count / 4) < 5 * (2 * count * 3 / 16) ** 0.5 for seat in range(4))


# --- kernels


def compared(position: np.ndarray) -> np.ndarray:
    """Returns the words that a kernel and a table must agree on: not the winner while there is none."""
    words = position.copy()
    words[DECLARED : DECLARED + 2] = 0
    if words[BEST] == NO_CARD:
        words[WINNER] = 0
    return words


def position_of(state: State) -> np.ndarray:
    return state.table.position(list(state.hands), state.aside)


def test_kernels_step_like_the_table(variant: Variant) -> None:
    for index in range(15):
        states = random_states(variant, f"steps {index}", lopsided=index % 3 == 0)
        position = position_of(states[1])
        for before, after in pairwise(states[1:]):
            move = after.events[-1].move
            if isinstance(move, Play):
                assert np.array_equal(compared(position), compared(position_of(before)))
                apply_card(position, move.card)
                assert np.array_equal(compared(position), compared(position_of(after)))
        position[DECLARED : DECLARED + 2] = position_of(states[-1])[DECLARED : DECLARED + 2]
        assert int(score_difference(position, np.zeros(2, dtype=np.uint64))) == half_points(states[-1])


def half_points(state: State) -> int:
    first, second = state.score().sides
    return round(2 * (first.total - second.total))


@pytest.mark.parametrize("policy", [PLAYOUT_RANDOM, PLAYOUT_RULE])
def test_playouts_end_with_the_score_of_the_cards_they_played(variant: Variant, policy: int) -> None:
    rng = random.Random(f"playout {variant.name} {policy}")
    for index in range(12):
        states = random_states(variant, f"playout {index}", lopsided=index % 4 == 0)
        for state in [states[1], *rng.sample(states[2:], 3), states[-1]]:
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


def played_like_the_kernel(state: State, seed: int, policy: int) -> State:
    """Plays a state to its end card by card, drawing as `playout` does; nothing more is declared."""
    stream = np.array([seed], dtype=np.uint64)
    share = (1 << 64) // 5
    while state.turn is not None:
        draw = int(next_u64(stream))
        tricks = len(state.tricks)
        while state.turn is not None and len(state.tricks) == tricks:
            legal = int(legal_cards(np.uint64(state.hands[state.turn]), np.uint64(state.table.led)))
            count = legal.bit_count()
            if policy == PLAYOUT_RULE:
                at_random = int(next_u64(stream)) < share
                draw = int(next_u64(stream))
            if policy == PLAYOUT_RANDOM or at_random:
                card = int(select(np.uint64(legal), np.uint64(draw * count >> 64)))
                draw = draw * count % 2**64
            else:
                card = int(choose_by_rule(position_of(state), np.uint64(legal), np.uint64(draw)))
            state = state.apply_move(Play(card))
    return state


def test_random_playouts_choose_every_legal_card_equally_often(variant: Variant) -> None:
    state = random_states(variant, "equal")[1]
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
    cups_pip = "C10" if variant.name == "bolognese" else "C6"
    top_trump = "ANG" if variant.name == "bolognese" else "T21"
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
        table.trick = tuple(parse(card) for card in trick)
        table.leader, table.turn = 1, 0
        held = variant.pack.parse_cards(hand)
        legal = legal_cards(np.uint64(held), np.uint64(table.led))
        chosen = int(choose_by_rule(table.position([held, 0, 0, 0], 0), legal, np.uint64(0)))
        assert variant.pack.format_card(chosen) == expected, reason


def test_illegal_moves_change_nothing(variant: Variant) -> None:
    rng = random.Random("illegal")
    refused = 0
    for state in random_states(variant, "illegal"):
        if state.turn is None:
            continue
        legal = {move.card for move in state.legal_moves() if isinstance(move, Play)}
        for card in rng.sample(range(CARD_COUNT), 10):
            if state.phase is not Phase.PLAY or card in legal:
                continue
            with pytest.raises(IllegalMoveError):
                state.apply_move(Play(card))
            refused += 1
        assert holds_every_card_once(all_cards_of(state))
    assert refused > 100
