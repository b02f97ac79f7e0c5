"""A search-based player and referee for the Italian tarot games with 62 cards.

The names below are loaded on first use, so that importing the package, the client or the command line does not wait
for the compiled engine. The function `search` is not among them: here that name is the package that holds it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from tarocchi_solver.client import InvalidCallError, SolverClient, SolverError
    from tarocchi_solver.search import (
        Budget,
        ContradictionError,
        MoveStatistics,
        NothingToDecideError,
        Recommendation,
        SearchOptions,
    )

_HOMES = {
    "SolverClient": "tarocchi_solver.client",
    "SolverError": "tarocchi_solver.client",
    "InvalidCallError": "tarocchi_solver.client",
    "Budget": "tarocchi_solver.search",
    "ContradictionError": "tarocchi_solver.search",
    "MoveStatistics": "tarocchi_solver.search",
    "NothingToDecideError": "tarocchi_solver.search",
    "Recommendation": "tarocchi_solver.search",
    "SearchOptions": "tarocchi_solver.search",
}

__all__ = [
    "Budget",
    "ContradictionError",
    "InvalidCallError",
    "MoveStatistics",
    "NothingToDecideError",
    "Recommendation",
    "SearchOptions",
    "SolverClient",
    "SolverError",
    "__version__",
]


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tarocchi-solver")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0.0.0"


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return globals().setdefault(name, _version())
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
