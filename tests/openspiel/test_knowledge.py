"""Information states and the deals drawn from them: nothing hidden gets in, nothing known gets lost."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from dealing import COSTLY_RULES, RULES, order_of
from openspiel.support import own_story, start, walk
from tarocchi_engine import Call, CallOut, Ending, Phase, get_variant, new_deal, view
from tarocchi_engine.cards import cards_in
from tarocchi_engine.facts import hidden_cards
from tarocchi_solver.openspiel import TarocchiState, dealt_state, game_of
from tarocchi_solver.openspiel.dealing import STOCK, cards_dealt, deal, receivers
from tarocchi_solver.search import WorldSampler


def draws(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.mark.parametrize("name", COSTLY_RULES)
def test_a_seat_cannot_tell_a_resampled_state_from_its_own(name: str) -> None:
    """At every action of random deals, for every seat; the history drawn is a legal way to the state drawn."""
    variant = RULES[name]
    phases = set()
    for seed in range(2):
        for number, state in enumerate(walk(variant, seed)):
            for player in range(variant.seat_count):
                drawn = state.resample_from_infostate(player, draws(number).random)
                assert drawn.information_state_string(player) == state.information_state_string(player)
                assert drawn.observation_tensor(player) == state.observation_tensor(player)
                assert drawn.deal.observe(player) == state.deal.observe(player)
                if number % 11 == player:
                    assert own_story(drawn, player) == own_story(state, player)
                if state.current_player() == player:
                    assert drawn.current_player() == player
                    assert drawn.legal_actions() == state.legal_actions()
            phases.add((state.deal.phase, bool(state.moment.draft)))
    assert (Phase.PLAY, False) in phases
    assert (Phase.DISCARD, True) in phases


@pytest.mark.parametrize("name", RULES)
def test_a_resampled_state_holds_nothing_of_the_hidden_truth(name: str) -> None:
    """What is drawn for a seat from a state, and from another state that it cannot tell from it, is the same."""
    for seed in range(3):
        for number, state in enumerate(walk(RULES[name], 100 + seed)):
            player = number % state.num_players()
            other = state.resample_from_infostate(player, draws(number).random)
            if seed == 0:
                # copies share what was worked out for a state: start from what is stored of it
                other = state.get_game().deserialize_state(other.serialize())
            first = state.resample_from_infostate(player, draws(number + 1).random)
            second = other.resample_from_infostate(player, draws(number + 1).random)
            assert first.history() == second.history()
            assert str(first) == str(second)


@pytest.mark.parametrize("name", RULES)
def test_equal_information_states_allow_the_same_moves(name: str) -> None:
    """Perfect recall: a text is met again only with the same story behind it."""
    game = game_of(RULES[name])
    seen: dict[str, tuple[int, list[int]]] = {}
    rng = random.Random(name)
    for _ in range(30):
        state = game.new_initial_state()
        while state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert sum(chance for _, chance in outcomes) == pytest.approx(1.0)
            state.apply_action(rng.choice(outcomes)[0])
        while not state.is_terminal():
            text = state.information_state_string()
            story = (state.current_player(), state.legal_actions())
            assert seen.setdefault(text, story) == story
            state.apply_action(rng.choice(story[1]))
    assert len(seen) > 300


@pytest.mark.parametrize("name", ["bolognese", "terziglio", "piedicavallo"])
def test_states_are_drawn_with_the_chances_of_the_sampler(name: str) -> None:
    *_, state = (state for state, _ in zip(walk(get_variant(name), 11), range(30), strict=False))
    player, count = state.current_player(), 500
    seen = view(state.deal.observe(player))
    hidden = hidden_cards(seen)
    chances = WorldSampler(hidden).marginals()
    found = np.zeros_like(chances)
    rng = draws(3)
    for _ in range(count):
        drawn = state.resample_from_infostate(player, rng.random).deal
        for row, card in enumerate(hidden.cards):
            for column, holder in enumerate(hidden.holders):
                cards = drawn.hands[holder] if holder >= 0 else drawn.aside
                found[row, column] += cards >> card & 1
    errors = np.sqrt(chances * (1 - chances) / count)
    assert np.all(np.abs(found / count - chances) <= 5 * errors + 1e-9)


def test_an_unfinished_discard_is_known_to_its_seat_alone() -> None:
    state = dealt_state(game_of(get_variant("bolognese")), 3)
    dealer = state.current_player()
    before = [state.information_state_string(player) for player in range(4)]
    state.apply_action(state.legal_actions()[2])
    after = [state.information_state_string(player) for player in range(4)]
    assert [old != new for old, new in zip(before, after, strict=True)] == [seat == dealer for seat in range(4)]
    card = next(cards_in(state.moment.draft))
    for player in range(4):
        drawn = state.resample_from_infostate(player, draws(1).random)
        assert drawn.moment.draft == (1 << card if player == dealer else 0)


def test_nobody_learns_from_the_course_of_the_game_whether_the_dealer_could_call_itself_out() -> None:
    """The states drawn for the others have either kind of dealer, and dealers that were asked may have declined."""
    variant = get_variant("ottocento", {"monte": "false"})
    phases = set()
    for seed in range(60):
        state = start(variant, seed)
        if state.deal.standing.deals_played == 0:
            continue
        other = variant.next_seat(state.deal.table.dealer)
        for number in range(20):
            drawn = state.resample_from_infostate(other, draws(number).random)
            phases.add((state.deal.phase, drawn.deal.phase))
    assert {(Phase.DISCARD, Phase.CALL_OUT), (Phase.CALL_OUT, Phase.DISCARD)} <= phases


def test_a_call_out_is_made_with_the_first_cards_in_every_state_drawn() -> None:
    variant = get_variant("ottocento", {"monte": "false"})
    ended = 0
    for seed in range(150):
        state = start(variant, seed)
        if state.deal.phase is not Phase.CALL_OUT:
            continue
        while not state.is_terminal() and state.deal.phase is Phase.CALL_OUT:
            state.apply_action(state.legal_actions()[0])
        if state.deal.table.ending is not Ending.CALL_OUT:
            continue
        ended += 1
        dealer = state.deal.table.dealer
        shown = state.deal.events[-1].move
        assert isinstance(shown, CallOut)
        for player in range(4):
            drawn = state.resample_from_infostate(player, draws(seed).random)
            assert not shown.cards & ~drawn.deal.packets[dealer][-2]
            assert own_story(drawn, player) == own_story(state, player)
    assert ended >= 3


def test_a_declarer_remembers_which_cards_were_in_the_stock() -> None:
    state = dealt_state(game_of(get_variant("terziglio"), dealer=0), 4)
    state.apply_action(next(action for action in state.legal_actions() if state.action_to_string(action) == "gioco"))
    while state.deal.phase is Phase.BID:
        state.apply_action(state.legal_actions()[0])
    declarer = state.current_player()
    assert state.deal.table.contract is Call.GIOCO
    hand, stock = state.deal.packets[declarer][0], state.deal.stock
    for number in range(5):
        drawn = state.resample_from_infostate(declarer, draws(number).random).deal
        assert (drawn.packets[declarer][0], drawn.stock) == (hand, stock)
    stocks = {state.resample_from_infostate(2, draws(number).random).deal.stock for number in range(5)}
    assert declarer == 1
    assert len(stocks) == 5


@pytest.mark.parametrize("name", RULES)
def test_a_deal_can_be_dealt_again_card_by_card(name: str) -> None:
    variant = RULES[name]
    for seed in range(8):
        given = new_deal(variant, seed)
        order = receivers(variant, given.table.dealer)
        assert order.count(STOCK) == variant.stock_size
        again = deal(variant, given.table.dealer, cards_dealt(given), given.standing)
        assert (again.packets, again.stock) == (given.packets, given.stock)
        assert [sorted(cards) for cards in order_of(again)] == [sorted(cards) for cards in order_of(given)]
        # packets in the order of the table: nobody gets a card of a later packet before all have the earlier one
        first = [order.index(seat) for seat in range(variant.seat_count)]
        assert sorted(first) == [place * variant.packets(1, 0)[0] for place in range(variant.seat_count)]


def test_nothing_is_known_before_all_cards_are_dealt() -> None:
    game = game_of(get_variant("bolognese"))
    state: TarocchiState = game.new_initial_state()
    rng = random.Random(1)
    texts = set()
    while state.is_chance_node():
        texts.add(state.information_state_string(2))
        assert not any(state.observation_tensor(2))
        drawn = state.resample_from_infostate(2, rng.random)
        assert len(drawn.history()) == len(state.history())
        assert drawn.is_chance_node()
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    assert len(texts) == 1
    assert len(state.history()) == 63
    assert all(one != other for one, other in pairwise([state.information_state_string(seat) for seat in range(4)]))
