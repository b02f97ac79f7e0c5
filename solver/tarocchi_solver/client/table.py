"""Tables for threads and for event loops: a deal and its moves, kept and played on with one call for each decision."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

from tarocchi.solver.v1 import deal_pb2
from tarocchi_solver.client import table_core as core
from tarocchi_solver.client.aio import AsyncSolverClient
from tarocchi_solver.client.calls import Json
from tarocchi_solver.client.client import SolverClient
from tarocchi_solver.client.errors import SolverError
from tarocchi_solver.client.methods import described_as
from tarocchi_solver.client.table_core import Position, Steps, TableCore

P = ParamSpec("P")
T = TypeVar("T")


def drive(client: SolverClient, steps: Steps[T]) -> T:
    """Makes the calls of a step and returns its result."""
    try:
        call = next(steps)
        while True:
            try:
                answer = client.send(call)
            except SolverError as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


async def drive_async(client: AsyncSolverClient, steps: Steps[T]) -> T:
    """Does as `drive`, in an event loop."""
    try:
        call = next(steps)
        while True:
            try:
                answer = await client.send(call)
            except SolverError as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


def _done(step: Callable[Concatenate[TableCore, P], Steps[T]]) -> Callable[Concatenate[Table, P], T]:
    @described_as(step)
    def method(self: Table, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return drive(self._client, step(self, *args, **kwargs))

    return method


def _done_async(
    step: Callable[Concatenate[TableCore, P], Steps[T]],
) -> Callable[Concatenate[AsyncTable, P], Coroutine[Any, Any, T]]:
    @described_as(step)
    def method(self: AsyncTable, /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, T]:
        return drive_async(self._client, step(self, *args, **kwargs))

    return method


class Table(TableCore):
    """A deal that is played through a `SolverClient`, and the next ones of its match.

    Nothing of it lives on the server. Keep `to_json()` after every move, and `from_json` puts the table up again.
    """

    play = _done(core.play)
    bot_move = _done(core.bot_move)
    play_bots = _done(core.play_bots)

    def __init__(self, client: SolverClient, position: Position) -> None:
        """Holds a deal as it stands; `open` and `from_json` make one."""
        super().__init__(position)
        self._client = client

    @classmethod
    def open(
        cls,
        client: SolverClient,
        variant: str,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        options: Mapping[str, str] | None = None,
        standing: deal_pb2.MatchStanding | Json | None = None,
    ) -> Table:
        """Deals cards; arguments and errors as of `SolverClient.new_deal`."""
        return cls(client, drive(client, core.open_deal(variant, seed, dealer, options, standing)))

    @classmethod
    def from_json(cls, client: SolverClient, text: str | bytes) -> Table:
        """Puts a table up again from what `to_json` gave; raises `SolverError` if that never happened."""
        return cls(client, drive(client, core.from_json(text)))

    def next_deal(self, seed: int | None = None) -> Table:
        """Returns the table of the next deal of the match, dealt by the next dealer.

        Raises:
            InvalidCallError: the deal is not over yet, or the match is.
        """
        return Table(self._client, drive(self._client, core.next_position(self, seed)))


class AsyncTable(TableCore):
    """A deal that is played through an `AsyncSolverClient`: as `Table`, to be awaited."""

    play = _done_async(core.play)
    bot_move = _done_async(core.bot_move)
    play_bots = _done_async(core.play_bots)

    def __init__(self, client: AsyncSolverClient, position: Position) -> None:
        """Holds a deal as it stands; `open` and `from_json` make one."""
        super().__init__(position)
        self._client = client

    @classmethod
    async def open(
        cls,
        client: AsyncSolverClient,
        variant: str,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        options: Mapping[str, str] | None = None,
        standing: deal_pb2.MatchStanding | Json | None = None,
    ) -> AsyncTable:
        """Deals cards; arguments and errors as of `SolverClient.new_deal`."""
        return cls(client, await drive_async(client, core.open_deal(variant, seed, dealer, options, standing)))

    @classmethod
    async def from_json(cls, client: AsyncSolverClient, text: str | bytes) -> AsyncTable:
        """Puts a table up again from what `to_json` gave; raises `SolverError` if that never happened."""
        return cls(client, await drive_async(client, core.from_json(text)))

    async def next_deal(self, seed: int | None = None) -> AsyncTable:
        """Returns the table of the next deal of the match; errors as of `Table.next_deal`."""
        return AsyncTable(self._client, await drive_async(self._client, core.next_position(self, seed)))
