"""Runs files of worked cases."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from tarocchi_engine.cards import BOLOGNESE_PACK, PIEDMONTESE_PACK
from tarocchi_engine.conformance.bolognese import BOLOGNESE_ANSWERS
from tarocchi_engine.conformance.cases import (
    Case,
    CaseFileError,
    CaseInput,
    CaseInputError,
    CaseResult,
    UnsupportedCaseError,
    read_cases,
)
from tarocchi_engine.conformance.ottocento import OTTOCENTO_ANSWERS
from tarocchi_engine.conformance.piedicavallo import PIEDICAVALLO_ANSWERS
from tarocchi_engine.conformance.terziglio import TERZIGLIO_ANSWERS
from tarocchi_engine.errors import IllegalMoveError, InvalidDealError

SHIPPED: Final = ("bolognese.jsonl", "ottocento.jsonl", "terziglio.jsonl", "piedicavallo.jsonl")

_BOLOGNESE_PACK_ANSWERS: Final = {**BOLOGNESE_ANSWERS, **OTTOCENTO_ANSWERS, **TERZIGLIO_ANSWERS}


def shipped_case_files() -> tuple[Path, ...]:
    """Returns the files of worked cases that come with the engine."""
    folder = files("tarocchi_engine") / "cases"
    paths = []
    for name in SHIPPED:
        with as_file(folder / name) as path:
            paths.append(path)
    return tuple(paths)


def run_cases(paths: Iterable[Path]) -> list[CaseResult]:
    """Answers every case of the files with the engine, in their order.

    A case of a kind or game that the engine does not play is unsupported, an answer other than the expected one
    failed. Raises `CaseFileError` for a file or line that is no case, and for an input that its kind cannot read.
    """
    results = []
    for path in paths:
        for case in read_cases(path):
            try:
                results.append(_run_case(case))
            except CaseInputError as error:
                raise CaseFileError(path, case.line, f"case {case.id} ({case.kind}): {error}") from error
    return results


def _run_case(case: Case) -> CaseResult:
    try:
        answer = _answer(case)
    except UnsupportedCaseError as error:
        return CaseResult(case.id, case.kind, "unsupported", str(error))
    except (IllegalMoveError, InvalidDealError) as error:
        return CaseResult(case.id, case.kind, "failed", f"expected {_json(case.expected)}, the engine refuses: {error}")
    if _same(answer, case.expected):
        return CaseResult(case.id, case.kind, "passed")
    return CaseResult(case.id, case.kind, "failed", f"expected {_json(case.expected)}, answered {_json(answer)}")


def _answer(case: Case) -> Any:
    game = case.input.get("game")
    if game is None and case.kind in _BOLOGNESE_PACK_ANSWERS:
        return _BOLOGNESE_PACK_ANSWERS[case.kind](CaseInput(case.input, BOLOGNESE_PACK))
    if game == "piedicavallo" and case.kind in PIEDICAVALLO_ANSWERS:
        return PIEDICAVALLO_ANSWERS[case.kind](CaseInput(case.input, PIEDMONTESE_PACK))
    if game is None and case.kind in PIEDICAVALLO_ANSWERS:
        raise CaseInputError("input.game is missing")
    of_game = "" if game is None else f" of game {game!r}"
    raise UnsupportedCaseError(f"no variant here answers kind {case.kind!r}{of_game}")


def _same(answer: Any, expected: Any) -> bool:
    """Compares JSON data: numbers by value, but a truth value is no number."""
    if isinstance(answer, bool) or isinstance(expected, bool):
        return answer is expected
    if isinstance(answer, dict) and isinstance(expected, dict):
        return answer.keys() == expected.keys() and all(_same(answer[name], expected[name]) for name in answer)
    if isinstance(answer, list) and isinstance(expected, list):
        return len(answer) == len(expected) and all(map(_same, answer, expected))
    return bool(answer == expected)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
