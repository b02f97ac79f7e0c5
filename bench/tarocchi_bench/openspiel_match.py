"""Duplicate matches between the solver and OpenSpiel's information set Monte Carlo tree search.

Both play every deal from both sides, as in the arena, and think in turn in one process. The result is the solver's
advantage in points a deal.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tarocchi_bench.console import FAILURE, JsonOption, SeedOption, VariantOption, fail, long_work, print_result
from tarocchi_bench.pairs import first_state
from tarocchi_bench.playing import advantage, arrangements
from tarocchi_bench.sequential import estimate
from tarocchi_engine import State, Variant, get_variant
from tarocchi_engine.rng import split
from tarocchi_solver.search import Budget, warm_up

if TYPE_CHECKING:
    from tarocchi_solver.openspiel import TarocchiGame

_DEAL, _SOLVER, _OPENSPIEL = 1, 2, 3
_CLOCK = time.thread_time
"""Both think on this thread, so what else the machine does costs neither of them anything."""


@dataclass
class Effort:
    """The work of one player in all its searches; those of a seat with a single action are left out."""

    searches: int = 0
    iterations: int = 0
    seconds: float = 0.0
    """Of CPU."""

    def add(self, bot: Any, seconds: float) -> None:
        """Takes in a bot after its deal."""
        self.searches += bot.searches
        self.iterations += bot.iterations
        self.seconds += seconds

    @property
    def iterations_per_search(self) -> float:
        """The mean."""
        return self.iterations / max(self.searches, 1)

    @property
    def milliseconds_per_search(self) -> float:
        """The mean."""
        return 1000 * self.seconds / max(self.searches, 1)

    @property
    def iterations_per_second(self) -> float:
        """The mean."""
        return self.iterations / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class OpenSpielResult:
    """The outcome of a match from the solver's view."""

    variant: str
    iterations: int | None
    time_ms: int | None
    seed: int
    pairs: int
    mean_difference: float
    standard_error: float
    low_95: float | None
    high_95: float | None
    """None as the other end is where no interval is known: see `intervals`."""
    solver_iterations_per_search: float
    """More than asked for where the solver's least work for a choice is more."""
    solver_milliseconds_per_search: float
    solver_iterations_per_second: float
    openspiel_iterations_per_search: float
    openspiel_milliseconds_per_search: float
    openspiel_iterations_per_second: float


def play_openspiel_match(
    variant: str,
    *,
    iterations: int | None = None,
    time_ms: int | None = None,
    pairs: int = 10,
    seed: int = 1,
    progress: Callable[[], None] | None = None,
) -> OpenSpielResult:
    """Plays a match in which both have the same cap on iterations or on time for every search.

    Raises:
        UnknownVariantError, ValueError: the variant, the cap or the number of pairs.
        ModuleNotFoundError: OpenSpiel is not installed.
    """
    rules = get_variant(variant)
    if (iterations is None) == (time_ms is None):
        raise ValueError("give either iterations or a time: one cap, the same for both")
    if min(cap for cap in (iterations, time_ms) if cap is not None) < 2:
        raise ValueError("the cap is too low: give at least 2 iterations or milliseconds")
    if pairs < 2:
        raise ValueError(f"{pairs} pairs have no standard error: play at least 2")
    _prepare(rules)
    differences = []
    solver, openspiel = Effort(), Effort()
    for number in range(pairs):
        start = first_state(rules, split(seed, _DEAL, number), number)
        results = [
            _play(start, seats, iterations, time_ms, split(seed, number), solver, openspiel)
            for seats in arrangements(rules)
        ]
        differences.append(statistics.fmean(results))
        if progress is not None:
            progress()
    found = estimate(differences)
    low, high = found.interval_95
    return OpenSpielResult(
        variant,
        iterations,
        time_ms,
        seed,
        pairs,
        found.mean,
        found.standard_error,
        low,
        high,
        solver.iterations_per_search,
        solver.milliseconds_per_search,
        solver.iterations_per_second,
        openspiel.iterations_per_search,
        openspiel.milliseconds_per_search,
        openspiel.iterations_per_second,
    )


@cache
def _prepare(variant: Variant) -> None:
    """Loads the kernels of both players, so that no clock runs meanwhile; raises ModuleNotFoundError."""
    from tarocchi_solver.openspiel import dealt_state, game_of

    warm_up()
    game = game_of(variant)
    dealt_state(game, 1).resample_from_infostate(0, lambda: 0.5)


def _play(
    start: State,
    solver_seats: frozenset[int],
    iterations: int | None,
    time_ms: int | None,
    seed: int,
    solver: Effort,
    openspiel: Effort,
) -> float:
    """Plays a deal to its end; returns the solver's mean score minus OpenSpiel's, in points of a side or of a seat."""
    from tarocchi_solver.openspiel import SolverBot, dealt_state, game_of
    from tarocchi_solver.openspiel.ismcts import TimedISMCTSBot

    game: TarocchiGame = game_of(start.variant, start.table.dealer, start.standing)
    ours = SolverBot(Budget(iterations=iterations, time_ms=time_ms), seed=split(seed, _SOLVER), clock=_CLOCK)
    theirs = TimedISMCTSBot(game, iterations=iterations, time_ms=time_ms, seed=split(seed, _OPENSPIEL), clock=_CLOCK)
    seconds = [0.0, 0.0]
    state = dealt_state(game, start)
    while not state.is_terminal():
        is_solver = state.current_player() in solver_seats
        before = _CLOCK()
        action = (ours if is_solver else theirs).step(state)
        seconds[is_solver] += _CLOCK() - before
        state.apply_action(action)
    solver.add(ours, seconds[True])
    openspiel.add(theirs, seconds[False])
    assert state.deal is not None
    return advantage(state.deal, solver_seats)


def openspiel(
    variant: VariantOption,
    iterations: Annotated[
        int | None,
        typer.Option(
            help="iterations of every search, for both; the solver never does less than its minimum, three for each "
            "card or discard and six for each other choice, which is some 20 a search"
        ),
    ] = None,
    time_ms: Annotated[int | None, typer.Option(help="milliseconds of CPU of every search, for both")] = None,
    pairs: Annotated[int, typer.Option(help="deals, each played with the sides exchanged")] = 10,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Plays a duplicate match of the solver against OpenSpiel's ISMCTS with equal iterations or equal time.

    Its search runs in Python, at some ten to a hundred iterations a second.
    """
    try:
        with long_work("pairs", pairs) as progress:
            result = play_openspiel_match(
                variant, iterations=iterations, time_ms=time_ms, pairs=pairs, seed=seed, progress=progress
            )
    except ModuleNotFoundError as error:
        fail(str(error), FAILURE)
    print_result(asdict(result), as_json, "the solver against OpenSpiel's ISMCTS")
