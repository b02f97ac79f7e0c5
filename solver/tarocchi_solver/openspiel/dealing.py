"""The deal card by card, as the chance nodes of a game, and back from a deal to its cards.

The order is that of the table: packet by packet, in each the seats from the dealer's right on, the stock last. A seat
takes its cards up when all are dealt, so the order inside a packet tells nobody anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tarocchi_engine import Standing, State, Variant
from tarocchi_engine.cards import cards_in

STOCK = -1


def receivers(variant: Variant, dealer: int) -> tuple[int, ...]:
    """Returns for each card of the pack, in the order of the deal, the seat that gets it, or STOCK."""
    seats = [(dealer + step) % variant.seat_count for step in range(1, variant.seat_count + 1)]
    packets = {seat: variant.packets(seat, dealer) for seat in seats}
    order: list[int] = []
    for number in range(max(map(len, packets.values()))):
        for seat in seats:
            order += [seat] * sum(packets[seat][number : number + 1])
    return (*order, *[STOCK] * variant.stock_size)


def deal(variant: Variant, dealer: int, cards: Sequence[int], standing: Standing) -> State:
    """Returns the deal of a whole pack in this order."""
    order: dict[int, list[int]] = {seat: [] for seat in (*range(variant.seat_count), STOCK)}
    for seat, card in zip(receivers(variant, dealer), cards, strict=True):
        order[seat].append(card)
    stock = sum(1 << card for card in order.pop(STOCK))
    hands = [sum(1 << card for card in held) for held in order.values()]
    return State.new(variant, dealer, hands, standing, stock=stock, order=list(order.values()))


def cards_dealt(state: State) -> tuple[int, ...]:
    """Returns all cards in an order in which `deal` makes the deal of `state` of them."""
    variant, dealer = state.variant, state.table.dealer
    piles = {STOCK: list(cards_in(state.stock))}
    for seat, held in enumerate(state.packets):
        piles[seat] = [card for before, now in pairwise((0, *held)) for card in cards_in(now & ~before)]
    for pile in piles.values():
        pile.reverse()
    return tuple(piles[seat].pop() for seat in receivers(variant, dealer))
