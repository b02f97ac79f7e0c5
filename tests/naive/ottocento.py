"""A deal of Ottocento, the match to 800: monte poll, call-out, and an end in the middle of the deal.

Bolognese rules, sections 2, 4 and 6. The match around the deals is in `match.OttocentoMatch`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from naive import bolognese
from naive.cards import BOLOGNESE, in_pack_order
from naive.combos import combo, declaration_is_legal, used
from naive.declarations import legal_declarations
from naive.discard import discard_owner, discard_verdict, legal_discards
from naive.full_deal import FullDeal, FullMove
from naive.play import DEALER_HAND_SIZE, HAND_SIZE, SEAT_COUNT, TRICK_COUNT, count_tricks, side_of
from naive.signals import HOLDS_MORE, STRISCIO_MEANINGS

POLL_HAND_SIZE = 5


@dataclass(frozen=True)
class OttocentoOptions:
    """The options of the match.

    Attributes:
        target: the points to reach.
        monte: the deal may be thrown in after five cards (A-04).
        call_out: the dealer may win with his first fifteen cards (A-32).
        striscio_meaning: "holds_more" or "lead_trumps" (A-34).
        giver_chooses: the card for the Matto is chosen; otherwise the automatic rule picks it (A-13).
    """

    target: int = 800
    monte: bool = True
    call_out: bool = True
    striscio_meaning: str = HOLDS_MORE
    giver_chooses: bool = True

    def __post_init__(self) -> None:
        """Refuses an unknown meaning of the striscio."""
        if self.striscio_meaning not in STRISCIO_MEANINGS:
            raise ValueError(f"unknown striscio_meaning {self.striscio_meaning!r}")


DEFAULT_OPTIONS = OttocentoOptions()


class MatchVerdict(NamedTuple):
    """Whether the match is over, and the side that won it."""

    over: bool
    winner: int | None


def judge_scores(scores: Sequence[int], target: int) -> MatchVerdict:
    """Returns the end test: the higher score wins once one is at the target; equal scores play on (A-31)."""
    if max(scores) < target or scores[0] == scores[1]:
        return MatchVerdict(False, None)
    return MatchVerdict(True, 0 if scores[0] > scores[1] else 1)


def declaration_wins(score: int, declared: int, target: int) -> bool:
    """Tells whether points declared in this deal end the match for a side.

    Args:
        score: the side's score before the deal.
        declared: the points it has declared in the deal, 0 if it declared nothing.
        target: the points to reach.
    """
    return declared > 0 and score + declared >= target


def call_out_is_legal(first_cards: Iterable[str], shown: Collection[str], score: int, target: int) -> bool:
    """Tells whether the dealer wins by exposing these of his first fifteen cards (A-32)."""
    legal = declaration_is_legal("ottocento", first_cards, shown)
    return legal and declaration_wins(score, combo(shown), target)


def call_out_is_offered(first_cards: Iterable[str], score: int, target: int) -> bool:
    """Tells whether some call-out would succeed; nothing beats exposing all combinations (section 4)."""
    return declaration_wins(score, combo(first_cards), target)


def poll_is_over(calls: Sequence[bool]) -> bool:
    """Tells whether the monte poll is over: somebody wants to play, or all have spoken."""
    return not all(calls) or len(calls) == SEAT_COUNT


def is_thrown_in(calls: Sequence[bool]) -> bool:
    """Tells whether all four said monte."""
    return all(calls) and len(calls) == SEAT_COUNT


class OttocentoDeal(FullDeal):
    """One deal of the match.

    Attributes, besides those of `FullDeal`:
        before: the scores of the match before the deal.
        options: the options of the match.
        poll: the answers to the monte poll so far, True for monte.
        called_out: the cards with which the dealer called himself out, None if he did not.
    """

    profile = "ottocento"

    def __init__(
        self,
        dealer: int,
        hands: Sequence[Sequence[str]],
        before: Sequence[int] = (0, 0),
        options: OttocentoOptions = DEFAULT_OPTIONS,
    ) -> None:
        """Starts a deal.

        Args:
            dealer: the dealer's seat, 0 to 3.
            hands: four hands in the order dealt: the first five cards are those of the monte poll, the
                dealer's last two of 17 those that he takes after the call-out window.
            before: the scores of the match.
            options: the options of the match.

        Raises:
            ValueError: The dealer or the hands are wrong.
        """
        sizes = [DEALER_HAND_SIZE if seat == dealer else HAND_SIZE for seat in range(SEAT_COUNT)]
        super().__init__(dealer, hands, [], sizes, TRICK_COUNT, options.striscio_meaning, options.giver_chooses)
        self.before = list(before)
        self.options = options
        self.poll: list[bool] = []
        self.called_out: frozenset[str] | None = None
        self._has_answered_call_out = False

    def first_five(self, seat: int) -> list[str]:
        """Returns the cards a seat knows in the monte poll, in pack order."""
        return in_pack_order(BOLOGNESE, self.dealt[seat][:POLL_HAND_SIZE])

    def first_fifteen(self) -> list[str]:
        """Returns the cards the dealer may call out with, in pack order."""
        return in_pack_order(BOLOGNESE, self.dealt[self.dealer][:HAND_SIZE])

    def side_of(self, seat: int) -> int:
        """Returns 0 for seats 0 and 2, 1 for seats 1 and 3."""
        return side_of(seat)

    def may_signal(self, seat: int) -> bool:
        """Everybody has a partner."""
        return True

    def aside(self) -> Collection[str]:
        """Returns the dealer's two cards."""
        return self.discard or frozenset()

    def aside_owner(self) -> int:
        """Returns the dealer's side, the other one if it has no trick (A-07)."""
        return discard_owner(side_of(self.dealer), count_tricks(self.tricks))

    def is_cut_short(self) -> bool:
        """Tells whether the cards were thrown in or somebody won the match before the last trick."""
        return is_thrown_in(self.poll) or self.called_out is not None or self._is_declared_out()

    def _is_declared_out(self) -> bool:
        target = self.options.target
        return any(declaration_wins(self.before[side], self.declared_points[side], target) for side in (0, 1))

    # --- the opening

    def opening_phase(self) -> str | None:
        """Returns "monte", "call_out", "discard" or None."""
        if self.discard is not None:
            return None
        if self.options.monte and not poll_is_over(self.poll):
            return "monte"
        if self.options.call_out and not self._has_answered_call_out and self._call_out_is_offered():
            return "call_out"
        return "discard"

    def _call_out_is_offered(self) -> bool:
        score = self.before[side_of(self.dealer)]
        return call_out_is_offered(self.first_fifteen(), score, self.options.target)

    def opening_turn(self) -> int:
        """Returns the seat that is asked in the poll, else the dealer."""
        return self.order()[len(self.poll)] if self.opening_phase() == "monte" else self.dealer

    def opening_moves(self) -> list[FullMove]:
        """Returns the answers to the poll, the call-outs that succeed (None: no call-out), or the discards."""
        phase = self.opening_phase()
        if phase == "monte":
            return [("monte", False), ("monte", True)]
        if phase == "call_out":
            shown = legal_declarations(self.first_fifteen())
            return [("call_out", None), *[("call_out", cards) for cards in shown if self._calls_out(cards)]]
        return [("discard", pair) for pair in legal_discards(BOLOGNESE, self.hands[self.dealer])]

    def _calls_out(self, shown: Collection[str]) -> bool:
        score = self.before[side_of(self.dealer)]
        return call_out_is_legal(self.first_fifteen(), shown, score, self.options.target)

    def random_move(self, rng: Random) -> FullMove:
        """Returns a random legal move; a call-out shows all combinations, so that no list is needed."""
        if self.phase() == "call_out":
            everything = frozenset(used(self.first_fifteen()))
            return ("call_out", rng.choice((None, everything)))
        return super().random_move(rng)

    def find_opening_fault(self, content: Any) -> str | None:
        """Returns why an answer, call-out or discard is not legal, None when it is."""
        phase = self.opening_phase()
        if phase == "monte":
            return None if isinstance(content, bool) else "neither monte nor play"
        if phase == "call_out":
            return None if content is None or self._calls_out(content) else "these cards do not win the match"
        verdict = discard_verdict(BOLOGNESE, self.hands[self.dealer], content)
        return None if verdict.legal else verdict.reason

    def apply_opening(self, content: Any) -> None:
        """Carries out an answer, a call-out or the discard."""
        phase = self.opening_phase()
        if phase == "monte":
            self.poll.append(content)
        elif phase == "call_out":
            self._has_answered_call_out = True
            self.called_out = content
        else:
            self._apply_discard(self.dealer, content)

    # --- the count

    def ended_by(self) -> str | None:
        """Returns "monte", "call_out", "declaration" or "count", None before the end."""
        if self.phase() != "end":
            return None
        if is_thrown_in(self.poll):
            return "monte"
        if self.called_out is not None:
            return "call_out"
        return "declaration" if self._is_declared_out() else "count"

    def score(self) -> dict[str, Any]:
        """Counts the finished deal.

        Returns:
            A dict; lists hold one item for side 0 and one for side 1.
            ended_by: "monte", "call_out", "declaration" or "count".
            totals: the points of this deal. before, scores: the match before and after it.
            over, winner: the state of the match after the deal; winner is a side or None.
            After a count also the entries of `NaiveDeal.score` ("result" names the higher of the totals).
            After a declaration "declarations" and "declared_points" alone, after a call-out "call_out", the
            exposed cards.

        Raises:
            ValueError: The deal is not over.
        """
        ended_by = self.ended_by()
        if ended_by is None:
            raise ValueError("the deal is not over")
        details: dict[str, Any] = {}
        totals = [0, 0]
        if ended_by == "call_out" and self.called_out is not None:
            totals[side_of(self.dealer)] = combo(self.called_out)
            details = {"call_out": in_pack_order(BOLOGNESE, self.called_out)}
        elif ended_by == "declaration":
            totals = list(self.declared_points)
            declarations = bolognese.count_declarations(self.declarations)
            details = {"declarations": declarations, "declared_points": totals}
        elif ended_by == "count":
            details = bolognese.settle_deal(self.tricks, self.dealer, self.aside(), self.declarations, self.gift)
            totals = details["totals"]
        scores = [before + total for before, total in zip(self.before, totals, strict=True)]
        verdict = judge_scores(scores, self.options.target)
        return {
            **details,
            "ended_by": ended_by,
            "totals": totals,
            "before": list(self.before),
            "scores": scores,
            "over": verdict.over,
            "winner": verdict.winner,
        }
