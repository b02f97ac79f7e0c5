"""Shows that something is going on: a spinner on a terminal, otherwise a line once it takes a second."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Final

import typer
from rich.console import Console
from rich.status import Status

PATIENCE_SECONDS: Final = 1.0


class Waiting:
    """A context in which the user is told what is being waited for. It writes to standard error only."""

    def __init__(self, text: str) -> None:
        self._text = text
        console = Console(stderr=True)
        self._status = Status(text, console=console) if console.is_terminal else None
        self._timer = threading.Timer(PATIENCE_SECONDS, self._tell)
        self._timer.daemon = True

    def _tell(self) -> None:
        typer.echo(f"{self._text} ...", err=True)

    def update(self, text: str) -> None:
        """Changes the text of the spinner."""
        self._text = text
        if self._status is not None:
            self._status.update(text)

    def __enter__(self) -> Waiting:
        if self._status is not None:
            self._status.start()
        else:
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._status is not None:
            self._status.stop()
