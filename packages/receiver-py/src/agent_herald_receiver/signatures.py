from __future__ import annotations

import base64
import binascii
import hmac
import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from .refusals import WebhookRefusedError

#: Which signature is read; ``body-only`` where a proxy drops the ``webhook-…`` headers.
Scheme = Literal["standard", "body-only"]

_PREFIX = "whsec_"
_SECONDS = re.compile(r"[0-9]{1,12}")


def standard_keys(secrets: Sequence[str]) -> list[bytes]:
    """Returns the keys of Standard Webhooks."""
    return [_decode(secret, place) for place, secret in enumerate(secrets)]


def text_keys(secrets: Sequence[str]) -> list[bytes]:
    """Returns the keys of ``X-Webhook-Signature``."""
    for place, secret in enumerate(secrets):
        if secret == "":
            raise ValueError(f"secrets[{place}] is empty")
    return [secret.encode() for secret in secrets]


def sign_message(key: bytes, message: bytes) -> bytes:
    """Returns an entry of ``webhook-signature``."""
    return b"v1," + base64.b64encode(hmac.digest(key, message, "sha256"))


def sign_body(key: bytes, raw_body: bytes) -> bytes:
    """Returns ``X-Webhook-Signature``."""
    return b"sha256=" + hmac.digest(key, raw_body, "sha256").hex().encode()


def verify_standard(headers: Mapping[str, str], raw_body: bytes, keys: Sequence[bytes]) -> None:
    """Checks that one of the entries of ``webhook-signature`` is made with one of the keys."""
    message = _bytes(f"{headers['webhook-id']}.{headers['webhook-timestamp']}.") + raw_body
    entries = headers["webhook-signature"].split(" ")
    _require_equal(entries, [sign_message(key, message) for key in keys])


def verify_body_only(headers: Mapping[str, str], raw_body: bytes, keys: Sequence[bytes]) -> None:
    """Checks ``X-Webhook-Signature``, which does not cover the time."""
    entries = [headers["x-webhook-signature"]]
    _require_equal(entries, [sign_body(key, raw_body) for key in keys])


def check_time(timestamp: str, tolerance_seconds: float, now_seconds: float) -> None:
    """Checks that an attempt is neither too old nor too far ahead of this clock."""
    if not _SECONDS.fullmatch(timestamp):
        raise WebhookRefusedError("invalid_timestamp", "webhook-timestamp is not 1 to 12 digits")
    age_seconds = math.floor(now_seconds) - int(timestamp)
    if age_seconds > tolerance_seconds:
        raise WebhookRefusedError("timestamp_too_old", f"it was signed {age_seconds} s ago")
    if -age_seconds > tolerance_seconds:
        ahead = f"it was signed {-age_seconds} s ahead of this clock"
        raise WebhookRefusedError("timestamp_too_new", ahead)


def _decode(secret: str, place: int) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if key == b"" or not secret.startswith(_PREFIX):
        raise ValueError(f"secrets[{place}] is not {_PREFIX} and base64, as the service showed it")
    return key


# Compares all with all, so that the time taken does not tell which is equal.
def _require_equal(entries: Sequence[str], expected: Sequence[bytes]) -> None:
    given = [_bytes(entry) for entry in entries]
    equal_count = sum(hmac.compare_digest(one, other) for one in given for other in expected)
    if equal_count == 0:
        raise WebhookRefusedError("signature_mismatch", "no signature was made with a known secret")


# Headers are what a stranger sent: lone surrogates must not end in another exception.
def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
