"""The command that runs the service in the foreground."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tarocchi_solver.cli.inputs import FAILURE, InputError, fail, faults_sentence, plainly
from tarocchi_solver.service.signals import noted_signals

if TYPE_CHECKING:
    from tarocchi_solver.service.config import ConfigError
    from tarocchi_solver.service.settings import Settings


@plainly
def serve(
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="Settings in TOML; by default those of TAROCCHI_CONFIG.")
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Where to listen, by default 127.0.0.1:50051; port 0 takes a free one."),
    ] = None,
    searches: Annotated[int | None, typer.Option(help="Searches at a time; by default one for each core.")] = None,
    queue_size: Annotated[int | None, typer.Option(help="Searches that may wait, by default 16.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads that work on one search, by default 1.")] = None,
    grace: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="How long searches may go on after a signal to stop, up to 3600, by default 5.",
        ),
    ] = None,
    tls_certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The server's certificate in PEM; encrypts.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of the certificate in PEM.")] = None,
    tls_client_ca: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Roots of the certificates that clients have to show.")
    ] = None,
    allow_plaintext: Annotated[
        bool | None,
        typer.Option("--allow-plaintext", "--insecure", help="Listen beyond this machine though nothing is encrypted."),
    ] = None,
    metrics_address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where Prometheus finds metrics, over plain HTTP.")
    ] = None,
    log_format: Annotated[
        str | None, typer.Option(metavar="text|json", help="How to log, by default as text; JSON can be replayed.")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Log from debug, info (default), warning or error on.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check the settings, print them without secrets, and exit.")
    ] = False,
) -> None:
    """Run the service until it is told to stop. Settings come from flags, the environment and a file, in this order."""
    # before gRPC is loaded, which else writes lines of its own among those of the log
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    values = {
        "address": address,
        "concurrent_searches": searches,
        "queue_size": queue_size,
        "search_threads": threads,
        "grace_seconds": grace,
        "tls_certificate": tls_certificate,
        "tls_key": tls_key,
        "tls_client_ca": tls_client_ca,
        "allow_plaintext": allow_plaintext,
        "metrics_address": metrics_address,
        "log_format": log_format,
        "log_level": log_level,
    }
    if config == "":
        raise InputError("--config: the name of the file is empty: name one, or leave it out")
    if check:
        for line in _read(values, config).lines():
            typer.echo(line)
        return
    # the first thing of all, because to load the rest takes seconds
    with noted_signals() as received:
        is_sound = _run(_read(values, config), received)
    if not is_sound:
        fail("the kernels cannot be used, see above", FAILURE)


def _read(values: Mapping[str, Any], config: str | None) -> Settings:
    """Returns the settings, of which `values` are those given as flags, or None; raises `InputError`."""
    from tarocchi_solver.service.config import ConfigError
    from tarocchi_solver.service.security import find_file_faults
    from tarocchi_solver.service.settings import FLAGS, Given, read_settings

    flags = {key: Given(value, FLAGS[key]) for key, value in values.items() if value is not None}
    try:
        return read_settings(flags, os.environ, config, find_file_faults)
    except ConfigError as error:
        raise _as_input_error(error, {}) from error


def _run(settings: Settings, received: list[int]) -> bool:
    """Serves until there is a signal; returns whether the kernels could be used."""
    from tarocchi_solver.service.config import ConfigError
    from tarocchi_solver.service.logs import LogFormat, LogLevel, logging_to
    from tarocchi_solver.service.memory import give_back_memory
    from tarocchi_solver.service.server import SolverServer

    if received:
        return True
    give_back_memory()
    with logging_to(sys.stderr, LogFormat(settings.config.log_format), LogLevel(settings.config.log_level)):
        try:
            server = SolverServer(settings.config)
        except ConfigError as error:
            raise _as_input_error(error, settings.places) from error
        except OSError as error:
            raise InputError(str(error)) from error
        return server.run_until_signal(received)


def _as_input_error(error: ConfigError, places: Mapping[str, str]) -> InputError:
    faults = [(fault.place or places.get(fault.key, fault.key), fault.message) for fault in error.faults]
    return InputError(faults_sentence("", faults))
