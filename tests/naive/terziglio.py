"""A deal of Terziglio: the auction, the stock, one declarer against two defenders.

Bolognese rules, section 7. The session of several deals is in `match.TerziglioSession`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from naive import bolognese
from naive.cards import BOLOGNESE, PACKS, in_pack_order, is_five_point_card
from naive.discard import find_common_fault
from naive.full_deal import FullDeal, FullMove
from naive.play import count_tricks
from naive.signals import HOLDS_MORE, STRISCIO_MEANINGS

SEAT_COUNT = 3
# Packets of each seat by hand size.
PACKETS: dict[int, tuple[int, ...]] = {18: (5, 5, 5, 3), 19: (5, 5, 5, 4)}

PASS, GIOCO, SOLO = "pass", "gioco", "solo"
CALLS = (PASS, GIOCO, SOLO)
DECLARER, DEFENDERS = 0, 1
SIDE_NAMES = ("declarer", "defenders")

ROUNDING_STEP = 50
ROUNDED_UP_BELOW = 5
ALL_TRICKS_GAME_POINTS = 40
SOLO_FACTOR = 2

EACH_WINS, ZERO_SUM = "each_wins", "zero_sum"
PAYMENTS = (EACH_WINS, ZERO_SUM)


@dataclass(frozen=True)
class TerziglioOptions:
    """The options of Terziglio.

    Attributes:
        hand_size: 18 cards and a stock of 8, or 19 and 5 (A-35).
        payment: "each_wins" or "zero_sum" (A-41).
        signals_after_top: signals in a suit only after its King, in trumps only after the Angel (A-45).
        striscio_meaning: "holds_more" or "lead_trumps" (A-34).
        giver_chooses: the card for the Matto is chosen; otherwise the automatic rule picks it (A-13).
    """

    hand_size: int = 18
    payment: str = EACH_WINS
    signals_after_top: bool = True
    striscio_meaning: str = HOLDS_MORE
    giver_chooses: bool = True

    def __post_init__(self) -> None:
        """Refuses unknown values."""
        if self.hand_size not in PACKETS:
            raise ValueError(f"no hands of {self.hand_size} cards")
        if self.payment not in PAYMENTS or self.striscio_meaning not in STRISCIO_MEANINGS:
            raise ValueError("unknown payment or striscio_meaning")

    @property
    def stock_size(self) -> int:
        """The cards left over, as many as the declarer lays away."""
        return len(PACKS[BOLOGNESE]) - SEAT_COUNT * self.hand_size


DEFAULT_OPTIONS = TerziglioOptions()


class TooManyMovesError(ValueError):
    """Raised instead of a list of astronomic length; the message names the way out."""


# --- the auction


def legal_calls(calls: Sequence[str]) -> list[str]:
    """Returns what the next seat may say: gioco before any bid, solo before any solo (A-37)."""
    if auction_is_over(calls):
        return []
    return [PASS, SOLO] if GIOCO in calls else [PASS, GIOCO, SOLO]


def auction_is_over(calls: Sequence[str]) -> bool:
    """Tells whether all have spoken or somebody said solo."""
    return len(calls) == SEAT_COUNT or SOLO in calls


class Contract(NamedTuple):
    """What is played and the place in the auction, 0 for the dealer's right, of the declarer."""

    name: str
    place: int


def read_calls(calls: Sequence[str]) -> Contract | None:
    """Returns the highest bid so far, None when all passed.

    Raises:
        ValueError: A call was not legal.
    """
    for place, call in enumerate(calls):
        if call not in legal_calls(calls[:place]):
            raise ValueError(f"call {place}: {call}")
    for name in (SOLO, GIOCO):
        if name in calls:
            return Contract(name, calls.index(name))
    return None


# --- the count


def stock_owner(contract: str, declarer_tricks: int, last_trick_side: int) -> int:
    """Returns the side that counts the discard of a gioco, or the stock of a solo (section 7)."""
    if contract == SOLO:
        return last_trick_side
    return DECLARER if declarer_tricks > 0 else DEFENDERS


class GameCount(NamedTuple):
    """The winning side, its total rounded to fifties (None when nothing was counted), the game points."""

    winner: int
    rounded: int | None
    game_points: int


def round_total(total: Fraction) -> int:
    """Returns the total rounded down to fifties, but up when less than five points are missing (A-38)."""
    rounded = ROUNDING_STEP * int(total // ROUNDING_STEP)
    missing = rounded + ROUNDING_STEP - total
    return rounded + ROUNDING_STEP if missing < ROUNDED_UP_BELOW else rounded


def count_game(contract: str, totals: Sequence[Fraction], tricks_won: Sequence[int]) -> GameCount:
    """Returns the game points of a deal; a tie is lost by the declarer.

    Args:
        contract: "gioco" or "solo".
        totals: exact points of the declarer and of the defenders.
        tricks_won: tricks of the declarer and of the defenders.
    """
    if 0 in tricks_won:
        return GameCount(1 - list(tricks_won).index(0), None, ALL_TRICKS_GAME_POINTS)
    winner = DECLARER if totals[DECLARER] > totals[DEFENDERS] else DEFENDERS
    rounded = round_total(totals[winner])
    game_points = rounded // ROUNDING_STEP
    return GameCount(winner, rounded, game_points * (SOLO_FACTOR if contract == SOLO else 1))


class Award(NamedTuple):
    """Game points of the declarer and of each defender."""

    declarer: int
    each_defender: int


def award_game(winner: int, game_points: int, payment: str) -> Award:
    """Returns who gets what (A-41)."""
    if payment == ZERO_SUM:
        each = -game_points if winner == DECLARER else game_points
        return Award(-2 * each, each)
    return Award(game_points, 0) if winner == DECLARER else Award(0, game_points)


class TerziglioDeal(FullDeal):
    """One deal, from the auction to the game points. Side 0 is the declarer, side 1 the defenders.

    Attributes, besides those of `FullDeal`:
        options: the options of the session.
        stock: the cards left over, in pack order; never changed.
        calls: the calls so far, from the dealer's right.
        contract: "gioco" or "solo" once the auction is over, None before and when all passed.
        declarer: the declarer's seat, None as above.
    """

    profile = "terziglio"

    def __init__(
        self,
        dealer: int,
        hands: Sequence[Sequence[str]],
        stock: Sequence[str],
        options: TerziglioOptions = DEFAULT_OPTIONS,
    ) -> None:
        """Starts a deal.

        Args:
            dealer: the dealer's seat, 0 to 2.
            hands: three hands.
            stock: the cards left over.
            options: the options of the session.

        Raises:
            ValueError: The dealer or the hands are wrong.
        """
        size = options.hand_size
        sizes = [size] * SEAT_COUNT
        super().__init__(dealer, hands, stock, sizes, size, options.striscio_meaning, options.giver_chooses)
        self.options = options
        self.stock = in_pack_order(BOLOGNESE, stock)
        self.calls: list[str] = []
        self.contract: str | None = None
        self.declarer: int | None = None

    def side_of(self, seat: int) -> int:
        """Returns 0 for the declarer, 1 for a defender; while there is no declarer all are on side 1."""
        return DECLARER if seat == self.declarer else DEFENDERS

    def may_signal(self, seat: int) -> bool:
        """Only a defender has a partner (A-45)."""
        return seat != self.declarer

    def signals_after_top(self) -> bool:
        """Tells whether the limit is on."""
        return self.options.signals_after_top

    def aside(self) -> Collection[str]:
        """Returns the declarer's discard in a gioco, the stock in a solo."""
        return self.stock if self.contract == SOLO else self.discard or frozenset()

    def aside_owner(self) -> int:
        """Returns the side that counts the discard or the stock."""
        tricks = count_tricks(self.tricks, self.side_of)
        return stock_owner(self.contract or "", tricks[DECLARER], self.side_of(self.tricks[-1].winner))

    def is_cut_short(self) -> bool:
        """Tells whether all passed (A-36)."""
        return auction_is_over(self.calls) and self.contract is None

    # --- the opening

    def opening_phase(self) -> str | None:
        """Returns "bid", "discard" or None."""
        if not auction_is_over(self.calls):
            return "bid"
        return "discard" if self.contract == GIOCO and self.discard is None else None

    def opening_turn(self) -> int:
        """Returns the seat that has to bid, else the declarer."""
        if self.declarer is not None:
            return self.declarer
        return self.order()[len(self.calls)]

    def opening_moves(self) -> list[FullMove]:
        """Returns the legal calls.

        Raises:
            TooManyMovesError: The declarer lays away 8 of 26 or 5 of 24 cards; use `discard_is_legal`,
                `random_discard` or `random_move`.
        """
        if self.opening_phase() == "bid":
            return [("bid", call) for call in legal_calls(self.calls)]
        raise TooManyMovesError("the discards are too many for a list: use discard_is_legal or random_discard")

    def find_discard_fault(self, cards: Collection[str]) -> str | None:
        """Returns why the declarer may not lay these cards away, None when he may (A-46)."""
        if self.phase() != "discard" or self.declarer is None:
            return "no discard now"
        return find_common_fault(BOLOGNESE, self.hands[self.declarer], cards, self.options.stock_size)

    def discard_is_legal(self, cards: Collection[str]) -> bool:
        """Tells whether the declarer, who has taken the stock, may lay these cards away."""
        return self.find_discard_fault(cards) is None

    def random_discard(self, rng: Random) -> frozenset[str]:
        """Returns one of the legal discards, all equally likely."""
        if self.phase() != "discard" or self.declarer is None:
            raise ValueError("no discard now")
        free = [card for card in self.hands[self.declarer] if not is_five_point_card(BOLOGNESE, card)]
        return frozenset(rng.sample(free, self.options.stock_size))

    def random_move(self, rng: Random) -> FullMove:
        """Returns a random legal move."""
        if self.phase() == "discard":
            return ("discard", self.random_discard(rng))
        return super().random_move(rng)

    def find_opening_fault(self, content: Any) -> str | None:
        """Returns why a call or discard is not legal, None when it is."""
        if self.opening_phase() == "bid":
            return None if content in legal_calls(self.calls) else f"{content} may not be said"
        return self.find_discard_fault(content)

    def apply_opening(self, content: Any) -> None:
        """Carries out a call or the discard; the declarer of a gioco takes the stock at once."""
        if self.opening_phase() == "discard" and self.declarer is not None:
            self._apply_discard(self.declarer, content)
            return
        self.calls.append(content)
        contract = read_calls(self.calls)
        if auction_is_over(self.calls) and contract is not None:
            self.contract = contract.name
            self.declarer = self.order()[contract.place]
            if self.contract == GIOCO:
                self.hands[self.declarer] = in_pack_order(BOLOGNESE, self.hands[self.declarer] + self.stock)

    # --- the count

    def score(self) -> dict[str, Any]:
        """Counts the finished deal.

        Returns:
            A dict. contract, declarer: None when all passed. award: the game points of each seat.
            Unless all passed also, lists holding one item for the declarer and one for the defenders:
            the entries of `NaiveDeal.score`, totals and card points as exact fractions, without "result";
            "aside": {"cards", "owner"}, the discard of a gioco or the stock of a solo, instead of "discard";
            "matto" has None for "played_by" and "trick" when it lay in the stock of a solo (A-50);
            "game": {"winner": side, "rounded": int or None, "game_points": int}.

        Raises:
            ValueError: The deal is not over.
        """
        if self.phase() != "end":
            raise ValueError("the deal is not over")
        if self.contract is None:
            return {"contract": None, "declarer": None, "award": [0] * SEAT_COUNT}
        owner = self.aside_owner()
        count = bolognese.count_deal(self.tricks, self.aside(), owner, self.declarations, self.gift, self.side_of)
        game = count_game(self.contract, count["totals"], count["tricks"])
        award = award_game(game.winner, game.game_points, self.options.payment)
        return {
            **count,
            "contract": self.contract,
            "declarer": self.declarer,
            "aside": {"cards": in_pack_order(BOLOGNESE, self.aside()), "owner": owner},
            "game": game._asdict(),
            "award": [award.declarer if seat == self.declarer else award.each_defender for seat in range(SEAT_COUNT)],
        }
