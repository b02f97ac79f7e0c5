"""Orders cards that the evidence cannot tell apart as a good player would.

Where samples say nothing, chance would choose, and other players, a partner above all, see blunders instead of
indifference; a few principles put before the choice remove them (Whitehouse, Cowling, Powley and Rollason, "Integrating
Monte Carlo Tree Search with Knowledge-Based Methods to Create Engaging Play in a Commercial Mobile Game", 2013). They
never overrule the evidence: only cards as good as the best one, as far as the worlds that chose can tell, are compared.

A principle gives each card a blame, 0 where it has nothing to say. Principles come in order: a later one speaks where
the earlier ones see no difference, and where none sees any the evidence has the last word. All of them go by what the
seat knows for sure: who may still hold what, never by a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Move, Phase, Play, View
from tarocchi_engine.cards import FIRST_TRUMP, MATTO, TRUMP_MASK, lane_of
from tarocchi_solver.search.situation import Situation
from tarocchi_solver.search.utilities import unit_of

MIN_COMMON_WORLDS: Final = 8
"""Fewer worlds in which both were tried do not make two cards comparable."""
MOST_BEHIND: Final = 0.02
"""How far behind the best a card may come out, as a share of the spread of deals: a few worlds have a wide error."""

EXACT_TIE: Final = 1e-6
"""The difference of exact means that are the same but for rounding."""

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


class Tried(NamedTuple):
    """The results of some moves in the same worlds."""

    arms: Integers
    """[moves]: which ones."""
    utilities: Numbers
    """[worlds, moves]: what the choice goes by, in any unit."""
    results: Numbers
    """[worlds, moves], in half points, or half game points of a lone player."""


def undecided(view: View, best: int, tried: Sequence[Tried]) -> list[int]:
    """Returns the moves that the worlds do not tell from the best, by number, the best one included.

    Those whose mean difference in utility to the best, in the worlds in which both were tried, lies within one standard
    error of that difference, and in points within MOST_BEHIND. A move that was given up after a few worlds is compared
    in those alone.
    """
    count = 1 + max(int(part.arms.max()) for part in tried)
    worlds, sums, squares, points = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    for arms, utilities, results in tried:
        place = np.flatnonzero(arms == best)
        if len(place):
            differences = utilities - utilities[:, place]
            worlds[arms] += len(results)
            points[arms] += (results - results[:, place]).sum(axis=0)
            sums[arms] += differences.sum(axis=0)
            squares[arms] += (differences.astype(np.float64) ** 2).sum(axis=0)
    enough = worlds >= MIN_COMMON_WORLDS
    safe = np.maximum(worlds, 2)
    means = sums / safe
    errors = np.sqrt(np.maximum(squares / safe - means**2, 0.0) / (safe - 1))
    most = MOST_BEHIND * view.variant.deal_spread / unit_of(view)
    close = enough & (means >= -errors) & (points / safe >= -most)
    close[best] = True
    return np.flatnonzero(close).tolist()


def tied(exact: npt.NDArray[np.float64], best: int) -> list[int]:
    """Returns the moves whose exact means [moves, utility and result] are those of the best but for rounding."""
    equal = np.isclose(exact, exact[best], rtol=1e-12, atol=EXACT_TIE).all(axis=1)
    close: list[int] = np.flatnonzero(equal).tolist()
    return close


def sensible_first(view: View, moves: Sequence[Move], order: Sequence[int], close: Sequence[int]) -> list[int]:
    """Returns `order`, the numbers of `moves` best first, with the `close` ones in front, the most sensible first.

    `close` are the moves that nothing tells from the first. Of two that no principle tells apart the earlier one stays
    the earlier. Anything but cards to play stays as it is.
    """
    if view.phase is not Phase.PLAY or len(close) < 2:
        return list(order)
    situation = Situation(view)
    chosen = set(close)
    front = sorted((move for move in order if move in chosen), key=lambda move: blames(situation, moves[move]))
    return [*front, *(move for move in order if move not in chosen)]


def blames(situation: Situation, move: Move) -> tuple[float, ...]:
    """Returns what every principle has against a card to play."""
    assert isinstance(move, Play)
    return tuple(principle.blame(situation, move.card) for principle in PRINCIPLES)


def _leads_five_points(situation: Situation, card: int) -> float:
    if not situation.is_lead or card < FIRST_TRUMP or card == MATTO or situation.pack.points[card] < 5:
        return 0.0
    return float(not situation.is_winner(card))


def _leads_matto(situation: Situation, card: int) -> float:
    return float(situation.is_lead and card == MATTO)


def _leads_to_a_ruff(situation: Situation, card: int) -> float:
    if not situation.is_lead or card >= FIRST_TRUMP:
        return 0.0
    suit = lane_of(card)

    def trumps(seat: int) -> bool:
        held = situation.may_hold(seat)
        return not held & suit and bool(held & TRUMP_MASK)

    ruffed = any(trumps(seat) for seat in situation.opponents)
    return float(ruffed and not any(trumps(seat) for seat in situation.partners))


def _leads_a_figure_under_another(situation: Situation, card: int) -> float:
    if not situation.is_lead or card >= FIRST_TRUMP or situation.pack.points[card] == 1:
        return 0.0
    return float(bool(situation.out & lane_of(card) & situation.pack.beaten_by(card)))


def _throws_five_points(situation: Situation, card: int) -> float:
    seat, is_own, is_sure = situation.outcome(card)
    if situation.is_lead or seat is None or is_own or is_sure or situation.partner_can_take:
        return 0.0
    return float(card != MATTO and situation.pack.points[card] == 5)


def _takes_from_partner(situation: Situation, card: int) -> float:
    if not situation.partner_is_sure or situation.outcome(card).seat != situation.view.seat:
        return 0.0
    spared = [other for other in situation.legal if situation.outcome(other).seat != situation.view.seat]
    return float(any(situation.gain(other) >= situation.gain(card) for other in spared))


def _starves_partner(situation: Situation, card: int) -> float:
    if not situation.partner_is_sure or situation.heads_suit(card):
        return 0.0
    given = [situation.gain(other) for other in situation.legal if not situation.heads_suit(other)]
    return max(given) - situation.gain(card)


def _feeds_opponents(situation: Situation, card: int) -> float:
    if not _is_lost(situation, card):
        return 0.0
    lost = [situation.price(other) for other in situation.legal if _is_lost(situation, other)]
    return situation.price(card) - min(lost)


def _is_lost(situation: Situation, card: int) -> bool:
    seat, is_own, is_sure = situation.outcome(card)
    return seat is not None and not is_own and is_sure


def _wastes_rank(situation: Situation, card: int) -> float:
    outcome = situation.outcome(card)
    if situation.is_lead or card == MATTO or not outcome.is_sure:
        return 0.0
    lower = [
        other
        for other in situation.legal
        if other != card and lane_of(other) == lane_of(card) and situation.pack.beaten_by(other) >> card & 1
    ]
    return float(
        any(
            situation.outcome(other)[1:] == outcome[1:]
            and situation.gain(other) >= situation.gain(card)
            and situation.price(other) <= situation.price(card)
            and not situation.are_equal(card, other)
            for other in lower
        )
    )


@dataclass(frozen=True)
class Principle:
    """One thing that a good player does not do without need."""

    name: str
    sentence: str
    source: str
    """Where it comes from: the rules, or what follows from them."""
    blame: Callable[[Situation, int], float]
    """0 for a card that keeps to it; of two that do not, less is better."""


PRINCIPLES: Final = (
    Principle(
        "five points led",
        "Do not lead a trump of five points, the lowest one above all, while an opponent may hold a higher trump.",
        "Bolognese: to catch or to protect the Begato is one of the chief aims (Tarocchini, Ottocento); "
        "both games: the lowest trump is worth five points and loses to every other",
        _leads_five_points,
    ),
    Principle(
        "Matto led",
        "Do not lead the Matto: it saves a card from a lost trick, in the last one too.",
        "Both games: it may be played at any time instead of following suit and stays with its side, "
        "in the last trick too, so keeping it costs nothing",
        _leads_matto,
    ),
    Principle(
        "ruff invited",
        "Do not lead a suit that an opponent has shown not to hold and may trump, unless the partner may trump it too.",
        "Both games: who cannot follow suit must trump",
        _leads_to_a_ruff,
    ),
    Principle(
        "figure led",
        "Do not lead a figure that a higher card of its suit, in an opponent's hand, may take.",
        "Both games: points go with the trick",
        _leads_a_figure_under_another,
    ),
    Principle(
        "five points thrown away",
        "Do not put a card of five points under an opponent's while the trick is still open.",
        "Both games: Kings and the honours among the trumps are the dearest cards",
        _throws_five_points,
    ),
    Principle(
        "partner overtaken",
        "Do not overtake or ruff a partner who wins the trick for sure, unless with a card that it pays to bring home.",
        "Both games: there is no duty to beat, and partners have one pile",
        _takes_from_partner,
    ),
    Principle(
        "partner starved",
        "To a partner who wins the trick for sure give the card that brings most, but neither the Matto nor the best "
        "trump; whether to keep the best card of a suit is left to the evidence.",
        "Both games: partners have one pile; Bolognese: combinations are counted in it",
        _starves_partner,
    ),
    Principle(
        "opponents fed",
        "To a trick that is lost for sure give what costs least: no points, no card of a combination that one's own "
        "side can still make or the other needs, no card that nothing beats any more; the Matto before a Knight.",
        "Both games: points go with the trick, the Matto stays; Bolognese: combinations are counted in the tricks",
        _feeds_opponents,
    ),
    Principle(
        "rank wasted",
        "Where a lower card of the suit does the same for the trick, keep the higher.",
        "Both games: there is no duty to beat",
        _wastes_rank,
    ),
)
"""In the order in which they speak."""
