"""Matches: several deals whose scores add up. One concept for all variants; each says how long its match is.

A match is plain data between deals: the scores so far, who deals next, how many deals were played. Nothing is stored
anywhere; whoever runs a table keeps the record and hands it back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tarocchi_engine.errors import Fault, check_kind, is_integer
from tarocchi_engine.options import options_of, with_options
from tarocchi_engine.variant import DealScore, Variant, winner_of


@dataclass(frozen=True, slots=True)
class Standing:
    """What the earlier deals of a match have brought; nothing of it in a single deal."""

    scores: tuple[float, ...] = ()
    """Points of side 0 and of side 1, or of every seat where each plays for itself; empty: all zero."""
    deals_played: int = 0

    def __post_init__(self) -> None:
        if not any(self.scores):
            object.__setattr__(self, "scores", ())

    def scores_in(self, variant: Variant) -> tuple[float, ...]:
        """Returns the scores, also where all are zero."""
        return self.scores or (0.0,) * variant.score_count


MOST_DEALS = 1_000_000
"""More deals than any match has."""

FIRST_DEAL = Standing()
"""The standing before the first deal, and in a single one."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match between two of its deals, or at its end."""

    variant: Variant
    dealer: int
    """The seat that deals next."""
    standing: Standing = FIRST_DEAL

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores so far, of each side or of each seat."""
        return self.standing.scores_in(self.variant)

    @property
    def is_over(self) -> bool:
        """Whether no deal is left, or one side alone leads at the target (A-31)."""
        deals = self.variant.match_deal_count
        if deals is not None:
            return self.standing.deals_played >= deals
        return has_winner_by_target(self.variant, self.scores)

    @property
    def winner(self) -> int | None:
        """The side (or seat) that has won the finished match, None for a draw; raises ValueError before the end."""
        if not self.is_over:
            raise ValueError("the match is not over: play the deals that are left first")
        return winner_of(self.scores)

    def after(self, score: DealScore) -> Match:
        """Returns the match after one more deal; the deal passes to the next seat. Raises ValueError at the end."""
        check_kind("score", score, isinstance(score, DealScore), "the count of a deal, such as state.score()")
        if self.is_over:
            raise ValueError("the match is over: start a new one")
        scores = tuple(before + gained for before, gained in zip(self.scores, score.awards, strict=True))
        standing = Standing(scores, self.standing.deals_played + 1)
        return replace(self, dealer=self.variant.next_seat(self.dealer), standing=standing)


def has_winner_by_target(variant: Variant, scores: tuple[float, ...]) -> bool:
    """Tells whether one side alone leads with at least the target of the match."""
    target = variant.match_target
    return target is not None and max(scores) >= target and winner_of(scores) is not None


def check_standing(standing: object) -> None:
    """Raises TypeError unless `standing` is a Standing made of numbers."""
    check_kind("standing", standing, isinstance(standing, Standing), "a Standing, such as that of the match before it")
    assert isinstance(standing, Standing)
    for place, points in enumerate(standing.scores):
        check_kind(f"standing.scores[{place}]", points, isinstance(points, int | float), "a number of points")
    check_kind("standing.deals_played", standing.deals_played, is_integer(standing.deals_played), "a number of deals")


def find_standing_faults(variant: Variant, standing: Standing) -> list[Fault]:
    """Returns everything wrong with the standing of a match in which one more deal is played."""
    played, deals = standing.deals_played, variant.match_deal_count
    scores = standing.scores_in(variant)
    if played < 0:
        return [Fault("deals_played", "OUT_OF_RANGE", f"{played} deals cannot have been played: give 0 or more")]
    if played > MOST_DEALS:
        message = f"{played} deals cannot have been played: give at most {MOST_DEALS}"
        return [Fault("deals_played", "OUT_OF_RANGE", message)]
    if len(scores) != variant.score_count:
        whose = "one for each seat" if variant.seats_score_alone else "that of side 0 and that of side 1"
        return [Fault("scores", "SCORE_COUNT", f"{len(scores)} scores: give {variant.score_count}, {whose}")]
    if has_winner_by_target(variant, scores):
        message = f"a side leads with {max(scores):g} of {variant.match_target}: the match is over, start a new one"
        return [Fault("scores", "MATCH_OVER", message)]
    if deals is not None and played >= deals:
        return [Fault("deals_played", "MATCH_OVER", _no_deal_left(variant, played))]
    least, most = played * variant.least_points, played * variant.most_points
    faults = []
    for place, points in enumerate(scores):
        if not least <= points <= most:
            deals_text = "1 deal" if played == 1 else f"{played} deals"
            message = f"{points:g} points cannot come from {deals_text}: give {least} to {most}"
            faults.append(Fault(f"scores[{place}]", "OUT_OF_RANGE", message))
        elif points % variant.point_step:
            message = f"{points!r} is no score: give a multiple of {variant.point_step:g}"
            faults.append(Fault(f"scores[{place}]", "OUT_OF_RANGE", message))
    if not faults and variant.deal_points is not None:
        due, total = played * variant.deal_points, sum(scores)
        if total != due:
            message = f"the scores make {total:g} together: at {variant.deal_points:g} a deal it has to be {due:g}"
            faults.append(Fault("scores", "SCORE_TOTAL", message))
    return faults


def _no_deal_left(variant: Variant, played: int) -> str:
    """Returns what is wrong with a standing after so many deals, which are a whole match or more."""
    deals = variant.match_deal_count
    if deals != 1:
        return f"{played} deals were played and a match has {deals} here: no deal is left to play, start a new one"
    longer = [
        f"{info.name}={value}"
        for info in options_of(variant)
        for value in info.values
        if with_options(variant, {info.name: value}).match_deal_count != 1
    ]
    remedy = f"leave the standing out, or set the option {' or '.join(longer)}" if longer else "leave the standing out"
    return f"{played} deals were played, but a deal stands alone here, so no deal is left to play: {remedy}"
