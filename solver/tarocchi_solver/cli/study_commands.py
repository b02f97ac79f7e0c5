"""The commands for study: analyze, beliefs and review."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from tarocchi_solver.cli.inputs import plainly, read_replay, read_request, refusals_as_input_errors
from tarocchi_solver.cli.options import (
    AsJson,
    Ca,
    Certificate,
    Iterations,
    Key,
    Seed,
    Server,
    Source,
    Threads,
    TimeMs,
    Tls,
    TokenFile,
    Worlds,
    budget_message,
    print_json,
    variant_named,
)
from tarocchi_solver.cli.remote import asking, read_access
from tarocchi_solver.cli.waiting import Waiting

if TYPE_CHECKING:
    from tarocchi.solver.v1 import review_service_pb2, rules_service_pb2, solver_service_pb2

_INTERVAL_MS: Final = 100
_LOADING: Final = "Loading the solver (on first use it is compiled)"


@plainly
def analyze(
    source: Source,
    time_ms: TimeMs = None,
    iterations: Iterations = None,
    worlds: Worlds = None,
    seed: Seed = None,
    threads: Threads = None,
    server: Server = None,
    token_file: TokenFile = None,
    tls: Tls = False,
    ca: Ca = None,
    certificate: Certificate = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Analyze the position in FILE until Ctrl-C or a cap; a table shows what is known so far.

    With --json every snapshot is one line.
    """
    from tarocchi.solver.v1 import solver_service_pb2 as pb

    asked = read_request(source)
    request = pb.AnalyzePositionRequest(observation=asked.observation, budget=asked.budget)
    if seed is not None or asked.HasField("seed"):
        request.seed = asked.seed if seed is None else seed
    if (worlds, iterations, time_ms) != (None, None, None):
        request.budget.CopyFrom(budget_message(worlds, iterations, time_ms))
    access = read_access(server, threads, token_file, tls, ca, certificate, key)
    if access is not None:
        with asking(access, source) as client:
            variant = variant_named(client.list_variants(), request.observation.variant)
            with client.analyze(request.observation, **_caps(request), interval_ms=_INTERVAL_MS) as answers:
                _show_analysis(answers, request, variant, as_json)
        return
    with Waiting(_LOADING), refusals_as_input_errors(source):
        from tarocchi_solver.service.answers import variants_answer
        from tarocchi_solver.service.questions import read_analysis
        from tarocchi_solver.service.searching import analyze_here

        question, _interval = read_analysis(request)
    with refusals_as_input_errors(source):
        found = analyze_here(question, threads or os.cpu_count() or 1)
        _show_analysis(found, request, variant_named(variants_answer(), request.observation.variant), as_json)


def _show_analysis(
    answers: Iterator[solver_service_pb2.AnalyzePositionResponse],
    request: solver_service_pb2.AnalyzePositionRequest,
    variant: rules_service_pb2.Variant,
    as_json: bool,
) -> None:
    """Shows the answers as they come, the last one for good; Ctrl-C ends them."""
    from tarocchi_solver.cli.live import show_live
    from tarocchi_solver.cli.tables import print_position

    if as_json:
        for answer in answers:
            print_json(answer, in_one_line=True)
        return
    console = Console()
    first = next(answers)
    in_match = first.recommendation.moves[0].HasField("match_win_probability")
    print_position(console, request.observation, variant, in_match=in_match)
    show_live(console, first, answers, variant)


@plainly
def beliefs(
    source: Source,
    seed: Seed = None,
    server: Server = None,
    token_file: TokenFile = None,
    tls: Tls = False,
    ca: Ca = None,
    certificate: Certificate = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Tell where each card may lie that the seat whose observation FILE holds does not see."""
    from tarocchi.solver.v1 import solver_service_pb2 as pb
    from tarocchi_solver.cli.study_tables import print_beliefs

    asked = read_request(source)
    request = pb.GetBeliefsRequest(observation=asked.observation)
    if seed is not None or asked.HasField("seed"):
        request.seed = asked.seed if seed is None else seed
    access = read_access(server, None, token_file, tls, ca, certificate, key)
    if access is not None:
        with asking(access, source) as client, Waiting(f"Asking {access.address}"):
            answer = client.get_beliefs(request.observation, seed=_seed_of(request))
    else:
        with Waiting(_LOADING), refusals_as_input_errors(source):
            from tarocchi_solver.service.searching import beliefs_here

            answer = beliefs_here(request)
    if as_json:
        print_json(answer)
    else:
        print_beliefs(Console(), request.observation, answer)


@plainly
def review(
    source: Source,
    seats: Annotated[
        list[int] | None, typer.Option("--seat", help="Review this seat only; may be given several times.")
    ] = None,
    iterations: Iterations = None,
    worlds: Worlds = None,
    time_ms: TimeMs = None,
    seed: Seed = None,
    threads: Threads = None,
    server: Server = None,
    token_file: TokenFile = None,
    tls: Tls = False,
    ca: Ca = None,
    certificate: Certificate = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Review the finished deal that FILE holds: what each move cost, and what was luck.

    The caps are those of each decision. With --json every part is one line.
    """
    from tarocchi.solver.v1 import review_service_pb2 as pb

    replayed = read_replay(source)
    budget = budget_message(worlds, iterations, time_ms)
    request = pb.ReviewDealRequest(deal=replayed.deal, events=replayed.events, seats=seats, budget=budget, seed=seed)
    access = read_access(server, threads, token_file, tls, ca, certificate, key)
    if access is not None:
        with (
            asking(access, source) as client,
            client.review_deal(request.deal, request.events, seats=request.seats, **_caps(request)) as parts,
        ):
            _show_review(parts, as_json)
        return
    with Waiting(_LOADING), refusals_as_input_errors(source):
        from tarocchi_solver.search import DEFAULT_BUDGET
        from tarocchi_solver.service.review_service import read_review, review_here

        question = read_review(request, DEFAULT_BUDGET)
    with refusals_as_input_errors(source):
        _show_review(review_here(question, threads or os.cpu_count() or 1), as_json)


def _show_review(parts: Iterator[review_service_pb2.ReviewDealResponse], as_json: bool) -> None:
    from tarocchi_solver.cli.study_tables import print_review

    if as_json:
        for part in parts:
            print_json(part, in_one_line=True)
        return
    found = []
    with Waiting("Reviewing") as waiting:
        for part in parts:
            found.append(part)
            waiting.update(f"Reviewing: {len(found)} decisions")
    print_review(Console(), found)


def _caps(request: solver_service_pb2.AnalyzePositionRequest | review_service_pb2.ReviewDealRequest) -> dict[str, Any]:
    """Returns the budget and the seed of a request as the arguments of a client."""
    budget = request.budget
    return {
        "worlds": budget.worlds if budget.HasField("worlds") else None,
        "iterations": budget.iterations if budget.HasField("iterations") else None,
        "time_ms": budget.duration.ToNanoseconds() / 1e6 if budget.HasField("duration") else None,
        "seed": _seed_of(request),
    }


def _seed_of(
    request: solver_service_pb2.AnalyzePositionRequest
    | solver_service_pb2.GetBeliefsRequest
    | review_service_pb2.ReviewDealRequest,
) -> int | None:
    return request.seed if request.HasField("seed") else None
