"""Positions from deals that an agent has played against itself, which are kept so that they are played once."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from tarocchi_bench.training.self_play import SelfPlay, play_deals, read_deals
from tarocchi_bench.workers import Workers
from tarocchi_engine import Phase, State, Table

MOST_DEALS_EACH: Final = 50
"""Deals played for one position before it is given up: most deals that are passed or thrown in have none."""

T = TypeVar("T")


def find_positions(
    cut: Callable[[int, State], T | None],
    count: int,
    plan: SelfPlay,
    record: Path | None = None,
    *,
    workers: Workers = 1,
    progress: Callable[[], None] | None = None,
) -> list[T]:
    """Returns what `cut` finds in the deals of a plan, of which as many are played as it takes.

    Args:
        cut: given the number of a deal and its end, returns a position, or None if the deal has none.
        count: how many to find; they are those of the first deals.
        plan: the deals; their number is where to begin.
        record: where deals are kept, and found; None keeps none.
        workers: who works.
        progress: called after every deal played.

    Raises what `play_deals` raises, and ValueError where hardly any deal has a position.
    """
    if record is None:
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "deals.jsonl"
            return find_positions(cut, count, plan, kept, workers=workers, progress=progress)
    plan = replace(plan, deals=max(plan.deals, count))
    while True:
        play_deals(plan, record, workers=workers, progress=progress)
        found = [position for number, end in enumerate(read_deals(record, plan)) if (position := cut(number, end))]
        if len(found) >= count:
            return found[:count]
        if plan.deals >= MOST_DEALS_EACH * count:
            raise ValueError(f"only {len(found)} of {plan.deals} deals of {plan.agent} have such a position")
        missing = (count - len(found)) * plan.deals / max(len(found), 1)
        plan = replace(plan, deals=min(plan.deals + math.ceil(missing), MOST_DEALS_EACH * count))


def decisions_in_play(end: State) -> Iterator[State]:
    """Yields the states before each card of a finished deal."""
    table = Table(end.variant, end.table.dealer, end.standing)
    for event in end.events:
        if table.phase is Phase.PLAY:
            # by now the discard has been laid away, and stays as it is
            yield State(end.packets, end.stock, end.aside, table)
        table = table.copy()
        table.apply(event.seat, event.move)


def before_trick(end: State, tricks: int) -> State | None:
    """Returns where a finished deal stood before a trick was led with so many left, None if it ended earlier."""
    for state in decisions_in_play(end):
        if state.table.tricks_left == tricks and not state.table.trick:
            return state
    return None
