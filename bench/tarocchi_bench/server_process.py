"""A server in a process of its own, that can be looked at and killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from tarocchi_solver.client import SolverClient

START_SECONDS: Final = 300.0
SERVE: Final = (sys.executable, "-c", "from tarocchi_solver.cli import main; main()", "serve")
"""The command that starts a server."""
_COLD: Final = """
import logging, sys
from tarocchi_solver.service.server import ServerConfig, SolverServer
logging.basicConfig(level=logging.INFO)
SolverServer(ServerConfig(address=sys.argv[1]), warm_up=lambda: None).run_until_signal()
"""
_POLL_SECONDS: Final = 0.05


def free_address() -> str:
    """Returns an address of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


class ServerProcess:
    """One server; a context manager that starts it, waits until it is healthy and kills it at the end."""

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        token: str | None = None,
        *,
        is_warm: bool = True,
    ) -> None:
        """Starts nothing yet.

        Args:
            folder: where its log goes.
            settings: variables of the environment.
            token: one with which it may be asked for its health.
            is_warm: whether it loads all kernels before it answers; a cold one has default settings and loads each
                when it is asked for it, which suits tests.
        """
        self.address = free_address()
        self._command = [*SERVE, "--address"] if is_warm else [sys.executable, "-c", _COLD]
        self._settings = dict(settings or {})
        self._token = token
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ServerProcess:
        self.start()
        try:
            self.wait_until_serving()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Starts the process, without waiting for it."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, self.address],
                env={**os.environ, **self._settings},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def wait_until_serving(self) -> None:
        """Waits until the server is healthy; raises `RuntimeError` if it never is."""
        with SolverClient(self.address, token=self._token) as client:
            end = time.monotonic() + START_SECONDS
            while not client.is_serving():
                if not self.is_running or time.monotonic() > end:
                    raise RuntimeError(f"the server did not become healthy: {self.log()[-1000:]}")
                time.sleep(_POLL_SECONDS)

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Ends the process on the spot, as a lack of memory does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        """Returns what the server has logged since its first start."""
        return self._log.read_text("utf-8", "replace")

    # what Linux tells of the process

    def memory_mib(self) -> float:
        """Returns the MiB of memory that it takes."""
        return int(self._read("statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)

    def threads(self) -> int:
        """Returns the number of its threads."""
        return len(self._list("task"))

    def open_files(self) -> int:
        """Returns the number of its files and sockets."""
        return len(self._list("fd"))

    def cpu_seconds(self) -> float:
        """Returns the time of processors that it has taken."""
        # behind the name, which may hold anything
        fields = self._read("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def _folder(self) -> Path:
        assert self._process is not None
        return Path("/proc") / str(self._process.pid)

    def _read(self, name: str) -> str:
        return (self._folder / name).read_text("ascii", "replace")

    def _list(self, name: str) -> list[str]:
        return os.listdir(self._folder / name)
