"""Which cards nobody who knows the game would play, whatever the search has seen of them.

The weaker levels err, but a partner has to be able to believe in what they do. So from what they may choose those cards
are left out against which some principles of good play, see `sense`, have something grave to say: by what the seat
knows for sure, never by a guess.
"""

from __future__ import annotations

from typing import Final

from tarocchi_engine import Phase, View
from tarocchi_solver.search.sense import PRINCIPLES, Principle
from tarocchi_solver.search.situation import Situation

DEAR: Final = 3.0
"""So many points thrown away without need are no oversight any more: a Queen for a card without a figure."""

GRAVE: Final = {
    "five points led": 1.0,
    "Matto led": 1.0,
    "five points thrown away": 1.0,
    "partner overtaken": 1.0,
    "opponents fed": DEAR,
}
"""The principles that no level breaks, by name, with the blame from which a card counts as breaking them."""

_PRINCIPLES: Final[dict[Principle, float]] = {
    principle: GRAVE[principle.name] for principle in PRINCIPLES if principle.name in GRAVE
}


def broken_principles(situation: Situation, card: int) -> tuple[str, ...]:
    """Returns the names of the principles of GRAVE that a legal card breaks."""
    return tuple(item.name for item, least in _PRINCIPLES.items() if item.blame(situation, card) >= least)


def absurd_cards(view: View) -> frozenset[int]:
    """Returns the legal cards that break a principle of GRAVE, while some other legal card breaks none of them.

    None where the seat has something else to decide than a card to play.
    """
    if view.phase is not Phase.PLAY:
        return frozenset()
    situation = Situation(view)
    blamed = frozenset(card for card in situation.legal if broken_principles(situation, card))
    return blamed if len(blamed) < len(set(situation.legal)) else frozenset()
