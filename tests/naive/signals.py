"""The three gestures made with the card that leads a trick.

Bolognese rules, section 6 (A-34) and, for Terziglio, section 7 (A-45).
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from naive.cards import BOLOGNESE, MATTO_SUIT, PACKS, TRUMP_SUIT, is_trump, suit_of
from naive.play import Trick

VOLO, STRISCIO, BUSSO = "volo", "striscio", "busso"
SIGNALS = (VOLO, STRISCIO, BUSSO)

HOLDS_MORE, LEAD_TRUMPS = "holds_more", "lead_trumps"
STRISCIO_MEANINGS = (HOLDS_MORE, LEAD_TRUMPS)


class Seen(NamedTuple):
    """What the tricks before this one have shown that matters for a signal.

    king_of_suit: the King of the suit that is led. all_trumps: all 21 trumps. angel: the Angel.
    """

    king_of_suit: bool
    all_trumps: bool
    angel: bool


def look_back(tricks: Iterable[Trick], led_card: str) -> Seen:
    """Returns what the finished tricks have shown; cards laid away or left in the stock are never seen."""
    played = {card for trick in tricks for card in trick.cards}
    king = suit_of(BOLOGNESE, led_card) + "K"
    trumps = {card for card in PACKS[BOLOGNESE] if is_trump(BOLOGNESE, card)}
    return Seen(king in played, trumps <= played, "ANG" in played)


def signal_is_allowed(
    signal: str,
    led_card: str,
    rest_of_hand: Collection[str],
    seen: Seen,
    striscio_meaning: str = HOLDS_MORE,
    after_top: bool = False,
) -> bool:
    """Tells whether the leader of a trick may make the signal with his card.

    Args:
        signal: "volo", "striscio" or "busso".
        led_card: the card he leads.
        rest_of_hand: his other cards.
        seen: what the earlier tricks have shown.
        striscio_meaning: "holds_more", which must be true, or "lead_trumps", which is a wish.
        after_top: the limit of Terziglio: a suit only after its King, trumps only after the Angel.
    """
    if signal not in SIGNALS:
        raise ValueError(f"unknown signal {signal!r}")
    suit = suit_of(BOLOGNESE, led_card)
    if suit == MATTO_SUIT:
        return False
    if suit == TRUMP_SUIT:
        is_open = seen.angel or not after_top
    else:
        is_open = seen.king_of_suit or (seen.all_trumps and not after_top)
    if not is_open:
        return False
    holds_more = any(suit_of(BOLOGNESE, card) == suit for card in rest_of_hand)
    if signal == VOLO:
        return not holds_more
    if signal == STRISCIO and striscio_meaning == HOLDS_MORE:
        return holds_more
    return True
