"""Compares JSON with the message it is meant to be, and names every place where it does not fit.

protobuf's own reader stops at the first fault, words it for programmers, and takes a text for a list of letters.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

_RANGES: Final = {
    FieldDescriptor.TYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.TYPE_UINT64: (0, (1 << 64) - 1),
}
"""What the kinds of whole numbers can hold. No number that is asked with is below 0, as the service says itself."""
_CAPS: Final = frozenset(f"tarocchi.solver.v1.Budget.{name}" for name in ("worlds", "iterations"))
_DURATION: Final = re.compile(r"-?\d{1,12}(\.\d{1,9})?s")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HALF_CHARACTER: Final = "{} has half of a character in it, an unpaired surrogate"
_SHOWN: Final = 30
MOST_ENTRIES: Final = 10_000
"""Of a list; no request that fits into the limit of a server has so many."""
_OBSERVATION: Final = "tarocchi.solver.v1.Observation"
_HIDDEN: Final = frozenset({"deal", "hands", "stock"})
"""What a whole deal has and no observation, because it shows the cards of others."""

Faults = Iterator[tuple[str, str]]


def find_faults(kind: Any, value: object, path: str = "") -> Faults:
    """Yields path and sentence of every place where `value` is no JSON form of the message.

    Unknown fields are fine, but for those that would show hidden cards.
    """
    if kind.full_name == "google.protobuf.Duration":
        if not isinstance(value, str) or not _DURATION.fullmatch(value):
            yield path, f'a duration such as "1.5s" is needed, not {_shown(value)}'
        return
    if not isinstance(value, dict):
        yield path, f"an object in braces is needed, not {_shown(value)}"
        return
    seen: set[str] = set()
    set_in: dict[str, str] = {}
    for name, inner in value.items():
        if not _is_whole(name):
            yield path, _HALF_CHARACTER.format(f"the key {name!a}")
            continue
        field = field_of(kind, name)
        if field is None and kind.full_name == _OBSERVATION and name in _HIDDEN:
            text = "an observation never holds this, which shows hidden cards: give what one seat knows"
            yield _below(path, name), f"{text}, such as table.observation(seat)"
        if field is None or inner is None:
            continue
        where = _below(path, field.name)
        if field.name in seen:
            yield where, "this field stands here twice, under both of its names: give it once"
            continue
        seen.add(field.name)
        yield from _faults_of_field(field, inner, where)
        group = field.containing_oneof
        if group is not None and len(group.fields) > 1:
            if group.name in set_in:
                yield path, f"{set_in[group.name]} and {field.name} exclude each other: give one of them"
            set_in[group.name] = field.name


def unknown_fields(kind: Any, value: object, path: str = "") -> Iterator[str]:
    """Yields the paths of the fields that the message does not have."""
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        field = field_of(kind, name)
        if field is None:
            yield _below(path, name)
        elif field.message_type is not None and map_value(field) is None:
            where = _below(path, field.name)
            if isinstance(inner, list):
                for index, part in enumerate(inner):
                    yield from unknown_fields(field.message_type, part, f"{where}[{index}]")
            else:
                yield from unknown_fields(field.message_type, inner, where)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def field_of(kind: Any, name: str) -> FieldDescriptor | None:
    """Returns the field with a JSON name or a proto name."""
    by_json: FieldDescriptor | None = kind.fields_by_camelcase_name.get(name)
    return by_json or kind.fields_by_name.get(name)


def is_repeated(field: FieldDescriptor) -> bool:
    """Tells whether a field is a list; older versions of protobuf have only the label for it."""
    known = getattr(field, "is_repeated", None)
    return bool(getattr(field, "label", 0) == FieldDescriptor.LABEL_REPEATED if known is None else known)


def map_value(field: FieldDescriptor) -> FieldDescriptor | None:
    """Returns the field of a map's values, None for a field that is no map; in JSON the keys of a map are data."""
    entry = field.message_type
    return entry.fields_by_name["value"] if entry is not None and entry.GetOptions().map_entry else None


def _faults_of_field(field: FieldDescriptor, value: object, path: str) -> Faults:
    if inner := map_value(field):
        if not isinstance(value, dict):
            yield path, f"an object in braces is needed, not {_shown(value)}"
            return
        for key, entry in value.items():
            if not _is_whole(key):
                yield path, _HALF_CHARACTER.format(f"the key {key!a}")
                continue
            yield from _faults_of_value(inner, entry, f"{path}[{repr(key)[1:-1]}]")
    elif not is_repeated(field):
        yield from _faults_of_value(field, value, path)
    elif not isinstance(value, list):
        yield path, f"a list in brackets is needed, not {_shown(value)}"
    elif len(value) > MOST_ENTRIES:
        yield path, f"{len(value)} are too many: at most {MOST_ENTRIES} are looked at"
    else:
        for index, entry in enumerate(value):
            yield from _faults_of_value(field, entry, f"{path}[{index}]")


def _faults_of_value(field: FieldDescriptor, value: object, path: str) -> Faults:
    if field.message_type is not None:
        yield from find_faults(field.message_type, value, path)
    elif field.type == FieldDescriptor.TYPE_STRING:
        if not isinstance(value, str):
            yield path, f"a text in quotation marks is needed, not {_shown(value)}"
        elif not _is_whole(value):
            yield path, _HALF_CHARACTER.format("the text")
    elif field.type in _RANGES:
        least, most = _RANGES[field.type]
        number = _integer(value)
        if number is None:
            yield path, f"a whole number is needed, not {_shown(value)}"
        elif not least <= number <= most:
            least = 1 if field.full_name in _CAPS else 0
            yield path, f"{_shown(value)} is out of range: {least} to {most}"
    elif field.type == FieldDescriptor.TYPE_DOUBLE:
        if not _is_number(value):
            yield path, f"a number is needed, not {_shown(value)}"
    elif field.type == FieldDescriptor.TYPE_BOOL:
        if not isinstance(value, bool):
            yield path, f"true or false is needed, not {_shown(value)}"
    elif field.enum_type is not None and _enum_number(field.enum_type, value) is None:
        names = ", ".join(known.name for known in field.enum_type.values[1:])
        yield path, f"one of {names} is needed, not {_shown(value)}"


def _enum_number(kind: Any, value: object) -> int | None:
    """Returns the number of a value of an enum, which may be given by its name; None if there is none."""
    if isinstance(value, str):
        known = kind.values_by_name.get(value)
        return None if known is None else int(known.number)
    number = _integer(value)
    return number if number in kind.values_by_number else None


def _is_whole(text: str) -> bool:
    """Tells whether a text has no unpaired surrogate, which JSON lets through and UTF-8 cannot hold."""
    return not _SURROGATE.search(text)


def _is_number(value: Any) -> bool:
    """Tells whether a value, or a text as JSON writes numbers, is a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _integer(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
        return int(value)
    return None


def _shown(value: object) -> str:
    """Returns a value as it stood in the JSON text, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
