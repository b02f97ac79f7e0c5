"""Random hands in the order dealt, for the match to 800 and for Terziglio.

Bolognese rules, sections 2 and 7.
"""

from collections.abc import Sequence
from random import Random

from naive.cards import BOLOGNESE, PACKS, TRUMP_STRENGTHS
from naive.play import DEALER_HAND_SIZE, HAND_SIZE, SEAT_COUNT, deal_order
from naive.terziglio import PACKETS
from naive.terziglio import SEAT_COUNT as TERZIGLIO_SEAT_COUNT

OTTOCENTO_PACKETS = (5, 5, 5)


def deal_in_packets(
    pack: Sequence[str], dealer: int, seat_count: int, packets: Sequence[int]
) -> tuple[list[list[str]], list[str]]:
    """Deals from the top of the pack; returns the hands in the order dealt and the cards left over."""
    left = list(pack)
    hands: list[list[str]] = [[] for _ in range(seat_count)]
    for packet in packets:
        for seat in deal_order(dealer, seat_count):
            hands[seat] += left[:packet]
            left = left[packet:]
    return hands, left


def shuffle_ottocento(rng: Random, dealer: int) -> list[list[str]]:
    """Returns four hands; the dealer's last two cards are the last two of the pack."""
    pack = list(PACKS[BOLOGNESE])
    rng.shuffle(pack)
    hands, last_two = deal_in_packets(pack, dealer, SEAT_COUNT, OTTOCENTO_PACKETS)
    hands[dealer] += last_two
    return hands


def shuffle_terziglio(rng: Random, dealer: int, hand_size: int = 18) -> tuple[list[list[str]], list[str]]:
    """Returns three hands and the stock."""
    pack = list(PACKS[BOLOGNESE])
    rng.shuffle(pack)
    return deal_in_packets(pack, dealer, TERZIGLIO_SEAT_COUNT, PACKETS[hand_size])


def stack_ottocento(rng: Random, dealer: int) -> list[list[str]]:
    """Returns four hands, one of them full of the highest trumps: a source of sweeps and of declarations."""
    sizes = [DEALER_HAND_SIZE if seat == dealer else HAND_SIZE for seat in range(SEAT_COUNT)]
    hands, _ = _stack(rng, sizes, HAND_SIZE - rng.choice((0, 0, 1, 2)))
    return hands


def stack_terziglio(rng: Random, hand_size: int = 18) -> tuple[list[list[str]], list[str]]:
    """Returns three hands, one of them full of the highest trumps, and the stock."""
    return _stack(rng, [hand_size] * TERZIGLIO_SEAT_COUNT, hand_size - rng.choice((0, 0, 1, 2)))


def _stack(rng: Random, sizes: Sequence[int], trump_count: int) -> tuple[list[list[str]], list[str]]:
    strong = rng.randrange(len(sizes))
    trumps = rng.sample(list(TRUMP_STRENGTHS[BOLOGNESE])[: max(sizes)], trump_count)
    pack = [card for card in PACKS[BOLOGNESE] if card not in trumps]
    rng.shuffle(pack)
    hands = []
    for seat, size in enumerate(sizes):
        hand = trumps[:size] if seat == strong else []
        while len(hand) < size:
            hand = [*hand, pack.pop()]
        rng.shuffle(hand)
        hands.append(hand)
    return hands, pack
