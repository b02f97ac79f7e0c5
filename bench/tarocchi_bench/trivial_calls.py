"""Makes as many calls as a server answers, and starts one that does nothing, to know what the machine allows.

One client keeps several calls under way on one channel: clients with a thread for each call would take most of the
processors themselves, because threads of Python get in each other's way.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc

SERVER_INFO: Final = "/tarocchi.solver.v1.SolverService/GetServerInfo"
_BARE_SERVICE: Final = "bare.Service"
BARE: Final = f"/{_BARE_SERVICE}/Call"
"""The one method of the server that does nothing."""
_COMMAND: Final = "from tarocchi_bench.trivial_calls import serve_bare; serve_bare()"


def flood(address: str, method: str, abreast: int, seconds: float) -> tuple[list[list[float]], float]:
    """Keeps so many calls with empty requests under way for so many seconds.

    Returns how long each call took, as those of one client, and the seconds that all of them took. Raises
    `grpc.RpcError` if a call fails.
    """
    taken: list[float] = []
    failures: list[BaseException] = []
    idle = threading.Semaphore(0)
    with grpc.insecure_channel(address) as channel:
        call: Any = channel.unary_unary(method)
        call(b"")
        started = time.perf_counter()

        def begin() -> None:
            begun = time.perf_counter()

            def end(answer: Any) -> None:
                now = time.perf_counter()
                taken.append(now - begun)
                if (error := answer.exception()) is not None:
                    failures.append(error)
                if now < started + seconds and not failures:
                    begin()
                else:
                    idle.release()

            call.future(b"").add_done_callback(end)

        for _ in range(abreast):
            begin()
        for _ in range(abreast):
            idle.acquire()
        elapsed = time.perf_counter() - started
    if failures:
        raise failures[0]
    return [taken], elapsed


@contextlib.contextmanager
def bare_server() -> Iterator[str]:
    """Starts a server of gRPC in a process of its own that answers with nothing; gives its address."""
    process = subprocess.Popen([sys.executable, "-c", _COMMAND], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait()


def serve_bare() -> None:
    """Serves until it is killed, and prints its port."""
    server = grpc.server(ThreadPoolExecutor(2))
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(lambda _request, _context: b"")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_BARE_SERVICE, {"Call": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    server.wait_for_termination()
