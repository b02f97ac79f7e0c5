"""A moment of a game: a deal in the making, or a deal and the draft of the seat to move.

It never changes, so copies share it: pyspiel copies a state by deep copies of its attributes, and stores it by pickling
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tarocchi_engine import Standing, State, Variant
from tarocchi_engine.cards import ALL_MASK, CARD_COUNT, cards_in
from tarocchi_solver.openspiel.actions import advance, legal_actions
from tarocchi_solver.openspiel.dealing import cards_dealt, deal
from tarocchi_solver.openspiel.knowledge import UNDEALT, InformationSet, actions_of, information_text

CHANCE, TERMINAL = -1, -4
"""The players of pyspiel that are none."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What all states of a game have in common."""

    variant: Variant
    dealer: int | None
    """The seat that deals, None where chance draws it."""
    standing: Standing


class Step(Protocol):
    """What a state of pyspiel goes through."""

    @property
    def player(self) -> int:
        """Who has to act."""

    def after(self, action: int) -> Step:
        """Returns what comes after an action."""


class Moment:
    """A moment between two actions."""

    __slots__ = ("_information", "_texts", "cards", "dealer", "draft", "player", "rules", "state")

    def __init__(
        self, rules: Rules, dealer: int | None, cards: tuple[int, ...] = (), state: State | None = None, draft: int = 0
    ) -> None:
        self.rules = rules
        self.dealer = dealer
        self.cards = cards
        """The cards dealt so far in the order of the deal; empty after it."""
        self.state = state
        """The deal, None before the last card is dealt."""
        self.draft = draft
        turn = CHANCE if state is None else state.turn
        self.player = TERMINAL if turn is None else turn
        """Who has to act: a seat, CHANCE or TERMINAL."""
        self._texts: dict[int, str] = {}
        self._information: dict[int, InformationSet] = {}

    @classmethod
    def first(cls, rules: Rules) -> Moment:
        """Returns the moment before the first card is dealt."""
        return cls(rules, rules.dealer)

    @classmethod
    def of(cls, rules: Rules, state: State, draft: int = 0) -> Moment:
        """Returns a moment of a deal."""
        return cls(rules, state.table.dealer, (), state, draft)

    def __deepcopy__(self, memo: dict[int, Any]) -> Moment:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Moment, (self.rules, self.dealer, self.cards, self.state, self.draft)

    def chances(self) -> list[int]:
        """Returns the equally likely outcomes of a chance node, in ascending order."""
        if self.dealer is None:
            return list(range(self.rules.variant.seat_count))
        return list(cards_in(ALL_MASK & ~sum(1 << card for card in self.cards)))

    def actions(self) -> list[int]:
        """Returns the legal actions of the seat to move, in ascending order."""
        return [] if self.state is None or self.player == TERMINAL else legal_actions(self.state, self.draft)

    def after(self, action: int) -> Moment:
        """Returns the moment after an action; raises an error of the engine or ValueError where it is not legal."""
        if self.state is not None:
            return Moment.of(self.rules, *advance(self.state, self.draft, action))
        if action not in self.chances():
            raise ValueError(f"chance cannot give {action}: it is one of {self.chances()}")
        if self.dealer is None:
            return Moment(self.rules, action)
        cards = (*self.cards, action)
        if len(cards) < CARD_COUNT:
            return Moment(self.rules, self.dealer, cards)
        return Moment.of(self.rules, deal(self.rules.variant, self.dealer, cards, self.rules.standing))

    def text_for(self, seat: int) -> str:
        """Returns the information state of a seat."""
        if self.state is None:
            return f"seat {seat}; {UNDEALT}"
        if seat not in self._texts:
            self._texts[seat] = information_text(self.state, seat, self.draft if seat == self.player else 0)
        return self._texts[seat]

    def resampled(self, seat: int, draw: Callable[[], float]) -> tuple[Moment, list[tuple[int, int]]]:
        """Draws a moment that `seat` cannot tell from this one, and player and action of all that led to it.

        Another seat's draft is unknown to `seat`: it has not begun in the moment drawn.
        """
        if self.state is None:
            return self._dealt_otherwise(draw)
        if seat not in self._information:
            self._information[seat] = InformationSet.of(self.state, seat)
        state = self._information[seat].sample(int(draw() * (1 << 53)))
        draft = self.draft if seat == self.player else 0
        history = [(CHANCE, card) for card in cards_dealt(state)]
        if self.rules.dealer is None:
            history.insert(0, (CHANCE, state.table.dealer))
        history += actions_of(state)
        history += [(seat, card) for card in cards_in(draft)]
        return Moment.of(self.rules, state, draft), history

    def _dealt_otherwise(self, draw: Callable[[], float]) -> tuple[Moment, list[tuple[int, int]]]:
        """Draws as many chances as have been drawn up to this moment."""
        moment = Moment.first(self.rules)
        history = []
        for _ in range(len(self.cards) + (self.rules.dealer is None and self.dealer is not None)):
            chances = moment.chances()
            chance = chances[min(int(draw() * len(chances)), len(chances) - 1)]
            history.append((CHANCE, chance))
            moment = moment.after(chance)
        return moment, history

    def utilities(self) -> list[float]:
        """Returns what each seat has won, 0 before the end: own side minus other side, or own game points."""
        variant = self.rules.variant
        if self.player != TERMINAL:
            return [0.0] * variant.seat_count
        assert self.state is not None
        awards = self.state.score().awards
        if variant.seats_score_alone:
            return [float(points) for points in awards]
        return [awards[side] - awards[1 - side] for side in map(variant.side_of, range(variant.seat_count))]


@dataclass(frozen=True, slots=True)
class Past:
    """A moment that is only written into the history of a state on its way to a known one."""

    player: int

    def after(self, action: int) -> Past:
        """Returns itself: nothing is worked out."""
        return self
