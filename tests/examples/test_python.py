"""The example for Python plays whole deals and matches, and goes on from what it has kept."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service_support import running

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "python" / "four_bots.py"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(concurrent_searches=1, search_threads=1) as (server, _):
        yield server.address


def play(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *arguments])
    runpy.run_path(str(EXAMPLE), run_name="__main__")


@pytest.mark.parametrize(("variant", "places"), [("ottocento", 2), ("terziglio", 3)])
def test_a_deal_is_played_to_its_score(
    address: str, variant: str, places: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, "--address", address, "--variant", variant, "--iterations", "1", "--seed", "3")
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert [line.split(":")[0] for line in lines[-3:]] == ["side 0", "side 1", "standing"]
    assert lines[-1].count(":") == places
    assert printed.err == ""


def test_a_match_goes_on_from_what_is_kept(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "table.json"
    arguments = ["--address", address, "--variant", "terziglio", "--iterations", "1", "--kept", str(kept)]
    play(monkeypatch, *arguments, "--option", "deals=3", "--seed", "1")
    first = capsys.readouterr().out
    assert first.count("standing:") == 1
    play(monkeypatch, *arguments, "--match")
    on = capsys.readouterr().out
    assert on.count("standing:") == 3
    assert on.startswith(first[first.index("side 0:") :])


def test_faults_are_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="InvalidRequestError: variant: no variant is called 'briscola'"):
        play(monkeypatch, "--address", address, "--variant", "briscola")
