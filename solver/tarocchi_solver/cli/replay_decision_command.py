"""The command that makes decisions again from the log of the service."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer
from rich.console import Console

from tarocchi_solver.cli.inputs import FAILURE, InputError, faults_sentence, fill, plainly, refusals_as_input_errors
from tarocchi_solver.cli.waiting import Waiting

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tarocchi.solver.v1 import solver_service_pb2
    from tarocchi_solver.service.replays import LoggedDecision

DECISION: Final = "decision"
_MOST_CHARACTERS: Final = 1 << 20
"""Of one line."""
_MOST: Final = 1_000_000
"""Of worlds and threads."""

V = TypeVar("V", str, int, bool)


@plainly
def replay_decision(
    source: Annotated[
        str,
        typer.Argument(metavar="LOGLINE|FILE|-", help="A line of `serve --log-format json`, or a file of them."),
    ],
) -> None:
    """Make decisions of the service again from its log in JSON, and compare the bytes of the answers.

    Lines about other things are passed over. The exit code is 1 if bytes differ that should be the same.
    """
    console = Console()
    count = failures = 0
    with Waiting("Loading the solver (on first use it is compiled)"):
        from tarocchi_solver.service.replays import is_same, make_again

    for place, logged in _read(source):
        if count:
            console.print()
        count += 1
        with Waiting("Searching"), refusals_as_input_errors(place):
            answer = make_again(logged)
        _print_answer(console, logged, answer)
        same = is_same(logged, answer)
        failures += logged.is_reproducible and not same
        console.print(_verdict(logged, same=same), highlight=False, soft_wrap=True)
    if not count:
        raise InputError(f"{_shown(source)}: there is no decision in it: give lines with the event {DECISION!r}")
    if failures:
        raise typer.Exit(FAILURE)


def _verdict(logged: LoggedDecision, *, same: bool) -> str:
    what = f"{logged.method} {logged.request_id}"
    if same:
        return f"{what}: the same bytes"
    causes = logged.differences()
    if not logged.is_reproducible:
        causes.insert(0, "a clock, or a signal to stop, has ended its search")
    return f"{what}: other bytes: {'; '.join(causes) or 'though version and rules are the same'}"


def _print_answer(console: Console, logged: LoggedDecision, answer: Message) -> None:
    from tarocchi.solver.v1 import review_service_pb2, solver_service_pb2
    from tarocchi_solver.cli.study_tables import print_beliefs
    from tarocchi_solver.cli.tables import print_recommendation
    from tarocchi_solver.cli.wording import move_text
    from tarocchi_solver.service.answers import variants_answer

    if isinstance(answer, review_service_pb2.ReviewDealResponse):
        found = answer.decision
        verdict = review_service_pb2.Verdict.Name(found.verdict).removeprefix("VERDICT_").lower()
        console.print(
            f"Seat {found.seat}, event {found.event_index}: {move_text(found.made.move)}, {verdict}; best is "
            f"{move_text(found.best.move)}, {found.made.difference_to_best:+.2f} to it",
            highlight=False,
        )
        return
    request = logged.request
    assert not isinstance(request, review_service_pb2.ReviewDealRequest)
    if isinstance(answer, solver_service_pb2.GetBeliefsResponse):
        print_beliefs(console, request.observation, answer)
        return
    if isinstance(answer, solver_service_pb2.AnalyzePositionResponse):
        answer = answer.recommendation
    assert isinstance(answer, solver_service_pb2.RecommendMoveResponse)
    variant = next(entry for entry in variants_answer().variants if entry.name == request.observation.variant)
    print_recommendation(console, request.observation, variant, answer)


def _read(source: str) -> Iterator[tuple[str, LoggedDecision]]:
    """Yields the decisions of a source with what messages call their places."""
    if source.lstrip().startswith("{"):
        yield from _decisions([source], "the line")
    elif source == "-":
        yield from _decisions(sys.stdin, "standard input")
    elif not source:
        raise InputError("the name of the file is empty: name a file, or - for standard input")
    else:
        try:
            with Path(source).open(encoding="utf-8", errors="replace") as file:
                yield from _decisions(file, source)
        except OSError as error:
            raise InputError(f"{_shown(source)}: cannot be read: {error.strerror or error}") from error
        except ValueError as error:  # such as a zero byte
            raise InputError(f"{source!r} is no name of a file") from error


def _decisions(lines: Iterable[str], source: str) -> Iterator[tuple[str, LoggedDecision]]:
    is_one = isinstance(lines, list)
    for number, line in enumerate(lines, start=1):
        place = source if is_one else f"{source}: line {number}"
        # supervisors may put words of their own between the lines
        if not line.lstrip().startswith("{") and not is_one:
            continue
        if len(line) > _MOST_CHARACTERS:
            raise InputError(f"{place}: longer than {_MOST_CHARACTERS:,} characters, so it is no line of the log")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{place}: no JSON ({error}): give whole lines as the service wrote them") from error
        if isinstance(value, dict) and value.get("event") == DECISION:
            yield place, _parse(value, place)


def _parse(value: dict[str, Any], place: str) -> LoggedDecision:
    """Returns what a line tells of a decision; raises `InputError` for one that does not tell enough."""
    from tarocchi.solver.v1 import solver_service_pb2
    from tarocchi_solver.service.replays import REQUESTS, LoggedDecision

    kind = REQUESTS.get(str(value.get("method")))
    if kind is None:
        faults = [("method", f"{value.get('method')!r} is none of {', '.join(REQUESTS)}")]
        raise InputError(faults_sentence(place, faults))
    if "request" not in value:
        faults = [("request", "it is missing: the service was told not to log requests (log_requests)")]
        raise InputError(faults_sentence(place, faults))
    request = kind()
    fill(request, value["request"], place)
    budgets: dict[str, solver_service_pb2.Budget | None] = {"answer_budget": None, "level_budget": None}
    for name in budgets:
        if name in value:
            budgets[name] = budget = solver_service_pb2.Budget()
            fill(budget, value[name], place)
    return LoggedDecision(
        method=_field(value, "method", "", place),
        request_id=_field(value, "request_id", "", place),
        request=request,
        sha256=_field(value, "sha256", "", place),
        is_reproducible=_field(value, "reproducible", True, place),
        solver_version=_field(value, "solver_version", "", place),
        rules_revision=_field(value, "rules_revision", 0, place),
        answer_budget=budgets["answer_budget"],
        level_budget=budgets["level_budget"],
        index=_number({"index": 0, **value}, "index", 0, place),
        worlds=_number(value, "worlds", 2, place) if value["method"] == "GetBeliefs" else None,
        threads=_number({"threads": 1, **value}, "threads", 1, place),
        stop_reason=_stop_reason(value, place) if value["method"] == "AnalyzePosition" else None,
    )


def _stop_reason(value: dict[str, Any], place: str) -> solver_service_pb2.StopReason:
    from tarocchi_solver.service.decisions import STOP_REASON_NAMES

    told = _field(value, "stop_reason", "", place)
    for number, name in STOP_REASON_NAMES.items():
        if name == told:
            return number
    fault = f"{told!r} is none of {', '.join(STOP_REASON_NAMES.values())}"
    raise InputError(faults_sentence(place, [("stop_reason", fault)]))


def _field(value: dict[str, Any], name: str, like: V, place: str) -> V:
    """Returns a field of a line, which has to be of the kind of `like`."""
    found = value.get(name)
    if type(found) is not type(like):
        what = {str: "a text", int: "a whole number", bool: "true or false"}[type(like)]
        fault = "it is missing" if found is None else f"{found!r} is of the wrong kind"
        raise InputError(faults_sentence(place, [(name, f"{fault}: {what} is needed")]))
    return found


def _number(value: dict[str, Any], name: str, least: int, place: str) -> int:
    number = _field(value, name, 0, place)
    if not least <= number <= _MOST:
        raise InputError(faults_sentence(place, [(name, f"{number} is out of range: give {least} to {_MOST:,}")]))
    return number


def _shown(source: str) -> str:
    if source.lstrip().startswith("{"):
        return "the line"
    return "standard input" if source == "-" else source
