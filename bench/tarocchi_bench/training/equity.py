"""Works out the match equity of Ottocento backwards from deals of self-play.

The value of a pair of scores is the mean, over all deals, of the value of the scores after the deal. What ends a match
follows the rules (section 6): the dealer's call-out before the first trick, then the declarations in their order, then
the count, after which the higher side at the target wins and level sides play another deal. A deal that was thrown in
changes nothing but the dealer. Because every pair of scores meets the same deals, a point more never hurts in the
table, however few they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_bench.training.self_play import SelfPlay
from tarocchi_engine import State, get_variant
from tarocchi_engine.compilation import kernel
from tarocchi_engine.variant import Ending
from tarocchi_solver.search.data_files import Arrays, save_arrays
from tarocchi_solver.search.equity import STORED_SCALE, equity_name

VARIANT: Final = "ottocento"
SPREAD: Final = 20
"""Points up or down by which the play of a deal might as well have ended: each deal counts as four such."""
NODE_STEP: Final = 5
"""Points between the stored scores, in between which the table is linear."""
NEAR_TARGET: Final = 100
"""So near to the target every score is stored: a point decides which declarations end the match."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Course:
    """What a deal between two sides without a score brings, so that it can be counted at any other scores."""

    call_out: int
    """The points that the dealer could show of its first fifteen cards."""
    declared: tuple[int, ...]
    """The points declared by each seat, from the dealer's right on: the other side first, the dealer last."""
    totals: tuple[int, int] | None
    """The whole points of the dealer's side and of the other, None where the deal was thrown in."""

    @classmethod
    def of(cls, state: State) -> Course:
        """Returns the course of a deal that has been played to its end."""
        variant, seat = state.variant, state.table.dealer
        declared = []
        for _ in range(variant.seat_count):
            seat = variant.next_seat(seat)
            declared.append(variant.declaration_points(state.table.shown[seat] or 0))
        # the packet before the last is all that the dealer knows when it may call itself out
        call_out = variant.declaration_points(state.packets[seat][-2])
        score, side = state.score(), variant.side_of(seat)
        counted = (int(score.awards[side]), int(score.awards[1 - side]))
        return cls(call_out, tuple(declared), None if score.ending is Ending.THROWN_IN else counted)


def work_out(
    deals: Sequence[Course], target: int, *, spread: int = SPREAD, call_out: bool = True
) -> tuple[Floats, float]:
    """Returns the chance of the side that deals next to win a match.

    Args:
        deals: of self-play; not all of them thrown in.
        target: the score that ends the match.
        spread: by how many points, up and down for each side, the play of a deal is spread out.
        call_out: whether the dealer may end the match with its first fifteen cards.

    Returns:
        [dealer's score, other score] below the target; and the chance from equal scores at the target or above.

    Raises:
        ValueError: no deal was played out, or one that was brought nobody anything.
    """
    played = [deal for deal in deals if deal.totals is not None]
    if not played:
        raise ValueError("no deal was played out: the table needs deals that were")
    thrown_in = 1.0 - len(played) / len(deals)
    openings = np.array([[deal.call_out if call_out else 0, *deal.declared] for deal in played], dtype=np.int64)
    totals = np.array([deal.totals for deal in played], dtype=np.int64)
    shifts = sorted({(own, other) for own in (-spread, spread) for other in (-spread, spread)})
    if not totals.sum(axis=1).all():
        raise ValueError("a deal that was played out brought nobody anything: no counted deal does that")
    # no side ends with less than it has declared, and every deal brings the sides something
    declared = np.stack([openings[:, 2] + openings[:, 4], openings[:, 1] + openings[:, 3]], axis=1)
    moved = [np.maximum(totals + shift, declared) for shift in shifts]
    ends = np.stack([np.where(each.sum(axis=1, keepdims=True) > 0, each, totals) for each in moved])
    table = np.zeros((target + 1, target + 1))
    _work_backwards(openings, ends, thrown_in, target, table)
    return table[:target, :target], float(table[target, target])


@kernel
def _value_after(table: Any, target: Any, dealer: Any, other: Any) -> Any:
    """Returns what scores after a counted deal are worth to the side that dealt it; the other deals next."""
    if max(dealer, other) < target:
        return 1.0 - table[other, dealer]
    if dealer == other:
        return 1.0 - table[target, target]
    return 1.0 if dealer > other else 0.0


@kernel
def _mean_value(openings: Any, ends: Any, target: Any, table: Any, dealer: Any, other: Any) -> Any:
    """Returns the mean value to the dealer's side of a deal that is not thrown in."""
    total = 0.0
    copies = len(ends)
    for deal in range(len(openings)):
        if openings[deal, 0] > 0 and dealer + openings[deal, 0] >= target:
            total += copies
            continue
        of_dealer = dealer
        of_other = other
        decided = -1.0
        for place in range(1, 5):
            points = openings[deal, place]
            if points == 0:
                continue
            if place % 2 == 1:
                of_other += points
                if of_other >= target:
                    decided = 0.0
                    break
            else:
                of_dealer += points
                if of_dealer >= target:
                    decided = 1.0
                    break
        if decided >= 0.0:
            total += copies * decided
            continue
        for copy in range(copies):
            total += _value_after(table, target, dealer + ends[copy, deal, 0], other + ends[copy, deal, 1])
    return total / (copies * len(openings))


@kernel
def _work_backwards(openings: Any, ends: Any, thrown_in: Any, target: Any, table: Any) -> None:
    """Fills the table from the highest sum of scores down.

    A thrown-in deal leads to the same scores with the other dealer: a pair of linear equations for (a, b) and (b, a).
    Level sides at the target or above are a state of their own, to which a level count leads back.
    """
    table[target, target] = 0.0
    won_or_level = _mean_value(openings, ends, target, table, target, target)
    table[target, target] = 1.0
    level = won_or_level - _mean_value(openings, ends, target, table, target, target)
    played = 1.0 - thrown_in
    table[target, target] = (thrown_in + played * won_or_level) / (1.0 + thrown_in + played * level)
    for both in range(2 * target - 2, -1, -1):
        for dealer in range(max(0, both - target + 1), both // 2 + 1):
            other = both - dealer
            one = _mean_value(openings, ends, target, table, dealer, other)
            two = one
            if other != dealer:
                two = _mean_value(openings, ends, target, table, other, dealer)
            table[dealer, other] = (thrown_in + one - thrown_in * two) / (1.0 + thrown_in)
            table[other, dealer] = (thrown_in + two - thrown_in * one) / (1.0 + thrown_in)


def nodes_of(target: int) -> Integers:
    """Returns the scores at which a table is stored: evenly spaced ones, and all that are near the target."""
    near = range(max(target - NEAR_TARGET, 0), target)
    return np.array(sorted({*range(0, target, NODE_STEP), *near}), dtype=np.int64)


def save_equity(deals: Sequence[Course], plan: SelfPlay, folder: Path, command: str) -> dict[str, float]:
    """Works out the table of a plan's deals and writes it as a data file; returns figures that describe it.

    Raises ValueError, and writes nothing, for fewer than two deals that were played out.
    """
    variant = get_variant(VARIANT)
    assert variant.match_target is not None
    played = sum(deal.totals is not None for deal in deals)
    if played < 2:
        raise ValueError(f"deals played out: {played}, which say nothing about errors: play more than {len(deals)}")
    table, level = work_out(deals, variant.match_target)
    nodes = nodes_of(variant.match_target)
    stored = np.rint(table[np.ix_(nodes, nodes)] * STORED_SCALE).astype(np.uint16)
    arrays: Arrays = {
        "scores": nodes.astype(np.int32),
        "dealer_wins": stored,
        "level_dealer_wins": np.array(round(level * STORED_SCALE), dtype=np.uint16),
    }
    figures = describe(deals, table)
    card = {
        "what": "chance to win a match by [score of the side that deals next, score of the other], 65535 for certain",
        "command": command,
        "variant": VARIANT,
        "rules_revision": variant.rules_revision,
        "agent": plan.agent,
        "seed": plan.seed,
        "deals": len(deals),
        "figures": {name: round(value, 4) for name, value in figures.items()},
    }
    save_arrays(folder, equity_name(variant), arrays, card)
    return figures


def describe(deals: Sequence[Course], table: Floats) -> dict[str, float]:
    """Returns what the deals and the table made of them are like, in points and chances."""
    totals = np.array([deal.totals for deal in deals if deal.totals is not None], dtype=np.float64)
    differences = totals[:, 0] - totals[:, 1]
    return {
        "thrown_in_share": 1.0 - len(totals) / len(deals),
        "dealer_advantage": float(differences.mean()),
        "dealer_advantage_error": float(differences.std(ddof=1) / np.sqrt(len(totals))),
        "spread_of_difference": float(differences.std(ddof=1)),
        "mean_sum": float(totals.sum(axis=1).mean()),
        "spread_of_sum": float(totals.sum(axis=1).std(ddof=1)),
        "dealer_wins_from_0_0": float(table[0, 0]),
    }
