"""Writes the log of a server, from a thread of its own: as text for people, or as one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import logging
import queue
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from logging.handlers import QueueHandler, QueueListener
from typing import Any, Final, TextIO

PLAIN_EVENT: Final = "message"
"""The event of a line that has no other."""
_MOST_WAITING: Final = 10_000
"""Lines that may wait to be written."""
_TEXT_FORMAT: Final = "%(asctime)s %(levelname)s %(message)s"


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """The least grave lines that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class JsonFormatter(logging.Formatter):
    """Makes one JSON object of a record: time, level and event, what the event tells, and the sentence for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", PLAIN_EVENT),
        }
        fields = getattr(record, "fields", {})
        line |= fields() if callable(fields) else fields
        if message := record.getMessage():
            line["message"] = message
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


class _Handover(QueueHandler):
    """Hands records over as they are, so that the thread that writes has the work of making lines of them."""

    queue: queue.Queue[logging.LogRecord | None]

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Returns the record."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Leaves the record, and waits while too many are left: none is lost, and they take no more memory."""
        self.queue.put(record)


class _Writer(QueueListener):
    """Writes the records that were handed over."""

    queue: queue.Queue[logging.LogRecord | None]

    def enqueue_sentinel(self) -> None:
        """Ends the writing after the records that are left."""
        self.queue.put(None)


@contextlib.contextmanager
def logging_to(stream: TextIO, form: LogFormat, level: LogLevel) -> Iterator[None]:
    """Writes what this process logs to a stream while the context lasts; at its end every line has been written."""
    writer = logging.StreamHandler(stream)
    writer.setFormatter(JsonFormatter() if form is LogFormat.JSON else logging.Formatter(_TEXT_FORMAT))
    lines: queue.Queue[logging.LogRecord | None] = queue.Queue(_MOST_WAITING)
    handover = _Handover(lines)
    listener = _Writer(lines, writer)
    root = logging.getLogger()
    before = root.level
    root.setLevel(level.upper())
    root.addHandler(handover)
    listener.start()
    try:
        yield
    finally:
        root.removeHandler(handover)
        root.setLevel(before)
        listener.stop()
