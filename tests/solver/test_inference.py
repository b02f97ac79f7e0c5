"""Beliefs about hidden hands: the model of play against a slow twin, worlds drawn against their exact chances."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from dealing import RULES
from solver.deals import decisions, naive_used, true_world
from tarocchi_engine import VARIANTS, Observation, Phase, Play, State, view
from tarocchi_engine.cards import ALL_MASK, MATTO, cards_in
from tarocchi_engine.facts import ASIDE_HOLDER, hidden_cards
from tarocchi_engine.layout import LANES
from tarocchi_solver.search import Budget, SearchOptions, calls, history, inference, learned_playout, policy, search
from tarocchi_solver.search.card_kinds import CARD_KINDS, RANK, RANKS
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.inference import NO_INFERENCE, THRESHOLD, infer, world_weights
from tarocchi_solver.search.models import PlayModel, play_model
from tarocchi_solver.search.sampler import WorldSampler

NAMES = list(VARIANTS)


def random_weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, 0.5, policy.WEIGHT_COUNT)


@pytest.fixture
def any_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every variant believe in the same random weights, so that the tests do not hang on what is shipped."""
    rng = np.random.default_rng(2)
    ranks = rng.uniform(0.05, 1.0, RANKS)
    called = rng.normal(0.0, 0.3, (calls.CALL_KINDS, calls.CALL_WEIGHTS))
    no_values = np.zeros(0, dtype=np.float32)
    model = PlayModel(random_weights(1), ranks, called, no_values)
    monkeypatch.setattr(inference, "play_model", lambda name: model)


def plays_of(state: State) -> list[tuple[int, int]]:
    return [(event.seat, event.move.card) for event in state.events if isinstance(event.move, Play)]


def played_out(name: str, seed: int) -> tuple[list[State], State]:
    """Every decision of the first deal from `seed` on that is played to the last card, and its end."""
    while True:
        states = [state for state, _observation in decisions(VARIANTS[name], seed)]
        final = states[-1]
        while final.turn is not None:
            final = final.apply_move(final.legal_moves()[0])
        if len(plays_of(final)) == final.variant.trick_count * final.variant.seat_count:
            return states, final
        seed += 1000


def hands_before(state: State) -> list[int]:
    """The hand of each play's seat just before it, from what was played afterwards."""
    plays = plays_of(state)
    return [
        sum(1 << card for other, card in plays[place:] if other == seat) for place, (seat, _card) in enumerate(plays)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_history_holds_what_the_table_says(name: str) -> None:
    states, final = played_out(name, 11)
    rows = iter(history.rows_of(final.table))
    hands = iter(hands_before(final))
    gone = 0
    for state in states:
        if state.phase is not Phase.PLAY:
            continue
        row, hand, table = next(rows), next(hands), state.table
        seat, pack = table.turn, state.variant.pack
        assert int(row[history.ACTOR]) == seat
        assert hand == state.hands[seat]
        assert int(row[history.LED]) == table.led
        assert int(row[history.GONE]) == gone
        legal = sum(1 << move.card for move in state.legal_moves() if isinstance(move, Play) and move.signal is None)
        assert int(policy.legal_in(row, np.uint64(hand))) == legal
        best = table.winning_place()
        beating = ALL_MASK & ~(1 << MATTO) if best < 0 else pack.beaten_by(table.trick[best])
        assert int(row[history.BEATING]) == beating
        side = table.side_of(seat)
        assert int(row[history.OWN_PILE]) == table.piles[side]
        assert int(row[history.OTHER_PILE]) == table.piles[1 - side]
        partner_wins = best >= 0 and table.side_of(table.seat_of(best)) == side
        assert int(row[history.SITUATION]) % 7 == (
            0 if not table.trick else 1 + 2 * (len(table.trick) - 1) + partner_wins
        )
        assert bool(row[history.IS_LAST]) == (len(table.trick) + 1 == state.variant.seat_count)
        void = table.cannot_hold
        partners = [
            other for other in range(state.variant.seat_count) if other != seat and table.side_of(other) == side
        ]
        for lane in range(5):
            unplayed = LANES[lane].item() & ~gone
            if len(partners) == 1 and (int(row[history.PARTNER_VOID]) >> lane) & 1:
                assert unplayed & ~void[partners[0]] == 0
        gone |= 1 << next(card for place, (_seat, card) in enumerate(plays_of(final)) if place == gone.bit_count())


@pytest.mark.parametrize("name", NAMES)
def test_chances_are_those_of_a_slow_softmax(name: str) -> None:
    weights = random_weights(3)
    _states, final = played_out(name, 12)
    pack = np.uint64(64 * final.variant.pack.index)
    rows = history.rows_of(final.table)
    scores = np.zeros((len(rows), policy.LENGTHS, 62))
    factors = np.zeros((len(rows), policy.FACTORS, policy.RELATIONS))
    policy.fill_scores(rows, pack, weights, scores, factors)
    features = np.zeros((40, policy.FEATURES), dtype=np.int64)
    rng = random.Random(4)
    for place, row in enumerate(rows):
        hand = int(row[history.LATER]) | sum(1 << card for card in rng.sample(range(62), 5))
        legal = list(cards_in(int(policy.legal_in(row, np.uint64(hand)))))
        count = policy.features_of_choices(row, pack, np.uint64(hand), features)
        assert count == len(legal)
        assert np.all((features[:count] >= 0) & (features[:count] < policy.WEIGHT_COUNT))
        slow = np.exp(weights[features[:count]].sum(axis=1))
        slow /= slow.sum()
        for card, expected in zip(legal, slow, strict=True):
            other = row.copy()
            other[history.CARD] = card
            chance, choices = policy.chance_of_play(other, scores[place], factors[place], np.uint64(hand))
            assert chance == pytest.approx(expected)
            assert choices == count


def late_decisions(name: str, seeds: range) -> list[tuple[State, Observation, WorldSampler]]:
    """Decisions with between 5 and 60 worlds in which others have played."""
    found = []
    for seed in seeds:
        for state, observation in decisions(VARIANTS[name], seed):
            if state.phase is Phase.PLAY and 2 <= state.table.tricks_left <= 5:
                hidden = hidden_cards(view(observation))
                sampler = WorldSampler(hidden, inference.weights_of_places(view(observation), hidden))
                worlds = sampler.enumerate(60)
                if worlds is not None and len(worlds) >= 5:
                    found.append((state, observation, sampler))
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("any_weights")
def test_worlds_are_drawn_by_their_weights_and_likelihoods(name: str) -> None:
    for number, (_state, observation, sampler) in enumerate(late_decisions(name, range(20, 40))[:3]):
        found = infer(view(observation), sampler, 5, 1.0)
        worlds = sampler.enumerate(60)
        assert worlds is not None
        likelihoods = np.zeros(len(worlds))
        inference.likelihoods_of(found.belief, worlds, likelihoods)
        assert likelihoods.min() > 0.0
        exact = world_weights(sampler, found.belief, worlds)
        assert exact == pytest.approx(
            likelihoods * sampler.weights_of(worlds) / (likelihoods @ sampler.weights_of(worlds))
        )
        chances = np.minimum(likelihoods, found.belief.numbers[THRESHOLD]) * sampler.weights_of(worlds)
        count = 8_000
        drawn: Counter[bytes] = Counter()
        stream, world = np.array([number], dtype=np.uint64), np.zeros(4, dtype=np.uint64)
        for _ in range(count):
            assert inference.believed_world(sampler.arrays, found.belief, stream, world) >= 0
            drawn[world.tobytes()] += 1
        expected = chances / chances.sum() * count
        observed = np.array([drawn[row.tobytes()] for row in worlds])
        assert observed.sum() == count
        large = expected >= 5
        test = stats.chisquare(
            np.append(observed[large], observed[~large].sum() + 5),
            np.append(expected[large], expected[~large].sum() + 5),
        )
        assert test.pvalue > 1e-4


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("any_weights")
def test_plays_less_likely_than_asked_for_count_as_impossible(name: str) -> None:
    _state, observation, sampler = late_decisions(name, range(20, 40))[0]
    found = infer(view(observation), sampler, 5, 1.0).belief
    plays = found._replace(declarations=np.zeros((0, 3), dtype=np.uint64), calls=calls.NO_CALLS)
    worlds = sampler.sample_many(1, 200)
    values = [inference.likelihood(plays, world, 0.0) for world in worlds]
    least = float(np.median(values))
    for world, value in zip(worlds, values, strict=True):
        assert inference.likelihood(plays, world, least) == (value if value >= least else 0.0)


@pytest.mark.parametrize("name", list(RULES))
def test_the_true_world_is_never_ruled_out(name: str) -> None:
    for seed in range(3):
        for state, observation in decisions(RULES[name], 100 + seed)[::5]:
            seen = view(observation)
            sampler = Decision.of(seen, 1).sampler
            found = infer(seen, sampler, 5, 1.0)
            truth = true_world(state, sampler.hidden)
            world = np.array([[*(truth[holder] for holder in sampler.hidden.holders), 0, 0, 0, 0][:4]], dtype=np.uint64)
            values = np.zeros(1)
            inference.likelihoods_of(found.belief, world, values)
            assert 0.0 < values[0] <= 1.0
            assert 0.0 < found.effective_share <= 1.0 + 1e-9


@pytest.mark.usefixtures("any_weights")
def test_the_exponent_tempers_the_likelihood() -> None:
    _state, observation, sampler = late_decisions("piedicavallo", range(20, 60))[0]
    worlds = sampler.enumerate(60)
    assert worlds is not None
    values = {}
    for exponent in (0.5, 1.0):
        values[exponent] = np.zeros(len(worlds))
        inference.likelihoods_of(infer(view(observation), sampler, 5, exponent).belief, worlds, values[exponent])
    assert values[0.5] == pytest.approx(np.sqrt(values[1.0]))
    assert infer(view(observation), sampler, 5, 0.0) is NO_INFERENCE


@pytest.mark.parametrize("name", ["bolognese", "ottocento"])
@pytest.mark.usefixtures("any_weights")
def test_a_combination_kept_back_speaks_against_a_world(name: str) -> None:
    """Whoever showed nothing rarely has anything to show."""
    seen, silent = next(
        (seen, silent)
        for seed in range(31, 60)
        for _state, observation in decisions(VARIANTS[name], seed)
        if (seen := view(observation)).phase is Phase.DECLARE
        and (silent := [seat for seat, shown in enumerate(seen.table.shown) if shown == 0])
    )
    sampler = Decision.of(seen, 1).sampler
    found = infer(seen, sampler, 5, 1.0)
    of_plays = found.belief._replace(declarations=np.zeros((0, 3), dtype=np.uint64))
    holders = sampler.hidden.holders
    worlds = sampler.sample_many(1, 400)
    values, without = np.zeros(len(worlds)), np.zeros(len(worlds))
    inference.likelihoods_of(found.belief, worlds, values)
    inference.likelihoods_of(of_plays, worlds, without)
    counts = set()
    for world, value, plain in zip(worlds.tolist(), values, without, strict=True):
        held = [world[holders.index(seat)] | seen.table.played[seat] for seat in silent]
        hiding = sum(naive_used(cards) != 0 for cards in held)
        assert value / plain == pytest.approx(inference.HIDING_SHARE**hiding)
        counts.add(hiding)
    assert counts >= {0, 1}


def test_only_cards_laid_away_by_choice_are_weighted(any_weights: None) -> None:
    for name in NAMES:
        for _state, observation in decisions(VARIANTS[name], 41):
            seen = view(observation)
            hidden = hidden_cards(seen)
            weights = inference.weights_of_places(seen, hidden)
            if ASIDE_HOLDER not in hidden.holders or not seen.table.discard_made:
                assert weights is None
            else:
                assert weights is not None
                aside = hidden.holders.index(ASIDE_HOLDER)
                assert np.all(np.delete(weights, aside, axis=1) == 1.0)
                ranks = {int(CARD_KINDS[seen.variant.pack.index, card, RANK]) for card in hidden.cards}
                assert len(np.unique(weights[:, aside])) == len(ranks)


@pytest.mark.parametrize("name", NAMES)
def test_without_inference_all_worlds_count_alike(name: str) -> None:
    _state, observation = decisions(VARIANTS[name], 51)[-12]
    options = SearchOptions(inference=0.0)
    decision = Decision.of(view(observation), 1, infers=False)
    assert decision.sampler.weights_of(decision.sampler.sample_many(1, 3)) == pytest.approx([1.0, 1.0, 1.0])
    answer = search(observation, Budget(iterations=300), seed=1, options=options)
    assert answer == search(observation, Budget(iterations=300), seed=1, options=options)


@pytest.mark.parametrize("name", NAMES)
def test_the_model_of_every_variant_is_whole(name: str) -> None:
    model = play_model(name)
    assert model.weights.shape == (policy.WEIGHT_COUNT,)
    assert model.discards.shape == (RANKS,)
    assert model.calls.shape == (calls.CALL_KINDS, calls.CALL_WEIGHTS)
    assert model.values.shape == (learned_playout.WEIGHT_COUNT,)
    assert np.all(np.isfinite(model.values))
    assert np.all(np.isfinite(model.weights))
    assert np.all(model.discards > 0.0)
