"""Finds out whether a server can listen on an address before gRPC tries, whose own complaints are not for people."""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from typing import Final

from tarocchi_solver.addresses import UNIX, is_unix, split_address

_REMEDY: Final = "stop that one, or choose another address"
_REMEDIES: Final = {
    errno.EACCES: "choose a port from 1024 on, others are kept for the system",
    errno.EADDRNOTAVAIL: "give an address of this machine",
}


def require_free(address: str) -> None:
    """Raises `OSError` if nothing can listen on an address, or something does already."""
    if is_unix(address):
        _require_free_path(address)
        return
    host, port = split_address(address)
    try:
        places = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise OSError(
            f"cannot listen on {address}: no such host is known here: give an address of this machine"
        ) from error
    found = [_failure(family, place) for family, _, _, _, place in places]
    failures = [failure for failure in found if failure is not None]
    if any(failure.errno == errno.EADDRINUSE for failure in failures):
        raise OSError(f"cannot listen on {address}: it is taken by another program: {_REMEDY}")
    # a name may stand for several addresses, of which this machine needs to have one
    if len(failures) == len(places):
        cause = failures[0]
        remedy = _REMEDIES.get(cause.errno or 0, "choose another address")
        raise OSError(f"cannot listen on {address}: {cause.strerror}: {remedy}")


def _require_free_path(address: str) -> None:
    """Raises `OSError` if a socket has no folder, or a program that listens; gRPC replaces one that was left behind."""
    path = Path(address.removeprefix(UNIX))
    if not path.parent.is_dir():
        raise OSError(f"cannot listen on {address}: there is no folder {path.parent}: make it, or choose another path")
    if not path.exists():
        return
    if not path.is_socket():
        raise OSError(
            f"cannot listen on {address}: there is a file of this name, which is no socket: choose another path"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        try:
            trial.connect(str(path))
        except ConnectionRefusedError:
            return
        except OSError as error:
            raise OSError(f"cannot listen on {address}: {error.strerror or error}") from error
    raise OSError(f"cannot listen on {address}: it is taken by another program: {_REMEDY}")


def _failure(family: int, place: tuple[object, ...]) -> OSError | None:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as error:
        return error
    return None
