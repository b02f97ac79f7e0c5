"""Matches: several deals whose scores add up. One concept for all variants; each says how long its match is.

A match is plain data between deals: the scores so far, who deals next, how many deals were played. Nothing is stored
anywhere; whoever runs a table keeps the record and hands it back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tarocchi_engine.errors import Fault
from tarocchi_engine.options import options_of, with_options
from tarocchi_engine.variant import DealScore, Variant, winner_of


@dataclass(frozen=True, slots=True)
class Standing:
    """What both sides have from the earlier deals of a match; nothing of it in a single deal."""

    scores: tuple[float, float] = (0.0, 0.0)
    """Points of side 0 and of side 1."""
    deals_played: int = 0


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
    def is_over(self) -> bool:
        """Whether no deal is left."""
        return self.standing.deals_played >= self.variant.match_deal_count

    @property
    def winner(self) -> int | None:
        """The side that has won the finished match, None for a draw; raises ValueError before the end."""
        if not self.is_over:
            raise ValueError("the match is not over: some of its deals are still to be played")
        return winner_of(self.standing.scores)

    def after(self, score: DealScore) -> Match:
        """Returns the match after one more deal; the deal passes to the next seat. Raises ValueError at the end."""
        if self.is_over:
            raise ValueError("the match is over: start a new one")
        first, second = (before + side.total for before, side in zip(self.standing.scores, score.sides, strict=True))
        standing = Standing((first, second), self.standing.deals_played + 1)
        return replace(self, dealer=self.variant.next_seat(self.dealer), standing=standing)


def find_standing_faults(variant: Variant, standing: Standing) -> list[Fault]:
    """Returns everything wrong with the standing of a match in which one more deal is played."""
    played, deals = standing.deals_played, variant.match_deal_count
    if played < 0:
        return [Fault("deals_played", "OUT_OF_RANGE", f"{played} deals cannot have been played: give 0 or more")]
    if played >= deals:
        return [Fault("deals_played", "MATCH_OVER", _no_deal_left(variant, played))]
    most = played * variant.most_points
    faults = [
        Fault(f"scores[{side}]", "OUT_OF_RANGE", f"{points:g} points cannot come from {played} deals: give 0 to {most}")
        for side, points in enumerate(standing.scores)
        if not 0 <= points <= most
    ]
    faults += [
        Fault(f"scores[{side}]", "OUT_OF_RANGE", f"{points!r} is no score: give a multiple of {variant.point_step:g}")
        for side, points in enumerate(standing.scores)
        if 0 <= points <= most and points % variant.point_step
    ]
    if not faults and variant.deal_points is not None:
        due, total = played * variant.deal_points, sum(standing.scores)
        if total != due:
            message = (
                f"the scores make {total:g} together: after {played} deals of {variant.deal_points:g} it is {due:g}"
            )
            faults.append(Fault("scores", "SCORE_TOTAL", message))
    return faults


def _no_deal_left(variant: Variant, played: int) -> str:
    """Returns what is wrong with a standing after so many deals, which are a whole match or more."""
    deals = variant.match_deal_count
    if deals > 1:
        return f"{played} deals were played and a match has {deals} here: no deal is left to play"
    longer = [
        f"{info.name}={value}"
        for info in options_of(variant)
        for value in info.values
        if with_options(variant, {info.name: value}).match_deal_count > 1
    ]
    remedy = f"leave the standing out, or set the option {' or '.join(longer)}" if longer else "leave the standing out"
    return f"{played} deals were played, but a deal stands alone here, so no deal is left to play: {remedy}"
