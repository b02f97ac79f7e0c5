"""The search's door: an observation in, a recommendation out."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tarocchi_engine import Move, Observation, Phase, State, View, view
from tarocchi_engine.facts import hidden_cards
from tarocchi_engine.legality import checked_move
from tarocchi_engine.rng import fresh_seed, split
from tarocchi_solver.search.calibration import calibrated, fits_of, scores_of_calls
from tarocchi_solver.search.decision import Decision
from tarocchi_solver.search.evaluators import PLAYOUT_COSTS, ListedEndings, Source, TreeSearch, solving_cost
from tarocchi_solver.search.exact import MAX_WORLDS
from tarocchi_solver.search.halving import halve
from tarocchi_solver.search.inference import infer, world_weights
from tarocchi_solver.search.models import playout_rule
from tarocchi_solver.search.results import (
    DEFAULT_BUDGET,
    MAX_ITERATIONS,
    MAX_SAMPLED_WORLDS,
    Budget,
    Diagnostics,
    Playout,
    Recommendation,
    Root,
    SearchOptions,
    StopReason,
    Utility,
)
from tarocchi_solver.search.runner import (
    MAX_TREE_ITERATIONS,
    MIN_WORLDS,
    Limits,
    Runner,
    Stop,
    iterations_in,
    tree_size,
)
from tarocchi_solver.search.sampler import WorldSampler
from tarocchi_solver.search.sense import Tried, sensible_first, tied, undecided
from tarocchi_solver.search.statistics import (
    Evidence,
    common_line,
    describe,
    evidence_of_move,
    is_evaluation,
    rank_moves,
)
from tarocchi_solver.search.utilities import resolve, unit_of

ALWAYS_EXACT_TRICKS = 2
"""Up to so many tricks left all worlds are solved, whatever the budget."""
MIN_SOLVED_WORLDS = 100
"""Where a budget does not reach for so many solved worlds, playouts in many more of them tell more."""
_WORLDS_STREAM, _PILOT_STREAM, _ORDER_STREAM = 1, 2, 3


def search(
    observation: Observation | View,
    budget: Budget | None = None,
    *,
    seed: int | None = None,
    threads: int = 1,
    executor: Executor | None = None,
    options: SearchOptions | None = None,
    include: Move | None = None,
    stop: Stop | None = None,
    progress: Callable[[int], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    began: float | None = None,
) -> Recommendation:
    """Returns the best move of the observing seat and what is known about every legal one.

    Args:
        observation: what the seat knows; hidden cards have no way in. A `View` has been checked already and spares
            the replay of its events.
        budget: caps on worlds, iterations and time; DEFAULT_BUDGET without one. A small minimum is always searched.
        seed: 0 to 2**64 - 1; drawn if None. With the same observation, seed and a budget without time the answer
            is the same to the last bit.
        threads: threads to search on, as far as its share of the cores goes; they change the time, never the answer.
        executor: who searches instead of threads of this process, such as other processes or a cluster: it gets as
            many blocks of worlds at a time as there would be threads, each of some 30 milliseconds. It changes the
            time, never the answer, and is left open.
        options: parameters of the search.
        include: a legal move that the answer tells about as well as about the best ones, for the review of a deal: of
            very many discards or declarations the search compares the most sensible alone.
        stop: ends the search early with the best answer so far when set.
        progress: called now and then, from any thread, with the number of worlds just finished.
        clock: measures the budget's time in seconds; `time.thread_time` is the fair one between rivals on a busy
            machine, for searches on one thread.
        began: the value of `clock` at which the budget's time began, if that was before the call.

    Raises:
        InvalidObservationError: the observation cannot have happened.
        NothingToDecideError: it is not this seat's turn, or the deal is over.
        ContradictionError: no deal of the unseen cards fits the events.
        IllegalMoveError: the move to include is not legal.
        TypeError: an argument, a cap or an option is of another type.
        ValueError: a cap, the seed, the number of threads or an option is out of range.
        What the executor raises where it can work no more.
    """
    started = clock() if began is None else began
    _check_arguments(observation, budget, seed, threads, options)
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise TypeError(f"stop is {stop!r}: give a threading.Event, or leave it out")
    if executor is not None:
        _check_type("executor", executor, Executor, "give one of concurrent.futures, or leave it out for threads")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {progress!r}: give a function of one number, or leave it out")
    budget = budget or Budget()
    options = options or SearchOptions()
    seed = fresh_seed() if seed is None else seed
    seen = observation if isinstance(observation, View) else view(observation)
    if include is not None and seen.turn == seen.seat:
        include = checked_move(seen.table, seen.hand, include)
        seen.table.copy().apply(seen.seat, include)
    decision = Decision.of(
        seen,
        seed,
        options.utility,
        step_width=options.step_width,
        infers=options.inference > 0.0,
        include=include,
    )
    limits = Limits(None if budget.time_ms is None else started + budget.time_ms / 1000, stop, clock)
    return search_decision(decision, budget, limits, options, threads, progress, executor)


def search_decision(
    decision: Decision,
    budget: Budget,
    limits: Limits,
    options: SearchOptions,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> Recommendation:
    """Returns the answer to a decision that has been made ready; the arguments are as `search` checks them.

    `limits` hold the point of time at which the budget's time ends.
    """
    view = decision.view
    inference = infer(view, decision.sampler, split(decision.seed, _PILOT_STREAM), options.inference)
    source = Source(decision.sampler, inference.belief, split(decision.seed, _WORLDS_STREAM))
    found = _answer(decision, source, Runner(threads, limits, progress, executor), budget, options)
    diagnostics = replace(found.diagnostics, belief_effective_share=inference.effective_share)
    found = replace(found, diagnostics=diagnostics)
    return calibrated(view, found, fits_of(view.variant.name)) if options.calibrated else found


def _answer(
    decision: Decision, source: Source, runner: Runner, budget: Budget, options: SearchOptions
) -> Recommendation:
    """Returns the answer as the worlds tell it."""
    budget = DEFAULT_BUDGET if budget.is_open else budget
    view = decision.view
    fitting = _endings_within(decision, budget, runner.threads, options.playout)
    solves = view.phase in (Phase.PLAY, Phase.GIVE) and view.table.tricks_left <= options.exact_tricks
    if solves:
        always = MAX_WORLDS if view.table.tricks_left <= ALWAYS_EXACT_TRICKS else 0
        listed = decision.sampler.enumerate(max(min(fitting, MAX_WORLDS), always))
        if listed is not None:
            chances = world_weights(decision.sampler, source.belief, listed)
            return _solve(decision, runner, listed, chances, options)
    is_halved = view.phase is Phase.DISCARD or (view.phase is Phase.PLAY and options.root is Root.HALVING)
    if is_halved and len(decision.question.arms) > 1:
        return halve(decision, runner, source, budget, options, solves=solves and fitting >= MIN_SOLVED_WORLDS)
    return _sample(decision, runner, source, budget, options)


def _endings_within(decision: Decision, budget: Budget, threads: int, playout: Playout) -> int:
    """Returns in how many worlds all moves can be solved with a budget."""
    cost = solving_cost(decision.view.table.tricks_left) * len(decision.question.arms)
    iterations = None if budget.iterations is None else budget.iterations * PLAYOUT_COSTS[playout]
    caps = [cap for cap in (iterations, iterations_in(budget.time_ms, threads)) if cap is not None]
    by_work = min(caps, default=MAX_ITERATIONS) // cost
    return by_work if budget.worlds is None else min(by_work, budget.worlds)


def check_consistent(observation: Observation | View, *, is_patient: bool = True) -> None:
    """Raises `InvalidObservationError` or `ContradictionError` unless some deal fits the observation.

    Where that takes a long search it takes up to a second; `UndecidedError` at once where it is not patient.
    """
    seen = observation if isinstance(observation, View) else view(observation)
    WorldSampler(hidden_cards(seen), is_patient=is_patient)


def _check_arguments(
    observation: Observation | View,
    budget: Budget | None,
    seed: int | None,
    threads: int,
    options: SearchOptions | None,
) -> None:
    """Raises TypeError or ValueError, naming the argument, its fault and the remedy."""
    if isinstance(observation, State):
        raise TypeError("observation is a State, which knows all cards: give what one seat knows, state.observe(seat)")
    _check_type("observation", observation, (Observation, View), "give an Observation, such as state.observe(seat)")
    if budget is not None:
        _check_type("budget", budget, Budget, "give a Budget, such as Budget(iterations=1000), or leave it out")
        for name in ("worlds", "iterations", "time_ms"):
            cap = getattr(budget, name)
            if cap is not None:
                _check_whole(
                    f"budget.{name}", cap, 1, None, "give a whole number from 1, or leave it out for no such cap"
                )
    if seed is not None:
        remedy = "give a whole number from 0 to 2**64 - 1, or leave it out to have one drawn"
        _check_whole("seed", seed, 0, (1 << 64) - 1, remedy)
    _check_whole("threads", threads, 1, None, "give a whole number from 1")
    if options is not None:
        _check_options(options)


def _check_options(options: SearchOptions) -> None:
    """Raises TypeError or ValueError unless every option is of its type and in its range."""
    _check_type("options", options, SearchOptions, "give SearchOptions, or leave them out")
    _check_type("options.playout", options.playout, Playout, "give a Playout, such as Playout.RULE")
    _check_type("options.utility", options.utility, Utility, "give a Utility, such as Utility.AUTO")
    remedy = "give a finite number from 0"
    for name in ("playout_noise", "exploration", "inference", "step_width"):
        value = getattr(options, name)
        _check_type(f"options.{name}", value, (float, int), remedy)
        if not 0.0 <= value < float("inf"):
            raise ValueError(f"options.{name} is {value}: {remedy}")
    _check_type("options.root", options.root, Root, "give a Root, such as Root.HALVING")
    for name in ("calibrated", "sense"):
        value = getattr(options, name)
        if not isinstance(value, bool):
            raise TypeError(f"options.{name} is {reprlib.repr(value)}: give True or False")
    _check_whole("options.expand_after", options.expand_after, 1, None, "give a whole number from 1")
    _check_whole("options.exact_tricks", options.exact_tricks, 0, None, "give a whole number from 0")
    if options.iterations_per_world is not None:
        remedy = f"give a whole number from 1 to {MAX_TREE_ITERATIONS}, or leave it out"
        _check_whole("options.iterations_per_world", options.iterations_per_world, 1, MAX_TREE_ITERATIONS, remedy)


def _check_type(name: str, value: object, expected: type | tuple[type, ...], remedy: str) -> None:
    """Raises TypeError unless `value` is of a type `expected`; True and False are no numbers."""
    if not isinstance(value, expected) or isinstance(value, bool):
        shown = "None" if value is None else f"{reprlib.repr(value)} of type {type(value).__name__}"
        raise TypeError(f"{name} is {shown}: {remedy}")


def _check_whole(name: str, value: int, least: int, greatest: int | None, remedy: str) -> None:
    """Raises TypeError unless `value` is an int, ValueError unless it lies in its range."""
    _check_type(name, value, int, remedy)
    if value < least or (greatest is not None and value > greatest):
        raise ValueError(f"{name} is {reprlib.repr(value)}: {remedy}")


def _solve(
    decision: Decision,
    runner: Runner,
    listed: npt.NDArray[np.uint64],
    chances: npt.NDArray[np.float64],
    options: SearchOptions,
) -> Recommendation:
    """Answers from all consistent worlds, of which `chances` are the chances, or from some if it has to end early."""
    # what is done when it has to end early is a fair sample
    shuffled = np.random.default_rng(split(decision.seed, _ORDER_STREAM)).permutation(len(listed))
    endings = ListedEndings(decision.question, decision.sampler.arrays.destination, listed[shuffled])
    worlds = runner.run(endings, 0, len(listed), surely=min(len(listed), MIN_WORLDS))
    block = worlds.block
    chances = chances[shuffled[worlds.numbers]]
    chances /= chances.sum()
    is_exact = len(worlds.numbers) == len(listed)
    values = block.totals.astype(np.float64)
    utilities, sums = block.utilities.astype(np.float64), block.sums.astype(np.float64)
    evidence = [
        Evidence(values[:, arm], utilities[:, arm], block.wins[:, arm] / 2, values[:, arm], sums[:, arm])
        for arm in decision.arm_of_move
    ]
    choosing = np.array([(item.utilities @ chances, item.values @ chances) for item in evidence])
    order = rank_moves(decision.view, decision.moves, *choosing.T)
    if options.sense:
        order = sensible_first(decision.view, decision.moves, order, tied(choosing, order[0]))
    ranked = [(decision.moves[place], len(chances), evidence[place]) for place in order]
    return Recommendation(
        move=decision.moves[order[0]],
        moves=describe(decision.view, ranked, [[] for _ in order], chances, exact=is_exact),
        exact=is_exact,
        diagnostics=Diagnostics(
            seed=decision.seed,
            worlds=len(chances),
            evaluation_worlds=len(chances),
            iterations=0,
            stop_reason=(
                StopReason.SINGLE_MOVE if len(decision.moves) == 1 else worlds.stop_reason or StopReason.EXACT
            ),
            exact_solves=len(chances),
            rejected_worlds=0,
        ),
    )


def _sample(
    decision: Decision, runner: Runner, source: Source, budget: Budget, options: SearchOptions
) -> Recommendation:
    """Answers from a sample of worlds."""
    view, moves = decision.view, decision.moves
    if len(moves) == 1:
        budget = Budget(worlds=MIN_WORLDS, iterations=MIN_WORLDS)
    branches = 1 if decision.question.results_are_shared else len(decision.question.arms)
    iterations = options.iterations_per_world or tree_size(budget, branches, runner.threads, options.playout)
    iterations = max(iterations // branches, 1) * branches
    iteration_cap = MAX_ITERATIONS if budget.iterations is None else min(budget.iterations, MAX_ITERATIONS)
    world_cap = MAX_SAMPLED_WORLDS if budget.worlds is None else min(budget.worlds, MAX_SAMPLED_WORLDS)
    count = max(min(iteration_cap // iterations, world_cap), MIN_WORLDS)
    rule = playout_rule(view.variant.name, options)
    trees = TreeSearch(decision.question, source, options, iterations, rule)
    worlds = runner.run(trees, 0, count, surely=MIN_WORLDS)
    block = worlds.block
    values = block.totals / block.visits
    utilities = block.utilities / block.visits
    wins = block.wins / (2 * block.visits)
    evaluation = is_evaluation(worlds.numbers)

    def evidence(place: int, rows: npt.NDArray[np.bool_]) -> Evidence:
        arm = decision.arm_of_move[place]
        samples, sums = block.samples[rows, arm], block.sums[rows, arm]
        of_arm = Evidence(values[rows, arm], utilities[rows, arm], wins[rows, arm], samples, sums)
        return evidence_of_move(view, moves[place], of_arm, decision.question.utility)

    chosen_by = [evidence(place, ~evaluation) for place in range(len(moves))]
    choosing = np.array([(item.utilities.sum(), item.values.sum()) for item in chosen_by])
    fits = fits_of(view.variant.name) if view.phase is Phase.BID and options.calibrated else None
    if fits is not None and resolve(view.variant, decision.utility) is Utility.POINTS:
        means = np.array([item.values.mean() for item in chosen_by])
        choosing[:, 0] = scores_of_calls(moves, means * unit_of(view), fits)
    order = rank_moves(view, moves, *choosing.T)
    if options.sense and view.phase is Phase.PLAY:
        worths = np.stack([item.utilities for item in chosen_by], axis=1)
        points = np.stack([item.values for item in chosen_by], axis=1)
        close = undecided(view, order[0], [Tried(np.arange(len(moves)), worths, points)])
        order = sensible_first(view, moves, order, close)
    visits = block.visits.sum(axis=0)
    lines = [common_line(block.lines[:, arm]) for arm in range(len(decision.question.arms))]
    arms = [decision.arm_of_move[place] for place in order]
    ranked = [
        (moves[place], int(visits[arm]), evidence(place, evaluation)) for place, arm in zip(order, arms, strict=True)
    ]
    reached = StopReason.WORLDS if world_cap <= iteration_cap // iterations else StopReason.ITERATIONS
    return Recommendation(
        move=moves[order[0]],
        moves=describe(view, ranked, [lines[arm] for arm in arms]),
        exact=False,
        diagnostics=Diagnostics(
            seed=decision.seed,
            worlds=len(worlds.numbers),
            evaluation_worlds=int(evaluation.sum()),
            iterations=len(worlds.numbers) * iterations,
            stop_reason=StopReason.SINGLE_MOVE if len(moves) == 1 else worlds.stop_reason or reached,
            exact_solves=0,
            rejected_worlds=int(block.rejected.sum()),
        ),
    )
