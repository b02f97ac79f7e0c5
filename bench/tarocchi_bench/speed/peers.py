"""Rates of other programs beside ours, in turn in one run, as ratios: a check that ours are of the right order.

The games differ, so a ratio says how far apart two programs are, not which of them is the better one:

* playouts: ours play 60 cards of a deal of Bolognese and count combinations; OpenSpiel's `tarok` plays 48.
* search: OpenSpiel's ISMCTS on `hearts`, one random playout a simulation; ours is the search as it is, and with random
  playouts, everything included.
* endings: endplay solves bridge, which counts tricks; ours count points, those of Bolognese with combinations.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from itertools import count
from types import MappingProxyType
from typing import Any, Final

from tarocchi_bench.endings import measure_endings
from tarocchi_bench.speed.moments import early_choice
from tarocchi_bench.throughput import playout_rate, rate_of
from tarocchi_engine.rng import split
from tarocchi_solver.search import Budget, Playout, SearchOptions, search, warm_up

MODULES: Final = MappingProxyType({"openspiel": "pyspiel", "endplay": "endplay"})
"""The packages by the names that they have here."""
REMEDY: Final = "pip install 'tarocchi-solver[peers]'"
ENDING_TRICKS: Final = (6, 8)
ENDINGS: Final = 15
"""Solved in each round; a median over so many."""
_ITERATIONS: Final = 5_000


class NoPeerError(Exception):
    """Says which package is missing, and how to install it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One kind of work, ours and theirs; medians over rounds."""

    peer: str
    work: str
    """What ours does, and their game."""
    unit: str
    ours: float
    theirs: float
    ratio: float
    """Our speed over theirs, the median of the rounds: more than 1 means that ours is faster."""
    ratios: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PeersReport:
    """All comparisons, the versions compared with, and what could not be."""

    rounds: int
    versions: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    missing: tuple[str, ...]
    """Sentences with a remedy."""

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Work:
    """What both sides do in a round, given a seed; both tell their speed or both their time."""

    peer: str
    name: str
    unit: str
    ours: Callable[[int], float]
    theirs: Callable[[int], float]
    is_time: bool = False


def measure_peers(
    rounds: int = 5,
    seconds: float = 0.5,
    *,
    only: str | None = None,
    progress: Callable[[], None] | None = None,
) -> PeersReport:
    """Measures what is installed.

    Args:
        rounds: in each, every work is done once by both sides.
        seconds: of CPU for each rate.
        only: the name of a single peer.
        progress: called after every round.

    Raises:
        ValueError: an argument.
        NoPeerError: none of those asked for is installed.
    """
    if rounds < 1:
        raise ValueError(f"{rounds} rounds measure nothing: give at least 1")
    if not 0 < seconds <= 3600:
        raise ValueError(f"{seconds} seconds are no time to measure for: give more than 0, at most 3600")
    if only is not None and only not in MODULES:
        raise ValueError(f"no peer is called {only!r}; there are {', '.join(MODULES)}")
    asked = [only] if only is not None else list(MODULES)
    missing = [name for name in asked if find_spec(MODULES[name]) is None]
    told = tuple(f"{name} is not installed, so nothing is compared with it: {REMEDY}" for name in missing)
    if len(missing) == len(asked):
        raise NoPeerError("; ".join(told))
    warm_up()
    versions, works = [], []
    for name in asked:
        if name not in missing:
            version, found = _PEERS[name](seconds)
            versions.append(version)
            works += list(found)
    ours: list[list[float]] = [[] for _ in works]
    theirs: list[list[float]] = [[] for _ in works]
    for number in range(rounds):
        for place, work in enumerate(works):
            seed = split(1, number, place)
            ours[place].append(work.ours(seed))
            theirs[place].append(work.theirs(seed))
        if progress is not None:
            progress()
    comparisons = tuple(map(_comparison, works, ours, theirs))
    return PeersReport(rounds, tuple(versions), comparisons, told)


def _comparison(work: _Work, ours: list[float], theirs: list[float]) -> Comparison:
    pairs = zip(theirs, ours, strict=True) if work.is_time else zip(ours, theirs, strict=True)
    ratios = tuple(above / below for above, below in pairs)
    middle = statistics.median
    return Comparison(work.peer, work.name, work.unit, middle(ours), middle(theirs), middle(ratios), ratios)


def _openspiel(seconds: float) -> tuple[str, Iterator[_Work]]:
    from tarocchi_bench.speed import openspiel_peer as peer

    def works() -> Iterator[_Work]:
        yield _Work(
            "openspiel",
            "random playouts, tarok",
            "per CPU s",
            lambda seed: playout_rate("bolognese", seconds, seed),
            lambda seed: peer.playout_rate(seconds, seed),
        )
        for name, options in (
            ("search, hearts", SearchOptions()),
            ("search with random playouts, hearts", SearchOptions(playout=Playout.RANDOM)),
        ):
            yield _Work(
                "openspiel",
                name,
                "iterations per CPU s",
                partial(_search_rate, seconds, options),
                lambda seed: peer.search_rate(seconds, seed),
            )

    return peer.version(), works()


def _endplay(seconds: float) -> tuple[str, Iterator[_Work]]:
    from tarocchi_bench.speed import endplay_peer as peer

    def works() -> Iterator[_Work]:
        for variant in ("bolognese", "piedicavallo"):
            for tricks in ENDING_TRICKS:
                yield _Work(
                    "endplay",
                    f"{tricks} tricks of {variant}, bridge",
                    "CPU ms, median",
                    partial(_solve_ms, variant, tricks),
                    partial(peer.solve_ms, tricks, ENDINGS),
                    is_time=True,
                )

    return peer.version(), works()


_PEERS: Final[dict[str, Callable[[float], tuple[str, Iterator[_Work]]]]] = {
    "openspiel": _openspiel,
    "endplay": _endplay,
}


def _solve_ms(variant_name: str, tricks: int, seed: int) -> float:
    return measure_endings(variant_name, tricks, ENDINGS, seed=seed).median_ms


def _search_rate(seconds: float, options: SearchOptions, seed: int) -> float:
    """Returns the iterations of our search in a second of CPU, everything included."""
    observation = early_choice("bolognese", seed)
    number = count()

    def search_once() -> int:
        answer = search(observation, Budget(iterations=_ITERATIONS), seed=split(seed, next(number)), options=options)
        return answer.diagnostics.iterations

    return rate_of(search_once, seconds)
