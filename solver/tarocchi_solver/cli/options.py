"""Arguments and options that several commands share, and how an answer is printed as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tarocchi_solver.cli.inputs import InputError

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tarocchi.solver.v1 import deal_pb2, rules_service_pb2, solver_service_pb2

MAX_SEED = (1 << 64) - 1
MAX_CAP = (1 << 31) - 1

Source = Annotated[str, typer.Argument(metavar="FILE|-", help="A JSON file, or - for standard input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Seed = Annotated[int | None, typer.Option(min=0, max=MAX_SEED, help="Seed of the random numbers; drawn if left out.")]
Iterations = Annotated[int | None, typer.Option(min=1, max=MAX_CAP, help="Cap on iterations over all worlds.")]
Worlds = Annotated[int | None, typer.Option(min=1, max=MAX_CAP, help="Cap on sampled worlds.")]
TimeMs = Annotated[int | None, typer.Option(min=1, max=MAX_CAP, help="Cap on the time, in milliseconds.")]
Threads = Annotated[int | None, typer.Option(min=1, max=1024, help="Threads; by default one for each core.")]
Server = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Ask this server instead.")]
LevelName = Annotated[
    str | None, typer.Option("--level", metavar="NAME", help="beginner, casual, club, expert or master; no caps then.")
]
TokenFile = Annotated[Path | None, typer.Option(metavar="FILE", help="The token for the server, alone in a file.")]
Tls = Annotated[bool, typer.Option("--tls", help="Encrypt, with the roots of the system or those of --ca.")]
Ca = Annotated[Path | None, typer.Option(metavar="FILE", help="Roots of the server's certificate; encrypts.")]
Certificate = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The client's own certificate, if asked for; encrypts.")
]
Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The key of --certificate.")]
RuleOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A rule option, see `variants`; may be given several times."),
]
Scores = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="Scores of the match before the deal, of each side or seat: 640,715."),
]
DealsPlayed = Annotated[int | None, typer.Option(min=0, help="Deals of the match before this one.")]


def budget_message(worlds: int | None, iterations: int | None, time_ms: int | None) -> solver_service_pb2.Budget:
    """Returns the caps given on the command line."""
    from tarocchi.solver.v1 import solver_service_pb2

    budget = solver_service_pb2.Budget(worlds=worlds, iterations=iterations)
    if time_ms is not None:
        budget.duration.FromMilliseconds(time_ms)
    return budget


def level_number(name: str) -> solver_service_pb2.Level:
    """Returns the number of a level named on the command line."""
    from tarocchi.solver.v1 import solver_service_pb2

    known = [label.removeprefix("LEVEL_").lower() for label in solver_service_pb2.Level.keys()[1:]]
    if name.lower() not in known:
        raise InputError(f"--level: {name!r} is no level: give {', '.join(known)}")
    return cast("solver_service_pb2.Level", solver_service_pb2.Level.Value(f"LEVEL_{name.upper()}"))


def read_standing(scores: str | None, deals_played: int | None) -> deal_pb2.MatchStanding | None:
    """Returns the match before a deal as given on the command line; the engine knows which there can be."""
    from tarocchi.solver.v1 import deal_pb2

    if scores is None and deals_played is None:
        return None
    try:
        numbers = [float(number) for number in scores.split(",")] if scores else []
    except ValueError as error:
        raise InputError(f"--scores: {scores!r} are no numbers: write them with commas, such as 640,715") from error
    if deals_played is not None and deals_played > MAX_CAP:
        raise InputError(f"--deals-played: {deals_played} deals are too many for a match")
    return deal_pb2.MatchStanding(scores=numbers, deals_played=deals_played)


def read_rule_options(given: list[str] | None) -> dict[str, str]:
    """Returns the rule options given on the command line by name; the engine knows which there are."""
    options: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--option: {text!r} is no rule option: write NAME=VALUE, such as match=four_deals")
        if name in options:
            raise InputError(f"--option: {name} is given twice")
        options[name] = value
    return options


def variant_named(answer: rules_service_pb2.ListVariantsResponse, name: str) -> rules_service_pb2.Variant:
    """Returns the variant of a name that an answer about all of them has."""
    return next(variant for variant in answer.variants if variant.name == name)


def print_json(message: Message, *, in_one_line: bool = False) -> None:
    """Prints a message in the canonical JSON form, zeros and empty lists included, in the order of the contract."""
    from google.protobuf import json_format

    value = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    indent = None if in_one_line else 2
    typer.echo(json.dumps(_in_order(message.DESCRIPTOR, value), indent=indent, ensure_ascii=False))


def _in_order(kind: Any, value: dict[str, Any]) -> dict[str, Any]:
    """Returns the JSON form of a message with its fields in the order of their declaration, maps in that of keys."""
    from tarocchi_solver.client.json_form import map_value

    ordered = {}
    for field in kind.fields:
        if field.json_name not in value:
            continue
        inner = value[field.json_name]
        if map_value(field) is not None:
            inner = dict(sorted(inner.items()))
        elif field.message_type is not None and isinstance(inner, list):
            inner = [_in_order(field.message_type, entry) for entry in inner]
        elif field.message_type is not None and isinstance(inner, dict):
            inner = _in_order(field.message_type, inner)
        ordered[field.json_name] = inner
    return ordered
