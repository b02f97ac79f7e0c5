"""Measures how well the beliefs foretell where cards lie: the log score of the true holder.

The agent plays deals against itself. At the start of a trick every seat says how likely each card that it does not see
lies where, by the rules alone and with what the others have done. The difference of the log scores is what inference
has gained, in nats a card; cards of which the rules leave only one place are left out.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from tarocchi_bench.agents import ask, parse_agent
from tarocchi_bench.clusters import mean_by_deal
from tarocchi_bench.intervals import interval_95
from tarocchi_bench.pairs import first_state
from tarocchi_bench.workers import Workers, check_workers, work_through
from tarocchi_engine import Phase, State, get_variant
from tarocchi_engine.facts import ASIDE_HOLDER
from tarocchi_engine.rng import split
from tarocchi_solver.search.beliefs import beliefs

LEAST_CHANCE: Final = 1e-4
"""No place counts as less likely than that, so that a few worlds do not make a card impossible."""
_DEAL, _THINK, _BELIEVE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class BeliefPlan:
    """Which deals are played by whom, and when the seats are asked."""

    variant: str
    agent: str
    seed: int
    deals: int
    trick: int
    """The number of the trick about to be led, from 1."""

    def check(self) -> None:
        """Raises `AgentSpecError`, `UnknownVariantError` or ValueError."""
        parse_agent(self.agent)
        count = get_variant(self.variant).trick_count
        if not 2 <= self.trick <= count:
            raise ValueError(f"trick {self.trick}: give 2 to {count}, because nothing has been played before the first")
        if self.deals < 2:
            raise ValueError(f"{self.deals} deals say nothing about errors: play at least 2")


@dataclass(frozen=True, slots=True)
class BeliefScores:
    """Log scores in nats a card, the higher the better."""

    variant: str
    agent: str
    seed: int
    trick: int
    deals: int
    cards: int
    """Cards judged, of all seats."""
    rules: float
    """Of the chances by the rules alone."""
    believed: float
    """Of the beliefs."""
    gain: float
    low_95: float | None
    high_95: float | None
    """None as the other end is where no interval is known: see `intervals`."""


def measure_beliefs(
    plan: BeliefPlan, *, workers: Workers = 1, progress: Callable[[], None] | None = None
) -> BeliefScores:
    """Returns the scores of a plan.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan or the number of workers.
        AgentError: the agent failed.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    check_workers(workers)
    by_number = {}
    with contextlib.closing(work_through(partial(_numbered, plan), list(range(plan.deals)), workers)) as found:
        for number, of_deal in found:
            by_number[number] = of_deal
            if progress is not None:
                progress()
    # in the order of the deals, in which the workers need not have ended them
    scores = [score for number in range(plan.deals) for score in by_number[number]]
    deals = [number for number in range(plan.deals) for _ in by_number[number]]
    if len(set(deals)) < 2:
        raise ValueError("no two deals came so far: ask for an earlier trick, or for more deals")
    rules, believed = np.array(scores).T
    gain = mean_by_deal(believed - rules, np.array(deals))
    low, high = interval_95(gain.mean, gain.error, len(set(deals)))
    return BeliefScores(
        variant=plan.variant,
        agent=plan.agent,
        seed=plan.seed,
        trick=plan.trick,
        deals=len(set(deals)),
        cards=len(scores),
        rules=float(rules.mean()),
        believed=float(believed.mean()),
        gain=gain.mean,
        low_95=low,
        high_95=high,
    )


def _numbered(plan: BeliefPlan, number: int) -> tuple[int, list[tuple[float, float]]]:
    return number, scores_of_deal(plan, number)


def scores_of_deal(plan: BeliefPlan, number: int) -> list[tuple[float, float]]:
    """Plays a deal up to its trick; returns the log scores by the rules and as believed of every card of every seat."""
    agent = parse_agent(plan.agent)
    variant = get_variant(plan.variant)
    state = first_state(variant, split(plan.seed, _DEAL, number), number)
    seed = split(plan.seed, _THINK, number)
    step = 0
    while state.turn is not None and len(state.tricks) < plan.trick - 1:
        state = state.apply_move(ask(agent, state, split(seed, step)))
        step += 1
    if state.turn is None or state.phase is not Phase.PLAY:
        return []
    scores = []
    for seat in range(variant.seat_count):
        found = beliefs(state.observe(seat), seed=split(plan.seed, _BELIEVE, number, seat))
        for card in found.cards:
            if len(card.places) > 1:
                holder = holder_of(state, card.card)
                place = next(place for place in card.places if place.holder == holder)
                chances = (place.rules_probability, place.probability)
                scores.append(tuple(math.log(max(chance, LEAST_CHANCE)) for chance in chances))
    return [(rules, believed) for rules, believed in scores]


def holder_of(state: State, card: int) -> int:
    """Returns the seat that holds a card, or ASIDE_HOLDER for one that nobody holds."""
    return next((seat for seat, hand in enumerate(state.hands) if hand >> card & 1), ASIDE_HOLDER)
