"""Slow counts of the deals of unseen cards: by listing them all, by classes of cards, by a closed form.

Everything is exact integers. A set of cards is an int mask, a world a tuple of masks, one per holder.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import comb, factorial, prod
from typing import Any

World = tuple[int, ...]


def every_deal(cards: Sequence[int], capacities: Sequence[int]) -> Iterator[World]:
    """Yields every way to deal the cards out, whatever is known about them."""
    if not capacities:
        if not cards:
            yield ()
        return
    for hand in combinations(cards, capacities[0]):
        rest = [card for card in cards if card not in hand]
        for others in every_deal(rest, capacities[1:]):
            yield (sum(1 << card for card in hand), *others)


def fits_case(world: World, case: Any) -> bool:
    """Tells whether a world belongs to a case: only allowed cards, and none barred from the barred holder."""
    if any(hand & ~allowed for hand, allowed in zip(world, case.allowed, strict=True)):
        return False
    return not world or world[case.barred_holder] & case.barred == 0


def fits_facts(world: World, hidden: Any, used: Callable[[int], int]) -> bool:
    """Tells whether a world fits one case, the checkpoint of the cards laid aside, every shown hand and promise.

    Args:
        world: one mask for each holder.
        hidden: the facts, with the fields of `tarocchi_engine.facts.HiddenCards`.
        used: gives the cards of a set that take part in a scoring combination.
    """
    if not any(fits_case(world, case) for case in hidden.cases):
        return False
    if hidden.aside_left_after is not None:
        k, left = hidden.aside_left_after
        aside = hidden.holders.index(-1)
        laid = [card for card in hidden.cards[:k] if world[aside] >> card & 1]
        if hidden.capacities[aside] - len(laid) != left:
            return False
    if any(not promise.cards & world[promise.holder] for promise in hidden.promises):
        return False
    return all(used(hand.known | world[hand.holder]) == hand.shown for hand in hidden.shown_hands)


def list_worlds(hidden: Any, used: Callable[[int], int]) -> list[World]:
    """Returns all worlds that fit the facts."""
    deals = every_deal(hidden.cards, hidden.capacities)
    return [world for world in deals if fits_facts(world, hidden, used)]


def weigh_world(world: World, cards: Sequence[int], weights: Sequence[Sequence[float]]) -> float:
    """Returns the product of the weights of the cards' places; `weights[k][holder]` belongs to `cards[k]`."""
    return prod(
        weights[k][holder] for holder, hand in enumerate(world) for k, card in enumerate(cards) if hand >> card & 1
    )


def classes_of(cards: Sequence[int], allowed: Sequence[int]) -> dict[frozenset[int], int]:
    """Returns the number of cards for each set of holders that may have them."""
    sizes: dict[frozenset[int], int] = {}
    for card in cards:
        holders = frozenset(holder for holder, mask in enumerate(allowed) if mask >> card & 1)
        sizes[holders] = sizes.get(holders, 0) + 1
    return sizes


def count_by_classes(sizes: Mapping[frozenset[int], int], capacities: Sequence[int]) -> int:
    """Counts the deals class by class: a multinomial coefficient for each way to split each class."""
    classes = sorted(sizes.items(), key=lambda item: (len(item[0]), sorted(item[0])))

    def splits(size: int, holders: Sequence[int], free: World) -> Iterator[World]:
        if not holders:
            if size == 0:
                yield ()
            return
        for taken in range(min(size, free[holders[0]]) + 1):
            for rest in splits(size - taken, holders[1:], free):
                yield (taken, *rest)

    @cache
    def count(place: int, free: World) -> int:
        if place == len(classes):
            return int(not any(free))
        holder_set, size = classes[place]
        holders = sorted(holder_set)
        total = 0
        for split in splits(size, holders, free):
            left = list(free)
            for holder, taken in zip(holders, split, strict=True):
                left[holder] -= taken
            ways = factorial(size) // prod(factorial(taken) for taken in split)
            total += ways * count(place + 1, tuple(left))
        return total

    return count(0, tuple(capacities))


def count_for_three(sizes: Mapping[frozenset[int], int], capacities: Sequence[int]) -> int:
    """Counts the deals to three holders by a sum of products of binomial coefficients."""
    if sizes.get(frozenset(), 0):
        return 0

    def size(*holders: int) -> int:
        return sizes.get(frozenset(holders), 0)

    p, q, s, m = size(0, 1), size(0, 2), size(1, 2), size(0, 1, 2)
    total = 0
    for i in range(p + 1):
        for j in range(q + 1):
            for k in range(s + 1):
                a = capacities[0] - size(0) - i - j
                b = capacities[1] - size(1) - (p - i) - k
                c = capacities[2] - size(2) - (q - j) - (s - k)
                if min(a, b, c) >= 0:
                    ways = factorial(m) // (factorial(a) * factorial(b) * factorial(c))
                    total += comb(p, i) * comb(q, j) * comb(s, k) * ways
    return total
