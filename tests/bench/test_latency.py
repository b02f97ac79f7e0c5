"""What the measurement of the service makes of calls that get no answer in time."""

from __future__ import annotations

from types import TracebackType

import grpc
import pytest

from tarocchi_bench import latency
from tarocchi_solver.client import DeadlineError


class LateClient:
    """Stands for a client whose every third call is given up at its deadline."""

    def __init__(self, *_arguments: object, **_settings: object) -> None:
        self.calls = 0

    def __enter__(self) -> LateClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def recommend_move(self, *_arguments: object, **_settings: object) -> None:
        self.calls += 1
        if self.calls % 3 == 0:
            raise DeadlineError(grpc.StatusCode.DEADLINE_EXCEEDED, "no answer")


def test_calls_that_are_given_up_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "SolverClient", LateClient)
    overshoot, missed = latency._overshoot("nowhere", latency.a_position(), 0.0)
    assert missed == pytest.approx(1 / 3)
    # these answers came at once, so long before their deadlines
    assert overshoot < 0
