"""The example for Node plays whole deals. It runs where node and npm are, and its packages can be installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from service_support import running, serving
from tarocchi_engine import VARIANTS
from tarocchi_solver.service.config import Token

REPOSITORY = Path(__file__).resolve().parents[2]
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
OLDEST_NODE = 18


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a copy of the example with its packages, beside a copy of the contract."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"node {version} is older than {OLDEST_NODE}")
    root = tmp_path_factory.mktemp("node")
    ignored = shutil.ignore_patterns("node_modules", "__pycache__")
    shutil.copytree(REPOSITORY / "examples" / "node", root / "examples" / "node", ignore=ignored)
    shutil.copytree(REPOSITORY / "proto", root / "proto", ignore=ignored)
    place = root / "examples" / "node"
    try:
        done = subprocess.run(INSTALL, cwd=place, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install the packages within two minutes")
    if done.returncode:
        pytest.skip(f"npm cannot install the packages: {done.stderr.strip()[-300:]}")
    return place


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(concurrent_searches=1, search_threads=1) as (server, _):
        yield server.address


def play(folder: Path, *arguments: str, token: str = "") -> subprocess.CompletedProcess[str]:
    command = ["node", "play_deal.mjs", *arguments]
    environment = {**os.environ, "TAROCCHI_TOKEN": token}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)


@pytest.mark.parametrize("variant", ["terziglio"])
def test_a_deal_is_played_to_its_score(folder: Path, address: str, variant: str) -> None:
    done = play(folder, "--address", address, "--variant", variant, "--iterations", "1", "--seed", "3")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{variant}: dealer ")
    assert lines[0].endswith("seed 3")
    kind = VARIANTS[variant]
    cards = [line for line in lines if re.match(r"seat \d: plays (?!on$)", line)]
    assert len(cards) == kind.seat_count * kind.trick_count
    assert "  analysis: cancelled after 3 responses" in lines
    assert [line.split(":")[0] for line in lines[-3:]] == ["side 0", "side 1", "ENDING_COUNT"]
    assert done.stderr == ""


def test_faults_are_told(folder: Path, address: str) -> None:
    done = play(folder, "--address", address, "--variant", "briscola")
    assert done.returncode == 1
    assert done.stderr.startswith("INVALID_ARGUMENT: variant: no variant is called 'briscola'")
    assert "  variant UNKNOWN_VARIANT no variant is called 'briscola'" in done.stderr


def test_encryption_and_a_token(folder: Path, tmp_path: Path) -> None:
    root = trustme.CA()
    leaf = root.issue_cert("127.0.0.1")
    root.cert_pem.write_to_path(tmp_path / "ca.pem")
    leaf.private_key_pem.write_to_path(tmp_path / "server.key")
    leaf.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")
    files = {"tls_certificate": tmp_path / "server.pem", "tls_key": tmp_path / "server.key"}
    token = Token("site", "0123456789abcdef-site")
    with serving(tokens=(token,), concurrent_searches=1, search_threads=1, **files) as server:
        arguments = ["--address", server.address, "--ca", str(tmp_path / "ca.pem")]
        arguments += ["--variant", "bolognese", "--seed", "3", "--iterations", "1"]
        done = play(folder, *arguments, token=token.secret)
        assert done.returncode == 0, done.stderr
        assert "ENDING_COUNT" in done.stdout
        refused = play(folder, *arguments, token="x" * 20)
    assert refused.returncode == 1
    assert "UNAUTHENTICATED: " in refused.stderr  # node itself also warns of an address without a name


def test_a_server_that_is_not_there_is_told(folder: Path) -> None:
    done = play(folder, "--address", "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.startswith("UNAVAILABLE: ")
