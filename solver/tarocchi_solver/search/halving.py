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
from tarocchi_solver.search.results import MAX_SAMPLED_WORLDS, Budget, Diagnostics, Recommendation, StopReason
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
    race = _Race(decision, runner, budget)
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
            stop_reason=reason or race.cap_reached(),
            exact_solves=0,
            rejected_worlds=race.rejected,
        ),
    )


@dataclass
class _Race:
    """The course of one choice by halving."""

    decision: Decision
    runner: Runner
    budget: Budget
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
            worlds = self._try(
                alive, first, CHOICE_SHARE / rounds, CHOICE_SHARE * (number + 1) / rounds, surely=number == 0
            )
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
        spent = CHOICE_SHARE + ALL_MOVES_SHARE
        common = self._try(everything, EVALUATION_WORLDS, ALL_MOVES_SHARE, spent, surely=True)
        assert common is not None
        values, wins = common.block.totals.astype(np.float64), common.block.wins / 2
        further = self._try(finalists, int(common.numbers[-1]) + 1, 1 - spent, 1.0, surely=False)
        evidence = [Evidence(values[:, place], wins[:, place], values[:, place]) for place in np.argsort(everything)]
        if further is not None:
            for place, arm in enumerate(finalists):
                more = further.block.totals[:, place]
                joined = np.concatenate([evidence[arm].values, more])
                shares = np.concatenate([evidence[arm].wins, further.block.wins[:, place] / 2])
                evidence[arm] = Evidence(joined, shares, joined)
        return evidence, self.runner.limits.reason()

    def cap_reached(self) -> StopReason:
        """Returns which cap ended a race that ran its course: the tighter one for a round with all moves."""
        iterations, worlds = self.budget.iterations, self.budget.worlds
        if iterations is None or (worlds is not None and worlds <= iterations // len(self.visits)):
            return StopReason.WORLDS
        return StopReason.ITERATIONS

    def _try(self, arms: Integers, first: int, share: float, time_share: float, surely: bool) -> Worlds | None:
        """Plays `arms` once in each of some worlds from number `first` on; None if no time was left for any.

        `share` is the part of the caps to spend, `time_share` the part of the time that may have passed at the end.
        """
        caps = [share * min(self.budget.worlds or MAX_SAMPLED_WORLDS, MAX_SAMPLED_WORLDS)]
        if self.budget.iterations is not None:
            caps.append(share * self.budget.iterations / len(arms))
        count = max(MIN_WORLDS, int(min(caps)))
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
