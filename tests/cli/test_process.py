"""The command as a process of its own: what it imports, what it prints where, how it ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import pytest

from tarocchi_solver import examples
from tarocchi_solver.client import SolverClient

COMMAND = [sys.executable, "-c", "from tarocchi_solver.cli import main; main()"]


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "from tarocchi_solver.cli import main\nsys.argv[1:] = ['--help']\ntry: main()\nexcept SystemExit: pass",
        "import tarocchi_solver.client",
        "import tarocchi_solver",
    ],
)
def test_these_do_not_load_the_engine(code: str) -> None:
    check = "assert not {'numba', 'tarocchi_engine'} & set(sys.modules), 'loaded'"
    result = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{check}"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_json_alone_on_standard_output() -> None:
    result = run("recommend", "-", "--iterations", "300", "--json", stdin=examples.load("piedicavallo"))
    assert result.returncode == 0
    assert json.loads(result.stdout)["moves"]


def test_wrong_input_leaves_standard_output_empty() -> None:
    result = run("recommend", "-", "--json", stdin="{}")
    assert result.returncode == 2
    assert result.stdout == ""
    # on a busy machine a line about the wait comes first
    assert result.stderr.splitlines()[-4:] == [
        "tarocchi: standard input: 3 faults:",
        "  variant: the name of the variant is missing: ListVariants tells them",
        "  seat: the seat that asks is missing: give its number, also when that is 0",
        "  dealer: the seat that dealt is missing: give its number, also when that is 0",
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_until_a_signal(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [*COMMAND, "serve", "--address", "127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"listening on (\S+)", line)
        assert found, line
        with SolverClient(found[1]) as client:
            assert client.wait_until_serving(300)
            assert client.recommend_move(json.loads(examples.load("bolognese")), iterations=300).moves
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert output == ""
    assert "Traceback" not in errors


@pytest.mark.parametrize("module", ["tarocchi_solver.search", "tarocchi_solver.service.server"])
def test_a_signal_while_the_service_is_loaded_ends_it_in_good_order(module: str) -> None:
    code = f"""
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGTERM)
sys.meta_path.insert(0, Finder())
from tarocchi_solver.cli import main
main()
"""
    command = [sys.executable, "-c", code, "serve", "--address", "127.0.0.1:0"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments", [["serve", "--check"], ["variants"], ["deal", "bolognese", "--json"]])
def test_who_reads_no_further_is_not_told(arguments: list[str]) -> None:
    """As of other tools of the command line, before which a `head` is put."""
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    # on a busy machine there is a line about the wait
    assert not re.search(r"^tarocchi:|Errno|Traceback", process.stderr.read(), re.MULTILINE)
    assert process.wait(60) == 1


def test_serve_on_a_taken_address() -> None:
    first = subprocess.Popen(
        [*COMMAND, "serve", "--address", "127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    try:
        assert first.stderr is not None
        found = re.search(r"listening on (\S+)", first.stderr.readline())
        assert found
        result = run("serve", "--address", found[1])
        assert result.returncode == 2
        assert result.stderr.splitlines()[-1] == (
            f"tarocchi: cannot listen on {found[1]}: it is taken by another program: "
            "stop that one, or choose another address"
        )
        # gRPC has not put in a word of its own
        assert not re.search(r"^[EWI]\d{4} |Traceback", result.stderr, re.MULTILINE)
    finally:
        first.terminate()
        first.communicate(timeout=60)
