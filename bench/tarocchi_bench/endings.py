"""How fast endings are solved with all cards open."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarocchi_bench.throughput import first_lead
from tarocchi_engine import get_variant
from tarocchi_engine.bits import multiply_high, popcount, select
from tarocchi_engine.compilation import kernel
from tarocchi_engine.layout import LED, TRICKS_LEFT, TURN
from tarocchi_engine.play import apply_card, legal_cards
from tarocchi_engine.rng import next_u64, split
from tarocchi_solver.search.double_dummy import Solver, forget, solve
from tarocchi_solver.search.ending_layout import ALL_OPTIONS, NO_GUESS, UNSOLVED


@dataclass(frozen=True, slots=True)
class EndingsResult:
    """What endings of random play took, on one thread; milliseconds are of CPU, and each starts with an empty table."""

    variant: str
    tricks: int
    deals: int
    seed: int
    node_limit: int
    """Cards after which an ending is given up."""
    solved: int
    median_ms: float
    p90_ms: float
    max_ms: float
    median_nodes: float
    """Cards played by the solver."""
    mean_nodes: float
    nodes_per_cpu_s: float
    checksum: int
    """Sum of the values solved, in half points."""


@kernel
def _play_until(position: Any, tricks_left: Any, stream: Any) -> None:
    """Plays random legal cards until so many tricks are left."""
    while position[TRICKS_LEFT] > tricks_left:
        legal = legal_cards(position[position[TURN]], position[LED])
        apply_card(position, select(legal, multiply_high(next_u64(stream), popcount(legal))))


def random_ending(variant_name: str, tricks: int, seed: int) -> npt.NDArray[np.uint64]:
    """Returns a position with so many tricks left, after a random opening and random play."""
    position = first_lead(variant_name, seed)
    _play_until(position, np.uint64(tricks), np.array([split(seed, 1)], dtype=np.uint64))
    return position


def measure_endings(
    variant_name: str,
    tricks: int,
    deals: int,
    *,
    seed: int = 1,
    node_limit: int = 10**9,
    table_bits: int = 18,
    options: int = ALL_OPTIONS,
) -> EndingsResult:
    """Solves `deals` endings; raises `UnknownVariantError`, or ValueError for numbers out of range."""
    variant = get_variant(variant_name)
    for name, value, least, most in (
        ("tricks", tricks, 1, variant.trick_count),
        ("deals", deals, 1, 10**6),
        ("node_limit", node_limit, 1, 10**15),
    ):
        if not least <= value <= most:
            raise ValueError(f"{name} is {value}: give a number from {least} to {most}")
    solver = Solver.allocate(table_bits, options)
    solve(solver, random_ending(variant_name, 2, split(seed)), NO_GUESS, node_limit)
    spent, nodes, values = [], [], []
    for number in range(deals):
        position = random_ending(variant_name, tricks, split(seed, number))
        forget(solver)
        before = solver.nodes
        started = time.thread_time()
        value = solve(solver, position, NO_GUESS, node_limit)
        spent.append(time.thread_time() - started)
        nodes.append(solver.nodes - before)
        if value != UNSOLVED:
            values.append(int(value))
    return EndingsResult(
        variant=variant.name,
        tricks=tricks,
        deals=deals,
        seed=seed,
        node_limit=node_limit,
        solved=len(values),
        median_ms=1e3 * float(np.median(spent)),
        p90_ms=1e3 * float(np.quantile(spent, 0.9)),
        max_ms=1e3 * max(spent),
        median_nodes=float(np.median(nodes)),
        mean_nodes=float(np.mean(nodes)),
        nodes_per_cpu_s=sum(nodes) / max(sum(spent), 1e-9),
        checksum=sum(values),
    )
