"""Moves, the decisions of a deal, and events, the moves as one seat has seen them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tarocchi_engine.errors import check_kind, is_integer


class Signal(StrEnum):
    """What the leader of a trick may tell its partner with the card."""

    VOLO = "volo"
    """It holds no more cards of the suit."""
    STRISCIO = "striscio"
    """It still holds cards of the suit (or, by an option, it asks for a trump lead)."""
    BUSSO = "busso"
    """It asks for the partner's best card."""


class Call(StrEnum):
    """What a seat says in an auction, lowest first."""

    PASS = "pass"
    GIOCO = "gioco"
    """To play alone against the others with the help of the stock."""
    SOLO = "solo"
    """To play alone against the others without the stock."""


@dataclass(frozen=True, slots=True)
class Monte:
    """A seat says after its first packet whether it would throw the cards in; one that would not ends the poll."""

    throws_in: bool


@dataclass(frozen=True, slots=True)
class CallOut:
    """The dealer ends the match by showing combinations of its first fifteen cards, or takes the last two."""

    cards: int
    """The cards shown; the empty set goes on with the deal."""


@dataclass(frozen=True, slots=True)
class Bid:
    """A seat's call in the auction."""

    call: Call


@dataclass(frozen=True, slots=True)
class Discard:
    """The dealer, or the declarer who took the stock, lays cards away face down."""

    cards: int | None
    """The cards laid away; None where the observer did not see them."""
    announced_trump_count: int | None = None
    """How many trumps the dealer says are among them, in variants with that announcement."""


@dataclass(frozen=True, slots=True)
class Declare:
    """A seat shows cards that score before its first card; the empty set declares nothing."""

    cards: int


@dataclass(frozen=True, slots=True)
class Play:
    """A seat plays a card to the trick; a leader may add a signal."""

    card: int
    signal: Signal | None = None


@dataclass(frozen=True, slots=True)
class Give:
    """The seat that played the Matto hands over a card of its side's pile for it."""

    card: int


Move = Monte | CallOut | Bid | Discard | Declare | Play | Give


@dataclass(frozen=True, slots=True)
class Event:
    """A move and the seat that made it."""

    seat: int
    move: Move


def check_move(move: object) -> None:
    """Raises TypeError unless `move` is a move whose parts are of their kinds."""
    match move:
        case Play(card, signal):
            check_kind("Play.card", card, is_integer(card), _CARD)
            is_signal = signal is None or isinstance(signal, Signal)
            check_kind("Play.signal", signal, is_signal, _SIGNALS_WANTED)
        case Monte(throws_in):
            check_kind("Monte.throws_in", throws_in, isinstance(throws_in, bool), "True for monte or False for play")
        case Bid(call):
            check_kind("Bid.call", call, isinstance(call, Call), _CALLS_WANTED)
        case CallOut(cards) | Declare(cards):
            check_kind(f"{type(move).__name__}.cards", cards, is_integer(cards), CARDS_WANTED)
        case Discard(cards, count):
            check_kind("Discard.cards", cards, cards is None or is_integer(cards), CARDS_WANTED)
            check_kind("Discard.announced_trump_count", count, count is None or is_integer(count), "a number or None")
        case Give(card):
            check_kind("Give.card", card, is_integer(card), _CARD)
        case _:
            kinds = ", ".join(kind.__name__ for kind in _FIELDS)
            raise TypeError(f"move is {move!r}: give one of the moves that legal_moves() lists, a {kinds}")


_CALLS_WANTED = f"one of {', '.join(f'Call.{call.name}' for call in Call)}"
_SIGNALS_WANTED = f"None or one of {', '.join(f'Signal.{signal.name}' for signal in Signal)}"
_CARD = "the number of a card, such as pack.parse_card('SK')"
CARDS_WANTED = "the bits of a set of cards, such as pack.parse_cards(['SK', 'S8'])"


_FIELDS = {
    Monte: "monte",
    CallOut: "call_out",
    Bid: "bid",
    Discard: "discard",
    Declare: "declare",
    Play: "play",
    Give: "give",
}


def field_of(move: Move, part: str = "") -> str:
    """Returns the path of a move in an event, or of a part of it, such as "declare.cards"."""
    name = _FIELDS[type(move)]
    return f"{name}.{part}" if part else name
