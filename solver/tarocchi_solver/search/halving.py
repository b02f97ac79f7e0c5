"""Chooses among many moves, such as the dealer's discards, by successive halving on common worlds.

Every round tries all moves still in the race in the same new worlds, one playout each, and drops the worse half
(Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013). Other worlds then say what
the moves are worth: some for all of them, more for the few best.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.results import Budget, Diagnostics, Recommendation, StopReason
from tarocchi_solver.search.runner import Limits, Runner, Worlds
from tarocchi_solver.search.statistics import Evidence, describe, rank_moves

FINALISTS = 8
CHOICE_SHARE = 0.75
ALL_MOVES_SHARE = 0.1
"""Share of the budget that evaluates all moves; the rest after the choice evaluates the finalists further."""
MIN_WORLDS = 2
EVALUATION_WORLDS = 1 << 40
"""The number of the first world that evaluates, far from all that choose."""

Integers = npt.NDArray[np.int64]


def halve(decision: Decision, runner: Runner, budget: Budget) -> Recommendation:
    """Returns the recommendation for a choice among many moves."""
    race = _Race(decision, runner, _total_iterations(budget, len(decision.moves)))
    order = race.run()
    evidence, reason = race.evaluate(order)
    ranked = [(decision.moves[arm], int(race.visits[arm]), evidence[arm]) for arm in order]
    return Recommendation(
        move=decision.moves[order[0]],
        moves=describe(decision.view, ranked, [[] for _ in order], exact=False),
        exact=False,
        diagnostics=Diagnostics(
            seed=decision.seed,
            worlds=race.world_count,
            evaluation_worlds=max(len(item.values) for item in evidence),
            iterations=int(race.visits.sum()),
            stop_reason=reason or (StopReason.ITERATIONS if budget.iterations else StopReason.WORLDS),
            exact_solves=0,
            rejected_worlds=race.rejected,
        ),
    )


def _total_iterations(budget: Budget, arm_count: int) -> int | None:
    """Returns the playouts to spend, None where only time limits them."""
    caps = [budget.iterations, None if budget.worlds is None else budget.worlds * arm_count]
    return min((cap for cap in caps if cap is not None), default=None)


@dataclass
class _Race:
    """The course of one choice by halving."""

    decision: Decision
    runner: Runner
    total: int | None
    world_count: int = 0
    rejected: int = 0
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.visits: Integers = np.zeros(len(self.decision.moves), dtype=np.int64)

    def run(self) -> list[int]:
        """Returns the moves, best first: the winner, then the others by the round they reached."""
        alive = np.arange(len(self.visits))
        totals = np.zeros(len(self.visits), dtype=np.int64)
        dropped: list[int] = []
        rounds = math.ceil(math.log2(len(alive)))
        first = 0
        for number in range(rounds):
            share = None if self.total is None else CHOICE_SHARE * self.total / rounds
            worlds = self._try(alive, first, share, CHOICE_SHARE * (number + 1) / rounds, surely=number == 0)
            if worlds is None:
                break
            first = int(worlds.numbers[-1]) + 1
            totals[alive] += worlds.block.totals.sum(axis=0)
            # every move alive has been in every world so far, so totals compare
            moves = [self.decision.moves[arm] for arm in alive]
            alive = alive[rank_moves(self.decision.view, moves, totals[alive].astype(np.float64))]
            keep = (len(alive) + 1) // 2
            dropped = [*(int(arm) for arm in alive[keep:]), *dropped]
            alive = alive[:keep]
        return [*(int(arm) for arm in alive), *dropped]

    def evaluate(self, order: list[int]) -> tuple[list[Evidence], StopReason | None]:
        """Returns the evidence of every move, by index, from worlds that chose nothing; and what cut it short."""
        everything = np.array(order)
        finalists = everything[:FINALISTS]
        share = None if self.total is None else ALL_MOVES_SHARE * self.total
        common = self._try(everything, EVALUATION_WORLDS, share, CHOICE_SHARE + ALL_MOVES_SHARE, surely=True)
        assert common is not None
        values, wins = common.block.totals.astype(np.float64), common.block.wins / 2
        share = None if self.total is None else (1 - CHOICE_SHARE - ALL_MOVES_SHARE) * self.total
        further = self._try(finalists, int(common.numbers[-1]) + 1, share, 1.0, surely=False)
        evidence = [Evidence(values[:, place], wins[:, place], values[:, place]) for place in np.argsort(everything)]
        if further is not None:
            for place, arm in enumerate(finalists):
                more = further.block.totals[:, place]
                joined = np.concatenate([evidence[arm].values, more])
                shares = np.concatenate([evidence[arm].wins, further.block.wins[:, place] / 2])
                evidence[arm] = Evidence(joined, shares, joined)
        return evidence, self.runner.limits.reason()

    def _try(self, arms: Integers, first: int, share: float | None, time_share: float, surely: bool) -> Worlds | None:
        """Plays `arms` once in each of some worlds from number `first` on; None if no time was left for any.

        `share` is the number of playouts, `time_share` the part of the search's time that may have passed at the end.
        """
        count = None if share is None else max(MIN_WORLDS, int(share) // len(arms))
        limits = self.runner.limits
        deadline = limits.deadline
        if deadline is not None:
            deadline = self.started + time_share * (deadline - self.started)
        worlds = self.runner.run(
            self.decision.question.with_arms(arms),
            first,
            count,
            len(arms),
            surely=MIN_WORLDS if surely else 0,
            limits=Limits(deadline, limits.stop),
        )
        if not len(worlds.numbers):
            return None
        self.world_count += len(worlds.numbers)
        self.rejected += int(worlds.block.rejected.sum())
        self.visits[arms] += worlds.block.visits.sum(axis=0)
        return worlds
