"""Ed25519 signatures (Standard Webhooks ``v1a``), verified with public keys."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from .signatures import check_line

#: Checks that a signature of a message is valid: ``check(signature, message)``.
Check = Callable[[bytes, bytes], bool]

_PREFIX = "whpk_"
_COORDINATE = re.compile(r"[A-Za-z0-9_-]{43}")
_KEY_BYTES = 32
_SIGNATURE_BYTES = 64
#: How many ``v1a`` entries are checked: a stranger may send thousands.
_ENTRIES_MAX = 20


def checker_of(key: bytes) -> Check:
    """Returns a function that checks signatures by the private key of ``key``."""
    ed25519, invalid = _library()
    public_key = ed25519.Ed25519PublicKey.from_public_bytes(key)

    def check(signature: bytes, message: bytes) -> bool:
        try:
            public_key.verify(signature, message)
        except invalid:
            return False
        return True

    return check


def require_library() -> None:
    """Raises ``ImportError`` if the extra is not installed."""
    _library()


# Loaded only for v1a, so that the package has no dependencies otherwise.
def _library() -> tuple[Any, Any]:
    try:
        ed25519 = import_module("cryptography.hazmat.primitives.asymmetric.ed25519")
        return ed25519, import_module("cryptography.exceptions").InvalidSignature
    except ImportError as error:
        message = "public keys need cryptography: pip install 'agent-herald-receiver[ed25519]'"
        raise ImportError(message) from error


def read_public_keys(public_keys: str | Sequence[str]) -> list[Check]:
    """Returns the checks of public keys as texts. Raises ``ValueError`` for an invalid one."""
    is_list = isinstance(public_keys, Sequence) and not isinstance(public_keys, str | bytes)
    texts = public_keys if is_list else [public_keys]
    if len(texts) == 0:
        raise ValueError("public_keys must not be empty")
    return [_check_of_text(text, f"public_keys[{index}]") for index, text in enumerate(texts)]


def _check_of_text(text: object, name: str) -> Check:
    line = check_line(text, name)
    key = decode_exactly(line.removeprefix(_PREFIX), _KEY_BYTES)
    if key is None or not line.startswith(_PREFIX):
        raise ValueError(f"{name} must be {_PREFIX} and base64, as the service showed it")
    return checker_of(key)


def read_jwk(jwk: object) -> list[Check]:
    """Returns the check of a JWK (RFC 8037), or nothing for a key of another kind."""
    if not isinstance(jwk, dict) or jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        return []
    x = jwk.get("x")
    if not isinstance(x, str) or not _COORDINATE.fullmatch(x):
        return []
    key = decode_exactly(x.replace("-", "+").replace("_", "/") + "=", _KEY_BYTES)
    return [] if key is None else [checker_of(key)]


def signatures_of(entries: Sequence[str]) -> list[bytes]:
    """Returns the signatures of the ``v1a`` entries that may be valid."""
    texts = (entry.removeprefix("v1a,") for entry in entries if entry.startswith("v1a,"))
    decoded = (decode_exactly(text, _SIGNATURE_BYTES) for text in texts)
    return [signature for signature in decoded if signature is not None][:_ENTRIES_MAX]


def is_signed_by_any(checks: Sequence[Check], signatures: Sequence[bytes], message: bytes) -> bool:
    return any(check(signature, message) for check in checks for signature in signatures)


def decode_exactly(text: str, size: int) -> bytes | None:
    """Returns that many bytes from canonical base64 with padding, or None."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    is_canonical = len(decoded) == size and base64.b64encode(decoded).decode() == text
    return decoded if is_canonical else None
