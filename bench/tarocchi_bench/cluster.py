"""The workers of a Dask cluster as an executor."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor
from pathlib import Path
from typing import Final

from tarocchi_bench.workers import WorkerDiedError
from tarocchi_engine.compilation import sources_digest
from tarocchi_solver import __version__
from tarocchi_solver.addresses import split_address

CONNECT_SECONDS: Final = 10.0
"""How long a scheduler may take to answer, and its first worker to be there."""


_SCHEMES: Final = ("tcp", "tls")


class ClusterError(Exception):
    """A cluster cannot be used; says why and what helps."""


def identity() -> str:
    """Returns what has to be the same on all machines: the version, and a digest of all code that shapes results."""
    import tarocchi_bench
    import tarocchi_engine
    import tarocchi_solver

    packages = (tarocchi_engine, tarocchi_solver, tarocchi_bench)
    roots = [Path(str(package.__file__)).parent for package in packages]
    return f"{__version__} {sources_digest(*roots)}"


@contextlib.contextmanager
def cluster_executor(address: str, tell: Callable[[str], None]) -> Iterator[Executor]:
    """Connects to the scheduler of a Dask cluster; the executor's work runs on its workers.

    A worker that is lost loses nothing: what it had begun is begun again on another one.

    Args:
        address: of the scheduler, such as `tcp://10.0.0.1:8786`.
        tell: gets a sentence about the cluster.

    Raises:
        ClusterError: Dask is not installed, nobody answers, there is no worker, or one has other code.
        WorkerDiedError: in the context, where the cluster is lost or a task has ended several workers.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise ClusterError("Dask is not installed: pip install 'tarocchi-solver[cluster]'") from None
    _check_address(address)
    # it would print tracebacks of its own beside what is raised
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at {address} ({error}): start one by `dask scheduler` and give its address, such as "
            "tcp://10.0.0.1:8786"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise ClusterError(
                f"the scheduler at {address} has no worker: start some by `dask worker {address}`"
            ) from None
        _require_the_same(client.run(identity, on_error="return"))
        threads = client.nthreads()
        tell(f"threads of the cluster's workers: {sum(threads.values())}; dashboard: {client.dashboard_link}")
        try:
            yield client.get_executor(pure=False)
        except KilledWorker as error:
            raise WorkerDiedError(f"a task has ended several workers of the cluster: {error}") from None
        except CancelledError:
            raise WorkerDiedError(f"the cluster at {address} is lost") from None


def _check_address(address: str) -> None:
    """Raises `ClusterError` for what can be no scheduler: Dask tries such addresses for long, or for ever."""
    scheme, separator, place = address.rpartition("://")
    try:
        if separator and scheme not in _SCHEMES:
            raise OSError(f"{address!r} is no address: it begins with {' or '.join(f'{name}://' for name in _SCHEMES)}")
        _host, port = split_address(place)
        if port == 0:
            raise OSError(f"{address!r} is no address: the port is missing")
    except OSError as error:
        raise ClusterError(f"--cluster: {error}; the scheduler prints its own, such as tcp://10.0.0.1:8786") from None


def _require_the_same(found: dict[str, object]) -> None:
    own = identity()
    for worker, other in found.items():
        if isinstance(other, BaseException):
            raise ClusterError(
                f"worker {worker} cannot import this program ({other}): install it there as here, with its bench extra"
            )
        if other != own:
            raise ClusterError(
                f"worker {worker} has other code or another Python, numpy or numba ({other}; here {own}): install the "
                "same there as here"
            )
