"""How much the engine and the search do in a second of CPU."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Phase, State, get_variant, new_deal
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import POSITION_WORDS, SEATS, TURN
from tarocchi_engine.play import PLAYOUT_RANDOM, playout
from tarocchi_engine.position import make_position
from tarocchi_engine.rng import split
from tarocchi_solver.search import search, warm_up

DEAL_COUNT = 64
_PLAYOUTS_PER_CALL = 20_000


@dataclass(frozen=True, slots=True)
class Throughput:
    """Rates of one thread, in units per second of CPU."""

    variant: str
    seconds: float
    playouts_per_cpu_s: float
    """Random playouts of whole deals, from the first lead to the complete count."""
    iterations_per_cpu_s: float
    """Iterations of the default search, over decisions spread along random deals, everything included."""
    scoring: bool
    """Whether the playouts count everything that the variant counts."""


@kernel
def play_at_random(positions: Any, count: Any, stream: Any) -> Any:
    """Plays `count` deals at random, the first lead moving round the seats; returns the sum of the results."""
    position = np.empty(POSITION_WORDS, dtype=np.uint64)
    piles = np.empty(2, dtype=np.uint64)
    total = 0
    for index in range(count):
        position[:] = positions[index % len(positions)]
        position[TURN] = np.uint64(index // len(positions)) % position[SEATS]
        total += playout(position, piles, stream, PLAYOUT_RANDOM)
    return total


def measure(variant_name: str, seconds: float, seed: int = 1, *, is_cold: bool = True) -> Throughput:
    """Measures one variant for about `seconds`, after a warm-up unless that has been.

    Raises `UnknownVariantError`, or ValueError for no such time.
    """
    if not 0 < seconds < math.inf:
        raise ValueError(f"{seconds} seconds are no time to measure for: give a finite number above 0")
    variant = get_variant(variant_name)
    if is_cold:
        warm_up()
    return Throughput(
        variant=variant.name,
        seconds=seconds,
        playouts_per_cpu_s=playout_rate(variant_name, seconds / 2, seed),
        iterations_per_cpu_s=_iteration_rate(variant_name, seconds / 2, seed),
        scoring=True,
    )


def playout_rate(variant_name: str, seconds: float, seed: int) -> float:
    """Returns the random playouts of whole deals in a second of CPU, on one thread."""
    positions = whole_deals(variant_name, seed)
    stream = np.array([split(seed)], dtype=np.uint64)
    play_at_random(positions, 1, stream)

    def play_some() -> int:
        play_at_random(positions, _PLAYOUTS_PER_CALL, stream)
        return _PLAYOUTS_PER_CALL

    return rate_of(play_some, seconds)


def rate_of(work: Callable[[], int], seconds: float) -> float:
    """Returns what is done in a second of CPU of this thread by `work`, called until so many have passed.

    Each call does some and returns how much.
    """
    done, started = 0, time.thread_time()
    while True:
        done += work()
        if (spent := time.thread_time() - started) >= seconds:
            return done / spent


def whole_deals(variant_name: str, seed: int) -> npt.NDArray[np.uint64]:
    """Returns DEAL_COUNT random deals before the first lead, each as a row."""
    return np.stack([first_lead(variant_name, split(seed, number)) for number in range(DEAL_COUNT)])


def first_lead(variant_name: str, seed: int) -> npt.NDArray[np.uint64]:
    """Returns a random deal after its opening and all declarations."""
    state = new_deal(get_variant(variant_name), seed)
    step = 0
    while state.phase not in (Phase.DECLARE, Phase.PLAY):
        if state.turn is None:
            # thrown in, or all have passed
            state = new_deal(state.variant, split(seed, step))
        else:
            moves = state.legal_moves()
            state = state.apply_move(moves[split(seed, step) % len(moves)])
        step += 1
    table = state.table.copy()
    if state.phase is Phase.DECLARE:
        for seat, hand in enumerate(state.hands):
            table.declared_points[table.side_of(seat)] += state.variant.declaration_points(hand)
    return make_position(table, state.hands, state.aside)


def _iteration_rate(variant_name: str, seconds: float, seed: int) -> float:
    done = 0
    spent = 0.0
    number = 0
    while spent < seconds:
        state: State = new_deal(get_variant(variant_name), split(seed, number))
        step = 0
        while (seat := state.turn) is not None and spent < seconds:
            moves = state.legal_moves()
            if step % 5 == number % 5 and len(moves) > 1:
                observation = state.observe(seat)
                started = time.thread_time()
                answer = search(observation, seed=split(seed, number, step))
                spent += time.thread_time() - started
                done += answer.diagnostics.iterations
            state = state.apply_move(moves[split(seed, number, step) % len(moves)])
            step += 1
        number += 1
    return done / spent
