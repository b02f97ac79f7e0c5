"""The commands analyze, beliefs and review, run inside this process."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from rich.console import Console
from typer.testing import CliRunner, Result

from service_support import finished, in_the_middle, observed, running, whole_deal
from tarocchi.solver.v1 import review_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS
from tarocchi_solver import examples
from tarocchi_solver.cli import app
from tarocchi_solver.cli.live import show_live
from tarocchi_solver.service.answers import variants_answer
from tarocchi_solver.service.questions import read_analysis
from tarocchi_solver.service.searching import analyze_here


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def deal_json(variant: str = "bolognese", seed: int = 3) -> str:
    return str(json_format.MessageToJson(whole_deal(finished(variant, seed))))


def lines_of(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("variant", VARIANTS)
def test_analyze_shows_the_last_answer(variant: str) -> None:
    result = run("analyze", "-", "--iterations", "2000", "--seed", "1", stdin=examples.load(variant))
    assert result.exit_code == 0, result.output
    assert result.stdout.count("Score ± error") == 1
    assert "seed 1" in result.stdout
    recommended = run("recommend", "-", "--iterations", "2000", "--seed", "1", stdin=examples.load(variant))
    assert recommended.stdout == result.stdout


def test_analyze_prints_a_line_for_each_snapshot() -> None:
    arguments = ("analyze", "-", "--iterations", "3000", "--seed", "1", "--json")
    found = lines_of(run(*arguments, stdin=examples.load("bolognese")))
    assert [entry["final"] for entry in found] == [False, False, False, True]
    assert found[-1]["recommendation"] == found[-2]["recommendation"]
    assert [entry["stopReason"] for entry in found] == ["STOP_REASON_UNSPECIFIED"] * 3 + ["STOP_REASON_ITERATIONS"]
    json_format.ParseDict(found[0], solver_service_pb2.AnalyzePositionResponse())


def test_analyze_tells_what_ended_the_analysis() -> None:
    result = run("analyze", "-", "--time-ms", "300", "--seed", "1", stdin=examples.load("bolognese"))
    assert result.exit_code == 0, result.output
    assert result.stdout.rstrip().endswith("seed 1; stopped by time.")


@pytest.mark.parametrize("is_terminal", [False, True])
def test_an_analysis_that_is_interrupted_tells_so(is_terminal: bool) -> None:
    asked = solver_service_pb2.AnalyzePositionRequest(observation=observed(in_the_middle()))
    asked.budget.iterations = 1000
    request, _interval = read_analysis(asked)
    first, final = analyze_here(request, threads=1)
    (variant,) = [entry for entry in variants_answer().variants if entry.name == "bolognese"]

    def interrupted() -> Iterator[solver_service_pb2.AnalyzePositionResponse]:
        raise KeyboardInterrupt
        yield

    def shown(others: Iterator[solver_service_pb2.AnalyzePositionResponse]) -> str:
        console = Console(file=io.StringIO(), force_terminal=is_terminal, width=200)
        show_live(console, first, others, variant)
        return str(console.file.getvalue())  # type: ignore[attr-defined]

    assert "ended by Ctrl-C." in shown(interrupted())
    assert ("going on." in shown(iter([final]))) == is_terminal
    assert "stopped by the cap on iterations." in shown(iter([final]))
    final.stop_reason = solver_service_pb2.STOP_REASON_TIME
    assert "stopped by time." in shown(iter([final]))
    # an older server does not tell
    final.ClearField("stop_reason")
    assert "stopped by the cap on iterations." in shown(iter([final]))


@pytest.mark.parametrize("variant", VARIANTS)
def test_beliefs_are_a_table(variant: str) -> None:
    observation = str(json_format.MessageToJson(observed(in_the_middle(variant))))
    result = run("beliefs", "-", "--seed", "1", stdin=observation)
    assert result.exit_code == 0, result.output
    assert "Card" in result.stdout
    assert "seed 1" in result.stdout
    found = json.loads(run("beliefs", "-", "--seed", "1", "--json", stdin=observation).stdout)
    json_format.ParseDict(found, solver_service_pb2.GetBeliefsResponse())
    for card in found["cards"]:
        assert sum(place["probability"] for place in card["places"]) == pytest.approx(1.0)
        assert f" {card['card']} " in result.stdout


def test_review_tells_costs_and_luck(tmp_path: Path) -> None:
    path = tmp_path / "deal.json"
    path.write_text(deal_json())
    result = run("review", str(path), "--iterations", "150", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert "Luck" in result.stdout
    parts = lines_of(run("review", str(path), "--iterations", "150", "--seed", "1", "--json"))
    json_format.ParseDict(parts[-1], review_service_pb2.ReviewDealResponse())
    blunders = sum(part.get("decision", {}).get("verdict") == "VERDICT_BLUNDER" for part in parts)
    assert result.stdout.count("blunder") == blunders > 0
    own = lines_of(run("review", str(path), "--iterations", "150", "--seed", "1", "--json", "--seat", "2"))
    assert own[:-1] == [part for part in parts[:-1] if part["decision"]["seat"] == 2]


def test_a_server_answers_as_this_process_does() -> None:
    with running() as (server, _client):
        for command, stdin in (
            ("analyze", examples.load("terziglio")),
            ("review", deal_json("piedicavallo")),
            ("beliefs", examples.load("terziglio")),
        ):
            arguments = [command, "-", "--seed", "1", "--json"]
            arguments += [] if command == "beliefs" else ["--iterations", "100"]
            here, there = (run(*arguments, *more, stdin=stdin) for more in ([], ["--server", server.address]))
            assert here.exit_code == there.exit_code == 0, there.output
            last_here, last_there = (result.stdout.splitlines()[-1] for result in (here, there))
            assert last_here == last_there


@pytest.mark.parametrize("command", ["analyze", "beliefs", "review"])
def test_wrong_input_is_one_sentence(command: str) -> None:
    for stdin, text in (
        ("{", "no JSON"),
        (json.dumps({"variant": "briscola", "seat": 0, "dealer": 0, "deal": {"variant": "briscola"}}), ""),
    ):
        result = run(command, "-", stdin=stdin)
        assert result.exit_code == 2, result.output
        assert text in result.output
        assert "Traceback" not in result.output
    result = run(
        command,
        "-",
        "--server",
        "127.0.0.1:1",
        stdin=deal_json() if command == "review" else examples.load("bolognese"),
    )
    assert result.exit_code == 1
    assert "no answer from 127.0.0.1:1" in result.output


def test_a_deal_under_way_is_not_reviewed() -> None:
    whole = whole_deal(in_the_middle())
    result = run("review", "-", stdin=str(json_format.MessageToJson(whole)))
    assert result.exit_code == 2
    assert "the deal is not over" in result.output


def test_recommend_plays_at_a_level() -> None:
    results = [
        run("recommend", "-", "--level", "beginner", "--seed", str(seed), stdin=examples.load("bolognese"))
        for seed in range(6)
    ]
    assert all(result.exit_code == 0 for result in results)
    assert any("A player of this level: Play " in result.stdout for result in results)
    wrong = run("recommend", "-", "--level", "wizard", stdin=examples.load("bolognese"))
    assert wrong.exit_code == 2
    assert "'wizard' is no level: give beginner, casual, club, expert, master" in " ".join(wrong.output.split())
