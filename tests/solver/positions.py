"""Positions written down in short: a seat's hand and what it has seen, one word for each event."""

from __future__ import annotations

from typing import NamedTuple

from tarocchi_engine import (
    VARIANTS,
    Bid,
    Call,
    CallOut,
    Declare,
    Discard,
    Monte,
    Move,
    Observation,
    Pack,
    Play,
    Signal,
)
from tarocchi_engine.table import Table


class Position(NamedTuple):
    """A decision that shows whether a player has sense."""

    name: str
    """What it is about."""
    variant: str
    seat: int
    dealer: int
    hand: str
    """All cards dealt to the seat."""
    events: str
    """A card played (`SK`, with a signal `SK!volo`), cards shown (`[SK.SQ.SN]`), a discard (`-` face down, `-=1` with
    the announcement of one trump, `-S6.S7` the seat's own), a call (`gioco`), `play` instead of monte, `{}` for no
    call-out."""
    bad: str
    """The legal cards that no player of sense would play."""

    def observation(self) -> Observation:
        """Returns the observation of the seat."""
        variant = VARIANTS[self.variant]
        table = Table(variant, self.dealer)
        for word in self.events.split():
            table.apply(table.turn, _move(variant.pack, word))
        return Observation(
            self.variant, self.seat, self.dealer, variant.pack.parse_cards(self.hand.split()), table.events
        )


def _move(pack: Pack, word: str) -> Move:
    def cards(text: str) -> int:
        return pack.parse_cards(text.split(".") if text else [])

    if word in tuple(Call):
        return Bid(Call(word))
    match word[0]:
        case "[":
            return Declare(cards(word[1:-1]))
        case "{":
            return CallOut(cards(word[1:-1]))
        case "-":
            laid, _, announced = word[1:].partition("=")
            return Discard(cards(laid) if laid else None, int(announced) if announced else None)
    if word in ("play", "monte"):
        return Monte(word == "monte")
    card, _, signal = word.partition("!")
    return Play(pack.parse_card(card), Signal(signal) if signal else None)
