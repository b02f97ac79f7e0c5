"""Arguments and options that several commands share, and how an answer is printed as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from google.protobuf.message import Message

MAX_SEED = (1 << 64) - 1
MAX_CAP = (1 << 31) - 1

Source = Annotated[str, typer.Argument(metavar="FILE|-", help="A JSON file, or - for standard input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Seed = Annotated[int | None, typer.Option(min=0, max=MAX_SEED, help="Seed of the random numbers; drawn if left out.")]
Iterations = Annotated[int | None, typer.Option(min=1, max=MAX_CAP, help="Cap on iterations over all worlds.")]
Worlds = Annotated[int | None, typer.Option(min=1, max=MAX_CAP, help="Cap on sampled worlds.")]
TimeMs = Annotated[int | None, typer.Option(min=1, max=MAX_CAP, help="Cap on the time, in milliseconds.")]


def print_json(message: Message) -> None:
    """Prints a message in the canonical JSON form, zeros and empty lists included, in the order of the contract."""
    from google.protobuf import json_format

    value = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    typer.echo(json.dumps(_in_order(message.DESCRIPTOR, value), indent=2, ensure_ascii=False))


def _in_order(kind: Any, value: dict[str, Any]) -> dict[str, Any]:
    """Returns the JSON form of a message with its fields in the order of their declaration."""
    ordered = {}
    for field in kind.fields:
        if field.json_name not in value:
            continue
        inner = value[field.json_name]
        if field.message_type is not None and isinstance(inner, list):
            inner = [_in_order(field.message_type, entry) for entry in inner]
        elif field.message_type is not None and isinstance(inner, dict):
            inner = _in_order(field.message_type, inner)
        ordered[field.json_name] = inner
    return ordered
