"""The count of a deal of Piedicavallo: Piedicavallo rules, sections 3.4, 3.8 and 3.9."""

from collections.abc import Collection, Sequence
from typing import Any

from naive.cards import MATTO, PIEDICAVALLO, in_pack_order, total_value, value_of
from naive.discard import discard_owner
from naive.play import Trick, collect_piles, count_tricks, find_matto, name_result, side_of


def card_points(cards: Collection[str]) -> int:
    """Returns the sum of the card values; nothing is deducted for groups (A22)."""
    return total_value(PIEDICAVALLO, cards)


def settle_points(
    tricks_won: Sequence[int],
    trick_points: Sequence[int],
    matto_side: int,
    discard: Collection[str],
    dealer_side: int,
) -> list[int]:
    """Returns the final points by the formula of section 3.9.

    Args:
        tricks_won: tricks of side 0 and side 1.
        trick_points: value of the cards other than the Matto in those tricks.
        matto_side: the side that played the Matto.
        discard: the dealer's two cards.
        dealer_side: the side of the dealer.
    """
    points = list(trick_points)
    matto_owner = matto_side if tricks_won[matto_side] > 0 else 1 - matto_side
    points[matto_owner] += value_of(PIEDICAVALLO, MATTO)
    points[discard_owner(dealer_side, list(tricks_won))] += card_points(discard)
    return points


def settle_piles(tricks: Sequence[Trick], dealer: int, discard: Collection[str]) -> list[list[str]]:
    """Returns the two piles after the forfeits, card by card, in pack order."""
    piles = collect_piles(tricks)
    piles[side_of(dealer)] += list(discard)
    # A side without a trick gives up whatever lies before it: its Matto and its discard.
    for side in (0, 1):
        if all(side_of(trick.winner) != side for trick in tricks):
            piles[1 - side] += piles[side]
            piles[side] = []
    return [in_pack_order(PIEDICAVALLO, pile) for pile in piles]


def settle_deal(tricks: Sequence[Trick], dealer: int, discard: Collection[str]) -> dict[str, Any]:
    """Counts a finished deal twice, by the formula and card by card, and requires the same points.

    Args:
        tricks: the fifteen tricks.
        dealer: the dealer's seat.
        discard: the two cards the dealer laid away.

    Returns:
        The dict described in `NaiveDeal.score`; nothing is ever transferred for the Matto (A10).

    Raises:
        AssertionError: The two counts differ.
    """
    won = count_tricks(tricks)
    matto_trick, matto_seat = find_matto(tricks)
    trick_points = [0, 0]
    for trick in tricks:
        captured = [card for card in trick.cards if card != MATTO]
        trick_points[side_of(trick.winner)] += card_points(captured)
    totals = settle_points(won, trick_points, side_of(matto_seat), discard, side_of(dealer))

    piles = settle_piles(tricks, dealer, discard)
    if totals != [card_points(pile) for pile in piles]:
        raise AssertionError("the formula and the piles give different points")
    no_count = {"subtotal": 0, "multiplier": 1, "total": 0}
    return {
        "totals": totals,
        "result": name_result(totals),
        "card_points": list(totals),
        "last_trick": [0, 0],
        "sets": [{"rows": {}, **no_count} for _ in piles],
        "sequences": [{"families": {}, **no_count} for _ in piles],
        "declarations": [{}, {}],
        "declared_points": [0, 0],
        "matto": {
            "played_by": matto_seat,
            "trick": matto_trick,
            "kept_by": 0 if MATTO in piles[0] else 1,
            "transferred_card": None,
            "transferred_by": None,
        },
        "discard": {
            "cards": in_pack_order(PIEDICAVALLO, discard),
            "owner": discard_owner(side_of(dealer), won),
        },
        "tricks": won,
        "piles": piles,
    }
