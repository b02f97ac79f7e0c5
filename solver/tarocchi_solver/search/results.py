"""What a search is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tarocchi_engine import Event, Move


class StopReason(StrEnum):
    """Why a search ended."""

    SINGLE_MOVE = "single_move"  # nothing to choose
    EXACT = "exact"  # every consistent world was solved
    WORLDS = "worlds"
    ITERATIONS = "iterations"
    TIME = "time"
    STOPPED = "stopped"


class Playout(StrEnum):
    """How a deal is played from a leaf of the tree to its end."""

    RULE = "rule"
    """A few lines of common sense, see `rule_card`."""
    LEARNED = "learned"
    """What the cards of self-play were worth, see `learned_playout`; several times as slow."""
    RANDOM = "random"


class Root(StrEnum):
    """How a search shares its budget among the cards that may be played."""

    EQUAL = "equal"  # all of them in every world
    HALVING = "halving"  # the better half goes on, round by round


class Utility(StrEnum):
    """What the choice between moves goes by; expected scores are in points whatever it is."""

    AUTO = "auto"  # MATCH in a match of two sides, else POINTS
    POINTS = "points"  # the expected difference
    WIN = "win"  # the chance to win the deal, smoothed while much of it is to come
    MATCH = "match"  # the chance to win the match, smoothed likewise; POINTS where a deal stands alone


@dataclass(frozen=True, slots=True)
class Budget:
    """Caps on the work of one search; the first one reached ends it. Without any, DEFAULT_BUDGET holds.

    A small minimum is always done, even where a cap is lower: six worlds with one iteration for each legal move, or
    three such worlds for a choice by halving, as that of a discard or a card is. Beyond it no cap on worlds or
    iterations is exceeded. In a choice by halving the tightest cap of these two decides: it alone would give the same
    answer.
    """

    worlds: int | None = None
    iterations: int | None = None
    """Descents of a tree, each with one playout, over all worlds."""
    time_ms: int | None = None
    """Wall-clock milliseconds."""

    @property
    def is_open(self) -> bool:
        """Whether no cap is set."""
        return self.worlds is None and self.iterations is None and self.time_ms is None


DEFAULT_BUDGET = Budget(iterations=20_000)
MAX_SAMPLED_WORLDS = 200_000
"""No search samples more: a bound on its memory (under a kilobyte a world), far beyond what still changes an answer."""
MAX_ITERATIONS = 2_000_000_000
"""No search does more, so that every count of an answer fits 32 bits."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Parameters of the search; the defaults are those that won in matches."""

    playout: Playout = Playout.LEARNED
    playout_noise: float = 1.0
    """With the learned rule: how far random numbers may move the value of a card; 1 makes up for a card that self-play
    chose e times as often. In one world they are the same for all moves that are compared."""
    exploration: float = 0.7
    """The constant of UCT, in units of the running spread of the results."""
    expand_after: int = 8
    """Visits of a node before its replies get nodes of their own; until then the playout rule answers for them."""
    iterations_per_world: int | None = None
    """Size of each world's tree while all moves are tried in it; None lets the budget decide."""
    inference: float = 1.0
    """The power of the likelihood of what others have done by which worlds are drawn; 0: all that fit count alike."""
    exact_tricks: int = 4
    """Up to so many tricks left worlds are solved with open cards, all of them where the budget reaches for all."""
    root: Root = Root.HALVING
    """How cards to play share the budget; discards are always halved, all other decisions tried equally."""
    utility: Utility = Utility.AUTO
    step_width: float = 15.0
    """Points over which the choice takes a step of game points to be spread, while more than three tricks are left."""
    calibrated: bool = True
    """Whether scores, errors and chances are those of deals of self-play behind what the search has seen, and calls of
    an auction are chosen by them."""
    sense: bool = True
    """Whether cards that the worlds do not tell from the best are put in order by the principles of good play."""


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What a search found out about one move; scores in game points, own side minus other side."""

    move: Move
    rank: int
    """1 is the recommended move."""
    visits: int
    """Iterations that went through the move, in all worlds."""
    worlds: int
    """Worlds behind the expected score: none of them took part in the choice, unless the search is exact."""
    expected_score: float
    """What deals like this one have brought in self-play, see `calibration`; the raw score where nothing is known."""
    raw_score: float
    """The mean over the worlds of the search, before calibration."""
    standard_error: float
    """Of the expected score, over worlds, with that of the calibration; 0 when exact."""
    difference_to_best: float
    """Expected score minus that of the recommended move, on the same worlds; it may come out positive."""
    difference_standard_error: float
    win_probability: float
    """Chance of the higher total, ties half; calibrated as the expected score is."""
    match_win_probability: float | None
    """Chance to win the match, draws half; None where the deal stands alone."""
    score_quantiles: tuple[tuple[float, float], ...]
    """Pairs of probability and score: the spread of single results, which is luck, not error; not calibrated."""
    score_range_80: tuple[float, float]
    """Eight of ten results lie between these two, one of ten on either side: luck, not error."""
    result_deviation: float
    """Standard deviation of single results; not calibrated."""
    safe_score: float | None
    """The worst result over all consistent worlds, with open cards; None unless exact with few tricks left."""
    principal_variation: tuple[Event, ...]
    """The move itself, then the replies that most worlds agree on."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What is needed to reproduce an answer; nothing here depends on the clock or the number of threads."""

    seed: int
    worlds: int
    evaluation_worlds: int
    """Of `worlds`, those kept for the expected scores."""
    iterations: int
    stop_reason: StopReason
    exact_solves: int
    """Worlds solved to the end."""
    rejected_worlds: int
    """Draws that the shown combinations ruled out."""
    belief_effective_share: float = 1.0
    """How evenly what others have done weights the worlds that fit: 1 if all count alike, near 0 if few stand out."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answer of a search: the best move and what is known about each legal one, best first."""

    move: Move
    moves: tuple[MoveStatistics, ...]
    exact: bool
    """Whether every consistent world was solved instead of a sample searched."""
    diagnostics: Diagnostics


class NothingToDecideError(Exception):
    """Says that an observation is valid but its seat has no decision to make."""
