"""Builds messages of the contract from what a caller gives, or says everything that is wrong with it."""

from __future__ import annotations

import math
import secrets
import sys
import warnings
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from google.protobuf import duration_pb2, json_format
from google.protobuf.message import Message

from tarocchi.solver.v1 import solver_service_pb2
from tarocchi_solver.client.errors import InvalidCallError, UnknownFieldWarning
from tarocchi_solver.client.json_form import find_faults, unknown_fields

_NANOSECONDS: Final = 10**6
"""Of a millisecond."""
_MOST_MILLISECONDS: Final = 315_576_000_000_000
"""The longest duration that the contract can hold."""

_PACKAGE: Final = __name__.rpartition(".")[0]
SEED_BITS: Final = 64

M = TypeVar("M", bound=Message)


def message_of(kind: type[M], value: object, path: str) -> M:
    """Returns a message that is given as such or in its JSON form.

    Args:
        kind: the kind of message.
        value: a message of this kind, or a mapping. Fields that the kind does not have are ignored with a warning.
        path: what faults call the value.

    Raises:
        InvalidCallError: the value is neither, or does not fit the message; it names every field that does not.
    """
    if isinstance(value, kind):
        return value
    if isinstance(value, Message):
        raise InvalidCallError.about([(path, f"{type(value).__name__} given where {kind.__name__} is needed")])
    message = kind()
    try:
        plain = _plain(value)
        if faults := list(find_faults(kind.DESCRIPTOR, plain, path)):
            raise InvalidCallError.about(faults)
        json_format.ParseDict(plain, message, ignore_unknown_fields=True)
        unknown = next(unknown_fields(kind.DESCRIPTOR, plain, path), None)
    except json_format.ParseError as error:
        raise InvalidCallError.about([(path, str(error))]) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidCallError.about([(path, f"this is no JSON form of {kind.__name__}: {error}")]) from error
    if unknown is not None:
        text = f"unknown fields are ignored, the first is {unknown!r}"
        warnings.warn(text, UnknownFieldWarning, stacklevel=_frames_of_the_client())
    return message


def _frames_of_the_client() -> int:
    """Returns the level at which the stack leaves this package: that of the code which a warning is about."""
    level, frame = 0, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level + 1


def _plain(value: object) -> Any:
    """Returns a value with dictionaries for all mappings, lists for tuples and the JSON form of messages."""
    if isinstance(value, Message):
        return json_format.MessageToDict(value, always_print_fields_with_no_presence=True)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def without_none(**fields: object) -> dict[str, object]:
    """Returns the fields that are given."""
    return {name: value for name, value in fields.items() if value is not None}


def fresh_seed(seed: int | None = None) -> int:
    """Returns the seed that is given, or one drawn now, so that every attempt at a call asks for the same."""
    return secrets.randbits(SEED_BITS) if seed is None else seed


def budget_of(worlds: int | None, iterations: int | None, time_ms: float | None) -> solver_service_pb2.Budget:
    """Returns the caps of a search; raises `InvalidCallError` for what is no number or does not fit."""
    budget = message_of(solver_service_pb2.Budget, without_none(worlds=worlds, iterations=iterations), "budget")
    if time_ms is not None:
        budget.duration.CopyFrom(duration_of("time_ms", time_ms))
    return budget


def duration_of(name: str, milliseconds: float) -> duration_pb2.Duration:
    """Returns a duration given in milliseconds; raises `InvalidCallError` for what is no number or does not fit."""
    require_number(name, milliseconds)
    if abs(milliseconds) > _MOST_MILLISECONDS:
        raise InvalidCallError.about([(name, f"{milliseconds} milliseconds are too many: leave it out")])
    duration = duration_pb2.Duration()
    duration.FromNanoseconds(math.ceil(milliseconds * _NANOSECONDS))
    return duration


def full_name(prefix: str, value: object) -> object:
    """Returns the name of an enum's value in full where it is given short, such as "club"; all else as it is."""
    if isinstance(value, str) and not value.startswith(prefix):
        return prefix + value.upper()
    return value


def require_number(name: str, value: Any) -> None:
    """Raises `InvalidCallError` for an argument that is no finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidCallError.about([(name, f"a number is needed, not {value!r}")])


def require_timeout(name: str, seconds: Any) -> None:
    """Raises `InvalidCallError` for what is no time in which something can be done."""
    require_number(name, seconds)
    if seconds <= 0:
        raise InvalidCallError.about([(name, f"{seconds} is no time: give seconds above 0, or None for no limit")])
