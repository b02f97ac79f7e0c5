"""The arena: paired deals, fair and reproducible, and agents that do what their names say."""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench.command import run
from tarocchi_bench.agents import AgentSpecError, ask, parse_agent
from tarocchi_bench.arena import play_match, summarise
from tarocchi_bench.commands import app
from tarocchi_bench.pairs import MatchPlan, Pair, PairPlayer, append_record
from tarocchi_bench.records import RecordError, data_of
from tarocchi_engine import VARIANTS, new_deal, options_of
from tarocchi_solver import __version__
from tarocchi_solver.search.data_files import data_folder

AGENTS = (
    "random",
    "greedy",
    "solver:iterations=50",
    "solver:worlds=8,playout=random,exploration=1.0",
    "flat:iterations=50",
    "plain:iterations=50",
)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("agent", AGENTS)
def test_agents_play_legal_deals(name: str, agent: str) -> None:
    player = parse_agent(agent)
    state = new_deal(VARIANTS[name], 3)
    step = 0
    while state.turn is not None:
        state = state.apply_move(ask(player, state, step))
        step += 1
    state.score()


@pytest.mark.parametrize("name", VARIANTS)
def test_an_agent_against_itself_comes_out_even(name: str) -> None:
    """Both plays of a pair are then the same deal with the same moves, seen from both sides."""
    for agent in AGENTS[:3]:
        pair = PairPlayer(MatchPlan(name, agent, agent, 5, 9))(2)
        assert pair.difference == 0
        # the arrangement in which the other agent has those seats is listed from the other end
        assert pair.results == tuple(-result for result in reversed(pair.results))
        assert pair.difference == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_exchanging_the_agents_changes_the_sign(name: str) -> None:
    forth = PairPlayer(MatchPlan(name, "greedy", "random", 7, 9))(1)
    back = PairPlayer(MatchPlan(name, "random", "greedy", 7, 9))(1)
    assert forth.difference == -back.difference


@pytest.mark.parametrize("name", ["ottocento", "terziglio"])
def test_workers_do_not_change_the_result(name: str) -> None:
    one, two = (play_match(MatchPlan(name, "greedy", "random", 9, 3), workers=workers) for workers in (1, 2))
    assert one == two


def test_summary_is_over_pairs() -> None:
    pairs = [Pair(0, (10.0, -4.0)), Pair(1, (6.0, 6.0)), Pair(2, (-3.0, 0.0))]
    result = summarise(MatchPlan("bolognese", "a", "b", 1, 3), pairs)
    differences = [3.0, 6.0, -1.5]
    mean = sum(differences) / 3
    assert result.mean_difference == pytest.approx(mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in differences) / 2)
    assert result.standard_error == pytest.approx(deviation / math.sqrt(3))
    assert (result.deals_won, result.deals_tied, result.deals_lost) == (3, 1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "genius",
        "solver:iterations",
        "solver:speed=3",
        "solver:iterations=many",
        "random:worlds=1",
        "solver:iterations=1,iterations=2",
    ],
)
def test_wrong_agent_names_are_refused(text: str) -> None:
    with pytest.raises(AgentSpecError, match="agent"):
        parse_agent(text)


def test_command_prints_one_json_object() -> None:
    told = "arena --variant piedicavallo --a greedy --b random --pairs 4 --seed 2 --workers 1 --json"
    command = [sys.executable, "-m", "tarocchi_bench", *told.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["pairs"] == 4
    assert {"mean_difference", "standard_error"} <= result.keys()
    code, printed, said = run("throughput --variant bolognese --seconds 0.2 --json")
    assert code == 0, said
    result = json.loads(printed)
    assert result["scoring"] is True
    assert result["playouts_per_cpu_s"] > 0
    assert result["iterations_per_cpu_s"] > 0


@pytest.mark.parametrize(
    "arguments",
    [
        "arena --variant whist --a greedy --b random --json",
        "arena --variant bolognese --a genius --b random --json",
        "arena --variant bolognese --a greedy --b random --pairs 1 --json",
        "arena --variant bolognese --a greedy --b random --workers 0 --json",
        "arena --variant bolognese --a solver:worlds=5,worlds=5 --b random --json",
        "arena --variant bolognese --a solver --b greedy --time-ms 5 --cpu-ms 5 --json",
        "arena --variant bolognese --a greedy --b random --option speed=fast --json",
        "arena --variant bolognese --a greedy --b random --option speed --json",
        "arena --variant bolognese --a greedy --b random --record nowhere/at/all.jsonl --json",
        "arena --variant bolognese --a greedy --b random --record . --json",
        "throughput --variant whist --json",
        "duel --variant bolognese --a greedy --b random --tricks 15 --json",
        "duel --variant bolognese --a greedy --b random --base genius --json",
        "duel --variant bolognese --a greedy --b random --deals nowhere/at/all.jsonl --json",
        "regret --variant bolognese --agent greedy --tricks 0 --json",
        "regret --variant bolognese --agent genius --json",
        "regret --variant bolognese --agent greedy --positions 1 --json",
        "regret --variant bolognese --agent greedy --world-limit 0 --json",
        "ladder --folder nowhere --agents greedy --against random --json",
        "ladder --folder nowhere --variant bolognese --agents greedy --json",
        "ladder --folder nowhere --variant bolognese --agents genius --against random --json",
        "ladder --folder nowhere --report --json",
        *(f"throughput --variant bolognese --seconds {seconds} --json" for seconds in ("0", "-1", "nan", "inf")),
        "all --seconds nan",
    ],
)
def test_wrong_arguments_end_with_one_sentence(arguments: str) -> None:
    code, printed, said = run(arguments)
    assert code == 2
    assert printed == ""
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert "Errno" not in said


def test_a_record_lets_a_match_go_on(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 8)
    whole = play_match(plan)
    play_match(MatchPlan("piedicavallo", "greedy", "random", 4, 5), record=record)
    text = record.read_text()
    assert len(text.splitlines()) == 5
    record.write_text(text[:-20])  # cut while the last line was written
    calls: list[None] = []
    assert play_match(plan, record=record, progress=lambda: calls.append(None)) == whole
    assert len(calls) == 8
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert sorted(line["pair"] for line in lines) == list(range(8))
    before = record.read_text()
    assert play_match(plan, record=record) == whole
    assert record.read_text() == before


@pytest.mark.parametrize(
    "text", ["no json\n{}\n", '{"variant": "bolognese", "a": "x", "b": "y", "seed": 1, "pair": 0, "results": [1, 2]}\n']
)
def test_a_record_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    record = tmp_path / "other.jsonl"
    record.write_text(text)
    with pytest.raises(ValueError, match="line 1"):
        play_match(MatchPlan("piedicavallo", "greedy", "random", 4, 8), record=record)
    assert record.read_text() == text


@pytest.mark.parametrize("line", ["{}", "[]", "no JSON"])
def test_a_line_that_is_no_pair_is_told_with_what_helps(tmp_path: Path, line: str) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 2)
    play_match(plan, record=record)
    good, last = record.read_text().splitlines(keepends=True)
    record.write_text(f"{good}{line}\n{last}")
    told = re.escape(f"{record}: line 2 is not a pair of a match: remove that line, or name a new file")
    with pytest.raises(RecordError, match=told):
        play_match(plan, record=record)
    record.write_text(good.replace('"pair": 0', '"pair": [0]') + last)
    with pytest.raises(RecordError, match="line 1 is not a pair of a match: remove that line"):
        play_match(plan, record=record)
    record.write_text(good + last)
    play_match(plan, record=record)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("results", [3.0]),
        ("results", [3.0, 4.0, 5.0]),
        ("results", [3.0, float("nan")]),
        ("results", [3.0, "4"]),
        ("decisions", ["x", None]),
        ("decisions", [-1, 2]),
        ("cpu_ms", [float("inf"), 1.0]),
        ("dealer", 3),
    ],
)
def test_a_pair_that_cannot_be_is_no_pair(tmp_path: Path, name: str, value: object) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 2)
    play_match(plan, record=record)
    good, last = record.read_text().splitlines(keepends=True)
    entry = json.loads(good)
    assert name in entry
    record.write_text(json.dumps(entry | {name: value}) + "\n" + last)
    with pytest.raises(RecordError, match=r"line 1 is not .* of a match.*: remove that line"):
        play_match(plan, record=record)


def test_a_device_is_no_record(tmp_path: Path) -> None:
    """It would be read for ever."""
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 2)
    for place in (Path("/dev/zero"), tmp_path):
        with pytest.raises(RecordError, match="name another one"):
            play_match(plan, record=place)


def test_a_pair_that_stands_twice_is_told(tmp_path: Path) -> None:
    """Also one beyond the pairs asked for: somebody has put the file together."""
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 3)
    play_match(plan, record=record)
    text = record.read_text()
    record.write_text(text + text.splitlines(keepends=True)[2])
    for pairs in (2, 3, 4):
        told = "line 4 is pair 2 again, which stands in line 3: remove one of the two lines"
        with pytest.raises(RecordError, match=told):
            play_match(replace(plan, pairs=pairs), record=record)


def test_a_record_holds_what_reproduces_a_line(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("terziglio", "greedy", "solver:iterations=10", 6, 2, (("cards", "19"),))
    result = play_match(plan, record=record)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    for line, (number, dealer) in zip(lines, ((0, 0), (1, 1)), strict=True):
        assert (line["variant"], line["a"], line["b"], line["seed"]) == ("terziglio", plan.a, plan.b, 6)
        assert (line["pair"], line["dealer"]) == (number, dealer)
        assert line["options"] == {item.name: item.default for item in options_of(plan.rules)} | {"cards": "19"}
        assert line["agents"]["b"] == parse_agent(plan.b).settings
        assert (line["package"], line["rules_revision"]) == (__version__, plan.rules.rules_revision)
        assert len(line["results"]) == len(line["contracts"]) == 6
        assert all(
            contract is None or re.fullmatch("(gioco|solo) by [0-2]", contract) for contract in line["contracts"]
        )
        again = PairPlayer(plan)(line["pair"])
        assert list(again.results) == line["results"]
        assert list(again.decisions) == line["decisions"]
    assert result.decisions_a == sum(line["decisions"][0] for line in lines) > 0
    for place, per_decision in enumerate((result.cpu_ms_per_decision_a, result.cpu_ms_per_decision_b)):
        total = sum(line["cpu_ms"][place] for line in lines)
        assert per_decision == pytest.approx(total / sum(line["decisions"][place] for line in lines))


def test_older_lines_are_read(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 2)
    whole = play_match(plan)
    old = {"variant": plan.variant, "a": plan.a, "b": plan.b, "seed": 4, "pair": 0}
    record.write_text(json.dumps(old | {"results": PairPlayer(plan)(0).results}) + "\n")
    result = play_match(plan, record=record)
    assert (result.mean_difference, result.standard_error) == (whole.mean_difference, whole.standard_error)
    assert 0 < result.decisions_a < whole.decisions_a
    assert result.cpu_ms_per_decision_a is not None


@pytest.mark.parametrize(
    ("name", "value"), [("options", {"match": "four_deals"}), ("rules_revision", 99), ("agents", {"a": "?"})]
)
def test_a_record_of_other_circumstances_is_refused(tmp_path: Path, name: str, value: object) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 4, 2)
    append_record(record, plan, PairPlayer(plan)(0))
    record.write_text(json.dumps(json.loads(record.read_text()) | {name: value}) + "\n")
    with pytest.raises(RecordError, match=f"line 1 belongs to other work: its {name} is"):
        play_match(plan, record=record)


def test_a_record_of_other_data_files_is_refused(tmp_path: Path) -> None:
    """What the solver has learned since makes it another player under the same name."""
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "solver:iterations=9", "random", 4, 2)
    append_record(record, plan, PairPlayer(plan)(0))
    line = json.loads(record.read_text())
    digest = hashlib.sha256(Path(str(data_folder() / "piedicavallo_play.npz")).read_bytes()).hexdigest()
    assert line["data"]["piedicavallo_play"] == digest
    for changed in ({"piedicavallo_play": "0" * 64}, {"piedicavallo_play": None}, {"piedicavallo_old": "0" * 64}):
        record.write_text(json.dumps(line | {"data": line["data"] | changed}) + "\n")
        (name,) = changed
        with pytest.raises(RecordError, match=f"line 1 was played with another data file {name}") as caught:
            play_match(plan, record=record)
        assert "name a new file, or put the data file of then back" in str(caught.value)
    record.write_text(json.dumps(line | {"data": "old"}) + "\n")
    with pytest.raises(RecordError, match="line 1: its data is 'old': remove that line"):
        play_match(plan, record=record)
    record.write_text(json.dumps(line) + "\n")
    assert play_match(plan, record=record).pairs == 2


@pytest.mark.parametrize(
    ("variant", "agent", "files"),
    [
        ("ottocento", "solver", "play calibration equity"),
        ("ottocento", "level:club", "play calibration equity"),
        ("ottocento", "cheat", "play calibration equity"),
        ("ottocento", "solver:utility=points,calibrated=false", "play"),
        ("bolognese", "solver", "play calibration"),
        ("terziglio", "solver:inference=0,calibrated=false", "play"),
        ("terziglio", "solver:playout=rule,calibrated=false,inference=0", ""),
        *((name, agent, "") for name in ("ottocento", "bolognese") for agent in ("plain", "flat", "random", "greedy")),
    ],
)
def test_the_data_files_that_matter_are_those_that_are_used(variant: str, agent: str, files: str) -> None:
    found = data_of(VARIANTS[variant], parse_agent(agent))
    assert set(found) == {f"{variant}_{kind}" for kind in files.split()}
    assert all(digest is None or len(digest) == 64 for digest in found.values())


def test_a_budget_for_both_sides() -> None:
    told = "arena --variant piedicavallo --a solver --b plain:worlds=7 --iterations 9 --pairs 2 --workers 1 --json"
    result = json.loads(run(told).printed)
    assert (result["a"], result["b"]) == ("solver:iterations=9", "plain:worlds=7")
    assert result["decisions_a"] > 0
    assert result["cpu_ms_per_decision_a"] > 0


def test_cpu_time_ends_searches() -> None:
    """The budget is in the thread's own time, so even a loaded machine keeps it to a few milliseconds."""
    result = play_match(MatchPlan("piedicavallo", "plain:cpu_ms=4", "plain:cpu_ms=1", 3, 2))
    assert result.cpu_ms_per_decision_a is not None
    assert result.cpu_ms_per_decision_b is not None
    assert 1.0 < result.cpu_ms_per_decision_b < result.cpu_ms_per_decision_a < 12.0


def test_a_failing_program_ends_a_match_with_a_sentence(tmp_path: Path) -> None:
    command = f"exec:{sys.executable} {Path(__file__).with_name('programs.py')} prose 1"
    code, printed, said = run("arena --variant piedicavallo --b random --pairs 4 --workers 2 --json", "--a", command)
    assert (code, printed) == (1, "")
    assert said.startswith(f"error: agent '{command}': line 1: the program answered 'I play the ace'")
    assert said.count("\n") == 1


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
@pytest.mark.parametrize("workers", [1, 2])
def test_programs_are_started_once_in_a_worker_and_end_with_it(workers: int, tmp_path: Path) -> None:
    """Also one that does not care for the end of its input."""
    starts = tmp_path / "starts"
    program = tmp_path / "stubborn.py"
    program.write_text(
        f"import os, sys, time; sys.path.append({str(Path(__file__).parent)!r})\n"
        f"with open({str(starts)!r}, 'a') as file: file.write(f'{{os.getpid()}}\\n')\n"
        "import programs; programs.main(); time.sleep(600)\n"
    )
    plan = MatchPlan("piedicavallo", "greedy", f"exec:{sys.executable} {program}", 1, 4)
    result = play_match(plan, workers=workers)
    assert result.cpu_ms_per_decision_b is not None
    pids = starts.read_text().split()
    assert len(pids) == workers
    assert not any(Path("/proc", pid).exists() for pid in pids)


@pytest.mark.exhaustive
def test_a_match_ends_when_the_test_has_decided() -> None:
    plan = MatchPlan("piedicavallo", "greedy", "random", 3, 400)
    result = play_match(plan, gain=8.0)
    assert result.verdict == "gain"
    assert result.low_95 > 0
    assert result.pairs < 400
    assert play_match(plan, gain=8.0, workers=2).pairs == result.pairs


def write_record(record: Path, plan: MatchPlan, differences: list[float]) -> None:
    """Writes a record as if its pairs had been played."""
    for number, difference in enumerate(differences):
        append_record(record, plan, Pair(number, (difference + 30.0, difference - 30.0)))


def test_a_match_without_a_verdict_is_undecided(tmp_path: Path) -> None:
    """Such as one of agents that differ by name only: below its minimum a search does the same whatever the cap."""
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "solver:worlds=1", "solver:worlds=2", 3, 60)
    write_record(record, plan, [0.0] * 60)
    result = play_match(plan, record=record, gain=2.0)
    assert (result.verdict, result.pairs, result.mean_difference) == ("undecided", 60, 0.0)
    assert play_match(plan, record=record).verdict is None
    told = "arena --variant piedicavallo --a solver:worlds=1 --b solver:worlds=2 --seed 3 --pairs 60 --gain 2 --json"
    _code, printed, said = run(told, "--record", str(record))
    assert json.loads(printed)["verdict"] == "undecided"
    assert "all pairs came out alike" in said


def test_a_verdict_counts_the_pairs_before_it_whatever_the_record_has(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    plan = MatchPlan("piedicavallo", "greedy", "random", 3, 100)
    differences = [8.0 + number % 2 for number in range(100)]
    write_record(record, plan, differences)
    result = play_match(plan, record=record, gain=8.0)
    assert (result.verdict, result.pairs) == ("gain", 50)
    assert result.mean_difference == pytest.approx(8.5)
    record.write_text("".join(reversed(record.read_text().splitlines(keepends=True))))
    assert play_match(plan, record=record, gain=8.0) == result


def test_equal_agents_are_known() -> None:
    """They would play for a verdict that cannot come."""
    for a, b in (("random", "random"), ("solver", "solver:iterations=20000"), ("solver:worlds=9", "solver:worlds=9")):
        plan = MatchPlan("bolognese", a, b, 1, 100)
        assert plan.is_even
        with pytest.raises(ValueError, match="every pair comes out as exactly 0"):
            play_match(plan, gain=5.0)
    for a, b in (("random", "greedy"), ("solver", "solver:worlds=9"), ("solver:time_ms=9", "solver:time_ms=9")):
        assert not MatchPlan("bolognese", a, b, 1, 100).is_even
    _code, printed, said = run("arena --variant piedicavallo --a random --b random --pairs 2 --workers 1 --json")
    assert json.loads(printed)["mean_difference"] == 0
    assert "every pair comes out as exactly 0" in said


def test_a_gain_is_not_tested_for_with_too_few_pairs() -> None:
    with pytest.raises(ValueError, match="no verdict before 50 pairs: 49 are too few"):
        play_match(MatchPlan("piedicavallo", "greedy", "random", 3, 49), gain=5.0)


def test_help_tells_the_floor_of_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    printed = run("arena --help").printed
    assert "at least 50 pairs" in " ".join(printed.replace("│", " ").split())


@pytest.mark.parametrize("gain", [0.0, -5.0, float("nan"), float("inf")])
def test_a_gain_that_cannot_be_tested_for_is_refused(gain: float) -> None:
    with pytest.raises(ValueError, match="finite number above 0"):
        play_match(MatchPlan("bolognese", "greedy", "random", 3, 100), gain=gain)


def test_that_kernels_are_compiled_first_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arguments = ["arena", "--variant", "piedicavallo", "--a", "greedy", "--b", "random", "--pairs", "2", "--json"]
    play_match(MatchPlan("piedicavallo", "greedy", "random", 1, 2))
    assert "compiled first" not in CliRunner().invoke(app, arguments).stderr
    monkeypatch.setenv("TAROCCHI_CACHE_DIR", str(tmp_path))
    done = CliRunner().invoke(app, [*arguments, "--workers", "1"])
    assert "the kernels are compiled first" in done.stderr
    assert json.loads(done.stdout)["pairs"] == 2
