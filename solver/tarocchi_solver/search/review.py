"""Reviews finished deals: what each move cost, judged from what its seat knew at the time, and what was luck."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tarocchi_engine import Phase, State, Variant
from tarocchi_engine.rng import split
from tarocchi_solver.search.recommend import search
from tarocchi_solver.search.results import Budget, Diagnostics, MoveStatistics, SearchOptions
from tarocchi_solver.search.runner import Stop

SURE_ERRORS: Final = 2.0
"""A move that is behind the best by fewer standard errors may be as good."""
INACCURACY: Final = 1 / 50
"""From what cost on a move is no good one, as a share of the spread of deals."""
MISTAKE: Final = 1 / 15
BLUNDER: Final = 1 / 5


class Verdict(StrEnum):
    """How good a decision was."""

    FORCED = "forced"  # one legal move
    GOOD = "good"  # the best one, or not told from it
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True, slots=True)
class DecisionReview:
    """What one decision cost; scores as in `MoveStatistics`."""

    event_index: int
    seat: int
    phase: Phase
    made: MoveStatistics
    best: MoveStatistics
    verdict: Verdict
    exact: bool
    diagnostics: Diagnostics

    @property
    def cost(self) -> float:
        """What the move is behind the best, in points; 0 for a move that the evaluation has in front."""
        return max(0.0, -self.made.difference_to_best)


@dataclass(frozen=True, slots=True)
class SeatReview:
    """One seat in a deal; result = first_expected_score + cost + luck."""

    seat: int
    choices: int
    inaccuracies: int
    mistakes: int
    blunders: int
    cost: float
    """Sum of the differences to the best moves."""
    cost_standard_error: float
    first_expected_score: float
    result: float
    luck: float


def result_of(state: State, seat: int) -> float:
    """Returns what a finished deal has brought a seat, in the unit of expected scores."""
    variant, awards = state.variant, state.score().awards
    if variant.seats_score_alone:
        others = [award for other, award in enumerate(awards) if other != seat]
        return awards[seat] - sum(others) / len(others)
    side = state.table.side_of(seat)
    return awards[side] - awards[1 - side]


def review(
    state: State,
    seats: Iterable[int] | None = None,
    budget: Budget | None = None,
    *,
    seed: int,
    threads: int = 1,
    options: SearchOptions | None = None,
    stop: threading.Event | None = None,
) -> Iterator[DecisionReview]:
    """Yields a review of every decision of a deal, in the order of play.

    Args:
        state: the deal with its moves.
        seats: whose decisions; all if None.
        budget, threads, options, stop: of the search of each decision.
        seed: each decision has its own one, split from this.

    Raises:
        ValueError: a cap, the seed, the number of threads or an option is out of range.
    """
    for number, then in decisions_of(state, seats):
        yield review_decision(state, number, then, budget, seed=seed, threads=threads, options=options, stop=stop)


def decisions_of(state: State, seats: Iterable[int] | None = None) -> Iterator[tuple[int, State]]:
    """Yields the decisions of some seats, all if None, as the number of the event and the deal before it."""
    wanted = None if seats is None else set(seats)
    for number, (then, event) in enumerate(zip(state.moments(), state.events, strict=True)):
        if wanted is None or event.seat in wanted:
            yield number, then


def review_decision(
    state: State,
    event_index: int,
    then: State,
    budget: Budget | None = None,
    *,
    seed: int,
    threads: int = 1,
    options: SearchOptions | None = None,
    stop: Stop | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> DecisionReview:
    """Returns the review of one decision of a deal, as `decisions_of` tells them; the rest is as for `search`."""
    event = state.events[event_index]
    found = search(
        then.observe(event.seat),
        budget,
        seed=split(seed, event_index),
        threads=threads,
        options=options,
        include=event.move,
        stop=stop,
        clock=clock,
    )
    made = next(entry for entry in found.moves if entry.move == event.move)
    return DecisionReview(
        event_index=event_index,
        seat=event.seat,
        phase=then.phase,
        made=made,
        best=found.moves[0],
        verdict=_verdict(then.variant, made, choices=then.legal_move_count),
        exact=found.exact,
        diagnostics=found.diagnostics,
    )


def _verdict(variant: Variant, made: MoveStatistics, choices: int) -> Verdict:
    if choices == 1:
        return Verdict.FORCED
    cost = -made.difference_to_best
    share = cost / (variant.deal_spread * variant.game_factor)
    if made.rank == 1 or cost <= SURE_ERRORS * made.difference_standard_error or share < INACCURACY:
        return Verdict.GOOD
    if share < MISTAKE:
        return Verdict.INACCURACY
    return Verdict.MISTAKE if share < BLUNDER else Verdict.BLUNDER


def review_of_seat(state: State, seat: int, decisions: Iterable[DecisionReview]) -> SeatReview:
    """Returns the account of a seat in a finished deal, from the reviews of all its decisions."""
    own = [decision for decision in decisions if decision.seat == seat]
    verdicts = [decision.verdict for decision in own]
    result = result_of(state, seat)
    first = own[0].best.expected_score if own else result
    cost = math.fsum(decision.made.difference_to_best for decision in own)
    return SeatReview(
        seat=seat,
        choices=sum(verdict is not Verdict.FORCED for verdict in verdicts),
        inaccuracies=verdicts.count(Verdict.INACCURACY),
        mistakes=verdicts.count(Verdict.MISTAKE),
        blunders=verdicts.count(Verdict.BLUNDER),
        cost=cost,
        cost_standard_error=math.hypot(*(decision.made.difference_standard_error for decision in own)),
        first_expected_score=first,
        result=result,
        luck=result - first - cost,
    )
