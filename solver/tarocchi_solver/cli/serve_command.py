"""The command that runs the service in the foreground."""

from __future__ import annotations

import ipaddress
import logging
from dataclasses import replace
from typing import Annotated

import typer

from tarocchi_solver.cli.inputs import FAILURE, InputError, fail, plainly

DEFAULT_ADDRESS = "127.0.0.1:50051"
DEFAULT_GRACE = 5.0
LONGEST_GRACE = 3600


@plainly
def serve(
    address: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to listen; port 0 takes a free one.")] = (
        DEFAULT_ADDRESS
    ),
    searches: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Searches at a time; by default one for each core.")
    ] = None,
    queue_size: Annotated[int, typer.Option(min=0, max=10_000, help="Searches that may wait.")] = 16,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads that work on one search.")] = 1,
    grace: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long searches may go on after a signal to stop, up to 3600.")
    ] = DEFAULT_GRACE,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine, though nothing is encrypted.")
    ] = False,
) -> None:
    """Run the service until it is told to stop."""
    from tarocchi_solver.service.address import split_address

    try:
        split_address(address)
    except OSError as error:
        raise InputError(f"--address: {error}") from error
    if not 0 <= grace <= LONGEST_GRACE:  # nor is it not a number
        raise InputError(f"--grace: {grace:g} seconds cannot be: give 0 to {LONGEST_GRACE}")
    if not insecure and not _is_loopback(address):
        raise InputError(
            f"{address}: the service neither encrypts nor asks who calls, so it listens on this machine only; "
            "add --insecure if something in front of it takes care of that"
        )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    from tarocchi_solver.service.config import ServerConfig
    from tarocchi_solver.service.server import SolverServer

    config = ServerConfig(address=address, queue_size=queue_size, search_threads=threads, grace_seconds=grace)
    if searches is not None:
        config = replace(config, concurrent_searches=searches)
    try:
        server = SolverServer(config)
    except OSError as error:
        raise InputError(str(error)) from error
    if not server.run_until_signal():
        fail("the kernels cannot be used, see above", FAILURE)


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
