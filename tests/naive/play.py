"""Seats, the cards that may be played, and who wins a trick: the same in all games.

Bolognese rules, sections 2 and 3; Piedicavallo rules, sections 3.5 and 3.7. Four seats and the sides of
the four-handed games are the defaults; Terziglio gives three seats and sides of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from naive.cards import MATTO, TRUMP_SUIT, in_pack_order, strength_of, suit_of

SEAT_COUNT = 4
TRICK_COUNT = 15
HAND_SIZE = 15
DEALER_HAND_SIZE = 17
DISCARD_SIZE = 2


class Trick(NamedTuple):
    """A finished trick: the seat that led, one card of each seat in playing order, the seat that won."""

    leader: int
    cards: tuple[str, ...]
    winner: int

    def plays(self) -> list[tuple[int, str]]:
        """Returns (seat, card) in playing order."""
        return [((self.leader + place) % len(self.cards), card) for place, card in enumerate(self.cards)]


def side_of(seat: int) -> int:
    """Returns the side of a seat: 0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat % 2


def next_seat(seat: int, seat_count: int = SEAT_COUNT) -> int:
    """Returns the seat to the right, which is the next one in deal and play."""
    return (seat + 1) % seat_count


def deal_order(dealer: int, seat_count: int = SEAT_COUNT) -> list[int]:
    """Returns the seats in the order in which they receive cards and speak, the dealer last."""
    return [(dealer + step) % seat_count for step in range(1, seat_count + 1)]


def led_suit(variant: str, trick: Sequence[str]) -> str | None:
    """Returns the suit of the first card that is not the Matto, or None (A-10, A12)."""
    for card in trick:
        if card != MATTO:
            return suit_of(variant, card)
    return None


def legal_plays(variant: str, hand: Iterable[str], trick: Sequence[str]) -> list[str]:
    """Returns the cards of the hand that may be played, in pack order.

    Args:
        variant: "bolognese" or "piedicavallo".
        hand: the whole hand of the player to move.
        trick: the cards already lying in the trick, in playing order; empty for the leader.
    """
    held = in_pack_order(variant, hand)
    led = led_suit(variant, trick)
    if led is None:
        return held
    of_led_suit = [card for card in held if suit_of(variant, card) == led]
    if of_led_suit:
        return [card for card in held if card in of_led_suit or card == MATTO]
    trumps = [card for card in held if suit_of(variant, card) == TRUMP_SUIT]
    if trumps:
        return [card for card in held if card in trumps or card == MATTO]
    return held


def trick_winner(variant: str, trick: Sequence[str]) -> int | None:
    """Returns the place in the trick of the winning card, None while only the Matto lies there.

    Trumps beat everything; without trumps the led suit decides. Among equal cards (the Moors of
    Bologna) the one played last wins (A-09).
    """
    led = led_suit(variant, trick)
    if led is None:
        return None
    suits = [suit_of(variant, card) for card in trick]
    winning_suit = TRUMP_SUIT if TRUMP_SUIT in suits else led
    places = [place for place, suit in enumerate(suits) if suit == winning_suit]
    highest = max(strength_of(variant, trick[place]) for place in places)
    return [place for place in places if strength_of(variant, trick[place]) == highest][-1]


def count_tricks(tricks: Iterable[Trick], side: Callable[[int], int] = side_of) -> list[int]:
    """Returns the number of tricks won by side 0 and by side 1."""
    won = [0, 0]
    for trick in tricks:
        won[side(trick.winner)] += 1
    return won


def find_matto(tricks: Sequence[Trick]) -> tuple[int, int]:
    """Returns the index of the trick in which the Matto fell and the seat that played it."""
    for index, trick in enumerate(tricks):
        for seat, card in trick.plays():
            if card == MATTO:
                return index, seat
    raise ValueError("the Matto was not played")


def collect_piles(tricks: Iterable[Trick], side: Callable[[int], int] = side_of) -> list[list[str]]:
    """Returns the cards each side has taken, the Matto with the side that played it.

    This is before the forfeits, the dealer's discard and the settlement card.
    """
    piles: list[list[str]] = [[], []]
    for trick in tricks:
        for seat, card in trick.plays():
            owner = seat if card == MATTO else trick.winner
            piles[side(owner)].append(card)
    return piles


def name_result(totals: Sequence[int]) -> int | str:
    """Returns the side with more points, or "tie" (A-47; Piedicavallo rules, section 3.9)."""
    if totals[0] == totals[1]:
        return "tie"
    return 0 if totals[0] > totals[1] else 1
