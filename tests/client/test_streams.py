"""Streams of both clients: closed at any time, which ends the server's work; tried again only before any response."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import grpc
import pytest

from client_support import ABSENT, BUSY, DOORS, Clock, Failure, ScriptedServer, serving, through
from service_support import wait_for
from tarocchi_solver.client import (
    AsyncSolverClient,
    CancelledError,
    InvalidCallError,
    InvalidRequestError,
    PendingCall,
    RetryPolicy,
    SolverClient,
    SolverError,
    UnavailableError,
    calls,
)

OBSERVATION = {"variant": "bolognese", "seat": 0, "dealer": 0}
TOKENS = [None, "0123456789abcdef"]
"""Without encryption a token goes by an interceptor, which hands on a stream of another kind."""


def analyze(client: Any) -> Any:
    return client.analyze(OBSERVATION, interval_ms=50)


async def read_all(analysis: Any) -> list[Any]:
    return [response async for response in analysis]


@pytest.mark.parametrize("door", DOORS)
def test_a_stream_is_read_to_its_end(door: str) -> None:
    scripted = ScriptedServer()
    with serving(scripted) as address:
        responses = through(door, address, analyze)
    assert [response.final for response in responses] == [False, False, True]
    assert scripted.requests[0].interval.ToMilliseconds() == 50
    assert scripted.requests[0].HasField("seed")


@pytest.mark.parametrize("door", DOORS)
def test_a_review_ends_with_its_summary(door: str) -> None:
    scripted = ScriptedServer()
    events = [{"seat": 1, "play": {"card": "SK"}}, {"seat": 2, "play": {"card": "SQ"}}]
    with serving(scripted) as address:
        parts = through(
            door,
            address,
            lambda client: client.review_deal({"variant": "bolognese"}, events, seats=(1, 2), iterations=9, seed=4),
        )
    assert [part.WhichOneof("part") for part in parts] == ["decision", "decision", "summary"]
    request = scripted.requests[0]
    assert (list(request.seats), request.budget.iterations, request.seed) == ([1, 2], 9, 4)
    assert [event.play.card for event in request.events] == ["SK", "SQ"]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("door", DOORS)
def test_a_stream_is_tried_again_before_its_first_response(door: str, token: str | None) -> None:
    scripted, clock = ScriptedServer(ABSENT, BUSY), Clock()
    with serving(scripted) as address:
        responses = through(door, address, analyze, clock, token=token)
    assert len(responses) == 3
    assert 0.05 + 1.1 <= sum(clock.waits) <= 0.1 + 1.2
    assert scripted.requests[0] == scripted.requests[1] == scripted.requests[2]


@pytest.mark.parametrize("door", DOORS)
def test_a_stream_is_not_tried_again_after_its_first_response(door: str) -> None:
    scripted, clock = ScriptedServer([1, ABSENT]), Clock()
    seen: list[Any] = []

    def read(client: SolverClient) -> None:
        seen.extend(analyze(client))

    async def read_async(client: AsyncSolverClient) -> None:
        async for response in analyze(client):
            seen.append(response)  # noqa: PERF401 # what came before the error is looked at

    with serving(scripted) as address, pytest.raises(UnavailableError):
        through(door, address, read if door == "threads" else read_async, clock)
    assert [response.final for response in seen] == [False]
    assert (len(scripted.requests), clock.waits) == (1, [])


@pytest.mark.parametrize("door", DOORS)
def test_the_timeout_holds_for_all_attempts(door: str) -> None:
    scripted, clock = ScriptedServer(*[BUSY] * 50), Clock()
    with serving(scripted) as address, pytest.raises(Exception, match="QUEUE_FULL"):
        through(door, address, lambda client: client.analyze(OBSERVATION, timeout=2.5), clock)
    assert len(scripted.requests) == 3
    assert sum(clock.waits) < 2.5
    assert scripted.remaining[2] <= (2.5 - sum(clock.waits)) * 1.05


@pytest.mark.parametrize("token", TOKENS)
def test_closing_ends_the_servers_work(token: str | None) -> None:
    release = threading.Event()
    scripted = ScriptedServer([1, release, 3])
    try:
        with serving(scripted) as address, SolverClient(address, token=token) as client:
            with analyze(client) as analysis:
                first = next(analysis)
            assert not first.final
            assert scripted.ended.acquire(timeout=5)
            assert list(analysis) == []
    finally:
        release.set()


def test_a_stream_is_closed_from_another_thread_while_it_waits() -> None:
    release = threading.Event()
    scripted = ScriptedServer([1, release, 3])
    seen: list[Any] = []
    try:
        with serving(scripted) as address, SolverClient(address) as client:
            analysis = analyze(client)
            thread = threading.Thread(target=lambda: seen.extend(analysis))
            thread.start()
            wait_for(lambda: bool(scripted.requests))
            analysis.close()
            thread.join(5)
            assert not thread.is_alive()
            assert scripted.ended.acquire(timeout=5)
    finally:
        release.set()


@pytest.mark.parametrize("door", DOORS)
def test_a_stream_is_closed_while_it_waits_for_its_next_attempt(door: str) -> None:
    scripted = ScriptedServer(ABSENT)
    policy = RetryPolicy(first_wait=60, longest_wait=60)
    started = time.monotonic()

    async def main(address: str) -> None:
        async with AsyncSolverClient(address, retry=policy, timeout=None) as client:
            analysis = analyze(client)
            task = asyncio.create_task(read_all(analysis))
            while not scripted.requests:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.05)
            analysis.close()
            assert await task == []

    with serving(scripted) as address:
        if door == "asyncio":
            asyncio.run(main(address))
        else:
            with SolverClient(address, retry=policy, timeout=None) as client:
                analysis = analyze(client)
                thread = threading.Thread(target=lambda: list(analysis))
                thread.start()
                wait_for(lambda: bool(scripted.requests))
                time.sleep(0.05)
                analysis.close()
                thread.join(10)
                assert not thread.is_alive()
    assert time.monotonic() - started < 10
    assert len(scripted.requests) == 1


def test_a_closed_stream_leaves_no_thread_behind() -> None:
    release = threading.Event()
    with serving(ScriptedServer(*[[1, release, 3]] * 5)) as address:
        with SolverClient(address) as client:
            before = set(threading.enumerate())
            for _ in range(3):
                with analyze(client) as analysis:
                    next(analysis)
            forgotten = analyze(client)
            next(forgotten)
            del forgotten
            release.set()
        # those of the server's pool stay to be used again
        wait_for(lambda: all(thread.name.startswith("ThreadPool") for thread in set(threading.enumerate()) - before))


@pytest.mark.parametrize("token", TOKENS)
def test_a_cancelled_task_ends_the_servers_work(token: str | None) -> None:
    release = threading.Event()
    scripted = ScriptedServer([1, release, 3], release)

    async def main(address: str) -> None:
        async with AsyncSolverClient(address, token=token) as client:
            seen: list[Any] = []

            async def read() -> None:
                async for response in analyze(client):
                    seen.append(response)  # noqa: PERF401 # the task is cancelled in between

            task = asyncio.create_task(read())
            while not seen:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(scripted.ended.acquire, timeout=5)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await client.recommend_move(OBSERVATION)

    try:
        with serving(scripted) as address:
            asyncio.run(main(address))
    finally:
        release.set()


@pytest.mark.parametrize("token", TOKENS)
def test_a_stream_is_closed_from_another_task_while_it_waits(token: str | None) -> None:
    release = threading.Event()
    scripted = ScriptedServer([1, release, 3])

    async def main(address: str) -> list[Any]:
        async with AsyncSolverClient(address, token=token) as client, analyze(client) as analysis:
            seen: list[Any] = []

            async def read() -> None:
                async for response in analysis:
                    seen.append(response)  # noqa: PERF401 # it is closed in between

            task = asyncio.create_task(read())
            while not seen:
                await asyncio.sleep(0.001)
            analysis.close()
            await asyncio.wait_for(task, 5)
            assert await asyncio.to_thread(scripted.ended.acquire, timeout=5)
            return seen

    try:
        with serving(scripted) as address:
            assert len(asyncio.run(main(address))) == 1
    finally:
        release.set()


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("work", [analyze, lambda client: client.recommend_move(OBSERVATION)], ids=["stream", "call"])
def test_closing_the_client_ends_what_runs_with_the_same_error(door: str, work: Any, token: str | None) -> None:
    release = threading.Event()
    scripted = ScriptedServer([release] if work is analyze else release)
    errors: list[BaseException] = []

    def run(client: SolverClient) -> None:
        try:
            list(work(client)) if work is analyze else work(client)
        except SolverError as error:
            errors.append(error)

    async def main(address: str) -> None:
        client = AsyncSolverClient(address, token=token)
        task = asyncio.ensure_future(read_all(work(client)) if work is analyze else work(client))
        while not scripted.requests:
            await asyncio.sleep(0.001)
        await client.close()
        with pytest.raises(SolverError) as caught:
            await asyncio.wait_for(task, 5)
        errors.append(caught.value)

    try:
        with serving(scripted) as address:
            if door == "asyncio":
                asyncio.run(main(address))
            else:
                client = SolverClient(address, token=token)
                thread = threading.Thread(target=run, args=(client,))
                thread.start()
                wait_for(lambda: bool(scripted.requests))
                client.close()
                thread.join(5)
    finally:
        release.set()
    (error,) = errors
    assert (type(error), str(error)) == (InvalidCallError, "the client is closed: open another one")


@pytest.mark.parametrize("token", TOKENS)
def test_a_call_is_cancelled_from_another_thread(token: str | None) -> None:
    release = threading.Event()
    scripted = ScriptedServer(release)
    errors: list[SolverError] = []

    def wait(pending: PendingCall[Any]) -> None:
        try:
            pending.result()
        except SolverError as error:
            errors.append(error)

    try:
        with serving(scripted) as address, SolverClient(address, token=token) as client:
            pending = client.begin(calls.recommend_move(OBSERVATION))
            threads = [threading.Thread(target=wait, args=(pending,)) for _ in range(2)]
            for thread in threads:
                thread.start()
            wait_for(lambda: bool(scripted.requests))
            pending.cancel()
            for thread in threads:
                thread.join(5)
                assert not thread.is_alive()
            assert scripted.calls_ended.acquire(timeout=5)
    finally:
        release.set()
    assert [type(error) for error in errors] == [CancelledError] * 2
    assert str(errors[0]) == "the call was cancelled by its caller"


def test_a_call_that_is_begun_is_a_call_like_any_other() -> None:
    scripted = ScriptedServer(ABSENT, BUSY)
    with serving(scripted) as address, SolverClient(address) as client:
        clock = Clock()
        client._now, client._sleep = clock.now, clock.sleep
        pending = client.begin(calls.recommend_move(OBSERVATION, seed=7))
        answer = pending.result()
        assert answer.diagnostics.seed == 7
        pending.cancel()
        assert pending.result() is answer
        assert len(scripted.requests) == 3
        scripted.script.append(Failure(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST"))
        refused = client.begin(calls.recommend_move(OBSERVATION))
        for _ in range(2):
            with pytest.raises(InvalidRequestError):
                refused.result()
        with pytest.raises(TypeError, match="a Call that a function of"):
            client.begin(calls.analyze(OBSERVATION))  # type: ignore[arg-type]
