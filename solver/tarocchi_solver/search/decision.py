"""One decision of one seat, ready to be searched."""

from __future__ import annotations

from dataclasses import dataclass

from tarocchi_engine import Move, View
from tarocchi_engine.facts import hidden_cards
from tarocchi_solver.search.question import Question, make_question
from tarocchi_solver.search.results import NothingToDecideError
from tarocchi_solver.search.sampler import WorldSampler


@dataclass(frozen=True)
class Decision:
    """The observer's choice: what he sees, his legal moves, and the kernels' form of both."""

    view: View
    moves: tuple[Move, ...]
    question: Question
    sampler: WorldSampler
    seed: int

    @classmethod
    def of(cls, view: View, seed: int) -> Decision:
        """Returns the decision of the seat of `view`; raises `NothingToDecideError` or `ContradictionError`."""
        moves = view.legal_moves()
        if not moves:
            now = "the deal is over" if view.turn is None else f"seat {view.turn} has to {view.phase}"
            raise NothingToDecideError(f"seat {view.seat} has nothing to decide: {now}")
        return cls(view, moves, make_question(view, moves), WorldSampler(hidden_cards(view)), seed)
