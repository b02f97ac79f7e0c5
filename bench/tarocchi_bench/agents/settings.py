"""Reads settings such as `worlds=8,playout=random` into dataclasses by the types of their fields, and writes them."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from tarocchi_bench.agents.base import AgentSpecError

Converter = Callable[[str], Any]
NONE = "none"
"""How None is written."""


def converters_of(kind: type) -> dict[str, Converter]:
    """Returns for each field of a dataclass what reads its value from text; raises TypeError for an unknown type."""
    hints = get_type_hints(kind)
    return {item.name: _converter(hints[item.name], f"{kind.__name__}.{item.name}") for item in fields(kind)}


def _converter(hint: Any, field: str) -> Converter:
    if get_origin(hint) in (Union, types.UnionType):
        (inner,) = (part for part in get_args(hint) if part is not type(None))
        convert = _converter(inner, field)
        return lambda text: None if text == NONE else convert(text)
    if hint is bool:
        return _boolean
    if hint is float:
        return _finite
    if isinstance(hint, type) and (hint in (int, str) or issubclass(hint, Enum)):
        return hint
    raise TypeError(f"{field} is of type {hint}, which no text is read into: add a converter")


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def read_settings(text: str, rest: str, converters: Mapping[str, Converter]) -> dict[str, Any]:
    """Returns the values of the settings in `rest`, a part of the agent's name `text`; raises `AgentSpecError`."""
    given: dict[str, Any] = {}
    name = text.partition(":")[0]
    for item in rest.split(",") if rest else ():
        key, separator, value = item.partition("=")
        if not separator or key not in converters:
            known = ", ".join(f"{known}=..." for known in converters) or "none"
            raise AgentSpecError(f"agent {text!r}: {item!r} is not a setting of {name}; settings: {known}")
        if key in given:
            raise AgentSpecError(f"agent {text!r}: {key} stands twice: give it once")
        try:
            given[key] = converters[key](value)
        except ValueError as error:
            raise AgentSpecError(f"agent {text!r}: {value!r} is no value for {key}") from error
    return given


def as_plain(value: object) -> dict[str, Any]:
    """Returns the fields of a dataclass in a form that JSON can hold."""
    found = {}
    for item in fields(value):  # type: ignore[arg-type]
        inner = getattr(value, item.name)
        found[item.name] = inner.value if isinstance(inner, Enum) else inner
    return found
