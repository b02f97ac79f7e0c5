"""The two packs of 62 cards, written out card by card.

A card is a string id ("SK", "MO1", "T16", "MAT"). Bolognese rules, section 1; Piedicavallo rules,
sections 3.2 to 3.4.
"""

from collections.abc import Iterable

BOLOGNESE = "bolognese"
PIEDICAVALLO = "piedicavallo"
VARIANTS = (BOLOGNESE, PIEDICAVALLO)

MATTO = "MAT"
TRUMP_SUIT = "T"
MATTO_SUIT = "M"
PLAIN_SUITS = ("S", "B", "C", "D")

# Ranks of each plain suit, high to low.
RANKS: dict[str, dict[str, list[str]]] = {
    BOLOGNESE: {
        "S": ["K", "Q", "N", "J", "10", "9", "8", "7", "6", "A"],
        "B": ["K", "Q", "N", "J", "10", "9", "8", "7", "6", "A"],
        "C": ["K", "Q", "N", "J", "A", "6", "7", "8", "9", "10"],
        "D": ["K", "Q", "N", "J", "A", "6", "7", "8", "9", "10"],
    },
    PIEDICAVALLO: {
        "S": ["K", "Q", "N", "J", "10", "9", "8", "7", "6", "5"],
        "B": ["K", "Q", "N", "J", "10", "9", "8", "7", "6", "5"],
        "C": ["K", "Q", "N", "J", "A", "2", "3", "4", "5", "6"],
        "D": ["K", "Q", "N", "J", "A", "2", "3", "4", "5", "6"],
    },
}

# Strength of each trump; the four Moors are equal, 21 is the top trump of Piedicavallo (A8).
TRUMP_STRENGTHS: dict[str, dict[str, int]] = {
    BOLOGNESE: {
        "ANG": 20,
        "MON": 19,
        "SOL": 18,
        "LUN": 17,
        "T16": 16,
        "T15": 15,
        "T14": 14,
        "T13": 13,
        "T12": 12,
        "T11": 11,
        "T10": 10,
        "T9": 9,
        "T8": 8,
        "T7": 7,
        "T6": 6,
        "T5": 5,
        "MO1": 4,
        "MO2": 4,
        "MO3": 4,
        "MO4": 4,
        "BEG": 1,
    },
    PIEDICAVALLO: {f"T{number}": number for number in range(21, 0, -1)},
}

# Cards worth five points: they may never be discarded.
FIVE_POINT_CARDS: dict[str, list[str]] = {
    BOLOGNESE: ["ANG", "MON", "BEG", "MAT", "SK", "BK", "CK", "DK"],
    PIEDICAVALLO: ["T1", "T21", "MAT", "SK", "BK", "CK", "DK"],
}


def _write_pack(variant: str) -> list[str]:
    suits = RANKS[variant]
    plain = [suit + rank for suit in PLAIN_SUITS for rank in suits[suit]]
    return [*TRUMP_STRENGTHS[variant], MATTO, *plain]


# The pack of each variant: trumps high to low, the Matto, then the suits high to low.
PACKS: dict[str, list[str]] = {variant: _write_pack(variant) for variant in VARIANTS}

_ORDER: dict[str, dict[str, int]] = {
    variant: {card: place for place, card in enumerate(pack)} for variant, pack in PACKS.items()
}


def _find_value(variant: str, card: str) -> int:
    if card in FIVE_POINT_CARDS[variant]:
        return 5
    if card in TRUMP_STRENGTHS[variant]:
        return 1
    return {"Q": 4, "N": 3, "J": 2}.get(card[1:], 1)


_VALUES: dict[str, dict[str, int]] = {
    variant: {card: _find_value(variant, card) for card in pack} for variant, pack in PACKS.items()
}


def in_pack_order(variant: str, cards: Iterable[str]) -> list[str]:
    """Returns the cards as a list in the order of the pack."""
    return sorted(cards, key=_ORDER[variant].__getitem__)


def is_trump(variant: str, card: str) -> bool:
    """Tells whether the card is one of the 21 trumps; the Matto is none (A4, section 3)."""
    return card in TRUMP_STRENGTHS[variant]


def suit_of(variant: str, card: str) -> str:
    """Returns "T" for a trump, "M" for the Matto, else the letter of the plain suit."""
    if card == MATTO:
        return MATTO_SUIT
    if is_trump(variant, card):
        return TRUMP_SUIT
    return card[0]


def strength_of(variant: str, card: str) -> int:
    """Returns the strength inside the card's own suit (higher wins); the Matto has none."""
    if card == MATTO:
        raise ValueError("the Matto has no strength")
    if is_trump(variant, card):
        return TRUMP_STRENGTHS[variant][card]
    ranks = RANKS[variant][card[0]]
    return len(ranks) - ranks.index(card[1:])


def value_of(variant: str, card: str) -> int:
    """Returns the whole points printed in the table of card values: 5, 4, 3, 2 or 1."""
    return _VALUES[variant][card]


def is_five_point_card(variant: str, card: str) -> bool:
    """Tells whether the card is worth five points."""
    return card in FIVE_POINT_CARDS[variant]


def total_value(variant: str, cards: Iterable[str]) -> int:
    """Returns the sum of the card values, nothing deducted."""
    return sum(value_of(variant, card) for card in cards)
