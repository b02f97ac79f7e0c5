"""The settings of a server, fixed before it starts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from tarocchi_solver.search import DEFAULT_BUDGET, Budget
from tarocchi_solver.search.results import MAX_SAMPLED_WORLDS

SPARE_THREADS: Final = 8
"""RPC threads that no search can take: they answer health checks and the rules."""
MAXIMUM_BUDGET: Final = Budget(worlds=MAX_SAMPLED_WORLDS, iterations=1_000_000_000, time_ms=60_000)


def _searches_per_machine() -> int:
    return max(1, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What a server listens on and how much it takes on."""

    address: str = "127.0.0.1:50051"
    """Host and port; port 0 chooses a free one."""
    concurrent_searches: int = field(default_factory=_searches_per_machine)
    """Searches that run at the same time."""
    queue_size: int = 16
    """Searches that may wait; more are refused."""
    concurrent_analyses: int = field(default_factory=_searches_per_machine)
    """Searches for study that run beside those of live play."""
    analysis_queue_size: int = 16
    """Searches for study that may wait; more are refused."""
    long_calls: int = 16
    """Batches and reviews under way at the same time, each of many searches; more are refused."""
    batch_size_limit: int = 64
    """Requests in one batch."""
    search_threads: int = 1
    """Threads that work on one search; they change its time, never its answer."""
    default_budget: Budget = DEFAULT_BUDGET
    maximum_budget: Budget = MAXIMUM_BUDGET
    """Larger caps are lowered to these; the time holds for every search."""
    request_size_limit: int = 1 << 20
    """Bytes; larger requests are refused before they are read."""
    niceness: int = 10
    """How far search threads stand back behind the threads that answer, 0 to 19 (Linux only)."""
    grace_seconds: float = 5.0
    """How long running searches may go on after a signal to stop; then they answer with the best so far. Together with
    the time of these answers it is below the 10 s after which container runtimes kill."""

    @property
    def rpc_threads(self) -> int:
        """Threads that serve calls: one for each search admitted and each long call, and the spare ones."""
        admitted = self.concurrent_searches + self.queue_size + self.concurrent_analyses + self.analysis_queue_size
        return admitted + self.long_calls + SPARE_THREADS
