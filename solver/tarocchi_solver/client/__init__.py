"""A client of the service for Python; it needs neither the engine nor the compiler."""

from tarocchi_solver.client.aio import AsyncSolverClient
from tarocchi_solver.client.channel import ClientTls
from tarocchi_solver.client.client import SolverClient
from tarocchi_solver.client.errors import (
    CancelledError,
    DeadlineError,
    DealNotOverError,
    InvalidCallError,
    InvalidRequestError,
    NothingToDecideError,
    OverloadedError,
    SolverError,
    UnauthenticatedError,
    UnavailableError,
    UnknownFieldWarning,
    Violation,
)
from tarocchi_solver.client.retry import RetryPolicy
from tarocchi_solver.client.streams import AsyncResponseStream, PendingCall, ResponseStream
from tarocchi_solver.client.table import AsyncTable, Table
from tarocchi_solver.client.table_core import BotMove, safe_move

__all__ = [
    "AsyncResponseStream",
    "AsyncSolverClient",
    "AsyncTable",
    "BotMove",
    "CancelledError",
    "ClientTls",
    "DeadlineError",
    "DealNotOverError",
    "InvalidCallError",
    "InvalidRequestError",
    "NothingToDecideError",
    "OverloadedError",
    "PendingCall",
    "ResponseStream",
    "RetryPolicy",
    "SolverClient",
    "SolverError",
    "Table",
    "UnauthenticatedError",
    "UnavailableError",
    "UnknownFieldWarning",
    "Violation",
    "safe_move",
]
