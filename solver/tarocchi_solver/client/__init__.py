"""A client of the service for Python; it needs neither the engine nor the compiler."""

from tarocchi_solver.client.client import SolverClient
from tarocchi_solver.client.errors import SolverError, Violation

__all__ = ["SolverClient", "SolverError", "Violation"]
