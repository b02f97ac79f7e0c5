"""The runner of worked cases: what is shipped passes, what is wrong is told, what is no case is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tarocchi_engine.conformance import CaseFileError, CaseResult, run_cases, shipped_case_files
from tarocchi_engine.variants import VARIANTS

GOOD = {"id": "x-1", "kind": "points", "input": {"cards": ["SK"], "last_trick": False}, "expected": {"points": 4.5}}


@pytest.fixture(scope="module")
def shipped() -> list[CaseResult]:
    return run_cases(shipped_case_files())


def shipped_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for path in shipped_case_files() for line in path.read_text("utf-8").splitlines()]


def write(folder: Path, *lines: object) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


def run_one(folder: Path, case: dict[str, Any]) -> CaseResult:
    (result,) = run_cases([write(folder, case)])
    return result


def test_every_shipped_case_passes(shipped: list[CaseResult]) -> None:
    assert [result for result in shipped if result.status != "passed"] == []
    assert len(shipped) == len(shipped_cases()) > 300
    assert len({result.id for result in shipped}) == len(shipped)


def test_every_variant_has_its_cases() -> None:
    assert [path.stem for path in shipped_case_files()] == list(VARIANTS)
    assert all(path.stat().st_size for path in shipped_case_files())


def test_passed_cases_say_nothing(shipped: list[CaseResult]) -> None:
    assert {result.message for result in shipped if result.status == "passed"} == {""}


def test_sources_name_no_file_of_anybody() -> None:
    for path in shipped_case_files():
        text = path.read_text("utf-8")
        assert ".txt" not in text
        assert "seed" not in text


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in shipped_cases()}))
def test_a_corrupted_case_of_every_kind_fails(kind: str, tmp_path: Path) -> None:
    case = next(case for case in shipped_cases() if case["kind"] == kind)
    case["expected"] = corrupted(case["expected"])
    result = run_one(tmp_path, case)
    assert (result.id, result.kind, result.status) == (case["id"], kind, "failed")
    assert json.dumps(case["expected"]) in result.message
    assert "answered" in result.message


def corrupted(expected: Any) -> Any:
    """Returns an expectation that differs in one place."""
    if isinstance(expected, dict):
        name = next(iter(expected))
        return {**expected, name: corrupted(expected[name])}
    if isinstance(expected, list):
        return expected[:-1]
    if isinstance(expected, bool):
        return not expected
    return "nobody" if expected is None or isinstance(expected, str) else expected + 1


def test_a_deal_with_an_illegal_card_fails_with_the_engines_reason(tmp_path: Path) -> None:
    case = next(case for case in shipped_cases() if case["id"] == "F-001")
    case["input"]["plays"][0].reverse()
    result = run_one(tmp_path, case)
    assert result.status == "failed"
    assert "the engine refuses: events[1].play.card" in result.message


def test_cases_of_other_games_are_unsupported(tmp_path: Path) -> None:
    case = {"id": "S-1", "kind": "legal_moves", "input": {"game": "scarto", "hand": [], "trick": []}, "expected": []}
    result = run_one(tmp_path, case)
    assert result.status == "unsupported"
    assert "'legal_moves' of game 'scarto'" in result.message
    deal = {"id": "d", "kind": "deal", "input": {"players": 5, "dealer": 0}, "expected": {}}
    assert run_one(tmp_path, deal).status == "unsupported"
    declare = {"profile": "monte", "hand": [], "declared": []}
    assert run_one(tmp_path, {"id": "d", "kind": "declare", "input": declare, "expected": {}}).status == "unsupported"


def test_the_matto_alone_wins_no_trick(tmp_path: Path) -> None:
    case = {"id": "t", "kind": "trick", "input": {"plays": ["MAT"]}, "expected": {"winner": None, "led_suit": None}}
    assert run_one(tmp_path, case).status == "passed"


def test_a_truth_value_is_no_number(tmp_path: Path) -> None:
    case = {"id": "m", "kind": "discard_count", "input": {"game": "piedicavallo", "hand": ["S5", "S6"]}}
    assert run_one(tmp_path, {**case, "expected": 1}).status == "passed"
    assert run_one(tmp_path, {**case, "expected": True}).status == "failed"


def test_empty_lines_are_skipped(tmp_path: Path) -> None:
    assert [result.status for result in run_cases([write(tmp_path, "", GOOD, "  ", GOOD, "")])] == ["passed"] * 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ('{"id": "a"', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1, 2]", "JSON object"),
        ({"kind": "points", "input": {}, "expected": 1}, "no id"),
        ({"id": "a"}, "no kind, input, expected"),
        ({**GOOD, "id": 7}, "id is not a string"),
        ({**GOOD, "input": ["SK"]}, "input is not an object"),
        ({**GOOD, "input": {"cards": ["SK"]}}, "input.last_trick should be true or false and is missing"),
        ({**GOOD, "input": {"cards": ["SK"], "last_trick": 1}}, "input.last_trick should be true or false and is 1"),
        ({**GOOD, "input": {"cards": "SK", "last_trick": True}}, "input.cards should be a list of card ids"),
        ({**GOOD, "input": {"cards": [["SK"]], "last_trick": True}}, "input.cards should be a list of card ids"),
        ({**GOOD, "input": {"cards": ["S2"], "last_trick": True}}, "'S2' is not a card"),
        ({**GOOD, "input": {"cards": ["SK", "SK"], "last_trick": True}}, "'SK' stands twice"),
        ({**GOOD, "kind": "sequence", "input": {"cards": [], "which": "pips"}}, "input.which should be one of spade"),
        ({**GOOD, "kind": "deal", "input": {"players": 4, "dealer": 4}}, "input.dealer should be a whole number from"),
        ({**GOOD, "kind": "table-result", "input": {"totals": [1]}}, "input.totals should be a list of 2 numbers"),
        ({**GOOD, "kind": "legal_moves", "input": {"hand": [], "trick": []}}, "input.game is missing"),
        ({**GOOD, "kind": "match", "input": {"target": 700, "before": [0, 0], "deal": [1, 2]}}, "target should be 800"),
        (
            {**GOOD, "kind": "match", "input": {"before": [0, 0], "deal": [1]}},
            "input.deal should be a list of 2 numbers",
        ),
        ({**GOOD, "kind": "match-course", "input": {"first_dealer": 0, "deals": [[1]]}}, "a deal brings 2 numbers"),
        ({**GOOD, "kind": "monte", "input": {"dealer": 0, "calls": ["yes"]}}, "a seat says monte or play"),
        ({**GOOD, "kind": "signal", "input": {"signal": "wink"}}, "input.signal: 'wink'"),
        (
            {**GOOD, "kind": "terziglio-bid", "input": {"calls": ["contra"]}},
            "'contra' is no call: pass",
        ),
        ({**GOOD, "kind": "terziglio-bid", "input": {"calls": [1]}}, "input.calls should be strings"),
        (
            {**GOOD, "kind": "terziglio-deal", "input": {"variant": 17}},
            "'17' is no value of cards",
        ),
        (
            {**GOOD, "kind": "terziglio-stock", "input": {"contract": "solo", "last_trick_side": "us"}},
            "should be one of",
        ),
        ({**GOOD, "kind": "ottocento-deal", "input": {"options": {"monte": True}}}, "should be an object of texts"),
        ({**GOOD, "kind": "ottocento-deal", "input": {"options": {"speed": "1"}}}, "'speed' is no rule option"),
    ],
)
def test_lines_that_are_no_case_are_refused_with_file_and_line(tmp_path: Path, line: object, message: str) -> None:
    path = write(tmp_path, GOOD, "", line)
    with pytest.raises(CaseFileError) as caught:
        run_cases([path])
    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.path, caught.value.line) == (path, 3)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("play S8", "'play S8' is no move"),
        (["play", "S8"], "is no move"),
        (["play", "S99", None], "'S99' is not a card"),
        (["play", "S8", "wink"], "'wink' is not a valid Signal"),
        (["bid", "contra"], "'contra' is not a valid Call"),
    ],
)
def test_moves_that_are_none_are_no_case(tmp_path: Path, move: object, message: str) -> None:
    case = next(case for case in shipped_cases() if case["kind"] == "ottocento-deal")
    case["input"]["moves"].insert(0, move)
    with pytest.raises(CaseFileError) as caught:
        run_cases([write(tmp_path, case)])
    assert message in str(caught.value)


def test_a_deal_with_a_move_out_of_place_fails_with_the_engines_reason(tmp_path: Path) -> None:
    case = next(case for case in shipped_cases() if case["kind"] == "terziglio-game")
    case["input"]["moves"].insert(1, ["bid", "pass"])
    result = run_one(tmp_path, case)
    assert result.status == "failed"
    assert "the engine refuses: seat 0 has to declare, not to bid" in result.message


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "missing.jsonl", tmp_path, binary):
        with pytest.raises(CaseFileError, match="cannot be read") as caught:
            run_cases([path])
        assert str(path) in str(caught.value)


def test_an_unfinished_deal_is_no_case(tmp_path: Path) -> None:
    case = next(case for case in shipped_cases() if case["id"] == "F-001")
    case["input"]["plays"].pop()
    with pytest.raises(CaseFileError, match="ends before the deal does"):
        run_cases([write(tmp_path, case)])
