"""What the solver foretells at each decision of deals it plays against itself, and how these deals then end.

Where there is an auction one call of every second deal is another one than the search would make, and it alone is kept:
what a bad hand brings alone is never seen where nobody would play it alone, and a line drawn through good hands says
nothing about it. All that follows is played as ever, because that is what such a call is worth among such players.

Deals are kept as JSON lines, one for each, so that an interrupted run goes on where it stood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from google.protobuf import json_format

from tarocchi.solver.v1 import deal_pb2
from tarocchi_bench.agents import AgentSpecError, parse_agent
from tarocchi_bench.agents.searching import SolverAgent
from tarocchi_bench.pairs import first_state
from tarocchi_bench.records import DATA, Lines, RecordError, check_key, data_of, no_entry, read_lines
from tarocchi_bench.training.recording import record_missing
from tarocchi_bench.workers import Workers, check_workers
from tarocchi_engine import Call, Phase, State, get_variant, view
from tarocchi_engine.cards import cards_in
from tarocchi_engine.rng import split
from tarocchi_solver.search import MoveStatistics, search
from tarocchi_solver.search.calibration import STAGES, is_defender, stage_of
from tarocchi_solver.search.decision import wins_match
from tarocchi_solver.search.review import result_of
from tarocchi_solver.service.formats import CALLS, format_move

_DEAL, _THINK, _STRAY = 1, 2, 3
_DIGITS: Final = 6
_LINE: Final = "a deal with what was foretold"

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DealPlan:
    """Which deals are played by whom."""

    variant: str
    agent: str
    """A solver; what it foretells is recorded without calibration."""
    seed: int
    deals: int

    def solver(self) -> SolverAgent:
        """Returns the agent; raises `AgentSpecError` unless it is a solver."""
        agent = parse_agent(self.agent)
        if not isinstance(agent, SolverAgent):
            raise AgentSpecError(f"agent {self.agent!r} foretells no scores: give solver:iterations=1000,...")
        return replace(agent, options=replace(agent.options, calibrated=False))

    def check(self) -> None:
        """Raises `AgentSpecError`, `UnknownVariantError`, or ValueError for a number of deals that says nothing."""
        get_variant(self.variant)
        self.solver()
        if self.deals < 2:
            raise ValueError(f"{self.deals} deals say nothing about errors: play at least 2")


@dataclass(frozen=True)
class Positions:
    """Decisions of played deals, [positions] each, in the order of play; scores in the unit of the answers."""

    deal: Integers
    seat: Integers
    stage: Integers
    """Places in STAGES."""
    moves: Integers
    """Moves compared; a single one is no choice, and little is searched for it."""
    worlds: Integers
    raw: Floats
    """The uncalibrated mean of the recommended move."""
    error: Floats
    """Its standard error over worlds."""
    deviation: Floats
    """Of single results."""
    win: Floats
    """The uncalibrated chance to win the deal."""
    low: Floats
    """The first of ten parts of the single results ends here ..."""
    high: Floats
    """... and the last of ten begins here."""
    is_certain: Flags
    """Whether nothing is calibrated: all worlds were solved, or the move wins the match."""
    lead: Floats
    """Points taken and declared by the own side so far minus those of the other."""
    result: Floats
    """What the deal has brought the seat."""
    won: Floats
    """1 if the seat's side has won the deal, 0 if not, ties half."""

    def where(self, rows: npt.NDArray[Any]) -> Positions:
        """Returns some of the positions."""
        return Positions(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    @property
    def deal_count(self) -> int:
        """The number of deals that the positions come from."""
        return len(np.unique(self.deal))


def record_deals(
    plan: DealPlan, record: Path, *, workers: Workers = 1, progress: Callable[[], None] | None = None
) -> None:
    """Plays the deals of a plan that its record does not hold yet, and adds each to it as it ends.

    Raises:
        AgentSpecError, UnknownVariantError, ValueError: the plan or the number of workers.
        RecordError: the record cannot be read or written, is that of other deals, or goes on from other data files;
            nothing has been played then.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    check_workers(workers)
    data = data_of(get_variant(plan.variant), plan.solver())
    record_missing(partial(play_deal, plan), record, list(_entries(record, plan)), plan.deals, data, workers, progress)


def read_positions(record: Path, plan: DealPlan) -> Positions:
    """Returns the decisions of a plan's deals; raises `RecordError` where the record does not hold them all."""
    entries = {entry["number"]: entry for entry in _entries(record, plan)}
    missing = [number for number in range(plan.deals) if number not in entries]
    if missing:
        raise RecordError(f"{record}: deal {missing[0]} is missing: play it first")
    return positions_of([entries[number] for number in range(plan.deals)], plan.variant)


def play_deal(plan: DealPlan, number: int) -> dict[str, Any]:
    """Plays one deal; returns its entry in the record."""
    agent = plan.solver()
    budget, clock = agent.effort.limits
    variant = get_variant(plan.variant)
    state = first_state(variant, split(plan.seed, _DEAL, number), number)
    seed = split(plan.seed, _THINK, number)
    strays = state.phase is Phase.BID and number % 2 == 1
    stray_step = split(plan.seed, _STRAY, number) % variant.seat_count
    decisions: list[dict[str, Any]] = []
    step = -1
    while (seat := state.turn) is not None:
        step += 1
        observation = state.observe(seat)
        thought = split(seed, step)
        found = search(observation, budget, seed=thought, options=agent.options, clock=clock)
        made = found.moves[0]
        if strays:
            if step != stray_step or state.phase is not Phase.BID or len(found.moves) == 1:
                state = state.apply_move(found.move)
                continue
            made = found.moves[1 + split(thought, _STRAY) % (len(found.moves) - 1)]
        decisions.append(
            {
                "phase": state.phase.value,
                "seat": seat,
                "tricks_left": state.table.tricks_left,
                "defends": is_defender(state.table, seat),
                "move": json_format.MessageToDict(format_move(variant.pack, made.move)),
                "moves": len(found.moves),
                "exact": found.exact,
                "solved": found.diagnostics.exact_solves,
                "wins_match": wins_match(view(observation), made.move),
                "lead": _lead(state, seat),
                **_foretold(made),
            }
        )
        state = state.apply_move(made.move)
    return {
        "variant": plan.variant,
        "agent": plan.agent,
        "seed": plan.seed,
        "number": number,
        DATA: data_of(variant, agent),
        "results": [result_of(state, seat) for seat in range(variant.seat_count)],
        "won": [_won(state, seat) for seat in range(variant.seat_count)],
        "decisions": decisions,
    }


def _foretold(move: MoveStatistics) -> dict[str, Any]:
    scores = {
        "score": move.raw_score,
        "error": move.standard_error,
        "deviation": move.result_deviation,
        "win": move.win_probability,
    }
    return {
        **{name: round(value, _DIGITS) for name, value in scores.items()},
        "quantiles": [round(score, _DIGITS) for _probability, score in move.score_quantiles],
        "worlds": move.worlds,
        "in_match": move.match_win_probability is not None,
    }


def _won(state: State, seat: int) -> float:
    winner = state.score().winner
    return 0.5 if winner is None else float(winner == state.table.side_of(seat))


def _lead(state: State, seat: int) -> float:
    """Returns by how much the seat's side is ahead in points taken and declared; 0 while there are no sides yet."""
    table, pack = state.table, state.variant.pack
    if table.phase is Phase.BID:
        return 0.0
    points = [
        sum(pack.points[card] for card in cards_in(table.piles[side])) + table.declared_points[side] for side in (0, 1)
    ]
    side = table.side_of(seat)
    return float(points[side] - points[1 - side])


def positions_of(entries: list[dict[str, Any]], variant_name: str) -> Positions:
    """Returns the decisions of entries of a record."""
    trick_count = get_variant(variant_name).trick_count

    def row(entry: dict[str, Any], decision: dict[str, Any]) -> tuple[Any, ...]:
        stage = stage_of(
            Phase(decision["phase"]),
            decision["tricks_left"],
            trick_count,
            call=_call_in(decision["move"]),
            defends=decision["defends"],
        )
        seat = decision["seat"]
        return (
            entry["number"],
            seat,
            STAGES.index(stage),
            decision["moves"],
            decision["worlds"],
            decision["score"],
            decision["error"],
            decision["deviation"],
            decision["win"],
            decision["quantiles"][0],
            decision["quantiles"][-1],
            decision["exact"] or decision["wins_match"],
            decision["lead"],
            entry["results"][seat],
            entry["won"][seat],
        )

    rows = [row(entry, decision) for entry in entries for decision in entry["decisions"]]
    kinds = {"Integers": np.int64, "Floats": np.float64, "Flags": np.bool_}
    columns = zip(fields(Positions), zip(*rows, strict=True), strict=True)
    return Positions(**{field.name: np.array(column, dtype=kinds[str(field.type)]) for field, column in columns})


def _call_in(move: dict[str, Any]) -> Call | None:
    """Returns the call that a move of a record makes, None for other moves."""
    if "bid" not in move:
        return None
    number = deal_pb2.Call.Value(move["bid"]["call"])
    return next(call for call, known in CALLS.items() if known == number)


def _entries(record: Path, plan: DealPlan) -> Iterator[dict[str, Any]]:
    """Yields the whole lines of a record; raises `RecordError` for those of other deals."""
    key = {"variant": plan.variant, "agent": plan.agent, "seed": plan.seed}
    lines = Lines(record, "deal", _LINE)
    for number, entry in read_lines(record, _LINE):
        if not {*key, "number", "decisions", "results", "won"} <= set(entry):
            raise no_entry(record, number, _LINE)
        check_key(record, number, entry, key)
        lines.add(number, entry["number"])
        yield entry
