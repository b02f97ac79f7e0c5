"""Observations and moves in the JSON of the contract, one line each."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf import json_format

from tarocchi.solver.v1 import deal_pb2
from tarocchi_engine import Event, Move, Observation, Variant
from tarocchi_solver.client.json_form import find_faults, unknown_fields
from tarocchi_solver.service.errors import FaultList
from tarocchi_solver.service.formats import format_observation
from tarocchi_solver.service.reading import parse_events


class MoveJsonError(ValueError):
    """Says why a JSON value is no move."""


def observation_line(observation: Observation) -> str:
    """Returns an observation as one line of JSON, without the end of the line.

    Lists that are there in full are so when they are empty, too: the events, and the cards of a declaration or of a
    call-out. A discard has none where it lies face down, which is not the same as an empty list.
    """
    value = json_format.MessageToDict(format_observation(observation))
    for event in value.setdefault("events", []):
        for name in ("declare", "callOut"):
            if name in event:
                event[name].setdefault("cards", [])
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def move_of_line(line: str, variant: Variant, seat: int) -> Move:
    """Returns the move of a seat that a line of JSON such as `{"play": {"card": "T5"}}` holds.

    Raises `MoveJsonError`; the move may still be an illegal one.
    """
    try:
        value = json.loads(line)
    except ValueError as error:
        raise MoveJsonError(f"no JSON: {error}") from error
    faults = [f"{path or 'the move'}: {text}" for path, text in find_faults(deal_pb2.Move.DESCRIPTOR, value)]
    faults += [f"{path}: a move has no such field" for path in unknown_fields(deal_pb2.Move.DESCRIPTOR, value)]
    if faults:
        raise MoveJsonError("; ".join(faults))
    return event_of_json({**value, "seat": seat}, variant).move


def event_of_json(value: dict[str, Any], variant: Variant) -> Event:
    """Returns the event that a JSON value of the right shape holds; raises `MoveJsonError`."""
    found = FaultList()
    try:
        message = json_format.ParseDict(value, deal_pb2.Event())
    except json_format.ParseError as error:
        raise MoveJsonError(str(error)) from error
    events = parse_events(variant, [message], found, "")
    if found.faults or not events:
        faults = [
            f"{fault.path.removeprefix('[0]').lstrip('.') or 'the move'}: {fault.message}" for fault in found.faults
        ]
        raise MoveJsonError("; ".join(faults))
    return events[0]
