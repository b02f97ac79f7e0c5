"""Tells whether a text is the path of a field, such as `observation.events[7].play.card`."""

from __future__ import annotations

import re
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

_STEP: Final = re.compile(r"([a-z][a-z0-9_]*)(?:\[(\d+)\])?(?:\.|$)")


def is_path(message: Descriptor, path: str) -> bool:
    """Tells whether a kind of message can have a field at a path; one of a map may have any key in brackets."""
    match = _STEP.match(path)
    name = match.group(1) if match else path.partition("[")[0]
    field = message.fields_by_name.get(name)
    if field is None:
        return False
    if _is_map(field):
        # a key may hold anything, so it goes to the end
        return path == name or (path.startswith(f"{name}[") and path.endswith("]"))
    if match is None or (match.group(2) is not None and not field.is_repeated):
        return False
    rest = path[match.end() :]
    if not rest:
        return not path.endswith(".")
    if field.message_type is None or (field.is_repeated and match.group(2) is None):
        return False
    return is_path(field.message_type, rest)


def _is_map(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and kind.GetOptions().map_entry
