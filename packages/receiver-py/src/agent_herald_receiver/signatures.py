from __future__ import annotations

import base64
import binascii
import hmac
import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from .refusals import BODY_ALREADY_READ, WebhookRefusedError

#: Selects the signature to verify. Use ``body-only`` if a proxy drops ``webhook-…`` headers.
Scheme = Literal["standard", "body-only"]

_PREFIX = "whsec_"
_SECONDS = re.compile(r"[0-9]{1,12}")
_LENGTH = re.compile(r"[1-9][0-9]{0,14}")
# Rejects variables that were set with quotes, spaces or line breaks.
_LINE = re.compile(r"""(?![ "'`])[ -~]+(?<![ "'`])""")


def standard_keys(secrets: Sequence[str]) -> list[bytes]:
    """Returns the keys for Standard Webhooks. Raises ``ValueError``, without showing a secret."""
    return [
        _decode(check_line(secret, f"secrets[{index}]"), index)
        for index, secret in enumerate(secrets)
    ]


def text_keys(secrets: Sequence[str]) -> list[bytes]:
    """Returns the keys for ``X-Webhook-Signature``: the whole texts. Raises ``ValueError``."""
    for index, secret in enumerate(secrets):
        if check_line(secret, f"secrets[{index}]").startswith(_PREFIX):
            _decode(secret, index)
    return [secret.encode() for secret in secrets]


def sign_message(key: bytes, message: bytes) -> bytes:
    """Returns an entry of ``webhook-signature``."""
    return b"v1," + base64.b64encode(hmac.digest(key, message, "sha256"))


def sign_body(key: bytes, raw_body: bytes) -> bytes:
    """Returns ``X-Webhook-Signature``."""
    return b"sha256=" + hmac.digest(key, raw_body, "sha256").hex().encode()


def verify_standard(headers: Mapping[str, str], raw_body: bytes, keys: Sequence[bytes]) -> None:
    """Checks that an entry of ``webhook-signature`` was made with one of the keys."""
    message = message_of(headers, raw_body)
    entries = headers["webhook-signature"].split(" ")
    if not _has_equal(entries, [sign_message(key, message) for key in keys]):
        raise mismatch(headers, raw_body)


def message_of(headers: Mapping[str, str], raw_body: bytes) -> bytes:
    """Returns what ``webhook-signature`` covers."""
    return _bytes(f"{headers['webhook-id']}.{headers['webhook-timestamp']}.") + raw_body


def verify_body_only(headers: Mapping[str, str], raw_body: bytes, keys: Sequence[bytes]) -> None:
    """Checks ``X-Webhook-Signature``, which does not cover the timestamp."""
    entries = [headers["x-webhook-signature"]]
    if not _has_equal(entries, [sign_body(key, raw_body) for key in keys]):
        raise mismatch(headers, raw_body)


def check_time(timestamp: str, tolerance_seconds: float, now_seconds: float) -> None:
    """Checks that an attempt is neither too old nor too far ahead of the clock."""
    if not _SECONDS.fullmatch(timestamp):
        raise WebhookRefusedError("invalid_timestamp", "webhook-timestamp is not 1 to 12 digits")
    age_seconds = math.floor(now_seconds) - int(timestamp)
    if age_seconds > tolerance_seconds:
        raise WebhookRefusedError("timestamp_too_old", f"it was signed {age_seconds} s ago")
    if -age_seconds > tolerance_seconds:
        ahead = f"it was signed {-age_seconds} s ahead of this clock"
        raise WebhookRefusedError("timestamp_too_new", ahead)


def mismatch(headers: Mapping[str, str], raw_body: bytes) -> WebhookRefusedError:
    """If the body is not as long as it was sent, something on this side changed it."""
    length = headers.get("content-length", "")
    if _LENGTH.fullmatch(length) and int(length) != len(raw_body):
        lengths = f"Content-Length is {length}, the body has {len(raw_body)} bytes"
        return WebhookRefusedError("body_already_read", f"{BODY_ALREADY_READ} ({lengths})")
    hint = "" if raw_body else ": the body is empty"
    return WebhookRefusedError(
        "signature_mismatch", f"no signature was made with a known secret{hint}"
    )


def check_line(text: object, name: str) -> str:
    """Returns the text of an option if it is a line without quotes. Raises ``ValueError``."""
    if not isinstance(text, str) or text == "":
        rule = "must be a text that is not empty: is its environment variable set?"
        raise ValueError(f"{name} {rule}")
    if not _LINE.fullmatch(text):
        raise ValueError(f"{name} must be printable ASCII, without spaces or quotes around it")
    return text


def _decode(secret: str, index: int) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if key == b"" or not secret.startswith(_PREFIX):
        rule = f"must be {_PREFIX} and base64, as the service showed it"
        raise ValueError(f"secrets[{index}] {rule}")
    return key


# Compares every pair, so that the time taken does not reveal which one is equal.
def _has_equal(entries: Sequence[str], expected: Sequence[bytes]) -> bool:
    given = [_bytes(entry) for entry in entries]
    return sum(hmac.compare_digest(one, other) for one in given for other in expected) > 0


# Strangers can send any header: a lone surrogate must not raise another exception.
def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
