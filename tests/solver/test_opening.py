"""The opening of a deal in the search: bids, discards, declarations, call-outs, and the card given for the Matto."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from dealing import RULES
from solver.deals import decisions, random_states, true_world
from solver.test_search import result_for
from tarocchi_engine import (
    Bid,
    Call,
    CallOut,
    Declare,
    Discard,
    Monte,
    Phase,
    Standing,
    State,
    get_variant,
    new_deal,
    view,
)
from tarocchi_engine.cards import PACKS, cards_in
from tarocchi_engine.facts import Case, hidden_cards
from tarocchi_engine.layout import DECLARED, LAST_SIDE, PILES, POSITION_WORDS
from tarocchi_engine.play import playout
from tarocchi_engine.position import make_position
from tarocchi_solver.search import Budget, SearchOptions, WorldSampler, search
from tarocchi_solver.search.equity import SCALE, equity_table
from tarocchi_solver.search.evaluators import Source, TreeSearch
from tarocchi_solver.search.inference import NO_INFERENCE
from tarocchi_solver.search.models import playout_rule
from tarocchi_solver.search.opening import bid_value, discard_by_rule, imagined_call
from tarocchi_solver.search.question import CALLS, arm_of, make_question
from tarocchi_solver.search.runner import Limits, Runner
from tarocchi_solver.search.tree import Block, apply_arm, place_world

AUCTIONS = ["terziglio", "terziglio-other-options"]


def only_truth(state: State) -> WorldSampler:
    """Returns a sampler that knows all cards."""
    hidden = hidden_cards(view(state.observe(state.table.turn)))
    truth = true_world(state, hidden)
    case = Case(tuple(truth[holder] for holder in hidden.holders))
    return WorldSampler(replace(hidden, cases=(case,), shown_hands=(), promises=()))


def positions_after(state: State) -> dict[int, np.ndarray]:
    """Returns for every move, by its word, the position to which the search takes it with all cards known."""
    seen = view(state.observe(state.table.turn))
    arms = list(dict.fromkeys(arm_of(move) for move in seen.legal_moves()))
    question, sampler = make_question(seen, arms), only_truth(state)
    root = np.empty(POSITION_WORDS, dtype=np.uint64)
    place_world(question, sampler.arrays.destination, sampler.sample_many(1, 1)[0], root)
    found = {}
    for place, arm in enumerate(arms):
        found[arm] = root.copy()
        apply_arm(question, place, found[arm])
    return found


def try_once(state: State) -> Block:
    """Returns the results of a few playouts of every arm with all cards known."""
    seen = view(state.observe(state.table.turn))
    arms = list(dict.fromkeys(arm_of(move) for move in seen.legal_moves()))
    source = Source(only_truth(state), NO_INFERENCE.belief, 1)
    rule = playout_rule(seen.variant.name, SearchOptions())
    trees = TreeSearch(make_question(seen, arms), source, SearchOptions(), 4 * len(arms), rule)
    return Runner(1, Limits()).run(trees, 0, 1).block


# --- the rule by which cards are laid away ---


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
@pytest.mark.parametrize(("size", "count"), [(17, 2), (26, 8), (24, 5)])
def test_the_rule_lays_away_enough_cards_and_none_of_five_points(pack: object, size: int, count: int) -> None:
    rng = random.Random(size)
    fives = pack.five_point_mask  # type: ignore[attr-defined]
    for trial in range(3000):
        dear = list(cards_in(fives)) if trial % 3 == 0 else []
        others = [card for card in range(62) if card not in dear]
        hand = sum(1 << card for card in [*dear, *rng.sample(others, size - len(dear))])
        chosen = int(discard_by_rule(np.uint64(hand), count, np.uint64(fives)))
        assert chosen.bit_count() == count
        assert not chosen & ~hand
        assert not chosen & fives


# --- the auction ---


def auctions(name: str, seeds: range) -> Iterator[State]:
    for seed in seeds:
        for state in random_states(RULES[name], seed):
            if state.phase is Phase.BID:
                yield state


def finish_for_real(state: State, call: Call) -> State:
    """Returns the deal before its first trick if a seat makes a call, and all go on by the rules of the search."""
    state = state.apply_move(Bid(call))
    while state.phase is Phase.BID:
        seat = state.table.turn
        state = state.apply_move(Bid(imagined_call(view(state.observe(seat)), state.hands[seat])))
    if state.phase is Phase.DISCARD:
        variant = state.variant
        hand, fives = state.hands[state.table.turn], variant.pack.five_point_mask
        state = state.apply_move(
            Discard(int(discard_by_rule(np.uint64(hand), variant.discard_count, np.uint64(fives))))
        )
    return state


@pytest.mark.parametrize("name", AUCTIONS)
def test_a_call_leads_to_the_deal_that_the_rules_make_of_it(name: str) -> None:
    """Word by word the position in which the search plays a bid on is that of the real deal."""
    checked = set()
    for state in auctions(name, range(40)):
        for arm, found in positions_after(state).items():
            real = finish_for_real(state, CALLS[arm])
            checked.add((len(state.table.calls), real.table.contract))
            if real.table.is_over:
                assert playout(found, np.zeros(2, dtype=np.uint64), np.zeros(1, dtype=np.uint64), 1) == 0
                continue
            expected = make_position(real.table, real.hands, real.aside)
            for seat, hand in enumerate(real.hands):
                points = state.variant.declaration_points(hand)
                expected[DECLARED + real.table.side_of(seat)] += np.uint64(2 * points)
            assert found.tolist() == expected.tolist()
    assert len(checked) == 9, "from every seat a game of each kind, and none"


def test_nothing_is_won_or_lost_where_all_pass() -> None:
    state = new_deal(RULES["terziglio"], 5)
    state = state.apply_move(Bid(Call.PASS)).apply_move(Bid(Call.PASS))
    answer = search(state.observe(state.table.turn), Budget(iterations=600), seed=1)
    passing = next(item for item in answer.moves if item.move == Bid(Call.PASS))
    assert (passing.expected_score, passing.standard_error, passing.win_probability) == (0.0, 0.0, 0.5)


@pytest.mark.parametrize("name", AUCTIONS)
def test_a_bid_is_worth_about_the_game_it_leads_to(name: str) -> None:
    """In the same unit from both sides: what the declarer expects before the discard, and what a defender fears."""
    factor = RULES[name].game_factor
    for seed in range(3):
        state = new_deal(RULES[name], seed, dealer=2)
        state = state.apply_move(Bid(Call.GIOCO)).apply_move(Bid(Call.PASS))
        before = search(state.observe(2), Budget(iterations=8000), seed=1)
        passing = next(item for item in before.moves if item.move == Bid(Call.PASS))
        after = state.apply_move(Bid(Call.PASS))
        discard = int(
            discard_by_rule(
                np.uint64(after.hands[0]), RULES[name].discard_count, np.uint64(RULES[name].pack.five_point_mask)
            )
        )
        after = after.apply_move(Discard(discard))
        while after.table.turn != 2:
            after = after.apply_move(after.legal_moves()[0])
        defending = search(after.observe(2), Budget(iterations=8000), seed=1).moves[0]
        assert abs(passing.expected_score) < 0.5 * factor * 40
        assert abs(passing.expected_score - defending.expected_score) < 6 * factor


def test_the_stock_of_a_solo_goes_with_the_last_trick() -> None:
    owners = set()
    for state in auctions("terziglio", range(30)):
        found = positions_after(state)[CALLS.index(Call.SOLO)]
        stream, piles = np.array([7], dtype=np.uint64), np.zeros(2, dtype=np.uint64)
        playout(found, piles, stream, 1)
        if not found[PILES] or not found[PILES + 1]:
            continue
        owner = int(found[LAST_SIDE])
        assert (state.stock & ~int(piles[owner])).bit_count() <= 1, "but the card given for the Matto"
        owners.add(owner)
    assert owners == {0, 1}


def test_a_larger_hand_with_a_smaller_stock_is_worth_less_than_its_cards_say() -> None:
    pack = RULES["terziglio"].pack
    eighteen = pack.parse_cards("ANG MON SOL T16 T12 T9 T5 SK SQ SA S7 BK B8 B6 CN C9 DJ D7".split())
    nineteen = eighteen | pack.parse_cards(["D6"])

    def gioco(cards: str, hand: int) -> float:
        variant = get_variant("terziglio", {"cards": cards})
        weights = np.array(variant.bid_weights[0])
        return float(bid_value(np.array(variant.bid_features, dtype=np.uint64), weights, np.uint64(hand)))

    assert gioco("19", nineteen) < gioco("18", eighteen)


# --- monte ---


def test_throwing_in_is_worth_nothing_where_it_is_certain() -> None:
    for seed in range(4):
        state = new_deal(RULES["ottocento"], seed)
        chances = []
        while state.phase is Phase.MONTE:
            answer = search(state.observe(state.table.turn), Budget(iterations=400), seed=1)
            play, throw = (next(item for item in answer.moves if item.move == Monte(said)) for said in (False, True))
            assert throw.expected_score == pytest.approx(play.expected_score * (1 - 0.5 ** (3 - len(chances))))
            chances.append(throw)
            state = state.apply_move(Monte(True))
        assert chances[-1].expected_score == 0.0
        other_deals = equity_table(RULES["ottocento"], own_deal=False)[0, 0]
        assert chances[-1].match_win_probability == pytest.approx(other_deals / SCALE)


# --- declarations and call-outs ---


def declarers(standing: Standing, phase: Phase) -> Iterator[State]:
    """Yields deals of Ottocento in which a seat that has something to show is about to."""
    rng = random.Random(3)
    for seed in range(400):
        state = new_deal(RULES["ottocento"], seed, standing=standing)
        while state.turn is not None and state.phase in (Phase.MONTE, Phase.CALL_OUT, Phase.DISCARD, Phase.DECLARE):
            moves = state.legal_moves()
            if state.phase is phase and len(moves) > 1:
                yield state
                break
            state = state.apply_move(Monte(False) if state.phase is Phase.MONTE else rng.choice(moves))


def test_declarations_differ_by_the_points_they_score() -> None:
    compared = 0
    for state in declarers(Standing((100.0, 200.0), 3), Phase.DECLARE):
        answer = search(state.observe(state.table.turn), Budget(iterations=200), seed=1)
        points = [
            state.variant.declaration_points(item.move.cards) for item in answer.moves if isinstance(item.move, Declare)
        ]
        assert points == sorted(points, reverse=True)
        assert answer.move == state.legal_moves()[0]
        for item, scored in zip(answer.moves, points, strict=True):
            assert item.difference_to_best == pytest.approx(scored - points[0], abs=1e-9)
            assert item.difference_standard_error == pytest.approx(0.0, abs=1e-9)
            assert item.standard_error == pytest.approx(answer.moves[0].standard_error, abs=1e-9)
        compared += len(points)
        if compared > 300:
            return
    pytest.fail(f"only {compared} declarations")


@pytest.mark.parametrize("phase", [Phase.DECLARE, Phase.CALL_OUT])
def test_what_ends_the_match_comes_first(phase: Phase) -> None:
    """Even where the other side has declared more in this deal, or playing on would bring more points."""
    checked = 0
    for state in declarers(Standing((780.0, 780.0), 3), phase):
        answer = search(state.observe(state.table.turn), Budget(iterations=200), seed=1)
        winning = []
        for item in answer.moves:
            assert isinstance(item.move, Declare | CallOut)
            ends = state.variant.declaration_points(item.move.cards) >= 20
            winning.append(ends)
            if ends:
                assert item.match_win_probability == 1.0
                assert state.apply_move(item.move).score().winner == state.table.side_of(state.table.turn)
        assert winning == sorted(winning, reverse=True)
        if any(winning):
            assert answer.moves[-1].match_win_probability != 1.0
            checked += 1
        if checked == 12:
            return
    pytest.fail(f"only {checked} decisions")


def test_a_partner_who_is_going_to_end_the_match_is_counted_on() -> None:
    """Seat 0 shows first; with what seat 2 has the side reaches the target, as far as seat 0 has shown enough."""
    variant = RULES["ottocento"]
    checked = 0
    for seed in range(3000):
        hands = new_deal(variant, seed, dealer=3).dealt
        own, first, partner = (variant.declaration_points(hand) for hand in hands[:3])
        if not own or not partner:
            continue
        state = new_deal(variant, seed, dealer=3, standing=Standing((800.0 - own - partner, 0.0), 5))
        state = state.apply_move(Monte(False))
        state = state.apply_move(state.legal_moves()[0])
        assert state.phase is Phase.DECLARE
        block = try_once(state)
        for arm, move in enumerate(state.legal_moves()):
            assert isinstance(move, Declare)
            if variant.declaration_points(move.cards) < own:
                assert block.sums[0, arm] > 2 * (own + first + partner), "the deal was played"
                continue
            assert block.sums[0, arm] == 2 * (own + first + partner)
            assert block.samples[0, arm] == 2 * (own - first + partner)
        shown = state.apply_move(state.legal_moves()[0])
        assert try_once(shown).sums[0].tolist() == [2 * (own + first + partner)] * len(try_once(shown).sums[0])
        checked += 1
        if checked == 10:
            return
    pytest.fail(f"only {checked} deals")


# --- the card given for the Matto ---


@pytest.mark.parametrize("name", ["ottocento", "terziglio"])
def test_the_card_given_is_the_best_by_counting_every_choice(name: str) -> None:
    checked = choices = 0
    for seed in range(200):
        for state, observation in decisions(RULES[name], seed)[-1:]:
            if state.phase is not Phase.GIVE:
                continue
            answer = search(observation, seed=1)
            assert answer.exact
            results = {move: result_for(state.apply_move(move), observation.seat) for move in state.legal_moves()}
            assert {item.move: item.expected_score for item in answer.moves} == pytest.approx(results)
            assert results[answer.move] == max(results.values())
            checked += 1
            choices += len(set(results.values())) > 1
    assert checked >= 15
    assert choices >= 1
