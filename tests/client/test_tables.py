"""Tables: whole deals and matches with nothing kept but their JSON, also where the solver does not answer."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from typer.testing import CliRunner

from client_support import ABSENT, BUSY, Failure, ScriptedServer, serving
from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2
from tarocchi_engine import VARIANTS
from tarocchi_solver.cli import app
from tarocchi_solver.client import (
    AsyncSolverClient,
    AsyncTable,
    BotMove,
    InvalidCallError,
    InvalidRequestError,
    OverloadedError,
    SolverClient,
    SolverError,
    Table,
    UnavailableError,
    safe_move,
)
from tarocchi_solver.service.calls import Readiness, Stage
from tarocchi_solver.service.config import ServerConfig
from tarocchi_solver.service.metrics import Metrics
from tarocchi_solver.service.pools import Priority, SearchPools
from tarocchi_solver.service.rules_service import RulesServicer
from tarocchi_solver.service.server import SolverServer

TINY = 1
"""Iterations: no more than the minimum of a search."""
BUSY_FOR_LONG = Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL", 60.0)


def referee(stage: Stage = Stage.READY) -> RulesServicer:
    """Returns a rules service that needs no solver."""
    readiness = Readiness()
    readiness.move_to(stage)
    metrics = Metrics((), (priority.label for priority in Priority), is_ready=lambda: True)
    return RulesServicer(readiness, SearchPools(ServerConfig(), {}, metrics))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_deal_is_played_from_its_json_alone(client: SolverClient, name: str) -> None:
    kept = Table.open(client, name, seed=5).to_json()
    moves = 0
    while not (table := Table.from_json(client, kept)).is_over:
        assert table.score is None
        turn = table.turn
        for _ in range(7):
            if table.is_over:
                break
            made = table.bot_move(iterations=TINY, seed=moves)
            assert (made.seat, made.is_fallback) == (turn, False)
            assert made.answer is not None
            assert made.move == made.answer.move
            turn = table.turn
            moves += 1
        assert Table.from_json(client, kept).events == table.events[: len(Table.from_json(client, kept).events)]
        kept = table.to_json()
    assert table.score is not None
    assert table.progress is not None
    assert table.is_match_over == table.progress.finished
    assert table.to_json() == kept
    assert not table.legal_moves()
    assert (table.phase, table.turn) == (deal_pb2.PHASE_END, None)


def test_what_is_kept_is_what_the_command_line_replays(client: SolverClient) -> None:
    table = Table.open(client, "bolognese", seed=1)
    table.play_bots(range(4), iterations=TINY)
    assert table.score is not None
    printed = CliRunner().invoke(app, ["replay", "-", "--json"], input=table.to_json())
    assert printed.exit_code == 0, printed.output
    assert json.loads(printed.stdout)["score"]["awards"] == list(table.score.awards)


def test_a_person_and_bots_play_in_turn(client: SolverClient) -> None:
    draw = random.Random(1)
    table = Table.open(client, "piedicavallo", seed=2, dealer=3)
    made: list[BotMove] = []
    while not table.is_over:
        made += table.play_bots({1, 2, 3}, iterations=TINY)
        if not table.is_over:
            assert table.turn == 0
            assert table.observation(0).seat == 0
            move = draw.choice(table.legal_moves())
            assert not move.play.card or move.play.card in table.hand(0)
            table.play(move, seat=0)
    assert {entry.seat for entry in made} == {1, 2, 3}
    assert len(made) == len(table.events) - 15


def test_a_match_is_played_through(client: SolverClient) -> None:
    table = Table.open(client, "piedicavallo", seed=11, options={"match": "four_deals"})
    dealers, awards = [table.deal.dealer], []
    while True:
        while not table.is_over:
            table.play(safe_move(table.view))
        assert table.score is not None
        awards.append(list(table.score.awards))
        if table.is_match_over:
            break
        table = table.next_deal(seed=len(dealers))
        dealers.append(table.deal.dealer)
    assert dealers == [(dealers[0] + step) % 4 for step in range(4)]
    assert table.progress is not None
    assert list(table.progress.standing.scores) == [sum(column) for column in zip(*awards, strict=True)]
    with pytest.raises(InvalidCallError, match="the match is over: open another table"):
        table.next_deal()


def test_both_kinds_of_tables_play_the_same(server: SolverServer, client: SolverClient) -> None:
    async def main() -> tuple[str, str]:
        async with AsyncSolverClient(server.address) as own:
            table = await AsyncTable.open(own, "terziglio", seed=4, options={"deals": "3"})
            while not table.is_over:
                await table.bot_move(iterations=TINY, seed=len(table.events))
            restored = await AsyncTable.from_json(own, table.to_json())
            assert restored.view == table.view
            return table.to_json(), (await table.next_deal(seed=1)).to_json()

    table = Table.open(client, "terziglio", seed=4, options={"deals": "3"})
    while not table.is_over:
        table.bot_move(iterations=TINY, seed=len(table.events))
    assert asyncio.run(main()) == (table.to_json(), table.next_deal(seed=1).to_json())


# --- what is refused leaves the table as it was


def test_an_illegal_move_is_refused(client: SolverClient) -> None:
    table = Table.open(client, "bolognese", seed=1, dealer=0)
    table.play(table.legal_moves()[0])
    kept = table.to_json()
    assert table.turn == 1
    other = table.hand(2)[0]
    with pytest.raises(InvalidRequestError) as caught:
        table.play({"play": {"card": other}})
    assert caught.value.violations[0].reason == "CARD_NOT_IN_HAND"
    own = table.hand(1)[0]
    with pytest.raises(InvalidRequestError) as caught:
        table.play({"play": {"card": own}}, seat=2)
    assert caught.value.violations[0].reason == "OUT_OF_TURN"
    assert table.to_json() == kept


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda table: table.play(5), "move: an object in braces is needed, not 5"),
        (lambda table: table.play({}), "move: no kind of move is set: give one, such as"),
        (lambda table: table.play({"play": {"card": 5}}), "move.play.card: a text in quotation marks is needed"),
        (lambda table: table.play({"play": {"card": "SK"}}, seat=4), "seat: there is no seat 4: give 0 to 3"),
        (lambda table: table.observation(-1), "seat: there is no seat -1: give 0 to 3"),
        (lambda table: table.hand(True), "seat: there is no seat True: give 0 to 3"),
        (lambda table: table.play_bots([0, 7]), "seat: there is no seat 7: give 0 to 3"),
        (lambda table: table.bot_move(level="mighty"), "level: one of LEVEL_BEGINNER"),
        (lambda table: table.next_deal(), "the deal is not over: play it to its end before the next one"),
        (lambda table: Table.from_json(table._client, "{"), "table: this is no JSON:"),
        (lambda table: Table.from_json(table._client, "[]"), "table: an object in braces is needed, not []"),
    ],
)
def test_what_is_no_move_is_told(client: SolverClient, work: Callable[[Table], object], message: str) -> None:
    table = Table.open(client, "bolognese", seed=1, dealer=0)
    with pytest.raises(InvalidCallError) as caught:
        work(table)
    assert caught.value.message.startswith(message)
    assert table.events == []


def test_after_the_end_nobody_moves(client: SolverClient) -> None:
    table = Table.open(client, "bolognese", seed=1)
    while not table.is_over:
        table.play(safe_move(table.view))
    for work in (table.bot_move, lambda: table.play({"play": {"card": "SK"}})):
        with pytest.raises(InvalidCallError, match="the deal is over: go on with next_deal, or open another table"):
            work()
    assert table.play_bots([0, 1, 2, 3]) == []


def test_of_two_moves_at_once_one_is_made(server: SolverServer) -> None:
    async def main() -> list[Any]:
        async with AsyncSolverClient(server.address) as client:
            table = await AsyncTable.open(client, "bolognese", seed=1, dealer=0)
            moves = [table.play(move) for move in table.legal_moves()[:2]]
            found = await asyncio.gather(*moves, return_exceptions=True)
            assert len(table.events) == 1
            return found

    found = asyncio.run(main())
    errors = [entry for entry in found if isinstance(entry, InvalidCallError)]
    assert len(errors) == 1
    assert "another move was made at this table meanwhile" in str(errors[0])


# --- the solver does not answer


def first_turn_with_a_choice(client: SolverClient, name: str) -> Table:
    table = Table.open(client, name, seed=1, dealer=0)
    while len(table.legal_moves()) == 1:
        table.play(table.legal_moves()[0])
    return table


@pytest.mark.parametrize("failure", [ABSENT, BUSY_FOR_LONG, Failure(grpc.StatusCode.INTERNAL, "INTERNAL_ERROR")])
def test_a_fallback_moves_and_says_so(failure: Failure, caplog: pytest.LogCaptureFixture) -> None:
    with serving(ScriptedServer(failure), referee()) as address, SolverClient(address, retry=None) as client:
        table = first_turn_with_a_choice(client, "bolognese")
        expected = safe_move(table.view)
        count = len(table.events)
        with caplog.at_level(logging.WARNING, logger="tarocchi_solver.client"):
            made = table.bot_move(timeout=5)
        assert (made.is_fallback, made.answer, made.move) == (True, None, expected)
        assert made.error is not None
        assert made.error.code is failure.code
        assert len(table.events) == count + 1
    assert "the solver did not answer" in caplog.text


def test_the_solver_is_asked_again_before_the_fallback() -> None:
    scripted = ScriptedServer(ABSENT, ABSENT, BUSY_FOR_LONG)
    with serving(scripted, referee()) as address, SolverClient(address) as client:
        made = first_turn_with_a_choice(client, "bolognese").bot_move()
    assert isinstance(made.error, OverloadedError)
    assert len(scripted.requests) == 3


def test_a_fallback_of_ones_own_is_taken_or_none() -> None:
    def last(view: rules_service_pb2.ReplayDealResponse) -> deal_pb2.Move:
        return view.legal_moves[-1]

    with serving(ScriptedServer(*[ABSENT] * 3), referee()) as address, SolverClient(address, retry=None) as client:
        table = first_turn_with_a_choice(client, "piedicavallo")
        kept, expected = table.to_json(), table.legal_moves()[-1]
        with pytest.raises(UnavailableError):
            table.bot_move(fallback=None)
        assert table.to_json() == kept
        assert table.bot_move(fallback=last).move == expected
        [made] = table.play_bots([1], fallback=last)
        assert made.is_fallback


def test_a_fallback_has_to_be_a_function(client: SolverClient) -> None:
    table = Table.open(client, "bolognese", seed=1)
    for work in (lambda: table.bot_move(fallback="x"), lambda: table.play_bots([0], fallback=5)):
        with pytest.raises(InvalidCallError, match="fallback: a function that is shown the table"):
            work()
    assert not table.events


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (None, "fallback: the function returned no move: move: an object in braces is needed, not null"),
        (5, "fallback: the function returned no move: move: an object in braces is needed, not 5"),
        ({}, "fallback: the function returned no move: move: no kind of move is set"),
        (deal_pb2.Event(), "fallback: the function returned no move: move: Event given where Move is needed"),
        ({"play": {"card": "XX"}}, "fallback: the function chose a move that is not legal: events[0].play.card: 'XX'"),
        ({"play": {"card": "MAT"}}, "fallback: the function chose a move that is not legal: events[0]"),
    ],
)
def test_a_fallback_that_chooses_no_move_is_named(choice: Any, told: str) -> None:
    with serving(ScriptedServer(ABSENT), referee()) as address, SolverClient(address, retry=None) as client:
        table = Table.open(client, "ottocento", seed=1)
        kept = table.to_json()
        with pytest.raises(InvalidCallError) as caught:
            table.bot_move(fallback=lambda view: choice)
        assert caught.value.message.startswith(told)
        assert [fault.field for fault in caught.value.violations] == ["fallback"]
        assert table.to_json() == kept


def test_a_fallback_may_return_json() -> None:
    with serving(ScriptedServer(ABSENT), referee()) as address, SolverClient(address, retry=None) as client:
        table = Table.open(client, "ottocento", seed=1)
        made = table.bot_move(fallback=lambda view: {"monte": {"throwsIn": False}})
        assert made.move == deal_pb2.Move(monte=deal_pb2.Monte(throws_in=False))


def test_every_bot_has_its_level() -> None:
    scripted = ScriptedServer(*[ABSENT] * 4)
    with serving(scripted, referee()) as address, SolverClient(address, retry=None) as client:
        table = Table.open(client, "piedicavallo", seed=1, dealer=3)
        made = table.play_bots({3: "beginner", 0: "LEVEL_EXPERT", 1: None}, level="club")
    assert [entry.seat for entry in made] == [3, 0, 1]
    names = [solver_service_pb2.Level.Name(request.level) for request in scripted.requests]
    assert names == ["LEVEL_BEGINNER", "LEVEL_EXPERT", "LEVEL_CLUB"]


def test_a_fault_of_the_caller_is_no_case_for_the_fallback() -> None:
    refused = Failure(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    with serving(ScriptedServer(refused), referee()) as address, SolverClient(address) as client:
        table = first_turn_with_a_choice(client, "bolognese")
        kept = table.to_json()
        with pytest.raises(InvalidRequestError):
            table.bot_move()
        assert table.to_json() == kept


def test_without_a_referee_the_table_stays_as_it_was(client: SolverClient) -> None:
    kept = Table.open(client, "bolognese", seed=1)
    with serving(ScriptedServer(BUSY), referee(Stage.DRAINING)) as address, SolverClient(address, retry=None) as own:
        table = Table(own, kept._position)
        for work in (table.bot_move, lambda: table.play(table.legal_moves()[0])):
            with pytest.raises(SolverError):
                work()
    assert table.to_json() == kept.to_json()


@pytest.mark.parametrize("name", VARIANTS)
def test_safe_moves_are_legal_and_bold_nowhere(client: SolverClient, name: str) -> None:
    variant = next(entry for entry in client.list_variants().variants if entry.name == name)
    cards = {card.id: card for card in variant.pack.cards}
    table = Table.open(client, name, seed=3)
    while not table.is_over:
        move = safe_move(table.view)
        assert move in table.legal_moves()
        if move.play.card:
            others = [cards[other.play.card] for other in table.legal_moves()]
            card = cards[move.play.card]
            assert card.strength == min(other.strength for other in others if other.suit == card.suit)
        assert not move.monte.throws_in
        assert move.bid.call in (deal_pb2.CALL_UNSPECIFIED, deal_pb2.CALL_PASS)
        assert move.play.signal == deal_pb2.SIGNAL_UNSPECIFIED
        table.play(move)
