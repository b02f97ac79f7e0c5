"""Card points, the Matto and the count of a deal at the single-deal table.

Bolognese rules, sections 1 to 3, 5.4 and 8.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from naive.cards import BOLOGNESE, MATTO, PLAIN_SUITS, in_pack_order, total_value, value_of
from naive.combos import combo, count_sequences, count_sets
from naive.discard import discard_owner
from naive.play import Trick, collect_piles, count_tricks, find_matto, name_result, side_of

LAST_TRICK_POINTS = 6

# Section 3: which of several equally cheap cards is handed over for the Matto, first to last.
GIVE_ORDER: list[str] = [
    *[suit + pip for suit in PLAIN_SUITS for pip in ("10", "9", "8", "7", "6")],
    *[f"T{number}" for number in range(5, 17)],
    *["MO1", "MO2", "MO3", "MO4", "LUN", "SOL"],
    *[suit + rank for rank in ("A", "J", "N", "Q", "K") for suit in PLAIN_SUITS],
    *["BEG", "MON", "ANG"],
]


def card_points(cards: Iterable[str]) -> Fraction:
    """Returns the exact card points: the values less half a point a card (section 1, A-02)."""
    counted = list(cards)
    return total_value(BOLOGNESE, counted) - Fraction(len(counted), 2)


def settlement_card(giver_pile: Iterable[str], receiver_pile: Iterable[str]) -> str:
    """Returns the card handed over for a Matto that fell into a trick of the other side.

    Of the cards of lowest value, normally one point (A-14), the one that costs the giver least in
    combinations, ties by the fixed order (A-13).

    Args:
        giver_pile: the pile of the Matto's side with the Matto and, if owned, the discard (A-15).
        receiver_pile: the pile of the other side.
    """
    giver, receiver = set(giver_pile), set(receiver_pile)
    candidates = giver - {MATTO}
    lowest = min(value_of(BOLOGNESE, card) for card in candidates)
    cheapest = [card for card in candidates if value_of(BOLOGNESE, card) == lowest]
    before = combo(giver) - combo(receiver)

    def cost(card: str) -> int:
        return before - (combo(giver - {card}) - combo(receiver | {card}))

    return min(cheapest, key=lambda card: (cost(card), GIVE_ORDER.index(card)))


class MattoSettlement(NamedTuple):
    """Who has the Matto in the end, "giver" or "receiver", and the card handed over for it."""

    matto_to: str
    transfer: str | None


def settle_captured_matto(
    giver_pile: Iterable[str], receiver_pile: Iterable[str], giver_tricks: int
) -> MattoSettlement:
    """Settles a Matto played into a trick that the other side won (section 3, points 4 to 6).

    Args:
        giver_pile: the pile of the side that played the Matto.
        receiver_pile: the pile of the side that won that trick.
        giver_tricks: how many tricks the Matto's side won in the whole deal.
    """
    if giver_tricks == 0:
        return MattoSettlement("receiver", None)
    return MattoSettlement("giver", settlement_card(giver_pile, receiver_pile))


def count_pile(cards: Collection[str], last_trick: bool, declared: int) -> dict[str, Any]:
    """Returns the items of one side's total (section 8)."""
    points = card_points(cards)
    last = LAST_TRICK_POINTS if last_trick else 0
    combos = combo(cards)
    return {
        "card_points": points,
        "last": last,
        "combos": combos,
        "declared": declared,
        "total": points + last + combos + declared,
    }


def _count_declaration(cards: Iterable[str]) -> dict[str, Any]:
    """The items of one player's declaration; doubling stays inside it (A-19)."""
    exposed = in_pack_order(BOLOGNESE, cards)
    return {
        "cards": exposed,
        "sets": count_sets(exposed),
        "sequences": count_sequences(exposed),
        "points": combo(exposed),
    }


def settle_deal(
    tricks: Sequence[Trick],
    dealer: int,
    discard: Collection[str],
    declarations: Mapping[int, Collection[str]],
) -> dict[str, Any]:
    """Counts a finished deal of the single-deal table.

    Args:
        tricks: the fifteen tricks.
        dealer: the dealer's seat.
        discard: the two cards the dealer laid away.
        declarations: the cards exposed by each seat, maybe none.

    Returns:
        A dict with two-element lists, one entry a side, as described in `NaiveDeal.score`.
    """
    won = count_tricks(tricks)
    owner_of_discard = discard_owner(side_of(dealer), won)
    piles = [set(pile) for pile in collect_piles(tricks)]
    piles[owner_of_discard] |= set(discard)

    matto_trick, matto_seat = find_matto(tricks)
    matto_side = side_of(matto_seat)
    other = 1 - matto_side
    kept_by, transferred = matto_side, None
    if side_of(tricks[matto_trick].winner) == other:
        settlement = settle_captured_matto(piles[matto_side], piles[other], won[matto_side])
        transferred = settlement.transfer
        if settlement.matto_to == "receiver":
            kept_by = other
            piles[matto_side].remove(MATTO)
            piles[other].add(MATTO)
        if transferred is not None:
            piles[matto_side].remove(transferred)
            piles[other].add(transferred)

    declared: list[dict[int, dict[str, Any]]] = [{}, {}]
    for seat in sorted(declarations):
        declared[side_of(seat)][seat] = _count_declaration(declarations[seat])
    declared_points = [sum(item["points"] for item in side.values()) for side in declared]
    last_side = side_of(tricks[-1].winner)
    counts = [count_pile(piles[side], side == last_side, declared_points[side]) for side in (0, 1)]
    totals = [_whole(count["total"]) for count in counts]
    return {
        "totals": totals,
        "result": name_result(totals),
        "card_points": [_whole(count["card_points"]) for count in counts],
        "last_trick": [count["last"] for count in counts],
        "sets": [count_sets(pile) for pile in piles],
        "sequences": [count_sequences(pile) for pile in piles],
        "declarations": declared,
        "declared_points": declared_points,
        "matto": {
            "played_by": matto_seat,
            "trick": matto_trick,
            "kept_by": kept_by,
            "transferred_card": transferred,
            "transferred_by": None if transferred is None else matto_side,
        },
        "discard": {"cards": in_pack_order(BOLOGNESE, discard), "owner": owner_of_discard},
        "tricks": won,
        "piles": [in_pack_order(BOLOGNESE, pile) for pile in piles],
    }


def _whole(points: Fraction) -> int:
    """Four-player piles are even after the settlement, so their points are whole (section 1)."""
    if points.denominator != 1:
        raise AssertionError(f"{points} points: a pile of odd size")
    return points.numerator
