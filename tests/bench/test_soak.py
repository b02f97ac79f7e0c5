"""A short soak, and that a soak notices what it is there for."""

from __future__ import annotations

import sys

import pytest

from tarocchi_bench.soak import soak
from tarocchi_bench.soak_calls import Ledger


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.exhaustive
def test_a_short_soak() -> None:
    report = soak(3)
    assert report.wrong == []
    assert report.log_errors == []
    assert all(report.bars.values()), report.bars
    assert len(report.ended) == 11
    assert report.dropped_connections
    assert sum(sum(codes.values()) for codes in report.ended.values()) == report.calls
    codes = {code for found in report.ended.values() for code in found}
    assert {"OK", "CANCELLED", "DEADLINE_EXCEEDED", "INVALID_ARGUMENT", "UNAUTHENTICATED"} <= codes
    assert "INTERNAL" not in codes


def test_calls_that_end_wrongly_are_told() -> None:
    ledger = Ledger()
    for way, ends in (("well", ["OK"]), ("never", []), ("twice", ["OK", "OK"]), ("badly", ["INTERNAL"])):
        ledger.begin(way)
        for code in ends:
            ledger.end(way, code, frozenset({"OK"}), "why")
    assert ledger.wrong() == ["badly: INTERNAL why", "never: 1 calls, 0 ends", "twice: 1 calls, 2 ends"]
    assert ledger.calls == 4
