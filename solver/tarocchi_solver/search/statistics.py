"""Turns the results of worlds into statements about moves: choice on some worlds, numbers from others.

The maximum of noisy means is too high (the winner's curse), so the worlds that choose a move do not say what it is
worth. Worlds with number 1, 5, 9, ... are kept for the numbers. All moves are tried in the same worlds, so
differences between moves are taken world by world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Bid, CallOut, Declare, Discard, Event, Give, Monte, Move, Play, Signal, View
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_solver.search.decision import wins_match
from tarocchi_solver.search.match_odds import match_win_chances
from tarocchi_solver.search.question import CALLS
from tarocchi_solver.search.results import MoveStatistics
from tarocchi_solver.search.utilities import UtilityTable, unit_of, utilities_of

EVALUATION_STRIDE: Final = 4
EVALUATION_OFFSET: Final = 1
MONTE_SHARE: Final = 0.5
"""How often a seat says monte, as the others imagine it."""
QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)
SAFE_TRICKS: Final = 3
"""Up to so many tricks left the worst result over all worlds is told. With more, knowing all cards helps too much."""

Floats = npt.NDArray[np.float64]


def is_evaluation(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tells which worlds, by their numbers, are kept for the expected scores."""
    return np.equal(numbers % EVALUATION_STRIDE, EVALUATION_OFFSET)


@dataclass(frozen=True)
class Evidence:
    """The results of one move in the worlds that evaluate it, from the observer's side.

    In the unit of the kernels: half points, or half game points of a lone player.
    """

    values: Floats
    """[worlds]: mean result in each world."""
    utilities: Floats
    """[worlds]: mean of what the results are worth to the choice."""
    wins: Floats
    """[worlds]: share of results above zero, ties half."""
    samples: Floats
    """[worlds]: single results."""
    sums: Floats
    """[worlds]: the points of both sides together in the single results."""

    def followed_by(self, more: Evidence) -> Evidence:
        """Returns this evidence and that of further worlds."""
        return Evidence(
            np.concatenate([self.values, more.values]),
            np.concatenate([self.utilities, more.utilities]),
            np.concatenate([self.wins, more.wins]),
            np.concatenate([self.samples, more.samples]),
            np.concatenate([self.sums, more.sums]),
        )


def evidence_of_move(view: View, move: Move, evidence: Evidence, utility: UtilityTable) -> Evidence:
    """Returns the evidence of a move from that of its arm: what differs between moves of one arm is known exactly.

    A call-out ends the match with the points shown. Monte throws the deal in if all seats to speak say it too; each is
    taken to do so with MONTE_SHARE, whatever it holds.
    """
    match move:
        case CallOut(cards) if cards:
            points = np.full(len(evidence.values), 2.0 * view.variant.declaration_points(cards))
            worth = utilities_of(utility, points, points, is_certain=True).astype(np.float64)
            return Evidence(points, worth, np.ones(len(points)), points, points)
        case Monte(throws_in) if throws_in:
            to_speak = (view.table.dealer - view.seat) % view.variant.seat_count
            share = MONTE_SHARE**to_speak
            numbers = np.arange(len(evidence.values) + 1)
            is_played = np.diff(np.floor(numbers * (1.0 - share))) > 0
            nothing = float(utilities_of(utility, np.zeros(1), np.zeros(1))[0])
            return Evidence(
                evidence.values * (1.0 - share),
                evidence.utilities * (1.0 - share) + nothing * share,
                evidence.wins * (1.0 - share) + 0.5 * share,
                evidence.samples * is_played,
                evidence.sums * is_played,
            )
        case _:
            return evidence


def rank_moves(view: View, moves: Sequence[Move], scores: Floats, points: Floats | None = None) -> list[int]:
    """Returns the moves' indices, best first: those that win the match at once, then by `scores`, then by `points`.

    Equal ones are in `_natural_order`.
    """
    worths = zip(scores.tolist(), (scores if points is None else points).tolist(), strict=True)
    keys = [(not wins_match(view, move), -score, -point) for move, (score, point) in zip(moves, worths, strict=True)]
    ties = Counter(keys)

    def key(index: int) -> tuple[object, ...]:
        is_tied = ties[keys[index]] > 1
        return (keys[index], _natural_order(view, moves[index]) if is_tied else ())

    return sorted(range(len(moves)), key=key)


def _natural_order(view: View, move: Move) -> tuple[int, ...]:
    """Returns the key by which equally good moves are ordered.

    Show before not showing, play on before throwing in, the lowest call; no signal before one. The cheapest card (or
    discard) first, a suit card before a trump, the weaker before the stronger, and the Matto last; behind a partner
    who wins the trick as the last to play, the richest first.
    """
    pack = view.variant.pack
    match move:
        case Declare(cards) | CallOut(cards):
            return (-view.variant.declaration_points(cards), cards.bit_count(), cards)
        case Monte(throws_in):
            return (int(throws_in),)
        case Bid(call):
            return (CALLS.index(call),)
        case Give(card):
            return (pack.points[card], card)
        case Discard(cards):
            points = sorted(pack.points[card] for card in pack.in_display_order(cards or 0))
            return (sum(points), cards or 0)
        case Play(card, signal):
            points_first = -pack.points[card] if _partner_takes_trick(view, card) else pack.points[card]
            kind = {"T": 1, "M": 2}.get(pack.suit_of(card), 0)
            spoken = 0 if signal is None else 1 + tuple(Signal).index(signal)
            return (int(kind == 2), points_first, kind, pack.strength(card), card, spoken)


def _partner_takes_trick(view: View, card: int) -> bool:
    """Tells whether the seat plays last to a trick that stays its partner's if it plays `card`."""
    table = view.table
    best = table.winning_place()
    if best < 0 or len(table.trick) + 1 != view.variant.seat_count:
        return False
    partner = table.side_of(table.seat_of(best)) == table.side_of(view.seat)
    return partner and not view.variant.pack.beaten_by(table.trick[best]) >> card & 1


def describe(
    view: View,
    ranked: Sequence[tuple[Move, int, Evidence]],
    lines: Sequence[Sequence[int]],
    chances: Floats | None = None,
    *,
    exact: bool = False,
) -> tuple[MoveStatistics, ...]:
    """Returns the statistics of moves given best first as (move, visits, evidence), with their lines of replies.

    Moves may have been evaluated in more or fewer worlds, always the first ones of the same sequence. `chances` are
    those of the worlds, for all moves the same ones; None if all are alike. If they are `exact`, which takes all worlds
    that there are, nothing has an error.
    """
    counts = [len(evidence.values) for _move, _visits, evidence in ranked]
    described = []
    for count in set(counts):
        places = [place for place, item in enumerate(counts) if item == count]
        described += _describe_together(view, ranked, lines, chances, exact, places)
    return tuple(sorted(described, key=lambda item: item.rank))


def _describe_together(
    view: View,
    ranked: Sequence[tuple[Move, int, Evidence]],
    lines: Sequence[Sequence[int]],
    chances: Floats | None,
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
    sums = np.stack([item.sums for item in evidence])
    common_chances = None if chances is None else chances[:common] / chances[:common].sum()
    score_errors = gap_errors = np.zeros(len(values))
    if not exact:
        score_errors, gap_errors = standard_error(values, chances), standard_error(differences, common_chances)
    unit = unit_of(view)
    scores, gaps, win_shares = mean(values, chances), mean(differences, common_chances), mean(wins, chances)
    of_results = match_win_chances(view, samples * unit, sums * unit)
    match_shares = None if of_results is None else mean(of_results, chances)
    quantiles = _quantiles(samples * unit, chances)
    deviations = np.sqrt(mean(np.square(samples - mean(samples, chances)[:, np.newaxis]), chances))
    is_safe = exact and view.table.tricks_left <= SAFE_TRICKS
    return [
        MoveStatistics(
            move=ranked[place][0],
            rank=place + 1,
            visits=ranked[place][1],
            worlds=values.shape[1],
            expected_score=float(scores[row] * unit),
            raw_score=float(scores[row] * unit),
            standard_error=float(score_errors[row] * unit),
            difference_to_best=float(gaps[row] * unit),
            difference_standard_error=float(gap_errors[row] * unit),
            win_probability=float(win_shares[row]),
            match_win_probability=None if match_shares is None else float(match_shares[row]),
            score_quantiles=quantiles[row],
            score_range_80=(quantiles[row][0][1], quantiles[row][-1][1]),
            result_deviation=float(deviations[row] * unit),
            safe_score=float(values[row].min() * unit) if is_safe else None,
            principal_variation=play_line(view, ranked[place][0], lines[place]),
        )
        for row, place in enumerate(places)
    ]


def mean(values: Floats, chances: Floats | None) -> Floats:
    """Returns the mean over the last axis, with the given chances of the worlds; all alike for None.

    Rounded so that what is certain stays so where the chances make nearly 1.
    """
    return values.mean(axis=-1) if chances is None else np.asarray(np.round(values @ chances, 12))


def standard_error(values: Floats, chances: Floats | None = None) -> Floats:
    """Returns the standard error of that mean, of independent values; at least two of them."""
    count = values.shape[-1]
    if chances is None:
        return np.asarray(values.std(axis=-1, ddof=1) / np.sqrt(count))
    deviations = values - (values @ chances)[..., np.newaxis]
    return np.asarray(np.sqrt((np.square(deviations) @ np.square(chances)) * count / (count - 1)))


def _quantiles(samples: Floats, chances: Floats | None) -> list[tuple[tuple[float, float], ...]]:
    """Returns for each row pairs of probability and score, linear between the sorted samples of given chances."""
    order = np.argsort(samples, axis=1, kind="stable")
    rows = []
    for sample, places in zip(samples, order, strict=True):
        weights = np.ones(len(places)) if chances is None else chances[places]
        # the smallest sample stands for the probability 0, the largest for 1
        below = np.cumsum(weights) - weights
        scores = np.interp(QUANTILES, below / max(below[-1], 1e-300), sample[places])
        rows.append(tuple(zip(QUANTILES, scores.tolist(), strict=True)))
    return rows


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
