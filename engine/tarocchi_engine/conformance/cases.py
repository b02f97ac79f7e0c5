"""Worked cases as data: reading their files, and reading what a case gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tarocchi_engine.cards import Pack
from tarocchi_engine.errors import TarocchiError

Status = Literal["passed", "failed", "unsupported"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of one worked case."""

    id: str
    kind: str
    status: Status
    message: str = ""
    """Empty if passed; else what was expected and answered, or what is not supported."""


class CaseFileError(TarocchiError, ValueError):
    """Says that a file of cases cannot be read; names the file and, where there is one, the line."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        place = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {message}")
        self.path = path
        self.line = line


class CaseInputError(ValueError):
    """Says that the input of a case lacks something or holds something else than its kind asks for."""


class UnsupportedCaseError(Exception):
    """Says that a case lies outside the variants of this engine."""


@dataclass(frozen=True, slots=True)
class Case:
    """One worked case and its line in the file."""

    line: int
    id: str
    kind: str
    input: Mapping[str, Any]
    expected: Any


def read_cases(path: Path) -> Iterator[Case]:
    """Yields the cases of a file; empty lines are skipped. Raises `CaseFileError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseFileError(path, None, f"cannot be read: {error}") from error
    # JSON Lines end with a line feed; `splitlines` would also cut at separators that JSON allows in a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _parse_case(path, number, line)


def _parse_case(path: Path, number: int, line: str) -> Case:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CaseFileError(path, number, f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise CaseFileError(path, number, "a case is a JSON object with id, kind, input and expected")
    if missing := [name for name in ("id", "kind", "input", "expected") if name not in data]:
        raise CaseFileError(path, number, f"the case has no {', '.join(missing)}")
    for name, kind, word in (("id", str, "a string"), ("kind", str, "a string"), ("input", dict, "an object")):
        if not isinstance(data[name], kind):
            raise CaseFileError(path, number, f"{name} is not {word} but {data[name]!r}")
    return Case(number, data["id"], data["kind"], data["input"], data["expected"])


class CaseInput:
    """Reads the input of a case with the cards of one pack; raises `CaseInputError` for what is missing or odd."""

    def __init__(self, data: Mapping[str, Any], pack: Pack) -> None:
        self._data = data
        self._pack = pack

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def text(self, name: str) -> str:
        """Returns a string."""
        value: str = self._checked(name, lambda value: isinstance(value, str), "a string")
        return value

    def flag(self, name: str) -> bool:
        """Returns a truth value."""
        value: bool = self._checked(name, lambda value: isinstance(value, bool), "true or false")
        return value

    def integer(self, name: str, low: int, high: int) -> int:
        """Returns a whole number in low..high."""
        wanted = f"a whole number from {low} to {high}"
        value: int = self._checked(name, lambda value: _is_integer(value, low, high), wanted)
        return value

    def numbers(self, name: str, count: int) -> list[float]:
        """Returns so many numbers."""
        value: list[float] = self._checked(
            name,
            lambda value: isinstance(value, list) and len(value) == count and all(map(_is_number, value)),
            f"a list of {count} numbers",
        )
        return value

    def number(self, name: str) -> float:
        """Returns a number."""
        value: float = self._checked(name, _is_number, "a number")
        return value

    def texts(self, name: str) -> list[str]:
        """Returns strings."""
        value: list[str] = self._checked(
            name, lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value), "strings"
        )
        return value

    def entries(self, name: str) -> list[Any]:
        """Returns a list, whatever stands in it."""
        value: list[Any] = self._checked(name, lambda value: isinstance(value, list), "a list")
        return value

    def options(self, name: str) -> Mapping[str, str]:
        """Returns rule options, none if there are none."""
        if name not in self:
            return {}
        value: dict[str, str] = self._checked(name, _is_texts, "an object of texts")
        return value

    def card_list(self, name: str) -> tuple[int, ...]:
        """Returns cards in the order given, no card twice."""
        return self._parse(name, self._data.get(name))

    def card_lists(self, name: str) -> list[tuple[int, ...]]:
        """Returns several lists of cards."""
        lists = self._checked(name, lambda value: isinstance(value, list), "a list of lists of cards")
        return [self._parse(f"{name}[{index}]", cards) for index, cards in enumerate(lists)]

    def cards(self, name: str) -> int:
        """Returns a set of cards."""
        return sum(1 << card for card in self.card_list(name))

    def _checked(self, name: str, accepts: Callable[[Any], bool], wanted: str) -> Any:
        value = self._data.get(name)
        if not accepts(value):
            given = repr(value) if name in self._data else "missing"
            raise CaseInputError(f"input.{name} should be {wanted} and is {given}")
        return value

    def _parse(self, name: str, value: Any) -> tuple[int, ...]:
        if not isinstance(value, list) or not all(isinstance(card, str) for card in value):
            raise CaseInputError(f"input.{name} should be a list of card ids and is {value!r}")
        try:
            self._pack.parse_cards(value)
        except ValueError as error:
            raise CaseInputError(f"input.{name}: {error}") from error
        return tuple(self._pack.parse_card(card) for card in value)


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


Answer = Callable[[CaseInput], Any]
"""Returns what the engine says where a case holds `expected`, as plain JSON data."""
