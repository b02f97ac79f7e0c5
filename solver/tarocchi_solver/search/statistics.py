"""Turns the results of worlds into statements about moves: choice on some worlds, numbers from others.

The maximum of noisy means is too high (the winner's curse), so the worlds that choose a move do not say what it is
worth. Worlds with number 1, 5, 9, ... are kept for the numbers. All moves are tried in the same worlds, so
differences between moves are taken world by world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Declare, Discard, Event, Move, Play, View
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_solver.search.results import MoveStatistics

EVALUATION_STRIDE: Final = 4
EVALUATION_OFFSET: Final = 1
QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)

Floats = npt.NDArray[np.float64]


def is_evaluation(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tells which worlds, by their numbers, are kept for the expected scores."""
    return np.equal(numbers % EVALUATION_STRIDE, EVALUATION_OFFSET)


@dataclass(frozen=True)
class Evidence:
    """The results of one move in the worlds that evaluate it, all in half points from the observer's side."""

    values: Floats
    """[worlds]: mean result in each world."""
    wins: Floats
    """[worlds]: share of results above zero, ties half."""
    samples: Floats
    """[worlds]: single results."""


def rank_moves(view: View, moves: Sequence[Move], scores: Floats) -> list[int]:
    """Returns the moves' indices, best first by `scores`; equal scores by `_natural_order`."""
    return sorted(range(len(moves)), key=lambda index: (-scores[index], _natural_order(view, moves[index])))


def _natural_order(view: View, move: Move) -> tuple[int, ...]:
    """Returns the key by which equally good moves are ordered.

    Show before not showing; the cheapest card (or discard) first, a suit card before a trump, the weaker before the
    stronger, and the Matto last; behind a partner who wins the trick as the last to play, the richest first.
    """
    pack = view.variant.pack
    match move:
        case Declare(cards):
            return (-cards.bit_count(),)
        case Discard(cards):
            points = sorted(pack.points[card] for card in pack.in_display_order(cards or 0))
            return (sum(points), cards or 0)
        case Play(card):
            points_first = -pack.points[card] if _partner_takes_trick(view, card) else pack.points[card]
            kind = {"T": 1, "M": 2}.get(pack.suit_of(card), 0)
            return (int(kind == 2), points_first, kind, pack.strength(card), card)


def _partner_takes_trick(view: View, card: int) -> bool:
    """Tells whether the seat plays last to a trick that stays its partner's if it plays `card`."""
    table = view.table
    best = table.winning_place()
    if best < 0 or len(table.trick) + 1 != view.variant.seat_count:
        return False
    partner = view.variant.side_of(table.seat_of(best)) == view.variant.side_of(view.seat)
    return partner and not view.variant.pack.beaten_by(table.trick[best]) >> card & 1


def describe(
    view: View, ranked: Sequence[tuple[Move, int, Evidence]], lines: Sequence[Sequence[int]], exact: bool
) -> tuple[MoveStatistics, ...]:
    """Returns the statistics of moves given best first as (move, visits, evidence), with their lines of replies.

    Moves may have been evaluated in more or fewer worlds, always the first ones of the same sequence.
    """
    best = ranked[0][2]
    result = []
    for place, ((move, visits, evidence), line) in enumerate(zip(ranked, lines, strict=True)):
        common = min(len(evidence.values), len(best.values))
        differences = evidence.values[:common] - best.values[:common]
        result.append(
            MoveStatistics(
                move=move,
                rank=place + 1,
                visits=visits,
                worlds=len(evidence.values),
                expected_score=float(evidence.values.mean()) / 2,
                standard_error=0.0 if exact else standard_error(evidence.values) / 2,
                difference_to_best=float(differences.mean()) / 2,
                difference_standard_error=0.0 if exact else standard_error(differences) / 2,
                win_probability=float(evidence.wins.mean()),
                match_win_probability=match_win_probability(view, evidence.samples),
                score_quantiles=_quantiles(evidence.samples),
                principal_variation=play_line(view, move, line),
            )
        )
    return tuple(result)


def standard_error(values: Floats) -> float:
    """Returns the standard error of the mean of independent values; at least two of them."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def match_win_probability(view: View, samples: Floats) -> float | None:
    """Returns the chance to win the match given results of this deal in half points; None for a single deal.

    The deals still to come are taken as independent, even, and normally distributed with the variant's spread.
    """
    variant = view.variant
    if variant.match_deal_count == 1:
        return None
    standing = view.observation.standing
    side = variant.side_of(view.seat)
    leads = standing.scores[side] - standing.scores[1 - side] + samples / 2
    deals_left = variant.match_deal_count - standing.deals_played - 1
    if deals_left == 0:
        return float(((np.sign(leads) + 1) / 2).mean())
    spread = variant.deal_spread * math.sqrt(deals_left)
    return float(np.mean([NormalDist().cdf(lead / spread) for lead in leads]))


def _quantiles(samples: Floats) -> tuple[tuple[float, float], ...]:
    """Returns pairs of probability and score in points, by linear interpolation between the sorted samples."""
    places = np.array(QUANTILES) * (len(samples) - 1)
    scores = np.interp(places, np.arange(len(samples)), np.sort(samples)) / 2
    return tuple(zip(QUANTILES, scores.tolist(), strict=True))


def common_line(lines: npt.NDArray[np.int8]) -> list[int]:
    """Returns the replies that most worlds agree on: at each ply the commonest card of the worlds still agreeing.

    Args:
        lines: [worlds, plies], -1 where a world knows no more.
    """
    agreed: list[int] = []
    for ply in range(lines.shape[1]):
        cards = lines[:, ply][lines[:, ply] >= 0]
        if not len(cards):
            break
        card = int(np.bincount(cards).argmax())
        agreed.append(card)
        lines = lines[lines[:, ply] == card]
    return agreed


def play_line(view: View, move: Move, line: Sequence[int]) -> tuple[Event, ...]:
    """Returns a move and the replies as events, ending before the first that the known facts rule out."""
    events = [Event(view.seat, move)]
    if not line:
        return tuple(events)
    table = view.table.copy()
    table.apply(view.seat, move)
    for card in line:
        if table.is_over:
            break
        event = Event(table.turn, Play(card))
        try:
            table.apply(event.seat, event.move)
        except IllegalMoveError:
            break
        events.append(event)
    return tuple(events)
