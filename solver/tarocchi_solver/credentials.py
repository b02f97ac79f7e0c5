"""What server and clients show one another, looked at before gRPC does, which takes any file and fails later."""

from __future__ import annotations

import re
import ssl
from pathlib import Path
from typing import Final

_BEARER: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""What a bearer token is made of (RFC 6750, section 2.1)."""
BEARER_FORM: Final = "letters, digits and - . _ ~ + / alone, and = at its end"


def is_bearer_token(text: str) -> bool:
    """Tells whether a text is a bearer token, which a header carries as it is."""
    return _BEARER.fullmatch(text) is not None


def read_file(path: Path) -> bytes:
    """Returns what a file holds; raises `ValueError` with a sentence if it cannot be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise ValueError(f"the file {path} cannot be read ({cause}): name one that this user can read") from error


def certificates_fault(path: Path, wanted: str) -> str | None:
    """Returns the sentence about a file that holds no certificates, None if it does.

    Args:
        path: a file that can be read.
        wanted: what to give, in words.
    """
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except (ssl.SSLError, OSError):
        return f"the file {path} holds no certificate: give {wanted} in PEM"
    return None


def key_fault(certificate: Path, key: Path) -> str | None:
    """Returns the sentence about a key that does not fit a certificate, None if it does; both can be read."""

    def refuse_password() -> str:
        raise ValueError("it has a password")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, refuse_password)
    except ValueError:
        return f"the key in {key} has a password: give it without, `openssl pkey` removes it"
    except (ssl.SSLError, OSError) as error:
        if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
            return f"the key in {key} does not belong to the certificate in {certificate}: give both of one pair"
        return f"the file {key} holds no key that can be used: give the certificate's own in PEM"
    return None
