"""Answers to the worked cases of Ottocento, the match to 800: the match, its early ends, signals, whole deals."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import numpy as np

from tarocchi_engine.cards import ALL_MASK, KING_MASK, MATTO_MASK, TRUMP_MASK, cards_in, lane_of
from tarocchi_engine.conformance.bolognese import variant_of
from tarocchi_engine.conformance.cases import Answer, CaseInput, CaseInputError
from tarocchi_engine.conformance.scripts import (
    ENDINGS,
    awarded,
    course_of,
    in_case_order,
    play_moves,
    standing_of,
    with_checked_options,
    write_move,
)
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.legality import legal_moves_of
from tarocchi_engine.match import Match, Standing
from tarocchi_engine.moves import CallOut, Declare, Monte, Play, Signal
from tarocchi_engine.options import format_value
from tarocchi_engine.record import Phase
from tarocchi_engine.scoring import settlement_card
from tarocchi_engine.state import State, new_deal
from tarocchi_engine.table import Table
from tarocchi_engine.variant import Ending
from tarocchi_engine.variants.ottocento import Ottocento

_VARIANT = Ottocento()
_PACK = _VARIANT.pack
_SIGNAL_OPTIONS = ("striscio_meaning", "signals_after_top")


def _before(case: CaseInput) -> Standing:
    """Returns the standing before the deal of a case; how many deals it took is not told."""
    if "target" in case and case.integer("target", 0, 10_000) != _VARIANT.match_target:
        raise CaseInputError(f"input.target should be {_VARIANT.match_target}")
    if "before" not in case:
        return Standing()
    first, second = case.numbers("before", 2)
    return Standing((first, second), deals_played=1)


def _match_answer(match: Match) -> dict[str, Any]:
    winner = match.winner if match.is_over else None
    return {"score": list(match.scores), "over": match.is_over, "winner": winner}


def _match(case: CaseInput) -> Any:
    """The scores after one more deal, and whether they end the match."""
    return _match_answer(Match(_VARIANT, 0, _before(case)).after(awarded(case.numbers("deal", 2), _VARIANT)))


def _match_declare(case: CaseInput) -> Any:
    """The scores after a declaration, and whether it ends the match on the spot."""
    side = case.integer("side", 0, 1)
    table = Table(_VARIANT, 0, _before(case))
    table.declared_points[side] = case.integer("declared", 0, 10_000)
    match = Match(_VARIANT, 0, table.standing).after(awarded(table.declared_points, _VARIANT))
    over = table.has_reached_target(side)
    return {"score": list(match.scores), "over": over, "winner": match.winner if over else None}


def _call_out(case: CaseInput) -> Any:
    """Whether the dealer ends the match with cards of its first fifteen."""
    dealer = case.integer("dealer_side", 0, 1)
    first = list(case.card_list("first15"))
    rest = list(cards_in(ALL_MASK & ~sum(1 << card for card in first)))
    variant = Ottocento(monte=False)
    order = []
    for seat in range(variant.seat_count):
        cards = first if seat == dealer else []
        count = variant.dealt_to(seat, dealer) - len(cards)
        order.append([*cards, *rest[:count]])
        rest = rest[count:]
    hands = [sum(1 << card for card in hand) for hand in order]
    state = State.new(variant, dealer, hands, _before(case), order=order)
    match = Match(variant, dealer, state.standing)
    shown = CallOut(case.cards("declared"))
    with suppress(IllegalMoveError):
        state = state.apply_move(shown)
    legal = state.table.ending is Ending.CALL_OUT
    return {"legal": legal, **_match_answer(match.after(state.score()) if legal else match)}


def _monte(case: CaseInput) -> Any:
    """Whether the cards are thrown in, and who deals then."""
    dealer = case.integer("dealer", 0, _VARIANT.seat_count - 1)
    state = new_deal(_VARIANT, 0, dealer)
    for call in case.texts("calls"):
        if call not in ("monte", "play"):
            raise CaseInputError(f"input.calls holds {call!r}: a seat says monte or play")
        state = state.apply_move(Monte(call == "monte"))
    redeal = state.table.ending is Ending.THROWN_IN
    return {"redeal": redeal, "next_dealer": Match(_VARIANT, dealer).after(state.score()).dealer if redeal else None}


def _signal(case: CaseInput) -> Any:
    """Whether a signal may be made with a card; whether the seat defends counts in Terziglio."""
    try:
        signal = Signal(case.text("signal"))
    except ValueError as error:
        raise CaseInputError(f"input.signal: {error}") from error
    card = _PACK.parse_cards([case.text("card")]).bit_length() - 1
    hand = 1 << card | case.cards("rest_of_hand")
    options = {
        name: case.text(name) if name == "striscio_meaning" else format_value(case.flag(name))
        for name in _SIGNAL_OPTIONS
        if name in case
    }
    table = Table(variant_of(case, options), 0)
    table.phase = Phase.PLAY
    if "defender" in case and not case.flag("defender"):
        table.declarer = table.turn
    table.piles[0] = (
        (KING_MASK & lane_of(card) if case.flag("king_of_suit_seen") else 0)
        | (TRUMP_MASK if case.flag("all_trumps_seen") else 0)
        | (_PACK.parse_cards(["ANG"]) if "angel_seen" in case and case.flag("angel_seen") else 0)
    )
    if not case.flag("leader"):
        table.trick = (next(cards_in(lane_of(card) & ~hand)),)
    return {"allowed": Play(card, signal) in legal_moves_of(table, hand)}


def _gift(case: CaseInput) -> Any:
    """The cards among which the seat that played the Matto chooses, and the one of the fixed rule."""
    giver, receiver = case.cards("giver_pile"), case.cards("receiver_pile")
    table = Table(_VARIANT, 1)
    table.matto_seat = 0
    table.piles = [giver & ~MATTO_MASK, receiver | MATTO_MASK]
    return {
        "choices": [_PACK.format_card(card) for card in table.cards_to_give()],
        "default": _PACK.format_card(int(settlement_card(np.uint64(giver), np.uint64(receiver)))),
    }


def _declarations(case: CaseInput) -> Any:
    """Every set of cards that a hand may show, small ones first."""
    moves = [Declare(cards) for cards in _VARIANT.declarations(case.cards("hand"))]
    return {"legal": [write_move(move, _PACK)[1] for move in in_case_order(moves, _PACK)]}


def _ottocento_deal(case: CaseInput) -> Any:
    """A deal and its moves: where it stands, or how it ended and what it brought."""
    variant = with_checked_options(_VARIANT, case.options("options"))
    dealer = case.integer("dealer", 0, variant.seat_count - 1)
    order = case.card_lists("hands")
    hands = [sum(1 << card for card in hand) for hand in order]
    state = play_moves(State.new(variant, dealer, hands, _before(case), order=order), case.entries("moves"))
    if state.turn is not None:
        return standing_of(state)
    score = state.score()
    match = Match(variant, dealer, state.standing).after(score)
    answer = _match_answer(match)
    answer["scores"] = answer.pop("score")
    answer |= {"ended_by": ENDINGS.get(score.ending, str(score.ending)), "totals": list(score.awards)}
    if score.ending is Ending.COUNT:
        answer |= {
            "tricks": [side.trick_count for side in score.sides],
            "card_points": [side.card_points for side in score.sides],
            "declared_points": [side.declarations for side in score.sides],
            "transferred_card": None if score.matto_card is None else _PACK.format_card(score.matto_card),
        }
    return answer


def _match_course(case: CaseInput) -> Any:
    """A match deal by deal; "monte" stands for cards thrown in."""
    _before(case)
    first_dealer = case.integer("first_dealer", 0, _VARIANT.seat_count - 1)
    return course_of(Match(_VARIANT, first_dealer), case.entries("deals"))


OTTOCENTO_ANSWERS: Final[dict[str, Answer]] = {
    "match": _match,
    "match-declare": _match_declare,
    "match-course": _match_course,
    "call-out": _call_out,
    "monte": _monte,
    "signal": _signal,
    "gift": _gift,
    "declarations": _declarations,
    "ottocento-deal": _ottocento_deal,
}
"""For each kind of case the function that answers it."""
