"""Measures every level of play against the next stronger one, and writes the figures that the service publishes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tarocchi_bench.arena import MatchResult, play_match
from tarocchi_bench.ladder import Ladder
from tarocchi_bench.pairs import MatchPlan
from tarocchi_bench.workers import Workers
from tarocchi_engine import get_variant
from tarocchi_solver import __version__
from tarocchi_solver.levels import STEPS, Level, settings_card, strengths_file

DIGITS: Final = 4
"""Of the figures written, after the point."""


def plans_of(variant: str, *, seed: int, pairs: int) -> list[MatchPlan]:
    """Returns the matches of all steps, weakest first: a level against the next stronger one, all on the same deals."""
    return [MatchPlan(variant, agent_of(level), agent_of(stronger), seed, pairs) for level, stronger in STEPS]


def agent_of(level: Level) -> str:
    """Returns the name of the agent that plays at a level."""
    return f"level:{level}"


def measure_levels(
    plans: Sequence[MatchPlan], folder: Path, *, workers: Workers = 1, progress: Callable[[], None] | None = None
) -> list[MatchResult]:
    """Returns the results of the matches of all steps; raises what `play_match` raises.

    Args:
        plans: the matches.
        folder: of a ladder with their records, made if need be; pairs found there are not played again.
        workers: who works.
        progress: called after every pair.
    """
    ladder = Ladder(folder)
    for plan in plans:
        plan.check()
    ladder.enlist(plans)
    return [play_match(plan, workers=workers, record=ladder.record_of(plan), progress=progress) for plan in plans]


def save_strengths(results: Sequence[MatchResult], plans: Sequence[MatchPlan], folder: Path, command: str) -> str:
    """Writes the data file of a variant from the results of all its steps; returns its name.

    Raises ValueError where all pairs of a step came out alike: figures without an error tell nothing.
    """
    for (level, stronger), result in zip(STEPS, results, strict=True):
        if result.standard_error == 0.0:
            raise ValueError(
                f"all {result.pairs} pairs of {level} against {stronger} came out alike, which leaves no error: "
                "play more pairs"
            )
    variant = plans[0].variant
    card = {
        "what": "mean points of a deal for a level minus those of the next stronger one, over duplicate deals",
        "command": command,
        "variant": variant,
        "rules_revision": get_variant(variant).rules_revision,
        "version": __version__,
        "seed": plans[0].seed,
        "settings": settings_card(),
        "steps": [
            {
                "level": level,
                "opponent": stronger,
                "mean_difference": round(result.mean_difference, DIGITS),
                "standard_error": round(result.standard_error, DIGITS),
                "pairs": result.pairs,
            }
            for (level, stronger), result in zip(STEPS, results, strict=True)
        ],
    }
    name = strengths_file(variant)
    (folder / name).write_text(json.dumps(card, indent=2) + "\n", "utf-8")
    return name
