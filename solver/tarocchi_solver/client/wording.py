"""What gRPC tells of a call that failed on its way, in sentences that name a remedy."""

from __future__ import annotations

import re
from typing import Final

import grpc

from tarocchi_solver.client.errors import SolverError

_NOBODY: Final = re.compile(
    "connection refused|no such file or directory|no route to host|network is unreachable|timed out|timeout occurred"
    "|resolving|resolution",
    re.IGNORECASE,
)
_NO_AGREEMENT: Final = re.compile("socket closed|reset by peer|ssl|handshake|certificate|wrong_version", re.IGNORECASE)
_OTHER_NAME: Final = re.compile("hostname verification check failed", re.IGNORECASE)
_RESTARTING: Final = frozenset({"WARMING_UP", "DRAINING"})
"""Reasons of a server that is about to stop or has just been started."""
_QUOTED: Final = 300
"""Characters of gRPC's own words that are shown."""


def is_unreached(error: SolverError) -> bool:
    """Tells whether nobody listens at the address, so that nothing of the call was sent."""
    return error.code is grpc.StatusCode.UNAVAILABLE and not error.reason and bool(_NOBODY.search(error.details))


def is_away(error: SolverError) -> bool:
    """Tells whether the server is restarted: nobody listens, or it refuses every call until it is warm or gone."""
    is_restarting = error.code is grpc.StatusCode.UNAVAILABLE and error.reason in _RESTARTING
    return is_restarting or is_unreached(error)


def is_misnamed(error: SolverError) -> bool:
    """Tells whether the server's certificate is for another name, which no further attempt changes."""
    return error.code is grpc.StatusCode.UNAVAILABLE and not error.reason and bool(_OTHER_NAME.search(error.details))


def put_plainly(error: SolverError, seconds: float, attempts: int) -> None:
    """Says how long an error was waited for and what to do, where gRPC itself has made its message."""
    if error.reason:
        return
    text = _sentence(error, f"{seconds:.1f} s" + (f" and {attempts} attempts" if attempts > 1 else ""))
    if text is not None:
        error.message = f"{text} ({error.details[:_QUOTED]})"
        error.args = (error.message,)


def _sentence(error: SolverError, spent: str) -> str | None:
    if error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no answer within {spent}: give the call a longer timeout, or the server less to do"
    if error.code is not grpc.StatusCode.UNAVAILABLE:
        return None
    if is_misnamed(error):
        return (
            "the certificate is for another name: mend the address, whose host has to stand in the server's "
            "certificate, or give the server a certificate for this one"
        )
    if is_unreached(error):
        return f"nobody listens at the address, after {spent}: start the service, or mend the address"
    if _NO_AGREEMENT.search(error.details):
        return (
            f"the connection came to nothing, after {spent}: either the server has just gone, or the two do not agree "
            "on encryption: give tls where the server encrypts and only there, the CA that signed its certificate, "
            "and a client certificate where it asks for one"
        )
    return f"no server answered, after {spent}: ask again in a moment, or another one"
