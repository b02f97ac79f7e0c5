"""What a deal of the match to 800 and a deal of Terziglio share: declarations of any set, signals, the gift.

Bolognese rules, sections 3, 4 and 6. The single-deal table needs none of this: see `deal.NaiveDeal`.
"""

import copy
from collections.abc import Collection, Sequence
from random import Random
from typing import Any

from naive.bolognese import find_debtor, gift_choices, lay_out_piles, settlement_card, sum_declarations
from naive.cards import BOLOGNESE, PACKS, in_pack_order
from naive.combos import declaration_is_legal
from naive.deal import IllegalMoveError
from naive.declarations import legal_declarations, random_declaration
from naive.play import Trick, deal_order, legal_plays, next_seat, trick_winner
from naive.signals import SIGNALS, look_back, signal_is_allowed

# ("monte", bool), ("call_out", frozenset or None), ("bid", call), ("discard", frozenset), ("declare", frozenset),
# ("play", id, signal or None), ("give", id).
FullMove = tuple[Any, ...]


class FullDeal:
    """A deal whose opening, up to the first trick, is told by the subclass.

    Attributes:
        seat_count: 4 or 3. trick_count: tricks of the deal.
        dealer: the dealer's seat.
        dealt: the hands in the order dealt; never changed.
        hands: the hands now, in pack order.
        discard: the cards laid away, None before.
        declarations: the cards exposed by each seat that has declared.
        declared_points: the points each side has declared so far.
        tricks: the finished tricks. trick: the cards of the running one, in playing order.
        leader: the seat that leads the running trick.
        signals: the signal made with the lead of each trick, None where there was none.
        gift: the card chosen for the Matto, None before or when nothing is owed.
        moves: (seat, move) for every move applied.
    """

    profile: str

    def __init__(
        self,
        dealer: int,
        hands: Sequence[Sequence[str]],
        stock: Sequence[str],
        sizes: Sequence[int],
        trick_count: int,
        striscio_meaning: str,
        giver_chooses: bool,
    ) -> None:
        """Starts a deal; the subclasses say with what.

        Raises:
            ValueError: The dealer or the hands are wrong.
        """
        if dealer not in range(len(sizes)):
            raise ValueError(f"no seat {dealer!r}")
        if [len(hand) for hand in hands] != list(sizes):
            raise ValueError("wrong hand sizes")
        if sorted([card for hand in hands for card in hand] + list(stock)) != sorted(PACKS[BOLOGNESE]):
            raise ValueError("the hands are not a pack")
        self.seat_count = len(sizes)
        self.trick_count = trick_count
        self.striscio_meaning = striscio_meaning
        self.giver_chooses = giver_chooses
        self.dealer = dealer
        self.dealt = [list(hand) for hand in hands]
        self.hands = [in_pack_order(BOLOGNESE, hand) for hand in hands]
        self.discard: frozenset[str] | None = None
        self.declarations: dict[int, frozenset[str]] = {}
        self.declared_points = [0, 0]
        self.tricks: list[Trick] = []
        self.trick: list[str] = []
        self.leader = next_seat(dealer, self.seat_count)
        self.signals: list[str | None] = []
        self.gift: str | None = None
        self.moves: list[tuple[int, FullMove]] = []

    # --- told by the subclass

    def side_of(self, seat: int) -> int:
        """Returns the side of a seat, 0 or 1."""
        raise NotImplementedError

    def opening_phase(self) -> str | None:
        """Returns the phase before the first trick, None once it may begin."""
        raise NotImplementedError

    def opening_turn(self) -> int:
        """Returns the seat that has to move in the opening phase."""
        raise NotImplementedError

    def opening_moves(self) -> list[FullMove]:
        """Returns every legal move of the opening phase."""
        raise NotImplementedError

    def find_opening_fault(self, content: Any) -> str | None:
        """Returns why the move of the opening phase is not legal, None when it is."""
        raise NotImplementedError

    def apply_opening(self, content: Any) -> None:
        """Carries out a legal move of the opening phase."""
        raise NotImplementedError

    def is_cut_short(self) -> bool:
        """Tells whether the deal ended without being played out."""
        raise NotImplementedError

    def aside(self) -> Collection[str]:
        """Returns the cards that are in no hand while the tricks are played."""
        raise NotImplementedError

    def aside_owner(self) -> int:
        """Returns the side that counts those cards."""
        raise NotImplementedError

    def may_signal(self, seat: int) -> bool:
        """Tells whether the seat has a partner to give signals to."""
        raise NotImplementedError

    def score(self) -> dict[str, Any]:
        """Counts the finished deal."""
        raise NotImplementedError

    # --- the course of the deal

    @property
    def winners(self) -> list[int]:
        """The seat that won each finished trick."""
        return [trick.winner for trick in self.tricks]

    def copy(self) -> "FullDeal":
        """Returns an independent copy of the deal."""
        return copy.deepcopy(self)

    def order(self) -> list[int]:
        """Returns the seats in the order in which they speak, the dealer last."""
        return deal_order(self.dealer, self.seat_count)

    def phase(self) -> str:
        """Returns the phase of the opening, else "declare", "play", "give" or "end"."""
        if self.is_cut_short():
            return "end"
        opening = self.opening_phase()
        if opening is not None:
            return opening
        if len(self.tricks) < self.trick_count:
            return "play" if self._seat_to_play() in self.declarations else "declare"
        if self.giver_chooses and self.debtor() is not None and self.gift is None:
            return "give"
        return "end"

    def turn(self) -> int | None:
        """Returns the seat that has to move, None after the end."""
        phase = self.phase()
        if phase == "end":
            return None
        if phase == "give":
            return self.debtor()
        if phase in ("declare", "play"):
            return self._seat_to_play()
        return self.opening_turn()

    def _seat_to_play(self) -> int:
        return (self.leader + len(self.trick)) % self.seat_count

    def debtor(self) -> int | None:
        """Returns, after the last trick, the seat whose Matto costs its side a card: the one that played it."""
        return find_debtor(self.tricks, self.side_of)

    def piles(self) -> list[set[str]]:
        """Returns, after the last trick, the two piles before the Matto is settled."""
        return lay_out_piles(self.tricks, self.aside(), self.aside_owner(), self.side_of)

    def gift_choices(self) -> list[str]:
        """Returns the cards the debtor may hand over, in pack order (A-13 to A-15)."""
        debtor = self.debtor()
        return [] if debtor is None else gift_choices(self.piles()[self.side_of(debtor)])

    def default_gift(self) -> str | None:
        """Returns the card of the automatic rule, None when nothing is owed."""
        debtor = self.debtor()
        if debtor is None:
            return None
        giver = self.side_of(debtor)
        return settlement_card(self.piles()[giver], self.piles()[1 - giver])

    def allowed_signals(self, seat: int, card: str) -> list[str]:
        """Returns the signals the seat may make with the card it leads; none unless it leads."""
        if self.trick or not self.may_signal(seat):
            return []
        rest = [other for other in self.hands[seat] if other != card]
        seen = look_back(self.tricks, card)
        return [
            signal
            for signal in SIGNALS
            if signal_is_allowed(signal, card, rest, seen, self.striscio_meaning, self.signals_after_top())
        ]

    def signals_after_top(self) -> bool:
        """Tells whether signals wait for the King or the Angel, a limit of Terziglio."""
        return False

    # --- moves

    def legal_moves(self) -> list[FullMove]:
        """Returns every legal move in a fixed order, none after the end.

        Slow in the phase "declare" for hands full of combinations (see `legal_declarations`).
        """
        phase, seat = self.phase(), self.turn()
        if seat is None:
            return []
        if phase == "give":
            return [("give", card) for card in self.gift_choices()]
        if phase == "declare":
            return [("declare", cards) for cards in legal_declarations(self.hands[seat])]
        if phase == "play":
            cards = legal_plays(BOLOGNESE, self.hands[seat], self.trick)
            return [("play", card, signal) for card in cards for signal in (None, *self.allowed_signals(seat, card))]
        return self.opening_moves()

    def random_move(self, rng: Random) -> FullMove:
        """Returns a random legal move without listing all of them where they may be too many."""
        seat = self.turn()
        if seat is None:
            raise ValueError("the deal is over")
        if self.phase() == "declare":
            return ("declare", random_declaration(self.hands[seat], rng))
        return rng.choice(self.legal_moves())

    def find_fault(self, move: FullMove) -> str | None:
        """Returns why the seat to move may not make this move, None when it may."""
        kind, phase, seat = move[0], self.phase(), self.turn()
        if seat is None or kind != phase:
            return f"{kind} in phase {phase}"
        if len(move) != (3 if kind == "play" else 2):
            return "wrong number of parts"
        if kind == "give":
            return None if move[1] in self.gift_choices() else f"{move[1]} may not be given"
        if kind == "declare":
            legal = declaration_is_legal(self.profile, self.hands[seat], move[1])
            return None if legal else "not every card takes part in a combination"
        if kind == "play":
            _, card, signal = move
            if card not in legal_plays(BOLOGNESE, self.hands[seat], self.trick):
                return f"{card} may not be played"
            if signal is not None and signal not in self.allowed_signals(seat, card):
                return f"no {signal} with {card}"
            return None
        return self.find_opening_fault(move[1])

    def move_is_legal(self, move: FullMove) -> bool:
        """Tells whether the seat to move may make this move."""
        return self.find_fault(move) is None

    def apply(self, move: FullMove) -> None:
        """Carries out a move of the seat whose turn it is.

        Raises:
            IllegalMoveError: The move is not legal now; nothing has changed.
        """
        fault = self.find_fault(move)
        if fault is not None:
            raise IllegalMoveError(fault)
        seat = self.turn()
        if seat is None:
            raise AssertionError("a legal move after the end")
        kind, content = move[0], move[1]
        if isinstance(content, Collection) and not isinstance(content, str):
            content = frozenset(content)
        if kind == "give":
            self.gift = content
        elif kind == "declare":
            self.declarations[seat] = content
            self.declared_points = sum_declarations(self.declarations, self.side_of)
        elif kind == "play":
            self._apply_play(seat, content, move[2])
        else:
            self.apply_opening(content)
        self.moves.append((seat, (kind, content, *move[2:])))

    def _apply_play(self, seat: int, card: str, signal: str | None) -> None:
        if not self.trick:
            self.signals.append(signal)
        self.hands[seat].remove(card)
        self.trick.append(card)
        if len(self.trick) < self.seat_count:
            return
        place = trick_winner(BOLOGNESE, self.trick)
        if place is None:
            raise AssertionError("a full trick and no winner")
        winner = (self.leader + place) % self.seat_count
        self.tricks.append(Trick(self.leader, tuple(self.trick), winner))
        self.trick = []
        self.leader = winner

    def _apply_discard(self, seat: int, cards: Collection[str]) -> None:
        self.discard = frozenset(cards)
        for card in cards:
            self.hands[seat].remove(card)


def play_randomly(deal: FullDeal, rng: Random) -> dict[str, Any]:
    """Plays a deal to the end with random legal moves and returns its score."""
    while deal.phase() != "end":
        deal.apply(deal.random_move(rng))
    return deal.score()
