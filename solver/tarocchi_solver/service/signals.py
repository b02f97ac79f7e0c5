"""Takes note of the signals to stop. It loads nothing else, so that it can be done first of all."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def noted_signals() -> Iterator[list[int]]:
    """Gives a list to which every SIGTERM and SIGINT is added while the context lasts, instead of ending the process.

    Must be entered in the main thread.
    """
    received: list[int] = []
    # a handler that took a lock could meet itself holding it
    before = {
        number: signal.signal(number, lambda number, frame: received.append(number))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
