"""Levels: what they draw depends on the seed alone, keeps to the loss limit and is never absurd; figures that ship."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

import pytest

from solver.deals import decisions, random_start, random_states, with_world
from solver.positions import Position
from solver.sense_positions import POSITIONS
from tarocchi_engine import VARIANTS, CallOut, Declare, Monte, Observation, Phase, Play, State, View, get_variant, view
from tarocchi_engine.facts import hidden_cards
from tarocchi_solver import levels
from tarocchi_solver.levels import (
    KNOWN_WORLDS,
    LEVELS,
    STEPS,
    Level,
    LevelSettings,
    choices_of_level,
    drawn_move,
    level_strengths,
    parse_strengths,
    play_at_level,
    settings_card,
    strengths_file,
)
from tarocchi_solver.search import Budget, Recommendation, WorldSampler, search
from tarocchi_solver.search.absurdity import GRAVE, absurd_cards
from tarocchi_solver.search.data_files import DataFileError, data_folder
from tarocchi_solver.search.decision import wins_match
from tarocchi_solver.search.sense import PRINCIPLES

TINY = 150
"""Iterations of a search that tells little, so that much seems possible."""
DRAWS = range(12)
WITH_GREAT_COMBINATIONS = (9, 134, 176, 216)
"""Deals of Ottocento in which some seat may show 100 points or more."""
OPENING = 16
"""Moves within which all seats have declared."""
RECKLESS = LevelSettings("draws whatever it may", TINY, 1.0, 0.28, 100.0)
BELOW_MASTER = tuple(Level)[:-1]
WITH_CALL_OUT = (8, 37)
"""Deals of Ottocento in which the dealer, asked after the poll, may end the match."""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Mapping[Level, LevelSettings]:
    """Returns the levels with searches of a few iterations."""
    tiny = {level: replace(settings, iterations=TINY) for level, settings in LEVELS.items()}
    monkeypatch.setattr(levels, "LEVELS", tiny)
    return tiny


def observation_of(state: State) -> Observation:
    assert state.turn is not None
    return state.observe(state.turn)


def with_seed(found: Recommendation, seed: int) -> Recommendation:
    return replace(found, diagnostics=replace(found.diagnostics, seed=seed))


@cache
def answers(variant: str) -> tuple[tuple[State, View, Recommendation], ...]:
    """Returns decisions of random deals with more than one move, most of the rarer kinds, and what a search says."""
    found = []
    states = [state for seed in range(3) for state in random_states(VARIANTS[variant], seed)]
    if variant == "ottocento":
        states += [random_start(VARIANTS[variant], seed).apply_move(Monte(False)) for seed in WITH_CALL_OUT]
    for number, state in enumerate(states):
        seen = view(observation_of(state))
        if len(seen.legal_moves()) > 1 and (seen.phase is not Phase.PLAY or number % 2):
            found.append((state, seen, search(observation_of(state), Budget(iterations=TINY), seed=number)))
    return tuple(found)


def all_answers() -> Iterator[tuple[State, View, Recommendation]]:
    for variant in VARIANTS:
        yield from answers(variant)


def test_every_level_is_weaker_than_the_next_by_its_settings() -> None:
    assert tuple(LEVELS) == tuple(Level)
    for weaker, stronger in pairwise(LEVELS.values()):
        assert weaker.iterations < stronger.iterations
        assert weaker.slips > stronger.slips
        assert weaker.loss_limit > stronger.loss_limit
    master = LEVELS[Level.MASTER]
    assert (master.slips, master.loss_limit) == (0.0, 0.0)
    assert min(settings.iterations for settings in LEVELS.values()) >= 300


def test_every_kind_of_decision_is_met() -> None:
    met = {seen.phase for _state, seen, _found in all_answers()}
    assert met == {Phase.MONTE, Phase.CALL_OUT, Phase.BID, Phase.DISCARD, Phase.DECLARE, Phase.PLAY, Phase.GIVE}
    assert sum(1 for _ in all_answers()) >= 200


@pytest.mark.parametrize("settings", [RECKLESS, LEVELS[Level.CLUB]], ids=["reckless", "club"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_drawn_keeps_to_the_limit_and_is_never_absurd(variant: str, settings: LevelSettings) -> None:
    others = 0
    for _state, seen, found in answers(variant):
        limit = settings.loss_limit * seen.variant.deal_spread
        absurd = absurd_cards(seen)
        by_move = {item.move: item for item in found.moves}
        for seed in DRAWS:
            move = drawn_move(seen, with_seed(found, seed), settings)
            if move == found.move:
                continue
            others += 1
            item = by_move[move]
            assert item.difference_to_best >= -limit
            assert found.exact or item.worlds >= KNOWN_WORLDS
            if item.match_win_probability is not None:
                assert item.match_win_probability >= found.moves[0].match_win_probability - settings.loss_limit
            assert not wins_match(seen, found.move)
            if isinstance(move, Play):
                assert move.card not in absurd
                assert move.signal is None or not any(
                    isinstance(other, Play) and other.card == move.card and by_move[other].rank < item.rank
                    for other in by_move
                )
    assert others > (100 if settings is RECKLESS else 5)


@pytest.mark.parametrize("level", BELOW_MASTER)
def test_no_level_does_what_no_partner_would_understand(level: Level) -> None:
    """Neither ruffs the partner's winner nor throws a card of five points away, in positions that tempt to."""
    grave = [
        item for item in POSITIONS if item.name.startswith(("partner ruffed", "winners thrown", "all looks equal, f"))
    ]
    assert len(grave) >= 12
    settings = replace(LEVELS[level], slips=1.0)
    for position in grave:
        pack, observation = VARIANTS[position.variant].pack, position.observation()
        bad = {pack.parse_card(card) for card in position.bad.split()}
        seen = view(observation)
        assert bad <= absurd_cards(seen), position.name
        found = search(observation, Budget(iterations=TINY), seed=1)
        for seed in DRAWS:
            move = drawn_move(seen, with_seed(found, seed), settings)
            assert isinstance(move, Play)
            assert move == found.move or move.card not in bad, position.name


def test_the_best_move_is_never_left_out_and_nothing_is_absurd_where_everything_is() -> None:
    for _state, seen, found in all_answers():
        assert choices_of_level(seen, found, RECKLESS)[0].move == found.move
        legal = {move.card for move in seen.legal_moves() if isinstance(move, Play)}
        assert absurd_cards(seen) <= legal
        assert not legal or absurd_cards(seen) < legal


def test_grave_principles_exist() -> None:
    assert set(GRAVE) < {principle.name for principle in PRINCIPLES}


def test_small_faults_are_a_matter_of_level_and_great_ones_are_not() -> None:
    # an opponent's King has the trick for sure
    position = Position("", "piedicavallo", 2, 3, "T9 T5 SK SQ S5 S10 BK B5 B10 CQ CN C5 DK DJ D5", "-=0 C2 CK", "")
    seen = view(position.observation())
    assert {seen.variant.pack.format_card(card) for card in absurd_cards(seen)} == {"CQ"}
    # nothing else to give
    position = position._replace(hand="T9 T5 SK SQ S5 S10 BK B5 B10 CQ B7 B8 DK DJ D5")
    assert absurd_cards(view(position.observation())) == frozenset()


@pytest.mark.parametrize("level", Level)
def test_the_same_seed_gives_the_same_move(level: Level, quick: Mapping[Level, LevelSettings]) -> None:
    for variant in VARIANTS:
        for state, seen, _found in answers(variant)[::25]:
            observation = observation_of(state)
            one, two = (play_at_level(observation, level, seed=7) for _ in range(2))
            assert one == two
            plain = search(observation, Budget(iterations=quick[level].iterations), seed=7)
            assert replace(one, move=plain.move) == plain
            assert one.move in seen.legal_moves()
            if level is Level.MASTER:
                assert one.move == plain.move


def test_seeds_and_decisions_have_luck_of_their_own() -> None:
    settings = replace(RECKLESS, slips=0.5)
    slips = {
        seed: [drawn_move(seen, with_seed(found, seed), settings) != found.move for _s, seen, found in all_answers()]
        for seed in (1, 2)
    }
    assert slips[1] != slips[2]
    for made in slips.values():
        assert 0.05 < sum(made) / len(made) < 0.5


def test_slips_are_as_frequent_as_the_settings_say() -> None:
    seen, found = next(
        (seen, found) for _s, seen, found in all_answers() if len(choices_of_level(seen, found, RECKLESS)) == 4
    )
    count = 2_000
    for slips in (0.0, 0.4):
        settings = replace(RECKLESS, slips=slips)
        made = sum(drawn_move(seen, with_seed(found, seed), settings) != found.move for seed in range(count))
        # at this temperature three draws of four are another move
        assert made / count == pytest.approx(slips * 3 / 4, abs=0.04)


def test_a_low_temperature_draws_the_better_ones() -> None:
    cold = replace(RECKLESS, temperature=0.001)
    for _state, seen, found in answers("piedicavallo")[::10]:
        best = max(item.difference_to_best for item in choices_of_level(seen, found, cold))
        moves = {item.move: item for item in found.moves}
        drawn = [moves[drawn_move(seen, with_seed(found, seed), cold)] for seed in range(3)]
        assert all(item.difference_to_best > best - 0.6 for item in drawn)


@pytest.mark.parametrize("variant", VARIANTS)
def test_hidden_cards_change_nothing(variant: str, quick: Mapping[Level, LevelSettings]) -> None:
    rng = random.Random(variant)
    for state, seen, _found in answers(variant)[::20]:
        hidden = hidden_cards(seen)
        world = WorldSampler(hidden).sample(rng.getrandbits(64))
        other = with_world(state, seen.seat, dict(zip(hidden.holders, world, strict=True)), rng)
        given, changed = (play_at_level(observation_of(each), Level.BEGINNER, seed=3) for each in (state, other))
        assert given == changed


def test_great_combinations_are_shown_and_a_small_one_may_be_missed() -> None:
    missed, great = set(), 0
    for seed in WITH_GREAT_COMBINATIONS:
        for state in islice(random_states(VARIANTS["ottocento"], seed), OPENING):
            observation = observation_of(state)
            seen = view(observation)
            if seen.phase is not Phase.DECLARE or len(seen.legal_moves()) < 2:
                continue
            found = search(observation, Budget(iterations=TINY), seed=seed)
            most = points_of(seen, found.move)
            great += most >= 100
            for draw in DRAWS:
                lost = most - points_of(seen, drawn_move(seen, with_seed(found, draw), LEVELS[Level.BEGINNER]))
                assert lost < 100
                missed.add(lost)
    assert great >= 3
    assert len(missed) >= 3


def points_of(seen: View, move: object) -> int:
    assert isinstance(move, Declare | CallOut)
    return seen.variant.declaration_points(move.cards)


def test_what_wins_the_match_is_always_done() -> None:
    won = 0
    for _state, seen, found in answers("ottocento"):
        if wins_match(seen, found.move):
            won += 1
            assert {drawn_move(seen, with_seed(found, seed), RECKLESS) for seed in DRAWS} == {found.move}
    assert won


def test_an_exact_ending_and_a_single_move_are_played(quick: Mapping[Level, LevelSettings]) -> None:
    exact = single = 0
    for variant in VARIANTS:
        for state, observation in decisions(VARIANTS[variant], 5)[-12:]:
            answer = play_at_level(observation, Level.BEGINNER, seed=1)
            legal = view(observation).legal_moves()
            assert answer.move in legal
            exact += answer.exact and len(legal) > 1
            single += len(legal) == 1
            assert state.turn is not None
    assert exact
    assert single


def test_a_level_is_a_level() -> None:
    observation = POSITIONS[0].observation()
    wrong: Any = "beginner"
    with pytest.raises(TypeError, match=r"^level is 'beginner': give one of Level\.BEGINNER, "):
        play_at_level(observation, wrong)


# figures that ship


@pytest.mark.parametrize("variant", VARIANTS)
def test_shipped_strengths_load(variant: str) -> None:
    strengths = level_strengths(variant)
    assert [(step.level, step.opponent) for step in strengths] == list(STEPS)
    assert [step.level for step in strengths] == list(Level)[:-1]
    # no step goes the wrong way for sure
    assert all(step.mean_difference < 1.96 * step.standard_error for step in strengths)
    if not VARIANTS[variant].seats_score_alone:
        # all steps together are clear
        total = sum(step.mean_difference for step in strengths)
        assert total < -1.96 * math.hypot(*(step.standard_error for step in strengths))


def card(**changes: Any) -> dict[str, Any]:
    return {
        "command": "measure",
        "variant": "bolognese",
        "rules_revision": get_variant("bolognese").rules_revision,
        "settings": settings_card(),
        "steps": [
            {"level": level, "opponent": other, "mean_difference": -9.5, "standard_error": 2.5, "pairs": 9}
            for level, other in STEPS
        ],
        **changes,
    }


def test_strengths_are_read_as_written() -> None:
    found = parse_strengths(json.dumps(card()), "bolognese")
    assert [(step.mean_difference, step.standard_error, step.pairs) for step in found] == [(-9.5, 2.5, 9)] * len(STEPS)


def first_step(**changes: Any) -> dict[str, Any]:
    first, *others = card()["steps"]
    return card(steps=[{**first, **changes}, *others])


OTHER_SETTINGS = {**settings_card(), Level.CLUB: {**settings_card()[Level.CLUB], "slips": 0.11}}


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        ([], "no file of strengths"),
        ({}, "no file of strengths"),
        (first_step(level="genius"), "no file of strengths"),
        (card(variant="ottocento"), "is about 'ottocento'"),
        (card(rules_revision=0), "made for revision 0"),
        (card(settings=OTHER_SETTINGS), "measured with other settings: make it again by `measure`"),
        (card(steps=card()["steps"][1:]), "not every level"),
        (first_step(opponent="master"), "not every level"),
        (first_step(standard_error=0.0), "says of beginner cannot be"),
        (first_step(mean_difference=float("nan")), "says of beginner cannot be"),
        (first_step(pairs=1), "says of beginner cannot be"),
        (first_step(pairs=True), "says of beginner cannot be"),
    ],
)
def test_damaged_strengths_are_refused(damaged: Any, told: str) -> None:
    with pytest.raises(DataFileError, match=rf"^bolognese_levels\.json: .*{told}"):
        parse_strengths(json.dumps(damaged), "bolognese")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_card_says_how_it_is_made_again(variant: str) -> None:
    told = json.loads((data_folder() / strengths_file(variant)).read_text("utf-8"))
    assert (
        f"train levels --variant {variant} --pairs {told['steps'][0]['pairs']} --seed {told['seed']}" in told["command"]
    )
