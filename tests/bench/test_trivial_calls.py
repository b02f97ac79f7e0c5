"""The load of trivial calls, and the server that does nothing."""

from __future__ import annotations

import grpc
import pytest

from tarocchi_bench.trivial_calls import BARE, SERVER_INFO, bare_server, flood


def test_calls_are_kept_under_way_until_the_time_is_over() -> None:
    with bare_server() as address:
        (taken,), elapsed = flood(address, BARE, 4, 0.3)
    assert 0.3 <= elapsed < 10
    assert len(taken) >= 4
    assert all(0 < seconds < elapsed for seconds in taken)
    # four at a time, so all of them together take about four times the time
    assert sum(taken) > 1.5 * elapsed


def test_a_call_that_fails_is_no_call() -> None:
    with bare_server() as address, pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
        flood(address, SERVER_INFO, 4, 0.3)
