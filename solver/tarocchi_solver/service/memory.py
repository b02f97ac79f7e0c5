"""Has the allocator give back what a server no longer needs."""

from __future__ import annotations

import ctypes
import os
from typing import Final

_SETTINGS: Final = {
    -8: 2,  # M_ARENA_MAX: each arena keeps what was freed in it, and by default there are eight for each core
    -3: 1 << 18,  # M_MMAP_THRESHOLD: larger pieces go back at once, also after the first of them was freed
    -1: 1 << 20,  # M_TRIM_THRESHOLD: at the end of the heap no more than this is kept
}
"""Parameters of `mallopt` in the C library of GNU, by their numbers in malloc.h, and their values."""
_OWN_SETTINGS: Final = "MALLOC_"
"""How the variables of the environment begin by which an operator sets the same."""


def give_back_memory() -> bool:
    """Sets the allocator up so that the memory of a process follows what it needs; returns whether that was done.

    Searches come and go in many threads, and left alone, the allocator keeps dozens of MiB that they have freed.
    Nothing is done where the C library is another one than that of GNU, or where the environment sets its allocator up.
    """
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    if "glibc.malloc" in tunables or any(name.startswith(_OWN_SETTINGS) for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    are_set = [mallopt(parameter, value) == 1 for parameter, value in _SETTINGS.items()]
    return all(are_set)
