"""The commands that search: recommend and demo."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from tarocchi_solver.cli.inputs import (
    FAILURE,
    WRONG_INPUT,
    InputError,
    fail,
    faults_sentence,
    plainly,
    read_request,
    refusals_as_input_errors,
    source_name,
)
from tarocchi_solver.cli.options import AsJson, Iterations, Seed, Source, TimeMs, Worlds, print_json
from tarocchi_solver.cli.waiting import Waiting

if TYPE_CHECKING:
    from tarocchi.solver.v1 import rules_service_pb2, solver_service_pb2
    from tarocchi_solver.client import SolverClient, SolverError

DEMO_SEED = 1
_START_SECONDS = 300.0


@plainly
def recommend(
    source: Source,
    time_ms: TimeMs = None,
    iterations: Iterations = None,
    worlds: Worlds = None,
    seed: Seed = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="Threads; by default one for each core.")] = None,
    server: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Ask this server instead.")] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The token for the server, alone in a file.")
    ] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Encrypt, with the roots of the system or those of --ca.")] = False,
    ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Roots of the server's certificate; encrypts.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recommend a move to the seat whose observation FILE holds."""
    from tarocchi_solver.cli.tables import print_recommendation

    request = read_request(source)
    if seed is not None:
        request.seed = seed
    if (worlds, iterations, time_ms) != (None, None, None):
        request.ClearField("budget")
        request.budget.MergeFrom(_budget(worlds, iterations, time_ms))
    if server is not None and threads is not None:
        raise InputError("--threads belongs to the server: leave it out together with --server")
    if server is None and (token_file or tls or ca):
        raise InputError("--token-file, --tls and --ca belong to a server: name it with --server, or leave them out")
    if server is not None:
        from tarocchi_solver.client import ClientTls

        access = {
            "token": None if token_file is None else _read_token(token_file),
            "tls": ClientTls(ca=ca) if ca else tls or None,
        }
        answer, variant = _ask_server(server, request, source, access)
    else:
        answer, variant = _search_here(request, source, threads or os.cpu_count() or 1)
    if as_json:
        print_json(answer)
    else:
        print_recommendation(Console(), request.observation, variant, answer)


def _budget(worlds: int | None, iterations: int | None, time_ms: int | None) -> solver_service_pb2.Budget:
    from tarocchi.solver.v1 import solver_service_pb2

    budget = solver_service_pb2.Budget(worlds=worlds, iterations=iterations)
    if time_ms is not None:
        budget.duration.FromMilliseconds(time_ms)
    return budget


Answer = tuple["solver_service_pb2.RecommendMoveResponse", "rules_service_pb2.Variant"]


def _search_here(request: solver_service_pb2.RecommendMoveRequest, source: str, threads: int) -> Answer:
    with Waiting("Loading the solver (on first use it is compiled)"):
        from tarocchi_solver.search import DEFAULT_BUDGET
        from tarocchi_solver.service.answers import recommendation_answer, variants_answer
        from tarocchi_solver.service.solver_service import read_question, run_search

        with refusals_as_input_errors(source):
            question = read_question(request, DEFAULT_BUDGET)
    done = 0
    with Waiting("Searching") as waiting, refusals_as_input_errors(source):

        def progress(count: int) -> None:
            nonlocal done
            done += count
            waiting.update(f"Searching: {done:,} worlds")

        found = run_search(question, threading.Event(), threads=threads, progress=progress)
    variant = next(entry for entry in variants_answer().variants if entry.name == request.observation.variant)
    return recommendation_answer(question.view, found, question.budget), variant


def _read_token(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise InputError(f"--token-file: {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"--token-file: {path} holds no text: write the token into it") from error


def _ask_server(
    address: str, request: solver_service_pb2.RecommendMoveRequest, source: str, access: dict[str, Any]
) -> Answer:
    from tarocchi_solver.client import SolverClient, SolverError

    try:
        client = SolverClient(address, timeout=None, **access)
    except ValueError as error:
        raise InputError(f"--server: {error}") from error
    with client, Waiting(f"Asking {address}"):
        try:
            return _ask(client, request)
        except SolverError as error:
            _report(error, address, source)
            raise typer.Exit(FAILURE) from error


def _ask(client: SolverClient, request: solver_service_pb2.RecommendMoveRequest) -> Answer:
    answer = client.recommend(request)
    variants = client.list_variants().variants
    return answer, next(entry for entry in variants if entry.name == request.observation.variant)


def _report(error: SolverError, address: str, source: str) -> None:
    """Says why a call failed and exits."""
    if error.violations:
        faults = [(violation.field, violation.description) for violation in error.violations]
        fail(faults_sentence(source, faults), WRONG_INPUT)
    if error.code.name == "FAILED_PRECONDITION":
        fail(f"{source_name(source)}: {error.message}", WRONG_INPUT)
    if not error.reason:
        fail(f"no answer from {address}: {error.message}", FAILURE)
    fail(f"{address}: {error.message}", FAILURE)


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
