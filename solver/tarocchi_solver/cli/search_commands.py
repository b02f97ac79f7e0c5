"""The commands that search: recommend and demo."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

from rich.console import Console

from tarocchi_solver.cli.inputs import FAILURE, fail, plainly, read_request, refusals_as_input_errors
from tarocchi_solver.cli.options import (
    AsJson,
    Ca,
    Certificate,
    Iterations,
    Key,
    LevelName,
    Seed,
    Server,
    Source,
    Threads,
    TimeMs,
    Tls,
    TokenFile,
    Worlds,
    budget_message,
    level_number,
    print_json,
    variant_named,
)
from tarocchi_solver.cli.remote import Access, asking, read_access
from tarocchi_solver.cli.waiting import Waiting

if TYPE_CHECKING:
    from tarocchi.solver.v1 import rules_service_pb2, solver_service_pb2
    from tarocchi_solver.client import SolverClient

DEMO_SEED = 1
_START_SECONDS = 600.0


@plainly
def recommend(
    source: Source,
    time_ms: TimeMs = None,
    iterations: Iterations = None,
    worlds: Worlds = None,
    seed: Seed = None,
    level: LevelName = None,
    threads: Threads = None,
    server: Server = None,
    token_file: TokenFile = None,
    tls: Tls = False,
    ca: Ca = None,
    certificate: Certificate = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Recommend a move to the seat whose observation FILE holds."""
    from tarocchi_solver.cli.tables import print_recommendation

    request = read_request(source)
    if seed is not None:
        request.seed = seed
    if (worlds, iterations, time_ms) != (None, None, None):
        request.ClearField("budget")
        request.budget.MergeFrom(budget_message(worlds, iterations, time_ms))
    if level is not None:
        request.level = level_number(level)
    access = read_access(server, threads, token_file, tls, ca, certificate, key)
    if access is not None:
        answer, variant = _ask_server(access, request, source)
    else:
        answer, variant = _search_here(request, source, threads or os.cpu_count() or 1)
    if as_json:
        print_json(answer)
    else:
        print_recommendation(Console(), request.observation, variant, answer)


Answer = tuple["solver_service_pb2.RecommendMoveResponse", "rules_service_pb2.Variant"]


def _search_here(request: solver_service_pb2.RecommendMoveRequest, source: str, threads: int) -> Answer:
    with Waiting("Loading the solver (on first use it is compiled)"):
        from tarocchi_solver.search import DEFAULT_BUDGET
        from tarocchi_solver.service.answers import recommendation_answer, variants_answer
        from tarocchi_solver.service.questions import read_question
        from tarocchi_solver.service.searching import run_search

        with refusals_as_input_errors(source):
            question = read_question(request, DEFAULT_BUDGET)
    done = 0
    with Waiting("Searching") as waiting, refusals_as_input_errors(source):

        def progress(count: int) -> None:
            nonlocal done
            done += count
            waiting.update(f"Searching: {done:,} worlds")

        found = run_search(question, threading.Event(), threads=threads, progress=progress)
    variant = variant_named(variants_answer(), request.observation.variant)
    return recommendation_answer(question.view, found, question.budget), variant


def _ask_server(access: Access, request: solver_service_pb2.RecommendMoveRequest, source: str) -> Answer:
    with asking(access, source) as client, Waiting(f"Asking {access.address}"):
        return _ask(client, request)


def _ask(client: SolverClient, request: solver_service_pb2.RecommendMoveRequest) -> Answer:
    answer = client.recommend(request)
    return answer, variant_named(client.list_variants(), request.observation.variant)


@plainly
def demo(iterations: Iterations = None) -> None:
    """Start the service, ask it for a move in an example of each variant, and stop it."""
    from google.protobuf import json_format

    from tarocchi.solver.v1 import solver_service_pb2
    from tarocchi_solver.cli.tables import print_recommendation
    from tarocchi_solver.client import SolverClient, SolverError
    from tarocchi_solver.examples import OBSERVATIONS, load

    with Waiting("Starting the service (on first use it is compiled)"):
        from tarocchi_solver.service.config import ServerConfig
        from tarocchi_solver.service.server import SolverServer

        server = SolverServer(ServerConfig(address="127.0.0.1:0"))
        server.start()
        is_ready = server.wait_until_ready(_START_SECONDS)
    console = Console()
    try:
        if not is_ready:
            fail("the service did not become healthy", FAILURE)
        with SolverClient(server.address) as client:
            if not client.wait_until_serving(_START_SECONDS):
                fail("the service did not become healthy", FAILURE)
            console.print(f"The service is healthy on {server.address}.\n", highlight=False)
            for name in OBSERVATIONS:
                request = solver_service_pb2.RecommendMoveRequest(seed=DEMO_SEED)
                json_format.ParseDict(json.loads(load(name)), request.observation)
                if iterations is not None:
                    request.budget.iterations = iterations
                with Waiting(f"Asking about {name}"):
                    answer, variant = _ask(client, request)
                print_recommendation(console, request.observation, variant, answer)
                console.print()
    except SolverError as error:
        fail(f"the service did not answer: {error.message}", FAILURE)
    finally:
        server.stop()
    console.print("The service has stopped.")
