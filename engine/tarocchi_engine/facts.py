"""What an observation proves about the cards that its seat cannot see, in the form that a sampler needs.

A world is an assignment of the unseen cards to their holders: the other hands and, unless the observer laid it away
himself, the face-down discard. Almost every fact of these games bars a card from a holder; the three that do not
have fields of their own here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tarocchi_engine.cards import TRUMP_MASK, cards_in
from tarocchi_engine.observation import View
from tarocchi_engine.table import Phase

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


def hidden_cards(view: View) -> HiddenCards:
    """Returns everything that a view proves about the unseen cards: voids, announcements, shown hands."""
    table = view.table
    variant = view.variant
    unseen = view.unseen
    discard_made = table.phase is not Phase.DISCARD
    holders: list[int] = []
    capacities: list[int] = []
    allowed: list[int] = []
    sentences: list[str] = []
    names = variant.pack.format_mask
    if discard_made and view.aside is None:
        holders.append(ASIDE_HOLDER)
        capacities.append(variant.discard_count)
        announced = table.announced_trump_count
        barred = variant.pack.five_point_mask | (TRUMP_MASK if announced == 0 else 0)
        allowed.append(unseen & ~barred)
        sentences.append(
            f"the dealer (seat {table.dealer}) laid away {variant.discard_count} cards, none of five points"
        )
        if announced is not None:
            sentences.append(f"the dealer announced {announced} discarded trumps")
    for seat in range(variant.seat_count):
        if seat == view.seat:
            continue
        size = variant.hand_size if discard_made else variant.dealt_to(seat, table.dealer)
        holders.append(seat)
        capacities.append(size - (table.played[seat] | table.exposed(seat)).bit_count())
        allowed.append(unseen & ~table.cannot_hold[seat])
        sentences.append(f"seat {seat} holds {capacities[-1]} unseen cards")
        if missing := unseen & table.cannot_hold[seat]:
            sentences.append(f"seat {seat} did not follow or trump and has none of {' '.join(names(missing))}")
        if table.shown[seat]:
            sentences.append(f"seat {seat} showed all its combinations: {' '.join(names(table.shown[seat] or 0))}")
    trumps_first = sorted(cards_in(unseen), key=lambda card: (not TRUMP_MASK >> card & 1, card))
    return HiddenCards(
        cards=tuple(trumps_first),
        holders=tuple(holders),
        capacities=tuple(capacities),
        cases=_cases(view, holders, allowed),
        aside_left_after=_aside_left(view, holders),
        shown_hands=tuple(
            ShownHand(index, shown, shown | table.played[seat])
            for index, seat in enumerate(holders)
            if seat != ASIDE_HOLDER and (shown := table.shown[seat])
        ),
        sentences=tuple(sentences),
    )


def _cases(view: View, holders: list[int], allowed: list[int]) -> tuple[Case, ...]:
    """Returns the alternatives for the dealer's kept hand that the cards it has played leave open."""
    table = view.table
    if ASIDE_HOLDER not in holders:
        return (Case(tuple(allowed)),)
    dealer = holders.index(table.dealer)
    kept = table.played[table.dealer] | table.exposed(table.dealer)
    cases = []
    for absent in view.variant.kept_hand_cases(table.announced_trump_count):
        if not kept & absent:
            restricted = [cards & ~absent if index == dealer else cards for index, cards in enumerate(allowed)]
            cases.append(Case(tuple(restricted), dealer, absent & view.unseen))
    return tuple(cases)


def _aside_left(view: View, holders: list[int]) -> tuple[int, int] | None:
    """Returns after how many cards (the unseen trumps) how many places of the discard are left."""
    announced = view.table.announced_trump_count
    if ASIDE_HOLDER not in holders or not announced:
        return None
    return (view.unseen & TRUMP_MASK).bit_count(), view.variant.discard_count - announced
