"""Turns an observer's view into the arrays that the kernels work on."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Declare, Discard, Move, Play, View
from tarocchi_engine.table import Phase

PLAY_ARM: Final = 0
DECLARE_ARM: Final = 1
DISCARD_ARM: Final = 2

_KIND_OF = {Phase.PLAY: PLAY_ARM, Phase.DECLARE: DECLARE_ARM, Phase.DISCARD: DISCARD_ARM}


class Question(NamedTuple):
    """The observer's decision in the form of the kernels."""

    position: npt.NDArray[np.uint64]
    """[POSITION_WORDS]: the position with all cards that the observer knows in place."""
    arms: npt.NDArray[np.uint64]
    """[arms]: the card set of each move under consideration."""
    kind: npt.NDArray[np.int64]
    """[1]: PLAY_ARM, DECLARE_ARM or DISCARD_ARM, the same for all arms."""
    pending: npt.NDArray[np.uint64]
    """[1]: bit s is set if seat s has yet to declare after the move; it will declare all it can."""

    def with_arms(self, chosen: npt.NDArray[np.int64]) -> Question:
        """Returns the question restricted to some of its moves."""
        return self._replace(arms=self.arms[chosen])


def make_question(view: View, moves: tuple[Move, ...]) -> Question:
    """Returns the kernels' form of the choice between `moves` for the seat of `view`."""
    table = view.table
    seats = range(view.variant.seat_count)
    hands = [view.hand if seat == view.seat else table.exposed(seat) for seat in seats]
    kind = _KIND_OF[view.phase]
    pending = 0
    if view.variant.has_declarations:
        asked = view.seat if kind == DECLARE_ARM else None
        pending = sum(1 << seat for seat in seats if table.shown[seat] is None and seat != asked)
    return Question(
        position=table.position(hands, view.aside or 0),
        arms=np.array([_cards_of(move) for move in moves], dtype=np.uint64),
        kind=np.array([kind], dtype=np.int64),
        pending=np.array([pending], dtype=np.uint64),
    )


def _cards_of(move: Move) -> int:
    match move:
        case Play(card):
            return 1 << card
        case Declare(cards):
            return cards
        case Discard(cards):
            return cards or 0
