"""Turns what a search has seen in its worlds into what deals really bring.

Replies in a search are weaker than those of real players, and sampled means spread too much or too little. So for each
stage of a deal a straight line from the raw mean to the mean result was fitted to self-play, with the spread of results
around it and a logistic curve for the chance to win. All moves of a decision go through the same line with a slope
above 0, so their order and the signs of their differences stay as they are. Answers in which every world was solved are
left alone.

Calls of an auction are the exception: what a search makes of a hand played alone is wrong in another way than what it
makes of a pass, so each call has a line of its own, and the choice between calls is made behind the lines (as bids in
Spades were corrected by what they had brought: Cohensius et al., 2020).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Bid, Call, Move, Phase, Table, View, get_variant
from tarocchi_solver.search.data_files import DataFileError, data_folder, load_arrays
from tarocchi_solver.search.decision import wins_match
from tarocchi_solver.search.results import MoveStatistics, Recommendation

BID: Final = "bid_"
"""What the names of the stages of the calls of an auction begin with."""
OPENING_STAGES: Final = ("monte", *(f"{BID}{call}" for call in Call), "call_out", "discard", "declare")
"""Decisions before the first card, named after their phases, and those of an auction after the call."""
PLAY_STAGES: Final = ("play_1", "play_2", "play_3", "play_4", "play_5", "play_6")
"""Plays by the tricks left: `play_1` holds the last ones."""
DEFENCE: Final = "defence_"
"""What the names of the stages of those begin with who play against a declarer."""
STAGES: Final = (
    *OPENING_STAGES,
    *reversed(PLAY_STAGES),
    f"{DEFENCE}declare",
    *(f"{DEFENCE}{stage}" for stage in reversed(PLAY_STAGES)),
)
"""All stages, those of each seat in the order of a deal."""
CERTAIN_STAGES: Final = frozenset({"monte", f"{BID}{Call.PASS}", "call_out"})
"""Stages with moves after which nothing is scored for certain: their lines go through the origin, so 0 stays 0."""
LAST_BOUNDS: Final = (2, 4)
"""The most tricks left in `play_1` and `play_2`; the other stages share the rest of the deal equally."""
KINDRED_WORLDS: Final = 8
"""Worlds after which a move's own spread counts as much as that of the recommended move."""
TABLE: Final = "stages"
"""The array of a data file: [STAGES, FIELDS]."""
RANGE_SHARE: Final = 0.8
"""How many results lie in `MoveStatistics.score_range_80`."""

_MOST_OF_TEN: Final = 0.9
_NORMAL_TENTH: Final = 1.2815516
"""One of ten results of a standard normal law lies above it."""

Floats = npt.NDArray[np.float64]


def play_bounds(trick_count: int) -> tuple[int, ...]:
    """Returns the most tricks left in each of PLAY_STAGES in a deal of so many tricks."""
    first, second = LAST_BOUNDS
    parts = len(PLAY_STAGES) - len(LAST_BOUNDS)
    return (first, second, *(second + (trick_count - second) * part // parts for part in range(1, parts + 1)))


def stage_of(
    phase: Phase, tricks_left: int, trick_count: int, *, call: Call | None = None, defends: bool = False
) -> str:
    """Returns the stage of a decision.

    Args:
        phase, tricks_left, trick_count: when it is made.
        call: in an auction the call that is judged.
        defends: whether it is that of a defender, as `is_defender` says.
    """
    name = phase.name.lower() if call is None else f"{BID}{call}"
    if name not in OPENING_STAGES:
        bounds = play_bounds(trick_count)
        name = PLAY_STAGES[next(place for place, most in enumerate(bounds) if tricks_left <= most)]
    return f"{DEFENCE}{name}" if defends else name


def is_of_defence(stage: str) -> bool:
    """Tells whether a stage is one of those who play against a declarer."""
    return stage.startswith(DEFENCE)


def is_defender(table: Table, seat: int) -> bool:
    """Tells whether a seat plays with others against a declarer."""
    return table.declarer is not None and table.phase is not Phase.BID and seat != table.declarer


@dataclass(frozen=True, slots=True)
class StageFit:
    """What was fitted to one stage; its functions take numbers or arrays of numbers."""

    intercept: float
    slope: float
    intercept_variance: float
    slope_variance: float
    covariance: float
    """Of the intercept and the slope."""
    low_80: float
    """Eight of ten results lie between the mean plus so many spreads ..."""
    high_80: float
    """... and the mean plus so many."""
    low_95: float
    high_95: float
    least_spread: float
    """In points: no result is taken to be surer than that."""
    win_intercept: float
    win_slope: float

    def score(self, raw: Any) -> Any:
        """Returns the mean result behind a raw mean."""
        return self.intercept + self.slope * raw

    def error(self, raw: Any, error: Any) -> Any:
        """Returns the standard error of `score`: that of the raw mean, and that of the fit."""
        of_fit = self.intercept_variance + 2 * self.covariance * raw + self.slope_variance * raw * raw
        return np.sqrt(np.square(self.slope * error) + np.maximum(of_fit, 0.0))

    def difference_error(self, raw: Any, error: Any) -> Any:
        """Returns the standard error of a difference of scores, which is the slope times the raw one."""
        return np.sqrt(np.square(self.slope * error) + self.slope_variance * np.square(raw))

    def spread(self, deviation: Any, error: Any, worlds: Any) -> Any:
        """Returns how far results lie from `score`.

        Args:
            deviation: of single results.
            error: of the raw mean.
            worlds: in which the deviation was seen; in few it says little, so results are taken to lie further apart.
        """
        return np.sqrt(np.square(student_ratio(worlds) * deviation) + np.square(error) + self.least_spread**2)

    def score_range(self, raw: Any, spread: Any, share: float = RANGE_SHARE) -> tuple[Any, Any]:
        """Returns between which two scores the results lie, for a `share` of 0.8 or 0.95."""
        low, high = (self.low_80, self.high_80) if share == RANGE_SHARE else (self.low_95, self.high_95)
        return self.score(raw) + low * spread, self.score(raw) + high * spread

    def win_probability(self, share: Any, worlds: Any, low: Any, high: Any) -> Any:
        """Returns the chance to win behind the share of results that win in so many worlds.

        It agrees with the range `low` to `high` of eight results of ten: one of ten lies below it, one above.
        """
        chance = 1.0 / (1.0 + np.exp(-(self.win_intercept + self.win_slope * log_odds(share, worlds))))
        return np.clip(chance, np.where(low > 0.0, _MOST_OF_TEN, 0.0), np.where(high < 0.0, 1.0 - _MOST_OF_TEN, 1.0))


def student_ratio(worlds: Any) -> Any:
    """Returns how much wider than the normal law Student's law is between its tenths, from so many worlds.

    By the first terms of the expansion of its quantiles in the degrees of freedom (Abramowitz and Stegun, 26.7.5).
    """
    freedom = np.maximum(np.asarray(worlds, dtype=np.float64) - 1.0, 1.0)
    square = _NORMAL_TENTH**2
    return 1.0 + (square + 1.0) / (4.0 * freedom) + (5.0 * square**2 + 16.0 * square + 3.0) / (96.0 * freedom**2)


def log_odds(share: Any, worlds: Any) -> Any:
    """Returns the log odds of a share of worlds, half a world won and half a world lost added to them."""
    smoothed = (share * worlds + 0.5) / (worlds + 1.0)
    return np.log(smoothed / (1.0 - smoothed))


FIELDS: Final = tuple(field.name for field in fields(StageFit))
"""The columns of TABLE."""


def calibration_file(variant: str) -> str:
    """Returns the name of the data file with the fits of a variant."""
    return f"{variant}_calibration"


def parse_fits(table: Floats, name: str) -> dict[str, StageFit]:
    """Returns the fits of a table by stage; raises `DataFileError` naming the file unless each is sane."""
    if table.shape != (len(STAGES), len(FIELDS)) or table.dtype.kind != "f":
        raise DataFileError(f"{name}: holds no table of {len(STAGES)} stages: install the package again")
    fits = {}
    for stage, row in zip(STAGES, table.tolist(), strict=True):
        fit = StageFit(*row)
        is_sane = fit.slope > 0.0 and fit.win_slope > 0.0 and min(fit.intercept_variance, fit.slope_variance) >= 0.0
        is_ordered = fit.low_95 <= fit.low_80 <= fit.high_80 <= fit.high_95 and fit.least_spread >= 0.0
        if not (np.isfinite(row).all() and is_sane and is_ordered):
            raise DataFileError(f"{name}: what it says of {stage} cannot be: install the package again")
        fits[stage] = fit
    return fits


def calibration_card(variant: str) -> dict[str, Any] | None:
    """Returns what the fits of a variant come from; None if there are none."""
    file = data_folder() / f"{calibration_file(variant)}.json"
    if not file.is_file():
        return None
    card: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return card


@cache
def fits_of(variant: str) -> Mapping[str, StageFit] | None:
    """Returns the fits that ship for a variant by stage; None if there are none.

    Raises `DataFileError` if they are not what was shipped.
    """
    name = calibration_file(variant)
    if not any((data_folder() / f"{name}.{ending}").is_file() for ending in ("json", "npz")):
        return None
    return parse_fits(load_arrays(name, get_variant(variant).rules_revision)[TABLE], name)


def calibrated(view: View, found: Recommendation, fits: Mapping[str, StageFit] | None) -> Recommendation:
    """Returns an answer with calibrated scores, errors, ranges and chances to win the deal.

    Left as it is: an exact answer, one in a variant without `fits`, and one whose best move wins the match at once.
    """
    if fits is None or found.exact or wins_match(view, found.move):
        return found
    if view.phase is Phase.BID:
        return replace(found, moves=_calibrated_calls(found.moves, fits))
    defends = is_defender(view.table, view.seat)
    fit = fits[stage_of(view.phase, view.table.tricks_left, view.variant.trick_count, defends=defends)]
    return replace(found, moves=_calibrated_moves(fit, found.moves, shares_results=view.phase is Phase.DECLARE))


def _fit_of_call(move: Move, fits: Mapping[str, StageFit]) -> StageFit:
    assert isinstance(move, Bid)
    return fits[f"{BID}{move.call}"]


def scores_of_calls(moves: Sequence[Move], raw: Floats, fits: Mapping[str, StageFit]) -> Floats:
    """Returns the mean results behind the raw means of calls, in points: what the choice between them goes by."""
    lines = [_fit_of_call(move, fits) for move in moves]
    return np.array([line.score(value) for line, value in zip(lines, raw.tolist(), strict=True)])


def _calibrated_calls(moves: Sequence[MoveStatistics], fits: Mapping[str, StageFit]) -> tuple[MoveStatistics, ...]:
    """Returns the statistics of calls, each behind its own line."""
    lines = [_fit_of_call(move.move, fits) for move in moves]
    behind = [_calibrated_moves(line, [move], shares_results=False)[0] for line, move in zip(lines, moves, strict=True)]
    gap_errors = [_error_between(line, lines[0], move, moves[0]) for line, move in zip(lines, moves, strict=True)]
    return tuple(
        replace(
            move, difference_to_best=move.expected_score - behind[0].expected_score, difference_standard_error=error
        )
        for move, error in zip(behind, gap_errors, strict=True)
    )


def _error_between(line: StageFit, best_line: StageFit, move: MoveStatistics, best: MoveStatistics) -> float:
    """Returns the standard error of the difference of two calls behind their lines, from their raw statistics.

    That of their raw difference, which the same worlds gave, as far as the slopes agree; that of the move for what the
    slopes differ by; and those of both lines, which were fitted to different positions.
    """
    if move is best:
        return 0.0
    parts = (
        best_line.slope * move.difference_standard_error,
        (line.slope - best_line.slope) * move.standard_error,
        line.error(move.raw_score, 0.0),
        best_line.error(best.raw_score, 0.0),
    )
    return math.hypot(*parts)


def _calibrated_moves(
    fit: StageFit, moves: Sequence[MoveStatistics], *, shares_results: bool
) -> tuple[MoveStatistics, ...]:
    """Returns the statistics of all moves of a decision behind the line of a stage; all at once, for speed.

    Moves that share their results, as declarations do, differ by the same points in every world: they go through the
    line with the first.
    """
    raw, errors, gaps, gap_errors, deviations, wins, worlds = np.array(
        [
            (
                move.expected_score,
                move.standard_error,
                move.difference_to_best,
                move.difference_standard_error,
                move.result_deviation,
                move.win_probability,
                move.worlds,
            )
            for move in moves
        ],
        dtype=np.float64,
    ).T
    # in few worlds results may happen to be all alike
    own = worlds / (worlds + KINDRED_WORLDS)
    is_known = (deviations == 0.0) & (errors == 0.0) & (raw == 0.0)
    pooled = np.where(is_known, 0.0, np.sqrt(own * deviations**2 + (1.0 - own) * deviations[0] ** 2))
    if shares_results:
        raw, errors = np.full_like(raw, raw[0]), np.full_like(errors, errors[0])
        differences, difference_errors = gaps, np.zeros_like(gaps)
    else:
        differences, difference_errors = fit.slope * gaps, fit.difference_error(gaps, gap_errors)
    extra = gaps if shares_results else np.zeros_like(gaps)
    low, high = fit.score_range(raw, fit.spread(pooled, errors, worlds))
    low, high = low + extra, high + extra
    columns = (
        fit.score(raw) + extra,
        fit.error(raw, errors),
        differences,
        difference_errors,
        fit.win_probability(wins, worlds, low, high),
        low,
        high,
    )
    return tuple(
        replace(
            move,
            expected_score=score,
            standard_error=error,
            difference_to_best=gap,
            difference_standard_error=gap_error,
            win_probability=win,
            score_range_80=(least, most),
        )
        for move, score, error, gap, gap_error, win, least, most in zip(
            moves, *(column.tolist() for column in columns), strict=True
        )
    )
