"""Tells where each unseen card may lie: by the rules alone, and by what the others have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Observation, View, view
from tarocchi_engine.facts import hidden_cards
from tarocchi_engine.rng import fresh_seed, split
from tarocchi_solver.search.inference import THRESHOLD, infer, likelihoods_of, weights_of_places
from tarocchi_solver.search.results import SearchOptions
from tarocchi_solver.search.sampler import WorldSampler

BELIEF_WORLDS: Final = 8192
_CARDS_AT_ONCE: Final = 4
_PILOT_STREAM, _WORLDS_STREAM = 1, 2

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlaceBelief:
    """How likely a card lies in one place."""

    holder: int
    """The seat that holds it, or ASIDE_HOLDER for the cards laid aside."""
    probability: float
    """From the rules and from what the others have done."""
    standard_error: float
    """Of the probability, from the worlds it was counted in; 0 where none were needed."""
    rules_probability: float
    """If all deals that fit what has happened are equally likely."""


@dataclass(frozen=True, slots=True)
class CardBelief:
    """Where a card may lie."""

    card: int
    places: tuple[PlaceBelief, ...]
    """All places that are possible."""


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Where the unseen cards of an observation may lie."""

    cards: tuple[CardBelief, ...]
    """In display order."""
    seed: int
    worlds: int
    """Worlds behind the probabilities, 0 where the rules alone speak."""
    effective_share: float
    """The effective number of the weighted worlds over their number."""


def beliefs(
    observation: Observation | View,
    *,
    seed: int | None = None,
    options: SearchOptions | None = None,
    worlds: int | None = None,
) -> Beliefs:
    """Returns where the cards may lie that the observing seat does not see; any seat may be to move.

    Args:
        observation: what the seat knows, or a `View` of it.
        seed: 0 to 2**64 - 1; drawn if None. The same seed gives the same numbers.
        options: of them `inference` matters, the power of the likelihood of what the others have done.
        worlds: sampled, and weighted by that likelihood; BELIEF_WORLDS if None.

    Raises:
        InvalidObservationError: the observation cannot have happened.
        ContradictionError: no deal of the unseen cards fits the events.
        ValueError: fewer than two worlds.
    """
    count = BELIEF_WORLDS if worlds is None else worlds
    if count < 2:
        raise ValueError(f"{count} worlds have no standard error: give at least 2")
    exponent = (options or SearchOptions()).inference
    seed = fresh_seed() if seed is None else seed
    seen = observation if isinstance(observation, View) else view(observation)
    hidden = hidden_cards(seen)
    by_rules = WorldSampler(hidden)
    rules = by_rules.marginals()
    weights = weights_of_places(seen, hidden) if exponent > 0.0 else None
    sampler = by_rules if weights is None else WorldSampler(hidden, weights)
    inference = infer(seen, sampler, split(seed, _PILOT_STREAM), exponent)
    share = 1.0
    if inference.says_something:
        drawn = sampler.sample_many(split(seed, _WORLDS_STREAM), count)
        likelihoods = np.zeros(count)
        likelihoods_of(inference.belief, drawn, likelihoods)
        # as the search draws its worlds: above the threshold all count alike
        likelihoods = np.minimum(likelihoods, inference.belief.numbers[THRESHOLD])
        chances = likelihoods / likelihoods.sum()
        share = float(1.0 / (count * np.square(chances).sum()))
        found, errors = _counted(chances, drawn[:, : len(hidden.holders)], hidden.cards)
    else:
        count, found = 0, sampler.marginals()
        errors = sampler.marginal_errors(found)
    order = [hidden.cards.index(card) for card in seen.variant.pack.in_display_order(sum(1 << c for c in hidden.cards))]
    return Beliefs(
        cards=tuple(
            CardBelief(
                hidden.cards[place],
                tuple(
                    PlaceBelief(holder, float(found[place, at]), float(errors[place, at]), float(rules[place, at]))
                    for at, holder in enumerate(hidden.holders)
                    if rules[place, at] > 0.0 or found[place, at] > 0.0
                ),
            )
            for place in order
        ),
        seed=seed,
        worlds=count,
        effective_share=share,
    )


def _counted(chances: Floats, drawn: npt.NDArray[np.uint64], cards: Sequence[int]) -> tuple[Floats, Floats]:
    """Returns in what share of the worlds each holder has each card, and the standard errors: [cards, holders] both.

    `chances` are those of the worlds [worlds], and `drawn` the cards of the holders [worlds, holders]. Few cards at a
    time are counted, because an answer would else take dozens of MiB.
    """
    found, errors = (np.empty((len(cards), drawn.shape[1])) for _ in range(2))
    squares = np.square(chances)
    for start in range(0, len(cards), _CARDS_AT_ONCE):
        some = slice(start, start + _CARDS_AT_ONCE)
        held = (drawn[:, np.newaxis] >> np.array(cards[some], dtype=np.uint64)[:, np.newaxis] & 1).astype(np.float64)
        found[some] = np.einsum("w,wch->ch", chances, held)
        held -= found[some]
        errors[some] = np.sqrt(np.einsum("w,wch->ch", squares, np.square(held, out=held)))
    return found, errors
