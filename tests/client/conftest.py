"""One real server for the tests of tables and of both clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service_support import running
from tarocchi_solver.client import SolverClient
from tarocchi_solver.service.server import SolverServer


@pytest.fixture(scope="session")
def shared() -> Iterator[tuple[SolverServer, SolverClient]]:
    with running(concurrent_searches=2, search_threads=1) as pair:
        yield pair


@pytest.fixture
def server(shared: tuple[SolverServer, SolverClient]) -> SolverServer:
    return shared[0]


@pytest.fixture
def client(shared: tuple[SolverServer, SolverClient]) -> SolverClient:
    return shared[1]
