"""Counter-based random numbers: every stream is a pure function of a seed and the names of its purpose.

A 64-bit seed is split by `split(seed, key, ...)`, so that world 17 of a search draws the same numbers whichever
thread, process or machine works on it. Inside a kernel a stream is one `uint64` word advanced by wyrand (Wang Yi's
wyhash family): one addition and one 128-bit product a draw.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from tarocchi_engine.bits import multiply_high
from tarocchi_engine.compilation import kernel

_MASK64 = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB

_U_GOLDEN = np.uint64(_GOLDEN)
_U_MIX_1 = np.uint64(_MIX_1)
_U_MIX_2 = np.uint64(_MIX_2)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)
_11 = np.uint64(11)
_WY_STEP = np.uint64(0xA0761D6478BD642F)
_WY_MIX = np.uint64(0xE7037ED1A0B428DB)
_TO_UNIT = 1.0 / (1 << 53)


def split(seed: int, *keys: int) -> int:
    """Derives an independent 64-bit seed from `seed` for the purpose named by `keys` (any integers)."""
    state = seed & _MASK64
    for key in keys:
        state = _mix((state + _GOLDEN * ((key & _MASK64) + 1)) & _MASK64)
    return _mix((state + _GOLDEN) & _MASK64)


def _mix(z: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    z = ((z ^ (z >> 30)) * _MIX_1) & _MASK64
    z = ((z ^ (z >> 27)) * _MIX_2) & _MASK64
    return z ^ (z >> 31)


def fresh_seed() -> int:
    """Draws a seed from the operating system, in 0..2**63 - 1 so that it fits any client's integer."""
    return secrets.randbits(63)


@kernel
def mix(z: Any) -> Any:
    """Scrambles a `uint64` (the finaliser of SplitMix64), the twin of the Python code above."""
    z = (z ^ (z >> _30)) * _U_MIX_1
    z = (z ^ (z >> _27)) * _U_MIX_2
    return z ^ (z >> _31)


@kernel
def split_stream(seed: Any, key: Any) -> Any:
    """Derives the `uint64` seed of stream number `key` (int64) from `seed`: the twin of `split(seed, key)`."""
    return mix(mix(seed + _U_GOLDEN * (np.uint64(key) + np.uint64(1))) + _U_GOLDEN)


@kernel
def next_u64(stream: Any) -> Any:
    """Draws 64 random bits from `stream`, an array of one `uint64` word, and advances it (wyrand)."""
    word = stream[0] + _WY_STEP
    stream[0] = word
    other = word ^ _WY_MIX
    return multiply_high(word, other) ^ (word * other)


@kernel
def next_below(stream: Any, count: Any) -> Any:
    """Draws an integer in 0..count-1 (int64; bias below count / 2**64)."""
    return np.int64(multiply_high(next_u64(stream), np.uint64(count)))


@kernel
def next_unit(stream: Any) -> Any:
    """Draws a float in [0, 1) with 53 random bits."""
    return np.float64(next_u64(stream) >> _11) * _TO_UNIT
