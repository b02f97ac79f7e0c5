"""The commands about the rules: variants, deal, legal, replay and conformance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tarocchi_solver.cli.inputs import (
    FAILURE,
    InputError,
    plainly,
    read_replay,
    read_request,
    refusals_as_input_errors,
)
from tarocchi_solver.cli.options import (
    MAX_CAP,
    AsJson,
    DealsPlayed,
    RuleOptions,
    Scores,
    Seed,
    Source,
    print_json,
    read_rule_options,
    read_standing,
)
from tarocchi_solver.cli.waiting import Waiting

if TYPE_CHECKING:
    from tarocchi_engine.conformance import CaseResult

LOADING = "Loading the rules (on first use they are compiled)"


@plainly
def variants(as_json: AsJson = False) -> None:
    """List the variants and their rule options."""
    from tarocchi_solver.cli.tables import print_variants

    with Waiting(LOADING):
        from tarocchi_solver.service.answers import variants_answer

        answer = variants_answer()
    if as_json:
        print_json(answer)
    else:
        print_variants(Console(), answer)


@plainly
def deal(
    variant: Annotated[str, typer.Argument(help="Name of the variant, such as bolognese.")],
    seed: Seed = None,
    dealer: Annotated[
        int | None, typer.Option(help="The seat that deals, from 0; the seed draws it if left out.")
    ] = None,
    option: RuleOptions = None,
    scores: Scores = None,
    deals_played: DealsPlayed = None,
    seat: Annotated[int | None, typer.Option(help="Print only what this seat, from 0, sees.")] = None,
    as_json: AsJson = False,
) -> None:
    """Shuffle and deal a pack."""
    from tarocchi.solver.v1 import rules_service_pb2 as pb
    from tarocchi_solver.cli.tables import print_deal

    options = read_rule_options(option)
    standing = read_standing(scores, deals_played)
    with Waiting(LOADING), refusals_as_input_errors(""):
        from tarocchi_solver.service.answers import variants_answer
        from tarocchi_solver.service.rules_service import new_deal_of, replay_deal

        known = next((entry for entry in variants_answer().variants if entry.name == variant), pb.Variant())
        if dealer is not None and known.name and not 0 <= dealer <= MAX_CAP:
            raise InputError(f"dealer: there is no seat {dealer}: seats are 0 to {known.seat_count - 1}")
        request = pb.NewDealRequest(variant=variant, seed=seed, options=options, standing=standing)
        if dealer is not None and known.name:
            request.dealer = dealer
        answer = new_deal_of(request)
        start = replay_deal(pb.ReplayDealRequest(deal=answer.deal))
    if seat is None:
        if as_json:
            print_json(answer)
        else:
            print_deal(Console(), answer.deal, known)
        return
    if not 0 <= seat < len(start.observations):
        raise InputError(f"seat: there is no seat {seat}: seats are 0 to {len(start.observations) - 1}")
    print_json(start.observations[seat])


@plainly
def legal(source: Source, as_json: AsJson = False) -> None:
    """List the legal moves of the seat whose observation FILE holds."""
    from tarocchi.solver.v1 import rules_service_pb2 as pb
    from tarocchi_solver.cli.tables import print_legal_moves

    observation = read_request(source).observation
    with Waiting(LOADING), refusals_as_input_errors(source):
        from tarocchi_solver.service.rules_service import list_legal_moves

        answer = list_legal_moves(pb.ListLegalMovesRequest(observation=observation))
    if as_json:
        print_json(answer)
    else:
        print_legal_moves(Console(), answer, observation.seat)


@plainly
def replay(source: Source, as_json: AsJson = False) -> None:
    """Play the whole deal that FILE holds and count it."""
    from tarocchi_solver.cli.replay_tables import print_replay

    request = read_replay(source)
    with Waiting(LOADING), refusals_as_input_errors(source):
        from tarocchi_solver.service.rules_service import replay_deal

        answer = replay_deal(request)
    if as_json:
        print_json(answer)
    else:
        print_replay(Console(), answer)


@plainly
def conformance(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Files of cases, one JSON object a line.")
    ] = None,
) -> None:
    """Check the engine against worked cases of the rules; without FILE against those that come with it."""
    with Waiting("Working through the cases"):
        from tarocchi_engine.conformance import shipped_case_files

        results = [result for path in files or shipped_case_files() for result in _run_cases(path)]
    counts = {"passed": 0, "failed": 0, "unsupported": 0}
    for result in results:
        counts[result.status] += 1
        if result.status == "failed" or (result.status == "unsupported" and files):
            typer.echo(f"{result.status} {result.id} ({result.kind}): {result.message}")
    if files:
        typer.echo(", ".join(f"{count} {status}" for status, count in counts.items()))
    else:
        others = counts["unsupported"]
        more = f"; {others} more belong to games or conventions that this version does not play" if others else ""
        typer.echo(f"{counts['passed']} passed, {counts['failed']} failed{more}")
    if counts["failed"] or (counts["unsupported"] and files):
        raise typer.Exit(FAILURE)


def _run_cases(path: Path) -> list[CaseResult]:
    """Returns the results of the cases in one file, which has to have some."""
    from tarocchi_engine.conformance import run_cases

    if path.is_dir():
        raise InputError(f"{path}: this is a folder: name the files of cases in it")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    try:
        results = run_cases([path])
    except ValueError as error:  # also bad JSON and bad UTF-8
        raise InputError(str(error)) from error
    if not results:
        raise InputError(f"{path}: no case in it: a file of cases has one JSON object a line")
    return results
