"""Observers: an information state as text, and an observation as numbers for programs that learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarocchi_engine import Phase, Variant
from tarocchi_engine.cards import CARD_COUNT, cards_in
from tarocchi_solver.openspiel.actions import CALLS
from tarocchi_solver.openspiel.moment import Moment

if TYPE_CHECKING:
    from tarocchi_solver.openspiel.game import TarocchiState

_PHASES = tuple(Phase)


class Observer:
    """Sees a state with the eyes of one seat.

    Attributes:
        tensor: [size], float32: all numbers in one row; None with perfect recall.
        dict: the named parts of `tensor`. Seats count from the observer on, anticlockwise.
    """

    def __init__(self, variant: Variant, *, has_tensor: bool) -> None:
        seats = variant.seat_count
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if not has_tensor:
            return
        shapes = {
            "phase": (len(_PHASES),),
            "turn": (seats,),
            "dealer": (seats,),
            "declarer": (seats,),
            "contract": (len(CALLS),),
            "hand": (CARD_COUNT,),
            "laid_away": (CARD_COUNT,),
            "draft": (CARD_COUNT,),
            "trick": (seats, CARD_COUNT),
            "played": (seats, CARD_COUNT),
            "exposed": (seats, CARD_COUNT),
            "cannot_hold": (seats, CARD_COUNT),
            "piles": (2, CARD_COUNT),
            "declared_points": (2,),
        }
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        start = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size

    def string_from(self, state: TarocchiState, player: int) -> str:
        """Returns the information state of a seat, which is also its observation."""
        return state.moment.text_for(player)

    def set_from(self, state: TarocchiState, player: int) -> None:
        """Fills the tensor with what a seat sees; zeros before all cards are dealt."""
        if self.tensor is None:
            return
        self.tensor.fill(0.0)
        moment = state.moment
        if moment.state is not None and player >= 0:
            self._fill(moment, player)

    def _fill(self, moment: Moment, player: int) -> None:
        deal = moment.state
        assert deal is not None
        table, variant = deal.table, deal.variant
        # that the dealer could not call itself out is told no sooner than that it did not
        is_hidden = table.phase is Phase.DISCARD and variant.has_call_out and player != table.dealer
        parts, seats = self.dict, variant.seat_count
        parts["phase"][_PHASES.index(Phase.CALL_OUT if is_hidden else table.phase)] = 1
        if not table.is_over:
            parts["turn"][(table.turn - player) % seats] = 1
        parts["dealer"][(table.dealer - player) % seats] = 1
        if table.declarer is not None and table.contract is not None:
            parts["declarer"][(table.declarer - player) % seats] = 1
            parts["contract"][CALLS.index(table.contract)] = 1
        parts["hand"][list(cards_in(deal.hands[player]))] = 1
        if table.discard_made and player == table.discarder:
            parts["laid_away"][list(cards_in(deal.aside))] = 1
        if player == moment.player:
            parts["draft"][list(cards_in(moment.draft))] = 1
        for place, card in enumerate(table.trick):
            parts["trick"][(table.seat_of(place) - player) % seats, card] = 1
        for seat in range(seats):
            row = (seat - player) % seats
            parts["played"][row, list(cards_in(table.played[seat]))] = 1
            parts["exposed"][row, list(cards_in(table.exposed(seat)))] = 1
            parts["cannot_hold"][row, list(cards_in(table.cannot_hold[seat]))] = 1
        own_side = table.side_of(player)
        for side in (0, 1):
            parts["piles"][side ^ own_side, list(cards_in(table.piles[side]))] = 1
            parts["declared_points"][side ^ own_side] = table.declared_points[side] / variant.most_points
