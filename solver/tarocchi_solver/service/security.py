"""Who may call and how much: the server's certificate, bearer tokens, and the limits of each token."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import grpc

from tarocchi_solver.credentials import certificates_fault, key_fault, read_file
from tarocchi_solver.service.calls import CALLER, RETRY_SECONDS, abort, current_call
from tarocchi_solver.service.config import ConfigError, ConfigFault, ServerConfig, Token
from tarocchi_solver.service.errors import RequestError, StatusReason
from tarocchi_solver.service.handlers import HANDLERS_KEPT, HEALTH_PREFIX, Continuation, Handler, with_behavior

_SCHEME: Final = "bearer"
_REMEDY: Final = "send the metadata authorization: Bearer TOKEN with a token that this server knows"
_MESSAGES: Final = {
    StatusReason.MISSING_TOKEN: f"the call comes without a token: {_REMEDY}",
    StatusReason.UNKNOWN_TOKEN: f"the call comes with an unknown token: {_REMEDY}",
}


def server_credentials(config: ServerConfig) -> grpc.ServerCredentials | None:
    """Returns the credentials of a server, None for one that encrypts nothing.

    Raises:
        ConfigError: a file cannot be read or does not hold what it should; every fault is told.
    """
    faults: list[ConfigFault] = []
    files = _read_files(config, faults)
    if faults:
        raise ConfigError(faults)
    if files is None:
        return None
    certificate, key, roots = files
    return grpc.ssl_server_credentials(
        [(key, certificate)], root_certificates=roots, require_client_auth=roots is not None
    )


def find_file_faults(config: ServerConfig) -> list[ConfigFault]:
    """Returns what is wrong with the files of certificates."""
    faults: list[ConfigFault] = []
    _read_files(config, faults)
    return faults


def _read_files(config: ServerConfig, faults: list[ConfigFault]) -> tuple[bytes, bytes, bytes | None] | None:
    """Returns certificate, key and roots of the clients, None where nothing is encrypted; notes all that is wrong."""
    if config.tls_certificate is None or config.tls_key is None:
        return None
    certificate = _read("tls_certificate", config.tls_certificate, "the server's own", faults)
    key = _read("tls_key", config.tls_key, None, faults)
    roots = None
    if config.tls_client_ca is not None:
        roots = _read("tls_client_ca", config.tls_client_ca, "those of the clients' roots", faults)
    if certificate and key and (sentence := key_fault(config.tls_certificate, config.tls_key)):
        faults.append(ConfigFault("tls_key", sentence))
    return certificate, key, roots


def _read(name: str, path: Path, certificates: str | None, faults: list[ConfigFault]) -> bytes:
    """Returns what a file holds, nothing if it is no good; `certificates` says in words what it should hold, if any."""
    try:
        content = read_file(path)
    except ValueError as error:
        faults.append(ConfigFault(name, str(error)))
        return b""
    if certificates and (sentence := certificates_fault(path, certificates)):
        faults.append(ConfigFault(name, sentence))
        return b""
    return content


class Holder:
    """The use that is made of one token, within its limits."""

    def __init__(self, token: Token, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts with nothing used; `clock` tells seconds."""
        self.name = token.name
        self._most = math.inf if token.concurrent_requests is None else token.concurrent_requests
        self._rate = token.requests_per_second
        # as many at once as in a second, but one at least
        self._burst = max(1.0, self._rate or 0.0)
        self._credit = self._burst
        self._counted_at = clock()
        self._running = 0
        self._clock = clock
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        """Calls that run now."""
        return self._running

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """Counts a call while the context lasts; raises `RequestError` for one too many."""
        with self._lock:
            if self._running >= self._most:
                raise _exhausted(
                    StatusReason.CONCURRENCY_LIMIT,
                    f"{self._running} calls with this token run already, its limit: wait until one has ended",
                    RETRY_SECONDS,
                )
            if (wait := self._spend()) > 0:
                raise _exhausted(
                    StatusReason.RATE_LIMIT,
                    f"more calls with this token than its limit of {self._rate:g} in a second: "
                    f"ask again in {max(wait, 0.001):.3g} s",
                    wait,
                )
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def _spend(self) -> float:
        """Takes the credit for one call; returns after how many seconds there will be some, 0 if there was."""
        if self._rate is None:
            return 0.0
        now = self._clock()
        self._credit = min(self._burst, self._credit + (now - self._counted_at) * self._rate)
        self._counted_at = now
        if self._credit < 1:
            return (1 - self._credit) / self._rate
        self._credit -= 1
        return 0.0


def _exhausted(reason: StatusReason, message: str, retry_seconds: float) -> RequestError:
    # rounded up, so that who waits so long is answered
    seconds = math.ceil(retry_seconds * 1000) / 1000
    return RequestError(grpc.StatusCode.RESOURCE_EXHAUSTED, reason, message, retry_seconds=seconds)


class Gate(grpc.ServerInterceptor):
    """Lets calls with a known token in, within the limits of the token, and health checks without one.

    What it refuses it refuses before the request is read.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.holders = {token.name: Holder(token) for token in tokens}
        self._known = [(_digest(token.secret.encode()), self.holders[token.name]) for token in tokens]
        self._counted = functools.lru_cache(HANDLERS_KEPT)(_counted)

    def intercept_service(self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails) -> Handler:
        """Returns the handler of a call."""
        method = handler_call_details.method
        if method.startswith(HEALTH_PREFIX):
            return continuation(handler_call_details)
        found = self._identify(handler_call_details.invocation_metadata or ())
        if isinstance(found, StatusReason):
            return _refusing(found)
        handler = continuation(handler_call_details)
        return None if handler is None else self._counted(handler, found)

    def _identify(self, metadata: Sequence[tuple[str, str | bytes]]) -> Holder | StatusReason:
        """Returns whose token a call has, or why it is refused; it takes the same time whichever token it is."""
        values = [value for key, value in metadata if key == "authorization"]
        text = values[0] if len(values) == 1 else ""
        if isinstance(text, bytes):
            text = text.decode("latin-1")
        scheme, _, secret = text.partition(" ")
        given = _digest(secret.strip(" ").encode("utf-8", "surrogateescape"))
        holder = None
        for digest, owner in self._known:
            if hmac.compare_digest(digest, given):
                holder = owner
        if not values:
            return StatusReason.MISSING_TOKEN
        if holder is None or scheme.lower() != _SCHEME:
            return StatusReason.UNKNOWN_TOKEN
        return holder


def _digest(secret: bytes) -> bytes:
    """Returns something of the same length for every secret."""
    return hashlib.sha256(secret).digest()


@functools.cache
def _refusing(reason: StatusReason) -> grpc.RpcMethodHandler[Any, Any]:
    """Returns a handler that refuses a call of any kind at once."""

    def refuse(requests: object, context: grpc.ServicerContext) -> Iterator[Any]:
        abort(context, RequestError(grpc.StatusCode.UNAUTHENTICATED, reason, _MESSAGES[reason]))
        yield

    return grpc.stream_stream_rpc_method_handler(refuse)


def _counted(handler: grpc.RpcMethodHandler[Any, Any], holder: Holder) -> grpc.RpcMethodHandler[Any, Any]:
    """Returns a handler whose calls count for the holder of a token from their beginning to their end."""

    def begin(stack: contextlib.ExitStack, context: grpc.ServicerContext) -> None:
        CALLER.set(holder.name)
        current_call().caller = holder.name
        try:
            stack.enter_context(holder.call())
        except RequestError as error:
            abort(context, error)

    def one(behavior: Callable[..., Any], request: Any, context: grpc.ServicerContext) -> Any:
        with contextlib.ExitStack() as stack:
            begin(stack, context)
            return behavior(request, context)

    def many(behavior: Callable[..., Any], request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        # the generator is closed when the client has left, and that ends the call
        with contextlib.ExitStack() as stack:
            begin(stack, context)
            yield from behavior(request, context)

    return with_behavior(handler, many if handler.response_streaming else one)
