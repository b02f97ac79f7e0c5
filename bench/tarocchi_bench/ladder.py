"""Ladders: many matches in one folder, with a table and a plot of all of them.

The folder has a list of the matches (`ladder.json`), a record for each, and for each variant a table (Markdown) and a
plot (SVG), which come out the same to the byte from the same records.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from tarocchi_bench.arena import MatchResult, play_match, summarise
from tarocchi_bench.intervals import half_width, shown
from tarocchi_bench.pairs import MatchPlan, read_record
from tarocchi_bench.records import RecordError
from tarocchi_bench.workers import Workers

LIST_NAME: Final = "ladder.json"
_LONGEST_SLUG: Final = 48


def climb(
    variant: str, agents: Sequence[str], against: str | None, *, seed: int, pairs: int, options: Any = ()
) -> list[MatchPlan]:
    """Returns the matches of a ladder: every agent against a common one, or without that each against the one before.

    Raises ValueError for too few agents.
    """
    if against is None and len(agents) < 2:
        raise ValueError("a chain has at least two agents: name another, or one whom they all play against")
    if not agents:
        raise ValueError("a ladder has at least one agent: name it")
    steps = (
        [(agent, against) for agent in agents]
        if against is not None
        else [(agent, before) for before, agent in pairwise(agents)]
    )
    return [MatchPlan(variant, a, b, seed, pairs, options) for a, b in steps]


@dataclass(frozen=True)
class Ladder:
    """The matches in a folder."""

    folder: Path

    def record_of(self, plan: MatchPlan) -> Path:
        """Returns the file in which the pairs of a match are."""
        whole = json.dumps([plan.variant, plan.options, plan.a, plan.b, plan.seed])
        digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
        a, b = (re.sub(r"[^\w.=-]+", "-", agent)[:_LONGEST_SLUG] for agent in (plan.a, plan.b))
        return self.folder / f"{plan.variant}-{a}-against-{b}-{digest}.jsonl"

    def plans(self) -> list[MatchPlan]:
        """Returns the matches in the order in which they were first asked for; raises `RecordError`."""
        path = self.folder / LIST_NAME
        try:
            entries = json.loads(path.read_text("utf-8"))["matches"]
            return [
                MatchPlan(
                    entry["variant"],
                    entry["a"],
                    entry["b"],
                    entry["seed"],
                    entry["pairs"],
                    tuple((name, value) for name, value in entry["options"]),
                )
                for entry in entries
            ]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}: this is no list of matches; name another folder") from error

    def enlist(self, plans: Sequence[MatchPlan]) -> None:
        """Adds matches to the list, and makes the folder; of one that it has already the number of pairs is changed.

        Raises `RecordError`.
        """
        merged = {self.record_of(plan): plan for plan in [*self.plans(), *plans]}
        entries = [{key: value for key, value in asdict(plan).items() if key != "tail"} for plan in merged.values()]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"matches": entries}, indent=1)
            (self.folder / LIST_NAME).write_text(text + "\n", "utf-8")
        except OSError as error:
            raise RecordError(f"{self.folder}: cannot be written: {error.strerror}") from error

    def play(
        self, plans: Sequence[MatchPlan], *, workers: Workers = 1, progress: Callable[[], None] | None = None
    ) -> None:
        """Plays the pairs of matches that their records do not hold yet; raises what `play_match` raises."""
        for plan in plans:
            plan.check()
        self.enlist(plans)
        for plan in plans:
            play_match(plan, workers=workers, record=self.record_of(plan), progress=progress)

    def results(self) -> list[MatchResult]:
        """Returns what the records say, in the order of the list; matches of fewer than two pairs are left out."""
        results = []
        for plan in self.plans():
            pairs = read_record(self.record_of(plan), plan, as_now=False)
            if len(pairs) >= 2:
                results.append(summarise(plan, sorted(pairs, key=lambda pair: pair.number)))
        return results

    def report(self) -> list[MatchResult]:
        """Writes the tables and the plots of all variants; returns the results. Raises `RecordError`."""
        # it takes long to load, which a match does not need
        from tarocchi_bench.plots import plot_matches

        results = self.results()
        for variant in dict.fromkeys(result.variant for result in results):
            of_variant = [result for result in results if result.variant == variant]
            try:
                (self.folder / f"{variant}.md").write_text(markdown(of_variant), "utf-8")
                plot_matches(of_variant, self.folder / f"{variant}.svg")
            except OSError as error:
                raise RecordError(f"{self.folder}: cannot be written: {error.strerror}") from error
        return results


HEADINGS: Final = (
    "agent",
    "against",
    "points a deal",
    "95 % interval",
    "pairs",
    "CPU ms a decision",
    "of the opponent",
)


def row(result: MatchResult) -> tuple[str, ...]:
    """Returns a match as the cells of a table with `HEADINGS`."""
    half = half_width(result.low_95, result.high_95)
    return (
        result.a,
        result.b,
        f"{result.mean_difference:+.2f}{'' if half is None else f' ± {half:.2f}'}",
        shown(result.low_95, result.high_95),
        str(result.pairs),
        _milliseconds(result.cpu_ms_per_decision_a),
        _milliseconds(result.cpu_ms_per_decision_b),
    )


def _milliseconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def command(result: MatchResult) -> str:
    """Returns the command that plays a match again."""
    words = ["python", "-m", "tarocchi_bench", "arena", "--variant", result.variant, "--a", result.a, "--b", result.b]
    words += ["--pairs", str(result.pairs), "--seed", str(result.seed)]
    for name, value in result.options:
        words += ["--option", f"{name}={value}"]
    return shlex.join(words)


def markdown(results: Sequence[MatchResult]) -> str:
    """Returns a table of matches and the commands that play them."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|---|---|---|---|---|---|---|"]
    for result in results:
        a, b, *figures = row(result)
        cells = [f"`{a}`", f"`{b}`", *figures]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join([*lines, "", *(f"    {command(result)}" for result in results), ""])
