"""What the cases about matches and whole deals share: awards of a deal, moves written as lists, where a deal stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from tarocchi_engine.cards import Pack
from tarocchi_engine.conformance.cases import CaseInputError
from tarocchi_engine.match import Match
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Give, Monte, Move, Play, Signal
from tarocchi_engine.options import OptionError, with_options
from tarocchi_engine.state import State
from tarocchi_engine.variant import DealScore, Ending, Variant, winner_of

V = TypeVar("V", bound=Variant)

ENDINGS: Final = {Ending.THROWN_IN: "monte"}


def awarded(awards: Any, variant: Variant) -> DealScore:
    """Returns the count of a deal of which only the awards are told; a text, such as "monte", stands for none."""
    if isinstance(awards, str):
        awards = [0] * variant.score_count
    if not isinstance(awards, list) or len(awards) != variant.score_count:
        raise CaseInputError(f"a deal brings {variant.score_count} numbers, not {awards!r}")
    scores = tuple(map(float, awards))
    return DealScore(sides=(), winner=winner_of(scores), awards=scores)


def course_of(match: Match, deals: Iterable[Any]) -> dict[str, Any]:
    """Returns the dealers and the scores of a match whose deals have brought so much."""
    dealers = []
    for awards in deals:
        dealers.append(match.dealer)
        match = match.after(awarded(awards, match.variant))
    return {
        "dealers": dealers,
        "score": list(match.scores),
        "over": match.is_over,
        "winner": match.winner if match.is_over else None,
    }


def with_checked_options(variant: V, options: Mapping[str, str]) -> V:
    """Returns the variant with options; raises `CaseInputError` for one that it does not have."""
    try:
        return with_options(variant, options)
    except OptionError as error:
        raise CaseInputError(f"input: {error}") from error


def play_moves(state: State, written: Iterable[Any]) -> State:
    """Returns the state after the moves of a case."""
    for move in written:
        state = state.apply_move(read_move(move, state.variant.pack))
    return state


def read_move(written: Any, pack: Pack) -> Move:
    """Returns a move written as a list, such as ["play", "S8", "busso"]; sets of cards are lists in it."""
    try:
        match written:
            case ["monte", bool(throws_in)]:
                return Monte(throws_in)
            case ["bid", str(call)]:
                return Bid(Call(call))
            case ["call_out", None]:
                return CallOut(0)
            case ["call_out", [*cards]]:
                return CallOut(pack.parse_cards(cards))
            case ["discard", [*cards]]:
                return Discard(pack.parse_cards(cards))
            case ["declare", [*cards]]:
                return Declare(pack.parse_cards(cards))
            case ["play", str(card), signal]:
                return Play(pack.parse_card(card), None if signal is None else Signal(signal))
            case ["give", str(card)]:
                return Give(pack.parse_card(card))
    except ValueError as error:
        raise CaseInputError(f"the move {written!r}: {error}") from error
    raise CaseInputError(f"{written!r} is no move")


def write_move(move: Move, pack: Pack) -> list[Any]:
    """Returns a move as the cases write it."""
    match move:
        case Monte(throws_in):
            return ["monte", throws_in]
        case Bid(call):
            return ["bid", str(call)]
        case CallOut(cards):
            return ["call_out", pack.format_mask(cards) if cards else None]
        case Discard(cards):
            return ["discard", pack.format_mask(cards or 0)]
        case Declare(cards):
            return ["declare", pack.format_mask(cards)]
        case Play(card, signal):
            return ["play", pack.format_card(card), None if signal is None else str(signal)]
        case Give(card):
            return ["give", pack.format_card(card)]


def standing_of(state: State) -> dict[str, Any]:
    """Returns where an unfinished deal stands; its legal moves in the order of the cases, None where they are many."""
    moves = state.legal_moves()
    pack = state.variant.pack
    return {
        "phase": state.phase.name.lower(),
        "turn": state.turn,
        "legal": [write_move(move, pack) for move in in_case_order(moves, pack)]
        if len(moves) == state.legal_move_count
        else None,
    }


def in_case_order(moves: Iterable[Move], pack: Pack) -> list[Move]:
    """Returns moves that lay away or show cards by the number and the order of the cards, all others as they are."""

    def place(move: Move) -> tuple[int, list[int]]:
        if not isinstance(move, CallOut | Declare | Discard):
            return 0, []
        shown = pack.in_display_order(move.cards or 0)
        return len(shown), [pack.display_order.index(card) for card in shown]

    return sorted(moves, key=place)
