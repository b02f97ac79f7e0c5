"""A client of the service for Python; it needs neither the engine nor the compiler."""

from tarocchi_solver.client.channel import ClientTls
from tarocchi_solver.client.client import SolverClient
from tarocchi_solver.client.errors import InvalidCallError, SolverError, UnknownFieldWarning, Violation

__all__ = ["ClientTls", "InvalidCallError", "SolverClient", "SolverError", "UnknownFieldWarning", "Violation"]
