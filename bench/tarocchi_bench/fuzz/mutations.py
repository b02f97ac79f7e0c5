"""Mutates requests: as messages, whose fields are changed, and as bytes, which are cut, flipped and put together."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

MOST_BYTES: Final = 1 << 16
"""Of a mutated request; a few are longer."""
_MOST_ENTRIES: Final = 250
_MOST_CHANGES: Final = 4
_BYTES_SHARE: Final = 0.25
"""How many requests are mutated as bytes."""
_STAY: Final = 0.25
"""How likely it is that a message itself is changed, and none in it."""
_BITS: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(1 << 31), (1 << 31) - 1),
}
_FLOATS: Final = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, 1e308, -1e308, float("inf"), float("-inf"), float("nan"))
_WORDS: Final = tuple(
    "SK SQ BN CN DA D1 T1 T5 T16 T20 T21 ANG MAT BAG MON SOL LUN bolognese ottocento piedicavallo terziglio match true "
    "false four_deals sk T99 T-1 Matto".split()
)
_TEXTS: Final = (
    "",
    " ",
    "\0",
    "\x7f",
    "]",
    "a.b[0]",
    "'",
    '"',
    "\\",
    "%s{}",
    "\u202e",
    "\U0001f0a1",
    "à",
    "\ufffd",
    "٣",
)


def mutated(draw: random.Random, kind: type[Message], data: bytes, others: Sequence[bytes]) -> bytes:
    """Returns a request made from another one.

    Args:
        draw: the chance.
        kind: that of the request.
        data: the request that is changed.
        others: requests of any kind, of which pieces may come in.
    """
    if draw.random() >= _BYTES_SHARE:
        try:
            message = kind.FromString(data)
        except DecodeError:
            pass
        else:
            for _ in range(draw.randint(1, _MOST_CHANGES)):
                _change(draw, message)
            data = message.SerializeToString()
            return data if draw.random() < 0.9 else data + draw.choice(_TAILS)(draw)
    for _ in range(draw.randint(1, _MOST_CHANGES)):
        data = draw.choice(_BYTE_CHANGES)(draw, data, draw.choice(others))
    return data[:MOST_BYTES]


# --- bytes


def _flip(draw: random.Random, data: bytes, other: bytes) -> bytes:
    changed = bytearray(data or b"\0")
    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _overwrite(draw: random.Random, data: bytes, other: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + draw.randbytes(draw.randint(1, 8)) + data[at + draw.randint(0, 8) :]


def _cut(draw: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _remove(draw: random.Random, data: bytes, other: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + data[at + draw.randint(1, 40) :]


def _splice(draw: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :]


def _join(draw: random.Random, data: bytes, other: bytes) -> bytes:
    return data + other


def _repeat(draw: random.Random, data: bytes, other: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    return data[:at] + data[at : at + draw.randint(1, 60)] * draw.choice((2, 3, 300)) + data[at:]


_BYTE_CHANGES: Final = (_flip, _flip, _overwrite, _cut, _remove, _splice, _join, _repeat)


# --- what no message of the contract has


def _unknown_field(draw: random.Random) -> bytes:
    number = draw.choice((9, 15))
    return draw.choice(
        (bytes([number << 3, draw.randrange(128)]), bytes([number << 3 | 2, 3]) + b"abc", bytes([number << 3 | 5]) * 5)
    )


def _deep_nesting(draw: random.Random) -> bytes:
    """Returns groups, or texts that can be messages, one inside the other."""
    depth = draw.choice((10, 99, 101, 5000))
    if draw.random() < 0.5:
        return b"\x7b" * depth + b"\x7c" * draw.choice((0, depth))
    nested = b""
    for _ in range(min(depth, 300)):
        nested = b"\x0a" + _varint(len(nested)) + nested
    return nested


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _long_number(draw: random.Random) -> bytes:
    return bytes([draw.choice((8, 16, 24))]) + b"\xff" * draw.choice((5, 9, 10, 11)) + b"\x01"


_TAILS: Final[tuple[Callable[[random.Random], bytes], ...]] = (_unknown_field, _deep_nesting, _long_number)


# --- messages


def _is_map(field: Any) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _place(draw: random.Random, message: Any) -> tuple[Message, Any] | None:
    """Returns some field, set or not, of a message or of one in it, with the message that has it."""
    while fields := message.DESCRIPTOR.fields:
        inner = [field for field, _ in message.ListFields() if field.message_type is not None and not _is_map(field)]
        if not inner or draw.random() < _STAY:
            return message, draw.choice(fields)
        field = draw.choice(inner)
        value = getattr(message, field.name)
        message = draw.choice(value) if field.is_repeated else value
    return None


def _change(draw: random.Random, message: Message) -> None:
    """Changes one field somewhere in a message."""
    place = _place(draw, message)
    if place is None:
        return
    owner, field = place
    value: Any = getattr(owner, field.name)
    if _is_map(field):
        _change_map(draw, value)
    elif field.is_repeated:
        _change_list(draw, field, value)
    elif field.message_type is not None:
        if owner.HasField(field.name) and draw.random() < 0.5:
            owner.ClearField(field.name)
        else:
            value.SetInParent()
    elif draw.random() < 0.15:
        owner.ClearField(field.name)
    else:
        setattr(owner, field.name, _scalar(draw, field, value))


def _change_map(draw: random.Random, value: Any) -> None:
    if value and draw.random() < 0.3:
        del value[draw.choice(sorted(value))]
    for _ in range(draw.choice((1, 1, 2, 40))):
        value[_text(draw, "match")] = _text(draw, "true")


def _change_list(draw: random.Random, field: FieldDescriptor, value: Any) -> None:
    """Changes a list: entries go, come again, change places or become others."""
    entries = list(value)
    at = draw.randrange(len(entries)) if entries else 0
    match draw.randrange(7):
        case 0:
            del entries[at : at + draw.choice((1, 1, 5))]
        case 1:
            entries[at:at] = entries[at : at + 1] * draw.choice((1, 1, 2, _MOST_ENTRIES))
        case 2 if entries:
            other = draw.randrange(len(entries))
            entries[at], entries[other] = entries[other], entries[at]
        case 3:
            draw.shuffle(entries)
        case 4:
            entries = entries[at:]
        case 5 if entries and field.message_type is None:
            entries[at] = _scalar(draw, field, entries[at])
        case _:
            if field.message_type is not None:
                value.add()
            else:
                value.insert(at, _scalar(draw, field, draw.choice(entries) if entries else field.default_value or ""))
            return
    if field.message_type is not None:
        entries = [type(entry).FromString(entry.SerializeToString()) for entry in entries]
    del value[:]
    value.extend(entries[: 2 * _MOST_ENTRIES])


def _scalar(draw: random.Random, field: FieldDescriptor, value: Any) -> Any:
    """Returns another value for a field, near to the one that it has or far from it."""
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return _text(draw, value if isinstance(value, str) else "")
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return draw.random() < 0.5
    if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return draw.choice((*_FLOATS, float(draw.randint(-800, 800)), draw.uniform(-800, 800)))
    least, most = _BITS[kind]
    number = int(value or 0)
    near = (number + 1, number - 1, draw.randrange(9), draw.randrange(300))
    return min(max(draw.choice((*near, *near, least, most, 10**9, -number)), least), most)


def _text(draw: random.Random, text: str) -> str:
    """Returns another text: a word of the game, one out of all measure, or a small change."""
    share = draw.random()
    if share < 0.6:
        return draw.choice(_WORDS)
    if share < 0.8:
        return draw.choice(_TEXTS)
    if share < 0.85:
        return draw.choice(_WORDS + _TEXTS) * draw.choice((20, 2000))
    at = draw.randrange(len(text) + 1)
    return text[:at] + draw.choice(("1", "T", "K", "\n", "")) + text[at + draw.randrange(2) :]
