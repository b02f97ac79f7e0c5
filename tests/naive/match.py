"""Several deals in a row: the match to 800, a session of Terziglio, four deals of Piedicavallo.

Bolognese rules, sections 2, 6 and 7; Piedicavallo rules, section 3.10.
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from naive import ottocento, terziglio
from naive.cards import PIEDICAVALLO
from naive.deal import NaiveDeal
from naive.discard import NO_SWITCHES, DiscardSwitches
from naive.full_deal import FullDeal
from naive.ottocento import OttocentoDeal, OttocentoOptions
from naive.play import SEAT_COUNT, name_result, next_seat
from naive.terziglio import TerziglioDeal, TerziglioOptions

VILLAGE_DEAL_COUNT = 4
SESSION_DEAL_COUNT = 9


class NaiveMatch:
    """What all matches share: `next_deal`, play that deal to its end, `close_deal`, until `over`.

    Attributes:
        dealer: the seat that deals, or after `close_deal` the seat that deals next.
        scores: the scores so far, one a side, in Terziglio one a seat.
        entries: what each finished deal added to the scores.
        dealers: the dealer of each finished deal.
        deal: the running deal, None between deals.
        over: whether the match is over.
        winner: None before the end; then the winning side (in Terziglio the seat), or "tie".
    """

    def __init__(self, seat_count: int, first_dealer: int, scores: Sequence[int]) -> None:
        """Starts a match.

        Raises:
            ValueError: There is no such dealer.
        """
        if first_dealer not in range(seat_count):
            raise ValueError(f"no seat {first_dealer!r}")
        self.seat_count = seat_count
        self.dealer = first_dealer
        self.scores = list(scores)
        self.entries: list[list[int]] = []
        self.dealers: list[int] = []
        self.deal: FullDeal | NaiveDeal | None = None
        self.over = False
        self.winner: int | str | None = None

    def _points_of(self, score: dict[str, Any]) -> list[int]:
        """Returns what a deal adds to the scores."""
        raise NotImplementedError

    def _judge(self) -> tuple[bool, int | str | None]:
        """Returns whether the match is over, and its winner."""
        raise NotImplementedError

    def _check_next(self) -> None:
        if self.over:
            raise ValueError("the match is over")
        if self.deal is not None:
            raise ValueError("the last deal is not closed")

    def close_deal(self) -> dict[str, Any]:
        """Enters the finished deal and returns its score.

        Raises:
            ValueError: There is no deal, or it is not over.
        """
        if self.deal is None:
            raise ValueError("no deal")
        score = self.deal.score()
        self.deal = None
        self.enter(self._points_of(score))
        return score

    def enter(self, points: Sequence[int]) -> None:
        """Adds what a deal brought, tests for the end and passes the deal to the next seat.

        A deal that was thrown in or passed by all brings nothing, but the deal passes on all the same.

        Raises:
            ValueError: The match is over or a deal is running.
        """
        self._check_next()
        self.scores = [score + gained for score, gained in zip(self.scores, points, strict=True)]
        self.entries.append(list(points))
        self.dealers.append(self.dealer)
        self.over, self.winner = self._judge()
        self.dealer = next_seat(self.dealer, self.seat_count)


class OttocentoMatch(NaiveMatch):
    """The match to 800; equal scores at or above the target play on (A-31)."""

    def __init__(
        self,
        first_dealer: int,
        options: OttocentoOptions = ottocento.DEFAULT_OPTIONS,
        scores: Sequence[int] = (0, 0),
    ) -> None:
        """Starts a match, maybe in the middle."""
        super().__init__(SEAT_COUNT, first_dealer, scores)
        self.options = options

    def next_deal(self, hands: Sequence[Sequence[str]]) -> OttocentoDeal:
        """Starts the next deal; the hands are in the order dealt, 17 cards for the dealer."""
        self._check_next()
        deal = OttocentoDeal(self.dealer, hands, self.scores, self.options)
        self.deal = deal
        return deal

    def _points_of(self, score: dict[str, Any]) -> list[int]:
        return list(score["totals"])

    def _judge(self) -> tuple[bool, int | str | None]:
        return ottocento.judge_scores(self.scores, self.options.target)


class TerziglioSession(NaiveMatch):
    """A fixed number of deals; the highest sum wins, ties stand (A-43). Deals passed by all count."""

    def __init__(
        self,
        first_dealer: int,
        options: TerziglioOptions = terziglio.DEFAULT_OPTIONS,
        deal_count: int = SESSION_DEAL_COUNT,
    ) -> None:
        """Starts a session."""
        super().__init__(terziglio.SEAT_COUNT, first_dealer, [0] * terziglio.SEAT_COUNT)
        self.options = options
        self.deal_count = deal_count

    @property
    def winners(self) -> list[int]:
        """The seats with the highest sum, none before the end."""
        return [seat for seat, score in enumerate(self.scores) if self.over and score == max(self.scores)]

    def next_deal(self, hands: Sequence[Sequence[str]], stock: Sequence[str]) -> TerziglioDeal:
        """Starts the next deal."""
        self._check_next()
        deal = TerziglioDeal(self.dealer, hands, stock, self.options)
        self.deal = deal
        return deal

    def _points_of(self, score: dict[str, Any]) -> list[int]:
        return list(score["award"])

    def _judge(self) -> tuple[bool, int | str | None]:
        if len(self.entries) < self.deal_count:
            return False, None
        best = [seat for seat, score in enumerate(self.scores) if score == max(self.scores)]
        return True, best[0] if len(best) == 1 else "tie"


class PiedicavalloMatch(NaiveMatch):
    """The village game: four deals, one by each seat, the sums decide, 228 each is a tie (A16, A17)."""

    def __init__(self, first_dealer: int, switches: DiscardSwitches = NO_SWITCHES) -> None:
        """Starts a match."""
        super().__init__(SEAT_COUNT, first_dealer, [0, 0])
        self.switches = switches

    def next_deal(self, hands: Sequence[Iterable[str]]) -> NaiveDeal:
        """Starts the next deal; 17 cards for the dealer."""
        self._check_next()
        deal = NaiveDeal(PIEDICAVALLO, self.dealer, hands, self.switches)
        self.deal = deal
        return deal

    def _points_of(self, score: dict[str, Any]) -> list[int]:
        return list(score["totals"])

    def _judge(self) -> tuple[bool, int | str | None]:
        if len(self.entries) < VILLAGE_DEAL_COUNT:
            return False, None
        return True, name_result(self.scores)


def play_match(match: Any, deal_out: Callable[[int], Sequence[Any]], rng: Random) -> list[dict[str, Any]]:
    """Plays a match to its end with random legal moves and returns the score of every deal.

    Args:
        match: one of the matches above, no deal running.
        deal_out: gives the arguments of `next_deal` for a dealer.
        rng: picks the moves.
    """
    scores = []
    while not match.over:
        deal = match.next_deal(*deal_out(match.dealer))
        while deal.phase() != "end":
            deal.apply(deal.random_move(rng) if isinstance(deal, FullDeal) else rng.choice(deal.legal_moves()))
        scores.append(match.close_deal())
    return scores
