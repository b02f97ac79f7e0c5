"""Answers to the worked cases of Terziglio: auction, stock, game points, sessions, whole deals."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.conformance.cases import Answer, CaseInput, CaseInputError
from tarocchi_engine.conformance.scripts import course_of, play_moves, standing_of, with_checked_options
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.match import Match
from tarocchi_engine.moves import Bid, Call
from tarocchi_engine.position import make_position
from tarocchi_engine.record import Phase, Trick
from tarocchi_engine.scoring import settle_piles
from tarocchi_engine.state import State
from tarocchi_engine.table import Table
from tarocchi_engine.variants.terziglio import Terziglio

_VARIANT = Terziglio()
_PACK = _VARIANT.pack
_SIDES = ("declarer", "defenders")
_MOST_TRICKS = 19


def _call(text: str) -> Call:
    try:
        return Call(text)
    except ValueError as error:
        raise CaseInputError(f"{text!r} is no call: {', '.join(Call)} are") from error


def _auction(case: CaseInput) -> Table:
    """Returns the table after the calls of a case, from the dealer's right on; raises `IllegalMoveError`."""
    table = Table(_VARIANT, _VARIANT.seat_count - 1)
    for text in case.texts("calls"):
        table.apply(table.turn, Bid(_call(text)))
    return table


def _bid(case: CaseInput) -> Any:
    """What an auction comes to; the declarer is told by its place in the auction."""
    try:
        table = _auction(case)
    except IllegalMoveError:
        return {"legal": False}
    return {"legal": True, "contract": table.contract, "declarer": table.declarer}


def _calls(case: CaseInput) -> Any:
    """What may be said next."""
    table = _auction(case)
    return {"legal": list(table.legal_calls()) if table.phase is Phase.BID else []}


def _score(case: CaseInput) -> Any:
    """The game points that two totals come to, and who gets them."""
    options = {"payment": case.text("payment")} if "payment" in case else {}
    variant = with_checked_options(_VARIANT, options)
    totals = (case.number("declarer_total"), case.number("defenders_total"))
    tricks = (case.integer("declarer_tricks", 0, _MOST_TRICKS), case.integer("defender_tricks", 0, _MOST_TRICKS))
    winner, game = variant.game(totals, tricks, _call(case.text("contract")), declarer=0)
    awards = variant.awards(0, winner, game.game_points)
    return {
        "winner": _SIDES[winner],
        "rounded": game.rounded,
        "game_points": game.game_points,
        "award": {"declarer": awards[0], "each_defender": awards[1]},
    }


def _stock(case: CaseInput) -> Any:
    """Who counts the cards laid away in a gioco, or the stock of a solo."""
    table = Table(_VARIANT, 2)
    for call in (_call(case.text("contract")), Call.PASS, Call.PASS):
        if table.phase is Phase.BID:
            table.apply(table.turn, Bid(call))
    if (last := case.text("last_trick_side")) not in _SIDES:
        raise CaseInputError(f"input.last_trick_side should be one of {', '.join(_SIDES)} and is {last!r}")
    tricks = case.integer("declarer_tricks", 0, _VARIANT.trick_count)
    cards = [_PACK.parse_card(card) for card in ("S10", "S9", "S8", "S7", "S6", "B10")]
    table.tricks = (Trick(0, tuple(cards[:3]), winner=_SIDES.index(last)),)
    table.piles = [1 << cards[3] if tricks else 0, 1 << cards[4] if tricks < _VARIANT.trick_count else 0]
    piles = np.zeros(2, dtype=np.uint64)
    settle_piles(make_position(table, [0] * _VARIANT.seat_count, 1 << cards[5]), piles)
    return {"stock_to": _SIDES[0 if int(piles[0]) >> cards[5] & 1 else 1]}


def _deal(case: CaseInput) -> Any:
    """Sizes of hands and stock."""
    variant = with_checked_options(_VARIANT, {"cards": str(case.integer("variant", 0, 62))})
    return {
        "hand": variant.hand_size,
        "stock": variant.stock_size,
        "tricks": variant.trick_count,
        "declarer_discards": variant.discard_count,
    }


def _game(case: CaseInput) -> Any:
    """A deal and its moves: where it stands, or what it came to."""
    variant = with_checked_options(_VARIANT, case.options("options"))
    dealer = case.integer("dealer", 0, variant.seat_count - 1)
    order = case.card_lists("hands")
    hands = [sum(1 << card for card in hand) for hand in order]
    state = State.new(variant, dealer, hands, stock=case.cards("stock"), order=order)
    state = play_moves(state, case.entries("moves"))
    if state.turn is not None:
        return standing_of(state)
    score = state.score()
    table = state.table
    answer = {"contract": table.contract, "declarer": table.declarer, "award": list(score.awards)}
    if score.game is None:
        return answer
    return answer | {
        "totals": [side.total for side in score.sides],
        "card_points": [side.card_points for side in score.sides],
        "tricks": [side.trick_count for side in score.sides],
        "declared_points": [side.declarations for side in score.sides],
        "game": {"winner": score.winner, "rounded": score.game.rounded, "game_points": score.game.game_points},
        "aside_owner": score.discard_side,
        "matto": {
            "played_by": table.matto_seat,
            "kept_by": score.matto_side,
            "transferred_card": None if score.matto_card is None else _PACK.format_card(score.matto_card),
        },
    }


def _course(case: CaseInput) -> Any:
    """A session deal by deal; "all_pass" stands for a deal that nobody played."""
    variant = with_checked_options(_VARIANT, {"deals": str(case.integer("deal_count", 1, 100))})
    match = Match(variant, case.integer("first_dealer", 0, variant.seat_count - 1))
    answer = course_of(match, case.entries("awards"))
    best = [seat for seat, score in enumerate(answer["score"]) if score == max(answer["score"])]
    if not answer["over"]:
        return {**answer, "winners": []}
    return {**answer, "winner": "tie" if answer["winner"] is None else answer["winner"], "winners": best}


TERZIGLIO_ANSWERS: Final[dict[str, Answer]] = {
    "terziglio-bid": _bid,
    "terziglio-calls": _calls,
    "terziglio-score": _score,
    "terziglio-stock": _stock,
    "terziglio-deal": _deal,
    "terziglio-game": _game,
    "terziglio-course": _course,
}
"""For each kind of case the function that answers it."""
