"""One number for how the search plays: the same positions, seed and iterations give another only where play changes.

A change that should not alter play leaves the numbers as they are. They do not depend on the number of threads, nor
on the last bits of floating point numbers, which differ between processors: scores enter on a grid.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tarocchi_engine import VARIANTS, Move, Observation, Phase, Standing, State, get_variant, new_deal
from tarocchi_engine.rng import split
from tarocchi_solver.search import Budget, Recommendation, search
from tarocchi_solver.search.question import arm_of

BUDGETS: Final = (Budget(iterations=600), Budget(worlds=12, iterations=2_400))
"""Many worlds with little work in each, as small budgets have it, and few worlds whose trees grow."""
SEED: Final = 2026
ENDINGS: Final = (4, 2)
"""Tricks left in endings; with the fewer all worlds are solved."""
_DEALS: Final = 64
"""Deals that are looked through for positions; some decisions are rare."""
_LATE: Final = Standing((795.0, 795.0), 5)
"""The match before every second deal, near its end, where a variant knows other decisions."""
_GRID: Final = 1_000
"""Steps in a point: finer than what a change of play is likely to leave alone."""
_OFF_GRID: Final = 1.0 / math.pi
"""Scores are often fractions of whole numbers; moved by this, none of those lies where two steps of the grid meet."""
_DEAL, _MOVE, _THINK = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Position:
    """A decision that the search is asked for."""

    kind: str
    """What is decided, such as "discard" or "follow, 4 tricks left"; each variant has every kind once at most."""
    observation: Observation


@dataclass(frozen=True, slots=True)
class Signature:
    """The number of one variant."""

    variant: str
    signature: str
    """16 hexadecimal digits."""
    kinds: tuple[str, ...]
    """The decisions behind it."""
    iterations: int
    """Done in all of them."""


def signature_of(variant_name: str, *, threads: int = 1) -> Signature:
    """Returns the signature of a variant with its default rules; raises `UnknownVariantError`."""
    digest = hashlib.sha256()
    kinds: list[str] = []
    iterations = 0
    for number, position in enumerate(positions_of(variant_name)):
        kinds.append(position.kind)
        for budget in BUDGETS:
            answer = search(position.observation, budget, seed=split(SEED, _THINK, number), threads=threads)
            digest.update(json.dumps([position.kind, digest_of(answer)]).encode())
            iterations += answer.diagnostics.iterations
    return Signature(variant_name, digest.hexdigest()[:16], tuple(kinds), iterations)


def signatures(variants: Iterable[str] = tuple(VARIANTS)) -> Iterator[Signature]:
    """Yields the signatures of some variants, by default of all."""
    yield from map(signature_of, variants)


def digest_of(answer: Recommendation) -> list[Any]:
    """Returns what counts of an answer, as plain data: its move, the order of moves, their scores and the work done."""
    done = answer.diagnostics
    return [
        repr(answer.move),
        [[repr(found.move), found.visits, found.worlds, on_grid(found.raw_score)] for found in answer.moves],
        [done.worlds, done.iterations, done.exact_solves, str(done.stop_reason), answer.exact],
    ]


def on_grid(score: float) -> int:
    """Returns the step of the grid on which a score lies."""
    return math.floor(score * _GRID + _OFF_GRID)


@cache
def positions_of(variant_name: str) -> tuple[Position, ...]:
    """Returns the first decision of every kind with a choice, in the order in which random play comes to them."""
    variant = get_variant(variant_name)
    found: dict[str, Position] = {}
    for number in range(_DEALS):
        is_late = variant.has_call_out and number % 2 == 1
        deal_seed = split(SEED, _DEAL, number)
        state = new_deal(variant, deal_seed, standing=_LATE) if is_late else new_deal(variant, deal_seed)
        step = 0
        while (seat := state.turn) is not None:
            moves = state.legal_moves()
            kind = kind_of(state, moves)
            if kind is not None and kind not in found:
                found[kind] = Position(kind, state.observe(seat))
            state = state.apply_move(moves[split(SEED, _MOVE, number, step) % len(moves)])
            step += 1
    return tuple(found.values())


def kind_of(state: State, moves: Sequence[Move]) -> str | None:
    """Returns the kind of a decision, None if there is no choice or that is no moment to ask at."""
    if state.phase is not Phase.PLAY:
        return state.phase.name.lower().replace("_", " ") if len(moves) > 1 else None
    if len({arm_of(move) for move in moves}) < 2:
        return None
    left, whole = state.table.tricks_left, state.variant.trick_count
    place = "follow" if state.table.trick else "lead"
    if left == whole:
        return f"{place}, first trick"
    if left == whole // 2 or left in ENDINGS:
        return f"{place}, {left} tricks left"
    return None
