"""Opens the channel to a server, for threads and for asyncio."""

from __future__ import annotations

from typing import Final

import grpc

LAST_PORT: Final = 65535
CHANNEL_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    # Left alone, gRPC waits a second after a failed connection and fails every call meanwhile, also those that are
    # tried again; and it rises to two minutes, long after a server that was replaced is there again.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # what the service sends is bounded by what it was asked; the answers of a large batch are larger than 4 MiB
    ("grpc.max_receive_message_length", 64 << 20),
)


def require_address(address: object) -> str:
    """Returns an address; raises `ValueError` if it is no text, an empty one, or has a port that cannot be."""
    if not isinstance(address, str) or not address.strip() or not address.isprintable():
        raise ValueError(f"{address!r} is no address of a server: give host and port, such as 127.0.0.1:50051")
    port = address.rpartition(":")[2]
    if port.isdecimal() and int(port[:9]) > LAST_PORT:
        raise ValueError(f"{address!r} is no address of a server: a port is a number from 0 to {LAST_PORT}")
    return address


def open_channel(address: str) -> grpc.Channel:
    """Returns a channel for threads; the connection is made with the first call.

    Raises:
        ValueError: the address is none.
    """
    return grpc.insecure_channel(require_address(address), options=CHANNEL_OPTIONS)


def open_aio_channel(address: str) -> grpc.aio.Channel:
    """Returns a channel for the running event loop; the connection is made with the first call.

    Raises:
        ValueError: the address is none.
    """
    return grpc.aio.insecure_channel(require_address(address), options=CHANNEL_OPTIONS)
