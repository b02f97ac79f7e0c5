"""Chooses a discard or a card to play by successive halving on common worlds.

Every round tries the better half of the moves so far in the same new worlds (Karnin, Koren and
Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013). While the worlds are few, a move is also judged by
the others that share its cards. Other worlds then say what the moves are worth: some for all of them, more for the few
best.

How many worlds each round gets is planned before the first one. All plans for a number of moves form one sequence in
which every plan does at least as much in every round as the one before. A cap picks the largest plan that keeps it, so
of several caps one alone decides. A round for which a small plan has no world leaves the order as it is, which makes
the cut after it the harsher.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Discard, Phase
from tarocchi_engine.selection import exchanges
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.evaluators import PLAYOUT_COSTS, Evaluator, SampledEndings, Source, TreeSearch, solving_cost
from tarocchi_solver.search.learned_playout import PlayoutRule
from tarocchi_solver.search.models import playout_rule
from tarocchi_solver.search.question import Question
from tarocchi_solver.search.results import (
    MAX_ITERATIONS,
    MAX_SAMPLED_WORLDS,
    Budget,
    Diagnostics,
    Recommendation,
    SearchOptions,
    StopReason,
)
from tarocchi_solver.search.runner import Runner, Worlds, tree_size
from tarocchi_solver.search.sense import Tried, sensible_first, undecided
from tarocchi_solver.search.statistics import Evidence, common_line, describe, rank_moves

FINALISTS: Final = 8
CHOICE_SHARE: Final = 0.75
ALL_MOVES_SHARE: Final = 0.1
"""Share of the budget that evaluates all moves; the rest after the choice evaluates the finalists further."""
GROWTH: Final = 1.7
"""How many times the worlds of a round the next one has, which tries half as many moves."""
KINDRED_WORLDS: Final = 16
"""Worlds after which a move's own results count as much as those of the moves that share its cards."""
MIN_CHOICE_WORLDS: Final = 1
"""Worlds that try all moves before any cut, whatever the budget."""
MIN_EVALUATION_WORLDS: Final = 2
"""Worlds that evaluate all moves, whatever the budget: the fewest that give a standard error."""
SCOUTING_SHARE: Final = 0.35
"""Share of the budget that looks for better moves than those of a selection."""
EVALUATION_WORLDS: Final = 1 << 40
"""The number of the first world that evaluates, far from all that choose."""
_SCALES: Final = range(1 << 40)

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Stage:
    """A part of the work: so many worlds, in each of which the `width` best moves so far are tried."""

    width: int
    share: float
    """The part of all iterations."""
    least: int
    """Worlds whatever the budget."""
    worlds: int = 0

    def worlds_at(self, scale: int) -> int:
        """Returns the worlds of the stage when all stages together have about `scale` iterations."""
        return max(self.least, int(self.share * scale / self.width))


@dataclass(frozen=True)
class Plan:
    """How a choice spends its budget."""

    rounds: tuple[Stage, ...]
    """The rounds of halving."""
    everything: Stage
    """The evaluation of all moves."""
    finalists: Stage
    """The further evaluation of the best."""
    cap: StopReason
    """The cap that decided."""

    @classmethod
    @lru_cache(maxsize=1024)
    def of(cls, move_count: int, budget: Budget, each: int = 1) -> Plan:
        """Returns the plan for a choice between at least two moves: the largest that keeps the caps, or the least.

        A move takes `each` iterations in a world.
        """
        stages = _stages(move_count)

        def largest(cap: int, cost: Callable[[Stage], int]) -> int:
            work = [(stage, cost(stage)) for stage in stages]
            return bisect_right(_SCALES, cap, key=lambda scale: sum(s.worlds_at(scale) * of_s for s, of_s in work)) - 1

        world_cap = min(budget.worlds or MAX_SAMPLED_WORLDS, MAX_SAMPLED_WORLDS)
        iteration_cap = min(budget.iterations or MAX_ITERATIONS, MAX_ITERATIONS)
        by_worlds = largest(world_cap, lambda stage: 1)
        by_iterations = largest(iteration_cap, lambda stage: stage.width * each)
        scale = max(min(by_worlds, by_iterations), 0)
        *rounds, everything, finalists = [replace(stage, worlds=stage.worlds_at(scale)) for stage in stages]
        cap = StopReason.WORLDS if by_worlds <= by_iterations else StopReason.ITERATIONS
        return cls(tuple(rounds), everything, finalists, cap)


def _stages(move_count: int) -> list[Stage]:
    """Returns the rounds of halving, the evaluation of all moves and that of the finalists, all without worlds."""
    widths, worlds = [move_count], [1.0]
    while widths[-1] > 2:
        widths.append((widths[-1] + 1) // 2)
        worlds.append(worlds[-1] * GROWTH)
    weights = [width * count for width, count in zip(widths, worlds, strict=True)]
    shares = [CHOICE_SHARE * weight / math.fsum(weights) for weight in weights]
    return [
        Stage(widths[0], shares[0], MIN_CHOICE_WORLDS),
        *(Stage(width, share, 0) for width, share in zip(widths[1:], shares[1:], strict=True)),
        Stage(move_count, ALL_MOVES_SHARE, MIN_EVALUATION_WORLDS),
        Stage(min(FINALISTS, move_count), 1 - CHOICE_SHARE - ALL_MOVES_SHARE, 0),
    ]


def halve(
    decision: Decision, runner: Runner, source: Source, budget: Budget, options: SearchOptions, *, solves: bool
) -> Recommendation:
    """Returns the recommendation for a choice among several moves; `solves` tells whether worlds are to be solved."""
    work = _Work(runner, source, options, solves, playout_rule(decision.view.variant.name, options))
    scout = None
    if decision.view.legal_move_count > len(decision.moves):
        scout, decision, budget = _improve(decision, work, budget)
    arm_count = len(decision.question.arms)
    each = 1
    if solves:
        each = max(solving_cost(decision.view.table.tricks_left) // PLAYOUT_COSTS[options.playout], 1)
    elif decision.view.phase is Phase.PLAY:
        size = options.iterations_per_world or tree_size(budget, arm_count, runner.threads, options.playout)
        each = max(size // arm_count, 1)
    plan = Plan.of(arm_count, budget, each)
    race = _Race(decision, work, each)
    if scout is not None:
        race.carry_on(scout)
    order = race.run(plan.rounds)
    if options.sense:
        order = race.sensible(order)
    found = race.evaluate(_with_finalist(order, decision.included_arm, plan.finalists.width), plan)
    places = np.argsort(order)
    standing = np.array([-places[arm] for arm in decision.arm_of_move], dtype=np.float64)
    moves = rank_moves(decision.view, decision.moves, standing)
    arms = [decision.arm_of_move[move] for move in moves]
    ranked = [
        (decision.moves[move], int(race.visits[arm]), found[arm].evidence)
        for move, arm in zip(moves, arms, strict=True)
    ]
    return Recommendation(
        move=decision.moves[moves[0]],
        moves=describe(decision.view, ranked, [found[arm].line for arm in arms]),
        exact=False,
        diagnostics=Diagnostics(
            seed=decision.seed,
            worlds=race.world_count,
            evaluation_worlds=max(len(arm.evidence.values) for arm in found),
            iterations=race.iterations,
            stop_reason=race.stop_reason or plan.cap,
            exact_solves=race.solved,
            rejected_worlds=race.rejected,
        ),
    )


def _improve(decision: Decision, work: _Work, budget: Budget) -> tuple[_Race | None, Decision, Budget]:
    """Looks for better moves than those of a selection: exchanges of one card in the one that does best at first.

    Returns the race that found them, the decision between them and the best of the selection, and what is left of the
    budget. A budget too small for that is kept for the selection itself.
    """
    first = _share_of(budget, SCOUTING_SHARE)
    plan = Plan.of(len(decision.moves), first)
    if plan.everything.worlds <= MIN_EVALUATION_WORLDS:
        return None, decision, budget
    race = _Race(decision, work, 1)
    race.end_after(SCOUTING_SHARE)
    order = race.run(plan.rounds)
    best = decision.moves[order[0]]
    assert isinstance(best, Discard)
    assert best.cards is not None
    variant = decision.view.variant
    kept = [decision.moves[arm] for arm in order[: len(order) // 4]]
    known = {move.cards for move in kept if isinstance(move, Discard)}
    free = decision.view.hand & ~variant.pack.five_point_mask
    found = [Discard(cards) for cards in exchanges(best.cards, free) if cards not in known]
    return race, decision.between((*kept, *found)), _share_of(budget, 1 - SCOUTING_SHARE)


def _with_finalist(order: Integers, arm: int | None, width: int) -> Integers:
    """Returns an order in which a wanted arm is among the first `width` ones, the last of them if it was not."""
    if arm is None or arm in order[:width]:
        return order
    others = order[order != arm]
    return np.array([*others[: width - 1], arm, *others[width - 1 :]])


def _share_of(budget: Budget, share: float) -> Budget:
    """Returns a part of a budget."""

    def part(cap: int | None) -> int | None:
        return None if cap is None else max(1, int(cap * share))

    return Budget(part(budget.worlds), part(budget.iterations), part(budget.time_ms))


def judge(totals: Integers, cards: npt.NDArray[np.bool_], world_count: int) -> npt.NDArray[np.float64]:
    """Returns estimates by which moves are ordered, from their sums of utilities in the same worlds.

    Moves that share cards have much in common, and single results are mostly noise. So a move's sum is drawn towards
    the one that its cards suggest: the mean of all moves, plus for each card by how much the moves with it differ.

    Args:
        totals: [moves]
        cards: [moves, cards]: which cards belong to the move.
        world_count: the worlds behind the sums; the more, the less the other moves matter.
    """
    mean = totals.sum() / len(totals)
    sharing = np.maximum(cards.sum(axis=0), 1)
    effects = np.where(cards, totals[:, np.newaxis], 0).sum(axis=0) / sharing - mean
    suggested = mean + np.where(cards, effects, 0.0).sum(axis=1)
    trust = world_count / (world_count + KINDRED_WORLDS)
    estimates: npt.NDArray[np.float64] = trust * totals + (1 - trust) * suggested
    return estimates


def _evidence(worlds: Worlds, place: int) -> Evidence:
    """Returns the results of the move at a place of the arms tried."""
    block = worlds.block
    visits = block.visits[:, place]
    return Evidence(
        block.totals[:, place] / visits,
        block.utilities[:, place] / visits,
        block.wins[:, place] / (2 * visits),
        block.samples[:, place].astype(np.float64),
        block.sums[:, place].astype(np.float64),
    )


class _Found(NamedTuple):
    """What the evaluation says about one arm."""

    evidence: Evidence
    line: list[int]
    """The replies to a card played."""


@dataclass(frozen=True)
class _Work:
    """How worlds are evaluated."""

    runner: Runner
    source: Source
    options: SearchOptions
    solves: bool
    rule: PlayoutRule

    def evaluator(self, question: Question, iterations: int) -> Evaluator:
        """Returns what evaluates the moves of a question; trees get so many iterations."""
        if self.solves:
            return SampledEndings(question, self.source)
        return TreeSearch(question, self.source, self.options, iterations, self.rule)


@dataclass
class _Race:
    """The course of one choice by halving."""

    decision: Decision
    work: _Work
    each: int
    """Iterations, or work that takes as long, for each move alive in a world."""
    world_count: int = 0
    rejected: int = 0
    stop_reason: StopReason | None = None
    """Why a stage ended before its worlds were done."""
    started: float = field(init=False)
    earlier_iterations: int = 0
    time_share: float = 0.0
    """The part of the time that may have passed at the end of the stages so far."""

    def __post_init__(self) -> None:
        self.visits: Integers = np.zeros(len(self.decision.question.arms), dtype=np.int64)
        arms = range(len(self.visits))
        self.first_moves = [self.decision.moves[self.decision.arm_of_move.index(arm)] for arm in arms]
        self.tried: list[Tried] = []
        self.started = self.work.runner.limits.clock()
        self.deadline = self.work.runner.limits.deadline

    def end_after(self, share: float) -> None:
        """Leaves the rest of the time to others."""
        if self.deadline is not None:
            self.deadline = self.started + share * (self.deadline - self.started)

    def carry_on(self, earlier: _Race) -> None:
        """Goes on after an earlier race, in new worlds."""
        self.world_count, self.rejected = earlier.world_count, earlier.rejected
        self.earlier_iterations = earlier.iterations

    @property
    def iterations(self) -> int:
        """All iterations so far."""
        return self.earlier_iterations + (0 if self.work.solves else int(self.visits.sum()))

    @property
    def solved(self) -> int:
        """The worlds solved so far."""
        return self.world_count if self.work.solves else 0

    def run(self, rounds: tuple[Stage, ...]) -> Integers:
        """Returns the arms, best first: the winner, then the others by the round they reached."""
        count = len(self.visits)
        order = np.array(rank_moves(self.decision.view, self.first_moves, np.zeros(count)))
        natural = np.argsort(order)
        totals, points = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        cards = self.decision.question.arms[:, np.newaxis] >> np.arange(64, dtype=np.uint64) & np.uint64(1) == 1
        for stage in rounds:
            alive = order[: stage.width]
            worlds = self._try(alive, self.world_count, stage)
            if worlds is not None:
                if self.decision.view.phase is Phase.PLAY:
                    block, visits = worlds.block, worlds.block.visits
                    self.tried.append(Tried(alive.copy(), block.utilities / visits, block.totals / visits))
                # every move alive has been in every world so far, so totals compare
                totals[alive] += worlds.block.utilities.sum(axis=0)
                points[alive] += worlds.block.totals.sum(axis=0)
                scores = judge(totals[alive], cards[alive], self.world_count)
                order[: stage.width] = alive[np.lexsort((natural[alive], -points[alive], -scores))]
        return order

    def sensible(self, order: Integers) -> Integers:
        """Returns the order with those cards in front that the worlds do not tell from the best."""
        if not self.tried:
            return order
        view = self.decision.view
        close = undecided(view, int(order[0]), self.tried)
        return np.array(sensible_first(view, self.first_moves, order.tolist(), close))

    def evaluate(self, order: Integers, plan: Plan) -> list[_Found]:
        """Returns what worlds that chose nothing say about every arm."""
        common = self._try(order, EVALUATION_WORLDS, plan.everything)
        assert common is not None
        further = self._try(order[: plan.finalists.width], int(common.numbers[-1]) + 1, plan.finalists)
        found = []
        for place in np.argsort(order):
            evidence, lines = _evidence(common, place), common.block.lines[:, place]
            if further is not None and place < plan.finalists.width:
                evidence = evidence.followed_by(_evidence(further, place))
                lines = np.concatenate([lines, further.block.lines[:, place]])
            has_line = self.decision.view.phase is Phase.PLAY
            found.append(_Found(evidence, common_line(lines) if has_line else []))
        return found

    def _try(self, arms: Integers, first: int, stage: Stage) -> Worlds | None:
        """Plays `arms` in each world of a stage from number `first` on; None if there was none, or no time."""
        self.time_share += stage.share
        if not stage.worlds:
            return None
        deadline = self.deadline
        if deadline is not None:
            deadline = self.started + self.time_share * (deadline - self.started)
        question = self.decision.question.with_arms(arms)
        worlds = self.work.runner.run(
            self.work.evaluator(question, len(arms) * self.each),
            first,
            stage.worlds,
            surely=stage.least,
            limits=replace(self.work.runner.limits, deadline=deadline),
        )
        self.stop_reason = worlds.stop_reason or self.stop_reason
        if not len(worlds.numbers):
            return None
        self.world_count += len(worlds.numbers)
        self.rejected += int(worlds.block.rejected.sum())
        self.visits[arms] += worlds.block.visits.sum(axis=0)
        return worlds
