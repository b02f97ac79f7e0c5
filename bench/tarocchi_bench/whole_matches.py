"""Whole matches, played to their end again and again with the sides exchanged: who wins more of them.

The unit of analysis is the pair: a match with the same cards in the same order in every arrangement of the agents. The
plays of a pair part as soon as an agent plays differently, for the scores decide how long a match lasts, so a pair
tells less than a pair of single deals; but it judges what a match is for.
"""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.agents import Agent, parse_agent
from tarocchi_bench.playing import arrangements, play_out
from tarocchi_bench.records import (
    Lines,
    append_line,
    check_key,
    circumstances,
    no_entry,
    prepare_record,
    read_lines,
    version,
)
from tarocchi_bench.sequential import estimate
from tarocchi_bench.workers import Workers, check_workers, work_through
from tarocchi_engine import Match, Standing, Variant, get_variant, new_deal
from tarocchi_engine.match import FIRST_DEAL
from tarocchi_engine.rng import split

_DEAL, _THINK, _SCORES = 1, 2, 3
_FIELDS: Final = ("variant", "options", "a", "b", "seed", "least_score")
_LINE: Final = "a pair of whole matches"
_EARLIER_DEALS: Final = 4


@dataclass(frozen=True, slots=True)
class WholeMatchPlan:
    """Who plays whom, at which game, how often."""

    variant: str
    options: tuple[tuple[str, str], ...]
    a: str
    b: str
    seed: int
    pairs: int
    least_score: int | None = None
    """If given, matches to a target go on from scores drawn from it to the target, so that they are short."""

    def rules(self) -> Variant:
        """Returns the game with its options; raises `UnknownVariantError` or `OptionError`."""
        return get_variant(self.variant, dict(self.options))

    def check(self) -> None:
        """Raises `AgentSpecError`, `UnknownVariantError`, `OptionError`, or ValueError where nothing is to be won."""
        parse_agent(self.a)
        parse_agent(self.b)
        if self.rules().match_deal_count == 1:
            raise ValueError(f"a deal of {self.variant} stands alone with these options: there is no match to win")
        target = self.rules().match_target
        if self.least_score is not None and (target is None or not 0 <= self.least_score < target):
            limit = "nothing: no score ends this match" if target is None else f"0 to {target - 1}"
            raise ValueError(f"matches cannot go on from {self.least_score} points: give {limit}")
        if self.pairs < 2:
            raise ValueError(f"{self.pairs} pairs have no standard error: play at least 2")

    @property
    def key(self) -> dict[str, Any]:
        """What every line of a record says about the match that it is of."""
        return circumstances(self.rules(), a=self.a, b=self.b) | {
            "variant": self.variant,
            # those given, as older records have it
            "options": dict(self.options),
            "a": self.a,
            "b": self.b,
            "seed": self.seed,
            "least_score": self.least_score,
        }

    def first_standing(self, number: int) -> Standing:
        """Returns the scores from which match `number` goes on."""
        target = self.rules().match_target
        if self.least_score is None or target is None:
            return FIRST_DEAL
        room = target - self.least_score
        scores = tuple(float(self.least_score + split(self.seed, _SCORES, number, side) % room) for side in (0, 1))
        return Standing(scores, _EARLIER_DEALS)


@dataclass(frozen=True, slots=True)
class MatchPair:
    """One sequence of deals, played as a match in every arrangement."""

    number: int
    wins: tuple[float, ...]
    """Whether A has won, in the order of `arrangements`: 1, 0.5 for a draw, 0. With unequal numbers of seats the share
    that equal agents would have is moved to a half."""
    deals: tuple[int, ...]

    @property
    def win_share(self) -> float:
        """A's share of the wins."""
        return statistics.fmean(self.wins)


@dataclass(frozen=True, slots=True)
class WholeMatchResult:
    """The outcome from A's view."""

    variant: str
    a: str
    b: str
    seed: int
    pairs: int
    win_share: float
    """A's share of the matches, draws half."""
    standard_error: float
    low_95: float | None
    high_95: float | None
    """None as the other end is where no interval is known: see `intervals`."""
    matches_won: int
    matches_drawn: int
    matches_lost: int
    pairs_alike: int
    """Pairs in which both agents won as often."""
    deals_a_match: float


def play_whole_matches(
    plan: WholeMatchPlan,
    *,
    workers: Workers = 1,
    record: Path | None = None,
    progress: Callable[[], None] | None = None,
) -> WholeMatchResult:
    """Plays pairs of matches.

    Args:
        plan: who plays whom; checked first.
        workers: who works; they change the time, never the result.
        record: a file of JSON lines to which every pair is added as it ends; pairs in it are not played again.
        progress: called after every pair.

    Raises:
        AgentSpecError, UnknownVariantError, OptionError, ValueError: the plan or the number of workers.
        RecordError: the record cannot be read or written, or is that of other matches; nothing has been played then.
        WorkerDiedError: a worker process was killed.
    """
    plan.check()
    check_workers(workers)
    done = {} if record is None else read_pairs(record, plan)
    for _ in done if progress is not None else ():
        assert progress is not None
        progress()
    to_play = [number for number in range(plan.pairs) if number not in done]
    if record is not None:
        prepare_record(record)
    with contextlib.closing(work_through(partial(play_pair, plan), to_play, workers)) as pairs:
        for pair in pairs:
            done[pair.number] = pair
            if record is not None:
                entry = {"pair": pair.number, "wins": pair.wins, "deals": pair.deals}
                append_line(record, plan.key | entry | version())
            if progress is not None:
                progress()
    return summarise(plan, [done[number] for number in sorted(done)])


def read_pairs(record: Path, plan: WholeMatchPlan) -> dict[int, MatchPair]:
    """Returns the pairs of a plan found in its record; raises `RecordError` if the file records something else."""
    found = {}
    key = plan.key
    lines = Lines(record, "pair", _LINE)
    for number, entry in read_lines(record, _LINE):
        if not set(_FIELDS) <= set(entry):
            raise no_entry(record, number, _LINE)
        try:
            wins = tuple(float(share) for share in entry["wins"])
            pair = MatchPair(int(entry["pair"]), wins, tuple(int(count) for count in entry["deals"]))
        except (ValueError, KeyError, TypeError) as error:
            raise no_entry(record, number, _LINE) from error
        check_key(record, number, entry, key)
        lines.add(number, pair.number)
        if 0 <= pair.number < plan.pairs:
            found[pair.number] = pair
    return found


def play_pair(plan: WholeMatchPlan, number: int) -> MatchPair:
    """Plays the match with number `number` in every arrangement; the first dealer moves on from pair to pair."""
    agents = (parse_agent(plan.a), parse_agent(plan.b))
    try:
        played = [_play(plan, agents, seats, number) for seats in arrangements(plan.rules())]
    finally:
        for agent in agents:
            agent.close()
    return MatchPair(number, tuple(won for won, _deals in played), tuple(deals for _won, deals in played))


def _play(
    plan: WholeMatchPlan, agents: tuple[Agent, Agent], seats_of_a: frozenset[int], number: int
) -> tuple[float, int]:
    """Plays a match to its end; returns A's share of the win and the number of deals.

    All plays of a pair think with the same numbers at the same point.
    """
    variant, seed = plan.rules(), plan.seed
    agent_of_seat = [int(seat not in seats_of_a) for seat in range(variant.seat_count)]
    match = Match(variant, number % variant.seat_count, plan.first_standing(number))
    deals = 0
    while not match.is_over:
        state = new_deal(variant, split(seed, _DEAL, number, deals), match.dealer, match.standing)
        end = play_out(state, agents, agent_of_seat, split(seed, _THINK, number, deals)).end
        match = match.after(end.score())
        deals += 1
    seats = range(variant.seat_count)
    scores = [match.scores[seat if variant.seats_score_alone else variant.side_of(seat)] for seat in seats]
    best = [seat for seat in seats if scores[seat] == max(scores)]
    of_a = sum(seat in seats_of_a for seat in best) / len(best)
    return of_a - len(seats_of_a) / variant.seat_count + 0.5, deals


def summarise(plan: WholeMatchPlan, pairs: list[MatchPair]) -> WholeMatchResult:
    """Returns the statistics of played pairs, with a 95 % interval by Student's law."""
    found = estimate([pair.win_share for pair in pairs])
    low, high = found.interval_95
    wins = [won for pair in pairs for won in pair.wins]
    return WholeMatchResult(
        variant=plan.variant,
        a=plan.a,
        b=plan.b,
        seed=plan.seed,
        pairs=len(pairs),
        win_share=found.mean,
        standard_error=found.standard_error,
        low_95=low,
        high_95=high,
        matches_won=sum(won > 0.5 for won in wins),
        matches_drawn=sum(won == 0.5 for won in wins),
        matches_lost=sum(won < 0.5 for won in wins),
        pairs_alike=sum(pair.win_share == 0.5 for pair in pairs),
        deals_a_match=statistics.fmean(count for pair in pairs for count in pair.deals),
    )
