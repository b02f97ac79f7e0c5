"""The declarations of the match and of Terziglio: any set of cards that uses itself up.

Bolognese rules, section 4 (A-18). Whether one set may be exposed is told by `combos.declaration_is_legal`.
"""

from collections.abc import Iterable
from itertools import combinations
from random import Random

from naive.combos import used


def legal_declarations(hand: Iterable[str]) -> list[frozenset[str]]:
    """Returns every set of the hand that may be exposed, the empty one first, smaller before larger.

    A card outside `used(hand)` is of no use to any smaller set either, so only subsets of `used(hand)` are
    tried. That is quick for common hands, but with n such cards it takes 2**n trials: about a second for
    fifteen, far too long for nineteen; `random_declaration` and `declaration_is_legal` are always quick.
    """
    useful = used(hand)
    sizes = range(len(useful) + 1)
    shown = [frozenset(cards) for size in sizes for cards in combinations(useful, size)]
    return [cards for cards in shown if set(used(cards)) == cards]


def random_declaration(hand: Iterable[str], rng: Random) -> frozenset[str]:
    """Returns a random legal set: the cards used by a random part of the hand.

    Every legal set can come, being the cards used by itself; the sets are not equally likely.
    """
    share = rng.choice((0.5, 0.9, 1.0))
    return frozenset(used([card for card in used(hand) if rng.random() < share]))
