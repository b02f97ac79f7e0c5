"""Asks a server, and tells in a sentence why it did not answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from tarocchi_solver.cli.inputs import FAILURE, WRONG_INPUT, InputError, fail, faults_sentence, source_name

if TYPE_CHECKING:
    from tarocchi_solver.client import SolverClient, SolverError


@contextlib.contextmanager
def asking(address: str, source: str) -> Iterator[SolverClient]:
    """Gives a client of the server at an address; exits with a sentence about `source` or the server when it fails."""
    from tarocchi_solver.client import SolverClient, SolverError

    try:
        client = SolverClient(address, timeout=None)
    except ValueError as error:
        raise InputError(f"--server: {error}") from error
    with client:
        try:
            yield client
        except SolverError as error:
            _report(error, address, source)
            raise typer.Exit(FAILURE) from error


def require_no_threads(server: str | None, threads: int | None) -> None:
    """Raises `InputError` if the threads of another machine are to be chosen."""
    if server is not None and threads is not None:
        raise InputError("--threads belongs to the server: leave it out together with --server")


def _report(error: SolverError, address: str, source: str) -> None:
    """Says why a call failed and exits."""
    if error.violations:
        faults = [(violation.field, violation.description) for violation in error.violations]
        fail(faults_sentence(source, faults), WRONG_INPUT)
    if error.code.name == "FAILED_PRECONDITION":
        fail(f"{source_name(source)}: {error.message}", WRONG_INPUT)
    if not error.reason:
        fail(f"no answer from {address}: {error.message}", FAILURE)
    fail(f"{address}: {error.message}", FAILURE)
