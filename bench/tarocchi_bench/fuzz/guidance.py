"""Tells which inputs reach what none has reached before: lines of the service and the engine, and kinds of faults."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Final

_BODY: Final = re.compile(r"\[[^\]]*\]")


class LineGuidance:
    """The lines of some packages that have run in this thread.

    A function all of whose lines have run is watched no more, so it costs less the longer it goes on.
    """

    def __init__(self, *packages: ModuleType) -> None:
        self._folders = tuple(str(Path(package.__path__[0])) for package in packages)
        self._left: dict[CodeType, set[int]] = {}
        self._known: dict[CodeType, int] = {}
        self._has_news = False

    @property
    def reached(self) -> int:
        """Lines that have run."""
        return self.known - sum(len(left) for left in self._left.values())

    @property
    def known(self) -> int:
        """Lines of all functions that have been entered."""
        return sum(self._known.values())

    def left(self) -> Iterator[tuple[str, int]]:
        """Yields file and line of what has not run, in the functions that have been entered."""
        for code, lines in self._left.items():
            yield from ((code.co_filename, line) for line in sorted(lines))

    def watch(self, work: Callable[[], Any]) -> tuple[Any, bool]:
        """Does some work; returns its result, and whether a line has run for the first time."""
        self._has_news = False
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            result = work()
        finally:
            sys.settrace(before)
        return result, self._has_news

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        left = self._left.get(code)
        if left is None:
            if not code.co_filename.startswith(self._folders):
                # nothing of it is to be known; of a function elsewhere there is nothing to ask twice
                self._left[code] = set()
                return None
            left = {line for _, _, line in code.co_lines() if line} - {code.co_firstlineno}
            self._left[code] = left
            self._known[code] = len(left)
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        left = self._left[frame.f_code]
        if frame.f_lineno in left:
            left.discard(frame.f_lineno)
            self._has_news = True
        return self._line


class FaultGuidance:
    """The kinds of outcomes that there have been: status, field without its indexes, reason."""

    def __init__(self) -> None:
        self.kinds: set[tuple[str, str, str, str]] = set()

    def has_news(self, method: str, code: str, told: tuple[tuple[str, str], ...]) -> bool:
        """Notes an outcome of a method; returns whether a part of it is there for the first time."""
        kinds = {(method, code, _BODY.sub("[]", field), reason) for field, reason in told} or {(method, code, "", "")}
        is_new = not kinds <= self.kinds
        self.kinds |= kinds
        return is_new
