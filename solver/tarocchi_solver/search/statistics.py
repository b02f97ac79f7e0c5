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
    counts = [len(evidence.values) for _move, _visits, evidence in ranked]
    described = []
    for count in set(counts):
        places = [place for place, item in enumerate(counts) if item == count]
        described += _describe_together(view, ranked, lines, exact, places)
    return tuple(sorted(described, key=lambda item: item.rank))


def _describe_together(
    view: View,
    ranked: Sequence[tuple[Move, int, Evidence]],
    lines: Sequence[Sequence[int]],
    exact: bool,
    places: Sequence[int],
) -> list[MoveStatistics]:
    """Returns the statistics of the moves at some places, evaluated in the same worlds; all at once, for speed."""
    evidence = [ranked[place][2] for place in places]
    best = ranked[0][2].values
    values = np.stack([item.values for item in evidence])
    wins = np.stack([item.wins for item in evidence])
    samples = np.stack([item.samples for item in evidence])
    common = min(values.shape[1], len(best))
    differences = values[:, :common] - best[:common]
    no_errors = np.zeros(len(values))
    scores, score_errors = values.mean(axis=1) / 2, no_errors if exact else standard_error(values) / 2
    gaps, gap_errors = differences.mean(axis=1) / 2, no_errors if exact else standard_error(differences) / 2
    win_shares, match_shares = wins.mean(axis=1), match_win_probability(view, samples)
    quantiles = _quantiles(samples)
    return [
        MoveStatistics(
            move=ranked[place][0],
            rank=place + 1,
            visits=ranked[place][1],
            worlds=values.shape[1],
            expected_score=float(scores[row]),
            standard_error=float(score_errors[row]),
            difference_to_best=float(gaps[row]),
            difference_standard_error=float(gap_errors[row]),
            win_probability=float(win_shares[row]),
            match_win_probability=None if match_shares is None else float(match_shares[row]),
            score_quantiles=quantiles[row],
            principal_variation=play_line(view, ranked[place][0], lines[place]),
        )
        for row, place in enumerate(places)
    ]


def standard_error(values: Floats) -> Floats:
    """Returns the standard error of the mean over the last axis, of independent values; at least two of them."""
    error: Floats = values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
    return error


def match_win_probability(view: View, samples: Floats) -> Floats | None:
    """Returns the chance to win the match given results of this deal in half points, over the last axis.

    None for a single deal. The deals still to come are taken as independent, even, and normally distributed with the
    variant's spread.
    """
    variant = view.variant
    if variant.match_deal_count == 1:
        return None
    standing = view.observation.standing
    side = variant.side_of(view.seat)
    leads = standing.scores[side] - standing.scores[1 - side] + samples / 2
    deals_left = variant.match_deal_count - standing.deals_played - 1
    chances = (np.sign(leads) + 1) / 2
    if deals_left > 0:
        normal, spread = NormalDist(), variant.deal_spread * math.sqrt(deals_left)
        different, places = np.unique(leads, return_inverse=True)
        chances = np.array([normal.cdf(lead / spread) for lead in different])[places.reshape(leads.shape)]
    wins: Floats = chances.mean(axis=-1)
    return wins


def _quantiles(samples: Floats) -> list[tuple[tuple[float, float], ...]]:
    """Returns for each row pairs of probability and score in points, linear between the sorted samples."""
    ordered = np.sort(samples, axis=1)
    places = np.array(QUANTILES) * (samples.shape[1] - 1)
    below = places.astype(np.int64)
    above = np.minimum(below + 1, samples.shape[1] - 1)
    scores = ((ordered[:, above] - ordered[:, below]) * (places - below) + ordered[:, below]) / 2
    return [tuple(zip(QUANTILES, row, strict=True)) for row in scores.tolist()]


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
