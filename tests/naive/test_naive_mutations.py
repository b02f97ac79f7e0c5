"""Tests of the naive referee: its further worked cases, and that wrong rules are noticed by the cases."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

from naive import BOLOGNESE, VARIANTS, combo, full_deal, match, ottocento, signals, terziglio
from naive.audit import audit_moves
from naive.conformance import (
    ANSWERS,
    EXTRA_ANSWERS,
    answer_case,
    load_cases,
    load_extra_cases,
)
from naive.conformance_matches import (
    BOLOGNESE_ANSWERS,
    PIEDICAVALLO_ANSWERS,
    read_move,
    start_ottocento,
    start_terziglio,
)
from naive.ottocento import OttocentoDeal
from naive.terziglio import TerziglioDeal

CASES = [
    pytest.param(variant, case, id=f"{variant}-{case['id']}")
    for variant in VARIANTS
    for case in load_extra_cases(variant)
]


@pytest.mark.parametrize(("variant", "case"), CASES)
def test_further_case(variant: str, case: dict[str, Any]) -> None:
    assert answer_case(variant, case) == case["expected"]


def test_further_cases_are_well_formed() -> None:
    cases = [case for variant in VARIANTS for case in load_extra_cases(variant)]
    assert len({case["id"] for case in cases}) == len(cases)
    for case in cases:
        assert list(case) == ["id", "kind", "input", "expected", "strength", "source"]
        assert case["strength"] == "derived"
        assert case["source"].startswith(("Bolognese rules, section", "Piedicavallo rules, section"))
    known = {case["id"] for variant in VARIANTS for case in load_cases(variant)}
    assert not known & {case["id"] for case in cases}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_further_kind_has_a_case(variant: str) -> None:
    kinds = {case["kind"] for case in load_extra_cases(variant)}
    assert set(EXTRA_ANSWERS[variant]) <= kinds <= set(EXTRA_ANSWERS[variant]) | set(ANSWERS[variant])


def test_whole_deals_of_the_further_cases_agree_with_the_audit() -> None:
    """The totals of these cases are no mere copy of what the referee says."""
    audited = set()
    for case in load_extra_cases(BOLOGNESE):
        script, expected = case["input"], case["expected"]
        if "tricks" not in expected or script.get("options", {}).get("matto_card", "giver") != "giver":
            continue
        deal: OttocentoDeal | TerziglioDeal
        if case["kind"] == "ottocento-deal":
            deal = start_ottocento(script)
            aside_to = str(deal.dealer)
        else:
            deal = start_terziglio(script)
            aside_to = "last" if expected["contract"] == "solo" else str(expected["declarer"])
        for move in script["moves"]:
            deal.apply(read_move(move))
        sides = {seat: deal.side_of(seat) for seat in range(deal.seat_count)}
        audit = audit_moves(deal.moves, sides, deal.aside(), aside_to)
        assert audit["halves"] == [2 * total for total in expected["totals"]]
        assert audit["tricks"] == expected["tricks"]
        audited.add(case["id"])
    assert audited == {"x-od-13", "x-tg-01", "x-tg-02", "x-tg-03", "x-tg-04", "x-tg-05"}


# --- wrong rules


def _judge_first(scores: Sequence[int], target: int) -> Any:
    return ottocento.MatchVerdict(max(scores) >= target, 0 if scores[0] >= target else 1)


def _round_five_up(total: Fraction) -> int:
    return 50 * int((total + 5) // 50)


def _tie_wins(contract: str, totals: Sequence[Fraction], tricks: Sequence[int]) -> Any:
    return RIGHT_COUNT(contract, [totals[0] + (totals[0] == totals[1]), totals[1]], tricks)


RIGHT_COUNT = terziglio.count_game
RIGHT_AWARD = terziglio.award_game
RIGHT_SIGNAL = signals.signal_is_allowed

MUTATIONS: dict[str, tuple[Any, str, Any]] = {
    "the first side at 800 wins": (ottocento, "judge_scores", _judge_first),
    "a declaration must pass 800": (ottocento, "declaration_wins", lambda score, points, goal: score + points > goal),
    "no declaration needed after a tie": (
        ottocento,
        "declaration_wins",
        lambda score, points, goal: score + points >= goal,
    ),
    "declarations never end the match": (ottocento, "declaration_wins", lambda *_: False),
    "call-outs need not be combinations": (
        ottocento,
        "call_out_is_legal",
        lambda first, shown, score, target: score + combo(shown) >= target,
    ),
    "call-outs are always offered": (ottocento, "call_out_is_offered", lambda *_: True),
    "three montes suffice": (ottocento, "is_thrown_in", lambda calls: len(calls) >= 3 and all(calls[:3])),
    "the poll goes on after a play": (ottocento, "poll_is_over", lambda calls: len(calls) == 4),
    "the dealer stays": (match, "next_seat", lambda dealer, _: dealer),
    "nothing is owed for the Matto": (full_deal, "find_debtor", lambda *_: None),
    "any card may be given": (full_deal, "gift_choices", lambda pile: sorted(pile)),
    "the stock of a solo stays": (terziglio, "stock_owner", lambda *_: 0),
    "the discard follows the last trick": (terziglio, "stock_owner", lambda _contract, _tricks, last: last),
    "exactly five short rounds up": (terziglio, "round_total", _round_five_up),
    "never rounded up": (terziglio, "round_total", lambda total: 50 * int(total // 50)),
    "a tie is won": (terziglio, "count_game", _tie_wins),
    "all tricks of a solo doubled": (
        terziglio,
        "count_game",
        lambda contract, totals, tricks: RIGHT_COUNT(contract, totals, tricks)._replace(
            **({"game_points": 80} if 0 in tricks and contract == "solo" else {})
        ),
    ),
    "a solo not doubled": (terziglio, "SOLO_FACTOR", 1),
    "always zero sum": (terziglio, "award_game", lambda winner, points, _: RIGHT_AWARD(winner, points, "zero_sum")),
    "never zero sum": (terziglio, "award_game", lambda winner, points, _: RIGHT_AWARD(winner, points, "each_wins")),
    "a second gioco": (terziglio, "legal_calls", lambda _: ["pass", "gioco", "solo"]),
    "the auction goes on after a solo": (terziglio, "auction_is_over", lambda calls: len(calls) == 3),
    "signals need no truth": (
        signals,
        "signal_is_allowed",
        lambda _, *rest: RIGHT_SIGNAL("busso", *rest),
    ),
    "signals at any time": (
        signals,
        "signal_is_allowed",
        lambda signal, card, rest, _, *more: RIGHT_SIGNAL(signal, card, rest, signals.Seen(True, True, True), *more),
    ),
    "a session of five deals": (match, "VILLAGE_DEAL_COUNT", 5),
}


def failing_cases() -> Iterator[str]:
    covered = {*BOLOGNESE_ANSWERS, *PIEDICAVALLO_ANSWERS}
    for variant in VARIANTS:
        further = load_extra_cases(variant)
        for case in further + [case for case in load_cases(variant) if case["kind"] in covered]:
            try:
                right = answer_case(variant, case) == case["expected"]
            except (ValueError, IndexError):
                right = False
            if not right:
                yield case["id"]


def test_nothing_fails_without_a_mutation() -> None:
    assert list(failing_cases()) == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_wrong_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, wrong = MUTATIONS[name]
    assert hasattr(module, attribute)
    monkeypatch.setattr(module, attribute, wrong)
    assert next(failing_cases(), None) is not None
