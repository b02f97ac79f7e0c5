"""What a seat knows, as a text and as a set of deals to draw from.

Information states hold the engine's observation of the seat, in the groups in which it took up its cards: a player with
perfect recall still knows which cards came first. Of another seat's unfinished discard or declaration nothing is known,
not even that it has begun.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache

from tarocchi_engine import CallOut, Declare, Discard, Ending, Event, Phase, State, Table, Variant, View, view
from tarocchi_engine.cards import cards_in
from tarocchi_engine.facts import ASIDE_HOLDER, hidden_cards
from tarocchi_engine.legality import can_call_out
from tarocchi_solver.openspiel.actions import action_text, encode
from tarocchi_solver.search.sampler import WorldSampler

UNDEALT = "the cards are being dealt"


def own_groups(state: State, seat: int) -> tuple[int, ...]:
    """Returns the sets of cards that a seat has taken up one after another, the stock the last."""
    table = state.table
    groups, before = [], 0
    for held in state.packets[seat][: table.packets_dealt(seat)]:
        groups.append(held & ~before)
        before = held
    return (*groups, state.stock) if table.has_taken_stock(seat) else tuple(groups)


def information_text(state: State, seat: int, draft: int) -> str:
    """Returns the information state of a seat; `draft` is its own unfinished set of cards.

    Variant, options and standing are left out: they are the same in all states of a game.
    """
    observation = state.observe(seat)
    pack = state.variant.pack
    held = " | ".join(" ".join(pack.format_mask(cards)) for cards in own_groups(state, seat))
    events = ", ".join(_event_text(state.variant, event) for event in observation.events)
    begun = f"; chosen so far: {' '.join(pack.format_mask(draft))}" if draft else ""
    return f"seat {seat}, dealer {observation.dealer}; dealt {held}; {events}{begun}"


@lru_cache(maxsize=1 << 15)
def _event_text(variant: Variant, event: Event) -> str:
    """Returns an event as its observer saw it."""
    pack = variant.pack
    match event.move:
        case Discard(cards, announced):
            laid_away = "face down" if cards is None else " ".join(pack.format_mask(cards))
            trumps = "" if announced is None else f" ({announced} trumps)"
            return f"{event.seat} discards {laid_away}{trumps}"
        case Declare(cards):
            return f"{event.seat} shows {' '.join(pack.format_mask(cards)) or 'nothing'}"
        case CallOut(cards):
            shown = " ".join(pack.format_mask(cards))
            return f"{event.seat} {f'calls out with {shown}' if cards else 'takes its last cards'}"
        case move:
            return f"{event.seat} {' '.join(action_text(pack, action) for action in encode(variant, move))}"


@dataclass(frozen=True)
class InformationSet:
    """All deals that one seat cannot tell apart, ready to be drawn from."""

    view: View
    groups: tuple[int, ...]
    """The cards of the seat as it took them up."""
    holders: tuple[int, ...]
    sampler: WorldSampler

    @classmethod
    def of(cls, state: State, seat: int) -> InformationSet:
        """Returns the information set of a seat; nothing but its observation and its own groups is kept of `state`."""
        seen = view(state.observe(seat))
        hidden = hidden_cards(seen)
        return cls(seen, own_groups(state, seat), hidden.holders, WorldSampler(hidden))

    def sample(self, seed: int) -> State:
        """Draws one of the deals: the places of the unseen cards uniformly among all that are possible.

        Where another seat's cards came in packets, or with the stock, these are any of its cards.
        """
        rng = random.Random(seed)
        world = dict(zip(self.holders, self.sampler.sample(seed), strict=True))
        table, variant = self.view.table, self.view.variant
        aside = world.get(ASIDE_HOLDER, self.view.aside or 0)
        stock = aside if variant.stock_size else 0
        packets = []
        for seat in range(variant.seat_count):
            if seat == self.view.seat:
                stock = self.groups[-1] if table.has_taken_stock(seat) else stock
                packets.append(self._own_packets(world.get(seat, 0), rng))
                continue
            held = table.played[seat] | table.exposed(seat) | world[seat]
            if seat == table.discarder and table.discard_made:
                held |= aside
            first = table.shown[seat] or 0 if table.ending is Ending.CALL_OUT and seat == table.dealer else 0
            packets.append(_split(held, first, variant.packets(seat, table.dealer), rng))
            if table.has_taken_stock(seat):
                stock = held & ~packets[-1][-1]
        return _settled(State(tuple(packets), stock, _cards_aside(table, aside), _with_discard(table, aside)))

    def _own_packets(self, undealt: int, rng: random.Random) -> tuple[int, ...]:
        """Returns the packets of the observer: those it has taken up, and a draw of the others."""
        table, seat = self.view.table, self.view.seat
        sizes = self.view.variant.packets(seat, table.dealer)
        known: list[int] = []
        for cards in self.groups[: table.packets_dealt(seat)]:
            known.append(cards | (known[-1] if known else 0))
        rest = _split(undealt, 0, sizes[len(known) :], rng)
        return (*known, *(known[-1] | cards for cards in rest))


def _split(held: int, first: int, sizes: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    """Returns what a seat holds after each of its packets: any of its cards, `first` before its last packet."""
    cards = list(cards_in(held & ~first))
    rng.shuffle(cards)
    before_last = sum(sizes[:-1]) - first.bit_count()
    early, late = [*cards[:before_last], *cards_in(first)], cards[before_last:]
    if first:
        rng.shuffle(early)
    order = [*early, *late]
    result, count = [], 0
    for size in sizes:
        count += size
        result.append(sum(1 << card for card in order[:count]))
    return tuple(result)


def _cards_aside(table: Table, aside: int) -> int:
    """Returns what lies in no hand: the discard, or a stock that nobody has taken."""
    return aside if table.discard_made or table.discarder is None else 0


def _with_discard(table: Table, aside: int) -> Table:
    """Returns the table with the discard among its events face up."""
    table = table.copy()
    table.events = tuple(
        Event(event.seat, Discard(aside, event.move.announced_trump_count))
        if isinstance(event.move, Discard)
        else event
        for event in table.events
    )
    return table


def _settled(state: State) -> State:
    """Returns the deal after the refusal of a call-out that the dealer drawn cannot make, else `state` itself."""
    if state.phase is Phase.CALL_OUT and not had_call_out(state):
        return state.apply_move(CallOut(0))
    return state


def had_call_out(state: State) -> bool:
    """Tells whether the dealer could have called itself out with its first cards, and so was asked."""
    dealer = state.table.dealer
    before = Table(state.variant, dealer, state.standing)
    before.turn = dealer
    return can_call_out(before, state.packets[dealer][-2])


def actions_of(state: State) -> list[tuple[int, int]]:
    """Returns seat and action of everything that the seats have done since the deal."""
    return [
        (event.seat, action)
        for event in state.events
        if event.move != CallOut(0) or had_call_out(state)
        for action in encode(state.variant, event.move)
    ]
