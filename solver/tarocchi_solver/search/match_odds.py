"""The chance to win a match of several deals from what this deal brings.

The deals to come are taken as independent and even between the players, with the spread that was measured in
self-play (`Variant.deal_spread`); none is searched.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Phase, Variant, View

GRID: Final = 10
"""Points between the scores for which the race to a target is worked out."""
LEAST_OF_SIDE: Final = 20
"""Points below which a side hardly ever stays in a deal."""
OUTCOMES: Final = 41
SESSION_DRAWS: Final = 2000

Floats = npt.NDArray[np.float64]


def match_win_probability(view: View, samples: Floats, sums: Floats, chances: Floats) -> Floats | None:
    """Returns the chance to win the match, over the last axis, draws shared; None where the deal stands alone.

    Args:
        view: the decision.
        samples: [..., results] of this deal, own side minus other; in a game of three own gain minus the others' mean.
        sums: the points of both sides together in the same results.
        chances: [results], they sum to 1.
    """
    variant = view.variant
    if variant.match_deal_count == 1:
        return None
    standing = view.observation.standing
    scores = standing.scores_in(variant)
    if variant.seats_score_alone:
        others = [seat for seat in range(variant.seat_count) if seat != view.seat]
        gaps = [scores[view.seat] - scores[seat] for seat in others]
        to_come = (variant.match_deal_count or 1) - standing.deals_played - 1
        spread_of_gap = variant.deal_spread * variant.game_factor * math.sqrt(to_come)
        return _session_odds(gaps, _shares_of_result(view, others), samples, spread_of_gap / math.sqrt(2.0)) @ chances
    side = view.table.side_of(view.seat)
    own_scores = scores[side] + (sums + samples) / 2
    other_scores = scores[1 - side] + (sums - samples) / 2
    if variant.match_target is not None:
        return _race_odds(own_scores, other_scores, variant) @ chances
    assert variant.match_deal_count is not None
    deals_left = variant.match_deal_count - standing.deals_played - 1
    leads = own_scores - other_scores
    if deals_left == 0:
        return (np.sign(leads) + 1) / 2 @ chances
    spread = NormalDist(0.0, variant.deal_spread * math.sqrt(deals_left))
    different, places = np.unique(leads, return_inverse=True)
    return np.array([spread.cdf(lead) for lead in different])[places.reshape(leads.shape)] @ chances


def _race_odds(own: Floats, other: Floats, variant: Variant) -> Floats:
    """Returns for pairs of scores after a deal the chance that the first reaches the target first, or higher."""
    assert variant.match_target is not None
    over = np.maximum(own, other) >= variant.match_target
    decided = (np.sign(own - other) + 1) / 2
    table = _race_table(variant.match_target, variant.deal_spread, variant.deal_sum)
    last = len(table) - 1
    rows = np.clip(own / GRID, 0, last).astype(np.int64)
    columns = np.clip(other / GRID, 0, last).astype(np.int64)
    return np.asarray(np.where(over & (decided != 0.5), decided, table[rows, columns]))


@lru_cache(maxsize=8)
def _race_table(target: int, spread: float, deal_sum: float) -> Floats:
    """Returns the chance to win the race from scores in steps of GRID, [own, other], worked out from the end."""
    shares = (np.arange(OUTCOMES) + 0.5) / OUTCOMES
    leads = np.array([NormalDist(0.0, spread).inv_cdf(share) for share in shares])
    own_gains = np.clip((deal_sum + leads) / 2, LEAST_OF_SIDE, deal_sum - LEAST_OF_SIDE)
    steps_own = np.round(own_gains / GRID).astype(np.int64)
    steps_other = np.round((deal_sum - own_gains) / GRID).astype(np.int64)
    size = target // GRID
    # equal scores at the target or above play on; the last cell stands for them
    table = np.full((size + 1, size + 1), 0.5)
    for total in range(2 * size - 2, -1, -1):
        for own in range(max(0, total - size + 1), min(size - 1, total) + 1):
            other = total - own
            after_own, after_other = own + steps_own, other + steps_other
            is_over = np.maximum(after_own, after_other) >= size
            decided = (np.sign(after_own - after_other) + 1) / 2
            going_on = table[np.minimum(after_own, size), np.minimum(after_other, size)]
            table[own, other] = np.where(is_over, decided, going_on).mean()
    return table


def _shares_of_result(view: View, others: list[int]) -> list[float]:
    """Returns how many times its result a seat gains more than each other seat.

    A result is the own gain less the mean gain of the others. The partner of a defender gains the same; while the
    auction is open the others are taken to gain alike.
    """
    declarer = view.table.declarer
    if declarer is None or declarer == view.seat or view.phase is Phase.BID:
        return [1.0] * len(others)
    return [float(len(others)) if seat == declarer else 0.0 for seat in others]


def _session_odds(leads: list[float], shares: list[float], samples: Floats, spread: float) -> Floats:
    """Returns for each result the chance to have the highest of several sums, equal ones half.

    Args:
        leads: by how much the own sum is above each other before this deal.
        shares: what to add to each lead, in units of the result.
        samples: [..., results]
        spread: standard deviation of what each seat gains in the deals to come.
    """
    margins = np.array(leads)[:, np.newaxis]
    if spread > 0.0:
        noise = np.random.default_rng(0).normal(0.0, spread, (1 + len(leads), SESSION_DRAWS))
        margins = margins + noise[0] - noise[1:]
    each = np.array(shares)[:, np.newaxis]
    different, places = np.unique(samples, return_inverse=True)
    chances = [((np.sign((margins + each * sample).min(axis=0)) + 1) / 2).mean() for sample in different]
    return np.array(chances)[places.reshape(samples.shape)]
