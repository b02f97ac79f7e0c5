"""Levels of play, from a beginner to full strength, and how strong each was measured to be.

A weak level is not a blind one: it searches too, with a few hundred iterations, and then, now and then, makes another
move than the best that it has found. So what it gives away is known and has a limit: it is drawn among moves that the
search has looked at closely enough to know that they lose no more than that, and never from those that no player of
sense would make (see `search.absurdity`). Playing a search with hardly any iterations instead would lose by blunders
that no partner understands.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from functools import cache
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any, Final

from tarocchi_engine import Move, Observation, Play, View, get_variant, view
from tarocchi_engine.rng import split
from tarocchi_solver.search import Budget, MoveStatistics, Recommendation, search
from tarocchi_solver.search.absurdity import absurd_cards
from tarocchi_solver.search.data_files import DataFileError, data_folder
from tarocchi_solver.search.decision import wins_match


class Level(StrEnum):
    """How well to play, weakest first."""

    BEGINNER = "beginner"
    CASUAL = "casual"
    CLUB = "club"
    EXPERT = "expert"
    MASTER = "master"


@dataclass(frozen=True, slots=True)
class LevelSettings:
    """How a level plays."""

    summary: str
    """In a few English words."""
    iterations: int
    """The budget of every search."""
    slips: float
    """The share of decisions, at random, in which the move is drawn; in the others it is the best one."""
    loss_limit: float
    """How far behind the best a move that is drawn may be, as a share of the spread of deals (`deal_spread`)."""
    temperature: float
    """How far behind a move is, likewise, that is drawn e times as seldom as the best; above 0 if there are slips."""


LEVELS: Final[Mapping[Level, LevelSettings]] = MappingProxyType(
    {
        Level.BEGINNER: LevelSettings("Knows the rules and a little more", 400, 1.0, 0.28, 2.0),
        Level.CASUAL: LevelSettings("Plays now and then", 500, 0.85, 0.25, 0.5),
        Level.CLUB: LevelSettings("A practised player who still errs", 700, 0.6, 0.2, 0.5),
        Level.EXPERT: LevelSettings("A strong player who seldom errs", 1000, 0.35, 0.15, 0.3),
        Level.MASTER: LevelSettings("Full strength at the pace of a table", 3000, 0.0, 0.0, 0.0),
    }
)
"""The settings of every level, weakest first; the steps between them were made about even by matches."""
KNOWN_WORLDS: Final = 8
"""A move that was evaluated in fewer worlds is not known well enough to be drawn, unless the answer is exact."""
_DRAW_STREAM: Final = 5
"""Apart from the streams of the search, which splits the same seed."""


def settings_of(level: Level) -> LevelSettings:
    """Returns how a level plays; raises TypeError for something else than a level."""
    if not isinstance(level, Level):
        raise TypeError(f"level is {level!r}: give one of {', '.join(f'Level.{item.name}' for item in Level)}")
    return LEVELS[level]


def play_at_level(
    observation: Observation,
    level: Level,
    *,
    seed: int | None = None,
    time_ms: int | None = None,
    threads: int = 1,
    stop: threading.Event | None = None,
    progress: Callable[[int], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Recommendation:
    """Returns the move that a level makes, and what its search found out about every legal one.

    `moves` of the answer are the ranking of the search, best first; at a level below the master `move` may be another
    one than the first of them. The same observation, level and seed give the same move if no clock ends the search.

    Args:
        observation: what the seat knows; hidden cards have no way in.
        level: how well to play; it decides the iterations of the search.
        seed: of the search and of what the level draws; drawn if None, and told by the diagnostics.
        time_ms: when to end the search, early if need be, in milliseconds of `clock`; None for no such cap.
        threads, stop, progress, clock: as in `search`.

    Raises what `search` raises, and TypeError for something else than a level.
    """
    settings = settings_of(level)
    found = search(
        observation,
        Budget(iterations=settings.iterations, time_ms=time_ms),
        seed=seed,
        threads=threads,
        stop=stop,
        progress=progress,
        clock=clock,
    )
    return at_level(view(observation), found, level)


def at_level(view: View, found: Recommendation, level: Level) -> Recommendation:
    """Returns the answer of a search with the move that a level makes after it."""
    settings = settings_of(level)
    if settings.slips == 0.0 or len(found.moves) == 1:
        return found
    return replace(found, move=drawn_move(view, found, settings))


def drawn_move(view: View, found: Recommendation, settings: LevelSettings) -> Move:
    """Returns the move that a level with such settings makes after a search; the seed of the search decides."""
    # a caller who keeps to one seed does not want the same luck in every decision
    stream = split(found.diagnostics.seed, _DRAW_STREAM, len(view.table.events), view.hand)
    if _uniform(stream, 0) >= settings.slips:
        return found.move
    choices = choices_of_level(view, found, settings)
    temperature = settings.temperature * view.variant.deal_spread
    best = max(item.difference_to_best for item in choices)
    sums = list(accumulate(math.exp((item.difference_to_best - best) / temperature) for item in choices))
    mark = _uniform(stream, 1) * sums[-1]
    return next(item.move for item, reached in zip(choices, sums, strict=True) if mark < reached)


def _uniform(stream: int, number: int) -> float:
    """Returns a number of a stream, from 0 up to and without 1."""
    return (split(stream, number) >> 11) / (1 << 53)


def choices_of_level(view: View, found: Recommendation, settings: LevelSettings) -> tuple[MoveStatistics, ...]:
    """Returns the moves among which a level with such settings draws: the best one, and what does not lose much more.

    Those within the loss limit, in points and where there is a match to win in the chance to win it, that are known
    well enough and that are not absurd. Of moves that differ in a signal alone it is the first. A move that wins the
    match at once leaves no choice.
    """
    best, *others = found.moves
    if wins_match(view, best.move):
        return (best,)
    absurd = absurd_cards(view)
    choices = [best]
    cards = {best.move.card} if isinstance(best.move, Play) else set()
    for item in others:
        if isinstance(item.move, Play):
            if item.move.card in cards or item.move.card in absurd:
                continue
            cards.add(item.move.card)
        if (found.exact or item.worlds >= KNOWN_WORLDS) and _is_within(view, best, item, settings.loss_limit):
            choices.append(item)
    return tuple(choices)


def _is_within(view: View, best: MoveStatistics, item: MoveStatistics, loss_limit: float) -> bool:
    """Tells whether a move loses no more than a share of the spread of deals, and of the match no such share."""
    if item.difference_to_best < -loss_limit * view.variant.deal_spread:
        return False
    if best.match_win_probability is None or item.match_win_probability is None:
        return True
    return item.match_win_probability >= best.match_win_probability - loss_limit


@dataclass(frozen=True, slots=True)
class LevelStrength:
    """What a level was measured at in one variant."""

    level: Level
    opponent: Level
    """The next stronger one."""
    mean_difference: float
    """Mean points of a deal for the level minus those of the opponent, in game points where every seat scores for
    itself; negative where the opponent is stronger."""
    standard_error: float
    """Of that mean, over pairs."""
    pairs: int
    """Of duplicate deals, or blocks of six where every seat scores for itself."""


STEPS: Final = tuple(pairwise(Level))
"""Every level that was measured, with its opponent."""
_FIGURES: Final = tuple(field.name for field in fields(LevelStrength) if field.name not in ("level", "opponent"))


def strengths_file(variant: str) -> str:
    """Returns the name of the data file with the strengths of the levels in a variant."""
    return f"{variant}_levels.json"


def settings_card() -> dict[str, Any]:
    """Returns the settings of all levels as a data file keeps them: figures hold for the settings measured alone."""
    return {
        level: {name: value for name, value in asdict(settings).items() if name != "summary"}
        for level, settings in LEVELS.items()
    }


@cache
def level_strengths(variant: str) -> tuple[LevelStrength, ...]:
    """Returns what the levels were measured at in a variant, weakest first; nothing if they were not.

    Raises `DataFileError` if the file is not what was shipped, or is about other rules or settings of the levels.
    """
    get_variant(variant)
    file = data_folder() / strengths_file(variant)
    if not file.is_file():
        return ()
    return parse_strengths(file.read_text("utf-8"), variant)


def parse_strengths(text: str, variant: str) -> tuple[LevelStrength, ...]:
    """Returns the strengths in the text of a data file; raises `DataFileError` naming the file and the remedy."""
    name = strengths_file(variant)
    try:
        card = json.loads(text)
        command, revision, settings, steps = (card[key] for key in ("command", "rules_revision", "settings", "steps"))
        found = tuple(
            LevelStrength(Level(step["level"]), Level(step["opponent"]), **{key: step[key] for key in _FIGURES})
            for step in steps
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{name}: no file of strengths ({error!r}): install the package again") from error
    if card.get("variant") != variant:
        raise DataFileError(f"{name}: is about {card.get('variant')!r}: install the package again")
    rules = get_variant(variant).rules_revision
    if revision != rules:
        raise DataFileError(
            f"{name}: made for revision {revision} of the rules, and these are revision {rules}: "
            f"make it again by `{command}`"
        )
    if settings != settings_card():
        raise DataFileError(f"{name}: the levels were measured with other settings: make it again by `{command}`")
    if tuple((step.level, step.opponent) for step in found) != STEPS:
        raise DataFileError(f"{name}: not every level stands against the next: make it again by `{command}`")
    for step in found:
        if not _is_sane(step):
            raise DataFileError(f"{name}: what it says of {step.level} cannot be: make it again by `{command}`")
    return found


def _is_sane(step: LevelStrength) -> bool:
    numbers = (step.mean_difference, step.standard_error)
    if not all(isinstance(number, float) and math.isfinite(number) for number in numbers):
        return False
    return step.standard_error > 0.0 and type(step.pairs) is int and step.pairs >= 2
