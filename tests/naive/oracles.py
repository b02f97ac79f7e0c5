"""Second opinions: other ways to count what the referee counts.

None of these shares code with the counts it checks beyond the names of the cards.
"""

from collections.abc import Iterable
from itertools import combinations

from naive.cards import BOLOGNESE, PACKS

_TOP = {"MON", "SOL", "LUN"}
_CONTATORI = {"BEG", "MAT"}
_MOORS = {"MO1", "MO2", "MO3", "MO4"}
_SET_VALUES = {
    18: {"ANG", "MON", "BEG", "MAT"},
    17: {"SK", "BK", "CK", "DK"},
    14: {"SQ", "BQ", "CQ", "DQ"},
    13: {"SN", "BN", "CN", "DN"},
    12: {"SJ", "BJ", "CJ", "DJ"},
}


def _has_grande(held: set[str]) -> bool:
    top = len(held & _TOP)
    return "ANG" in held and top >= 1 and top + len(held & _CONTATORI) >= 2


def pisarri_grande(cards: Iterable[str]) -> int:
    """Returns the points of the Grande by Pisarri's formula, counted on the cards of the others.

    The number that stops the run is found without walking: it is the first missing number whose
    upper neighbour is missing too, or that has as many missing numbers above it as there are
    contatori left for bridging. Bolognese rules, section 5.3.
    """
    held = set(cards)
    if not _has_grande(held):
        return 0
    others = set(PACKS[BOLOGNESE]) - held
    contatori_out = len(others & _CONTATORI)
    bridges = 2 - contatori_out - (1 if len(held & _TOP) == 1 else 0)
    missing = [number for number in range(16, 4, -1) if f"T{number}" in others]
    stops = [k for above, k in enumerate(missing) if k + 1 in missing or above >= bridges]
    if not stops:
        higher_out = len(others & _TOP) + len(missing)
        return 105 - 5 * (higher_out + contatori_out + len(others & _MOORS))
    stop = stops[0]
    higher_out = len(others & _TOP) + len([number for number in missing if number > stop])
    return 105 - 5 * (stop + higher_out + contatori_out)


def best_grande_by_placement(cards: Iterable[str]) -> int:
    """Returns the points of the best Grande over every way to place the contatori (section 5.3)."""
    held = set(cards)
    if not _has_grande(held):
        return 0
    contatori = len(held & _CONTATORI)
    top = len(held & _TOP)
    spare = contatori - (1 if top == 1 else 0)
    missing = [number for number in range(16, 4, -1) if f"T{number}" not in held]
    best = 0
    for amount in range(spare + 1):
        for bridged in combinations(missing, amount):
            if any(number + 1 in bridged for number in bridged):
                continue
            length = 1 + top + contatori
            number = 16
            while number >= 5 and (number not in missing or number in bridged):
                length += 0 if number in bridged else 1
                number -= 1
            if number == 4:
                length += len(held & _MOORS)
            best = max(best, 5 * (length - 1))
    return best


def barilli_sets(cards: Iterable[str]) -> int:
    """Returns the undoubled set points, counted on the cards of the others (section 5.4)."""
    others = set(PACKS[BOLOGNESE]) - set(cards)
    return 148 - sum(value * min(2, len(others & row)) for value, row in _SET_VALUES.items())


def count_piedicavallo_discards(hand: Iterable[str]) -> int:
    """Returns the number of legal discards from the counts of the hand alone.

    Piedicavallo rules, section 3.6: plain pairs, the forced branch with at most one plain card,
    the voiding branch with one or two ordinary trumps and neither T1 nor T21.
    """
    held = set(hand)
    barred = held & {"T1", "T21", "MAT", "SK", "BK", "CK", "DK"}
    trumps = len([card for card in held - barred if card[0] == "T"])
    plain = len(held) - len(barred) - trumps
    count = plain * (plain - 1) // 2
    if plain == 1:
        count += trumps
    if plain == 0:
        count += trumps * (trumps - 1) // 2
    if plain >= 2 and not held & {"T1", "T21"}:
        count += {1: plain, 2: 1}.get(trumps, 0)
    return count
