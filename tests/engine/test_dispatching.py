"""Both forms of a kernel: what one asks of another is compiled no further than needed, and Python can call each."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from tarocchi_engine.dispatching import InnerDispatcher, OuterDispatcher


@OuterDispatcher
def doubled(number: Any) -> Any:
    if number < 0:
        raise ValueError("below nothing")
    return number * 2


@OuterDispatcher
def doubled_plus(number: Any, more: Any = 1) -> Any:
    return doubled(number) + more


@OuterDispatcher
def factorial(number: Any) -> Any:
    if number <= 1:
        return 1
    return number * factorial(number - 1)


@OuterDispatcher
def filled(count: Any) -> Any:
    """What it returns has a reference count."""
    found = np.zeros(count, dtype=np.int64)
    for place in range(count):
        found[place] = factorial(place + 1)
    return found


@OuterDispatcher
def total_of(count: Any) -> Any:
    return filled(count).sum()


def test_only_what_is_called_from_python_is_compiled_for_it() -> None:
    assert doubled_plus(4) == 9
    assert (len(doubled_plus.signatures), len(doubled_plus.inner.signatures)) == (1, 0)
    inner = list(doubled.inner.overloads)
    assert inner == [(numba.int64,)]
    symbols = doubled.inner.overloads[numba.int64,].library.get_llvm_str()
    assert "doubled" in symbols
    assert "cpython" not in symbols
    assert "cpython" in next(iter(doubled_plus.overloads.values())).library.get_llvm_str()


def test_python_can_call_what_another_kernel_called_first() -> None:
    assert doubled_plus(4.5, more=1) == 10.0
    assert doubled(4.5) == 9.0
    assert doubled_plus(5.5) == 12.0


def test_errors_of_inner_kernels_arrive() -> None:
    with pytest.raises(ValueError, match="below nothing"):
        doubled_plus(-1)
    with pytest.raises(ValueError, match="below nothing"):
        doubled(-1)


def test_kernels_may_call_themselves() -> None:
    assert factorial(5) == 120
    assert total_of(4) == 33
    assert filled(3).tolist() == [1, 2, 6]


def test_a_kernel_that_does_not_compile_says_why() -> None:
    @OuterDispatcher
    def broken(number: Any) -> Any:
        return number.nonsense

    @OuterDispatcher
    def outside(number: Any) -> Any:
        return broken(number)

    for kernel in (broken, outside):
        with pytest.raises(numba.TypingError, match="nonsense"):
            kernel(1)


def test_python_cannot_call_the_inner_form() -> None:
    inner = InnerDispatcher(doubled.py_func)
    with pytest.raises(TypeError, match="inner form"):
        inner(3)
    assert doubled_plus(3) == 7
    with pytest.raises(TypeError, match="inner form"):
        doubled.inner(3)
