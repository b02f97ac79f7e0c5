"""The learned playouts: the places of the weights against a slow twin, the choice, and what a seat may not see."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dealing import RULES
from solver.deals import decisions
from tarocchi_engine import State, view
from tarocchi_engine.cards import (
    BOLOGNESE_PACK,
    CARD_COUNT,
    KING_MASK,
    MATTO,
    MATTO_MASK,
    TRUMP_MASK,
    cards_in,
    suit_mask,
)
from tarocchi_engine.facts import hidden_cards
from tarocchi_engine.layout import HANDS, LED, TRICKS_LEFT, VOIDS
from tarocchi_engine.moves import Play
from tarocchi_engine.play import apply_card, legal_cards
from tarocchi_engine.position import make_position
from tarocchi_solver.search import SearchOptions, WorldSampler, learned_playout
from tarocchi_solver.search.evaluators import Source, TreeSearch
from tarocchi_solver.search.inference import NO_INFERENCE
from tarocchi_solver.search.learned_playout import (
    FEATURES,
    MOST_CARDS,
    PLAYOUT_LEARNED,
    WEIGHT_COUNT,
    PlayoutRule,
    choose_learned,
    fill_moods,
    play_to_end,
)
from tarocchi_solver.search.models import play_model, playout_rule
from tarocchi_solver.search.question import arm_of, make_question
from tarocchi_solver.search.runner import Limits, Runner

NAMES = list(RULES)
LANES = [*(suit_mask(suit) for suit in range(4)), TRUMP_MASK, MATTO_MASK]
NO_PLACES = np.zeros((0, FEATURES), dtype=np.int64)
CALM = np.zeros(CARD_COUNT, dtype=np.float32)


def position_of(state: State) -> np.ndarray:
    return make_position(state.table, list(state.hands), state.aside)


def plays(name: str, seeds: range) -> list[State]:
    """Decisions between cards that tell each other apart."""
    return [
        state
        for seed in seeds
        for state, _observation in decisions(RULES[name], seed)
        if isinstance(state.legal_moves()[0], Play) and len(set(state.legal_moves())) > 1
    ]


def stream(seed: int) -> np.ndarray:
    return np.array([seed], dtype=np.uint64)


def moods(seed: int, noise: float = 1.0) -> np.ndarray:
    found = np.empty(CARD_COUNT, dtype=np.float32)
    fill_moods(PlayoutRule(PLAYOUT_LEARNED, np.empty(0, dtype=np.float32), np.float32(noise)), found, stream(seed))
    return found


def legal_of(position: np.ndarray, seat: int) -> int:
    return int(legal_cards(position[HANDS + seat], position[LED]))


def slow_places(state: State, card: int) -> list[int]:
    """Where the weights of a card are, from the table and the hand of the seat to move alone."""
    table, variant = state.table, state.variant
    pack, seat, hand = variant.pack, table.turn, state.hands[table.turn]
    side = table.side_of(seat)
    lane = next(number for number, cards in enumerate(LANES) if cards >> card & 1)
    legal = {move.card for move in state.legal_moves() if isinstance(move, Play)}
    of_lane = sorted(other for other in legal if LANES[lane] >> other & 1)
    assert hand >> card & 1
    best = table.winning_place()
    beats = best < 0 and card != MATTO
    if best >= 0:
        beats = bool(pack.beaten_by(table.trick[best]) >> card & 1)
    length = len(table.trick)
    situation = 0
    if length:
        partner_wins = best >= 0 and table.side_of(table.seat_of(best)) == side
        situation = 2 * length - 1 + partner_wins
    if variant.seat_count == 3:
        situation += 7 * side
    is_open = length == 0 or all(other == MATTO for other in table.trick)
    led = table.trick[0] if not is_open and table.trick[0] != MATTO else None if is_open else table.trick[1]
    led_lane = None if led is None else next(number for number, cards in enumerate(LANES) if cards >> led & 1)
    if lane == 5:
        relation = 9
    elif is_open:
        relation = 1 if lane == 4 else 0
    elif led_lane == 4:
        relation = (6 if beats else 7) if lane == 4 else 8
    elif lane == led_lane:
        relation = 2 if beats else 3
    else:
        relation = (4 if beats else 5) if lane == 4 else 8
    stage = min((table.tricks_left - 1) // 4, 3)
    gone = table.piles[0] | table.piles[1] | sum(1 << other for other in table.trick)
    there = list(cards_in(LANES[lane] & ~gone & ~hand)) if lane < 5 else []
    out = min(len(there), 9) // 2
    higher = min(sum(other > card for other in there), 3)
    if lane == 5 or lane == 4:
        rank, kind = card - 33, 2
    else:
        place = card % 10
        rank = 9 - place if place >= 6 else 5 if place <= 2 else 6
        if pack.index == 0 and pack.format_card(card) in ("SA", "BA", "CA", "DA"):
            rank = 4
        kind = 2 if KING_MASK >> card & 1 else 1 if place >= 6 else 0
    on_table = sum(int(pack.points[other]) - 1 for other in table.trick)
    value = 0 if on_table == 0 else 1 if on_table < 4 else 2 if on_table < 8 else 3
    sets = [
        *([f"{suit}{figure}" for suit in "SBCD"] for figure in "KQNJ"),
        ["ANG", "MON", "BEG", "MAT"],
        ["SA", "BA", "CA", "DA"],
        ["MO1", "MO2", "MO3", "MO4"],
    ]
    # the sets are told apart by the place of their cards, in either pack
    place_of = {BOLOGNESE_PACK.parse_cards([name]): name for group in sets for name in group}
    name = place_of.get(1 << card)
    number = next((row for row, group in enumerate(sets) if name in group), None)
    mates = 0 if number is None else BOLOGNESE_PACK.parse_cards(sets[number])
    set_place = 6 if number is None else min(number, 5)
    mine = min((mates & table.piles[side]).bit_count(), 3)
    theirs = min((mates & table.piles[1 - side]).bit_count(), 3)
    held = min(len(of_lane), 6) - 1
    end = (card == of_lane[0]) + 2 * (card == of_lane[-1])
    gap = 0
    if lane < 5:
        missing = [table.cannot_hold[other] & LANES[lane] for other in range(variant.seat_count)]
        # all of the lane, but for a card it may have been said with
        void = [bool(cards) for cards in missing]
        assert all(LANES[lane] & ~cards in (0, *(1 << card for card in range(62))) for cards in missing if cards)
        others = [other for other in range(variant.seat_count) if other != seat]
        partners = [other for other in others if table.side_of(other) == side]
        gap = 3 * (bool(partners) and all(void[other] for other in partners))
        gap += min(sum(void[other] for other in others if other not in partners), 2)
    starts = np.concatenate([[0], np.cumsum(learned_playout._SIZES)])
    local = [
        ((stage * 14 + situation) * 10 + relation) * 29 + rank,
        (((higher * 5 + out) * 10 + relation) * 3 + kind) * 4 + stage,
        (((value * 5 + int(pack.points[card]) - 1) * 14 + situation) * 2 + beats) * 4 + stage,
        ((mine * 4 + theirs) * 7 + set_place) * 2 + beats,
        ((held * 4 + end) * 10 + relation) * 3 + kind,
        (gap * 10 + relation) * 3 + kind,
    ]
    return [int(start + place) for start, place in zip(starts, local, strict=False)]


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_where_a_slow_twin_finds_them(name: str) -> None:
    places = np.zeros((MOST_CARDS, FEATURES), dtype=np.int64)
    nothing = np.zeros(WEIGHT_COUNT, dtype=np.float32)
    for state in plays(name, range(60, 66))[::3]:
        position = position_of(state)
        legal = legal_of(position, state.table.turn)
        choose_learned(position, np.uint64(legal), nothing, CALM, places)
        for row, card in zip(places.tolist(), cards_in(legal), strict=False):
            assert row == slow_places(state, card), (name, state.variant.pack.format_card(card))


@pytest.mark.parametrize("name", NAMES)
def test_the_best_card_is_played_and_noise_now_and_then_finds_another(name: str) -> None:
    weights = np.random.default_rng(5).normal(0.0, 1.0, WEIGHT_COUNT).astype(np.float32)
    others = 0
    for state in plays(name, range(70, 72))[::4]:
        position = position_of(state)
        legal = np.uint64(legal_of(position, state.table.turn))
        cards = list(cards_in(int(legal)))
        worths = [sum(float(weights[place]) for place in slow_places(state, card)) for card in cards]
        found = int(choose_learned(position, legal, weights, CALM, NO_PLACES))
        assert worths[cards.index(found)] == pytest.approx(max(worths), abs=1e-4)
        noisy = {int(choose_learned(position, legal, weights, moods(seed, 3.0), NO_PLACES)) for seed in range(20)}
        assert noisy <= {card for card, worth in zip(cards, worths, strict=True) if worth > max(worths) - 3.001}
        others += len(noisy - {found})
    assert others


@pytest.mark.parametrize("name", NAMES)
def test_nobody_looks_at_other_hands(name: str) -> None:
    """Whoever holds the hidden cards, the seat to move plays the same."""
    rng = random.Random(6)
    weights = play_model(RULES[name].name).values
    for state in plays(name, range(80, 83))[::3]:
        seat = state.table.turn
        position = position_of(state)
        legal = np.uint64(legal_of(position, seat))
        card = choose_learned(position, legal, weights, moods(3), NO_PLACES)
        others = [other for other in range(state.variant.seat_count) if other != seat]
        hidden = [card for other in others for card in cards_in(state.hands[other])]
        rng.shuffle(hidden)
        mixed = position.copy()
        for other in others:
            size = state.hands[other].bit_count()
            mixed[HANDS + other] = np.uint64(sum(1 << card for card in hidden[:size]))
            hidden = hidden[size:]
        assert choose_learned(mixed, legal, weights, moods(3), NO_PLACES) == card


@pytest.mark.parametrize("name", NAMES)
def test_a_playout_is_a_deal_by_the_rules(name: str) -> None:
    """Its cards, played on the table of the engine, are legal and count the same."""
    weights = play_model(RULES[name].name).values
    rule = PlayoutRule(PLAYOUT_LEARNED, weights, np.float32(1.0))
    for state in plays(name, range(90, 94))[::9]:
        position = position_of(state)
        result = int(play_to_end(position.copy(), np.zeros(2, dtype=np.uint64), rule, moods(4), NO_PLACES, stream(4)))
        final = state
        while position[TRICKS_LEFT] != 0:
            seat = final.table.turn
            assert position[VOIDS] == position_of(final)[VOIDS]
            legal = np.uint64(legal_of(position, seat))
            card = next(cards_in(int(legal)))
            if int(legal).bit_count() > 1:
                card = int(choose_learned(position, legal, weights, moods(4), NO_PLACES))
            final = final.apply_move(Play(card))
            apply_card(position, np.uint64(card))
        while final.turn is not None:
            final = final.apply_move(final.legal_moves()[0])
        if state.variant.giver_chooses:
            continue
        assert result == result_in_halves(final)


def result_in_halves(final: State) -> int:
    """Side 0 minus side 1, twice, before what a payment makes of it."""
    score, variant = final.score(), final.variant
    if variant.seats_score_alone:
        declarer = final.table.declarer
        assert declarer is not None
        defenders = [award for seat, award in enumerate(score.awards) if seat != declarer]
        return round(2 * (score.awards[declarer] - sum(defenders) / len(defenders)) / variant.game_factor)
    return round(2 * (score.awards[0] - score.awards[1]))


def test_an_observation_is_enough() -> None:
    """Positions made from what one seat sees lead to the same choice as those with all cards in place."""
    state = plays("bolognese", range(95, 96))[10]
    seat = state.table.turn
    seen = view(state.observe(seat))
    hands = [seen.hand if other == seat else 0 for other in range(4)]
    weights = play_model("bolognese").values
    of_view = make_position(seen.table, hands, 0)
    legal = np.uint64(legal_of(of_view, seat))
    found = [
        int(choose_learned(position, legal, weights, CALM, NO_PLACES)) for position in (of_view, position_of(state))
    ]
    assert found[0] == found[1]


def test_moods_are_spread_evenly_up_to_the_noise() -> None:
    drawn = np.array([moods(seed, 2.0) for seed in range(500)])
    assert drawn.min() >= 0.0
    assert drawn.max() < 2.0
    assert abs(drawn.mean(axis=0) - 1.0).max() < 0.15
    correlations = np.corrcoef(drawn.T) - np.eye(CARD_COUNT)
    assert abs(correlations).max() < 0.25


@pytest.mark.parametrize("name", NAMES)
def test_moves_are_compared_in_the_same_moods(name: str) -> None:
    """A move tried twice in the same worlds comes to the same, however many other moves are tried in between."""
    options = SearchOptions()
    differing = 0
    for state in plays(name, range(97, 100))[::12]:
        seen = view(state.observe(state.table.turn))
        arms = list(dict.fromkeys(arm_of(move) for move in seen.legal_moves()))
        question = make_question(seen, [*arms, arms[0]])
        source = Source(WorldSampler(hidden_cards(seen)), NO_INFERENCE.belief, 1)
        trees = TreeSearch(question, source, options, len(question.arms), playout_rule(seen.variant.name, options))
        totals = Runner(1, Limits()).run(trees, 0, 20).block.totals
        assert (totals[:, 0] == totals[:, -1]).all()
        differing += (totals[:, 0] != totals[:, 1]).any()
    assert differing
