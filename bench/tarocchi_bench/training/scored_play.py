"""Self-play in which it is kept what the search made of every card that might have been played.

One play of ten is made at random instead, so that models fitted to the deals also know what to do after a mistake. What
was recommended there is kept too: a model of how players choose must not learn from chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.pairs import first_state
from tarocchi_bench.records import RecordError, data_of
from tarocchi_bench.training.positions import DealPlan
from tarocchi_bench.training.recording import record_missing
from tarocchi_bench.training.self_play import deal_entry, entries_in_order, entries_of, parse_entry
from tarocchi_bench.workers import Workers, check_workers
from tarocchi_engine import Move, Play, State, get_variant, view
from tarocchi_engine.rng import split
from tarocchi_solver.search import Recommendation, search

_DEAL, _THINK, _WANDER, _WHITHER = 1, 2, 3, 4
RANDOM_PLAYS: Final = 10
"""One play of so many is random."""
_DIGITS: Final = 4


@dataclass(frozen=True)
class ScoredDeal:
    """A deal played to its end, and what was thought about its plays."""

    end: State
    scores: tuple[dict[int, float] | None, ...]
    """For each play by the card the raw score, recommended card first; None where there was no choice."""


def play_scored_deals(
    plan: DealPlan, record: Path, *, workers: Workers = 1, progress: Callable[[], None] | None = None
) -> None:
    """Plays the deals of a plan that its record does not hold yet, and adds each to it as it ends.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan or the number of workers.
        RecordError: the record cannot be read or written, is that of other deals, or goes on from other data files;
            nothing has been played then.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    check_workers(workers)
    data = data_of(get_variant(plan.variant), plan.solver())
    record_missing(
        partial(_play_deal, plan), record, list(entries_of(record, plan)), plan.deals, data, workers, progress
    )


def read_scored_deals(record: Path, plan: DealPlan) -> Iterator[ScoredDeal]:
    """Yields the deals of a plan, by number; raises `RecordError` where they are not all there."""
    pack = get_variant(plan.variant).pack
    for entry in entries_in_order(record, plan, plan.deals):
        end = parse_entry(record, entry)
        try:
            scores = tuple(
                None if of_play is None else {pack.parse_card(card): float(score) for card, score in of_play.items()}
                for of_play in entry["scores"]
            )
        except (KeyError, ValueError, AttributeError, TypeError) as error:
            raise RecordError(f"{record}: deal {entry['number']} has no scores of its plays") from error
        yield ScoredDeal(end, scores)


def _play_deal(plan: DealPlan, number: int) -> dict[str, Any]:
    """Plays one deal; returns its entry in the record."""
    agent = plan.solver()
    budget, clock = agent.effort.limits
    variant = get_variant(plan.variant)
    shuffled_by = split(plan.seed, _DEAL, number)
    start = state = first_state(variant, shuffled_by, number)
    scores: list[dict[str, float] | None] = []
    decision = 0
    while (seat := state.turn) is not None:
        thought = split(plan.seed, _THINK, number, decision)
        observation = state.observe(seat)
        moves = view(observation).legal_moves()
        move = moves[0]
        if len(moves) > 1:
            found = search(observation, budget, seed=thought, options=agent.options, clock=clock)
            move = _wander(moves, found.move, thought)
            if isinstance(move, Play):
                scores.append({variant.pack.format_card(card): score for card, score in _by_card(found).items()})
        elif isinstance(move, Play):
            scores.append(None)
        decision += 1
        state = state.apply_move(move)
    return {**deal_entry(plan, agent, number, start, shuffled_by, state), "scores": scores}


def _wander(moves: tuple[Move, ...], best: Move, thought: int) -> Move:
    """Returns the move to make: the best one, or now and then any play."""
    if isinstance(best, Play) and split(thought, _WANDER) % RANDOM_PLAYS == 0:
        return moves[split(thought, _WHITHER) % len(moves)]
    return best


def _by_card(found: Recommendation) -> dict[int, float]:
    """Returns the raw scores of the cards, the recommended one first; signals do not change them."""
    scores: dict[int, float] = {}
    for of_move in found.moves:
        assert isinstance(of_move.move, Play)
        scores.setdefault(of_move.move.card, round(of_move.raw_score, _DIGITS))
    return scores
