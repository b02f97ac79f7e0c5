"""Checks the address of a server before gRPC does, whose own complaints are not for people."""

from __future__ import annotations

import errno
import socket
from typing import Final

LAST_PORT: Final = 65535


def split_address(address: str) -> tuple[str, int]:
    """Returns host and port; raises `OSError` for a text that is no address."""
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()):
        raise OSError(f"{address!r} is no address: give host and port, such as 127.0.0.1:50051")
    if len(port) > len(str(LAST_PORT)) or int(port) > LAST_PORT:
        raise OSError(f"{address!r} is no address: a port is a number from 0 to {LAST_PORT}")
    return host, int(port)


def require_free(address: str) -> None:
    """Raises `OSError` if nothing can listen on an address, or something does already."""
    host, port = split_address(address)
    try:
        places = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise OSError(f"cannot listen on {address}: no such host is known here") from error
    found = [_failure(family, place) for family, _, _, _, place in places]
    failures = [failure for failure in found if failure is not None]
    if any(failure.errno == errno.EADDRINUSE for failure in failures):
        raise OSError(f"cannot listen on {address}: it is taken by another program")
    # a name may stand for several addresses, of which this machine needs to have one
    if len(failures) == len(places):
        raise OSError(f"cannot listen on {address}: {failures[0].strerror}")


def _failure(family: int, place: tuple[object, ...]) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as error:
        return error
    return None
