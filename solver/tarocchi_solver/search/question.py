"""Turns an observer's view into the arrays that the kernels work on."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Bid, Call, CallOut, Declare, Discard, Give, Monte, Move, Phase, Play, View
from tarocchi_engine.position import make_position
from tarocchi_solver.search.results import Utility
from tarocchi_solver.search.utilities import UtilityTable, make_utility

PLAY_ARM: Final = 0  # arms are sets of one card
DECLARE_ARM: Final = 1  # sets of cards shown
DISCARD_ARM: Final = 2  # sets of cards laid away
DEAL_ARM: Final = 3  # one arm: the deal goes on, the dealer takes all its cards and discards
BID_ARM: Final = 4  # places in CALLS
GIVE_ARM: Final = 5  # sets of one card

CALLS: Final = tuple(Call)

_KIND_OF = {
    Phase.MONTE: DEAL_ARM,
    Phase.CALL_OUT: DEAL_ARM,
    Phase.BID: BID_ARM,
    Phase.DISCARD: DISCARD_ARM,
    Phase.DECLARE: DECLARE_ARM,
    Phase.PLAY: PLAY_ARM,
    Phase.GIVE: GIVE_ARM,
}

# Question.words
KIND: Final = 0  # one of the constants above, the same for all arms
SEAT: Final = 1  # the observer
LEADER: Final = 2  # the seat that leads to the first trick
PENDING: Final = 3  # bit s is set if seat s has yet to declare after the move; it will declare all it can
NEEDED: Final = 4  # two words: half points of declarations with which a side ends the match
CONTRACT: Final = 6  # the highest call so far as a place in CALLS
DECLARER: Final = 7  # the seat that made it
CALLS_LEFT: Final = 8  # seats that have not called yet, the observer included
DISCARDER: Final = 9  # the seat that lays cards away before the first trick, -1 if nobody does
DISCARD_COUNT: Final = 10
QUESTION_WORDS: Final = 11

_NEVER = 1 << 40


class Question(NamedTuple):
    """The observer's decision in the form of the kernels."""

    position: npt.NDArray[np.uint64]
    """[POSITION_WORDS]: the position with all cards that the observer knows in place."""
    arms: npt.NDArray[np.uint64]
    """[arms]: what tells the moves under consideration apart, by KIND."""
    words: npt.NDArray[np.int64]
    """[QUESTION_WORDS]"""
    bid_features: npt.NDArray[np.uint64]
    """[features]: sets of cards by which the seats are imagined to bid."""
    bid_weights: npt.NDArray[np.float64]
    """[2, features + 1]: see `Variant.bid_weights`."""
    utility: UtilityTable
    """What the end of the deal is worth to the choice."""

    def with_arms(self, chosen: npt.NDArray[np.int64]) -> Question:
        """Returns the question restricted to some of its moves."""
        return self._replace(arms=self.arms[chosen])

    @property
    def results_are_shared(self) -> bool:
        """Whether one playout tells the result of every arm: they differ only in what is scored at once."""
        return bool(self.words[KIND] == DECLARE_ARM)


def make_question(view: View, arms: list[int], utility: Utility = Utility.POINTS, step_width: float = 0.0) -> Question:
    """Returns the kernels' form of the choice between moves, of which `arms` are the words of `arm_of`.

    `utility` and `step_width` are as in `SearchOptions`.
    """
    table = view.table
    variant = view.variant
    seats = range(variant.seat_count)
    hands = [view.hand if seat == view.seat else table.exposed(seat) for seat in seats]
    words = [0] * QUESTION_WORDS
    words[KIND] = kind = _KIND_OF[view.phase]
    words[SEAT] = view.seat
    words[LEADER] = variant.next_seat(table.dealer)
    if variant.has_declarations:
        asked = view.seat if kind == DECLARE_ARM else None
        words[PENDING] = sum(1 << seat for seat in seats if table.shown[seat] is None and seat != asked)
    words[NEEDED : NEEDED + 2] = [_needed(view, side) for side in (0, 1)]
    calls = [CALLS.index(call) for call in table.calls]
    words[CONTRACT] = max(calls, default=CALLS.index(Call.PASS))
    words[DECLARER] = table.seat_of(calls.index(words[CONTRACT])) if words[CONTRACT] else -1
    words[CALLS_LEFT] = variant.seat_count - len(table.calls)
    words[DISCARDER] = -1 if table.discard_made or table.discarder is None else table.discarder
    words[DISCARD_COUNT] = variant.discard_count
    return Question(
        position=make_position(table, hands, view.aside or 0),
        arms=np.array(arms, dtype=np.uint64),
        words=np.array(words, dtype=np.int64),
        bid_features=np.array(variant.bid_features, dtype=np.uint64),
        bid_weights=np.array(variant.bid_weights),
        utility=make_utility(view, utility, step_width),
    )


def _needed(view: View, side: int) -> int:
    """Returns how many half points of declarations end the match for a side, those it has declared included."""
    needed = view.table.points_to_target(side)
    return _NEVER if needed is None else int(2 * needed)


def arm_of(move: Move) -> int:
    """Returns the word that stands for a move; moves that differ only in a signal share it."""
    match move:
        case Play(card) | Give(card):
            return 1 << card
        case Declare(cards):
            return cards
        case Discard(cards):
            return cards or 0
        case Bid(call):
            return CALLS.index(call)
        case Monte() | CallOut():
            return 0
