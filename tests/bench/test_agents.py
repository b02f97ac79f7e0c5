"""Agents: names with settings, baselines that stay what they are, a cheat apart from honest ones, programs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest
from google.protobuf import json_format

from tarocchi.solver.v1 import deal_pb2
from tarocchi_bench.agents import (
    FLAT,
    PLAIN,
    Agent,
    AgentError,
    AgentSpecError,
    CheatingAgent,
    HonestAgent,
    ask,
    parse_agent,
    searching,
    with_budget,
)
from tarocchi_bench.agents.presets import FLAT_PARAMETERS, PLAIN_PARAMETERS
from tarocchi_bench.agents.program import ProgramAgent
from tarocchi_bench.agents.searching import CheatAgent, SolverAgent, true_cards
from tarocchi_bench.agents.settings import converters_of
from tarocchi_bench.moves_json import observation_line
from tarocchi_bench.pairs import MatchPlan, PairPlayer
from tarocchi_bench.regret import RegretPlan, measure_regret
from tarocchi_engine import VARIANTS, State, Variant, new_deal, view
from tarocchi_solver.search import Budget, SearchOptions, WorldSampler
from tarocchi_solver.search.warm_up import SelfTestError
from tarocchi_solver.service.formats import format_observation

PROGRAM = str(Path(__file__).with_name("programs.py"))


def play(state: State, text: str) -> list[State]:
    """Returns the states of a deal in which one agent plays all seats."""
    agent = parse_agent(text)
    states = [state]
    try:
        while states[-1].turn is not None:
            states.append(states[-1].apply_move(ask(agent, states[-1], len(states))))
    finally:
        agent.close()
    return states


def test_presets_name_every_parameter() -> None:
    """So that a new default of the search does not change a baseline."""
    names = {field.name for field in fields(SearchOptions)}
    assert set(PLAIN_PARAMETERS) == set(FLAT_PARAMETERS) == names


def test_every_parameter_of_a_search_can_be_set() -> None:
    for kind in (SearchOptions, Budget):
        defaults = kind()
        for name, convert in converters_of(kind).items():
            value = getattr(defaults, name)
            text = "none" if value is None else str(value).lower()
            assert convert(text) == value
    agent = parse_agent("solver:worlds=7,cpu_ms=3,exploration=0.25,iterations_per_world=none,playout=random")
    assert isinstance(agent, SolverAgent)
    assert agent.effort.budget == Budget(worlds=7)
    assert agent.effort.limits == (Budget(worlds=7, time_ms=3), time.thread_time)
    assert agent.options == SearchOptions(exploration=0.25, playout=FLAT.playout)


def test_settings_tell_everything() -> None:
    settings = parse_agent("plain:iterations=5").settings
    assert settings["budget"] == {"worlds": None, "iterations": 5, "time_ms": None, "cpu_ms": None}
    assert settings["options"]["playout"] == "rule"
    assert set(settings["options"]) == {field.name for field in fields(SearchOptions)}
    assert json.loads(json.dumps(settings)) == settings


def test_baselines() -> None:
    flat, plain = parse_agent("flat"), parse_agent("plain:time_ms=7")
    assert isinstance(flat, SolverAgent)
    assert isinstance(plain, SolverAgent)
    assert (flat.effort.budget, flat.options) == (Budget(iterations=1000), FLAT)
    assert (plain.effort.budget, plain.options) == (Budget(time_ms=7), PLAIN)
    assert flat.is_repeatable
    assert not plain.is_repeatable
    assert not parse_agent("solver:cpu_ms=7").is_repeatable


@pytest.mark.parametrize(
    "text",
    [
        "flat:playout=rule",
        "plain:exploration=1",
        "greedy:worlds=1",
        "solver:exploration=nan",
        "solver:worlds=0",
        "cheat:cpu_ms=0",
        "solver:time_ms=5,cpu_ms=5",
        "solver:playout=clever",
        "exec:",
        "exec:'",
        "exec:there-is-no-such-program --fast",
    ],
)
def test_wrong_names_are_refused(text: str) -> None:
    with pytest.raises(AgentSpecError, match="agent"):
        parse_agent(text)


def test_a_budget_is_given_where_there_is_none() -> None:
    caps = {"cpu_ms": 10}
    assert with_budget("solver", caps) == "solver:cpu_ms=10"
    assert with_budget("cheat:playout=random", caps) == "cheat:playout=random,cpu_ms=10"
    for text in ("random", "greedy", "exec:worlds", "flat:iterations=9", "solver:exploration=1,worlds=9"):
        assert with_budget(text, caps) == text
    assert with_budget("solver", {}) == "solver"


# --- the cheat


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_a_cheat_knows_the_true_cards_at_every_decision(name: str, seed: int) -> None:
    for state in play(new_deal(VARIANTS[name], seed), "greedy")[:-1]:
        assert state.turn is not None
        seen = view(state.observe(state.turn))
        hidden = true_cards(state, seen)
        assert [cards.bit_count() for cards in hidden.cases[0].allowed] == list(hidden.capacities)
        sampler = WorldSampler(hidden)
        assert sampler.world_count == 1
        assert sampler.sample(9) == hidden.cases[0].allowed
        for holder, cards in zip(hidden.holders, hidden.cases[0].allowed, strict=True):
            if holder not in (-1, seen.seat) and state.table.phase == "play":
                assert cards == state.hands[holder] & seen.unseen


@pytest.mark.parametrize("name", VARIANTS)
def test_a_cheat_plays_a_deal(name: str) -> None:
    end = play(new_deal(VARIANTS[name], 4), "cheat:iterations=30")[-1]
    assert end.score()


def test_only_a_cheat_is_handed_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    state = new_deal(VARIANTS["piedicavallo"], 1, dealer=0)
    assert isinstance(parse_agent("cheat"), CheatingAgent)
    for text in ("random", "greedy", "flat", "plain", "solver", f"exec:{sys.executable}"):
        agent = parse_agent(text)
        assert isinstance(agent, HonestAgent)
        assert not hasattr(agent, "choose_knowing")
    monkeypatch.setattr(SolverAgent, "choose", lambda self, observation, seed: observation)
    assert ask(parse_agent("solver"), state, 1) == state.observe(0)
    monkeypatch.setattr(CheatAgent, "choose_knowing", lambda self, given, seed: given)
    assert ask(parse_agent("cheat"), state, 1) is state  # type: ignore[comparison-overlap]


# --- the clock


class _Clock:
    """Stands still but in the warm-up, as if that alone took time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls = 0

    def warm_up(self, variants: Sequence[Variant]) -> None:
        assert len(variants) == 1
        self.seconds += 70.0
        self.calls += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Clock]:
    clock = _Clock()
    monkeypatch.setattr(searching, "warm_up", clock.warm_up)
    monkeypatch.setattr(Agent, "cpu_seconds", lambda self: clock.seconds)
    searching.warm_up_once.cache_clear()
    yield clock
    searching.warm_up_once.cache_clear()


@pytest.mark.parametrize("agent", ["solver:iterations=1", "plain:iterations=1", "cheat:iterations=1", "level:beginner"])
def test_no_decision_pays_for_the_warm_up(agent: str, clock: _Clock) -> None:
    player = PairPlayer(MatchPlan("piedicavallo", agent, "random", 1, 2))
    pairs = [player(number) for number in (0, 1)]
    assert clock.calls == 1
    assert [pair.cpu_ms for pair in pairs] == [(0.0, 0.0)] * 2
    assert pairs[0].decisions[0] > 20


def test_no_choice_pays_for_the_warm_up(clock: _Clock) -> None:
    result = measure_regret(RegretPlan("piedicavallo", "solver:iterations=1", "greedy", 2, 2, 7))
    assert (clock.calls, result.cpu_ms_per_decision) == (1, 0.0)


def test_agents_that_do_not_search_need_no_search(clock: _Clock) -> None:
    for agent in ("random", "greedy", f"exec:{sys.executable}"):
        parse_agent(agent).prepare(VARIANTS["terziglio"])
    assert clock.calls == 0


def test_a_machine_on_which_the_kernels_are_no_good_is_told(monkeypatch: pytest.MonkeyPatch, clock: _Clock) -> None:
    def broken(variants: Sequence[Variant]) -> None:
        raise SelfTestError("bolognese: 61 cards counted instead of 62")

    monkeypatch.setattr(searching, "warm_up", broken)
    with pytest.raises(AgentError, match="cannot play on this machine: bolognese: 61 cards"):
        parse_agent("solver").prepare(VARIANTS["bolognese"])


# --- programs


def program(*arguments: str, patience: float = 60.0) -> ProgramAgent:
    return ProgramAgent((sys.executable, PROGRAM, *arguments), patience)


def test_a_program_plays_deals_of_every_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    # on a busy machine a program with the engine in it takes its time to end
    monkeypatch.setattr("tarocchi_bench.agents.program.GRACE_SECONDS", 60.0)
    agent = program()
    try:
        for name, variant in VARIANTS.items():
            state = new_deal(variant, 3)
            while state.turn is not None:
                state = state.apply_move(ask(agent, state, 0))
            assert state.score(), name
        (running,) = agent._started
        assert running.lines > 200
        if sys.platform.startswith("linux"):
            assert (agent.cpu_seconds() or 0.0) > 0.01
    finally:
        agent.close()
    assert running.process.returncode == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_lists_are_sent_when_they_are_empty_too(name: str) -> None:
    """A program need not ask whether they are there; what it is sent can be read back."""
    nothing = set()
    for state in play(new_deal(VARIANTS[name], 4), "random"):
        if state.turn is None:
            break
        given = json.loads(observation_line(state.observe(state.turn)))
        assert len(given["events"]) >= len(state.events)
        assert len(given["hand"]) >= 5
        for event in given["events"]:
            for kind in {"declare", "callOut"} & set(event):
                nothing |= {kind} if event[kind]["cards"] == [] else set()
            # face down for all but the seat that laid away
            if "discard" in event and event["seat"] != given["seat"]:
                assert "cards" not in event["discard"]
        message = json_format.ParseDict(given, deal_pb2.Observation())
        assert message == format_observation(state.observe(state.turn))
    assert nothing >= ({"declare"} if name != "piedicavallo" else set())


@pytest.mark.parametrize(
    ("mode", "line", "told"),
    [
        ("die", 2, "line 2: the program ended with code 1; it said: 'out of ideas'"),
        ("prose", 1, "line 1: the program answered 'I play the ace', which is no move: no JSON"),
        ("unknown", 1, 'line 1: the program answered \'{"play": {"card": "T99"}}\', which is no move: play.card'),
        ("cheat", 1, "exclude each other"),
        ("illegal", 1, 'line 1: the program answered \'{"give": {"card": "MAT"}}\', which is an illegal move: '),
        ("talk", 1, "line 1: the program wrote 'and another thing' without being asked"),
    ],
)
def test_what_a_program_does_wrong_is_told(mode: str, line: int, told: str) -> None:
    agent = program(mode, str(line))

    def three_moves() -> None:
        state = new_deal(VARIANTS["piedicavallo"], 1)
        for _ in range(3):
            state = state.apply_move(ask(agent, state, 0))
            time.sleep(0.05)

    try:
        with pytest.raises(AgentError) as caught:
            three_moves()
        assert told in str(caught.value)
        assert f"agent 'exec:{sys.executable} {PROGRAM} {mode}" in str(caught.value)
    finally:
        agent.close()


def test_a_program_that_is_too_slow_is_ended() -> None:
    agent = program("sleep", "1", patience=0.2)
    with pytest.raises(AgentError, match=r"line 1: the program gave no answer within 0\.2 seconds"):
        ask(agent, new_deal(VARIANTS["piedicavallo"], 1), 0)
    (running,) = agent._started
    agent.close()
    assert running.process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(running.process.pid, 0)


def test_a_program_that_cannot_start_is_told(tmp_path: Path) -> None:
    agent = ProgramAgent((str(tmp_path / "nobody"),))
    with pytest.raises(AgentError, match="cannot be started: No such file"):
        ask(agent, new_deal(VARIANTS["piedicavallo"], 1), 0)


def test_programs_are_equal_by_their_command() -> None:
    assert program() == program()
    assert replace(program(), command=("other",)) != program()
