"""Play stays as it was, unless a change means to alter it; and the numbers that tell are sensitive to just that."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bench.command import run
from tarocchi_bench.speed import signature
from tarocchi_bench.speed.signature import BUDGETS, SEED, Signature, digest_of, on_grid, positions_of, signature_of
from tarocchi_engine import VARIANTS
from tarocchi_solver.search import Recommendation, SearchOptions, search

EXPECTED = {
    "bolognese": "844aaac33ebf133f",
    "ottocento": "568d381784208cde",
    "terziglio": "4e77554b34716e98",
    "piedicavallo": "5d11e5267018e3cf",
}
RENEW = (
    "The search of {variant} plays in another way than it did. If the change was not meant to alter play, it has a "
    "fault. If it was, put the numbers of `python -m tarocchi_bench signature` into EXPECTED of this file, and say in "
    "the message of the commit that play has changed."
)


@pytest.fixture(scope="module")
def found() -> dict[str, Signature]:
    """The signatures of this search, with one thread."""
    return {name: signature_of(name) for name in VARIANTS}


def test_every_variant_has_a_number() -> None:
    assert set(EXPECTED) == set(VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_play_is_as_it_was(variant: str, found: dict[str, Signature]) -> None:
    assert found[variant].signature == EXPECTED[variant], RENEW.format(variant=variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_do_not_matter(variant: str, found: dict[str, Signature]) -> None:
    assert signature_of(variant, threads=2) == found[variant]


def test_all_kinds_of_decisions_are_asked_for(found: dict[str, Signature]) -> None:
    every = {"discard", "lead, first trick", "follow, first trick"}
    endings = {f"{place}, {left} tricks left" for place in ("lead", "follow") for left in (2, 4)}
    special = {
        "bolognese": {"declare"},
        "ottocento": {"declare", "monte", "give", "call out"},
        "terziglio": {"declare", "bid", "give"},
        "piedicavallo": set(),
    }
    for variant, signed in found.items():
        assert every | endings | special[variant] <= set(signed.kinds)
        assert len(set(signed.kinds)) == len(signed.kinds)
        assert signed.iterations > 0


def answer_of(**options: Any) -> Recommendation:
    """Returns the answer to the first position of one variant."""
    observation = positions_of("piedicavallo")[2].observation
    return search(observation, BUDGETS[-1], seed=SEED, options=SearchOptions(**options))


def with_score(answer: Recommendation, change: float) -> Recommendation:
    """Returns an answer with another raw score of its best move."""
    first, *others = answer.moves
    return replace(answer, moves=(replace(first, raw_score=first.raw_score + change), *others))


@pytest.mark.parametrize(
    "change",
    [
        lambda answer: replace(answer, move=answer.moves[-1].move),
        lambda answer: replace(answer, moves=answer.moves[::-1]),
        lambda answer: replace(answer, diagnostics=replace(answer.diagnostics, iterations=1)),
        lambda answer: replace(answer, diagnostics=replace(answer.diagnostics, worlds=1)),
        lambda answer: with_score(answer, 0.01),
    ],
    ids=["move", "order", "iterations", "worlds", "score"],
)
def test_whatever_changes_shows(change: Callable[[Recommendation], Recommendation]) -> None:
    answer = answer_of()
    assert len(answer.moves) > 1
    assert digest_of(change(answer)) != digest_of(answer)


def test_other_parameters_of_the_search_show(found: dict[str, Signature], monkeypatch: pytest.MonkeyPatch) -> None:
    assert digest_of(answer_of(exploration=0.2)) != digest_of(answer_of())
    monkeypatch.setattr(signature, "BUDGETS", (BUDGETS[0], replace(BUDGETS[1], worlds=13)))
    assert signature_of("piedicavallo").signature != found["piedicavallo"].signature


def test_last_bits_do_not_show() -> None:
    answer = answer_of()
    assert digest_of(with_score(answer, 1e-12)) == digest_of(with_score(answer, -1e-12)) == digest_of(answer)
    fractions = [sign * part / whole for whole in range(1, 300) for part in range(whole + 1) for sign in (1, -1)]
    assert all(on_grid(score - 1e-11) == on_grid(score + 1e-11) for score in fractions)


def test_the_command_prints_it(found: dict[str, Signature]) -> None:
    code, printed, said = run("signature --variant piedicavallo --json")
    assert code == 0, said
    assert json.loads(printed) == {"piedicavallo": found["piedicavallo"].signature}


def test_wrong_input_is_told() -> None:
    code, printed, said = run("signature --variant whist --json")
    assert (code, printed) == (2, "")
    assert "whist" in said
