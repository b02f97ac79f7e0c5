"""How a match ends before its time: signals, killed parents, killed workers."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tarocchi_bench.workers import WorkerDiedError, work_off

ENDLESS = "arena --variant piedicavallo --a greedy --b random --pairs 100000".split()


def start(*arguments: str) -> subprocess.Popen[str]:
    """Starts a command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tarocchi_bench", *arguments],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(record: Path, process: subprocess.Popen[str]) -> None:
    """Waits until a record has pairs."""
    for _ in range(1200):
        assert process.poll() is None
        if record.exists() and record.read_text().count("\n") >= 3:
            return
        time.sleep(0.05)
    pytest.fail("no pair is played")


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, 1), (signal.SIGTERM, 2)])
def test_a_signal_ends_a_match_in_good_order(number: signal.Signals, workers: int, tmp_path: Path) -> None:
    """A terminal sends it to the workers too."""
    record = tmp_path / "match.jsonl"
    process = start(*ENDLESS, "--workers", str(workers), "--record", str(record))
    try:
        wait_for_lines(record, process)
        sent = time.monotonic()
        os.killpg(process.pid, number)
        printed, said = process.communicate(timeout=30)
        assert time.monotonic() - sent < 5
        assert process.returncode == 128 + number
        assert printed == ""
        text = record.read_text()
        assert text.endswith("\n")
        pairs = [json.loads(line)["pair"] for line in text.splitlines()]
        assert len(set(pairs)) == len(pairs)
        kept = f"{record} has them, and the same command goes on from there"
        assert said == f"stopped by {number.name} after {len(pairs)} of 100000 pairs; {kept}\n"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once(number: signal.Signals) -> None:
    """Whatever the first one has set going."""
    program = (
        "import signal, time\n"
        "from tarocchi_bench.stopping import Stopped, stop_at_signals\n"
        "stop_at_signals()\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "except Stopped as stopped:\n"
        "    print(stopped, stopped.exit_code, flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == f"{number.name} {128 + number}\n"
        process.send_signal(number)
        assert process.communicate(timeout=10) == ("", "")
        assert process.returncode == 128 + number
    finally:
        process.kill()


@pytest.mark.exhaustive
def test_many_signals_do_not_hang_a_match(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    process = start(*ENDLESS, "--workers", "2", "--record", str(record))
    try:
        wait_for_lines(record, process)
        for _ in range(5):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
        printed, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert (printed, "Traceback" in said, "Warning" in said) == ("", False, False)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_workers_that_still_load_take_a_signal_quietly() -> None:
    process = start(*ENDLESS, "--workers", "2")
    try:
        wait_for_members(process.pid, 4)  # with the helper of multiprocessing
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=30) == ("", "stopped by SIGINT after 0 of 100000 pairs\n")
        assert process.returncode == 130
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def test_the_command_takes_signals_before_it_loads_the_rest() -> None:
    program = "import sys, tarocchi_bench.__main__; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_workers_end_with_a_killed_parent() -> None:
    """A match that is killed leaves no process behind."""
    command = "arena --variant bolognese --a solver:iterations=20000 --b greedy --pairs 50 --workers 2".split()
    parent = subprocess.Popen([sys.executable, "-m", "tarocchi_bench", *command], start_new_session=True)
    group = parent.pid
    try:
        wait_for_members(group, 3)
        parent.kill()
        parent.wait()
        for _ in range(600):
            if not members(group):
                return
            time.sleep(0.1)
        pytest.fail(f"still alive: {members(group)}")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def wait_for_members(group: int, count: int) -> None:
    """Waits until a process group has so many processes."""
    for _ in range(1200):
        if len(members(group)) >= count:
            return
        time.sleep(0.05)
    pytest.fail(f"only {members(group)}")


def members(group: int) -> list[int]:
    """Returns the living processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[2]) == group and fields[0] != "Z":
                    found.append(int(entry.name))
    return found


def test_tasks_are_worked_off() -> None:
    assert sorted(work_off(ascii, list(range(20)), 3)) == sorted(map(ascii, range(20)))
    assert list(work_off(ascii, [], 3)) == []


def test_what_a_task_raises_comes_out() -> None:
    with pytest.raises(ValueError, match="math domain error") as caught:
        list(work_off(math.sqrt, [1.0, -1.0], 2))
    assert caught.value.__notes__[0] == "in number -1.0"
    assert "In a worker process" in caught.value.__notes__[1]


def test_a_worker_that_dies_is_missed() -> None:
    with pytest.raises(WorkerDiedError, match="ended with code -9"):
        list(work_off(signal.raise_signal, [signal.SIGKILL], 1))
