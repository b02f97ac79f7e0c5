"""Stands between a client and a server, and breaks their connection in the middle of whatever they say."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
from types import TracebackType
from typing import Final

_CHUNK: Final = 1 << 14
_POLL_SECONDS: Final = 0.005
_AT_ONCE: Final = struct.pack("ii", 1, 0)


class Relay:
    """Passes one connection on; a context manager that breaks it at the end."""

    def __init__(self, address: str) -> None:
        """Listens for a client of the server at an address."""
        host, _, port = address.rpartition(":")
        self._server = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._broken = threading.Event()
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._pass_on, name="relay", daemon=True)

    def __enter__(self) -> Relay:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.snap()

    def snap(self) -> None:
        """Breaks the connection: neither side hears a word of farewell."""
        self._broken.set()
        self._thread.join()

    def _pass_on(self) -> None:
        with self._listener, contextlib.ExitStack() as both:
            self._listener.settimeout(_POLL_SECONDS)
            while not self._broken.is_set():
                with contextlib.suppress(TimeoutError):
                    client = both.enter_context(self._listener.accept()[0])
                    break
            else:
                return
            with contextlib.suppress(OSError):
                server = both.enter_context(socket.create_connection(self._server))
                for each in (client, server):
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
                self._pump(client, server)

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        while not self._broken.is_set():
            for source in select.select(list(other), [], [], _POLL_SECONDS)[0]:
                data = source.recv(_CHUNK)
                if not data:
                    return
                other[source].sendall(data)
