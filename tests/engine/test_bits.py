"""Bit operations of the kernels against plain Python, with the top bit set and not, on every code path."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from tarocchi_engine import bits, compilation

_WORD = (1 << 64) - 1


@njit
def run_popcount(mask: Any) -> Any:
    return bits.popcount(mask)


@njit
def run_lowest(mask: Any) -> Any:
    return bits.lowest(mask)


@njit
def run_highest(mask: Any) -> Any:
    return bits.highest(mask)


@njit
def run_multiply_high(left: Any, right: Any) -> Any:
    return bits.multiply_high(left, right)


def words() -> list[int]:
    """Returns single bits, runs, their complements and random words sparse and dense."""
    rng = random.Random("words")
    single = [1 << index for index in range(64)]
    runs = [(1 << index) - 1 for index in range(1, 65)]
    mixed = [rng.getrandbits(64) for _ in range(200)]
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in range(100)]
    all_words = {*single, *runs, *(word ^ _WORD for word in single + runs), *mixed, *sparse}
    return sorted(all_words - {0})


def python_select(mask: int, k: int) -> int:
    return [index for index in range(64) if mask >> index & 1][k]


def test_counts_and_ends() -> None:
    assert int(run_popcount(np.uint64(0))) == 0
    for word in words():
        mask = np.uint64(word)
        assert int(run_popcount(mask)) == word.bit_count()
        assert int(run_lowest(mask)) == (word & -word).bit_length() - 1
        assert int(run_highest(mask)) == word.bit_length() - 1


def test_results_are_unsigned() -> None:
    """A signed result would turn the words it is mixed with into signed ones."""
    mask = np.uint64(1 << 63)
    for result in (run_popcount(mask), run_lowest(mask), run_highest(mask), run_multiply_high(mask, mask)):
        assert isinstance(result, int)
    for kernel in (run_popcount, run_lowest, run_highest, run_multiply_high):
        assert [str(signature.return_type) for signature in kernel.nopython_signatures] == ["uint64"]
    bits.select(mask, np.uint64(0))
    bits.select_portable(mask, np.uint64(0))
    bits.bit(np.uint64(63))
    for kernel in (bits.select, bits.select_portable, bits.bit):
        assert {str(signature.return_type) for signature in kernel.nopython_signatures} == {"uint64"}


def test_upper_half_of_products() -> None:
    rng = random.Random("products")
    factors = [0, 1, 2, _WORD, 1 << 63, *(rng.getrandbits(64) for _ in range(40))]
    for left in factors:
        for right in factors:
            assert int(run_multiply_high(np.uint64(left), np.uint64(right))) == left * right >> 64


@pytest.mark.parametrize("kernel", [bits.select, bits.select_portable], ids=["select", "portable"])
def test_select_finds_every_bit(kernel: Any) -> None:
    for word in words():
        places = [index for index in range(64) if word >> index & 1]
        for k, place in enumerate(places):
            assert int(kernel(np.uint64(word), np.uint64(k))) == place


def test_bit_of_every_card() -> None:
    assert [int(bits.bit(np.uint64(index))) for index in range(64)] == [1 << index for index in range(64)]


@pytest.mark.parametrize(
    ("cpu_name", "features", "expected"),
    [
        (None, "", False),
        (None, "+sse2,+bmi", False),
        (None, "+sse2,-bmi2", False),
        (None, "+avx2,+bmi2", True),
        ("generic", "+bmi2", True),
        ("generic", None, False),
        ("skylake", None, False),
    ],
)
def test_pdep_is_chosen_by_the_settings_of_the_compiler(
    monkeypatch: pytest.MonkeyPatch, cpu_name: str | None, features: str | None, expected: bool
) -> None:
    monkeypatch.setattr(bits.config, "CPU_NAME", cpu_name)
    monkeypatch.setattr(bits.config, "CPU_FEATURES", features)
    assert bits.has_fast_pdep() is expected


@pytest.mark.parametrize(("model", "expected"), [("znver1", False), ("znver2", False), ("znver3", True)])
def test_processors_with_a_slow_pdep_do_without(monkeypatch: pytest.MonkeyPatch, model: str, expected: bool) -> None:
    monkeypatch.setattr(bits.config, "CPU_NAME", None)
    monkeypatch.setattr(bits.config, "CPU_FEATURES", None)
    monkeypatch.setattr(bits.llvm, "get_host_cpu_features", lambda: {"bmi2": True})
    monkeypatch.setattr(bits.llvm, "get_host_cpu_name", lambda: model)
    assert bits.has_fast_pdep() is expected
    monkeypatch.setattr(bits.llvm, "get_host_cpu_features", lambda: {"bmi2": False})
    assert bits.has_fast_pdep() is False


SCRIPT = """
import json, sys
import numpy as np
from tarocchi_engine import bits
questions = json.load(sys.stdin)
answers = [int(bits.select(np.uint64(word), np.uint64(k))) for word, k in questions]
print(json.dumps([bits.FAST_PDEP, bits.select is bits.select_portable, answers]))
"""


def test_a_target_without_pdep_gets_the_fallback_and_the_same_answers(tmp_path: Path) -> None:
    """In a process of its own: compiling `pdep` for such a target would end it."""
    questions = [(word, k) for word in words()[::5] for k in range(0, word.bit_count(), 7)]
    environment = os.environ | {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        compilation.CACHE_DIR_VARIABLE: str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment,
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [False, True, [python_select(word, k) for word, k in questions]]
