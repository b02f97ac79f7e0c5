"""The commands that try to break the service: requests that are none, and clients that behave as they like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tarocchi_bench.console import FAILURE, JsonOption, SeedOption, long_work, note, print_result
from tarocchi_bench.fuzz.fuzzing import BLOCK, Fuzzer, findings_of
from tarocchi_bench.soak import soak as run_soak


def fuzz(
    messages: Annotated[int, typer.Option(min=1, help="mutated requests in all")] = 100_000,
    seed: SeedOption = 1,
    record: Annotated[
        Path | None, typer.Option(help="JSON lines: what was kept and found; the same command goes on from there")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="send what a run found wrong once more, and nothing else")
    ] = None,
    lines: Annotated[bool, typer.Option(help="let new lines guide the choice too, and not new faults alone")] = True,
    lines_left: Annotated[bool, typer.Option(help="tell the lines that no request has reached")] = False,
    as_json: JsonOption = False,
) -> None:
    """Sends mutated requests of every method down the request path: each has to be answered or refused in order.

    Exits with 1 if anything else came of one of them, or memory grew.
    """
    with long_work(f"blocks of {BLOCK} messages", -(-messages // BLOCK), record) as progress:
        fuzzer = Fuzzer(seed, None if replay else record, lines=lines)
        try:
            report = fuzzer.replay(findings_of(replay)) if replay else fuzzer.run(messages, progress)
        finally:
            fuzzer.close()
    if lines_left:
        for line in fuzzer.lines_left():
            note(line)
    print_result(report.as_json(), as_json, f"mutated requests from seed {seed}")
    if not report.is_clean:
        raise typer.Exit(FAILURE)


def soak(
    seconds: Annotated[
        float, typer.Option(min=1, help="seconds of calls; a server has to start and to settle too")
    ] = 60.0,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Calls a server in every way, good and bad, and tells whether it is afterwards as it was before (Linux only).

    Exits with 1 if a call ended in another way than it may, or if anything of one is left.
    """
    with long_work("soak", 1) as progress:
        report = run_soak(seconds, seed)
        progress()
    print_result(report.as_json(), as_json, f"{seconds:g} seconds of calls")
    if not report.is_sound:
        raise typer.Exit(FAILURE)
