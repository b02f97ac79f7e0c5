"""One decision of one seat, ready to be searched."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tarocchi_engine import CallOut, Declare, Move, Phase, View
from tarocchi_engine.facts import hidden_cards
from tarocchi_solver.search.inference import weights_of_places
from tarocchi_solver.search.question import Question, arm_of, make_question
from tarocchi_solver.search.results import NothingToDecideError, Utility
from tarocchi_solver.search.sampler import WorldSampler

MAX_DECLARATIONS = 24
"""No more declarations are compared: those of most points, and none."""


@dataclass(frozen=True)
class Decision:
    """The observer's choice: what he sees, his moves, and the kernels' form of both."""

    view: View
    moves: tuple[Move, ...]
    """The legal moves, or where there are very many the sensible ones."""
    arm_of_move: tuple[int, ...]
    """For each move the arm of the question that stands for it; signals, for one, share the arm of their card."""
    question: Question
    sampler: WorldSampler
    seed: int
    utility: Utility
    """What the choice goes by."""
    step_width: float
    """As in `SearchOptions`."""
    included: Move | None = None
    """A legal move that is compared in any case, one of `moves`."""

    @classmethod
    def of(
        cls,
        view: View,
        seed: int,
        utility: Utility = Utility.AUTO,
        *,
        step_width: float = 0.0,
        infers: bool = True,
        include: Move | None = None,
    ) -> Decision:
        """Returns the decision of the seat of `view`; raises `NothingToDecideError` or `ContradictionError`.

        `utility` and `step_width` are as in `SearchOptions`, and `infers` tells whether worlds are weighted by what
        players are wont to lay away. A legal move to `include` is compared even where it is not among the most sensible
        of very many.
        """
        moves = view.legal_moves()
        if not moves:
            now = "the deal is over" if view.turn is None else f"seat {view.turn} has to {view.phase}"
            raise NothingToDecideError(f"seat {view.seat} has nothing to decide: {now}")
        if view.phase in (Phase.DECLARE, Phase.CALL_OUT):
            moves = _most_telling(view, moves)
        hidden = hidden_cards(view)
        weights = weights_of_places(view, hidden) if infers else None
        found = cls._between(view, moves, WorldSampler(hidden, weights), seed, utility, step_width)
        return found if include is None else replace(found, included=include).between(moves)

    @classmethod
    def _between(
        cls,
        view: View,
        moves: tuple[Move, ...],
        sampler: WorldSampler,
        seed: int,
        utility: Utility,
        step_width: float,
    ) -> Decision:
        words = [arm_of(move) for move in moves]
        arms = list(dict.fromkeys(words))
        places = {word: place for place, word in enumerate(arms)}
        arm_of_move = tuple(places[word] for word in words)
        question = make_question(view, arms, utility, step_width)
        return cls(view, moves, arm_of_move, question, sampler, seed, utility, step_width)

    def between(self, moves: tuple[Move, ...]) -> Decision:
        """Returns the decision between other legal moves of the same seat, and the included one."""
        if self.included is not None and self.included not in moves:
            moves = (*moves, self.included)
        found = self._between(self.view, moves, self.sampler, self.seed, self.utility, self.step_width)
        return replace(found, included=self.included)

    @property
    def included_arm(self) -> int | None:
        """The arm of the included move, None without one."""
        return None if self.included is None else self.arm_of_move[self.moves.index(self.included)]


def _most_telling(view: View, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Returns the declarations of most points, and the empty one, which comes last."""
    if len(moves) <= MAX_DECLARATIONS:
        return moves

    def points(move: Move) -> int:
        return view.variant.declaration_points(move.cards) if isinstance(move, Declare | CallOut) else 0

    return (*sorted(moves[:-1], key=points, reverse=True)[: MAX_DECLARATIONS - 1], moves[-1])


def wins_match(view: View, move: Move) -> bool:
    """Tells whether a move wins the match on the spot: nothing can be better."""
    if not isinstance(move, Declare | CallOut) or not move.cards:
        return False
    side = view.table.side_of(view.seat)
    needed = view.table.points_to_target(side)
    return (
        needed is not None and view.table.declared_points[side] + view.variant.declaration_points(move.cards) >= needed
    )
