"""A table at which deals are played: what a site has to keep of it, and the steps of its calls.

A step is a generator that yields the calls to make and is sent their answers, so that it serves threads and event loops
alike.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc
from google.protobuf import json_format

from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_solver.client import calls
from tarocchi_solver.client.building import message_of
from tarocchi_solver.client.calls import Call, Json, Level
from tarocchi_solver.client.errors import InvalidCallError, InvalidRequestError, SolverError

log = logging.getLogger(__name__)

T = TypeVar("T")
Steps = Generator[Call[Any], Any, T]
View = rules_service_pb2.ReplayDealResponse
"""What the rules service tells of a deal after each move."""
Fallback = Callable[[View], deal_pb2.Move]
"""Chooses a move where the solver could not; it is shown the whole deal and returns one of its legal moves."""

MATTO: Final = "MAT"
FALLBACK_CODES: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)
"""Failures of the server and of the way to it, after which a table may go on without an answer."""


@dataclass(frozen=True, slots=True)
class Position:
    """A deal, its moves, and where it stands after them."""

    deal: rules_service_pb2.Deal
    view: View


@dataclass(frozen=True, slots=True)
class BotMove:
    """A move that a bot has made."""

    seat: int
    """The seat that moved."""
    move: deal_pb2.Move
    """The move made."""
    answer: solver_service_pb2.RecommendMoveResponse | None
    """What the solver said; None if it did not answer."""
    error: SolverError | None = None
    """Why the solver did not answer; None if it did."""

    @property
    def is_fallback(self) -> bool:
        """Whether the solver did not answer, so that the fallback chose the move."""
        return self.error is not None


def safe_move(view: View) -> deal_pb2.Move:
    """Returns a legal move that risks little: passes, does not throw in, ends a match that is won, keeps signals back.

    A card is the weakest of its suit, the Matto only where there is no other. Among discards and declarations it is the
    first one that the rules service lists. It looks at no hand but that of the seat to move.
    """

    def risk(move: deal_pb2.Move) -> bool:
        return (
            (move.HasField("bid") and move.bid.call != deal_pb2.CALL_PASS)
            or (move.HasField("monte") and move.monte.throws_in)
            or (move.HasField("call_out") and not move.call_out.cards)
            or (move.HasField("play") and move.play.signal != deal_pb2.SIGNAL_UNSPECIFIED)
        )

    moves = [move for move in view.legal_moves if not risk(move)] or list(view.legal_moves)
    # they are listed as a hand is sorted, in each suit the strongest first
    cards = [move for move in moves if move.play.card not in ("", MATTO)]
    return cards[-1] if cards else moves[0]


def event_of(seat: int, move: deal_pb2.Move | Json) -> deal_pb2.Event:
    """Returns a move as an event; raises `InvalidCallError` for what is no move."""
    message = message_of(deal_pb2.Move, move, "move")
    action = message.WhichOneof("action")
    if action is None:
        fault = 'no kind of move is set: give one, such as {"play": {"card": "SK"}}'
        raise InvalidCallError.about([("move", fault)])
    event = message_of(deal_pb2.Event, {"seat": seat}, "")
    getattr(event, action).CopyFrom(getattr(message, action))
    return event


# --- opening a table


def ask(call: Call[T]) -> Steps[T]:
    """Makes one call."""
    answer: T = yield call
    return answer


def open_deal(
    variant: str,
    seed: int | None,
    dealer: int | None,
    options: Mapping[str, str] | None,
    standing: deal_pb2.MatchStanding | Json | None,
) -> Steps[Position]:
    """Deals cards."""
    deal = yield from ask(calls.new_deal(variant, seed=seed, dealer=dealer, options=options, standing=standing))
    return (yield from replay(deal, ()))


def replay(deal: rules_service_pb2.Deal, events: Sequence[deal_pb2.Event]) -> Steps[Position]:
    """Finds out where a deal stands."""
    return Position(deal, (yield from ask(calls.replay_deal(deal, events))))


def from_json(text: str | bytes) -> Steps[Position]:
    """Puts a table up again from what `TableCore.to_json` gave."""
    try:
        kept = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidCallError.about([("table", f"this is no JSON: {error}")]) from error
    request = message_of(rules_service_pb2.ReplayDealRequest, kept, "table")
    return (yield from replay(request.deal, request.events))


# --- the table


class TableCore:
    """What tables for threads and for event loops have in common. Reading it makes no call."""

    def __init__(self, position: Position) -> None:
        self._position = position

    @property
    def deal(self) -> rules_service_pb2.Deal:
        """All hands as dealt: to be kept, and to be shown to nobody before the end."""
        return self._position.deal

    @property
    def events(self) -> list[deal_pb2.Event]:
        """All moves made, in order, with the discard face up: to be kept."""
        return list(self._position.view.events)

    @property
    def view(self) -> View:
        """All that the rules service tells of the deal as it stands."""
        return self._position.view

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return len(self.deal.hands)

    @property
    def turn(self) -> int | None:
        """The seat to move; None after the end."""
        return self.view.turn if self.view.HasField("turn") else None

    @property
    def phase(self) -> deal_pb2.Phase:
        """What the seat to move has to decide."""
        return self.view.phase

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return self.turn is None

    @property
    def is_match_over(self) -> bool:
        """Whether the deal has ended and was the last one of its match."""
        return self.is_over and self.view.match_progress.finished

    @property
    def score(self) -> rules_service_pb2.DealScore | None:
        """The count of the deal; None before its end."""
        return self.view.score if self.view.HasField("score") else None

    @property
    def progress(self) -> rules_service_pb2.MatchProgress | None:
        """Where the match stands after the deal; None before its end."""
        return self.view.match_progress if self.view.HasField("match_progress") else None

    def legal_moves(self) -> list[deal_pb2.Move]:
        """Returns the legal moves of the seat to move; of very many a selection, see `view`."""
        return list(self.view.legal_moves)

    def observation(self, seat: int) -> deal_pb2.Observation:
        """Returns what a seat knows: all that may be shown to it, and what the solver is asked with."""
        return self.view.observations[self._require_seat(seat)]

    def hand(self, seat: int) -> list[str]:
        """Returns the ids of the cards that a seat holds now."""
        return list(self.view.hands[self._require_seat(seat)].cards)

    def to_json(self) -> str:
        """Returns all that has to be kept of the table, in the form that `tarocchi replay` reads."""
        kept = rules_service_pb2.ReplayDealRequest(deal=self.deal, events=self.view.events)
        return json.dumps(json_format.MessageToDict(kept), ensure_ascii=False)

    def _require_seat(self, seat: int) -> int:
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self.seat_count:
            raise InvalidCallError.about([("seat", f"there is no seat {seat!r}: give 0 to {self.seat_count - 1}")])
        return seat

    def _require_turn(self) -> int:
        turn = self.turn
        if turn is None:
            raise InvalidCallError.not_now("the deal is over: go on with next_deal, or open another table")
        return turn


# --- what is done at a table


def play(table: TableCore, move: deal_pb2.Move | Json, seat: int | None = None) -> Steps[deal_pb2.Event]:
    """Makes a move; if it is refused the table stays as it was.

    Args:
        move: the move, as a message or in the JSON form of it, such as `{"play": {"card": "SK"}}`.
        seat: who makes it; the seat to move if None. Give the seat of the person who sent the move.

    Raises:
        SolverError: the move is not legal, with the reason in `violations`, or the server failed.
        InvalidCallError: this is no move, the deal is over, or another move was made meanwhile.
    """
    turn = table._require_turn()
    before = table._position
    event = event_of(turn if seat is None else table._require_seat(seat), move)
    after = yield from replay(before.deal, [*before.view.events, event])
    if table._position is not before:
        raise InvalidCallError.not_now("another move was made at this table meanwhile: look who has to move now")
    table._position = after
    return event


def bot_move(
    table: TableCore,
    *,
    level: Level = None,
    worlds: int | None = None,
    iterations: int | None = None,
    time_ms: float | None = None,
    seed: int | None = None,
    timeout: float | None = None,
    fallback: Fallback | None = safe_move,
) -> Steps[BotMove]:
    """Lets the solver move for the seat whose turn it is, from what that seat knows.

    Args:
        level: how well to play, such as "club", instead of caps; None for full strength.
        worlds: cap on sampled worlds.
        iterations: cap on iterations over all worlds.
        time_ms: cap on the milliseconds of the search.
        seed: seed of the random numbers; drawn if None.
        timeout: seconds until the solver has to answer, instead of the client's own.
        fallback: chooses the move if the solver cannot answer; then the `BotMove` says so and a warning is logged.
            None to raise the error instead.

    Raises:
        SolverError: the server refused or failed, and there is no fallback or the rules service failed too. The table
            stays as it was.
        InvalidCallError: the deal is over, another move was made meanwhile, or the fallback chose no legal move.
    """
    _require_fallback(fallback)
    seat = table._require_turn()
    view = table.view
    call = calls.recommend_move(
        view.observations[seat],
        level=level,
        worlds=worlds,
        iterations=iterations,
        time_ms=time_ms,
        seed=seed,
        timeout=timeout,
    )
    answer: solver_service_pb2.RecommendMoveResponse | None = None
    failure: SolverError | None = None
    try:
        answer = yield from ask(call)
        move = answer.move
    except SolverError as error:
        if fallback is None or error.code not in FALLBACK_CODES:
            raise
        failure = error
        move = fallback(view)
        log.warning("the fallback moves for seat %d: the solver did not answer: %s", seat, error)
    if table.view is not view:
        raise InvalidCallError.not_now("another move was made at this table meanwhile: look who has to move now")
    if failure is None:
        yield from play(table, move, seat)
    else:
        move = yield from _play_fallback(table, move, seat)
    return BotMove(seat, move, answer, failure)


def _play_fallback(table: TableCore, move: object, seat: int) -> Steps[deal_pb2.Move]:
    """Makes the move that a fallback has chosen; raises an `InvalidCallError` about the fallback if there is none."""
    try:
        message = message_of(deal_pb2.Move, move, "move")
        yield from play(table, message, seat)
    except InvalidRequestError as error:
        text = f"the function chose a move that is not legal: {error.message}"
    except InvalidCallError as error:
        if not error.violations:
            raise
        text = f"the function returned no move: {error.message}"
    else:
        return message
    raise InvalidCallError.about([("fallback", text)])


def _require_fallback(fallback: object) -> None:
    """Raises `InvalidCallError` for what is no function, before there is any need of it."""
    if fallback is not None and not callable(fallback):
        text = f"a function that is shown the table and returns a move is needed, or None, not {fallback!r}"
        raise InvalidCallError.about([("fallback", text)])


def play_bots(
    table: TableCore,
    bots: Collection[int] | Mapping[int, Level],
    *,
    level: Level = None,
    worlds: int | None = None,
    iterations: int | None = None,
    time_ms: float | None = None,
    timeout: float | None = None,
    fallback: Fallback | None = safe_move,
) -> Steps[list[BotMove]]:
    """Lets bots move until a seat without one has to, or the deal is over.

    Args:
        bots: the seats that have a bot; a mapping tells the level of each.
        level: that of bots whose level is not told; other arguments as for `bot_move`.
        worlds: cap on sampled worlds for each move.
        iterations: cap on iterations for each move.
        time_ms: cap on the milliseconds of each search.
        timeout: seconds until the solver has to answer each time.
        fallback: chooses the move if the solver cannot answer.

    Raises:
        SolverError: as for `bot_move`. The moves made until then stand in `events`.
    """
    _require_fallback(fallback)
    for seat in bots:
        table._require_seat(seat)
    made: list[BotMove] = []
    while (turn := table.turn) is not None and turn in bots:
        own = bots[turn] if isinstance(bots, Mapping) else None
        step = bot_move(
            table,
            level=level if own is None else own,
            worlds=worlds,
            iterations=iterations,
            time_ms=time_ms,
            timeout=timeout,
            fallback=fallback,
        )
        made.append((yield from step))
    return made


def next_position(table: TableCore, seed: int | None) -> Steps[Position]:
    """Deals the next deal of the match."""
    progress = table.progress
    if progress is None:
        raise InvalidCallError.not_now("the deal is not over: play it to its end before the next one")
    if progress.finished:
        raise InvalidCallError.not_now("the match is over: open another table")
    deal = table.deal
    return (yield from open_deal(deal.variant, seed, progress.next_dealer, deal.options, progress.standing))
