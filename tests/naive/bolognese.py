"""Card points, the Matto and the count of a deal: the single-deal table, and what the match and Terziglio share.

Bolognese rules, sections 1 to 3, 5.4 and 8.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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


def gift_choices(giver_pile: Iterable[str]) -> list[str]:
    """Returns the cards that may be handed over for the Matto: those of the lowest value (A-13, A-14).

    Args:
        giver_pile: the pile of the Matto's side with the Matto and, if owned, the discard (A-15).
    """
    candidates = set(giver_pile) - {MATTO}
    lowest = min(value_of(BOLOGNESE, card) for card in candidates)
    return in_pack_order(BOLOGNESE, [card for card in candidates if value_of(BOLOGNESE, card) == lowest])


def settlement_card(giver_pile: Iterable[str], receiver_pile: Iterable[str]) -> str:
    """Returns the card handed over for a Matto that fell into a trick of the other side.

    Of the cards of lowest value, normally one point (A-14), the one that costs the giver least in
    combinations, ties by the fixed order (A-13).

    Args:
        giver_pile: the pile of the Matto's side with the Matto and, if owned, the discard (A-15).
        receiver_pile: the pile of the other side.
    """
    giver, receiver = set(giver_pile), set(receiver_pile)
    before = combo(giver) - combo(receiver)

    def cost(card: str) -> int:
        return before - (combo(giver - {card}) - combo(receiver | {card}))

    return min(gift_choices(giver), key=lambda card: (cost(card), GIVE_ORDER.index(card)))


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


def count_declarations(
    declarations: Mapping[int, Collection[str]], side: Callable[[int], int] = side_of
) -> list[dict[int, dict[str, Any]]]:
    """Returns the items of every seat's declaration, sorted by side."""
    declared: list[dict[int, dict[str, Any]]] = [{}, {}]
    for seat in sorted(declarations):
        declared[side(seat)][seat] = _count_declaration(declarations[seat])
    return declared


def sum_declarations(declarations: Mapping[int, Collection[str]], side: Callable[[int], int] = side_of) -> list[int]:
    """Returns the points declared by each side."""
    return [sum(item["points"] for item in of_side.values()) for of_side in count_declarations(declarations, side)]


def find_debtor(tricks: Sequence[Trick], side: Callable[[int], int] = side_of) -> int | None:
    """Returns the seat that has to hand over a card for its Matto, None if nothing is owed.

    Nothing is owed when its own side won that trick, when its side has no trick at all (section 3,
    points 4 and 6) and when the Matto was not played (A-50).
    """
    if not any(MATTO in trick.cards for trick in tricks):
        return None
    index, seat = find_matto(tricks)
    if side(tricks[index].winner) == side(seat) or count_tricks(tricks, side)[side(seat)] == 0:
        return None
    return seat


def lay_out_piles(
    tricks: Sequence[Trick], aside: Collection[str], aside_owner: int, side: Callable[[int], int] = side_of
) -> list[set[str]]:
    """Returns the two piles with the discard or stock, before the Matto is settled (A-15, A-49)."""
    piles = [set(pile) for pile in collect_piles(tricks, side)]
    piles[aside_owner] |= set(aside)
    return piles


def _settle_matto(
    piles: list[set[str]], tricks: Sequence[Trick], gift: str | None, side: Callable[[int], int]
) -> dict[str, Any]:
    """Settles the Matto; the piles are changed."""
    if not any(MATTO in trick.cards for trick in tricks):
        owner = 0 if MATTO in piles[0] else 1
        return dict.fromkeys(["played_by", "trick", "transferred_card", "transferred_by"]) | {"kept_by": owner}
    matto_trick, matto_seat = find_matto(tricks)
    matto_side = side(matto_seat)
    other = 1 - matto_side
    kept_by, transferred = matto_side, None
    if side(tricks[matto_trick].winner) == other:
        won = count_tricks(tricks, side)
        settlement = settle_captured_matto(piles[matto_side], piles[other], won[matto_side])
        transferred = settlement.transfer
        if settlement.matto_to == "receiver":
            kept_by = other
            piles[matto_side].remove(MATTO)
            piles[other].add(MATTO)
        if transferred is not None:
            if gift is not None:
                transferred = gift
            piles[matto_side].remove(transferred)
            piles[other].add(transferred)
    return {
        "played_by": matto_seat,
        "trick": matto_trick,
        "kept_by": kept_by,
        "transferred_card": transferred,
        "transferred_by": None if transferred is None else matto_side,
    }


def count_deal(
    tricks: Sequence[Trick],
    aside: Collection[str],
    aside_owner: int,
    declarations: Mapping[int, Collection[str]],
    gift: str | None = None,
    side: Callable[[int], int] = side_of,
) -> dict[str, Any]:
    """Counts a finished deal of two sides, whatever the number of seats.

    Args:
        tricks: all tricks.
        aside: the discard, or the stock that nobody took.
        aside_owner: the side that counts it.
        declarations: the cards exposed by each seat, maybe none.
        gift: the card the giver chose for a Matto that cost one; None for the automatic rule (A-13).
        side: gives the side of a seat.

    Returns:
        A dict with two-element lists, one entry a side, as described in `NaiveDeal.score`, with exact
        fractions for "totals" and "card_points" and without "result" and "discard".
    """
    piles = lay_out_piles(tricks, aside, aside_owner, side)
    matto = _settle_matto(piles, tricks, gift, side)
    declared_points = sum_declarations(declarations, side)
    last_side = side(tricks[-1].winner)
    counts = [count_pile(piles[one], one == last_side, declared_points[one]) for one in (0, 1)]
    return {
        "totals": [count["total"] for count in counts],
        "card_points": [count["card_points"] for count in counts],
        "last_trick": [count["last"] for count in counts],
        "sets": [count_sets(pile) for pile in piles],
        "sequences": [count_sequences(pile) for pile in piles],
        "declarations": count_declarations(declarations, side),
        "declared_points": declared_points,
        "matto": matto,
        "tricks": count_tricks(tricks, side),
        "piles": [in_pack_order(BOLOGNESE, pile) for pile in piles],
    }


def settle_deal(
    tricks: Sequence[Trick],
    dealer: int,
    discard: Collection[str],
    declarations: Mapping[int, Collection[str]],
    gift: str | None = None,
) -> dict[str, Any]:
    """Counts a finished deal of four players.

    Args:
        tricks: the fifteen tricks.
        dealer: the dealer's seat.
        discard: the two cards the dealer laid away.
        declarations: the cards exposed by each seat, maybe none.
        gift: the card the giver chose for the Matto; None for the automatic rule.

    Returns:
        A dict with two-element lists, one entry a side, as described in `NaiveDeal.score`.
    """
    owner = discard_owner(side_of(dealer), count_tricks(tricks))
    count = count_deal(tricks, discard, owner, declarations, gift)
    totals = [_whole(total) for total in count["totals"]]
    return {
        **count,
        "totals": totals,
        "result": name_result(totals),
        "card_points": [_whole(points) for points in count["card_points"]],
        "discard": {"cards": in_pack_order(BOLOGNESE, discard), "owner": owner},
    }


def _whole(points: Fraction) -> int:
    """Four-player piles are even after the settlement, so their points are whole (section 1)."""
    if points.denominator != 1:
        raise AssertionError(f"{points} points: a pile of odd size")
    return points.numerator
