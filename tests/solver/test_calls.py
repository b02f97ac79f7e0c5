"""What bids and monte calls say about hands: chances against slow twins, and the calls that count."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from dealing import RULES
from solver.deals import decisions, true_world
from tarocchi_engine import VARIANTS, Bid, Call, Monte, Observation, Phase, State, view
from tarocchi_engine.cards import cards_in
from tarocchi_engine.facts import ASIDE_HOLDER
from tarocchi_solver.search import calls
from tarocchi_solver.search.calls import CALL_KINDS, CALL_WEIGHTS, CALL_WORDS, call_evidence, chance_of_call
from tarocchi_solver.search.card_kinds import CARD_KINDS, RANK
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.inference import infer, likelihoods_of

WEIGHTS = np.random.default_rng(8).normal(0.0, 0.4, (CALL_KINDS, CALL_WEIGHTS))
WITH_CALLS = [name for name, rules in RULES.items() if rules.has_auction or rules.has_monte_poll]


def evidence_of(observation: Observation) -> tuple[calls.CallEvidence, list[int]]:
    """The calls of the hidden hands, with the holders of the worlds."""
    seen = view(observation)
    holders = Decision.of(seen, 1).sampler.hidden.holders
    places = {holder: place for place, holder in enumerate(holders) if holder not in (ASIDE_HOLDER, seen.seat)}
    aside = holders.index(ASIDE_HOLDER) if ASIDE_HOLDER in holders else None
    return call_evidence(seen, places, aside, WEIGHTS), list(holders)


def worths(rules_index: int, cards: list[int]) -> list[float]:
    """What each call is worth on a hand, a pass or monte first."""
    by_card = WEIGHTS[:, CARD_KINDS[rules_index, cards, RANK]]
    return [0.0, *(by_card.sum(axis=1) + WEIGHTS[:, -1])]


def slow_chance(found: list[float], said: int, may_say: tuple[int, ...]) -> float:
    return math.exp(found[said]) / sum(math.exp(found[place]) for place in may_say)


@pytest.mark.parametrize("name", WITH_CALLS)
def test_a_call_on_all_known_cards_has_the_chance_of_a_softmax(name: str) -> None:
    """Passes, and solo: nothing was taken up afterwards."""
    checked = 0
    for seed in range(6):
        for state, observation in decisions(RULES[name], 200 + seed)[::4]:
            evidence, holders = evidence_of(observation)
            truth = true_world(state, Decision.of(view(observation), 1).sampler.hidden)
            world = np.array([*(truth[holder] for holder in holders), 0, 0, 0, 0][:4], dtype=np.uint64)
            made = calls_of(state, observation.seat)
            assert len(evidence.words) == len(made)
            for words, values, (seat, said, may_say) in zip(evidence.words, evidence.values, made, strict=True):
                dealt = state.packets[seat][0]
                now = world[int(words[calls.HOLDER])] | words[calls.KNOWN]
                if words[calls.HAS_ASIDE]:
                    now |= world[int(words[calls.ASIDE])]
                assert dealt & ~int(now) == 0
                assert int(words[calls.SIZE]) == dealt.bit_count()
                if int(now) == dealt:
                    expected = slow_chance(worths(state.variant.pack.index, list(cards_in(dealt))), said, may_say)
                    assert chance_of_call(words, values, world) == pytest.approx(expected)
                    checked += 1
    assert checked or not RULES[name].has_auction


def calls_of(state: State, observer: int) -> list[tuple[int, int, tuple[int, ...]]]:
    """Who of the others called what, and what might have been called."""
    found = []
    highest = Call.PASS
    for event in state.events:
        if isinstance(event.move, Monte):
            found.append((event.seat, int(not event.move.throws_in), (0, 1)))
        elif isinstance(event.move, Bid):
            may_say = (0, 2) if highest is Call.GIOCO else (0, 1, 2)
            found.append((event.seat, list(Call).index(event.move.call), may_say))
            highest = highest if event.move.call is Call.PASS else event.move.call
    return [entry for entry in found if entry[0] != observer]


def test_a_call_on_some_of_the_cards_has_nearly_the_mean_chance() -> None:
    rng = random.Random(9)
    for count, size in ((8, 4), (9, 5), (10, 6)):
        cards = rng.sample(range(62), count)
        weights = np.zeros((CALL_KINDS, 63))
        weights[0, :62] = np.random.default_rng(count).normal(0.0, 0.5, 62)
        weights[0, 62] = 0.3
        weights[1, 62] = -1e9
        words = np.zeros(CALL_WORDS, dtype=np.uint64)
        words[calls.SIZE] = size
        world = np.array([sum(1 << card for card in cards), 0, 0, 0], dtype=np.uint64)
        exact = [
            1.0 / (1.0 + math.exp(sum(weights[0, card] for card in part) + 0.3))
            for part in itertools.combinations(cards, size)
        ]
        assert chance_of_call(words, weights, world) == pytest.approx(sum(exact) / len(exact), abs=0.01)


def test_a_bid_shows_strength() -> None:
    """In the eyes of a defender the declarer has more high cards than without the bid."""
    defences = (
        seen
        for seed in range(300, 360)
        for _state, observation in decisions(VARIANTS["terziglio"], seed)
        if (seen := view(observation)).phase is Phase.PLAY
        and seen.table.contract is Call.GIOCO
        and seen.table.declarer != seen.seat
        and not seen.table.trick
        and seen.table.tricks_left == seen.variant.trick_count
    )
    gains = []
    for seen in itertools.islice(defences, 4):
        sampler = Decision.of(seen, 1).sampler
        declarer = sampler.hidden.holders.index(seen.table.declarer)
        belief = infer(seen, sampler, 5, 1.0).belief
        of_calls = belief._replace(rows=belief.rows[:0], holders=belief.holders[:0])
        worlds = sampler.sample_many(3, 1500)
        likelihoods = np.zeros(len(worlds))
        likelihoods_of(of_calls, worlds, likelihoods)
        high = seen.variant.pack.parse_cards(["ANG", "MON", "SOL", "LUN", "SK", "BK", "CK", "DK"])
        counts = np.array([(int(world[declarer]) & high).bit_count() for world in worlds])
        gains.append(counts @ likelihoods / likelihoods.sum() - counts.mean())
    assert min(gains) > -0.05
    assert sum(gains) > 0.3
