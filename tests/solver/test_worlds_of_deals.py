"""Sampled worlds against whole deals: the truth is always possible, and every sampled world is a legal deal."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tarocchi_engine import VARIANTS, Declare, Discard, Event, Play, State, Variant, new_deal, replay, view
from tarocchi_engine.facts import ASIDE_HOLDER, HiddenCards, hidden_cards
from tarocchi_solver.search import ContradictionError, WorldSampler


def random_states(variant: Variant, seed: int) -> Iterator[State]:
    """Yields every state of a random deal in which a seat has to move."""
    rng = random.Random(seed)
    state = new_deal(variant, seed)
    shy = rng.random() < 0.3
    while state.turn is not None:
        yield state
        moves = state.legal_moves()
        if isinstance(moves[0], Declare) and not shy:
            moves = moves[:1]
        state = state.apply_move(rng.choice(moves))


def true_world(state: State, hidden: HiddenCards) -> dict[int, int]:
    """Returns what every holder really has of the unseen cards."""
    unseen = sum(1 << card for card in hidden.cards)
    return {
        holder: (state.aside if holder == ASIDE_HOLDER else state.hands[holder]) & unseen for holder in hidden.holders
    }


def is_possible(hidden: HiddenCards, world: dict[int, int]) -> bool:
    """Tells whether a world satisfies the facts, checked one by one."""
    masks = [world[holder] for holder in hidden.holders]
    if [mask.bit_count() for mask in masks] != list(hidden.capacities):
        return False
    return any(
        all(not mask & ~allowed for mask, allowed in zip(masks, case.allowed, strict=True)) for case in hidden.cases
    )


def with_world(state: State, seat: int, world: dict[int, int]) -> State:
    """Returns the deal as it would be if the cards unseen by `seat` lay as in `world`, replayed from the start.

    The replay makes every move again under the full rules, so an impossible world raises.
    """
    table = state.table
    aside = world.get(ASIDE_HOLDER, state.aside)
    hands = []
    for other in range(state.variant.seat_count):
        if other == seat:
            hands.append(state.dealt[seat])
            continue
        known = table.played[other] | table.exposed(other)
        hands.append(known | world[other] | (aside if other == table.dealer else 0))
    events = [Event(event.seat, Discard(aside)) if isinstance(event.move, Discard) else event for event in state.events]
    return replay(State.new(state.variant, table.dealer, hands), events)


def check_deal(variant: Variant, seed: int, *, onlookers: bool) -> None:
    """Checks the sampler of every seat that decides, or at every step of all seats, in one deal."""
    for state in random_states(variant, seed):
        for seat in range(variant.seat_count) if onlookers else [state.table.turn]:
            hidden = hidden_cards(view(state.observe(seat)))
            assert is_possible(hidden, true_world(state, hidden))
            WorldSampler(hidden)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_truth_is_always_possible(name: str) -> None:
    for seed in range(8):
        check_deal(VARIANTS[name], seed, onlookers=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("round_index", range(50))
def test_the_truth_is_always_possible_in_10_000_deals(name: str, round_index: int) -> None:
    for seed in range(200 * round_index, 200 * (round_index + 1)):
        check_deal(VARIANTS[name], seed, onlookers=False)


@pytest.mark.parametrize("name", VARIANTS)
def test_sampled_worlds_are_legal_deals_that_look_the_same(name: str) -> None:
    rng = random.Random(name)
    checked = 0
    for seed in range(12):
        for state in random_states(VARIANTS[name], 1000 + seed):
            if rng.random() > 0.4:
                continue
            seat = rng.randrange(4)
            observation = state.observe(seat)
            hidden = hidden_cards(view(observation))
            masks = WorldSampler(hidden).sample(rng.getrandbits(64))
            other = with_world(state, seat, dict(zip(hidden.holders, masks, strict=True)))
            assert other.observe(seat) == observation
            checked += 1
    assert checked > 200


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
    assert "did not follow" in text
    assert pack.format_card(spades_elsewhere[0]) in text
