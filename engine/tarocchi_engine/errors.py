"""The few exceptions of the engine, split by what a caller can do about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with given data: where, a stable reason, and a sentence that says what to do."""

    path: str
    reason: str
    message: str

    def below(self, prefix: str) -> Fault:
        """Returns the same fault with its path placed under `prefix`."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return Fault(f"{prefix}{joint}{self.path}", self.reason, self.message)


class TarocchiError(Exception):
    """The base of all errors of the engine."""


class UnknownVariantError(TarocchiError, ValueError):
    """Says that no variant has the given name."""


class IllegalMoveError(TarocchiError, ValueError):
    """Says that the rules forbid a move; `reason` is stable, `field` the part of the move at fault."""

    def __init__(self, reason: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.field = field


class _FaultyDataError(TarocchiError, ValueError):
    """The base of errors that list every fault of what was given."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{fault.path}: {fault.message}" for fault in faults))
        self.faults = tuple(faults)


class InvalidObservationError(_FaultyDataError):
    """Says that an observation cannot have happened, with every fault found."""


class InvalidDealError(_FaultyDataError):
    """Says that hands, dealer or moves do not make a deal, with every fault found."""


def check_kind(name: str, value: object, is_good: bool, wanted: str) -> None:
    """Raises TypeError unless an argument is of its kind; the message names it, what it is and what to give."""
    if not is_good:
        raise TypeError(f"{name} is {value!r}: give {wanted}")


def is_integer(value: object) -> bool:
    """Tells whether a value is a whole number; a truth value is none."""
    # the test of a protocol takes microseconds, and almost all are plain integers
    return type(value) is int or (isinstance(value, SupportsIndex) and not isinstance(value, bool))


class DealNotOverError(TarocchiError):
    """Says that a deal has no score yet."""
