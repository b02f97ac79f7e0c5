"""What the guide for site builders shows runs: every block of Python, in order, against a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service_support import running
from tarocchi.solver.v1 import solver_service_pb2
from tarocchi_solver import client as client_package
from tarocchi_solver.client import RetryPolicy, SolverClient, SolverError
from tarocchi_solver.client.client import DEFAULT_TIMEOUT

REPOSITORY = Path(__file__).resolve().parents[1]
GUIDE = (REPOSITORY / "solver" / "INTEGRATING.md").read_text(encoding="utf-8")
TEXT = " ".join(GUIDE.split())
CHEAPER = {
    '{"level": "club"}': '{"iterations": 1}',
    "iterations=2000": "iterations=1",
    "time_ms=2000": "time_ms=100",
    "interval_ms=100": "interval_ms=20",
}
"""What the blocks do in the tests instead."""


def blocks() -> list[str]:
    """Returns the texts of all blocks of Python."""
    return re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(concurrent_searches=2, search_threads=1) as (server, _):
        yield server.address


@pytest.mark.filterwarnings("error")
def test_the_blocks_run_in_order(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    names: dict[str, Any] = {"__name__": "integrating"}
    cheaper = dict.fromkeys(CHEAPER, 0)
    try:
        for block in blocks():
            for expensive, cheap in CHEAPER.items():
                cheaper[expensive] += block.count(expensive)
                block = block.replace(expensive, cheap)
            exec(compile(block.replace("127.0.0.1:50051", address), "INTEGRATING.md", "exec"), names)
    finally:
        for name in ("client", "patient", "hasty"):
            if isinstance(names.get(name), SolverClient):
                names[name].close()
    printed = capsys.readouterr().out
    assert "fallback" not in printed
    assert "DEAL_OVER" in printed
    assert "True True" in printed
    assert all(cheaper.values()), cheaper


def test_every_block_is_of_a_known_language() -> None:
    assert set(re.findall(r"^```(\w+)$", GUIDE, re.MULTILINE)) == {"python", "yaml"}
    assert len(re.findall(r"^```\w*$", GUIDE, re.MULTILINE)) == 2 * (len(blocks()) + 1)


def test_the_errors_that_it_lists_are_all_of_them() -> None:
    table = GUIDE[GUIDE.index("| error | what happened") :]
    listed = re.findall(r"^\| `(\w+)` \|", table[: table.index("\n\n")], re.MULTILINE)
    known = {
        name
        for name in client_package.__all__
        if isinstance(kind := getattr(client_package, name), type) and issubclass(kind, SolverError)
    }
    assert len(listed) == len(known)
    assert set(listed) == known


def test_the_numbers_and_names_that_it_gives_are_those_of_the_code() -> None:
    assert RetryPolicy().attempts == 4
    assert "up to four attempts after `UNAVAILABLE`" in TEXT
    assert f"the client's `timeout`, {DEFAULT_TIMEOUT:.0f} seconds" in TEXT
    levels = [value.name for value in solver_service_pb2.DESCRIPTOR.enum_types_by_name["Level"].values[1:]]
    names = ", ".join(f'`"{name.removeprefix("LEVEL_").lower()}"`' for name in levels)
    assert f"`level` is how well a bot plays: {names}." in TEXT


def test_the_places_that_it_points_to_are_there() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        assert (REPOSITORY / "solver" / path).exists(), target
        if anchor:
            heads = {
                re.sub(r"[^\w -]", "", head).lower().replace(" ", "-")
                for head in re.findall(r"^#+ (.+)$", readme, re.M)
            }
            assert anchor in heads, target
