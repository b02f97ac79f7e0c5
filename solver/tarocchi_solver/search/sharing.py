"""Shares the cores between searches that may use several threads each.

Many threads on few cores wait for each other's turns and for the interpreter, and of two equal searches one then does
many times the work of the other. So a search uses no more threads than its share of the cores, which changes its speed
and nothing else.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_running: Counter[int] = Counter()


def core_count() -> int:
    """Returns how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def share_of(threads: int) -> Iterator[int]:
    """Counts as one that searches, and gives how many of `threads` it may use as things are, at least 1.

    Who searches at another priority, such as the study of finished deals, does not count.
    """
    priority = os.getpriority(os.PRIO_PROCESS, 0) if sys.platform != "win32" else 0
    with _lock:
        _running[priority] += 1
        share = core_count() // _running[priority]
    try:
        yield max(1, min(threads, share))
    finally:
        with _lock:
            _running[priority] -= 1
