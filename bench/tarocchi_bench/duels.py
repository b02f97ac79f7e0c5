"""Tail duels: two agents play only the last tricks of deals that a third one has played up to there.

What happens before is the same for both and adds no noise, so a difference that lies in the last tricks shows with far
fewer deals than a match takes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tarocchi_bench.arena import MatchResult, play_match
from tarocchi_bench.pairs import MatchPlan, read_record
from tarocchi_bench.positions import before_trick, find_positions
from tarocchi_bench.training.self_play import SelfPlay
from tarocchi_bench.workers import Workers, check_workers
from tarocchi_engine import State
from tarocchi_engine.rng import split

_DEALS = 3


def play_duel(
    plan: MatchPlan,
    *,
    workers: Workers = 1,
    record: Path | None = None,
    deals: Path | None = None,
    progress: Callable[[], None] | None = None,
) -> MatchResult:
    """Plays the tails of a plan, each in every arrangement of the agents; a pair is one deal.

    Args:
        plan: with a tail; checked first.
        workers: who works; they change the time, never the result.
        record: a file of JSON lines as in `play_match`.
        deals: a file in which the deals of the base agent are kept, and found.
        progress: called after every deal.

    Raises what `play_match` and `find_positions` raise.
    """
    plan.check()
    check_workers(workers)
    tail = plan.tail
    if tail is None:
        raise ValueError("a duel needs a tail: say who plays the deals up to which trick")
    starts: list[State] = []
    if record is None or len(read_record(record, plan)) < plan.pairs:
        base_deals = SelfPlay(plan.variant, tail.base, split(plan.seed, _DEALS), plan.pairs)
        starts = find_positions(
            lambda number, end: before_trick(end, tail.tricks), plan.pairs, base_deals, deals, workers=workers
        )
    return play_match(plan, workers=workers, record=record, progress=progress, starts=starts)
