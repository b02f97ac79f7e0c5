"""Asks a server, and tells in a sentence why it did not answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tarocchi_solver.cli.inputs import FAILURE, WRONG_INPUT, InputError, fail, faults_sentence, source_name

if TYPE_CHECKING:
    from tarocchi_solver.client import ClientTls, SolverClient, SolverError


@dataclass(frozen=True)
class Access:
    """A server, and how it is reached."""

    address: str
    token: str | None
    tls: ClientTls | bool | None


def read_access(
    server: str | None,
    threads: int | None,
    token_file: Path | None,
    tls: bool,
    ca: Path | None,
    certificate: Path | None,
    key: Path | None,
) -> Access | None:
    """Returns the server named on the command line, None for this process; raises `InputError`."""
    if server is None:
        if token_file or tls or ca or certificate or key:
            raise InputError(
                "--token-file, --tls, --ca, --certificate and --key belong to a server: name it with --server, or "
                "leave them out"
            )
        return None
    if threads is not None:
        raise InputError("--threads belongs to the server: leave it out together with --server")
    if (certificate is None) != (key is None):
        raise InputError("--certificate needs its --key, and --key its --certificate: give both or neither")
    from tarocchi_solver.client import ClientTls

    files = ClientTls(ca=ca, certificate=certificate, key=key)
    token = None if token_file is None else _read_token(token_file)
    return Access(server, token, files if ca or certificate else tls or None)


def _read_token(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise InputError(f"--token-file: {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"--token-file: {path} holds no text: write the token into it") from error


@contextlib.contextmanager
def asking(access: Access, source: str) -> Iterator[SolverClient]:
    """Gives a client of a server; exits with a sentence about `source` or the server when it fails."""
    from tarocchi_solver.client import RetryPolicy, SolverClient, SolverError

    try:
        # a person at the command line wants to hear at once that nobody listens
        hasty = RetryPolicy(patience=0)
        client = SolverClient(access.address, timeout=None, retry=hasty, token=access.token, tls=access.tls)
    except ValueError as error:
        # of a file the client says tls.ca, of all else nothing
        text = str(error)
        is_of_file = text.startswith("tls.")
        raise InputError(f"--{text.removeprefix('tls.')}" if is_of_file else f"--server: {text}") from error
    with client:
        try:
            yield client
        except SolverError as error:
            _report(error, access.address, source)
            raise typer.Exit(FAILURE) from error


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
