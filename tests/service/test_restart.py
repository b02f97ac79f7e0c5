"""A server that is killed on the spot and started again: clients go on, and nothing is lost because nothing is kept."""

from __future__ import annotations

import threading
from pathlib import Path

from service_support import SMALL, in_the_middle, observed
from tarocchi_bench.server_process import ServerProcess
from tarocchi_solver.client import RetryPolicy, SolverClient, SolverError, Table, UnavailableError

CLIENTS = 3


def test_clients_go_on_when_a_killed_server_is_back(tmp_path: Path) -> None:
    observation = observed(in_the_middle())
    lost: list[SolverError] = []
    is_over = threading.Event()

    def keep_asking(client: SolverClient) -> None:
        while not is_over.is_set():
            try:
                client.recommend_move(observation, time_ms=50)
            except SolverError as error:
                lost.append(error)

    with ServerProcess(tmp_path, is_warm=False) as server, SolverClient(server.address) as client:
        answer = client.recommend_move(observation, iterations=SMALL, seed=1)
        table = Table.open(client, "bolognese", seed=4)
        moves = [table.bot_move(iterations=SMALL, seed=2).move for _ in range(4)]
        kept, events = table.to_json(), table.events
        # a stream and calls that are cut in the middle
        stream = client.analyze(observation, interval_ms=20, time_ms=20_000)
        next(stream)
        clients = [SolverClient(server.address, retry=RetryPolicy(patience=0.5)) for _ in range(CLIENTS)]
        threads = [threading.Thread(target=keep_asking, args=(each,)) for each in clients]
        for thread in threads:
            thread.start()
        server.kill()
        try:
            table.bot_move(iterations=SMALL, seed=2, fallback=None, timeout=2)
        except UnavailableError:
            assert table.events == events
        else:
            raise AssertionError("a server that was killed answers")
        server.start()
        server.wait_until_serving()
        is_over.set()
        for thread in threads:
            thread.join()
        stream.close()
        # whoever asks from now on is answered, through the channel that it had, and as it was before
        for each in (client, *clients):
            assert each.recommend_move(observation, iterations=SMALL, seed=1) == answer
        assert table.bot_move(iterations=SMALL, seed=2).move
        assert table.events[: len(events)] == events
        assert len(table.events) == len(events) + 1
        again = Table.open(client, "bolognese", seed=4)
        assert [again.bot_move(iterations=SMALL, seed=2).move for _ in range(4)] == moves
        assert Table.from_json(client, kept).events == events
        for each in clients:
            each.close()
        assert "Traceback" not in server.log()
    assert lost, "nobody noticed"
    assert {type(error) for error in lost} == {UnavailableError}
