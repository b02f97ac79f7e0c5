"""The chance to win a match of several deals from what this deal brings.

A race to a target goes by the equity table. In a series of deals those to come are taken as independent and even
between the players, with the spread that was measured in self-play (`Variant.deal_spread`); none is searched.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Phase, View
from tarocchi_solver.search.equity import race_chances

SESSION_DRAWS: Final = 2000

Floats = npt.NDArray[np.float64]


def match_win_chances(view: View, samples: Floats, sums: Floats) -> Floats | None:
    """Returns for each result the chance to win the match after it, draws shared; None where the deal stands alone.

    Args:
        view: the decision.
        samples: results of this deal, own side minus other; in a game of three own gain minus the others' mean.
        sums: the points of both sides together in the same results.
    """
    variant = view.variant
    if variant.match_deal_count == 1:
        return None
    if variant.match_target is None:
        different, places = np.unique(samples, return_inverse=True)
        return series_chances(view, different)[places.reshape(samples.shape)]
    own, other = race_scores(view)
    own_after, other_after = own + (sums + samples) / 2, other + (sums - samples) / 2
    return race_chances(own_after, other_after, variant, deals_next(view))


def race_scores(view: View) -> tuple[float, float]:
    """Returns the scores of the own side and of the other before this deal."""
    scores = view.observation.standing.scores_in(view.variant)
    side = view.table.side_of(view.seat)
    return scores[side], scores[1 - side]


def deals_next(view: View) -> bool:
    """Tells whether the own side deals after this deal."""
    table = view.table
    return table.side_of(view.variant.next_seat(table.dealer)) == table.side_of(view.seat)


def series_chances(view: View, results: Floats, uncertainty: float = 0.0) -> Floats:
    """Returns for rising results of this deal the chance to have the highest sum after the last deal, equal ones half.

    Args:
        view: the decision, in a match of a fixed number of deals.
        results: own side minus other; in a game of three own gain minus the others' mean.
        uncertainty: standard deviation by which this deal may end differently.
    """
    variant = view.variant
    standing = view.observation.standing
    assert variant.match_deal_count is not None
    to_come = variant.match_deal_count - standing.deals_played - 1
    spread = math.hypot(variant.deal_spread * variant.game_factor * math.sqrt(to_come), uncertainty)
    if not variant.seats_score_alone:
        own, other = race_scores(view)
        leads = own - other + results
        if not spread:
            return (np.sign(leads) + 1) / 2
        law = NormalDist(0.0, spread)
        return np.array([law.cdf(lead) for lead in leads.tolist()])
    scores = standing.scores_in(variant)
    others = [seat for seat in range(variant.seat_count) if seat != view.seat]
    margins = [scores[view.seat] - scores[seat] for seat in others]
    return session_chances(margins, _shares_of_result(view, others), results, spread / math.sqrt(2.0))


def _shares_of_result(view: View, others: list[int]) -> list[float]:
    """Returns how many times its result a seat gains more than each other seat.

    A result is the own gain less the mean gain of the others. The partner of a defender gains the same; while the
    auction is open the others are taken to gain alike.
    """
    declarer = view.table.declarer
    if declarer is None or declarer == view.seat or view.phase is Phase.BID:
        return [1.0] * len(others)
    return [float(len(others)) if seat == declarer else 0.0 for seat in others]


def session_chances(leads: list[float], shares: list[float], results: Floats, spread: float) -> Floats:
    """Returns for each result the chance to have the highest of several sums, equal ones half.

    Args:
        leads: by how much the own sum is above each other before this deal.
        shares: what to add to each lead, in units of the result; none is negative.
        results: of this deal.
        spread: standard deviation of what each seat gains in the deals to come.
    """
    margins = np.array(leads)[:, np.newaxis]
    if spread > 0.0:
        noise = np.random.default_rng(0).normal(0.0, spread, (1 + len(leads), SESSION_DRAWS))
        margins = margins + noise[0] - noise[1:]
    each = np.array(shares)
    growing, fixed = margins[each > 0], margins[each == 0]
    # in each draw the result that makes the own sum equal to the highest other, of those that it can change
    needed = (-growing / each[each > 0][:, np.newaxis]).max(axis=0)
    ahead, level = np.sort(needed[(fixed > 0).all(axis=0)]), np.sort(needed[(fixed >= 0).all(axis=0)])
    above = np.searchsorted(ahead, results, side="left") + np.searchsorted(level, results, side="right")
    chances: Floats = above / (2 * margins.shape[1])
    return chances
