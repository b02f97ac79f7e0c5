"""Opens channels to a server: encrypted or not, with a token or without."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio

from tarocchi_solver.addresses import is_loopback, is_unix, split_address
from tarocchi_solver.credentials import BEARER_FORM, certificates_fault, is_bearer_token, key_fault, read_file

CHANNEL_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    # Left alone, gRPC waits a second after a failed connection and fails every call meanwhile, also those that are
    # tried again; and it rises to two minutes, long after a server that was replaced is there again.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # what the service sends is bounded by what it was asked; the answers of a large batch are larger than 4 MiB
    ("grpc.max_receive_message_length", 64 << 20),
)
_RESOLVED: Final = re.compile(r"(dns|ipv4|ipv6|xds):[!-~]+")
"""What gRPC itself looks up, and which may be several servers."""


@dataclass(frozen=True, slots=True)
class ClientTls:
    """The files of an encrypted connection, all in PEM."""

    ca: str | Path | None = None
    """Roots of the server's certificate; None for those of the system."""
    certificate: str | Path | None = None
    """The client's own certificate, where the server asks for one."""
    key: str | Path | None = None
    """Its key."""


def open_channel(address: str, *, token: str | None = None, tls: ClientTls | bool | None = None) -> grpc.Channel:
    """Opens a channel for threads; the connection is made with the first call.

    Args:
        address: host and port, unix:/path/of/socket, or a name that gRPC looks up, such as dns:///solver:50051.
        token: sent with every call.
        tls: the files of an encrypted connection; True for one with the roots of the system, False or None for one that
            is not encrypted. None also holds back a token that would leave this machine in the clear.

    Raises:
        ValueError: the address cannot be, the token cannot be sent, or a file cannot be read or does not hold what it
            should.
    """
    _check(address, token, tls)
    credentials = _credentials(token, tls)
    if credentials is not None:
        return grpc.secure_channel(address, credentials, options=CHANNEL_OPTIONS)
    channel = grpc.insecure_channel(address, options=CHANNEL_OPTIONS)
    return channel if token is None else grpc.intercept_channel(channel, _WithToken(token))


def open_aio_channel(
    address: str, *, token: str | None = None, tls: ClientTls | bool | None = None
) -> grpc.aio.Channel:
    """Opens a channel for asyncio; arguments and errors are those of `open_channel`."""
    _check(address, token, tls)
    credentials = _credentials(token, tls)
    if credentials is not None:
        return grpc.aio.secure_channel(address, credentials, options=CHANNEL_OPTIONS)
    interceptors: list[grpc.aio.ClientInterceptor] = (
        [] if token is None else [_AioUnaryWithToken(token), _AioStreamWithToken(token)]
    )
    return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS, interceptors=interceptors)


def _check(address: str, token: str | None, tls: ClientTls | bool | None) -> None:
    if not isinstance(address, str):
        raise ValueError(f"{address!r} is no address: give host and port, such as 127.0.0.1:50051")
    is_resolved = _RESOLVED.match(address) is not None
    if not is_resolved:
        _check_host(address)
    if tls is not None and not isinstance(tls, (bool, ClientTls)):
        raise ValueError(f"tls: True, False or a ClientTls is needed, not {tls!r}")
    if token is None:
        return
    if not isinstance(token, str) or not token:
        raise ValueError("the token is no text or an empty one: give it as the server knows it")
    if not is_bearer_token(token):
        raise ValueError(f"the token has other characters than those of tokens: {BEARER_FORM}")
    if tls is None and (is_resolved or not is_loopback(address)):
        raise ValueError(
            f"the token would travel to {address} in the clear: give tls=True or a ClientTls, "
            "or tls=False if something else encrypts"
        )


def _check_host(address: str) -> None:
    """Raises `ValueError` for what is neither a host with a port nor a socket of this machine."""
    try:
        _, port = split_address(address)
    except OSError as error:
        raise ValueError(str(error)) from error
    if port == 0 and not is_unix(address):
        raise ValueError(f"{address!r} is no address of a server: give the port that it listens on")


def _credentials(token: str | None, tls: ClientTls | bool | None) -> grpc.ChannelCredentials | None:
    """Returns the credentials of a channel, None for one that is not encrypted."""
    if tls is None or tls is False:
        return None
    files = ClientTls() if tls is True else tls
    if (files.certificate is None) != (files.key is None):
        raise ValueError("tls: a certificate needs its key, and a key its certificate: give both or neither")
    roots = _read("ca", files.ca, "the roots of the server's certificate")
    certificate = _read("certificate", files.certificate, "the client's own")
    key = _read("key", files.key, None)
    if files.certificate is None or files.key is None:
        sentence = None
    else:
        sentence = key_fault(Path(files.certificate), Path(files.key))
    if sentence is not None:
        raise ValueError(f"tls.key: {sentence}")
    credentials = grpc.ssl_channel_credentials(roots, key, certificate)
    if token is None:
        return credentials
    return grpc.composite_channel_credentials(credentials, grpc.access_token_call_credentials(token))


def _read(name: str, path: str | Path | None, certificates: str | None) -> bytes | None:
    """Returns what a file holds; `certificates` says in words which it should hold, if any."""
    if path is None:
        return None
    if not isinstance(path, (str, Path)):
        raise ValueError(f"tls.{name}: the name of a file is needed, not {path!r}")
    path = Path(path)
    try:
        content = read_file(path)
    except ValueError as error:
        raise ValueError(f"tls.{name}: {error}") from error
    if certificates and (sentence := certificates_fault(path, certificates)):
        raise ValueError(f"tls.{name}: {sentence}")
    return content


class _Details(grpc.ClientCallDetails):
    """Details of a call with the token among its metadata; gRPC asks them for all that it knows of such details."""

    def __init__(self, details: Any, token: str) -> None:
        for name in ("method", "timeout", "credentials", "wait_for_ready", "compression"):
            setattr(self, name, getattr(details, name, None))
        self.metadata = (*(details.metadata or ()), _header(token))


def _header(token: str) -> tuple[str, str]:
    return "authorization", f"Bearer {token}"


class _WithToken(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Adds the token to calls on a channel that is not encrypted, which takes no credentials."""

    def __init__(self, token: str) -> None:
        self._token = token

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(_Details(client_call_details, self._token), request)

    def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(_Details(client_call_details, self._token), request)


# asyncio takes each of its interceptors for one kind of calls only


class _AioUnaryWithToken(grpc.aio.UnaryUnaryClientInterceptor):
    """Adds the token to calls for one answer."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(_aio_details(client_call_details, self._token), request)


class _AioStreamWithToken(grpc.aio.UnaryStreamClientInterceptor):
    """Adds the token to calls for a stream."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(_aio_details(client_call_details, self._token), request)


def _aio_details(details: Any, token: str) -> Any:
    return details._replace(metadata=grpc.aio.Metadata(*(details.metadata or ()), _header(token)))
