"""Writes the log of a server, from a thread of its own: as text for people, or as one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, TextIO

PLAIN_EVENT: Final = "message"
"""The event of a line that has no other."""
_MOST_WAITING: Final = 10_000
"""Lines that may wait to be written."""
_LINES_AT_ONCE: Final = 256
"""Lines that are written together at most."""
_GATHERING_SECONDS: Final = 0.01
"""How long a line waits for others to be written with."""
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


class _Writer(logging.Handler):
    """Takes records as they are and writes them from a thread of its own, which makes the lines too.

    The thread gathers for a moment what comes, so that under load it wakes up once for many lines.
    """

    def __init__(self, stream: TextIO, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self._stream = stream
        self._records: deque[logging.LogRecord] = deque()
        self._has_come = threading.Event()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._write_all, name="tarocchi-log", daemon=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Leaves the record, and waits while too many are left: none is lost, and they take no more memory."""
        while len(self._records) >= _MOST_WAITING and self._thread.is_alive():
            time.sleep(_GATHERING_SECONDS)
        self._records.append(record)
        if not self._has_come.is_set():
            self._has_come.set()

    def start(self) -> None:
        """Writes from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Writes what is left, and ends."""
        self._is_over.set()
        self._has_come.set()
        self._thread.join()
        self.close()

    def _write_all(self) -> None:
        is_over = False
        while not is_over:
            self._has_come.wait()
            self._is_over.wait(_GATHERING_SECONDS)
            # before the end is looked up and the records are taken, so that what comes later wakes the thread again
            self._has_come.clear()
            is_over = self._is_over.is_set()
            while lines := self._lines():
                with contextlib.suppress(OSError, ValueError):
                    self._stream.write(lines)
                    self._stream.flush()

    def _lines(self) -> str:
        """Returns the lines of some of the records that are left, empty if there are none."""
        lines = []
        for _ in range(min(len(self._records), _LINES_AT_ONCE)):
            record = self._records.popleft()
            try:
                lines.append(self.format(record) + "\n")
            except Exception:
                self.handleError(record)
        return "".join(lines)


@contextlib.contextmanager
def logging_to(stream: TextIO, form: LogFormat, level: LogLevel) -> Iterator[None]:
    """Writes what this process logs to a stream while the context lasts; at its end every line has been written."""
    writer = _Writer(stream, JsonFormatter() if form is LogFormat.JSON else logging.Formatter(_TEXT_FORMAT))
    root = logging.getLogger()
    before = root.level
    root.setLevel(level.upper())
    root.addHandler(writer)
    writer.start()
    try:
        yield
    finally:
        root.removeHandler(writer)
        root.setLevel(before)
        writer.stop()
