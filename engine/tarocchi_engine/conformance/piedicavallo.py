"""Answers to the worked cases of Piedicavallo; every figure comes out of the engine."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tarocchi_engine.cards import MATTO_MASK, SUITS, UnknownCardError, cards_in
from tarocchi_engine.conformance.cases import Answer, CaseInput, CaseInputError
from tarocchi_engine.conformance.scripts import awarded
from tarocchi_engine.errors import IllegalMoveError
from tarocchi_engine.layout import ASIDE, ASIDE_SIDE, MATTO_SIDE, PILES, POSITION_WORDS, SCORING
from tarocchi_engine.legality import announced_count, legal_play_mask
from tarocchi_engine.match import Match
from tarocchi_engine.moves import Discard, Move, Play
from tarocchi_engine.options import format_value, with_options
from tarocchi_engine.scoring import piedicavallo_half_points, settle_piles
from tarocchi_engine.state import State, replay
from tarocchi_engine.table import Table
from tarocchi_engine.variant import winner_of
from tarocchi_engine.variants.piedicavallo import Piedicavallo

_VARIANT = Piedicavallo()
_FOUR_DEALS = Piedicavallo(match="four_deals")
_PACK = _VARIANT.pack
_FULL_SUIT = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "N", "Q", "K")
_REASONS = {
    "FIVE_POINT_CARD": "five_point_card",
    "TRUMP_WITHOUT_REASON": "trump_without_reason",
    "CARD_NOT_IN_HAND": "card_not_held",
    "DISCARD_SIZE": "wrong_number_of_cards",
}


def _value(cards: int) -> int:
    return int(piedicavallo_half_points(np.uint64(cards))) // 2


def _result(points: tuple[float, float]) -> str:
    winner = winner_of(points)
    return "draw" if winner is None else f"team{winner}"


def _deck(_case: CaseInput) -> Any:
    """What the pack is made of."""
    suits = [_PACK.suit_of(card) for card in range(len(_PACK.ids))]
    return {
        "cards": len(_PACK.ids),
        "per_suit": {suit: suits.count(suit) for suit in SUITS},
        "trumps": suits.count("T"),
        "matto": suits.count("M"),
        "total_points": _value((1 << len(suits)) - 1),
    }


def _removed_cards(_case: CaseInput) -> Any:
    """The cards of a 78-card pack that this one lacks, lowest number first."""
    return {suit: [rank for rank in _FULL_SUIT if not _is_card(suit + rank)] for suit in SUITS}


def _is_card(text: str) -> bool:
    try:
        _PACK.parse_card(text)
    except UnknownCardError:
        return False
    return True


def _order_high_to_low(case: CaseInput) -> Any:
    """The ranks of a suit or the numbers of the trumps, strongest first."""
    suit = case.text("suit")
    cards = [card for card in range(len(_PACK.ids)) if _PACK.suit_of(card) == suit]
    if not cards:
        raise CaseInputError(f"input.suit should be a suit letter or T and is {suit!r}")
    return [_PACK.format_card(card)[1:] for card in sorted(cards, key=_PACK.strength, reverse=True)]


def _card_value(case: CaseInput) -> Any:
    """The points of single cards."""
    return [_PACK.points[card] for card in case.card_list("cards")]


def _set_value(case: CaseInput) -> Any:
    """The points of cards together."""
    return _value(case.cards("cards"))


def _table_with(trick: tuple[int, ...]) -> Table:
    """Returns a table on which these cards lie."""
    table = Table(_VARIANT, 0)
    table.trick = trick
    return table


def _legal_moves(case: CaseInput) -> Any:
    """The cards of a hand that may be played to a trick, ids in alphabetical order."""
    legal = legal_play_mask(_table_with(case.card_list("trick")), case.cards("hand"))
    return sorted(_PACK.format_mask(legal))


def _trick_winner(case: CaseInput) -> Any:
    """The seat that wins a trick; seats count modulo the number of its cards."""
    trick = case.card_list("trick")
    place = _table_with(trick).winning_place()
    leader = case.integer("leader", 0, _VARIANT.seat_count - 1)
    return (leader + place) % len(trick) if place >= 0 else None


def _discard_legal(case: CaseInput) -> Any:
    """Whether the dealer may lay two cards away, why, and what is announced."""
    variant = _with_switches(case)
    hand = case.cards("hand")
    cards = case.cards("discard")
    try:
        variant.check_discard(hand, cards)
    except IllegalMoveError as error:
        return {"legal": False, "reason": _REASONS[error.reason], "announced_trumps": None}
    return {
        "legal": True,
        "reason": variant.discard_ground(hand, cards),
        "announced_trumps": announced_count(variant, cards),
    }


def _discard_count(case: CaseInput) -> Any:
    """The number of legal discards."""
    return _with_switches(case).discard_total(case.cards("hand"))


def _with_switches(case: CaseInput) -> Piedicavallo:
    """Returns the variant with the switches of the discard that a case sets."""
    names = ("allow_voiding", "matto_counts_as_trump_for_discard")
    return with_options(_VARIANT, {name: format_value(case.flag(name)) for name in names if name in case})


def _settlement(case: CaseInput) -> Any:
    """The points of both sides from those of their tricks, the Matto and the discard set apart."""
    tricks = case.numbers("tricks", 2)
    points = case.numbers("trick_points_without_matto", 2)
    discard = case.cards("discard")
    position = np.zeros(POSITION_WORDS, dtype=np.uint64)
    stand_ins = list(cards_in(((1 << len(_PACK.ids)) - 1) & ~MATTO_MASK & ~discard))[:2]
    for side in (0, 1):
        position[PILES + side] = 1 << stand_ins[side] if tricks[side] else 0
    matto_side = case.integer("matto_played_by_team", 0, 1)
    # Whoever took the trick, its pile holds the Matto; any side with a trick stands for it.
    position[PILES + (matto_side if tricks[matto_side] else 1 - matto_side)] |= np.uint64(MATTO_MASK)
    position[MATTO_SIDE] = matto_side
    position[ASIDE] = discard
    position[ASIDE_SIDE] = _VARIANT.side_of(case.integer("dealer", 0, _VARIANT.seat_count - 1))
    position[SCORING] = _VARIANT.scoring
    piles = np.zeros(2, dtype=np.uint64)
    settle_piles(position, piles)
    first, second = (points[side] + _value(int(piles[side]) & (MATTO_MASK | discard)) for side in (0, 1))
    return {"points": [first, second], "result": _result((first, second))}


def _full_deal(case: CaseInput) -> Any:
    """A whole deal from the discard on: who wins each trick, tricks and points of the sides."""
    dealer = case.integer("dealer", 0, _VARIANT.seat_count - 1)
    discard = case.cards("discard")
    hands = [sum(1 << card for card in hand) for hand in case.card_lists("hands_after_discard")]
    if dealer < len(hands):
        hands[dealer] |= discard
    moves: list[Move] = [Discard(discard)]
    moves += [Play(card) for trick in case.card_lists("plays") for card in trick]
    state = replay(State.new(_VARIANT, dealer, hands), moves)
    if state.turn is not None:
        raise CaseInputError("input.plays ends before the deal does")
    score = state.score()
    first, second = (side.total for side in score.sides)
    return {
        "winners": [trick.winner for trick in state.tricks],
        "tricks": [side.trick_count for side in score.sides],
        "points": [first, second],
        "result": _result((first, second)),
    }


def _first_leader(case: CaseInput) -> Any:
    """The seat that leads to the first trick."""
    return Table(_VARIANT, case.integer("dealer", 0, _VARIANT.seat_count - 1)).leader


def _match_of(case: CaseInput, first_dealer: int) -> list[Match]:
    """Returns the standings of a match in which side 0 takes all 114 points of every deal, the first one included."""
    whole = _FOUR_DEALS.match_deal_count or 0
    if (deals := case.integer("deals", 1, whole)) != whole:
        raise CaseInputError(f"input.deals is {deals}: a match has {whole} deals")
    score = awarded([_value((1 << len(_PACK.ids)) - 1), 0], _FOUR_DEALS)
    standings = [Match(_FOUR_DEALS, first_dealer)]
    while not standings[-1].is_over:
        standings.append(standings[-1].after(score))
    return standings


def _match_total(case: CaseInput) -> Any:
    """The points of all deals of a match together, and half of them."""
    total = int(sum(_match_of(case, 0)[-1].scores))
    return {"total_points": total, "half": total // 2}


def _dealer_sequence(case: CaseInput) -> Any:
    """The dealers of a match, one deal after another."""
    first = case.integer("first_dealer", 0, _VARIANT.seat_count - 1)
    return [match.dealer for match in _match_of(case, first)[:-1]]


def _match_course(case: CaseInput) -> Any:
    """A match deal by deal: who dealt, the scores, the deals left."""
    match = Match(_FOUR_DEALS, case.integer("first_dealer", 0, _VARIANT.seat_count - 1))
    dealers = []
    for awards in case.entries("deals"):
        dealers.append(match.dealer)
        match = match.after(awarded(awards, _FOUR_DEALS))
    left = (_FOUR_DEALS.match_deal_count or 0) - match.standing.deals_played
    winner = _result((match.scores[0], match.scores[1])) if match.is_over else None
    return {"dealers": dealers, "score": list(match.scores), "over": match.is_over, "winner": winner, "left": left}


PIEDICAVALLO_ANSWERS: Final[dict[str, Answer]] = {
    "deck": _deck,
    "removed_cards": _removed_cards,
    "order_high_to_low": _order_high_to_low,
    "card_value": _card_value,
    "set_value": _set_value,
    "legal_moves": _legal_moves,
    "trick_winner": _trick_winner,
    "discard_legal": _discard_legal,
    "discard_count": _discard_count,
    "settlement": _settlement,
    "full_deal": _full_deal,
    "first_leader": _first_leader,
    "match_total": _match_total,
    "dealer_sequence": _dealer_sequence,
    "match_course": _match_course,
}
"""For each kind of case the function that answers it."""
