"""How a signal ends a program: the first one in good order, the second at once.

Imports nothing of the project, so that a program can arm itself before it loads the rest.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
"""Those that ask a program to end."""
_SHOW_CURSOR: Final = b"\x1b[?25h"


class Stopped(BaseException):
    """The user, or the system, wants the program to end; no handler of errors should swallow that."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number
        """130 for SIGINT and 143 for SIGTERM, as shells have it."""


def stop_at_signals() -> None:
    """Makes SIGINT and SIGTERM raise `Stopped` in the main thread; after one, another ends the process on the spot."""
    for number in SIGNALS:
        signal.signal(number, _stop)


@contextlib.contextmanager
def signals_held_back() -> Iterator[None]:
    """Puts `Stopped` off to the end of the block; processes started in it inherit that the signals wait.

    So a process is started wholly or not at all. A Ctrl-C in a terminal reaches all processes of a group, also one that
    has just been started: that one lets the signals through when it is ready for them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    _held.is_on = True
    try:
        yield
    finally:
        _held.is_on = False
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if _held.number is not None:
            raise Stopped(_held.number)


@dataclass
class _Held:
    """What comes while signals are held back: the mask of one thread does not keep others from taking them."""

    is_on: bool = False
    number: int | None = None


_held = _Held()


def _stop(number: int, frame: object) -> None:
    for each in SIGNALS:
        signal.signal(each, _stop_at_once)
    if _held.is_on:
        _held.number = number
    else:
        raise Stopped(number)


def _stop_at_once(number: int, frame: object) -> None:
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr.isatty():
            # a progress bar hides the cursor
            os.write(sys.stderr.fileno(), _SHOW_CURSOR)
    os._exit(128 + number)
