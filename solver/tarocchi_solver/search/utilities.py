"""What a finished deal is worth to the choice between moves: an integer that the kernels add up.

For `Utility.POINTS` it is the result itself. Otherwise it is a chance, in units of `SCALE`, read from tables that are
made once for a decision: by the result, or in a race by the scores of both sides after it.

A playout is not the end that the deal will have, so the step from losing to winning is smoothed while tricks are left:
to maximise the bare sign of the result lost points and won no more deals. The steps of the game points of Terziglio are
smoothed likewise, also where the choice goes by points.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Phase, Variant, View
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import GAME_FACTOR, PILES, SCORING_TERZIGLIO
from tarocchi_engine.scoring import (
    FIFTY_HALF_POINTS,
    SHORT_HALF_POINTS,
    point_difference,
    score_difference,
    score_sum,
)
from tarocchi_solver.search.equity import SCALE, equity_table
from tarocchi_solver.search.match_odds import deals_next, race_scores, series_chances
from tarocchi_solver.search.results import Utility

# UtilityTable.words
KIND: Final = 0
OWN_SCORE: Final = 1  # whole points before this deal
OTHER_SCORE: Final = 2
TARGET: Final = 3
STEP_WIDTH: Final = 4  # half points
WORD_COUNT: Final = 5

PLAIN: Final = 0  # the result itself
BY_RESULT: Final = 1
BY_SCORES: Final = 2
BY_GAME: Final = 3  # game points, of which the steps are smoothed

GAME_UNITS: Final = 64
"""Utility of half a game point where it is smoothed."""

SMOOTH_SHARE: Final = 1 / 3
"""The scale of the smooth step at the first trick, in spreads of a deal."""
SHARP_TRICKS: Final = 3
"""With so many tricks left, or fewer, a win is a win."""
MOST_RESULT: Final = 1000
"""Points from which on a larger result makes no difference."""

_0 = np.uint64(0)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class UtilityTable(NamedTuple):
    """A utility in the form of the kernels."""

    words: Integers
    """[WORD_COUNT]"""
    by_result: Integers
    """Utility of own results from the least to the greatest, the middle one being 0; in a race of a lead at the end."""
    by_scores: npt.NDArray[np.int32]
    """[own score, other score] below the target of a race and, in the last cell, level at it."""


_NO_SCORES: Final = np.zeros((1, 1), dtype=np.int32)
_PLAIN: Final = UtilityTable(np.zeros(WORD_COUNT, dtype=np.int64), np.zeros(1, dtype=np.int64), _NO_SCORES)


@kernel
def utility_of(utility: Any, own: Any, both: Any, is_certain: Any) -> Any:
    """Returns what the end of a deal is worth.

    Args:
        utility: a `UtilityTable`.
        own: the result from the observer's side, in the unit of the kernels.
        both: the points of both sides together in half points; used in a race alone.
        is_certain: whether a declaration has ended the match: no play could have brought another end.
    """
    words = utility.words
    if words[KIND] == PLAIN:
        return own
    if words[KIND] == BY_GAME:
        return GAME_UNITS * own
    result = own
    if words[KIND] == BY_SCORES:
        # a solved difference may be greater than the sum that comes with it
        own_score = words[OWN_SCORE] + max((both + own) // 4, 0)
        other_score = words[OTHER_SCORE] + max((both - own) // 4, 0)
        target = words[TARGET]
        if own_score == other_score and own_score >= target:
            return np.int64(utility.by_scores[target, target])
        if max(own_score, other_score) < target:
            return np.int64(utility.by_scores[own_score, other_score])
        if is_certain:
            return np.int64(SCALE if own_score > other_score else 0)
        result = 2 * (own_score - other_score)
    middle = len(utility.by_result) // 2
    return utility.by_result[min(max(result + middle, 0), 2 * middle)]


@kernel
def smooth_game_points(difference: Any, winner_total: Any, width: Any) -> Any:
    """Returns the game points of a deal of Terziglio in gioco, to the declarer, with all steps smoothed.

    Every step, from one number of game points to the next and from losing to winning, is a straight slope of some
    width, in its middle as high as half the step.

    Args:
        difference: declarer minus defenders, in half points.
        winner_total: in half points.
        width: in half points, at least 1.
    """
    total = winner_total + SHORT_HALF_POINTS
    steps, above = total // FIFTY_HALF_POINTS, total % FIFTY_HALF_POINTS
    below = FIFTY_HALF_POINTS - above
    game = np.float64(steps)
    if 2 * above < width and steps > 0:
        game += np.float64(above) / width - 0.5
    elif 2 * below < width:
        game += 0.5 - np.float64(below) / width
    return game * min(max(2.0 * difference / width, -1.0), 1.0)


@kernel
def smooth_game(utility: Any, position: Any, piles: Any) -> Any:
    """Returns what a finished deal of Terziglio is worth to the declarer; that one side won all tricks counts in full.

    Args:
        utility: a `UtilityTable` of kind BY_GAME.
        position: the finished deal.
        piles: those that `score_difference` left.
    """
    if position[PILES] == _0 or position[PILES + 1] == _0:
        return GAME_UNITS * score_difference(position, piles)
    difference = point_difference(position, piles)
    total = (score_sum(position, piles) + abs(difference)) // 2
    game = smooth_game_points(difference, total, utility.words[STEP_WIDTH]) * np.float64(position[GAME_FACTOR])
    return np.int64(np.rint(2 * GAME_UNITS * game))


@kernel
def _write_utilities(utility: Any, own: Any, both: Any, is_certain: Any, utilities: Any) -> None:
    for place in range(len(own)):
        utilities[place] = utility_of(utility, own[place], both[place], is_certain)


def utilities_of(
    utility: UtilityTable, own: npt.NDArray[Any], both: npt.NDArray[Any], *, is_certain: bool = False
) -> Integers:
    """Returns the utilities of whole results of one dimension, as `utility_of` does of one."""
    found = np.empty(len(own), dtype=np.int64)
    _write_utilities(utility, own.astype(np.int64), both.astype(np.int64), is_certain, found)
    return found


def resolve(variant: Variant, wanted: Utility) -> Utility:
    """Returns what `AUTO` stands for in a variant, and POINTS for a match where a deal stands alone.

    Seats that play for themselves settle a session in its points.
    """
    if wanted is Utility.AUTO:
        wanted = Utility.POINTS if variant.seats_score_alone else Utility.MATCH
    if wanted is Utility.MATCH and variant.match_deal_count == 1:
        return Utility.POINTS
    return wanted


def make_utility(view: View, wanted: Utility, step_width: float = 0.0) -> UtilityTable:
    """Returns the utility of a decision; raises `DataFileError` if the table of a race cannot be used.

    `step_width` is that of `SearchOptions`.
    """
    variant = view.variant
    wanted = resolve(variant, wanted)
    words = np.zeros(WORD_COUNT, dtype=np.int64)
    if wanted is Utility.POINTS:
        if not (variant.scoring == SCORING_TERZIGLIO and step_width >= 0.5 and view.table.tricks_left > SHARP_TRICKS):
            return _PLAIN
        words[KIND], words[STEP_WIDTH] = BY_GAME, round(2 * step_width)
        return _PLAIN._replace(words=words)
    words[KIND] = BY_RESULT
    unit = unit_of(view)
    most = int(min(variant.most_points * variant.game_factor, MOST_RESULT) / unit)
    results: Floats = np.arange(-most, most + 1, dtype=np.float64) * unit
    scale = smoothing(view)
    if wanted is Utility.WIN:
        return UtilityTable(words, _in_units(_step(results, scale)), _NO_SCORES)
    if variant.match_target is None:
        # a normal law of this spread is about as steep in the middle as the smooth step
        chances = series_chances(view, results, scale / math.sqrt(math.pi / 2))
        return UtilityTable(words, _in_units(chances), _NO_SCORES)
    words[KIND] = BY_SCORES
    own, other = race_scores(view)
    words[OWN_SCORE], words[OTHER_SCORE], words[TARGET] = int(own), int(other), variant.match_target
    return UtilityTable(words, _in_units(_step(results, scale)), equity_table(variant, deals_next(view)))


def smoothing(view: View) -> float:
    """Returns the scale of the smooth step in points: less and less as the deal goes on, in the end none."""
    variant = view.variant
    to_come = max(view.table.tricks_left - SHARP_TRICKS, 0) / (variant.trick_count - SHARP_TRICKS)
    return variant.deal_spread * variant.game_factor * SMOOTH_SHARE * math.sqrt(to_come)


def _step(results: Floats, scale: float) -> Floats:
    """Returns (1 + tanh(x / scale)) / 2 of every result x; without a scale whether it is above 0, ties half."""
    return (np.sign(results) + 1) / 2 if scale == 0 else (1 + np.tanh(results / scale)) / 2


def _in_units(chances: Floats) -> Integers:
    units: Integers = np.rint(chances * SCALE).astype(np.int64)
    return units


def unit_of(view: View) -> float:
    """Returns what one unit of the kernels is worth in the scores of an answer.

    Half a point; in a game with an auction half a game point to the declarer, and half of that to a defender, whose
    gain the partner shares.
    """
    table = view.table
    is_defender = table.declarer is not None and table.phase is not Phase.BID and table.declarer != view.seat
    return view.variant.game_factor * (0.25 if is_defender else 0.5)
