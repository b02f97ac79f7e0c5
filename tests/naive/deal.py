"""A whole deal played by the book, and random deals for comparisons.

Bolognese rules, sections 2 to 4 and 8; Piedicavallo rules, sections 3.5 to 3.9.
"""

import copy
from collections.abc import Callable, Collection, Iterable, Sequence
from random import Random
from typing import Any

from naive import bolognese, piedicavallo
from naive.cards import BOLOGNESE, MATTO, PACKS, TRUMP_STRENGTHS, VARIANTS, in_pack_order
from naive.combos import declaration_is_legal, table_declarations
from naive.discard import NO_SWITCHES, DiscardSwitches, discard_verdict, legal_discards
from naive.play import (
    DEALER_HAND_SIZE,
    HAND_SIZE,
    SEAT_COUNT,
    TRICK_COUNT,
    Trick,
    deal_order,
    legal_plays,
    next_seat,
    trick_winner,
)

# ("discard", frozenset of two ids), ("declare", frozenset of ids) or ("play", id).
Move = tuple[str, Any]


class IllegalMoveError(ValueError):
    """Raised when a move breaks the rules; the message gives the reason."""


class NaiveDeal:
    """One deal, from the dealer's 17 cards to the count.

    Attributes:
        variant: "bolognese" (the single-deal table) or "piedicavallo".
        dealer: the dealer's seat.
        switches: local wordings of the discard at Piedicavallo.
        dealt: the four hands as dealt, in pack order; never changed.
        hands: the four hands now.
        discard: the dealer's two cards, None before the discard.
        announced_trumps: the dealer's announcement, None before the discard and at Bologna.
        declarations: the cards exposed by each seat that has declared.
        tricks: the finished tricks.
        trick: the cards of the running trick, in playing order.
        leader: the seat that leads the running trick.
        moves: (seat, move) for every move applied.
    """

    def __init__(
        self,
        variant: str,
        dealer: int,
        hands: Sequence[Iterable[str]],
        switches: DiscardSwitches = NO_SWITCHES,
    ) -> None:
        """Starts a deal.

        Args:
            variant: "bolognese" or "piedicavallo".
            dealer: the dealer's seat, 0 to 3.
            hands: four hands as dealt, 17 cards for the dealer and 15 for the others.
            switches: local wordings of the discard at Piedicavallo.

        Raises:
            ValueError: The variant, the dealer or the hands are wrong.
        """
        if variant not in VARIANTS:
            raise ValueError(f"unknown variant {variant!r}")
        if dealer not in range(SEAT_COUNT):
            raise ValueError(f"no seat {dealer!r}")
        dealt = [list(hand) for hand in hands]
        sizes = [DEALER_HAND_SIZE if seat == dealer else HAND_SIZE for seat in range(SEAT_COUNT)]
        if [len(hand) for hand in dealt] != sizes:
            raise ValueError("wrong hand sizes")
        if sorted(card for hand in dealt for card in hand) != sorted(PACKS[variant]):
            raise ValueError("the hands are not a pack")
        self.variant = variant
        self.dealer = dealer
        self.switches = switches
        self.dealt = [in_pack_order(variant, hand) for hand in dealt]
        self.hands = [list(hand) for hand in self.dealt]
        self.discard: frozenset[str] | None = None
        self.announced_trumps: int | None = None
        self.declarations: dict[int, frozenset[str]] = {}
        self.tricks: list[Trick] = []
        self.trick: list[str] = []
        self.leader = next_seat(dealer)
        self.moves: list[tuple[int, Move]] = []

    @property
    def winners(self) -> list[int]:
        """The seat that won each finished trick."""
        return [trick.winner for trick in self.tricks]

    def copy(self) -> "NaiveDeal":
        """Returns an independent copy of the deal."""
        return copy.deepcopy(self)

    def turn(self) -> int | None:
        """Returns the seat that has to move, None after the end."""
        if self.discard is None:
            return self.dealer
        if len(self.tricks) == TRICK_COUNT:
            return None
        return (self.leader + len(self.trick)) % SEAT_COUNT

    def phase(self) -> str:
        """Returns "discard", "declare", "play" or "end".

        Every seat declares immediately before its first card (A-17); Piedicavallo never declares.
        """
        seat = self.turn()
        if self.discard is None:
            return "discard"
        if seat is None:
            return "end"
        if self.variant == BOLOGNESE and seat not in self.declarations:
            return "declare"
        return "play"

    def legal_moves(self) -> list[Move]:
        """Returns every legal move in a fixed order, none after the end."""
        phase, seat = self.phase(), self.turn()
        if seat is None:
            return []
        hand = self.hands[seat]
        if phase == "discard":
            return [("discard", pair) for pair in legal_discards(self.variant, hand, self.switches)]
        if phase == "declare":
            return [("declare", cards) for cards in table_declarations(hand)]
        return [("play", card) for card in legal_plays(self.variant, hand, self.trick)]

    def apply(self, move: Move) -> None:
        """Carries out a move of the seat whose turn it is.

        Raises:
            IllegalMoveError: The move is not legal now; nothing has changed.
        """
        kind, content = move
        seat, phase = self.turn(), self.phase()
        if seat is None or kind != phase:
            raise IllegalMoveError(f"{kind} in phase {phase}")
        if kind == "discard":
            self._apply_discard(content)
        elif kind == "declare":
            self._apply_declaration(seat, content)
        else:
            self._apply_play(seat, content)
        self.moves.append((seat, (kind, content)))

    def _apply_discard(self, cards: Collection[str]) -> None:
        hand = self.hands[self.dealer]
        verdict = discard_verdict(self.variant, hand, cards, self.switches)
        if not verdict.legal:
            raise IllegalMoveError(verdict.reason)
        self.discard = frozenset(cards)
        self.announced_trumps = verdict.announced_trumps
        for card in cards:
            hand.remove(card)

    def _apply_declaration(self, seat: int, cards: Collection[str]) -> None:
        if not declaration_is_legal("table", self.hands[seat], cards):
            raise IllegalMoveError("neither nothing nor everything is declared")
        self.declarations[seat] = frozenset(cards)

    def _apply_play(self, seat: int, card: str) -> None:
        hand = self.hands[seat]
        if card not in legal_plays(self.variant, hand, self.trick):
            raise IllegalMoveError(f"{card} may not be played")
        hand.remove(card)
        self.trick.append(card)
        if len(self.trick) < SEAT_COUNT:
            return
        place = trick_winner(self.variant, self.trick)
        if place is None:
            raise AssertionError("four cards and no winner")
        winner = (self.leader + place) % SEAT_COUNT
        self.tricks.append(Trick(self.leader, tuple(self.trick), winner))
        self.trick = []
        self.leader = winner

    def score(self) -> dict[str, Any]:
        """Counts the finished deal.

        Returns:
            A dict. Entries that are lists hold one item for side 0 and one for side 1.
            totals, card_points, last_trick, declared_points: whole points.
            result: the winning side, or "tie".
            sets: {"rows": points of each scoring row, "subtotal", "multiplier", "total"}.
            sequences: {"families": points of each scoring family, "subtotal", "multiplier", "total"}.
            declarations: {seat: {"cards", "sets", "sequences", "points"}} for each side's seats.
            matto: {"played_by": seat, "trick": index, "kept_by": side, "transferred_card": id or
            None, "transferred_by": side or None}.
            discard: {"cards": ids, "owner": side}.
            tricks: tricks won. piles: the cards counted, after the settlement, in pack order.

        Raises:
            ValueError: The deal is not over.
        """
        if self.discard is None or self.phase() != "end":
            raise ValueError("the deal is not over")
        if self.variant == BOLOGNESE:
            return bolognese.settle_deal(self.tricks, self.dealer, self.discard, self.declarations)
        return piedicavallo.settle_deal(self.tricks, self.dealer, self.discard)


def random_deal(variant: str, rng: Random) -> tuple[int, list[list[str]]]:
    """Shuffles and deals; returns the dealer and the four hands as dealt."""
    return _hand_out(variant, rng, {})


def lopsided_deal(variant: str, rng: Random) -> tuple[int, list[list[str]]]:
    """Deals one seat most of the highest trumps and the Matto anywhere: a source of sweeps."""
    seat = rng.randrange(SEAT_COUNT)
    highest = list(TRUMP_STRENGTHS[variant])[:HAND_SIZE]
    return _hand_out(variant, rng, {seat: rng.sample(highest, HAND_SIZE - rng.choice((0, 0, 1, 2)))})


def _hand_out(variant: str, rng: Random, given: dict[int, list[str]]) -> tuple[int, list[list[str]]]:
    fixed = {card for cards in given.values() for card in cards}
    pack = [card for card in PACKS[variant] if card not in fixed]
    rng.shuffle(pack)
    dealer = rng.randrange(SEAT_COUNT)
    hands = [list(given.get(seat, [])) for seat in range(SEAT_COUNT)]
    for seat in deal_order(dealer):
        size = DEALER_HAND_SIZE if seat == dealer else HAND_SIZE
        while len(hands[seat]) < size:
            hands[seat].append(pack.pop())
    return dealer, [in_pack_order(variant, hand) for hand in hands]


def play_out(
    variant: str,
    dealer: int,
    hands: Sequence[Iterable[str]],
    choose: Callable[[NaiveDeal, list[Move]], Move],
) -> dict[str, Any]:
    """Plays a deal to the end and returns its record.

    Args:
        variant: "bolognese" or "piedicavallo".
        dealer: the dealer's seat.
        hands: the four hands as dealt.
        choose: picks one of the legal moves.

    Returns:
        A dict with "variant", "dealer", "hands" (as dealt), "moves" ((seat, move) in order),
        "winners" (seat per trick), "announced_trumps" and "score".
    """
    deal = NaiveDeal(variant, dealer, hands)
    while deal.phase() != "end":
        deal.apply(choose(deal, deal.legal_moves()))
    return {
        "variant": variant,
        "dealer": dealer,
        "hands": deal.dealt,
        "moves": deal.moves,
        "winners": deal.winners,
        "announced_trumps": deal.announced_trumps,
        "score": deal.score(),
    }


def play_random(variant: str, rng: Random) -> dict[str, Any]:
    """Deals at random, plays uniformly random legal moves, returns the record of `play_out`."""
    dealer, hands = random_deal(variant, rng)
    return play_out(variant, dealer, hands, lambda _deal, moves: rng.choice(moves))


def play_lopsided(variant: str, rng: Random) -> dict[str, Any]:
    """Plays a lopsided deal at random, the Matto kept back half of the time."""
    dealer, hands = lopsided_deal(variant, rng)
    keeps_matto = rng.random() < 0.5

    def choose(_deal: NaiveDeal, moves: list[Move]) -> Move:
        others = [move for move in moves if move != ("play", MATTO)]
        return rng.choice(others if keeps_matto and others else moves)

    return play_out(variant, dealer, hands, choose)
