"""What several threads bring to one search, and how several searches share the machine.

On a busy machine iterations in a time say more about the neighbours than about threads. So every round asks for the
same times, one after the other, of one thread and of several, and of one and as many independent processes (see
`yardstick`); what counts is the ratio of the two gains.
"""

from __future__ import annotations

import os
import statistics
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tarocchi_bench.speed.moments import early_choice
from tarocchi_bench.speed.yardstick import Yardstick, yardstick
from tarocchi_engine import Observation, get_variant
from tarocchi_engine.rng import split
from tarocchi_solver.search import Budget, search, warm_up

BUDGETS_MS: Final = (100, 300, 1000)
GAIN_BAR: Final = 1.9
"""Times the iterations, for every doubling of threads."""
SHARE_BAR: Final = 0.9
"""The gain of threads over that of processes, where the machine does not give them their cores."""
FAIRNESS_BAR: Final = 0.5
"""The share of the best served search's iterations that the worst served one gets at least."""
SEARCHES_PER_CORE: Final = 4
LEAST_MS: Final = 10


@dataclass(frozen=True, slots=True)
class Gain:
    """What all threads bring within one time; medians over rounds."""

    budget_ms: int
    threads: int
    iterations_of_one: float
    iterations_of_all: float
    gain: float
    """Iterations with all threads over those with one, in the same round."""
    gain_of_processes: float
    """The same of independent processes."""
    share: float
    """The first over the second."""
    shares: tuple[float, ...]
    """Of each round."""
    gains: tuple[float, ...]
    gains_of_processes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """Searches at the same time, each on all threads; medians over rounds."""

    budget_ms: int
    searches: int
    threads: int
    fairness: float
    """Iterations of the search that did fewest over those of the one that did most."""
    total_share: float
    """Iterations of all together over those of one search that has the machine to itself."""
    fairnesses: tuple[float, ...]
    total_shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ScalingReport:
    """All figures, and which bars are met."""

    variant: str
    rounds: int
    cores: int
    gains: tuple[Gain, ...]
    together: tuple[Together, ...]
    bars: dict[str, bool]

    def as_json(self) -> dict[str, Any]:
        """Returns the report as plain data."""
        return asdict(self)


@dataclass
class _Rounds:
    """What the rounds of one budget have brought."""

    ones: list[int] = field(default_factory=list)
    alls: list[int] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    of_processes: list[float] = field(default_factory=list)
    fairnesses: list[float] = field(default_factory=list)
    total_shares: list[float] = field(default_factory=list)


def measure_scaling(
    variant_name: str = "bolognese",
    budgets_ms: Sequence[int] = BUDGETS_MS,
    rounds: int = 7,
    *,
    threads: int | None = None,
    progress: Callable[[], None] | None = None,
) -> ScalingReport:
    """Measures gains and fairness.

    Args:
        variant_name: whose deals are searched.
        budgets_ms: milliseconds of a search.
        rounds: in each, every budget comes once, in another deal.
        threads: how many are all; the cores of the machine by default.
        progress: called after every budget of every round.

    Raises:
        UnknownVariantError, ValueError: an argument.
        WorkerDiedError: a process of the yardstick was killed.
    """
    cores = os.cpu_count() or 1
    every = cores if threads is None else threads
    if every < 2:
        raise ValueError(f"{every} threads have no gain over one: give at least 2")
    if rounds < 1:
        raise ValueError(f"{rounds} rounds measure nothing: give at least 1")
    if not budgets_ms or min(budgets_ms) < LEAST_MS:
        raise ValueError(f"budgets are {list(budgets_ms)} ms: give some of at least {LEAST_MS}")
    observations = [early_choice(variant_name, split(1, number)) for number in range(rounds)]
    warm_up([get_variant(variant_name)])
    found = {budget: _Rounds() for budget in sorted(set(budgets_ms))}
    with yardstick(every) as processes:
        for number, observation in enumerate(observations):
            for budget, into in found.items():
                _one_round(observation, number, budget, every, processes, into)
                if progress is not None:
                    progress()
    gains = tuple(_gain(budget, every, into) for budget, into in found.items())
    together = tuple(
        Together(
            budget_ms=budget,
            searches=SEARCHES_PER_CORE * every,
            threads=every,
            fairness=statistics.median(into.fairnesses),
            total_share=statistics.median(into.total_shares),
            fairnesses=tuple(into.fairnesses),
            total_shares=tuple(into.total_shares),
        )
        for budget, into in found.items()
    )
    wanted = GAIN_BAR ** (every.bit_length() - 1)
    return ScalingReport(
        variant=variant_name,
        rounds=rounds,
        cores=cores,
        gains=gains,
        together=together,
        bars={
            f"{wanted:.2g} times the iterations on {every} threads, or {SHARE_BAR:.0%} of what processes gain": all(
                found.gain >= wanted or found.share >= SHARE_BAR for found in gains
            ),
            "every search gets half of what another gets": all(found.fairness >= FAIRNESS_BAR for found in together),
        },
    )


def _one_round(
    observation: Observation, number: int, budget_ms: int, threads: int, processes: Yardstick, into: _Rounds
) -> None:
    """Measures one and several threads, one and several processes, and searches together; order turns with rounds."""
    seed = split(2, number)
    done: dict[str, int] = {}

    def of_search(name: str, count: int) -> None:
        done[name] = search(observation, Budget(time_ms=budget_ms), seed=seed, threads=count).diagnostics.iterations

    def of_processes(name: str, count: int) -> None:
        done[name] = processes.work(count, budget_ms / 1000)

    steps = [(of_search, "one", 1), (of_processes, "process", 1)]
    steps += [(of_search, "all", threads), (of_processes, "processes", threads)]
    for step, name, count in steps[:: 1 if number % 2 == 0 else -1]:
        step(name, count)
    into.ones.append(done["one"])
    into.alls.append(done["all"])
    into.gains.append(done["all"] / max(done["one"], 1))
    into.of_processes.append(done["processes"] / max(done["process"], 1))
    shares = _searches_together(observation, seed, budget_ms, threads)
    into.fairnesses.append(min(shares) / max(shares))
    into.total_shares.append(sum(shares) / max(done["all"], 1))


def _searches_together(observation: Observation, seed: int, budget_ms: int, threads: int) -> list[int]:
    """Returns the iterations of searches that begin at the same time."""
    count = SEARCHES_PER_CORE * threads
    ready = threading.Barrier(count)

    def one(number: int) -> int:
        ready.wait()
        answer = search(observation, Budget(time_ms=budget_ms), seed=split(seed, number), threads=threads)
        return answer.diagnostics.iterations

    with ThreadPoolExecutor(count) as searches:
        return list(searches.map(one, range(count)))


def _gain(budget_ms: int, threads: int, found: _Rounds) -> Gain:
    shares = tuple(own / other for own, other in zip(found.gains, found.of_processes, strict=True))
    return Gain(
        budget_ms=budget_ms,
        threads=threads,
        iterations_of_one=statistics.median(found.ones),
        iterations_of_all=statistics.median(found.alls),
        gain=statistics.median(found.gains),
        gain_of_processes=statistics.median(found.of_processes),
        share=statistics.median(shares),
        shares=shares,
        gains=tuple(found.gains),
        gains_of_processes=tuple(found.of_processes),
    )
