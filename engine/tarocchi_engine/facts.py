"""What an observation proves about the cards that its seat cannot see, in the form that a sampler needs.

A world is an assignment of the unseen cards to their holders: the other hands and, unless the observer laid it away
himself, the face-down discard. Almost every fact of these games bars a card from a holder; the three that do not
have fields of their own here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ASIDE_HOLDER: Final = -1
"""Stands for the cards laid away face down where a holder is not a seat."""


@dataclass(frozen=True, slots=True)
class Case:
    """One alternative that the facts leave open; the truth is the union of the alternatives."""

    allowed: tuple[int, ...]
    """For each holder the set of cards that it may hold."""
    barred_holder: int = 0
    """Index of the holder whom this alternative restricts, and ..."""
    barred: int = 0
    """... the cards that it excludes from that holder: a world belongs to the alternative if none is there."""


@dataclass(frozen=True, slots=True)
class ShownHand:
    """A hand whose owner has shown all its combinations: no further one may lie hidden in it."""

    holder: int
    """Index of the holder."""
    shown: int
    """The cards shown."""
    known: int
    """All cards known to have been in the hand at that time, `shown` and those played since."""


@dataclass(frozen=True, slots=True)
class HiddenCards:
    """The unseen cards, their holders and the facts about them."""

    cards: tuple[int, ...]
    """The unseen cards (bits), in the order in which they are dealt out."""
    holders: tuple[int, ...]
    """Seats, or ASIDE_HOLDER; one to four of them."""
    capacities: tuple[int, ...]
    """How many of the unseen cards each holder has; they sum to the number of cards."""
    cases: tuple[Case, ...]
    """One or two alternatives."""
    aside_left_after: tuple[int, int] | None = None
    """(k, c): when the first k cards are placed, ASIDE_HOLDER has exactly c places left."""
    shown_hands: tuple[ShownHand, ...] = ()
    sentences: tuple[str, ...] = ()
    """The facts in words, for the message when no world fits them."""
