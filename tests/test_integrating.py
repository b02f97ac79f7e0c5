"""What the guide for site builders shows runs: every block of Python, in order, against a real server."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service_support import SMALL, in_the_middle, observed, running
from tarocchi.solver.v1 import solver_service_pb2
from tarocchi_bench.server_process import free_address
from tarocchi_solver import client as client_package
from tarocchi_solver.client import ClientTls, RetryPolicy, SolverClient, SolverError, UnauthenticatedError
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
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        assert (REPOSITORY / "solver" / path).exists(), target
        if anchor:
            text = (REPOSITORY / "solver" / path).read_text(encoding="utf-8") if path else GUIDE
            heads = {
                re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in re.findall(r"^#+ (.+)$", text, re.M)
            }
            assert anchor in heads, target


# --- the commands


COMMAND = "from tarocchi_solver.cli import main; main()"
TOKEN = "0123456789abcdef"
"""That of the block about tokens."""


def commands(name: str) -> list[str]:
    """Returns what stands in blocks or between backticks and begins with the name of a program, as written."""
    indented = re.findall(rf"^    ({name} (?:.*\\\n)*.*)$", GUIDE, re.MULTILINE)
    return indented + re.findall(rf"`({name} [^`]+)`", GUIDE)


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """Returns an environment in which `tarocchi` is this version, and the working directory of the test is its own."""
    program = tmp_path / "bin" / "tarocchi"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{COMMAND}' \"$@\"\n", encoding="utf-8")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def ran(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Runs a line of the shell and returns what it prints."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def with_openssl(folder: Path, environment: dict[str, str]) -> None:
    """Makes the certificate of the guide."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on this machine")
    (command,) = commands("openssl")
    ran(command, folder, environment)


def test_every_way_to_serve_that_it_shows_is_accepted(tmp_path: Path, shell: dict[str, str]) -> None:
    with_openssl(tmp_path, shell)
    found = commands("tarocchi serve")
    assert len(found) == 3
    assert sum("--tls-certificate" in command for command in found) == 1
    for command in found:
        told = ran(f"{command} --check", tmp_path, shell)
        assert "address = " in told


def test_encryption_tokens_and_the_log_are_as_it_says(
    tmp_path: Path, shell: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_openssl(tmp_path, shell)
    (serve,) = (command for command in commands("tarocchi serve") if "--tls-certificate" in command)
    (address,) = set(re.findall(r"`(SolverClient\([^`]*ClientTls[^`]*)`,", TEXT))
    port = free_address().rpartition(":")[2]
    settings = {
        "TAROCCHI_ADDRESS": f"127.0.0.1:{port}",
        "TAROCCHI_TOKENS": f"site:{TOKEN}",
        "TAROCCHI_LOG_FORMAT": "json",
    }
    connect = address.replace("50051", port)
    assert connect != address
    assert f'token="{TOKEN}", tls=True' in GUIDE
    monkeypatch.chdir(tmp_path)
    names = {"SolverClient": SolverClient, "ClientTls": ClientTls}
    with (tmp_path / "serve.log").open("w") as log:
        server = subprocess.Popen(["sh", "-c", f"exec {serve}"], env={**shell, **settings}, stderr=log)
    try:
        with eval(connect, names) as client:
            # health needs no token
            assert client.wait_until_serving(300)
            with pytest.raises(UnauthenticatedError):
                client.list_variants()
        with eval(connect.replace("tls=", f'token="{TOKEN}", tls='), names) as client:
            assert client.recommend_move(observed(in_the_middle()), iterations=SMALL).moves
        with SolverClient(f"localhost:{port}", token=TOKEN, tls=True, retry=None) as client:
            # no root of the system has signed it
            assert not client.is_serving()
    finally:
        server.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(60)
        server.kill()
    assert server.returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "serve.log").read_text(encoding="utf-8").splitlines()]
    (decision,) = [line for line in lines if line["event"] == "decision"]
    assert decision["caller"] == "site"
    whole_log, by_id = [command for name in ("tarocchi replay-decision", "grep") for command in commands(name)]
    assert "7f03e0d2" in by_id
    for command in (whole_log, by_id.replace("7f03e0d2", decision["request_id"][:8])):
        assert f"RecommendMove {decision['request_id']}: the same bytes" in ran(command, tmp_path, shell)
