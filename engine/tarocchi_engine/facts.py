"""What an observation proves about the cards that its seat cannot see, in the form that a sampler needs.

A world is an assignment of the unseen cards to their holders: the other hands, the cards laid aside unless the
observer did so himself, and what he himself is still to be dealt. Almost every fact of these games bars a card from a
holder; the four that do not have fields of their own here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tarocchi_engine.cards import TRUMP_MASK, cards_in
from tarocchi_engine.observation import View

ASIDE_HOLDER: Final = -1
"""Stands for the cards laid aside face down, or the stock, where a holder is not a seat."""


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
class Promise:
    """A hand whose owner has signalled to hold more cards of a suit."""

    holder: int
    """Index of the holder."""
    cards: int
    """The unseen cards of the suit; at least one is in the hand."""


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
    promises: tuple[Promise, ...] = ()
    sentences: tuple[str, ...] = ()
    """The facts in words, for the message when no world fits them."""


def hidden_cards(view: View) -> HiddenCards:
    """Returns everything that a view proves about the unseen cards: voids, announcements, shown hands, signals."""
    table = view.table
    variant = view.variant
    unseen = view.unseen
    holders: list[int] = []
    capacities: list[int] = []
    allowed: list[int] = []
    sentences: list[str] = []
    names = variant.pack.format_mask
    if aside_count := _hidden_aside_count(view):
        holders.append(ASIDE_HOLDER)
        capacities.append(aside_count)
        if table.discard_made:
            announced = table.announced_trump_count
            barred = variant.pack.five_point_mask | (TRUMP_MASK if announced == 0 else 0)
            allowed.append(unseen & ~barred)
            sentences.append(f"seat {table.discarder} laid away {aside_count} cards, none of five points")
            if announced is not None:
                sentences.append(f"it announced {announced} discarded trumps")
        else:
            allowed.append(unseen)
            sentences.append(f"the stock has {aside_count} cards")
    for seat in range(variant.seat_count):
        if seat == view.seat:
            undealt = variant.dealt_to(seat, table.dealer) - view.observation.hand.bit_count()
            if undealt > 0:
                holders.append(seat)
                capacities.append(undealt)
                allowed.append(unseen)
                sentences.append(f"seat {seat} is still to be dealt {undealt} cards")
            continue
        holders.append(seat)
        capacities.append(_final_hand_size(view, seat) - (table.played[seat] | table.exposed(seat)).bit_count())
        allowed.append(unseen & ~table.cannot_hold[seat])
        sentences.append(f"seat {seat} holds {capacities[-1]} unseen cards")
        if missing := unseen & table.cannot_hold[seat]:
            sentences.append(f"seat {seat} showed by its play that it has none of {' '.join(names(missing))}")
        if table.shown[seat] and variant.shows_all_or_nothing:
            sentences.append(f"seat {seat} showed all its combinations: {' '.join(names(table.shown[seat] or 0))}")
        sentences.extend(
            f"seat {seat} signalled that it still holds one of {' '.join(names(unseen & held))}"
            for held in table.must_hold[seat]
            if not held & table.exposed(seat)
        )
    trumps_first = sorted(cards_in(unseen), key=lambda card: (not TRUMP_MASK >> card & 1, card))
    others = [(index, seat) for index, seat in enumerate(holders) if seat not in (ASIDE_HOLDER, view.seat)]
    return HiddenCards(
        cards=tuple(trumps_first),
        holders=tuple(holders),
        capacities=tuple(capacities),
        cases=_cases(view, holders, allowed),
        aside_left_after=_aside_left(view, holders),
        shown_hands=tuple(
            ShownHand(index, shown, shown | table.played[seat])
            for index, seat in others
            if variant.shows_all_or_nothing and (shown := table.shown[seat])
        ),
        promises=tuple(
            Promise(index, unseen & held)
            for index, seat in others
            for held in table.must_hold[seat]
            if not held & table.exposed(seat)
        ),
        sentences=tuple(sentences),
    )


def _hidden_aside_count(view: View) -> int:
    """Returns how many cards lie aside that the observer has not seen."""
    table = view.table
    if table.discard_made:
        return view.variant.discard_count if view.aside is None else 0
    return 0 if table.discarder is not None else view.variant.stock_size


def _final_hand_size(view: View, seat: int) -> int:
    """Returns how many cards a seat has to play, or if it has not discarded yet, holds with all it is dealt."""
    table = view.table
    if table.discard_made or seat != table.discarder:
        return view.variant.hand_size
    return view.variant.hand_size + view.variant.discard_count


def _cases(view: View, holders: list[int], allowed: list[int]) -> tuple[Case, ...]:
    """Returns the alternatives for the dealer's kept hand that the cards it has played leave open."""
    table = view.table
    if ASIDE_HOLDER not in holders or table.discarder != table.dealer:
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
