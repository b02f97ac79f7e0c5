"""Actions: every legal move of the engine can be made in exactly one way, and nothing else."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from dealing import RULES, deal_of
from openspiel.support import walk
from solver.deals import random_start
from solver.deals import random_states as states_of_deal
from tarocchi_engine import CallOut, Declare, Discard, IllegalMoveError, Move, Phase, Standing, State, get_variant
from tarocchi_engine.cards import CARD_COUNT
from tarocchi_solver.openspiel.actions import (
    DONE,
    MONTE,
    SHOW_ALL,
    SIGNALLED,
    action_count,
    action_text,
    advance,
    encode,
    legal_actions,
)

MOST_WAYS = 3000
"""Moves of one decision that are tried one by one."""


def ways(state: State, draft: int = 0) -> list[State]:
    """Returns all deals that the seat to move can make of a deal, one for each row of actions."""
    found = []
    for action in legal_actions(state, draft):
        after, more = advance(state, draft, action)
        found += [after] if after is not state else ways(state, more)
    return found


def last_move(state: State) -> Move:
    return next(event.move for event in reversed(state.events) if event.move != CallOut(0))


@pytest.mark.parametrize("name", RULES)
def test_the_rows_of_actions_are_the_legal_moves(name: str) -> None:
    variant = RULES[name]
    phases = set()
    for seed in range(5):
        for state in states_of_deal(variant, seed):
            count = state.legal_move_count
            if count > MOST_WAYS:
                continue
            phases.add(state.phase)
            reached = ways(state)
            assert len(reached) == count
            moves = [after.events[len(state.events)].move for after in reached]
            assert len(set(moves)) == count
            if len(state.legal_moves()) == count:
                assert set(moves) == set(state.legal_moves())
    due = {Phase.PLAY} | ({Phase.BID} if variant.has_auction else {Phase.DISCARD})
    due |= {Phase.DECLARE} if variant.has_declarations else set()
    due |= {Phase.MONTE} if variant.has_monte_poll else set()
    due |= {Phase.GIVE} if variant.giver_chooses else set()
    assert due <= phases


def test_a_dealer_may_call_itself_out_in_every_way_that_reaches_the_target() -> None:
    variant = get_variant("ottocento", {"monte": "false"})
    rich = "ANG MON BEG MAT SK BK CK DK SQ BQ CQ DQ SN BN CN DN SJ BJ MO1 MO2 MO3 SA BA CA".split()
    counts = set()
    for seed in range(40):
        rng = random.Random(seed)
        dealer = rng.randrange(4)
        high = rng.sample(rich, 17)
        rest = [card for card in variant.pack.format_mask((1 << CARD_COUNT) - 1) if card not in high]
        hands = [rest[place : place + 15] for place in (0, 15, 30)]
        hands.insert(dealer, high)
        standing = Standing((float(rng.randrange(640, 780)),) * 2, 4)
        state = deal_of(variant, dealer, hands, (), standing)
        if state.phase is not Phase.CALL_OUT or state.legal_move_count > MOST_WAYS:
            continue
        reached = ways(state)
        assert len(reached) == state.legal_move_count
        moves = {after.events[0].move for after in reached}
        assert len(moves) == len(reached)
        if len(state.legal_moves()) == len(reached):
            assert moves == set(state.legal_moves())
        counts.add(len(reached))
    assert len(counts) > 10
    assert max(counts) > 100


def test_large_discards_and_declarations_can_be_made_card_by_card() -> None:
    """Those of which the engine lists but a selection."""
    variant = get_variant("terziglio")
    kinds = set()
    for seed in range(30):
        rng = random.Random(seed)
        for state in states_of_deal(variant, seed):
            if state.legal_move_count <= MOST_WAYS:
                continue
            for _ in range(5):
                before, draft = state, 0
                while state is before:
                    before, draft = advance(before, draft, rng.choice(legal_actions(before, draft)))
                kinds.add(type(before.events[-1].move))
            for move in rng.sample(state.legal_moves(), 5):
                after, draft = state, 0
                for action in encode(variant, move):
                    assert action in legal_actions(after, draft)
                    after, draft = advance(after, draft, action)
                assert after == state.apply_move(move) or after.events == state.apply_move(move).events
    assert Discard in kinds


@pytest.mark.parametrize("name", RULES)
def test_actions_make_the_moves_that_they_stand_for(name: str) -> None:
    variant = RULES[name]
    for seed in range(3):
        for state in states_of_deal(variant, seed):
            move = random.Random(seed).choice(state.legal_moves())
            after, draft = state, 0
            for action in encode(variant, move):
                assert action in legal_actions(after, draft)
                assert 0 <= action < action_count(variant)
                after, draft = advance(after, draft, action)
            due = state.apply_move(move)
            assert (after.events, after.hands, after.aside) == (due.events, due.hands, due.aside)


@pytest.mark.parametrize("name", RULES)
def test_other_actions_are_refused(name: str) -> None:
    variant = RULES[name]
    for state in walk(variant, 5):
        if state.is_terminal():
            break
        deal, draft = state.moment.state, state.moment.draft
        legal = set(legal_actions(deal, draft))
        for action in range(-1, action_count(variant) + 1):
            if action not in legal:
                with pytest.raises((IllegalMoveError, ValueError)):
                    advance(deal, draft, action)


def test_a_draft_goes_upwards_and_only_where_it_can_be_completed() -> None:
    variant = get_variant("piedicavallo")
    cards = ["T21 T20 T19 T18 T17 T16 T15 T14 T13 T12 T11 T10 T9 MAT SK BK S5".split()]
    rest = [card for card in variant.pack.format_mask((1 << CARD_COUNT) - 1) if card not in cards[0]]
    state = deal_of(variant, 0, [*cards, *(rest[place : place + 15] for place in (0, 15, 30))])
    card = variant.pack.parse_card
    # the only plain card has to go, and one of the trumps that are worth one point
    assert legal_actions(state, 0) == [card("S5")]
    second = legal_actions(state, 1 << card("S5"))
    assert second == sorted(card(f"T{number}") for number in range(9, 21))


def test_a_table_game_declares_all_or_nothing() -> None:
    state = random_start(get_variant("bolognese"), 3)
    while state.phase is not Phase.DECLARE or len(state.legal_moves()) == 1:
        state = state.apply_move(state.legal_moves()[-1])
    assert legal_actions(state, 0) == [DONE, SHOW_ALL]
    shown, draft = advance(state, 0, SHOW_ALL)
    assert draft == 0
    assert last_move(shown) == state.legal_moves()[0] != Declare(0)
    assert last_move(advance(state, 0, DONE)[0]) == Declare(0)


def test_every_action_has_a_text_of_its_own() -> None:
    for name in RULES:
        variant = RULES[name]
        texts = [action_text(variant.pack, action) for action in range(action_count(variant))]
        assert len(set(texts)) == len(texts)
    pack = get_variant("ottocento").pack
    assert action_text(pack, MONTE) == "monte"
    assert action_text(pack, SIGNALLED + pack.parse_card("SK")) == "SK volo"
    with pytest.raises(ValueError, match="face down"):
        encode(get_variant("bolognese"), Discard(None))
