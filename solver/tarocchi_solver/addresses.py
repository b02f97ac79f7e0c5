"""What an address of a server is, for the server and for its clients: gRPC takes any text and fails later."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

LAST_PORT: Final = 65535
UNIX: Final = "unix:"
"""How the address of a socket of this machine begins; the path of the socket follows."""
_EXAMPLE: Final = "such as 127.0.0.1:50051"
_HOST: Final = re.compile(r"\[[^][/\s]+\]|[^][:/\\@?#,\s]+")
"""A name or an address, of IPv6 in brackets."""
_EVERYWHERE: Final = frozenset({"0.0.0.0", "[::]"})
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def is_unix(address: str) -> bool:
    """Tells whether an address is the socket of this machine at a path."""
    return address.startswith(UNIX)


def is_loopback(address: str) -> bool:
    """Tells whether only this machine can reach an address."""
    if is_unix(address):
        return True
    host = split_address(address)[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def split_address(address: str) -> tuple[str, int]:
    """Returns host and port, of a socket of this machine its address and 0; raises `OSError` for what is no address."""
    if is_unix(address):
        if not address.removeprefix(UNIX).strip() or not address.isprintable():
            raise OSError(f"{address!r} is no address: give the path of the socket, such as unix:/run/tarocchi.sock")
        return address, 0
    if not address.strip() or not address.isprintable():
        raise OSError(f"{address!r} is no address: give host and port, {_EXAMPLE}")
    if address != address.strip():
        raise OSError(f"{address!r} is no address: leave out the spaces around it")
    if scheme := _SCHEME.match(address):
        raise OSError(f"{address!r} is no address: leave out {scheme[0]} and give host and port alone, {_EXAMPLE}")
    host, colon, port = address.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit()):
        raise OSError(f"{address!r} is no address: give host and port, {_EXAMPLE}")
    if len(port) > len(str(LAST_PORT)) or int(port) > LAST_PORT:
        raise OSError(f"{address!r} is no address: a port is a number from 0 to {LAST_PORT}")
    if not _HOST.fullmatch(host):
        remedy = (
            "put [ and ] around the host, such as [::1]:50051" if ":" in host else f"give host and port, {_EXAMPLE}"
        )
        raise OSError(f"{address!r} is no address: {remedy}")
    return host, int(port)


def may_meet(one: str, other: str) -> bool:
    """Tells whether two addresses to listen on are the same, or one of them holds the other."""
    if is_unix(one) or is_unix(other):
        return one == other
    (host, port), (other_host, other_port) = split_address(one), split_address(other)
    if port != other_port or port == 0:
        return False
    hosts = {host, other_host}
    is_by_name = "localhost" in hosts and is_loopback(one) and is_loopback(other)
    return len(hosts) == 1 or bool(hosts & _EVERYWHERE) or is_by_name
