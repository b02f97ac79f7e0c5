"""Plays the deals that a record does not hold yet."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tarocchi_bench.records import append_line, check_data, prepare_record
from tarocchi_bench.workers import Workers, work_through


def record_missing(
    play: Callable[[int], dict[str, Any]],
    record: Path,
    known: Iterable[dict[str, Any]],
    count: int,
    data: dict[str, str | None],
    workers: Workers,
    progress: Callable[[], None] | None = None,
    *,
    counts_known: bool = True,
) -> None:
    """Adds the lines of deals 0 to `count - 1` to a record as they end, but those that are known.

    Args:
        play: returns the line of the deal of a number; sent to the workers.
        record: the file.
        known: the lines that it holds.
        count: of deals in all.
        data: the data files with which deals are played, by `data_of`. Where deals are missing, those that are there
            have to have been played with the same; what is complete may be used whatever was learned since.
        workers: who works.
        progress: called after every deal played.
        counts_known: whether it is called for those known, too, at once.

    Raises:
        RecordError: the record cannot be written, or goes on from other data files.
        WorkerDiedError: a worker process was killed; what `play` raises is raised as it is.
    """
    entries = {entry["number"]: entry for entry in known}
    to_play = [number for number in range(count) if number not in entries]
    if progress is not None and counts_known:
        for _ in range(count - len(to_play)):
            progress()
    if not to_play:
        return
    for number, entry in entries.items():
        check_data(record, f"deal {number}", entry, data)
    prepare_record(record)
    with contextlib.closing(work_through(play, to_play, workers)) as played:
        for entry in played:
            append_line(record, entry)
            if progress is not None:
                progress()
