"""Sets and sequences of the Bolognese game: Bolognese rules, sections 4 and 5."""

from collections.abc import Iterable
from typing import TypedDict

from naive.cards import BOLOGNESE, MATTO, in_pack_order

BEGATO = "BEG"
CONTATORI = [BEGATO, MATTO]
TOP_TRUMPS_BELOW_ANGEL = ["MON", "SOL", "LUN"]
MOORS = ["MO1", "MO2", "MO3", "MO4"]
ACES = ["SA", "BA", "CA", "DA"]
NUMBERS = list(range(16, 4, -1))

# Section 5.1: the four cards of each row and what three of them score; four score twice that.
ROWS: dict[str, tuple[list[str], int]] = {
    "tarocchi": (["ANG", "MON", "BEG", "MAT"], 18),
    "re": (["SK", "BK", "CK", "DK"], 17),
    "regine": (["SQ", "BQ", "CQ", "DQ"], 14),
    "cavalli": (["SN", "BN", "CN", "DN"], 13),
    "fanti": (["SJ", "BJ", "CJ", "DJ"], 12),
}

SUIT_FAMILIES = {"spade": "S", "bastoni": "B", "coppe": "C", "denari": "D"}
FAMILIES = [*SUIT_FAMILIES, "mori", "assi", "grande"]


class SetCount(TypedDict):
    """The sets of some cards: points per scoring row, their sum, 1 or 2, the product."""

    rows: dict[str, int]
    subtotal: int
    multiplier: int
    total: int


class SequenceCount(TypedDict):
    """The sequences of some cards: points per scoring family, their sum, 1 or 2, the product."""

    families: dict[str, int]
    subtotal: int
    multiplier: int
    total: int


def held_contatori(cards: Iterable[str]) -> list[str]:
    """Returns the wild cards among the cards."""
    held = set(cards)
    return [card for card in CONTATORI if card in held]


def sets(cards: Iterable[str]) -> dict[str, int]:
    """Returns the points of every scoring row, before doubling (section 5.1)."""
    held = set(cards)
    points: dict[str, int] = {}
    for row, (members, value) in ROWS.items():
        number = len([card for card in members if card in held])
        if number == 3:
            points[row] = value
        elif number == 4:
            points[row] = 2 * value
    return points


def sequence_run(cards: Iterable[str], family: str) -> list[str]:
    """Returns the real cards counted in one family, without the contatori; empty if it scores nothing.

    The head of a run is always real. For the Grande only the numbers actually reached are listed
    (A-22). Sections 5.2 and 5.3.
    """
    held = set(cards)
    wild = len(held_contatori(held))
    if family in SUIT_FAMILIES:
        return _suit_run(held, SUIT_FAMILIES[family], wild)
    if family == "mori":
        return _equal_cards_run(held, MOORS, wild)
    if family == "assi":
        return _equal_cards_run(held, ACES, wild)
    if family == "grande":
        return _grande_run(held, wild)
    raise ValueError(f"unknown family {family!r}")


def _suit_run(held: set[str], suit: str, wild: int) -> list[str]:
    """King, figures and Ace of a suit; one real figure is enough with wild cards (A-29, A-28)."""
    king, ace = suit + "K", suit + "A"
    figures = [suit + rank for rank in ("Q", "N", "J") if suit + rank in held]
    if king not in held or not figures or len(figures) + wild < 2:
        return []
    return [king, *figures] + ([ace] if ace in held else [])


def _equal_cards_run(held: set[str], members: list[str], wild: int) -> list[str]:
    """Moors or Aces: two real ones, three with the wild cards."""
    real = [card for card in members if card in held]
    return real if len(real) >= 2 and len(real) + wild >= 3 else []


def _grande_run(held: set[str], wild: int) -> list[str]:
    """The Grande, walked from the Angel down (section 5.3; A-23 to A-27)."""
    top = [card for card in TOP_TRUMPS_BELOW_ANGEL if card in held]
    if "ANG" not in held or not top or len(top) + wild < 2:
        return []
    # one absent top card costs nothing; of two absent ones the first takes a wild card.
    bridges_left = wild - 1 if len(top) == 1 else wild
    run = ["ANG", *top]
    bridged_just_above = False
    for number in NUMBERS:
        card = f"T{number}"
        if card in held:
            run.append(card)
            bridged_just_above = False
        elif bridges_left > 0 and not bridged_just_above:
            bridges_left -= 1
            bridged_just_above = True
        else:
            return run  # the Moors are not reached
    return run + [card for card in MOORS if card in held]


def sequence_length(cards: Iterable[str], family: str) -> int:
    """Returns the number of cards of the family's sequence, 0 when it does not score.

    Every contatore held adds exactly one card to every scoring family (A-25, A-26).
    """
    held = set(cards)
    run = sequence_run(held, family)
    return len(run) + len(held_contatori(held)) if run else 0


def sequence_score(length: int) -> int:
    """Returns the points of a sequence: 10 for three cards and 5 for each further one."""
    return 10 + 5 * (length - 3) if length >= 3 else 0


def sequences(cards: Iterable[str]) -> dict[str, int]:
    """Returns the points of every scoring family, before doubling (section 5.2)."""
    held = set(cards)
    scores = {family: sequence_score(sequence_length(held, family)) for family in FAMILIES}
    return {family: score for family, score in scores.items() if score > 0}


def count_sets(cards: Iterable[str]) -> SetCount:
    """Returns the sets with their doubling: three or more different rows (A-30)."""
    rows = sets(cards)
    subtotal = sum(rows.values())
    multiplier = 2 if len(rows) >= 3 else 1
    return {"rows": rows, "subtotal": subtotal, "multiplier": multiplier, "total": subtotal * multiplier}


def count_sequences(cards: Iterable[str]) -> SequenceCount:
    """Returns the sequences with their doubling: three or more different families (A-30)."""
    families = sequences(cards)
    subtotal = sum(families.values())
    multiplier = 2 if len(families) >= 3 else 1
    return {
        "families": families,
        "subtotal": subtotal,
        "multiplier": multiplier,
        "total": subtotal * multiplier,
    }


def combo(cards: Iterable[str]) -> int:
    """Returns the points of all combinations of the cards (section 5.4)."""
    held = set(cards)
    return count_sets(held)["total"] + count_sequences(held)["total"]


def used(cards: Iterable[str]) -> list[str]:
    """Returns the cards that take part in a scoring combination, in pack order (section 4, A-22)."""
    held = set(cards)
    taking_part: set[str] = set()
    for row in sets(held):
        taking_part.update(card for card in ROWS[row][0] if card in held)
    for family in sequences(held):
        taking_part.update(sequence_run(held, family))
        taking_part.update(held_contatori(held))
    return in_pack_order(BOLOGNESE, taking_part)


def table_declarations(hand: Iterable[str]) -> list[frozenset[str]]:
    """Returns the declarations open at the single-deal table: nothing, or everything (A-18)."""
    everything = frozenset(used(hand))
    return [frozenset(), everything] if everything else [frozenset()]


def declaration_is_legal(profile: str, hand: Iterable[str], declared: Iterable[str]) -> bool:
    """Tells whether a player may expose these cards.

    Args:
        profile: "table" (all or nothing), "ottocento" or "terziglio" (any set that uses itself up).
        hand: the cards in the player's hand, for the dealer those left after the discard.
        declared: the cards to expose.
    """
    held, exposed = set(hand), set(declared)
    if not exposed <= held:
        return False
    if profile == "table":
        return frozenset(exposed) in table_declarations(held)
    if profile in ("ottocento", "terziglio"):
        return set(used(exposed)) == exposed
    raise ValueError(f"unknown profile {profile!r}")
