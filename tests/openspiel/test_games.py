"""The games under OpenSpiel's own tests, and its players at them."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from open_spiel.python import rl_environment
from open_spiel.python.algorithms import evaluate_bots, ismcts, mcts, random_agent
from open_spiel.python.bots import uniform_random

from dealing import RULES, deal_of
from openspiel.support import walk
from tarocchi_engine import VARIANTS, Phase, Standing, get_variant, new_deal
from tarocchi_engine.options import options_of
from tarocchi_solver.openspiel import GAME_NAMES, SolverBot, dealt_state, game_of
from tarocchi_solver.search import Budget

FEW = Budget(iterations=60)


def rollouts(seed: int) -> mcts.RandomRolloutEvaluator:
    return mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(seed))


@pytest.mark.parametrize("name", RULES)
def test_the_games_pass_the_tests_of_their_host(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    pyspiel.random_sim_test(game_of(RULES[name]), num_sims=2, serialize=True, verbose=False)
    capfd.readouterr()


@pytest.mark.parametrize("name", VARIANTS)
def test_games_are_loaded_by_name(name: str) -> None:
    game = pyspiel.load_game(GAME_NAMES[name])
    assert game.rules.variant == VARIANTS[name]
    assert game.rules.dealer is None
    assert game.num_players() == VARIANTS[name].seat_count
    assert game.get_type().long_name == VARIANTS[name].title_en
    assert str(pyspiel.load_game(str(game))) == str(game)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_rule_option_is_a_parameter(name: str) -> None:
    for info in options_of(VARIANTS[name]):
        for value in info.values:
            game = pyspiel.load_game(f"{GAME_NAMES[name]}({info.name}={value},dealer=1)")
            assert game.rules.variant == get_variant(name, {info.name: value})
            assert game.rules.dealer == 1
            assert game.new_initial_state().legal_actions() == list(range(62))


def test_a_match_before_the_deal_is_given_as_parameters() -> None:
    standing = Standing((640.0, 72.5), 3)
    for game in (
        pyspiel.load_game("tarocchi_ottocento(scores=640/72,deals_played=3)"),
        game_of(get_variant("ottocento"), None, Standing((640.0, 72.0), 3)),
    ):
        assert game.rules.standing == Standing((640.0, 72.0), 3)
    with pytest.raises(ValueError, match=r"72.5 is no score"):
        game_of(get_variant("ottocento"), None, standing)


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ({"dealer": 4}, "dealer is 4"),
        ({"scores": "640-720"}, "numbers with / between"),
        ({"scores": "900/0", "deals_played": 3}, "match is over"),
        ({"scores": "1/2/3", "deals_played": 3}, "3 scores"),
        ({"matto_card": "nobody"}, "no value of matto_card"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(parameters: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        pyspiel.load_game("tarocchi_ottocento", parameters)


@pytest.mark.parametrize("name", RULES)
def test_utilities_are_what_the_game_says(name: str) -> None:
    variant = RULES[name]
    game = game_of(variant)
    is_zero_sum = game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert is_zero_sum == (not variant.seats_score_alone or getattr(variant, "payment", "") == "zero_sum")
    for seed in range(5):
        *_, state = walk(variant, seed)
        returns, awards = state.returns(), state.deal.score().awards
        assert all(game.min_utility() <= utility <= game.max_utility() for utility in returns)
        if is_zero_sum:
            assert sum(returns) == game.utility_sum() == 0
        if variant.seats_score_alone:
            assert returns == list(awards)
        else:
            assert returns == [awards[side] - awards[1 - side] for side in (0, 1, 0, 1)]
        players = [step.player for step in state.full_history()]
        assert players.count(-1) <= game.max_chance_nodes_in_history()
        assert len(players) - players.count(-1) <= game.max_game_length()


def test_a_lopsided_deal_has_the_extreme_utility() -> None:
    """A side without a trick: 114 to 0."""
    variant = get_variant("piedicavallo")
    game = game_of(variant)
    assert (game.min_utility(), game.max_utility()) == (-114, 114)
    pack = variant.pack
    high = "T21 T20 T19 T18 T17 T16 T15 T14 T13 T12 T11 T10 T9 T8 T7".split()
    rest = [card for card in pack.format_mask((1 << 62) - 1) if card not in high]
    low = ["SK", "SQ", "SN", "SJ"]
    partner = [card for card in rest if card.startswith("T") or card == "MAT"] + low
    others = [card for card in rest if card not in partner]
    partner += others[-(15 - len(partner)) :]
    others = [card for card in others if card not in partner]
    start = deal_of(variant, 3, [high, others[:15], partner, others[15:]])
    state = dealt_state(game, start)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert state.returns() == [114.0, -114.0, 114.0, -114.0]


@pytest.mark.parametrize("name", RULES)
def test_stored_states_come_back(name: str) -> None:
    for number, state in enumerate(walk(RULES[name], 9)):
        if number % 5:
            continue
        _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
        assert str(again) == str(state)
        assert again.history() == state.history()
        assert again.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("name", VARIANTS)
def test_its_search_plays_against_ours(name: str) -> None:
    """OpenSpiel's ISMCTS on one side, the solver on the other, from before the last tricks."""
    game = game_of(VARIANTS[name])
    state = dealt_state(game, 12)
    rng = random.Random(3)
    while len(state.deal.tricks) < 12:
        actions = state.legal_actions()
        state.apply_action(rng.choice(actions) if state.deal.phase is Phase.PLAY else actions[-1])
    theirs = ismcts.ISMCTSBot(game, rollouts(1), 100.0, 6, random_state=np.random.RandomState(2))
    ours = SolverBot(FEW, seed=4)
    bots = [(ours, theirs)[player % 2] for player in range(game.num_players())]
    while not state.is_terminal():
        state.apply_action_with_legality_check(bots[state.current_player()].step(state))
    assert ours.searches > 0
    assert ours.iterations > 0


@pytest.mark.parametrize("name", VARIANTS)
def test_its_search_plays_every_phase(name: str) -> None:
    game = game_of(VARIANTS[name])
    bot = ismcts.ISMCTSBot(game, rollouts(5), 100.0, 2, random_state=np.random.RandomState(6))
    state = dealt_state(game, 8)
    while not state.is_terminal():
        state.apply_action_with_legality_check(bot.step(state))


def test_the_same_seeds_play_the_same_deal() -> None:
    game = game_of(get_variant("piedicavallo"))
    histories = []
    for _ in range(2):
        draw = random.Random(1).random
        bot = ismcts.ISMCTSBot(game, rollouts(5), 30.0, 3, random_state=np.random.RandomState(6))
        bot.set_resampler(lambda state, player, draw=draw: state.resample_from_infostate(player, draw))
        state = dealt_state(game, 8)
        for _ in range(12):
            state.apply_action(bot.step(state))
        histories.append(state.history())
    assert histories[0] == histories[1]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_whole_deal_between_bots(name: str) -> None:
    game = game_of(VARIANTS[name])
    rng = np.random.RandomState(1)
    bots = [SolverBot(FEW), *(uniform_random.UniformRandomBot(seat, rng) for seat in range(1, game.num_players()))]
    returns = evaluate_bots.evaluate_bots(dealt_state(game, 6), bots, rng)
    assert len(returns) == game.num_players()
    native = [pyspiel.make_uniform_random_bot(seat, 7) for seat in range(game.num_players())]
    assert len(pyspiel.evaluate_bots(dealt_state(game, 6), native, 5)) == game.num_players()


def test_a_search_with_open_cards_plays_too() -> None:
    """MCTS takes the state for known: it sees all hands."""
    game = game_of(get_variant("bolognese"))
    *_, state = (state for state, _ in zip(walk(get_variant("bolognese"), 2), range(50), strict=False))
    bot = mcts.MCTSBot(game, 100.0, 6, rollouts(1), random_state=np.random.RandomState(1))
    assert bot.step(state) in state.legal_actions()


def test_the_compiled_search_cannot_resample_games_written_in_python() -> None:
    game = game_of(get_variant("piedicavallo"))
    bot = pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 2), 30.0, 2)
    with pytest.raises(pyspiel.SpielError, match="ResampleFromInfostate"):
        bot.get_policy(dealt_state(game, 1))


@pytest.mark.parametrize("name", VARIANTS)
def test_agents_that_learn_have_an_environment(name: str) -> None:
    environment = rl_environment.Environment(game_of(VARIANTS[name]), chance_event_sampler=None)
    environment.seed(4)
    count = environment.action_spec()["num_actions"]
    size = environment.observation_spec()["info_state"][0]
    agents = [random_agent.RandomAgent(seat, count) for seat in range(environment.num_players)]
    step = environment.reset()
    while not step.last():
        assert len(step.observations["info_state"][0]) == size
        step = environment.step([agents[step.observations["current_player"]].step(step).action])
    assert step.rewards == environment._state.returns()


def test_the_tensor_has_the_parts_that_it_names() -> None:
    variant = get_variant("bolognese")
    game = game_of(variant, dealer=1)
    observer = game.make_py_observer()
    *_, state = (state for state, _ in zip(walk(variant, 3), range(40), strict=False))
    player = state.current_player()
    observer.set_from(state, player)
    table = state.deal.table
    parts = observer.dict
    assert parts["turn"].tolist() == [1, 0, 0, 0]
    assert parts["hand"].sum() == state.deal.hands[player].bit_count()
    assert parts["played"].sum(axis=1).tolist() == [table.played[(player + step) % 4].bit_count() for step in range(4)]
    assert parts["trick"].sum() == len(table.trick)
    assert parts["piles"].sum() == sum(pile.bit_count() for pile in table.piles)
    assert observer.tensor.sum() == pytest.approx(sum(part.sum() for part in parts.values()))
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"size": 1})


def test_the_solver_finishes_a_discard_that_was_begun_by_somebody_else() -> None:
    state = dealt_state(game_of(get_variant("piedicavallo"), dealer=0), 3)
    for action in state.legal_actions():
        begun = state.clone()
        begun.apply_action(action)
        assert SolverBot(FEW).step(begun) in begun.legal_actions()


def test_deals_are_those_of_the_engine() -> None:
    game = game_of(get_variant("ottocento"), dealer=2)
    state = dealt_state(game, 77)
    due = new_deal(get_variant("ottocento"), 77, 2)
    assert (state.deal.packets, state.deal.table.dealer) == (due.packets, 2)


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)


def test_a_program_that_has_used_the_games_ends_in_good_order() -> None:
    result = run(
        "import pyspiel, tarocchi_solver.openspiel as games\n"
        "state = games.dealt_state(pyspiel.load_game('tarocchi_piedicavallo'), 1)\n"
        "print(state.clone().current_player() >= 0)"
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "True\n", "")


def test_without_the_extra_it_is_named() -> None:
    result = run("import sys; sys.modules['pyspiel'] = None; import tarocchi_solver.openspiel")
    assert result.returncode == 1
    assert "pip install 'tarocchi-solver[openspiel]'" in result.stderr
    assert run("import tarocchi_solver, sys; print('pyspiel' in sys.modules)").stdout == "False\n"
