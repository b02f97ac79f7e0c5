"""Reads what the user gives, and turns every kind of wrong input into one sentence."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, ParamSpec, TypeVar

import typer

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tarocchi.solver.v1 import rules_service_pb2, solver_service_pb2

ANSWER_FIELDS: Final = ("solverVersion", "rulesRevision")
"""What `tarocchi deal --json` prints beside the deal: who has dealt it."""
MAX_BYTES: Final = 1 << 20
MAX_LINES: Final = 20
WRONG_INPUT: Final = 2
FAILURE: Final = 1

P = ParamSpec("P")
T = TypeVar("T")


class InputError(Exception):
    """Wrong input: the message is all that the user sees."""


def plainly(command: Callable[P, T]) -> Callable[P, T]:
    """Wraps a command so that wrong input and failed calls end in a sentence and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except InputError as error:
            fail(str(error), WRONG_INPUT)

    return run


def fail(message: str, code: int) -> NoReturn:
    """Says what is wrong and exits."""
    typer.echo(f"tarocchi: {message}", err=True)
    raise typer.Exit(code)


def note(message: str) -> None:
    """Says something beside the result."""
    typer.echo(f"tarocchi: {message}", err=True)


def read_json(source: str) -> dict[str, Any]:
    """Returns the JSON object in a file, or on standard input for "-"."""
    data = _read_bytes(source)
    source = source_name(source)
    if len(data) > MAX_BYTES:
        raise InputError(f"{source}: larger than {MAX_BYTES:,} bytes, so it is no observation and no deal")
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repetition)
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: not a text in UTF-8 ({error.reason} at byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{source}: no JSON, line {error.lineno} column {error.colno}: {error.msg}") from error
    except _RepeatedKeyError as error:
        raise InputError(
            f"{source}: the key {json.dumps(error.key)} stands twice in one object: give it once"
        ) from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"{source}: no JSON that can be read: {error}") from error
    if not isinstance(value, dict):
        raise InputError(f"{source}: a JSON object is needed, this is {_kind_in_json(value)}")
    return value


class _RepeatedKeyError(Exception):
    """An object of a JSON text has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, inner in pairs:
        if key in value:
            raise _RepeatedKeyError(key)
        value[key] = inner
    return value


def _kind_in_json(value: object) -> str:
    """Returns what a value other than an object is called in JSON."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "a number"


def _read_bytes(source: str) -> bytes:
    if not source:
        raise InputError("the name of the file is empty: name a file, or - for standard input")
    try:
        if source == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # such as a zero byte
        raise InputError(f"{source!r} is no name of a file") from error


def source_name(source: str) -> str:
    """Returns what messages call a source."""
    return "standard input" if source == "-" else source


def fill(message: Message, value: dict[str, Any], source: str) -> None:
    """Fills a message from its JSON form. Unknown fields are ignored, but not silently."""
    from google.protobuf import json_format

    from tarocchi_solver.client.json_form import find_faults, unknown_fields

    if faults := list(find_faults(message.DESCRIPTOR, value)):
        raise InputError(faults_sentence(source, faults))
    try:
        json_format.ParseDict(value, message, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise InputError(f"{source_name(source)}: {error}") from error
    if unknown := next(unknown_fields(message.DESCRIPTOR, value), None):
        note(f"{source_name(source)}: unknown fields are ignored, the first is {_at_home(unknown)!r}")


def read_request(source: str) -> solver_service_pb2.RecommendMoveRequest:
    """Returns a request from a file that holds one, or an observation alone."""
    from tarocchi.solver.v1 import solver_service_pb2

    value = read_json(source)
    request = solver_service_pb2.RecommendMoveRequest()
    if "deal" in value and "observation" not in value:
        raise InputError(
            f"{source_name(source)}: this is a whole deal; give the observation of one seat "
            "(`tarocchi replay --json` prints them)"
        )
    fill(request, value if "observation" in value else {"observation": value}, source)
    return request


def read_replay(source: str) -> rules_service_pb2.ReplayDealRequest:
    """Returns a whole deal and its moves from a file that holds both, or a deal alone, with or without moves in it."""
    from tarocchi.solver.v1 import rules_service_pb2

    value = {name: inner for name, inner in read_json(source).items() if name not in ANSWER_FIELDS}
    request = rules_service_pb2.ReplayDealRequest()
    if "deal" not in value and ("hand" in value or "observation" in value):
        raise InputError(
            f"{source_name(source)}: this is what one seat knows; give the whole deal, with all hands "
            "(`tarocchi deal --json` prints one)"
        )
    if "deal" not in value and "hands" in value:
        moves = {name: inner for name, inner in value.items() if name == "events"}
        value = {"deal": {name: inner for name, inner in value.items() if name not in moves}, **moves}
    fill(request, value, source)
    return request


def faults_sentence(source: str, faults: list[tuple[str, str]]) -> str:
    """Returns the message about faults, given as paths and sentences: one sentence, or one line each."""
    lines = [f"{_at_home(path)}: {text}" if path else text for path, text in faults]
    where = f"{source_name(source)}: " if source else ""
    if len(lines) == 1:
        return f"{where}{lines[0]}"
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [f"... and {len(lines) - MAX_LINES} more"]
    return "\n".join([f"{where}{len(faults)} faults:", *(f"  {line}" for line in lines)])


def _at_home(path: str) -> str:
    """Returns a path without the request around the observation, which most files leave out."""
    return path.removeprefix("observation.")


@contextlib.contextmanager
def refusals_as_input_errors(source: str) -> Iterator[None]:
    """Turns what the service would refuse into an `InputError` about `source`."""
    from tarocchi_solver.service.errors import RequestError

    try:
        yield
    except RequestError as error:
        if error.faults:
            faults = [(fault.path, fault.message) for fault in error.faults]
            raise InputError(faults_sentence(source, faults)) from error
        raise InputError(f"{source_name(source)}: {error.message}") from error
