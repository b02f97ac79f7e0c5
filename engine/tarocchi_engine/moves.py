"""Moves, the decisions of a deal, and events, the moves as one seat has seen them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Discard:
    """The dealer lays cards away face down."""

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
    """A seat plays a card to the trick."""

    card: int


Move = Discard | Declare | Play


@dataclass(frozen=True, slots=True)
class Event:
    """A move and the seat that made it."""

    seat: int
    move: Move
