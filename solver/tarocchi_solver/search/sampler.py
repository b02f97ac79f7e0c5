"""Samples worlds: deals of the unseen cards that fit what is known, each with its exact chance.

Almost all facts bar cards from holders, and a table over free capacities (`sampling_kernels`) then draws
without rejection. Three kinds do not: alternatives (a world fits one of two cases), hands whose combinations
have all been shown, and signals that promise a card of a suit. Draws that count a world twice, hide a further
combination or break a promise are repeated, which keeps the chances exact. Facts that no world fits raise
`ContradictionError`: they are never just left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tarocchi_engine.combinations import used_cards
from tarocchi_engine.facts import ASIDE_HOLDER, Case, HiddenCards, ShownHand
from tarocchi_engine.layout import ASIDE, HANDS
from tarocchi_solver.search import sampling_kernels as kernels
from tarocchi_solver.search.sampling_kernels import sample_world

__all__ = [
    "ContradictionError",
    "SamplerArrays",
    "UndecidedError",
    "WorldNotFoundError",
    "WorldSampler",
    "sample_world",
]

SLOTS: Final = 4
MIN_RELATIVE_WEIGHT: Final = 1e-6
"""Smallest positive weight over the largest of its card: a product of 47 such factors still is a float."""
MARGINAL_DRAWS: Final = 4096

_MASK64: Final = (1 << 64) - 1
_ENOUGH_ACCEPTED: Final = 16
_TRIALS: Final = (64, 448, 3584)
_LAST_TRIAL: Final = 1 << 18
_PROOF_DEAD_ENDS: Final = 1 << 21

Words: TypeAlias = npt.NDArray[np.uint64]
Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


class ContradictionError(Exception):
    """Says that no world fits the facts.

    Attributes:
        facts: the facts in words.
    """

    _claim = "no deal of the unseen cards fits"

    def __init__(self, facts: Sequence[str]) -> None:
        self.facts = tuple(facts)
        super().__init__(f"{self._claim} these facts: {'; '.join(self.facts) or 'none are named'}")

    def __reduce__(self) -> tuple[type[ContradictionError], tuple[tuple[str, ...]]]:
        # it may come from another process, and is made of its facts there, not of its message
        return type(self), (self.facts,)


class WorldNotFoundError(ContradictionError):
    """Says that a long search met no world that fits the facts, without a proof that there is none."""

    _claim = "a long search found no deal of the unseen cards that fits"


class UndecidedError(Exception):
    """Says that some draws met no world that fits the facts: a long search would have to tell whether there is any."""


class SamplerArrays(NamedTuple):
    """Holds what the kernels need to draw worlds: contiguous arrays of fixed types, one signature for all.

    Few arrays: a kernel pays for each one that it is handed.
    """

    cards: Words
    """[n]: each card as a set of one, in the order in which they are dealt out."""
    weights: Floats
    """[cases, n, 4], by slot: slots are the holders sorted by capacity, the unused ones first."""
    tables: Floats
    """[cases, (n + 1) * size]: the total weight of dealing card k and all later ones, for all capacities."""
    words: Words
    """[SAMPLER_WORDS]: capacities, shown hands and the like; the places are named in `sampling_kernels`."""
    destination: Words
    """[4]: the word of a position into which a holder's cards are ORed; an unused holder never has any."""


class WorldSampler:
    """Draws, counts and lists the worlds that fit the facts.

    Attributes:
        arrays: the input of the kernel `sample_world`.
        hidden: the problem.
        acceptance: the share of draws that stand; estimated from some draws where shown hands or promises are checked.
    """

    def __init__(self, hidden: HiddenCards, weights: Floats | None = None, *, is_patient: bool = True) -> None:
        """Builds the tables; a fraction of a millisecond, or a second where hardly any draw stands.

        Args:
            hidden: the unseen cards and the facts about them.
            weights: [cards, holders], not negative; the chance of a world is in proportion to the product of
                the weights of its cards' places. All 1 if None.
            is_patient: whether to search for a world, for up to a second, where some draws have met none.

        Raises:
            UndecidedError: It is not patient, and some draws have met no world.
            ContradictionError: No world fits the facts.
            ValueError: `hidden` or `weights` is malformed.
        """
        _check_problem(hidden, weights)
        unused = [0] * (SLOTS - len(hidden.holders))
        capacities = [*hidden.capacities, *unused]
        self.hidden = hidden
        self._weights = weights
        self._slots = sorted(range(SLOTS), key=capacities.__getitem__)
        self._capacities = np.array(sorted(capacities), dtype=np.int64)
        allowed = [[*_allowed_cards(hidden, case), *unused] for case in hidden.cases]
        checked, relevant = _apply_shown_hands(hidden, allowed)
        self._order = _dealing_order(hidden, relevant)
        self._cards = np.array([1 << hidden.cards[k] for k in self._order], dtype=np.uint64)
        self._base, self._scale = self._base_weights(weights)
        built, tables, totals = self._build_tables(allowed)
        possible = [case for case, total in enumerate(totals) if total > 0.0]
        if not possible:
            raise ContradictionError(hidden.sentences)
        self._allowed = [allowed[case] for case in possible]
        self._totals = [totals[case] for case in possible]
        kept = slice(possible[0], possible[-1] + 1)
        seats = [ASIDE if holder == ASIDE_HOLDER else HANDS + holder for holder in hidden.holders]
        self._is_checked = bool(checked or hidden.promises)
        self._is_patient = is_patient
        self.arrays = SamplerArrays(
            cards=self._cards,
            weights=built[kept],
            tables=tables[kept],
            words=self._make_words(checked, relevant),
            destination=np.array([*seats, *[ASIDE] * len(unused)], dtype=np.uint64),
        )
        self.acceptance = self._measure_acceptance()

    def _base_weights(self, weights: Floats | None) -> tuple[Floats, float]:
        """Returns the weights by slot in dealing order, largest 1 for each card, and the factor taken out."""
        n, holder_count = len(self.hidden.cards), len(self.hidden.holders)
        if weights is None:
            return np.ones((n, SLOTS)), 1.0
        base = np.zeros((n, SLOTS))
        base[:, :holder_count] = weights[self._order]
        largest = base.max(axis=1, initial=0.0)
        largest[largest == 0.0] = 1.0
        return base[:, self._slots] / largest[:, np.newaxis], math.prod(largest.tolist())

    def _build_tables(self, allowed: Sequence[Sequence[int]]) -> tuple[Floats, Floats, list[float]]:
        """Returns for each case the weights, the table and the total weight of its worlds."""
        masks = np.array(allowed, dtype=np.uint64)[:, np.newaxis, self._slots]
        weights = np.ascontiguousarray(self._base * (self._cards[:, np.newaxis] & masks != 0))
        size = math.prod((self._capacities[:-1] + 1).tolist())
        tables = np.zeros((len(allowed), (len(self._cards) + 1) * size))
        checkpoint = np.array([-1, 0, 0], dtype=np.int64)
        if self.hidden.aside_left_after is not None:
            k, left = self.hidden.aside_left_after
            checkpoint[:] = k, self._slots.index(self.hidden.holders.index(ASIDE_HOLDER)), left
        totals = [
            float(kernels.build_table(of_case, self._capacities, checkpoint, table))
            for of_case, table in zip(weights, tables, strict=True)
        ]
        return weights, tables, totals

    def _make_words(self, checked: Sequence[ShownHand], relevant: int) -> Words:
        """Returns the array `words` of the kernels."""
        cards = self._cards.tolist()
        everything = sum(cards)
        relevant_count = max((place + 1 for place, card in enumerate(cards) if card & relevant), default=0)
        words = [0] * kernels.SAMPLER_WORDS
        for place in range(SLOTS):
            words[kernels.CAPACITIES + place] = int(self._capacities[place])
            words[kernels.HOLDERS + place] = self._slots[place]
            words[kernels.FORBIDDEN + place] = everything & ~self._allowed[0][place]
            words[kernels.SHOWN + place] = kernels.ALL_BITS
        for hand in checked:
            words[kernels.SHOWN + hand.holder] = hand.shown
            words[kernels.KNOWN + hand.holder] = hand.known
        for promise in self.hidden.promises:
            words[kernels.PROMISED + promise.holder] |= promise.cards
        words[kernels.CASES] = len(self._totals)
        share = self._totals[0] / sum(self._totals)
        words[kernels.FIRST_SHARE] = min(int(share * 2.0**64), _MASK64)
        words[kernels.RELEVANT] = relevant_count
        return np.array(words, dtype=np.uint64)

    def _measure_acceptance(self) -> float:
        """Returns the share of draws that stand, and makes sure that there are any."""
        if any(not promise.cards for promise in self.hidden.promises):
            raise ContradictionError(self.hidden.sentences)
        if not self._is_checked:
            return self._total_weight() / sum(self._totals)
        accepted = drawn = 0
        for attempts in _TRIALS:
            accepted += int(kernels.count_accepted(self.arrays, np.uint64(drawn), attempts))
            drawn += attempts
            if accepted >= _ENOUGH_ACCEPTED:
                return accepted / drawn
        if accepted == 0:
            if not self._is_patient:
                raise UndecidedError("some draws have met no deal of the unseen cards that fits")
            self._prove_feasible()
            accepted = int(kernels.count_accepted(self.arrays, np.uint64(drawn), _LAST_TRIAL))
            drawn += _LAST_TRIAL
        if accepted == 0:
            raise WorldNotFoundError(self.hidden.sentences)
        return accepted / drawn

    def _prove_feasible(self) -> None:
        """Searches for one world and raises ContradictionError if there is none."""
        world = np.empty((1, SLOTS), dtype=np.uint64)
        for case in range(len(self._totals)):
            if kernels.enumerate_worlds(self.arrays, case, world, 0, _PROOF_DEAD_ENDS) != 0:
                return
        raise ContradictionError(self.hidden.sentences)

    @cached_property
    def _joint(self) -> tuple[Floats, Floats, float]:
        """Weights, table and total weight of the worlds that belong to both cases."""
        both = [first & second for first, second in zip(*self._allowed, strict=True)]
        weights, tables, totals = self._build_tables([both])
        return weights[0], tables[0], totals[0]

    def _total_weight(self) -> float:
        """Returns the total scaled weight, with the worlds that belong to both cases taken once."""
        return sum(self._totals) - (self._joint[2] if len(self._totals) == 2 else 0.0)

    @property
    def world_count(self) -> float:
        """The number of worlds, or their total weight if weighted; with shown hands an upper bound."""
        return self._total_weight() * self._scale

    def sample(self, seed: int) -> tuple[int, ...]:
        """Draws one world from `seed`: the set of cards of each holder."""
        world = self.sample_many(seed, 1)[0]
        return tuple(int(cards) for cards in world[: len(self.hidden.holders)])

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts in words."""
        return self.hidden.sentences

    def sample_many(self, seed: int, count: int) -> Words:
        """Draws independent worlds, [count, 4]: a set of cards per holder; the first is `sample(seed)`.

        Raises:
            WorldNotFoundError: Millions of draws in a row were in vain.
        """
        worlds = np.empty((count, SLOTS), dtype=np.uint64)
        if kernels.sample_worlds(self.arrays, np.uint64(seed & _MASK64), worlds) < 0:
            raise WorldNotFoundError(self.hidden.sentences)
        return worlds

    def marginals(self) -> Floats:
        """Returns the probability that each card lies with each holder, [cards, holders] as in `hidden`.

        Exact, unless a shown hand may hide a further combination: then the shares among MARGINAL_DRAWS worlds
        drawn from a fixed seed (standard error at most 0.008).
        """
        n, holder_count = len(self.hidden.cards), len(self.hidden.holders)
        result = np.zeros((n, SLOTS))
        if self._is_checked:
            worlds = self.sample_many(0, MARGINAL_DRAWS)
            result[self._order] = (worlds & self._cards[:, np.newaxis, np.newaxis] != 0).mean(axis=1)
            return result[:, :holder_count]
        parts = list(zip(self.arrays.weights, self.arrays.tables, self._totals, strict=True))
        if len(parts) == 2 and self._joint[2] > 0.0:
            weights, table, total = self._joint
            parts.append((weights, table, -total))
        by_slot = np.empty((n, SLOTS))
        for weights, table, total in parts:
            kernels.fill_marginals(weights, self._capacities, table, by_slot)
            result[self._order[:, np.newaxis], self._slots] += by_slot * total
        return result[:, :holder_count] / self._total_weight()

    def marginal_errors(self, marginals: Floats) -> Floats:
        """Returns the standard errors of what `marginals` returned, 0 where they are exact."""
        if not self._is_checked:
            return np.zeros_like(marginals)
        return np.asarray(np.sqrt(marginals * (1.0 - marginals) / MARGINAL_DRAWS))

    def weights_of(self, worlds: Words) -> Floats:
        """Returns the weights of some worlds [worlds, 4]: the products of those of their cards' places."""
        products = np.ones(len(worlds))
        if self._weights is not None:
            for card, places in zip(self.hidden.cards, self._weights, strict=True):
                for holder, weight in enumerate(places):
                    products[worlds[:, holder] >> np.uint64(card) & np.uint64(1) == 1] *= weight
        return products

    def enumerate(self, limit: int) -> Words | None:
        """Lists every world once, [worlds, 4], whatever its weight; None if there are more than `limit`.

        None as well where shown hands make the list far more costly than `limit` worlds should be.
        """
        rows = limit
        if self._weights is None:
            if not self._is_checked and self.world_count > limit:
                return None
            rows = min(limit, math.ceil(self._totals[0] + sum(self._totals[1:])))
        worlds = np.empty((rows, SLOTS), dtype=np.uint64)
        count = 0
        for case in range(len(self._totals)):
            count = int(kernels.enumerate_worlds(self.arrays, case, worlds, count, 10_000 + 100 * limit))
            if count < 0:
                return None
        return worlds[:count]


def _check_problem(hidden: HiddenCards, weights: Floats | None) -> None:
    """Raises ValueError for a problem that the facts of no game lead to."""
    n, holder_count = len(hidden.cards), len(hidden.holders)
    if holder_count > SLOTS or len(hidden.capacities) != holder_count:
        raise ValueError(f"0 to {SLOTS} holders with a capacity each are possible: {hidden.holders}")
    if sum(hidden.capacities) != n or min(hidden.capacities, default=0) < 0:
        raise ValueError(f"capacities {hidden.capacities} do not take up {n} cards")
    if len(set(hidden.cards)) != n:
        raise ValueError("a hidden card stands twice")
    if len(hidden.cases) not in (1, 2) or any(len(case.allowed) != holder_count for case in hidden.cases):
        raise ValueError("one or two cases are possible, with the allowed cards of every holder")
    if len({hand.holder for hand in hidden.shown_hands}) != len(hidden.shown_hands):
        raise ValueError("a holder has shown two hands")
    if hidden.aside_left_after is not None and ASIDE_HOLDER not in hidden.holders:
        raise ValueError("aside_left_after without cards laid aside")
    if weights is None:
        return
    if weights.shape != (n, holder_count):
        raise ValueError(f"weights have the shape {weights.shape}, not {(n, holder_count)}")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0.0):
        raise ValueError("weights must be finite and not negative")
    least = MIN_RELATIVE_WEIGHT * weights.max(axis=1, initial=0.0, keepdims=True)
    if np.any((weights > 0.0) & (weights < least)):
        raise ValueError(f"a positive weight is below {MIN_RELATIVE_WEIGHT} of its card's largest")


def _allowed_cards(hidden: HiddenCards, case: Case) -> list[int]:
    """Returns the hidden cards that each holder may have in a case."""
    everything = sum(1 << card for card in hidden.cards)
    return [
        cards & everything & ~(case.barred if holder == case.barred_holder else 0)
        for holder, cards in enumerate(case.allowed)
    ]


def _apply_shown_hands(hidden: HiddenCards, allowed: list[list[int]]) -> tuple[list[ShownHand], int]:
    """Bars in `allowed` each card that by itself would complete a further combination in a shown hand.

    Returns the shown hands that need to be checked all the same, and the cards that matter to them.
    """
    checked, relevant = [], 0
    cards = np.array([1 << card for card in hidden.cards], dtype=np.uint64)
    for hand in hidden.shown_hands:
        shown, known = np.uint64(hand.shown), np.uint64(hand.known)
        if int(used_cards(known)) != hand.shown:
            raise ContradictionError(hidden.sentences)
        barred = int(kernels.single_cards_barred(cards, shown, known))
        possible = 0
        for case in allowed:
            case[hand.holder] &= ~barred
            possible |= case[hand.holder]
        # used_cards never shrinks when cards are added: what the fullest hand does not use, no hand uses
        used = int(used_cards(known | np.uint64(possible)))
        if used != hand.shown and hidden.capacities[hand.holder] > 1:
            checked.append(hand)
            relevant |= used & possible
    return checked, relevant


def _dealing_order(hidden: HiddenCards, relevant: int) -> Integers:
    """Returns the places of the cards, the `relevant` ones first on either side of the checkpoint."""
    split = len(hidden.cards) if hidden.aside_left_after is None else hidden.aside_left_after[0]
    places = range(len(hidden.cards))
    order = sorted(places, key=lambda k: (k >= split, not relevant >> hidden.cards[k] & 1))
    return np.array(order, dtype=np.int64)
