"""Fits what cards are worth, by which the learned playouts choose them, to what a search made of them.

The search's scores of the legal cards become chances, the greater the score the greater the chance, and a conditional
logit is fitted to these: it learns most where a card is clearly best, and little from how bad the bad ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tarocchi_bench.training.logit import Choices, Floats, fit_logit
from tarocchi_bench.training.scored_play import ScoredDeal
from tarocchi_engine import Play
from tarocchi_engine.cards import CARD_COUNT
from tarocchi_engine.layout import (
    BEST,
    HANDS,
    LED,
    LENGTH,
    NO_CARD,
    PILES,
    TRICK,
    TRICKS_LEFT,
    TURN,
    U_ALL,
    VOIDS,
)
from tarocchi_engine.play import apply_card, legal_cards
from tarocchi_engine.position import make_position
from tarocchi_solver.search.learned_playout import FEATURES, MOST_CARDS, WEIGHT_COUNT, choose_learned

TEMPERATURE: Final = 0.03
"""The difference of scores that makes a card e times as likely, as a part of the spread of a deal's results."""
PENALTY: Final = 0.5
"""Of the squares of the weights, in nats."""
MAX_STEPS: Final = 150


@dataclass(frozen=True)
class ValuesFit:
    """Fitted values, and how well they choose in deals that were held out; scores in points."""

    weights: Floats
    regret: float
    """By how much the best card's score is above that of the chosen one, in the mean."""
    random_regret: float
    """The same for a random card."""


def fit_values(deals: Sequence[ScoredDeal]) -> ValuesFit:
    """Returns the values that fit the deals best."""
    choices, scores = value_choices_of(deals)
    is_held_out = choices.is_held_out
    trained = fit_logit(choices.of(~is_held_out), WEIGHT_COUNT, PENALTY, MAX_STEPS)
    held_out = choices.of(is_held_out)
    held_scores = scores[np.repeat(is_held_out, choices.sizes)]
    worths = trained[held_out.features].sum(axis=1)
    plays = list(zip(held_out.starts, held_out.sizes, strict=True))
    regrets = [_regret(held_scores[at : at + size], worths[at : at + size]) for at, size in plays]
    means = np.add.reduceat(held_scores, held_out.starts) / held_out.sizes
    best = np.maximum.reduceat(held_scores, held_out.starts)
    weights = fit_logit(choices, WEIGHT_COUNT, PENALTY, MAX_STEPS)
    return ValuesFit(weights, float(np.mean(regrets)), float((best - means).mean()))


def _regret(scores: Floats, worths: Floats) -> float:
    return float(scores.max() - scores[worths.argmax()])


def value_choices_of(deals: Sequence[ScoredDeal]) -> tuple[Choices, Floats]:
    """Returns the plays of deals with a choice, and the scores of their cards as they stand in it."""
    features, sizes, targets, numbers, all_scores = [], [], [], [], []
    places = np.zeros((MOST_CARDS, FEATURES), dtype=np.int64)
    for number, deal in enumerate(deals):
        variant = deal.end.variant
        temperature = TEMPERATURE * variant.deal_spread
        for position, by_card in _positions_of(deal):
            count = _fill_places(position, places)
            scores = np.array([by_card[card] for card in sorted(by_card)])
            assert len(scores) == count
            chances = np.exp((scores - scores.max()) / temperature)
            features.append(places[:count].copy())
            sizes.append(count)
            targets.append(chances / chances.sum())
            numbers.append(number)
            all_scores.append(scores)
    choices = Choices(np.concatenate(features), np.array(sizes), np.concatenate(targets), np.array(numbers))
    return choices, np.concatenate(all_scores)


def _fill_places(position: npt.NDArray[np.uint64], places: npt.NDArray[np.int64]) -> int:
    """Writes where the weights of the legal cards are, lowest first; returns how many cards there are."""
    legal = np.uint64(legal_cards(position[position[TURN]], position[LED]))
    nothing = np.zeros(WEIGHT_COUNT, dtype=np.float32)
    choose_learned(position, legal, nothing, np.zeros(CARD_COUNT, dtype=np.float32), places)
    return int(legal).bit_count()


def _positions_of(deal: ScoredDeal) -> list[tuple[npt.NDArray[np.uint64], dict[int, float]]]:
    """Returns the positions of a deal in which a card was chosen, with the scores of the cards."""
    end = deal.end
    plays = [(event.seat, event.move.card) for event in end.events if isinstance(event.move, Play)]
    if not plays:
        return []
    position = make_position(end.table, [0] * end.variant.seat_count, end.aside)
    start: dict[int, Any] = {
        PILES: 0,
        PILES + 1: 0,
        TRICK: 0,
        LED: U_ALL,
        BEST: NO_CARD,
        TURN: plays[0][0],
        LENGTH: 0,
        TRICKS_LEFT: end.variant.trick_count,
        VOIDS: 0,
    }
    for word, content in start.items():
        position[word] = content
    for seat, played in enumerate(end.table.played):
        position[HANDS + seat] = played
    found = []
    for (_seat, card), by_card in zip(plays, deal.scores, strict=True):
        if by_card is not None:
            found.append((position.copy(), by_card))
        apply_card(position, np.uint64(card))
    return found
