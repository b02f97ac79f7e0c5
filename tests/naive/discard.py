"""The two cards the dealer lays away.

Bolognese rules, section 2 (A-08, A-46); Piedicavallo rules, section 3.6 (A2 to A6).
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from naive.cards import BOLOGNESE, MATTO, in_pack_order, is_five_point_card, is_trump
from naive.play import DISCARD_SIZE


@dataclass(frozen=True)
class DiscardSwitches:
    """The switches of Piedicavallo for local wordings of the rule.

    Attributes:
        allow_voiding: trumps may go when no trump is kept (A6).
        matto_counts_as_trump_for_discard: a kept Matto is a trump kept (A4).
    """

    allow_voiding: bool = True
    matto_counts_as_trump_for_discard: bool = False


NO_SWITCHES = DiscardSwitches()


class DiscardVerdict(NamedTuple):
    """The answer to "may these two cards go?".

    The reason is one of "wrong_number_of_cards", "card_not_held", "five_point_card",
    "trump_without_reason" (refused) and "ok" (Bologna), "no_trump", "rest_only_trumps_kings",
    "rest_no_trumps" (Piedicavallo; accepted). The announcement is a number only for an accepted
    discard of Piedicavallo.
    """

    legal: bool
    reason: str
    announced_trumps: int | None


def find_common_fault(variant: str, hand: Collection[str], discard: Collection[str], size: int) -> str | None:
    """Returns what every game refuses in a discard, None when there is nothing of it."""
    if len(discard) != size or len(set(discard)) != size:
        return "wrong_number_of_cards"
    if not all(card in hand for card in discard):
        return "card_not_held"
    if any(is_five_point_card(variant, card) for card in discard):
        return "five_point_card"
    return None


def discard_verdict(
    variant: str, hand: Collection[str], discard: Collection[str], switches: DiscardSwitches = NO_SWITCHES
) -> DiscardVerdict:
    """Judges a discard.

    Args:
        variant: "bolognese" or "piedicavallo".
        hand: the dealer's hand before the discard (17 cards).
        discard: the cards to lay away.
        switches: local wordings of Piedicavallo; Bologna has none.
    """
    fault = find_common_fault(variant, hand, discard, DISCARD_SIZE)
    if fault is not None:
        return DiscardVerdict(False, fault, None)
    if variant == BOLOGNESE:
        return DiscardVerdict(True, "ok", None)

    trump_count = len([card for card in discard if is_trump(variant, card)])
    if trump_count == 0:
        return DiscardVerdict(True, "no_trump", 0)
    rest = [card for card in hand if card not in discard]
    # A3: a kept Matto counts with the trumps and Kings.
    if all(card == MATTO or is_trump(variant, card) or card[1:] == "K" for card in rest):
        return DiscardVerdict(True, "rest_only_trumps_kings", trump_count)
    # A4: a kept Matto is not a trump, unless the switch says so.
    matto_spoils = switches.matto_counts_as_trump_for_discard and MATTO in rest
    if switches.allow_voiding and not matto_spoils and not any(is_trump(variant, card) for card in rest):
        return DiscardVerdict(True, "rest_no_trumps", trump_count)
    return DiscardVerdict(False, "trump_without_reason", None)


def legal_discards(
    variant: str, hand: Collection[str], switches: DiscardSwitches = NO_SWITCHES
) -> list[frozenset[str]]:
    """Returns every legal discard of a dealer's hand, in a fixed order."""
    pairs = combinations(in_pack_order(variant, hand), DISCARD_SIZE)
    return [frozenset(pair) for pair in pairs if discard_verdict(variant, hand, pair, switches).legal]


def discardable_cards(variant: str, hand: Collection[str]) -> list[str]:
    """Returns the cards that occur in at least one legal discard, in pack order."""
    discards = legal_discards(variant, hand)
    return [card for card in in_pack_order(variant, hand) if any(card in pair for pair in discards)]


def discard_owner(dealer_side: int, tricks_won: list[int]) -> int:
    """Returns the side that counts the discard: the dealer's, unless it won no trick (A-07, A1)."""
    return dealer_side if tricks_won[dealer_side] > 0 else 1 - dealer_side
