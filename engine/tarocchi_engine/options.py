"""Rule options: the switches of a variant, each with a name, its values, a default and a sentence.

An option is a field of the variant's dataclass, so code reads it as an attribute; clients read and write it as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, TypeVar

from tarocchi_engine.errors import TarocchiError

_BOOLEANS = ("true", "false")

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """What a client needs to know about a rule option."""

    name: str
    values: tuple[str, ...]
    default: str
    summary: str


class OptionError(TarocchiError, ValueError):
    """Says that a variant has no such option, or the option no such value; `reason` is stable."""

    def __init__(self, name: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.reason = reason
        self.message = message


def option(default: bool | str, summary: str, values: tuple[str, ...] = ()) -> Any:
    """Declares a rule option of a variant's dataclass: a switch, or a choice among `values`."""
    metadata = {"default": default, "summary": summary, "values": values or _BOOLEANS}
    return field(default=default, metadata=metadata)


def options_of(variant: Any) -> tuple[OptionInfo, ...]:
    """Returns the options of a variant (class or instance) in the order of their declaration."""
    return tuple(
        OptionInfo(name, item.metadata["values"], format_value(item.metadata["default"]), item.metadata["summary"])
        for name, item in _option_fields(variant).items()
    )


def with_options(variant: V, given: Mapping[str, str]) -> V:
    """Returns the variant with the given options, the others at their defaults; raises `OptionError`."""
    known = _option_fields(variant)
    values: dict[str, Any] = {}
    for name, text in given.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise OptionError(name, "UNKNOWN_OPTION", f"{name!r} is no rule option here; known are: {names}")
        allowed = known[name].metadata["values"]
        if text not in allowed:
            choice = ", ".join(allowed)
            raise OptionError(name, "UNKNOWN_OPTION_VALUE", f"{text!r} is no value of {name}; give one of: {choice}")
        values[name] = text == "true" if allowed == _BOOLEANS else text
    return replace(variant, **values)  # type: ignore[type-var]


def given_options(variant: Any) -> tuple[tuple[str, str], ...]:
    """Returns the options of a variant that differ from their defaults, as pairs of name and value by name."""
    return tuple(
        (name, format_value(getattr(variant, name)))
        for name, item in sorted(_option_fields(variant).items())
        if getattr(variant, name) != item.metadata["default"]
    )


def format_value(value: bool | str) -> str:
    """Returns the value of an option as text."""
    return str(value).lower() if isinstance(value, bool) else value


def _option_fields(variant: Any) -> dict[str, Field[Any]]:
    return {item.name: item for item in fields(variant)}
