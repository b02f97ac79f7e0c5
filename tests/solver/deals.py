"""Deals for tests of the search: random plays through every phase, and deals that look the same to one seat."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import naive
from dealing import deal_of, lopsided_cards, order_of, without_void_deals
from naive.worlds import fits_facts
from tarocchi_engine import Declare, Discard, Event, Observation, Standing, State, Variant, new_deal, replay
from tarocchi_engine.cards import BOLOGNESE_PACK, cards_in
from tarocchi_engine.facts import ASIDE_HOLDER, HiddenCards


@cache
def naive_used(cards: int) -> int:
    """The cards of a set that take part in a combination, by the slow referee."""
    return BOLOGNESE_PACK.parse_cards(naive.used(BOLOGNESE_PACK.format_mask(cards)))


def random_standing(variant: Variant, rng: random.Random) -> Standing:
    """Returns what earlier deals may have brought, often so much that a declaration ends the match."""
    if variant.match_target is None or rng.random() < 0.4:
        return Standing()
    least = rng.choice((0, variant.match_target - 60))
    scores = [float(rng.randrange(least, variant.match_target)) for _side in (0, 1)]
    if rng.random() < 0.1:
        scores = [float(variant.match_target)] * 2  # level at the target: one more deal
    return Standing(tuple(scores), 4)


def random_start(variant: Variant, seed: int) -> State:
    """Returns a random deal; now and then one seat holds most high trumps."""
    rng = random.Random(f"{variant.name} start {seed}")
    standing = random_standing(variant, rng)
    if rng.random() < 0.2:
        return deal_of(variant, *lopsided_cards(variant, rng), standing=standing)
    return new_deal(variant, seed, standing=standing)


def random_states(variant: Variant, seed: int) -> Iterator[State]:
    """Yields every state of a random deal in which a seat has to move."""
    rng = random.Random(seed)
    state = random_start(variant, seed)
    shy, void_deals = rng.random() < 0.3, rng.random() < 0.2
    while state.turn is not None:
        yield state
        moves = state.legal_moves()
        if not void_deals:
            moves = without_void_deals(state, moves)
        if isinstance(moves[0], Declare) and not shy:
            moves = moves[:1]
        state = state.apply_move(rng.choice(moves))


def decisions(variant: Variant, seed: int) -> list[tuple[State, Observation]]:
    """Returns every decision of a random deal as the seat to move sees it."""
    return [(state, state.observe(state.table.turn)) for state in random_states(variant, seed)]


def decision_number(variant: Variant, index: int, seed: int) -> tuple[State, Observation]:
    """Returns a decision by its number in the first deal from `seed` on that has so many."""
    while len(found := decisions(variant, seed)) <= index:
        seed += 1000
    return found[index]


def true_world(state: State, hidden: HiddenCards) -> dict[int, int]:
    """Returns what every holder really has, or is still to be dealt, of the unseen cards."""
    table = state.table
    unseen = sum(1 << card for card in hidden.cards)
    world = {}
    for holder in hidden.holders:
        cards = state.aside
        if holder != ASIDE_HOLDER:
            cards = state.dealt[holder] | (state.stock if table.has_taken_stock(holder) else 0)
            if table.discard_made and holder == table.discarder:
                cards &= ~state.aside
        world[holder] = cards & unseen
    return world


def is_possible(hidden: HiddenCards, world: dict[int, int]) -> bool:
    """Tells whether a world satisfies the facts, checked one by one."""
    masks = tuple(world[holder] for holder in hidden.holders)
    return [mask.bit_count() for mask in masks] == list(hidden.capacities) and fits_facts(masks, hidden, naive_used)


def with_world(state: State, seat: int, world: dict[int, int], rng: random.Random | None = None) -> State:
    """Returns the deal as it would be if the cards unseen by `seat` lay as in `world`, replayed from the start.

    The replay makes every move again under the full rules, so an impossible world raises. Where a seat's cards come
    in packets, or with the stock, those that the observer cannot tell apart are dealt in an order drawn from `rng`.
    """
    table, variant = state.table, state.variant
    rng = rng or random.Random(0)
    aside = world.get(ASIDE_HOLDER, state.aside)
    stock = state.stock
    if table.discarder is None:
        stock = world.get(ASIDE_HOLDER, stock)
    order = []
    for other, own in enumerate(order_of(state)):
        if other == seat:
            seen = [card for card in own if state.observe(seat).hand >> card & 1]
            order.append(seen + shuffled(world.get(seat, 0), rng))
            continue
        held = table.played[other] | table.exposed(other) | world[other]
        if other == table.discarder and table.discard_made:
            held |= aside
        cards = shuffled(held, rng)
        if variant.has_auction and other == table.discarder:
            stock = sum(1 << card for card in cards[variant.hand_size :])
            cards = cards[: variant.hand_size]
        order.append(cards)
    hands = [sum(1 << card for card in cards) for cards in order]
    events = [Event(event.seat, Discard(aside)) if isinstance(event.move, Discard) else event for event in state.events]
    return replay(State.new(variant, table.dealer, hands, state.standing, stock=stock, order=order), events)


def shuffled(cards: int, rng: random.Random) -> list[int]:
    """Returns the cards of a set in random order."""
    return rng.sample(list(cards_in(cards)), cards.bit_count())
