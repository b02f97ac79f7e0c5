"""Observations with one fault, for tests: written in short, and the check that the fault is told."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import tarocchi_engine
from tarocchi_engine.errors import InvalidObservationError
from tarocchi_engine.match import FIRST_DEAL, Standing
from tarocchi_engine.moves import Bid, Call, CallOut, Declare, Discard, Event, Give, Monte, Move, Play, Signal
from tarocchi_engine.observation import Observation, find_faults, view
from tarocchi_engine.variants import get_variant

# What the observer of the examples holds; seat 3 deals, so seat 0 leads.
HANDS = {
    "bolognese": "S10 S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    "piedicavallo": "S10 S9 S8 S7 S6 B10 B9 B8 C3 C2 CA D3 D2 T2 T7",
    "ottocento": "S10 S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7",
    "terziglio": "S10 S9 S8 S7 S6 SA B10 B9 B8 B7 C10 C9 C8 D10 D9 D8 T5 T7",
}
SEVENTEEN = {
    "ottocento": "SK S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7 SQ SN",
    "bolognese": "SK S9 S8 S7 S6 B10 B9 B8 C10 C9 C8 D10 D9 T5 T7 SQ SN",
    "piedicavallo": "SK S9 S8 S7 S6 B10 B9 B8 C3 C2 CA D3 D2 T2 T7 T5 T6",
}


def mask(variant: str, ids: str) -> int:
    return get_variant(variant).pack.parse_cards(ids.split())


def parse_event(variant: str, text: str) -> Event:
    """Reads "0 monte yes", "1 bid solo", "3 callout SK BK CK", "3 discard D10 D9 2", "1 declare", "0 S10 volo"."""
    seat, *words = text.split()
    move: Move
    match words:
        case ["monte", answer]:
            move = Monte(answer == "yes")
        case ["bid", call]:
            move = Bid(Call(call))
        case ["callout", *cards]:
            move = CallOut(mask(variant, " ".join(cards)))
        case ["discard", *cards]:
            announced = int(cards.pop()) if cards and cards[-1].lstrip("-").isdigit() else None
            move = Discard(mask(variant, " ".join(cards)) if cards else None, announced)
        case ["declare", *cards]:
            move = Declare(mask(variant, " ".join(cards)))
        case ["give", card]:
            move = Give(get_variant(variant).pack.parse_card(card))
        case _:
            signal = Signal(words[1]) if len(words) > 1 else None
            move = Play(get_variant(variant).pack.parse_card(words[0]), signal)
    return Event(int(seat), move)


@dataclass(frozen=True)
class Bad:
    """An observation with one fault, and the fault."""

    name: str
    path: str
    reason: str
    message: str
    events: Sequence[str | Event] = ()
    variant: str = "bolognese"
    seat: int = 0
    dealer: int = 3
    hand: str | int = ""
    variant_given: str = ""
    options: tuple[tuple[str, str], ...] = ()
    standing: Standing = FIRST_DEAL

    def observation(self) -> Observation:
        hands = SEVENTEEN if self.seat == self.dealer and self.variant in SEVENTEEN else HANDS
        hand = self.hand if isinstance(self.hand, int) else mask(self.variant, self.hand or hands[self.variant])
        events = tuple(parse_event(self.variant, event) if isinstance(event, str) else event for event in self.events)
        name = self.variant_given or self.variant
        return Observation(name, self.seat, self.dealer, hand, events, self.options, self.standing)


REMEDY = re.compile(
    r"\b(give|name|show|play|leave|correct|remove|declare|pass|start|discard|lay|must play|known are|"
    r"(seats|cards) are|is dealt|has \d+ with|goes only|exactly)\b"
)
"""What to do, or what would be right."""


def check_fault(bad: Bad) -> None:
    """Checks that an observation is refused for its one fault, and is good without its last event."""
    observation = bad.observation()
    with pytest.raises(InvalidObservationError) as caught:
        view(observation)
    assert [(fault.path, fault.reason) for fault in caught.value.faults] == [(bad.path, bad.reason)]
    (fault,) = caught.value.faults
    assert bad.message in fault.message
    assert REMEDY.search(fault.message), f"no word of what to do: {fault.message}"
    assert str(caught.value) == f"{fault.path}: {fault.message}"
    assert find_faults(observation) == (fault,)
    if bad.path.startswith("events["):
        good = replace(observation, events=observation.events[:-1])
        assert find_faults(good) == ()


def reasons_in_source() -> set[str]:
    """Returns the reason of every fault and illegal move that the engine's source can make."""
    reasons = set()
    for path in Path(tarocchi_engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = {"IllegalMoveError": 0, "_refused": 1, "Fault": 1}.get(called, len(node.args))
            if place < len(node.args) and isinstance(argument := node.args[place], ast.Constant):
                reasons.add(argument.value)
    return reasons
