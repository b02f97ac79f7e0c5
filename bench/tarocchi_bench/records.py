"""Records of long work: JSON lines, one added for every result as it comes, so that nothing is done twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.agents import Agent, parse_agent
from tarocchi_engine import Variant
from tarocchi_engine.options import format_value, options_of
from tarocchi_solver import __version__
from tarocchi_solver.search.data_files import data_folder

DATA: Final = "data"
"""The part of a line that tells which data files of the solver were played with."""
_SHOWN: Final = 12
"""Digits of a hash that an error shows."""


class RecordError(ValueError):
    """Says why a file cannot be the record of some work."""


def read_lines(record: Path, what: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the number, from 1, and the content of every whole line of a record; nothing if there is no file.

    The last line may have been cut by an interruption; it is left out then. Raises `RecordError`, which calls the lines
    `what`, such as "a pair of a match".
    """
    _require_file(record)
    if not record.exists():
        return
    try:
        lines = record.read_text("utf-8").splitlines()
    except OSError as error:
        raise RecordError(f"{record}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{record}: this is no text, so it holds no line that is {what}: name a new file") from error
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            if number == len(lines):
                return
            raise no_entry(record, number, what) from error
        if not isinstance(entry, dict):
            raise no_entry(record, number, what)
        yield number, entry


def no_entry(record: Path, number: int, what: str) -> RecordError:
    """Returns the error of a line that is something else."""
    return RecordError(f"{record}: line {number} is not {what}: remove that line, or name a new file")


class Lines:
    """Where the parts of some work stand in its record, each of which has one line."""

    def __init__(self, record: Path, part: str, what: str) -> None:
        """Calls a part `part`, such as "pair", and a line `what`, such as "a pair of a match"."""
        self._record = record
        self._part = part
        self._what = what
        self._lines: dict[int, int] = {}

    def add(self, number: int, part: object) -> None:
        """Takes in that line `number` holds a part; raises `RecordError` if it is none, or stood before."""
        if not isinstance(part, int) or part < 0:
            raise no_entry(self._record, number, self._what)
        if part in self._lines:
            raise RecordError(
                f"{self._record}: line {number} is {self._part} {part} again, which stands in line "
                f"{self._lines[part]}: remove one of the two lines"
            )
        self._lines[part] = number


def check_key(record: Path, number: int, entry: Mapping[str, Any], key: Mapping[str, Any]) -> None:
    """Raises `RecordError` if a line says something else than `key`; what an older line does not say is no matter."""
    for name, value in key.items():
        if name == DATA:
            check_data(record, f"line {number}", entry, value)
        elif name in entry and entry[name] != value:
            raise RecordError(
                f"{record}: line {number} belongs to other work: its {name} is {entry[name]!r}, not {value!r}; "
                "name a new file"
            )


def check_data(record: Path, place: str, entry: Mapping[str, Any], data: Mapping[str, str | None]) -> None:
    """Raises `RecordError` if an entry was played with other data files: the same names are other players then.

    Args:
        record: the file.
        place: where in it the entry stands, for the error.
        entry: what was recorded; an older one may tell nothing of data files.
        data: the hashes of the data files as they are, of those that matter.
    """
    played_with = entry.get(DATA, data)
    if not isinstance(played_with, Mapping):
        raise RecordError(f"{record}: {place}: its {DATA} is {played_with!r}: remove that line, or name a new file")
    for name in sorted({*data, *played_with}):
        now, then = data.get(name), played_with.get(name)
        if now != then:
            raise RecordError(
                f"{record}: {place} was played with another data file {name}.npz ({_shown(then)}, here {_shown(now)}), "
                "so by other players: name a new file, or put the data file of then back"
            )


def _shown(digest: object) -> str:
    return "none" if digest is None else f"SHA-256 {str(digest)[:_SHOWN]}..."


def prepare_record(record: Path) -> None:
    """Makes sure that a record can be written, and removes the line that was being written at an interruption.

    Raises `RecordError`.
    """
    if not record.parent.is_dir():
        raise RecordError(f"{record}: there is no folder {record.parent}: make it first")
    _require_file(record)
    try:
        with record.open("a+", encoding="utf-8") as file:
            file.seek(0)
            text = file.read()
        if text and not text.endswith("\n"):
            record.write_text(text[: text.rfind("\n") + 1], "utf-8")
    except OSError as error:
        raise RecordError(f"{record}: cannot be written: {error.strerror}") from error


def _require_file(record: Path) -> None:
    """Raises `RecordError` for a device or a pipe, which would be read without an end, and for a folder."""
    if record.exists() and not record.is_file():
        raise RecordError(f"{record}: this is no file that can be read again: name another one")


def append_line(record: Path, entry: Mapping[str, Any]) -> None:
    """Adds one line to a record."""
    with record.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def circumstances(variant: Variant, **agents: str) -> dict[str, Any]:
    """Returns what decides about results: the rules with every option, the agents with every setting and their data."""
    options = {item.name: format_value(getattr(variant, item.name)) for item in options_of(variant)}
    players = {role: parse_agent(text) for role, text in agents.items()}
    return {
        "options": options,
        "rules_revision": variant.rules_revision,
        "agents": {role: player.settings for role, player in players.items()},
        DATA: data_of(variant, *players.values()),
    }


def data_of(variant: Variant, *players: Agent) -> dict[str, str | None]:
    """Returns the SHA-256 of every data file on which the moves of agents depend, None for one that does not ship."""
    names = {name for player in players for name in player.data_files(variant)}
    return {name: _hash_of(name) for name in sorted(names)}


@cache
def _hash_of(name: str) -> str | None:
    """Hashes a data file once, as the solver reads it once: a file replaced meanwhile is not the one played with."""
    try:
        return hashlib.sha256((data_folder() / f"{name}.npz").read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def version() -> dict[str, str]:
    """Returns the version that plays; another one may still go on with a record."""
    return {"package": __version__}
