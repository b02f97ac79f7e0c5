"""The example for Node plays whole deals. It runs where node and npm are, and its packages can be installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from client_support import Failure, ScriptedServer
from client_support import serving as scripted_serving
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


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        (("--seed", "abc"), "not sent: seed: "),
        (("--iterations", "many"), "not sent: budget.iterations: NaN will not do: give a whole number from "),
        (("--timeout", "soon"), "not sent: timeoutMs: NaN will not do: give the milliseconds for the call, above 0"),
    ],
)
def test_what_cannot_be_is_told(folder: Path, address: str, argument: tuple[str, str], told: str) -> None:
    done = play(folder, "--address", address, *argument)
    assert (done.returncode, done.stderr.startswith(told)) == (1, True), done.stderr


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
    done = play(folder, "--address", "127.0.0.1:1", "--timeout", "1")
    assert done.returncode == 1
    assert re.match(r"UNAVAILABLE: nobody listens at the address, after \d+\.\d s: start the service, ", done.stderr)


# --- the module that a site takes over


def scripted(folder: Path, address: str, code: str) -> tuple[list[Any], str]:
    """Runs a program with a `service`; returns what it hands to `tell`, and what it prints as an error."""
    program = f"""
import {{ InvalidRequest, Service, retryDelayMs, violationsOf }} from './service.mjs';
const service = new Service({address!r});
const tell = (value) => console.log(JSON.stringify(value));
try {{ {code} }} catch (error) {{
  console.error(error.code ?? error.name, error.faults ? JSON.stringify(error.faults) : error.details);
}} finally {{ service.close(); }}
"""
    (folder / "scripted.mjs").write_text(program, encoding="utf-8")
    done = subprocess.run(["node", "scripted.mjs"], cwd=folder, capture_output=True, text=True, timeout=120)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.strip()


SLOWED = Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", 0.3)
DRAINING = Failure(grpc.StatusCode.UNAVAILABLE, "DRAINING", 0.1)
WARMING = Failure(grpc.StatusCode.UNAVAILABLE, "WARMING_UP", 0.1)
FAILED = Failure(grpc.StatusCode.UNAVAILABLE, "WARM_UP_FAILED", 0.1)
RECOMMEND = "tell((await service.recommendMove({}, 20_000)).diagnostics.seed);"
ANALYZE = "let count = 0; tell([await service.analyze({}, () => { count += 1; }, 20_000), count]);"


def test_busy_servers_are_asked_again(folder: Path) -> None:
    server = ScriptedServer(SLOWED, DRAINING, DRAINING)
    with scripted_serving(server) as address:
        began = time.monotonic()
        told, errors = scripted(folder, address, RECOMMEND)
        waited = time.monotonic() - began
    assert errors == ""
    # every attempt asks for the same
    seeds = {request.seed for request in server.requests}
    assert (len(server.requests), told) == (4, [str(seed) for seed in seeds])
    assert waited > 0.3 + 0.1 + 0.1


@pytest.mark.parametrize(
    ("script", "calls", "error"),
    [
        ([FAILED] * 9, 4, "14 no: WARM_UP_FAILED"),
        ([Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", 9.0)], 1, "8 no: QUEUE_FULL"),
        ([Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")], 1, "8 no: REQUEST_TOO_LARGE"),
        ([Failure(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")], 1, "3 no: INVALID_REQUEST"),
    ],
)
def test_attempts_end(folder: Path, script: list[Failure], calls: int, error: str) -> None:
    server = ScriptedServer(*script)
    with scripted_serving(server) as address:
        assert scripted(folder, address, RECOMMEND) == ([], error)
    assert len(server.requests) == calls


def test_attempts_at_a_server_that_is_restarted_do_not_count(folder: Path) -> None:
    server = ScriptedServer(DRAINING, *[WARMING] * 4, SLOWED)
    with scripted_serving(server) as address:
        told, errors = scripted(folder, address, RECOMMEND)
    assert (len(server.requests), told, errors) == (7, [str(server.requests[0].seed)], "")
    server = ScriptedServer(*[WARMING] * 99)
    with scripted_serving(server) as address:
        assert scripted(folder, address, RECOMMEND.replace("20_000", "2500")) == ([], "14 no: WARMING_UP")
    assert len(server.requests) > 4


def test_a_stream_is_begun_again_before_its_first_answer_alone(folder: Path) -> None:
    server = ScriptedServer(DRAINING)
    with scripted_serving(server) as address:
        assert scripted(folder, address, ANALYZE) == ([[True, 3]], "")
    assert len({request.seed for request in server.requests}) == 1
    server = ScriptedServer([1, DRAINING])
    with scripted_serving(server) as address:
        assert scripted(folder, address, ANALYZE) == ([], "14 no: DRAINING")
    assert len(server.requests) == 1


def test_a_server_that_comes_up_later_is_waited_for(folder: Path) -> None:
    with scripted_serving(ScriptedServer()) as address:
        port = int(address.rsplit(":", 1)[1])
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(scripted(folder, address, RECOMMEND)))
    asking.start()
    # more attempts than at a server that is there
    time.sleep(4)
    server = ScriptedServer()
    with scripted_serving(server, port=port):
        asking.join()
    assert answers == [([str(server.requests[0].seed)], "")]
    assert len(server.requests) == 1


UNSENDABLE = {
    "{ sed: 1 }": {"sed": "there is no such field: give one of observation, budget, seed, level, priority"},
    "{ level: 'club' }": {"level": '"club" will not do: give one of LEVEL_UNSPECIFIED, LEVEL_BEGINNER, '},
    "{ seed: 'x' }": {"seed": '"x" will not do: give a whole number from 0 to 18446744073709551615'},
    "{ seed: -1 }": {"seed": "-1 will not do"},
    "{ seed: 2 ** 60 }": {"seed": "1152921504606847000 will not do"},
    "{ budget: { iterations: 2 ** 31 } }": {
        "budget.iterations": "2147483648 will not do: give a whole number from 0 to 2147483647"
    },
    "{ budget: { duration: 5 } }": {"budget.duration": "5 is no object: give one"},
    "{ budget: { duration: { seconds: 1, nanos: 0.5 } } }": {"budget.duration.nanos": "0.5 will not do"},
    "{ observation: { hand: 'SK' } }": {"observation.hand": '"SK" is no list: give one'},
    "{ observation: { options: { match: 1 } } }": {"observation.options[match]": "1 will not do: give a text"},
    "{ observation: { seat: '1st', events: [{ play: { crad: 'SK' } }, { monte: { throwsIn: 1 } }] } }": {
        "observation.seat": '"1st" will not do',
        "observation.events[0].play.crad": "there is no such field: give one of card, signal",
        "observation.events[1].monte.throwsIn": "1 will not do: give true or false",
    },
}
"""Requests, and the faults of each."""


def test_what_cannot_be_is_not_sent(folder: Path) -> None:
    server = ScriptedServer()
    code = f"""for (const request of [{", ".join(UNSENDABLE)}]) {{
      try {{ await service.recommendMove(request); }} catch (error) {{ tell(error.faults ?? error.stack); }}
    }}"""
    with scripted_serving(server) as address:
        told, errors = scripted(folder, address, code)
    assert (len(told), errors, server.requests) == (len(UNSENDABLE), "", [])
    for found, faults in zip(told, UNSENDABLE.values(), strict=True):
        assert [fault["field"] for fault in found] == list(faults)
        for fault, text in zip(found, faults.values(), strict=True):
            assert fault["description"].startswith(text)


def test_what_may_be_is_sent(folder: Path) -> None:
    server = ScriptedServer()
    event = "{ seat: 0, action: 'play', play: { card: 'SK' }, discard: null }"
    seen = f"{{ events: [{event}], hand: ['SK'], options: {{ match: 'single' }}, standing: {{ scores: [1.5] }} }}"
    fields = f"{{ seed: 2n ** 64n - 1n, level: 'LEVEL_CLUB', observation: {seen} }}"
    with scripted_serving(server) as address:
        told, errors = scripted(folder, address, f"await service.recommendMove({fields});")
    assert (told, errors) == ([], "")
    (request,) = server.requests
    assert request.seed == 2**64 - 1
    assert request.observation.events[0].play.card == "SK"
    assert request.observation.standing.scores == [1.5]
