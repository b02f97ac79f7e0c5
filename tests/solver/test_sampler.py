"""The sampler against lists of all worlds, other ways to count them, plain rejection and statistics."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from naive.worlds import (
    World,
    classes_of,
    count_by_classes,
    count_for_three,
    fits_facts,
    list_worlds,
    weigh_world,
)
from solver.deals import naive_used
from tarocchi_engine.cards import ALL_MASK, BOLOGNESE_PACK, TRUMP_MASK, cards_in, suit_mask
from tarocchi_engine.combinations import used_cards
from tarocchi_engine.facts import ASIDE_HOLDER, Case, HiddenCards, Promise, ShownHand
from tarocchi_engine.layout import ASIDE, HANDS
from tarocchi_solver.search import sampling_kernels as kernels
from tarocchi_solver.search.sampler import (
    ContradictionError,
    WorldNotFoundError,
    WorldSampler,
    sample_world,
)

DRAWS = 200_000
WORST_P = 1e-4

mask = BOLOGNESE_PACK.parse_cards


def problem(
    cards: Sequence[int],
    capacities: Sequence[int],
    *allowed: Sequence[int],
    barred: Sequence[tuple[int, int]] = ((0, 0), (0, 0)),
    **facts: Any,
) -> HiddenCards:
    """A problem whose smallest pile is the one laid aside; one case for each list of allowed cards."""
    holders = list(range(len(capacities)))
    if holders:
        holders[capacities.index(min(capacities))] = ASIDE_HOLDER
    cases = tuple(Case(tuple(masks), *bar) for masks, bar in zip(allowed, barred, strict=False))
    return HiddenCards(tuple(cards), tuple(holders), tuple(capacities), cases, sentences=("a", "b"), **facts)


def random_capacities(rng: random.Random, n: int, holder_count: int) -> list[int]:
    cuts = sorted(rng.randint(0, n) for _ in range(holder_count - 1))
    return [end - start for start, end in zip([0, *cuts], [*cuts, n], strict=True)]


def random_masks(rng: random.Random, cards: Sequence[int], holder_count: int, barred_share: float) -> list[int]:
    return [sum(1 << card for card in cards if rng.random() >= barred_share) for _ in range(holder_count)]


def random_plain(rng: random.Random, n: int, holder_count: int, barred_share: float = 0.25) -> HiddenCards:
    cards = rng.sample(range(62), n)
    return problem(cards, random_capacities(rng, n, holder_count), random_masks(rng, cards, holder_count, barred_share))


def random_cases(rng: random.Random) -> HiddenCards:
    """Two alternatives that bar different cards from the same holder, as an announced discard does."""
    cards = rng.sample(range(62), 8)
    masks = random_masks(rng, cards, 3, 0.1)
    barred = [(2, sum(1 << card for card in part)) for part in (cards[:2], cards[1:4])]
    return problem(cards, [2, 3, 3], masks, masks, barred=barred)


def random_checkpoint(rng: random.Random) -> HiddenCards:
    cards = rng.sample(range(62), 8)
    masks = random_masks(rng, cards, 4, 0.1)
    return problem(cards, [2, 1, 2, 3], masks, aside_left_after=(rng.randint(2, 6), 1))


def random_shown(rng: random.Random, n: int = 9) -> HiddenCards:
    """Hidden cards of which many belong together, and hands that have shown what they had."""
    rich = mask(["SK", "BK", "CK", "DK", "SQ", "SN", "CQ", "BEG", "MAT", "ANG", "MON", "T16", "SA", "BA", "MO1"])
    cards = [*rng.sample(list(cards_in(rich)), n - 1), 5]
    others = [card for card in range(62) if card not in cards]
    shown_hands = []
    for holder in range(2):
        known = sum(1 << card for card in rng.sample(others, 8))
        shown_hands.append(ShownHand(holder, naive_used(known), known))
    return problem(cards, [3, 3, n - 6], [ALL_MASK] * 3, shown_hands=tuple(shown_hands))


def random_promises(rng: random.Random) -> HiddenCards:
    """Few cards of each suit, and one to three signals that such a card is held, two of them by one holder."""
    cards = sorted(rng.sample([*range(3), *range(10, 13), *range(40, 43), 61], 9))
    return problem(
        cards, [2, 3, 4], random_masks(rng, cards, 3, 0.1), promises=promises_of(rng, cards, rng.randint(1, 3))
    )


def promises_of(rng: random.Random, cards: Sequence[int], count: int) -> tuple[Promise, ...]:
    everything = sum(1 << card for card in cards)
    suits = [everything & suit for suit in (suit_mask(0), suit_mask(1), TRUMP_MASK)]
    choices = [(holder, suit) for holder in (1, 2, 2) for suit in suits if suit]
    return tuple(Promise(*choice) for choice in dict.fromkeys(rng.sample(choices, count)))


def random_everything(rng: random.Random) -> HiddenCards:
    """Two cases, a checkpoint, shown hands and a promise together."""
    base = random_shown(rng)
    cards = base.cards
    barred = [(0, sum(1 << card for card in cards[:2])), (0, sum(1 << card for card in cards[2:4]))]
    cases = tuple(Case((ALL_MASK,) * 3, *bar) for bar in barred)
    return replace(
        base, holders=(1, 2, ASIDE_HOLDER), cases=cases, aside_left_after=(5, 1), promises=promises_of(rng, cards, 1)
    )


KINDS: dict[str, Callable[[random.Random], HiddenCards]] = {
    "plain": lambda rng: random_plain(rng, 8, rng.choice((2, 3, 4)), 0.15),
    "cases": random_cases,
    "checkpoint": random_checkpoint,
    "shown": random_shown,
    "promises": random_promises,
    "everything": random_everything,
}


@cache
def feasible(kind: str, seed: int, least: int = 4) -> tuple[HiddenCards, list[World]]:
    """A problem of a kind with its worlds, at least `least` of them."""
    rng = random.Random(f"{kind} {seed}")
    while True:
        hidden = KINDS[kind](rng)
        worlds = list_worlds(hidden, naive_used)
        if len(worlds) >= least:
            return hidden, worlds


def random_weights(seed: int, hidden: HiddenCards) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.05, 1.0, (len(hidden.cards), len(hidden.holders)))


def as_tuples(worlds: np.ndarray, holder_count: int) -> list[World]:
    assert not worlds[:, holder_count:].any()
    return [tuple(row) for row in worlds[:, :holder_count].tolist()]


def chi_square_p(drawn: np.ndarray, worlds: Sequence[World], chances: Sequence[float]) -> float:
    """The p value of draws against the chances of all worlds; fails on a draw that is no world."""
    factors = np.random.default_rng(1).integers(0, 2**63, 4, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    padded = np.array([(*world, 0, 0, 0, 0)[:4] for world in worlds], dtype=np.uint64)
    keys = (padded * factors).sum(axis=1)
    assert len(set(keys.tolist())) == len(worlds)
    order = np.argsort(keys)
    drawn_keys = (drawn * factors).sum(axis=1)
    places = np.searchsorted(keys[order], drawn_keys).clip(max=len(worlds) - 1)
    assert np.array_equal(keys[order][places], drawn_keys), "a draw outside the support"
    counts = np.zeros(len(worlds))
    counts[order] = np.bincount(places, minlength=len(worlds))
    expected = np.array(chances) / sum(chances) * len(drawn)
    small = expected < 5
    if small.any():
        counts = np.append(counts[~small], counts[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
    return float(stats.chisquare(counts, expected).pvalue) if len(counts) > 1 else 1.0


# --- how many worlds, and which ---


def test_count_equals_brute_force() -> None:
    rng = random.Random(1)
    impossible = 0
    for n in [*range(1, 9)] * 24 + [9] * 8:
        hidden = random_plain(rng, n, rng.randint(1, 4))
        worlds = list_worlds(hidden, naive_used)
        if worlds:
            assert WorldSampler(hidden).world_count == pytest.approx(len(worlds), rel=1e-12)
        else:
            impossible += 1
            with pytest.raises(ContradictionError):
                WorldSampler(hidden)
    assert 20 < impossible < 180


def random_constraints(rng: random.Random, n: int, holder_count: int) -> tuple[list[int], HiddenCards]:
    """A problem in which few kinds of cards are barred from few holders, as voids do."""
    cards = rng.sample(range(62), n)
    masks = [ALL_MASK] * holder_count
    for _ in range(rng.randint(0, 3)):
        masks[rng.randrange(holder_count)] &= ~rng.choice([suit_mask(0), suit_mask(1), suit_mask(2), TRUMP_MASK])
    return masks, problem(cards, random_capacities(rng, n, holder_count), masks)


def check_counts_agree(rng: random.Random, largest: int) -> None:
    holder_count = rng.choice((3, 3, 4))
    masks, hidden = random_constraints(rng, rng.randint(3, largest), holder_count)
    sizes = classes_of(hidden.cards, masks)
    count = count_by_classes(sizes, hidden.capacities)
    if holder_count == 3:
        assert count == count_for_three(sizes, hidden.capacities)
    if count == 0:
        with pytest.raises(ContradictionError):
            WorldSampler(hidden)
    else:
        assert WorldSampler(hidden).world_count == pytest.approx(count, rel=1e-10)


def test_table_classes_and_closed_form_count_the_same() -> None:
    rng = random.Random(2)
    for _ in range(1000):
        check_counts_agree(rng, largest=16)
    for _ in range(15):
        check_counts_agree(rng, largest=47)


@pytest.mark.parametrize("kind", KINDS)
def test_enumerate_lists_every_world_once(kind: str) -> None:
    for seed in range(6):
        hidden, worlds = feasible(kind, seed)
        for weights in (None, random_weights(seed, hidden)):
            sampler = WorldSampler(hidden, weights)
            listed = sampler.enumerate(len(worlds))
            assert listed is not None
            assert sorted(as_tuples(listed, len(hidden.holders))) == sorted(worlds)
            assert sampler.enumerate(len(worlds) - 1) is None
        if not hidden.shown_hands and not hidden.promises:
            assert WorldSampler(hidden).world_count == pytest.approx(len(worlds), rel=1e-12)
        else:
            assert WorldSampler(hidden).world_count > len(worlds) * (1 - 1e-12)


def test_weights_multiply_into_the_count() -> None:
    for seed in range(12):
        hidden, worlds = feasible("cases", seed)
        weights = random_weights(seed, hidden) * 7.0
        total = sum(weigh_world(world, hidden.cards, weights.tolist()) for world in worlds)
        assert WorldSampler(hidden, weights).world_count == pytest.approx(total, rel=1e-12)


# --- how often each ---


def draw_and_test(kind: str, seed: int, weighted: bool) -> float:
    hidden, worlds = feasible(kind, seed)
    weights = random_weights(seed, hidden) if weighted else None
    sampler = WorldSampler(hidden, weights)
    table = np.ones((len(hidden.cards), len(hidden.holders))) if weights is None else weights
    chances = [weigh_world(world, hidden.cards, table.tolist()) for world in worlds]
    return chi_square_p(sampler.sample_many(seed, DRAWS), worlds, chances)


@pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
@pytest.mark.parametrize(("kind", "seeds"), [("plain", 20), *[(kind, 4) for kind in KINDS if kind != "plain"]])
def test_draws_have_the_chances_of_the_worlds(kind: str, seeds: int, weighted: bool) -> None:
    for seed in range(seeds):
        assert draw_and_test(kind, seed, weighted) > WORST_P


@pytest.mark.exhaustive
@pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
@pytest.mark.parametrize("kind", KINDS)
def test_p_values_are_uniform(kind: str, weighted: bool) -> None:
    values = [draw_and_test(kind, seed, weighted) for seed in range(100, 140)]
    assert min(values) > 1e-5
    assert stats.kstest(values, "uniform").pvalue > 1e-3


def test_a_world_depends_on_its_seed_and_number_alone() -> None:
    hidden, worlds = feasible("shown", 1)
    sampler = WorldSampler(hidden)
    many = sampler.sample_many(7, 50)
    assert np.array_equal(many[:20], sampler.sample_many(7, 20))
    assert sampler.sample(7) == as_tuples(many, 3)[0]
    assert not np.array_equal(many, sampler.sample_many(8, 50))
    assert sampler.sample(2**64 + 7) == sampler.sample(7)
    assert set(as_tuples(many, 3)) <= set(worlds)


def full_size() -> HiddenCards:
    """46 unseen cards, two voids and cards laid aside, early in a deal."""
    seen = sum(1 << card for card in range(0, 62, 4))
    cards = list(cards_in(ALL_MASK & ~seen))
    masks = [ALL_MASK & ~suit_mask(0), ALL_MASK & ~suit_mask(2) & ~TRUMP_MASK, ALL_MASK]
    masks.append(ALL_MASK & ~BOLOGNESE_PACK.five_point_mask)
    return problem(cards, [15, 15, 14, 2], masks)


@pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
def test_marginals_agree_with_draws_at_full_size(weighted: bool) -> None:
    hidden = full_size()
    assert len(hidden.cards) == 46
    sampler = WorldSampler(hidden, random_weights(1, hidden) if weighted else None)
    exact = sampler.marginals()
    np.testing.assert_allclose(exact.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(exact.sum(axis=0), hidden.capacities, rtol=1e-12)
    bits = np.array([1 << card for card in hidden.cards], dtype=np.uint64)
    worlds = sampler.sample_many(11, DRAWS)
    shares = np.array([[np.mean(worlds[:, holder] & bit != 0) for holder in range(4)] for bit in bits])
    certain = (exact < 1e-12) | (exact > 1 - 1e-12)
    np.testing.assert_allclose(shares[certain], exact[certain], atol=1e-12)
    z = (shares - exact)[~certain] / np.sqrt((exact * (1 - exact))[~certain] / DRAWS)
    assert 0.9 < np.sqrt(np.mean(z**2)) < 1.1
    assert np.abs(z).max() < 4.5


@pytest.mark.parametrize("kind", KINDS)
def test_marginals_agree_with_the_list(kind: str) -> None:
    for seed in range(6):
        hidden, worlds = feasible(kind, seed)
        weights = random_weights(seed, hidden)
        chances = np.array([weigh_world(world, hidden.cards, weights.tolist()) for world in worlds])
        chances /= chances.sum()
        members = np.array([[[hand >> card & 1 for hand in world] for card in hidden.cards] for world in worlds])
        expected = np.tensordot(chances, members, axes=1)
        tolerance = 0.05 if hidden.shown_hands or hidden.promises else 1e-12
        np.testing.assert_allclose(WorldSampler(hidden, weights).marginals(), expected, atol=tolerance)


def test_plain_rejection_gives_the_same_chances() -> None:
    rng = random.Random(3)
    generator = np.random.default_rng(3)
    for _ in range(3):
        masks, hidden = random_constraints(rng, 20, 4)
        capacities = (6, 6, 6, 2)
        masks[3] &= ~BOLOGNESE_PACK.five_point_mask
        known = sum(1 << card for card in rng.sample(sorted(set(range(62)) - set(hidden.cards)), 5))
        hidden = problem(hidden.cards, capacities, masks, shown_hands=(ShownHand(1, naive_used(known), known),))
        bits = np.array([1 << card for card in hidden.cards], dtype=np.uint64)
        ends = np.cumsum(capacities)
        shuffled = generator.permuted(np.tile(bits, (40_000, 1)), axis=1)
        hands = [part.sum(axis=1) for part in np.split(shuffled, ends[:-1], axis=1)]
        fits = np.ones(len(shuffled), dtype=bool)
        for hand, allowed in zip(hands, masks, strict=True):
            fits &= hand & np.uint64(ALL_MASK & ~allowed) == 0
        rejected = np.stack(hands, axis=1)[fits]
        rejected = rejected[[fits_facts(tuple(world), hidden, naive_used) for world in rejected.tolist()]]
        assert len(rejected) > 400
        drawn = WorldSampler(hidden).sample_many(4, 50_000)
        for bit in bits:
            for holder in range(4):
                ours, theirs = (np.mean(worlds[:, holder] & bit != 0) for worlds in (drawn, rejected))
                spread = np.sqrt(max(ours * (1 - ours), 1e-9) * (1 / len(drawn) + 1 / len(rejected)))
                assert abs(ours - theirs) < 4.8 * spread


# --- names and orders do not matter ---


@pytest.mark.parametrize("kind", ["plain", "cases", "shown", "promises"])
def test_order_of_cards_and_holders_does_not_matter(kind: str) -> None:
    rng = random.Random(4)
    for seed in range(4):
        hidden, worlds = feasible(kind, seed)
        weights = random_weights(seed, hidden)
        chances = [weigh_world(world, hidden.cards, weights.tolist()) for world in worlds]
        cards = rng.sample(range(len(hidden.cards)), len(hidden.cards))
        holders = rng.sample(range(len(hidden.holders)), len(hidden.holders))
        changed = HiddenCards(
            cards=tuple(hidden.cards[k] for k in cards),
            holders=tuple(hidden.holders[h] for h in holders),
            capacities=tuple(hidden.capacities[h] for h in holders),
            cases=tuple(
                Case(tuple(case.allowed[h] for h in holders), holders.index(case.barred_holder), case.barred)
                for case in reversed(hidden.cases)
            ),
            shown_hands=tuple(
                ShownHand(holders.index(hand.holder), hand.shown, hand.known) for hand in hidden.shown_hands
            ),
            promises=tuple(Promise(holders.index(promise.holder), promise.cards) for promise in hidden.promises),
        )
        sampler = WorldSampler(changed, weights[cards][:, holders])
        assert sampler.world_count == pytest.approx(WorldSampler(hidden, weights).world_count, rel=1e-12)
        drawn = sampler.sample_many(seed, DRAWS)
        drawn[:, : len(holders)] = drawn[:, [holders.index(h) for h in range(len(holders))]]
        assert chi_square_p(drawn, worlds, chances) > WORST_P


def test_names_of_the_cards_do_not_matter() -> None:
    hidden, worlds = feasible("plain", 5)
    highest = dict(zip(hidden.cards, range(61, 0, -1), strict=False))

    def rename(cards: int) -> int:
        return sum(1 << highest[card] for card in cards_in(cards))

    everything = sum(1 << card for card in hidden.cards)
    allowed = tuple(rename(cards & everything) for cards in hidden.cases[0].allowed)
    changed = replace(hidden, cards=tuple(highest.values())[: len(hidden.cards)], cases=(Case(allowed),))
    drawn, renamed = WorldSampler(hidden).sample_many(1, 500), WorldSampler(changed).sample_many(1, 500)
    holder_count = len(hidden.holders)
    expected = [tuple(rename(hand) for hand in world) for world in as_tuples(drawn, holder_count)]
    assert as_tuples(renamed, holder_count) == expected
    assert len(worlds) == pytest.approx(WorldSampler(changed).world_count)


# --- facts that do not fit ---

KINGS = mask(["SK", "BK", "CK", "DK"])


def kings_hand(capacity: int = 2, **facts: Any) -> HiddenCards:
    """Seat 0 has shown nothing and has played the King of swords; others may not have the unseen Kings."""
    cards = [*cards_in(mask(["BK", "CK"])), 0, 1, 2]
    masks = [ALL_MASK, ALL_MASK & ~KINGS]
    shown_hands = (ShownHand(0, 0, mask(["SK"])),)
    return problem(cards, [capacity, 5 - capacity], masks, shown_hands=shown_hands, **facts)


@pytest.mark.parametrize(
    "hidden",
    [
        problem([1, 2, 3], [1, 2], [0, 0b110]),
        problem([1, 2, 3], [1, 2], [0b1110, 0b0110], barred=[(0, 0b1000)]),
        problem([1, 2, 3, 4], [2, 2], [0b11110, 0b11110], aside_left_after=(3, 2)),
        problem([1, 2, 3, 4], [2, 2], [0b11110, 0b11110], aside_left_after=(4, 1)),
        problem([1, 2, 3, 4], [1, 3], [0b11110, 0b11110], aside_left_after=(0, 0)),
        problem([1, 2], [1, 1], [6, 6], shown_hands=(ShownHand(0, 0, KINGS),)),
        problem([1, 2], [1, 1], [6, 6], shown_hands=(ShownHand(0, KINGS, 0),)),
        problem([], [0, 0], [0, 0], shown_hands=(ShownHand(0, 0, KINGS),)),
        kings_hand(),
        kings_hand(capacity=3),
        problem([1, 2, 3], [1, 2], [0b1110, 0b1110], promises=(Promise(0, 0),)),
        problem([1, 2, 40], [1, 2], [0b110, ALL_MASK], promises=(Promise(0, 1 << 40),)),
        problem([1, 12, 40], [1, 2], [ALL_MASK] * 2, promises=(Promise(0, 1 << 12), Promise(0, 1 << 40))),
        problem([1, 2, 40], [1, 2], [ALL_MASK] * 2, promises=(Promise(0, 1 << 40), Promise(1, 1 << 40))),
        problem([1], [0, 1], [2, 2], promises=(Promise(0, 2),)),
    ],
)
def test_contradictions_are_named(hidden: HiddenCards) -> None:
    with pytest.raises(ContradictionError, match="a; b") as caught:
        WorldSampler(hidden)
    assert caught.value.facts == ("a", "b")
    assert not isinstance(caught.value, WorldNotFoundError)


def test_used_cards_never_shrinks_when_a_hand_grows() -> None:
    rng = random.Random(6)
    for _ in range(20_000):
        small = rng.getrandbits(62) & rng.getrandbits(62)
        large = small | rng.getrandbits(62) & rng.getrandbits(62)
        assert int(used_cards(np.uint64(small))) & ~int(used_cards(np.uint64(large))) == 0


def rare_kings(weight: float) -> tuple[HiddenCards, np.ndarray]:
    """A hand that may have one of three Kings, which other holders are unlikely to have."""
    cards = [*cards_in(mask(["BK", "CK", "DK"])), 0, 1]
    hidden = problem(cards, [3, 2], [ALL_MASK] * 2, shown_hands=(ShownHand(0, 0, mask(["SK"])),))
    return hidden, np.array([[1.0, weight]] * 3 + [[1.0, 1.0]] * 2)


def test_worlds_that_draws_hardly_meet_are_found() -> None:
    hidden, weights = rare_kings(5e-3)
    sampler = WorldSampler(hidden, weights)
    assert 0.0 < sampler.acceptance < 1e-3
    worlds = set(list_worlds(hidden, naive_used))
    assert len(worlds) == 3
    assert set(as_tuples(sampler.sample_many(1, 50), 2)) == worlds


def test_worlds_that_draws_never_meet_are_no_contradiction() -> None:
    hidden, weights = rare_kings(1e-6)
    with pytest.raises(WorldNotFoundError, match="long search"):
        WorldSampler(hidden, weights)


def test_listing_stops_when_it_costs_too_much() -> None:
    sampler = WorldSampler(rare_kings(1.0)[0])
    worlds = np.empty((9, 4), dtype=np.uint64)
    assert kernels.enumerate_worlds(sampler.arrays, 0, worlds, 0, 1) == kernels.TOO_MUCH_WORK
    assert kernels.enumerate_worlds(sampler.arrays, 0, worlds, 0, 99) == 3


def test_a_promise_that_draws_hardly_keep_is_found() -> None:
    """One of many holders' cards is the promised one, and its weight there is small."""
    cards = [0, *range(10, 20)]
    weights = np.array([[2e-4, 1.0], *[[1.0, 1.0]] * 10])
    hidden = problem(cards, [1, 10], [ALL_MASK] * 2, promises=(Promise(0, 1),))
    sampler = WorldSampler(hidden, weights)
    assert 0.0 < sampler.acceptance < 1e-3
    assert {world[0] for world in as_tuples(sampler.sample_many(1, 50), 2)} == {1}


@pytest.mark.parametrize("holder_count", range(5))
def test_nothing_hidden_is_one_empty_world(holder_count: int) -> None:
    nothing = [0] * holder_count
    for hidden in (
        problem([], nothing, nothing),
        problem([], nothing, nothing, nothing, barred=[(0, 1), (0, 2)]),
        problem([], nothing, nothing, shown_hands=tuple(ShownHand(h, KINGS, KINGS) for h in nothing[:1])),
    ):
        sampler = WorldSampler(hidden)
        assert sampler.world_count == 1.0
        assert sampler.sample(3) == tuple(nothing)
        assert sampler.marginals().shape == (0, holder_count)
        listed = sampler.enumerate(1)
        assert listed is not None
        assert listed.tolist() == [[0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("hidden", "weights"),
    [
        (problem([1, 2], [1, 2], [6, 6]), None),
        (problem([1, 2], [3, -1], [6, 6]), None),
        (problem([1, 1], [1, 1], [6, 6]), None),
        (problem([1, 2], [1, 1], [6]), None),
        (problem([1, 2], [1, 1]), None),
        (problem([1, 2], [1, 1], [6, 6], shown_hands=(ShownHand(0, 0, 0), ShownHand(0, 0, 0))), None),
        (replace(problem([1, 2], [1, 1], [6, 6]), holders=(1, 2), aside_left_after=(1, 0)), None),
        (problem([1, 2], [1, 1], [6, 6]), np.ones((2, 3))),
        (problem([1, 2], [1, 1], [6, 6]), np.array([[1.0, -1.0], [1.0, 1.0]])),
        (problem([1, 2], [1, 1], [6, 6]), np.array([[1.0, np.nan], [1.0, 1.0]])),
        (problem([1, 2], [1, 1], [6, 6]), np.array([[1.0, 1e-7], [1.0, 1.0]])),
    ],
)
def test_malformed_problems_are_refused(hidden: HiddenCards, weights: np.ndarray | None) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        WorldSampler(hidden, weights)


# --- the kernels ---


def test_arrays_have_one_signature() -> None:
    for kind in KINDS:
        hidden, _ = feasible(kind, 0)
        for weights in (None, random_weights(0, hidden), random_weights(0, hidden).T.copy().T):
            sampler = WorldSampler(hidden, weights)
            sampler.sample(0)
            sampler.enumerate(10_000)
            sampler.marginals()
    WorldSampler(problem([], [], [])).sample(0)
    for name in ("build_table", "sample_worlds", "enumerate_worlds", "fill_marginals", "count_accepted"):
        assert len(getattr(kernels, name).signatures) == 1, name


def test_destination_names_the_words_of_a_position() -> None:
    hidden = HiddenCards((1, 2, 3), (3, ASIDE_HOLDER, 0), (1, 1, 1), (Case((14, 14, 14)),))
    sampler = WorldSampler(hidden)
    assert sampler.arrays.destination.tolist() == [HANDS + 3, ASIDE, HANDS, ASIDE]
    stream, world = np.array([9], dtype=np.uint64), np.empty(4, dtype=np.uint64)
    assert sample_world(sampler.arrays, stream, world) == 0
    assert world[3] == 0
    assert world.sum() == 14


def test_a_draw_that_rounding_moves_past_the_end_stays_in_a_possible_slot() -> None:
    for shares, slot in (
        ((0.5, 0.75, 1.0), 2),
        ((0.5, 1.0, 1.0), 1),
        ((1.0, 1.0, 1.0), 0),
        ((0.0, 0.0, 1.0), 2),
    ):
        at = kernels._last_below(*shares)
        assert sum(at >= upper for upper in shares) == slot


def test_a_second_start_compiles_nothing() -> None:
    WorldSampler(feasible("shown", 0)[0]).sample(0)
    script = """
from tarocchi_engine.facts import Case, HiddenCards
from tarocchi_solver.search import sampling_kernels
from tarocchi_solver.search.sampler import WorldSampler
WorldSampler(HiddenCards((1, 2), (0, 1), (1, 1), (Case((6, 6)),))).sample(0)
for name in ("build_table", "sample_worlds"):
    stats = getattr(sampling_kernels, name).stats
    print(stats.cache_path, len(stats.cache_hits), len(stats.cache_misses))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", script], check=True, env=environment, stdout=subprocess.PIPE)
    for line in run.stdout.decode().splitlines():
        folder, hits, misses = line.rsplit(maxsplit=2)
        if folder != kernels.sample_worlds.stats.cache_path:  # type: ignore[attr-defined]
            pytest.skip("the sources were edited while the tests ran")
        assert (hits, misses) == ("1", "0")
