"""What the README shows runs: every block of Python and of JSON, and what it says the command line prints."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service_support import running
from tarocchi_bench.sequential import ERROR_RATE, MIN_PAIRS
from tarocchi_solver.cli import app
from tarocchi_solver.search import Budget
from tarocchi_solver.service.config import SHORTEST_SECRET, ServerConfig, Token
from tarocchi_solver.service.handlers import ARRIVAL_SECONDS
from tarocchi_solver.service.searching import usable_seconds
from tarocchi_solver.service.settings import read_settings

REPOSITORY = Path(__file__).resolve().parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
ADDRESS = "127.0.0.1:50051"


def blocks(language: str) -> list[str]:
    """Returns the texts of all blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def first_line(block: str) -> str:
    """Returns what tells a block from the others in the name of a test."""
    return block.strip().splitlines()[0]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running() as (server, _):
        yield server.address


def test_the_blocks_are_found() -> None:
    counts = {language: len(blocks(language)) for language in ("python", "json", "js", "toml")}
    assert counts == {"python": 4, "json": 2, "js": 1, "toml": 1}
    assert len(re.findall(r"^```\w*$", README, re.MULTILINE)) == 2 * (sum(counts.values()) + 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("block", blocks("python"), ids=first_line)
def test_python(block: str, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if "pyspiel" in block:
        pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    monkeypatch.chdir(REPOSITORY)
    # the whole match takes a search for every card
    block = block.replace("iterations=500", "iterations=1")
    exec(compile(block.replace(ADDRESS, address), "README.md", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert printed
    assert "StatusCode" not in printed


@pytest.mark.parametrize("block", blocks("json"), ids=first_line)
def test_json(block: str) -> None:
    command = ["replay", "-"] if "deal" in json.loads(block) else ["recommend", "-", "--iterations", "200"]
    result = CliRunner().invoke(app, command, input=block)
    assert result.exit_code == 0, result.output
    assert "unknown" not in result.output


def test_settings(tmp_path: Path) -> None:
    (block,) = blocks("toml")
    (tmp_path / "server.toml").write_text(block)
    (tmp_path / "card-site.token").write_text("0123456789abcdef\n")
    config = read_settings(file=tmp_path / "server.toml").config
    assert config.tls_key == tmp_path / "server.key"
    assert config.tokens == (Token("card-site", "0123456789abcdef", 20, 8),)
    assert config.maximum_budget.time_ms == 10_000


def test_the_faults_that_it_shows_are_those_that_are_told() -> None:
    found = re.search(r"^    \$ echo (.*) \| tarocchi (.*)\n((?:    (?!\$).*\n)+)", README, re.MULTILINE)
    assert found
    (given,), arguments = shlex.split(found[1]), shlex.split(found[2])
    result = CliRunner().invoke(app, arguments, input=given)
    assert result.exit_code == 2
    assert result.output.splitlines() == [line.removeprefix("    ") for line in found[3].splitlines()]


def test_the_commands_that_it_shows_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.search(r"^    \$ tarocchi (deal .*) > (\S+)\n    \$ tarocchi (recommend .*)\n", README, re.MULTILINE)
    assert found
    result = CliRunner().invoke(app, shlex.split(found[1]))
    Path(found[2]).write_text(result.stdout)
    result = CliRunner().invoke(app, [*shlex.split(found[3]), "--iterations", "200"])
    assert result.exit_code == 0, result.output
    assert "Discard " in result.stdout


def test_the_numbers_that_it_names_are_those_of_the_code() -> None:
    text = " ".join(README.split())
    config = ServerConfig()
    most = config.maximum_budget
    assert config.default_budget == Budget(iterations=20_000)
    assert "Without any, it does 20,000 iterations" in text
    assert f"{most.worlds:,} worlds, {most.iterations:,} iterations, {(most.time_ms or 0) // 1000} seconds" in text
    assert f"and {config.queue_size} more may wait (`--queue-size`)" in text
    assert config.request_size_limit == 1 << 20
    assert f"events (`event_limit`, {config.event_limit})" in text
    assert f"may take to arrive ({ARRIVAL_SECONDS:g} seconds)" in text
    assert f"of at least {SHORTEST_SECRET} characters" in text
    assert (round(usable_seconds(10.0), 9), round(usable_seconds(0.1), 9)) == (9.0, 0.08)
    assert "90 % of the time to it have passed, or all but 20 ms if that is less" in text
    assert f"with {ERROR_RATE:.0%} for either error, never before {MIN_PAIRS} pairs".replace("%", " %") in text


def test_the_forms_of_input_that_it_names_are_read() -> None:
    observation = next(given for given in map(json.loads, blocks("json")) if "deal" not in given)
    request = {"observation": observation, "budget": {"iterations": 500}, "seed": 7}
    assert '`{"observation": {...}, "budget": {"iterations": 500}, "seed": 7}`' in README
    for given in (observation, request):
        result = CliRunner().invoke(app, ["legal", "-"], input=json.dumps(given))
        assert result.exit_code == 0, result.output
    result = CliRunner().invoke(app, ["recommend", "-", "--json"], input=json.dumps(request))
    assert json.loads(result.stdout)["diagnostics"]["seed"] == "7"
    printed = CliRunner().invoke(app, ["deal", "bolognese", "--seed", "1", "--json"]).stdout
    result = CliRunner().invoke(app, ["replay", "-"], input=printed)
    assert result.exit_code == 0, result.output


def test_every_option_that_it_lists_exists() -> None:
    listed = re.findall(r"^    tarocchi ([\w-]+) .*\n((?: {30,}--.*\n)*)", README, re.MULTILINE)
    assert {name.replace("-", "_") for name, _ in listed} == {
        command.callback.__name__ for command in app.registered_commands if command.callback
    }
    for line in re.findall(r"^    tarocchi [\w-]+ .*\n(?: {30,}--.*\n)*", README, re.MULTILINE):
        command = line.split()[1]
        known = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
        for option in re.findall(r"--[a-z-]+", line):
            assert option in known, f"{command} {option}"
