"""An agent that is another program: it reads one observation a line and writes one move a line, both in JSON.

The program is started for the first move, once, and is never started again: one that has failed would fail the rest of
a match in some other way.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import IO, Any, Final, NoReturn

from tarocchi_bench.agents.base import AgentError, AgentSpecError, HonestAgent
from tarocchi_bench.moves_json import MoveJsonError, move_of_line, observation_line
from tarocchi_engine import IllegalMoveError, Move, Observation, View, view
from tarocchi_engine.legality import check_cards, checked_move

PATIENCE_SECONDS: Final = 120.0
"""How long a program may take for one move, the first one with its start."""
GRACE_SECONDS: Final = 1.0
"""How long it may take to end after the end of its input."""
LONGEST_LINE: Final = 1 << 16
_SHOWN: Final = 200


@dataclass
class _Running:
    """A program that has been started."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    """What it says beside its answers."""
    lines: int = 0
    """Observations that it has been given."""
    unread: bytes = b""


@dataclass(frozen=True)
class ProgramAgent(HonestAgent):
    """A program; equal ones are started by the same command."""

    command: tuple[str, ...]
    patience: float = PATIENCE_SECONDS
    _started: list[_Running] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, text: str, command: str) -> ProgramAgent:
        """Returns the agent of a command written as in a shell, which is not used; raises `AgentSpecError`."""
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            raise AgentSpecError(f"agent {text!r}: the command cannot be read: {error}") from error
        if not words:
            raise AgentSpecError(f"agent {text!r}: there is no command: give one, such as exec:./my-player --fast")
        if shutil.which(words[0]) is None:
            raise AgentSpecError(f"agent {text!r}: there is no program {words[0]!r} that can be run")
        return cls(words)

    @property
    def is_repeatable(self) -> bool:
        """False: nobody knows."""
        return False

    @property
    def settings(self) -> dict[str, Any]:
        """The command."""
        return {"agent": "exec", "command": list(self.command)}

    def cpu_seconds(self) -> float | None:
        """Returns the CPU time of the program so far, its start included, where the system tells it."""
        if not sys.platform.startswith("linux"):
            return None
        if not self._started:
            return 0.0
        with contextlib.suppress(OSError):
            # the clock that clock_getcpuclockid(3) names: the inverted number of the process, and "2" for its CPU time
            return time.clock_gettime((~self._started[0].process.pid << 3) | 2)
        return None

    def choose(self, observation: Observation, seed: int) -> Move:
        """Returns the program's move.

        Raises `AgentError` if it has ended, takes too long, or answers with something else than a legal move.
        """
        running = self._running()
        running.lines += 1
        self._refuse_talk(running)
        with contextlib.suppress(BrokenPipeError):  # its end is told where the answer is missed
            assert running.process.stdin is not None
            running.process.stdin.write(observation_line(observation).encode() + b"\n")
            running.process.stdin.flush()
        line = self._read_line(running, time.monotonic() + self.patience)
        seen = view(observation)
        try:
            move = move_of_line(line, seen.variant, seen.seat)
            _check_legal(seen, move)
        except (MoveJsonError, IllegalMoveError) as error:
            kind = "an illegal move" if isinstance(error, IllegalMoveError) else "no move"
            self._fail(running, f"answered {_quoted(line)}, which is {kind}: {error}")
        return move

    def close(self) -> None:
        """Ends the program's input and then, if need be, the program."""
        while self._started:
            running = self._started.pop()
            process = running.process
            with contextlib.suppress(OSError):
                assert process.stdin is not None
                process.stdin.close()
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            assert process.stdout is not None
            process.stdout.close()
            running.errors.close()

    def _running(self) -> _Running:
        if not self._started:
            errors = tempfile.TemporaryFile()  # noqa: SIM115
            try:
                process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    bufsize=0,
                    # a Ctrl-C is for the arena, which then ends the program
                    start_new_session=True,
                )
            except OSError as error:
                errors.close()
                raise AgentError(f"agent {self._name}: cannot be started: {error.strerror or error}") from error
            self._started.append(_Running(process, errors))
        return self._started[0]

    @property
    def _name(self) -> str:
        return repr(f"exec:{shlex.join(self.command)}")

    def _refuse_talk(self, running: _Running) -> None:
        """Raises if the program has written something that it was not asked for: its answers would be out of step."""
        if not running.unread and self._is_readable(running, 0.0):
            running.unread = self._read(running)
        if running.unread:
            line = running.unread.decode(errors="replace").splitlines()[0]
            running.lines -= 1
            self._fail(running, f"wrote {_quoted(line)} without being asked: write one line for each observation")

    def _read_line(self, running: _Running, deadline: float) -> str:
        while b"\n" not in running.unread:
            if not self._is_readable(running, deadline - time.monotonic()):
                self._fail(running, f"gave no answer within {self.patience:g} seconds")
            chunk = self._read(running)
            if not chunk:
                self._fail_at_end(running)
            running.unread += chunk
            if len(running.unread) > LONGEST_LINE:
                self._fail(running, f"wrote a line of more than {LONGEST_LINE:,} bytes")
        line, _, running.unread = running.unread.partition(b"\n")
        return line.decode(errors="replace")

    @staticmethod
    def _is_readable(running: _Running, seconds: float) -> bool:
        assert running.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(running.process.stdout, selectors.EVENT_READ)
            return bool(selector.select(max(seconds, 0.0)))

    @staticmethod
    def _read(running: _Running) -> bytes:
        assert running.process.stdout is not None
        return os.read(running.process.stdout.fileno(), LONGEST_LINE)

    def _fail_at_end(self, running: _Running) -> NoReturn:
        try:
            code = running.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._fail(running, "has closed its output")
        how = f"ended with code {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"
        begun = (
            f" after beginning to answer {_quoted(running.unread.decode(errors='replace'))}" if running.unread else ""
        )
        running.errors.seek(0)
        said = running.errors.read().decode(errors="replace").strip().splitlines()
        self._fail(running, f"{how}{begun}{'; it said: ' + _quoted(said[-1]) if said else ''}")

    def _fail(self, running: _Running, what: str) -> NoReturn:
        raise AgentError(f"agent {self._name}: line {running.lines}: the program {what}")


def _check_legal(seen: View, move: Move) -> None:
    """Raises `IllegalMoveError` unless the seat of a view may make a move."""
    check_cards(move)
    table = seen.table.copy()
    if implied := table.implied_before(move):
        table.apply(seen.seat, implied)
    table.apply(seen.seat, checked_move(table, seen.hand, move))


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
