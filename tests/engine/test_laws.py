"""Laws that every deal of every variant obeys, whatever is played."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dealing import (
    RULES,
    all_cards_of,
    fresh,
    holds_every_card_once,
    order_of,
    play_states,
    random_states,
    start,
    without_void_deals,
)
from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, MATTO, MATTO_MASK, cards_in, lane_of
from tarocchi_engine.combinations import used_cards
from tarocchi_engine.errors import DealNotOverError, IllegalMoveError, InvalidDealError
from tarocchi_engine.moves import Call, CallOut, Declare, Discard, Event, Move, Play, Signal
from tarocchi_engine.observation import find_faults, view
from tarocchi_engine.record import Phase, Record
from tarocchi_engine.selection import MAX_LISTED
from tarocchi_engine.state import State, new_deal, replay
from tarocchi_engine.table import Table
from tarocchi_engine.variant import DealScore, Variant

CONSTANT_SUM = {"bolognese": 93, "ottocento": 93, "terziglio": 93, "piedicavallo": 114}
SWEEP = {"bolognese": 939, "ottocento": 939, "terziglio": 939, "piedicavallo": 114}

pytestmark = pytest.mark.parametrize("variant", RULES.values(), ids=RULES)

a_deal = st.tuples(st.integers(0, 2**63 - 1), st.booleans())
choices = st.lists(st.integers(0, 10**6), max_size=70)
laws = settings(derandomize=True, deadline=None, max_examples=12, database=None)


def chosen_play(variant: Variant, deal: tuple[int, bool], numbers: list[int], void_deals: bool = False) -> list[State]:
    """Returns the states of a deal in which each number picks a move; the first legal one when they run out."""
    seed, lopsided = deal
    remaining = list(reversed(numbers))

    def choose(state: State, moves: tuple[Move, ...]) -> Move:
        moves = moves if void_deals and remaining else without_void_deals(state, moves)
        return moves[remaining.pop() % len(moves) if remaining else 0]

    return play_states(start(variant, random.Random(seed), lopsided), choose)


def table_fields(table: Table) -> dict[str, Any]:
    """Returns all that a table tells apart from the events, which a seat may see face down."""
    return {name: getattr(table, name) for name in Record.__slots__ if name not in ("events", "variant")}


def assert_same_state(left: State, right: State) -> None:
    assert (left.dealt, left.stock, left.packets) == (right.dealt, right.stock, right.packets)
    assert (left.hands, left.aside, left.events) == (right.hands, right.aside, right.events)
    assert table_fields(left.table) == table_fields(right.table)


# --- cards, moves, points


@laws
@given(deal=a_deal, numbers=choices)
def test_cards_are_conserved_at_every_step(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    for state in chosen_play(variant, deal, numbers, void_deals=True):
        assert holds_every_card_once(all_cards_of(state))
        for seat, hand in enumerate(state.hands):
            own_aside = own_discard(state, seat) or 0
            assert hand | state.table.played[seat] | own_aside == state.dealt_by_now(seat)
            assert hand.bit_count() + (state.table.played[seat] | own_aside).bit_count() == state.table.cards_dealt(
                seat
            )


def own_discard(state: State, seat: int) -> int | None:
    """Returns what a seat has laid away, None if it has not."""
    return state.aside if state.table.discard_made and seat == state.table.discarder else None


@laws
@given(deal=a_deal, numbers=choices)
def test_legal_moves_come_from_the_hand_and_keep_the_matto(
    variant: Variant, deal: tuple[int, bool], numbers: list[int]
) -> None:
    for state in chosen_play(variant, deal, numbers, void_deals=True):
        moves = state.legal_moves()
        assert bool(moves) == (state.phase is not Phase.END)
        assert len(set(moves)) == len(moves) <= MAX_LISTED
        assert state.legal_move_count == len(moves) or state.legal_move_count > MAX_LISTED
        hand = state.hands[state.turn] if state.turn is not None else 0
        if state.phase is Phase.PLAY:
            plays = sum({1 << move.card for move in moves if isinstance(move, Play)})
            assert plays.bit_count() == len(moves) or variant.has_signals
            assert not plays & ~hand
            assert plays & MATTO_MASK == hand & MATTO_MASK
        for move in moves:
            if isinstance(move, Discard | Declare | CallOut):
                assert not (move.cards or 0) & ~hand


@laws
@given(deal=a_deal, numbers=choices)
def test_every_card_dealt_is_played_trick_by_trick(
    variant: Variant, deal: tuple[int, bool], numbers: list[int]
) -> None:
    state = chosen_play(variant, deal, numbers)[-1]
    plays = [event.move.card for event in state.events if isinstance(event.move, Play)]
    assert len(plays) == len(set(plays)) == variant.seat_count * variant.hand_size
    assert len(state.tricks) == variant.hand_size
    assert variant.seat_count * variant.hand_size in (54, 57, 60)
    leaders = [variant.next_seat(state.table.dealer)] + [trick.winner for trick in state.tricks]
    assert [trick.leader for trick in state.tricks] == leaders[:-1]
    assert not any(state.hands)


@laws
@given(deal=a_deal, numbers=choices)
def test_points_have_a_constant_sum(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    state = chosen_play(variant, deal, numbers)[-1]
    sides = state.score().sides
    assert sum(side.card_points + side.last_trick for side in sides) == CONSTANT_SUM[variant.name]
    assert variant.seat_count == 3 or all(side.total == int(side.total) for side in sides)
    assert all(2 * side.total == int(2 * side.total) for side in sides)
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
    if variant.seat_count == 4 and variant.has_declarations:
        assert all(side.pile.bit_count() % 2 == 0 for side in score.sides)
    assert score.sides[score.matto_side].pile & MATTO_MASK


@laws
@given(deal=a_deal, numbers=choices)
def test_no_five_point_card_is_laid_away(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    states = chosen_play(variant, deal, numbers)
    discards = 0
    for before, after in pairwise(states):
        if before.phase is not Phase.DISCARD:
            continue
        discards += 1
        for move in before.legal_moves():
            assert isinstance(move, Discard)
            assert move.cards is not None
            assert move.cards.bit_count() == variant.discard_count
            assert not move.cards & variant.pack.five_point_mask
        assert after.aside.bit_count() == variant.discard_count
    table = states[-1].table
    score = states[-1].score()
    assert discards == (0 if table.contract is Call.SOLO else 1)
    assert score.discard_side is not None
    assert score.sides[score.discard_side].pile & states[-1].aside
    if score.matto_card is None:
        assert not states[-1].aside & ~score.sides[score.discard_side].pile


def test_discards_are_the_referees_for_hands_of_every_make(variant: Variant) -> None:
    """From hands without a plain card, which a shuffle hardly ever deals, to hands without anything else."""
    if variant.has_auction:
        pytest.skip("the discard of many cards has its own test")
    rng = random.Random("makes")
    pack = variant.pack
    plain = [card for card in range(40) if card % 10 != 9]
    others = [card for card in range(CARD_COUNT) if card not in plain]
    for count in (0, 0, 1, 1, 2, 2, 3, 8, 14, 15, 15, 16, 16, 17):
        for _ in range(5):
            hand = sum(1 << card for card in rng.sample(plain, count) + rng.sample(others, 17 - count))
            expected = {pack.parse_cards(pair) for pair in referee_discards(variant, pack.format_mask(hand))}
            assert set(variant.discards(hand)) == expected
            assert variant.discard_total(hand) == len(expected)
            for pair in combinations(cards_in(hand), 2):
                cards = sum(1 << card for card in pair)
                if cards in expected:
                    variant.check_discard(hand, cards)
                else:
                    with pytest.raises(IllegalMoveError):
                        variant.check_discard(hand, cards)


def referee_discards(variant: Any, hand: list[str]) -> list[frozenset[str]]:
    """Returns the discards that the referee allows from a dealer's hand."""
    if variant.has_declarations:
        return naive.legal_discards(naive.BOLOGNESE, hand)
    switches = naive.DiscardSwitches(variant.allow_voiding, variant.matto_counts_as_trump_for_discard)
    return naive.legal_discards(naive.PIEDICAVALLO, hand, switches)


def test_discards_of_many_cards_are_legal_and_hold_the_natural_ones(variant: Variant) -> None:
    if not variant.has_auction:
        pytest.skip("only declarers lay many cards away")
    rng = random.Random("many")
    fives = variant.pack.five_point_mask
    for _ in range(12):
        hand = sum(1 << card for card in rng.sample(range(CARD_COUNT), variant.hand_size + variant.stock_size))
        listed = variant.discards(hand)
        assert len(set(listed)) == len(listed) <= MAX_LISTED
        assert variant.discard_total(hand) == comb((hand & ~fives).bit_count(), variant.discard_count) > MAX_LISTED
        for cards in listed:
            variant.check_discard(hand, cards)
            assert cards.bit_count() == variant.discard_count
            assert not cards & (fives | ~hand)
        for suit in range(4):
            pips = hand & 0x3FF << 10 * suit & ~fives
            if pips.bit_count() <= variant.discard_count and hand & ~(pips | fives):
                assert any(not pips & ~cards for cards in listed), "every suit can be emptied"
        for _ in range(20):
            cards = sum(1 << card for card in rng.sample(range(CARD_COUNT), variant.discard_count))
            if cards & (fives | ~hand):
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
            listed = {move.cards for move in state.legal_moves() if isinstance(move, Declare)}
            assert {used, 0} <= listed
            assert listed == {used, 0} or not variant.shows_all_or_nothing
            assert all(int(used_cards(np.uint64(cards))) == cards for cards in listed)
        if state.events and isinstance(move := state.events[-1].move, Declare):
            seat = state.events[-1].seat
            assert not move.cards & ~state.hands[seat]
            declared[state.table.side_of(seat)] += variant.declaration_points(move.cards)
    assert [side.declarations for side in state.score().sides] == declared
    declarations = sum(isinstance(event.move, Declare) for event in state.events)
    assert declarations == (variant.seat_count if variant.has_declarations else 0)


def test_a_side_without_a_trick_keeps_nothing(variant: Variant) -> None:
    swept = 0
    forfeits: Counter[tuple[bool, bool]] = Counter()
    for index in range(80):
        final = random_states(variant, f"sweep {index}", lopsided=True)[-1]
        score, table = final.score(), final.table
        for side, count in enumerate(score.sides):
            if count.trick_count == 0:
                other = score.sides[1 - side]
                swept += 1
                discarded = table.discarder is not None and table.side_of(table.discarder) == side
                forfeits[discarded, table.matto_seat is not None and table.side_of(table.matto_seat) == side] += 1
                assert count.pile == 0
                assert other.pile == ALL_MASK
                assert count.total == count.declarations
                assert other.total == SWEEP[variant.name] + other.declarations
                assert score.winner == 1 - side
                assert (score.matto_side, score.discard_side, score.matto_card) == (1 - side, 1 - side, None)
                assert score.game is None or (score.game.rounded, score.game.game_points) == (None, 40)
    assert swept >= 10
    assert len(forfeits) == 4, "sweeps of a side with and without the discard, with and without the Matto"


def test_there_is_no_score_before_the_end(variant: Variant) -> None:
    for state in random_states(variant, "score")[:-1]:
        with pytest.raises(DealNotOverError, match=f"seat {state.turn} has to {state.phase}"):
            state.score()


def test_the_winner_has_the_higher_total(variant: Variant) -> None:
    winners: set[int | None] = set()
    for index in range(40):
        score: DealScore = random_states(variant, f"winner {index}")[-1].score()
        first, second = (side.total for side in score.sides)
        winner = None if first == second else int(second > first)
        if score.game is not None:
            # a tie is the defenders', all tricks win whatever was declared
            winner = next(
                (1 - side for side in (0, 1) if not score.sides[side].trick_count), 0 if first > second else 1
            )
        assert score.winner == winner
        winners.add(score.winner)
    assert winners >= {0, 1}


def test_awards_are_the_totals_or_game_points(variant: Any) -> None:
    """What a deal adds to the match: the totals of both sides, or what the contract is worth to each seat."""
    for index in range(20):
        state = random_states(variant, f"awards {index}")[-1]
        score = state.score()
        if not variant.has_auction:
            assert score.awards == tuple(side.total for side in score.sides)
            continue
        assert score.game is not None
        declarer, points = state.table.declarer, score.game.game_points
        won = [(seat == declarer) == (score.winner == 0) for seat in range(3)]
        if variant.payment == "each_wins":
            assert score.awards == tuple(points if is_won else 0 for is_won in won)
        else:
            assert sum(score.awards) == 0
            assert [award > 0 for award in score.awards] == [is_won and points > 0 for is_won in won]
            assert sorted(map(abs, score.awards)) == [points, points, 2 * points]


def test_signals_are_the_leaders_and_true(variant: Variant) -> None:
    made: Counter[Signal] = Counter()
    for index in range(25):
        for before, after in pairwise(random_states(variant, f"signals {index}")):
            move = after.events[-1].move
            if not isinstance(move, Play) or move.signal is None:
                continue
            made[move.signal] += 1
            assert variant.has_signals
            assert not before.table.trick
            assert move.card != MATTO
            assert before.turn != before.table.declarer
            more = bool(before.hands[before.table.turn] & lane_of(move.card) & ~(1 << move.card))
            assert move.signal is not Signal.VOLO or not more
            assert move.signal is not Signal.STRISCIO or more or not variant.striscio_is_true
    assert set(made) == (set(Signal) if variant.has_signals else set())


# --- records


@laws
@given(deal=a_deal, numbers=choices)
def test_replay_reproduces_the_state(variant: Variant, deal: tuple[int, bool], numbers: list[int]) -> None:
    states = chosen_play(variant, deal, numbers, void_deals=True)
    for state in (states[0], states[len(states) // 2], states[-1]):
        assert_same_state(replay(fresh(state), state.events), state)
        assert_same_state(replay(fresh(state), [event.move for event in state.events]), state)


def test_moves_leave_the_old_state_alone(variant: Variant) -> None:
    states = random_states(variant, "immutable")
    for before, after in pairwise(states):
        assert_same_state(before, replay(fresh(before), before.events))
        assert after.events[: len(before.events)] == before.events
        # the dealer who cannot call itself out is not asked
        new = [event.move for event in after.events[len(before.events) :]]
        assert len(new) == 1 or new[1:] == [CallOut(0)]


def test_a_card_where_a_declaration_is_due_declares_nothing(variant: Variant) -> None:
    if not variant.has_declarations:
        pytest.skip("no declarations in this variant")
    for index in range(10):
        final = random_states(variant, f"silent {index}")[-1]
        silent = [Event(event.seat, Declare(0)) if isinstance(event.move, Declare) else event for event in final.events]
        shortened = [event for event in silent if not isinstance(event.move, Declare)]
        expected = replay(fresh(final), silent)
        assert_same_state(replay(fresh(final), shortened), expected)
        for seat in range(variant.seat_count):
            observation = expected.observe(seat)
            bare = replace(observation, events=tuple(e for e in observation.events if not isinstance(e.move, Declare)))
            assert view(bare).table.events == view(observation).table.events
            assert table_fields(view(bare).table) == table_fields(view(observation).table)


# --- what a seat sees


def is_kept_waiting(state: State, seat: int) -> bool:
    """Tells whether a seat is not shown yet that the dealer does not call itself out, asked or not."""
    if state.phase is not Phase.DISCARD or seat == state.table.dealer or not state.events:
        return False
    return state.events[-1].move == CallOut(0)


def test_views_agree_with_the_state(variant: Variant) -> None:
    for index in range(4):
        for state in random_states(variant, f"views {index}", lopsided=index == 3):
            for seat in range(variant.seat_count):
                seen = view(state.observe(seat))
                if is_kept_waiting(state, seat):
                    assert seen.phase is Phase.CALL_OUT
                    seen.table.apply(state.table.dealer, CallOut(0))
                assert (seen.hand, seen.turn, seen.phase, seen.seat) == (
                    state.hands[seat],
                    state.turn,
                    state.phase,
                    seat,
                )
                assert table_fields(seen.table) == table_fields(state.table)
                assert seen.legal_moves() == (state.legal_moves() if state.turn == seat else ())
                assert seen.aside == own_discard(state, seat)
                assert seen.legal_move_count == (state.legal_move_count if state.turn == seat else 0)
                seat_count = variant.seat_count
                hands, elsewhere = all_cards_of(state)[:seat_count], all_cards_of(state)[seat_count:]
                hidden = sum(elsewhere[:seat_count]) | (state.aside if own_discard(state, seat) is None else 0)
                for other, hand in enumerate(hands):
                    hidden |= hand & ~state.table.exposed(other) if other != seat else 0
                assert seen.unseen == hidden


def test_observations_keep_hidden_cards_hidden(variant: Variant) -> None:
    """Two deals that differ in nothing a seat can see give it the same observation."""
    rng = random.Random(f"wall {variant.name}")
    pairs = 0
    for index in range(8):
        states = random_states(variant, f"wall {index}")
        for state in rng.sample(states[:40], 10) + states[:2]:
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
    hidden = list(cards_in(view(state.observe(seat)).unseen))
    for _ in range(10):
        places = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        order = [[places.get(card, card) for card in hand] for hand in order_of(state)]
        moves = [moved(event.move, places) if event.seat != seat else event.move for event in state.events]
        try:
            other = State.new(
                state.variant,
                state.table.dealer,
                [sum(1 << card for card in hand) for hand in order],
                state.standing,
                stock=sum(1 << places.get(card, card) for card in cards_in(state.stock)),
                order=order,
            )
            other = replay(other, moves)
        except InvalidDealError:
            continue
        if (other.packets, other.stock) != (state.packets, state.stock):
            return other
    return None


def moved(move: Move, places: dict[int, int]) -> Move:
    """Returns a discard in which other cards stand for the hidden ones, any other move as it is."""
    if not isinstance(move, Discard):
        return move
    cards = sum(1 << places.get(card, card) for card in cards_in(move.cards or 0))
    return replace(move, cards=cards)


# --- dealing


def test_a_seed_is_a_deal(variant: Variant) -> None:
    for seed in (0, 1, 2**63 - 1, 2**64 - 1):
        assert_same_state(new_deal(variant, seed), new_deal(variant, seed))
    assert len({new_deal(variant, seed).packets for seed in range(500)}) == 500
    for dealer in range(variant.seat_count):
        deal = new_deal(variant, 7, dealer)
        assert deal.table.dealer == dealer
        first = dealer if deal.phase is Phase.DISCARD else variant.next_seat(dealer)
        assert deal.turn == deal.table.turn == first
        sizes = [variant.dealt_to(seat, dealer) for seat in range(variant.seat_count)]
        assert [hand.bit_count() for hand in deal.dealt] == sizes
        assert sum(sizes) + deal.stock.bit_count() == CARD_COUNT
        assert holds_every_card_once([*deal.dealt, deal.stock])
    with pytest.raises(InvalidDealError, match=f"there is no seat {variant.seat_count}"):
        new_deal(variant, 7, variant.seat_count)


def test_deals_are_uniform(variant: Variant) -> None:
    """Chi-square of card by seat, of neighbours in one hand and of the dealer, within five standard deviations."""
    count = 3000
    seats = variant.seat_count
    sizes = [
        *(variant.dealt_to(seat, 0) for seat in range(seats)),
        *([variant.stock_size] if variant.stock_size else []),
    ]
    table = np.zeros((CARD_COUNT, len(sizes)))
    neighbours = 0
    dealers: Counter[int] = Counter()
    for seed in range(count):
        if seed % 2:
            dealers[new_deal(variant, seed).table.dealer] += 2
        deal = new_deal(variant, seed, 0)
        for place, hand in enumerate([*deal.dealt, deal.stock][: len(sizes)]):
            table[list(cards_in(hand)), place] += 1
            neighbours += (hand & hand >> 1).bit_count()
    expected = count * np.array(sizes) / CARD_COUNT
    # each card falls to one place and each place gets its number
    freedom = 61 * (len(sizes) - 1)
    statistic = float(((table - expected) ** 2 / expected).sum()) * 61 / 62
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5
    chance = sum(size * (size - 1) for size in sizes) / (62 * 61)
    assert abs(neighbours - 61 * count * chance) < 5 * (61 * count * chance * (1 - chance)) ** 0.5
    # every second deal draws a dealer and counts twice
    spread = (2 * count * (seats - 1) / seats**2) ** 0.5
    assert all(abs(dealers[seat] - count / seats) < 5 * spread for seat in range(seats))


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
