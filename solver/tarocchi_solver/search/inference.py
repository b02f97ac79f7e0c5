"""What the play so far says about hidden hands: worlds in which it was natural are drawn more often.

The chance of a world is that of the sampler times the likelihood of everything the other seats have done, under the
model of `policy` mixed with a little of uniform play, so that no deed is impossible, and raised to a power that tempers
it. Worlds are drawn by rejection: a world of the sampler stands with a probability in proportion to its likelihood, up
to a threshold above which all count alike. So worlds stay independent, each from its own stream, and all that is made
of them is unweighted (policy-based inference: Rebstock et al., 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tarocchi_engine import View
from tarocchi_engine.combinations import used_cards
from tarocchi_engine.compilation import kernel
from tarocchi_engine.facts import ASIDE_HOLDER, HiddenCards
from tarocchi_engine.rng import next_unit
from tarocchi_solver.search import history, policy
from tarocchi_solver.search.calls import NO_CALLS, CallEvidence, call_evidence, chance_of_call
from tarocchi_solver.search.card_kinds import CARD_KINDS, RANK
from tarocchi_solver.search.models import play_model
from tarocchi_solver.search.sampler import WorldSampler
from tarocchi_solver.search.sampling_kernels import sample_world

UNIFORM_SHARE: Final = 0.05
"""How often players are imagined to choose any legal card."""
HIDING_SHARE: Final = 0.05
"""How often they are imagined to keep a combination to themselves."""
PILOT_WORLDS: Final = 64
"""Worlds that tell how likelihoods are spread."""
THRESHOLD_RATIO: Final = 4.0
"""The threshold over the mean likelihood of the pilot's worlds."""
MAX_ATTEMPTS: Final = 64
"""Worlds drawn for one: the last of them stands whatever its likelihood."""

# Belief.numbers
EXPONENT: Final = 0
THRESHOLD: Final = 1
NUMBERS: Final = 2

_0 = np.uint64(0)

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


class Belief(NamedTuple):
    """The evidence about the hidden hands, in the form of the kernels; without plays and hands it says nothing."""

    rows: Words
    """[plays, HISTORY_WORDS]: the plays of the hidden hands in which there may have been a choice."""
    holders: npt.NDArray[np.int64]
    """[plays]: who played."""
    scores: Floats
    """[plays, LENGTHS, 62], see `policy.fill_scores`"""
    factors: Floats
    """[plays, FACTORS, RELATIONS]"""
    caps: Floats
    """[plays]: the chance from which on a play counts as wholly natural."""
    declarations: Words
    """[hands, 3]: the holder, the cards it has shown, all cards known to have been in the hand then."""
    calls: CallEvidence
    numbers: Floats
    """[NUMBERS]"""


@dataclass(frozen=True)
class Inference:
    """A belief, and how much it differs from none."""

    belief: Belief
    effective_share: float
    """The effective sample size of weighted worlds over their number, 1 without evidence."""

    @property
    def says_something(self) -> bool:
        """Whether there is any evidence."""
        belief = self.belief
        return bool(len(belief.holders) or len(belief.declarations) or len(belief.calls.words))


@kernel
def _mixed(chance: Any, count: Any) -> Any:
    """Returns the chance of one of `count` choices, of which some are made at random."""
    return (1.0 - UNIFORM_SHARE) * chance + UNIFORM_SHARE / np.float64(count)


@kernel
def likelihood(belief: Any, world: Any, least: Any) -> Any:
    """Returns what the tempered likelihood of all that the holders have done in a world is in proportion to.

    It is at most 1; where it is below `least` it may come out as 0.
    """
    # nothing makes the product greater, so most worlds need but a few plays
    bound = least ** (1.0 / belief.numbers[EXPONENT])
    product = 1.0
    for play in range(len(belief.holders)):
        hand = world[belief.holders[play]] | belief.rows[play, history.LATER]
        chance, count = policy.chance_of_play(belief.rows[play], belief.scores[play], belief.factors[play], hand)
        product *= min(_mixed(chance, count) / belief.caps[play], 1.0)
        if product < bound:
            return 0.0
    for place in range(len(belief.declarations)):
        hand = world[np.int64(belief.declarations[place, 0])] | belief.declarations[place, 2]
        if used_cards(hand) & ~belief.declarations[place, 1] != _0:
            product *= HIDING_SHARE
    for place in range(len(belief.calls.words)):
        chance = chance_of_call(belief.calls.words[place], belief.calls.values[place], world)
        product *= _mixed(chance, 2)
    return product ** belief.numbers[EXPONENT]


@kernel
def believed_world(arrays: Any, belief: Any, stream: Any, world: Any) -> Any:
    """Draws a world into `world` by its chance and its likelihood; returns as `sample_world`."""
    rejected = sample_world(arrays, stream, world)
    if len(belief.holders) == 0 and len(belief.declarations) == 0 and len(belief.calls.words) == 0:
        return rejected
    for _ in range(MAX_ATTEMPTS - 1):
        if rejected < 0:
            return rejected
        least = next_unit(stream) * belief.numbers[THRESHOLD]
        if likelihood(belief, world, least) > least:
            return rejected
        more = sample_world(arrays, stream, world)
        rejected = more if more < 0 else rejected + more
    return rejected


@kernel
def likelihoods_of(belief: Any, worlds: Any, values: Any) -> None:
    """Fills `values` with the likelihoods of `worlds` [worlds, 4]."""
    for place in range(len(values)):
        values[place] = likelihood(belief, worlds[place], 0.0)


@kernel
def _fill_chances(belief: Any, worlds: Any, values: Any) -> None:
    """Fills `values` [worlds, plays] with the chance of every play in every world."""
    for place in range(len(worlds)):
        for play in range(len(belief.holders)):
            hand = worlds[place, belief.holders[play]] | belief.rows[play, history.LATER]
            chance, count = policy.chance_of_play(belief.rows[play], belief.scores[play], belief.factors[play], hand)
            values[place, play] = _mixed(chance, count)


NO_INFERENCE: Final = Inference(
    Belief(
        np.zeros((0, history.HISTORY_WORDS), dtype=np.uint64),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, policy.LENGTHS, 62)),
        np.zeros((0, policy.FACTORS, policy.RELATIONS)),
        np.zeros(0),
        np.zeros((0, 3), dtype=np.uint64),
        NO_CALLS,
        np.array([1.0, 1.0]),
    ),
    effective_share=1.0,
)


def infer(view: View, sampler: WorldSampler, seed: int, exponent: float) -> Inference:
    """Returns what the deeds of the other seats say about their hands; `seed` draws the pilot's worlds."""
    if exponent == 0.0:
        return NO_INFERENCE
    table, variant = view.table, view.variant
    holder_of = {holder: place for place, holder in enumerate(sampler.hidden.holders)}
    declarations = (
        [
            (holder_of[seat], shown, shown | table.played[seat])
            for seat, shown in enumerate(table.shown)
            if seat in holder_of and shown is not None and not (shown and variant.shows_all_or_nothing)
        ]
        if variant.has_declarations
        else []
    )
    rows = history.rows_of(table)
    others = [seat for seat in holder_of if seat not in (ASIDE_HOLDER, view.seat)]
    is_other = np.zeros(variant.seat_count, dtype=np.bool_)
    is_other[others] = True
    rows = rows[is_other[rows[:, history.ACTOR]]]
    model = play_model(variant.name)
    seats = {seat: holder_of[seat] for seat in others}
    calls = call_evidence(view, seats, holder_of.get(ASIDE_HOLDER), model.calls)
    if not (len(rows) or declarations or len(calls.words)):
        return NO_INFERENCE
    actors = rows[:, history.ACTOR].astype(np.int64)
    exposed = np.array([table.exposed(seat) for seat in range(variant.seat_count)], dtype=np.uint64)
    rows[:, history.LATER] |= exposed[actors]
    belief = Belief(
        rows,
        np.array([holder_of[actor] for actor in actors.tolist()], dtype=np.int64),
        np.zeros((len(rows), policy.LENGTHS, 62)),
        np.zeros((len(rows), policy.FACTORS, policy.RELATIONS)),
        np.ones(len(rows)),
        np.array(declarations, dtype=np.uint64).reshape(-1, 3),
        calls,
        np.array([exponent, 1.0]),
    )
    pack = np.uint64(64 * variant.pack.index)
    policy.fill_scores(rows, pack, model.weights, belief.scores, belief.factors)
    worlds = sampler.sample_many(seed, PILOT_WORLDS)
    belief = _most_telling_first(belief, worlds)
    values = np.zeros(PILOT_WORLDS)
    likelihoods_of(belief, worlds, values)
    mean = float(values.mean())
    belief.numbers[THRESHOLD] = THRESHOLD_RATIO * mean
    return Inference(belief, float(mean * mean / np.square(values).mean()) if mean > 0.0 else 1.0)


def _most_telling_first(belief: Belief, worlds: Words) -> Belief:
    """Returns a belief with its plays in the order in which they speak against some worlds, and with their caps.

    The cap of a play is its chance where it is most natural.
    """
    chances = np.zeros((len(worlds), len(belief.holders)))
    _fill_chances(belief, worlds, chances)
    caps = chances.max(axis=0)
    order = np.argsort(np.log(chances / caps).mean(axis=0), kind="stable")
    return belief._replace(
        rows=belief.rows[order],
        holders=belief.holders[order],
        scores=belief.scores[order],
        factors=belief.factors[order],
        caps=caps[order],
    )


def weights_of_places(view: View, hidden: HiddenCards) -> Floats | None:
    """Returns how likely each unseen card is to lie with each holder, [cards, holders]; None where all are alike.

    Only cards laid aside by choice are told apart: the stock of a lone player is as it was dealt.
    """
    if ASIDE_HOLDER not in hidden.holders or not view.table.discard_made:
        return None
    places = np.ones((len(hidden.cards), len(hidden.holders)))
    ranks = CARD_KINDS[view.variant.pack.index, hidden.cards, RANK]
    places[:, hidden.holders.index(ASIDE_HOLDER)] = play_model(view.variant.name).discards[ranks]
    return places


def world_weights(sampler: WorldSampler, belief: Belief, worlds: Words) -> Floats:
    """Returns the chances of some worlds [worlds, 4], in proportion to their weights and likelihoods; they sum to 1."""
    values = np.zeros(len(worlds))
    likelihoods_of(belief, worlds, values)
    values *= sampler.weights_of(worlds)
    chances: Floats = values / values.sum()
    return chances
