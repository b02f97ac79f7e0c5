"""Single-instruction operations on card sets held in `uint64`, for use inside kernels.

numba offers no population count, no trailing-zero count and no 128-bit product for `uint64`; these intrinsics emit the
LLVM instructions. Everything is `uint64`, indices too: an unsigned index spares the check for negative ones, and mixing
signed and unsigned words is numba's way to lose the top bit.

`select(mask, k)`, the k-th set bit, is one `pdep` on processors that have a fast one and a broadword search elsewhere.
The choice is made once, at import, from the processor *and* the settings that numba compiles for, because a `pdep` on
a target without BMI2 ends the process.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import config, types

from tarocchi_engine.compilation import kernel

# Zen 1 and Zen 2 execute pdep in microcode, slower than the search below.
_SLOW_PDEP = ("znver1", "znver2")


def has_fast_pdep() -> bool:
    """Tells whether compiled code may use `pdep`: the processor has it, it is fast, numba compiles for it."""
    if config.CPU_FEATURES is not None:
        features = str(config.CPU_FEATURES).split(",")
        return "+bmi2" in features
    if config.CPU_NAME not in (None, "", "native"):
        return False
    host = llvm.get_host_cpu_features()
    return bool(host.get("bmi2", False)) and llvm.get_host_cpu_name() not in _SLOW_PDEP


FAST_PDEP = has_fast_pdep()

intrinsic: Any = extending.intrinsic

_U64 = ir.IntType(64)
_U128 = ir.IntType(128)


@intrinsic
def popcount(typingctx: Any, mask: Any) -> Any:
    """Returns the number of set bits of a `uint64`, as `uint64`."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@intrinsic
def lowest(typingctx: Any, mask: Any) -> Any:
    """Returns the index of the lowest set bit of a non-zero `uint64`, as `uint64`."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), emit


@intrinsic
def highest(typingctx: Any, mask: Any) -> Any:
    """Returns the index of the highest set bit of a non-zero `uint64`, as `uint64`."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        leading = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(_U64, 63), leading)

    return types.uint64(types.uint64), emit


@intrinsic
def multiply_high(typingctx: Any, left: Any, right: Any) -> Any:
    """Returns the upper 64 bits of the 128-bit product of two `uint64`."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = builder.mul(builder.zext(args[0], _U128), builder.zext(args[1], _U128))
        return builder.trunc(builder.lshr(wide, ir.Constant(_U128, 64)), _U64)

    return types.uint64(types.uint64, types.uint64), emit


@intrinsic
def _deposit(typingctx: Any, source: Any, mask: Any) -> Any:
    """Spreads the low bits of `source` over the set bits of `mask` (x86 `pdep`)."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(_U64, [_U64, _U64])
        name = "llvm.x86.bmi.pdep.64"
        function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), emit


def _select_table() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Returns `table[8 * byte + k]`, the index of the k-th set bit of a byte (8 where there is none)."""
    table = np.full(256 * 8, 8, dtype=np.uint8)
    for byte in range(256):
        for k, bit in enumerate(i for i in range(8) if byte >> i & 1):
            table[8 * byte + k] = bit
    return table


_SELECT_IN_BYTE = _select_table()
_ONES = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x5555555555555555)
_QUADS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)
_8 = np.uint64(8)
_255 = np.uint64(255)


@kernel
def select_portable(mask: Any, k: Any) -> Any:
    """Returns the index of the k-th set bit (from 0) of `mask` without BMI2; `k` is less than the bit count.

    Byte sums by parallel addition, then the byte by a broadword comparison, then one table look-up (Vigna,
    "Broadword Implementation of Rank/Select Queries", 2008).
    """
    sums = mask - ((mask >> _1) & _PAIRS)
    sums = (sums & _QUADS) + ((sums >> _2) & _QUADS)
    sums = ((sums + (sums >> _4)) & _NIBBLES) * _ONES
    rank = np.uint64(k)
    # bit 7 of each byte is set where the running count up to and with that byte is at most k
    not_above = ((rank * _ONES) | _HIGH_BITS) - sums
    place = popcount(not_above & _HIGH_BITS) * _8
    before = ((sums << _8) >> place) & _255
    byte = (mask >> place) & _255
    return place + np.uint64(_SELECT_IN_BYTE[(byte << _3) + rank - before])


if FAST_PDEP:

    @kernel
    def select(mask: Any, k: Any) -> Any:
        """Returns the index of the k-th set bit (from 0) of `mask`; `k` is less than the bit count."""
        return lowest(_deposit(_1 << np.uint64(k), mask))

else:
    select = select_portable


@kernel
def bit(card: Any) -> Any:
    """Returns the set that holds one card."""
    return _1 << np.uint64(card)
