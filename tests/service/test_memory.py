"""What the allocator is told, so that a server's memory follows what it needs."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes
from tarocchi_solver.service.memory import give_back_memory

class Account(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd a b c d e".split()]

print(give_back_memory())
account = ctypes.CDLL(None).mallinfo2
account.restype = Account
# left alone, the allocator takes pieces up to the size of the first that was freed from its own store from then on
large = bytearray(1 << 24)
del large
before = account().hblks
pieces = [bytearray(1 << 20) for _ in range(8)]
print(account().hblks - before)
"""


def told(**environment: str) -> list[str]:
    """Returns what the program prints in a fresh process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=clean | environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or tuple(map(int, platform.libc_ver()[1].split("."))) < (2, 33),
    reason="sets up the allocator of GNU and reads its account",
)


def test_large_pieces_go_back_when_they_are_freed() -> None:
    assert told() == ["True", "8"]


@pytest.mark.parametrize(("name", "value"), [("MALLOC_ARENA_MAX", "4"), ("GLIBC_TUNABLES", "glibc.malloc.arena_max=4")])
def test_what_an_operator_sets_stays(name: str, value: str) -> None:
    done, mapped = told(**{name: value})
    assert done == "False"
    assert int(mapped) < 8
