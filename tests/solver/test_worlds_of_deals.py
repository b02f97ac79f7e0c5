"""Sampled worlds against whole deals: the truth is always possible, and every sampled world is a legal deal."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from dealing import RULES
from solver.deals import is_possible, random_states, true_world, with_world
from tarocchi_engine import VARIANTS, Discard, Event, Phase, Play, Signal, State, Variant, new_deal, view
from tarocchi_engine.cards import lane_of
from tarocchi_engine.facts import ASIDE_HOLDER, hidden_cards
from tarocchi_solver.search import ContradictionError, WorldSampler

PHASES = {
    "bolognese": {Phase.DISCARD, Phase.DECLARE, Phase.PLAY},
    "piedicavallo": {Phase.DISCARD, Phase.PLAY},
    "ottocento": {Phase.MONTE, Phase.CALL_OUT, Phase.DISCARD, Phase.DECLARE, Phase.PLAY, Phase.GIVE},
    "terziglio": {Phase.BID, Phase.DISCARD, Phase.DECLARE, Phase.PLAY, Phase.GIVE},
}


def check_deal(variant: Variant, seed: int, *, onlookers: bool) -> set[Phase]:
    """Checks the sampler of every seat that decides, or at every step of all seats, in one deal; returns its phases."""
    met = set()
    for state in random_states(variant, seed):
        met.add(state.phase)
        for seat in range(variant.seat_count) if onlookers else [state.table.turn]:
            hidden = hidden_cards(view(state.observe(seat)))
            assert is_possible(hidden, true_world(state, hidden))
            WorldSampler(hidden)
    return met


@pytest.mark.parametrize("name", RULES)
def test_the_truth_is_always_possible(name: str) -> None:
    met = set()
    for seed in range(16 if name == "ottocento" else 5):
        met |= check_deal(RULES[name], seed, onlookers=seed < 8)
    if name in PHASES:
        assert met == PHASES[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("round_index", range(50))
def test_the_truth_is_always_possible_in_10_000_deals(name: str, round_index: int) -> None:
    for seed in range(200 * round_index, 200 * (round_index + 1)):
        check_deal(RULES[name], seed, onlookers=False)


def check_worlds(variant: Variant, seeds: range, share: float) -> Counter[Phase]:
    """Checks one sampled world of a random seat at a share of the states of some deals; returns how many by phase."""
    rng = random.Random(f"{variant.name} {seeds}")
    checked: Counter[Phase] = Counter()
    for seed in seeds:
        for state in random_states(variant, seed):
            if state.phase is Phase.PLAY and rng.random() > share:
                continue
            # that the dealer is asked whether it calls itself out tells the others that it can: nobody decides on that
            asked = state.phase is Phase.CALL_OUT
            seat = state.table.turn if asked else rng.randrange(variant.seat_count)
            observation = state.observe(seat)
            hidden = hidden_cards(view(observation))
            masks = WorldSampler(hidden).sample(rng.getrandbits(64))
            other = with_world(state, seat, dict(zip(hidden.holders, masks, strict=True)), rng)
            assert other.observe(seat) == observation
            checked[state.phase] += 1
    return checked


@pytest.mark.parametrize("name", RULES)
def test_sampled_worlds_are_legal_deals_that_look_the_same(name: str) -> None:
    checked = check_worlds(RULES[name], range(1000, 1016), 0.3)
    assert checked.total() > 200
    if name in PHASES:
        assert set(checked) == PHASES[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("round_index", range(20))
def test_sampled_worlds_of_2_000_deals_are_legal(name: str, round_index: int) -> None:
    check_worlds(RULES[name], range(10_000 + 100 * round_index, 10_100 + 100 * round_index), 0.5)


@pytest.mark.parametrize("name", ["ottocento", "terziglio"])
def test_signals_bind_the_hand_that_gave_them(name: str) -> None:
    """A striscio promises a card of the suit to all others until one is played; a volo bars the suit for good."""
    promised = barred = 0
    for seed in range(24):
        for state in random_states(RULES[name], 300 + seed):
            if not state.events or not isinstance(play := state.events[-1].move, Play) or play.signal is None:
                continue
            teller = state.events[-1].seat
            for seat in range(state.variant.seat_count):
                hidden = hidden_cards(view(state.observe(seat)))
                if seat == teller:
                    assert not any(hidden.holders[promise.holder] == teller for promise in hidden.promises)
                    continue
                holder = hidden.holders.index(teller)
                suit = lane_of(play.card) & sum(1 << card for card in hidden.cards)
                worlds = WorldSampler(hidden).sample_many(seed, 40)[:, holder].tolist()
                if play.signal is Signal.VOLO:
                    assert not any(world & suit for world in worlds)
                    barred += bool(suit)
                if play.signal is Signal.STRISCIO:
                    is_exposed = bool(lane_of(play.card) & state.table.exposed(teller))
                    assert is_exposed or all(world & suit for world in worlds)
                    promised += not is_exposed
    assert promised > 5
    assert barred > 5


def test_announced_trumps_split_into_both_cases() -> None:
    """After two trumps were laid away the dealer kept no trump, or nothing but trumps, Kings and the Matto."""
    variant = VARIANTS["piedicavallo"]
    parse = variant.pack.parse_cards
    plain = parse("SK SQ S9 S7 S6 BN B8 B6 B5 CJ CA C4 DQ D2 D5 T12 T7".split())
    rest = [card for card in range(62) if not plain >> card & 1]
    hands = [sum(1 << card for card in rest[place : place + 15]) for place in (0, 15, 30)]
    state = State.new(variant, 3, [*hands, plain]).apply_move(Discard(parse(["T12", "T7"])))
    assert state.table.announced_trump_count == 2
    hidden = hidden_cards(view(state.observe(0)))
    assert len(hidden.cases) == 2
    sampler = WorldSampler(hidden)
    dealer, aside = hidden.holders.index(3), hidden.holders.index(ASIDE_HOLDER)
    trumps = parse([f"T{number}" for number in range(1, 22)])
    never_forced = trumps | parse(["SK", "BK", "CK", "DK", "MAT"])
    met = set()
    for seed in range(400):
        world = sampler.sample(seed)
        assert world[aside] & ~trumps == 0
        voided, forced = not world[dealer] & trumps, not world[dealer] & ~never_forced
        assert voided or forced
        met.add((voided, forced))
    assert len(met) > 1


def test_contradiction_names_the_facts() -> None:
    """Three seats that prove void of a suit whose cards nobody else can hold."""
    variant = VARIANTS["piedicavallo"]
    pack = variant.pack
    state = new_deal(variant, 5, dealer=0)
    hand = state.dealt[1]
    spades_elsewhere = [card for card in range(10) if not hand >> card & 1]
    lead = next(card for card in range(10) if hand >> card & 1)
    assert len(spades_elsewhere) > 2
    trumps = [card for card in range(40, 61) if not hand >> card & 1][:3]
    events = (
        Event(0, Discard(None, 0)),
        Event(1, Play(lead)),
        *(Event(seat, Play(card)) for seat, card in zip((2, 3, 0), trumps, strict=True)),
    )
    observation = state.observe(1)
    observation = type(observation)(observation.variant, 1, 0, hand, events)
    with pytest.raises(ContradictionError) as caught:
        WorldSampler(hidden_cards(view(observation)))
    text = str(caught.value)
    assert "none of" in text
    assert pack.format_card(spades_elsewhere[0]) in text
