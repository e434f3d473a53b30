from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from .delivery import Delivery, read_delivery
from .key_set import KeySet
from .options import check_callable, check_seconds, check_webhook_uid
from .public_keys import Check, is_signed_by_any, read_public_keys, signatures_of
from .refusals import WebhookRefusedError
from .signatures import (
    Scheme,
    check_time,
    message_of,
    mismatch,
    standard_keys,
    text_keys,
    verify_body_only,
    verify_standard,
)

_STANDARD_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Verifier:
    """Verifies deliveries with secrets, or with the public keys of the application.

    ``public_keys`` are texts (``whpk_…``); ``key_set_url`` is where the service publishes them.
    They are the same for all webhooks of the application, so they need ``webhook_uid``.
    """

    def __init__(
        self,
        secrets: str | Sequence[str] | None = None,
        *,
        public_keys: str | Sequence[str] | None = None,
        key_set_url: str | None = None,
        webhook_uid: str | None = None,
        scheme: Scheme = "standard",
        tolerance_seconds: float = 300,
        now_seconds: Callable[[], float] = time.time,
    ) -> None:
        if scheme not in ("standard", "body-only"):
            raise ValueError("scheme must be standard or body-only")
        check_seconds("tolerance_seconds", tolerance_seconds)
        check_callable("now_seconds", now_seconds)
        self._is_standard = scheme == "standard"
        self._checks: list[Check] | None = None
        self._key_set: KeySet | None = None
        self._keys: list[bytes] = []
        _check_sources((secrets, public_keys, key_set_url), scheme)
        is_asymmetric = public_keys is not None or key_set_url is not None
        self._webhook_uid = check_webhook_uid(webhook_uid) if is_asymmetric else ""
        if key_set_url is not None:
            self._key_set = KeySet(key_set_url, now_seconds)
        elif public_keys is not None:
            self._checks = read_public_keys(public_keys)
        else:
            known = _list_of(secrets)
            self._keys = standard_keys(known) if self._is_standard else text_keys(known)
        self._tolerance_seconds = tolerance_seconds
        self._now_seconds = now_seconds

    def verify(self, headers: Mapping[str, str], raw_body: bytes) -> Delivery:
        """Returns the delivery, or raises ``WebhookRefusedError``."""
        raw_body = bytes_of(raw_body)
        sent = _join(headers)
        if self._is_standard:
            _require(sent, _STANDARD_HEADERS)
            check_time(sent["webhook-timestamp"], self._tolerance_seconds, self._now_seconds())
            self._verify_standard(sent, raw_body)
            event_id = sent["webhook-id"]
        else:
            _require(sent, ("x-webhook-signature",))
            verify_body_only(sent, raw_body, self._keys)
            event_id = sent.get("x-webhook-event-id", "")
        delivery = read_delivery(sent, raw_body)
        if event_id not in ("", delivery.event_id):
            raise WebhookRefusedError(
                "event_id_mismatch", "the header has another eventId than the body"
            )
        return delivery

    @property
    def may_fetch(self) -> bool:
        """Whether ``verify`` may wait for a request to the service."""
        return self._key_set is not None

    def _verify_standard(self, sent: Mapping[str, str], raw_body: bytes) -> None:
        if self._key_set is None and self._checks is None:
            verify_standard(sent, raw_body, self._keys)
            return
        signatures = signatures_of(sent["webhook-signature"].split(" "))
        message = message_of(sent, f"{self._webhook_uid}.".encode() + raw_body)
        # Without a candidate, no request to the key set is worth it.
        if not signatures or not self._is_signed(signatures, message):
            raise mismatch(sent, raw_body)

    def _is_signed(self, signatures: Sequence[bytes], message: bytes) -> bool:
        if self._key_set is None:
            return is_signed_by_any(self._checks or [], signatures, message)
        checks = self._key_set.checks()
        if is_signed_by_any(checks, signatures, message):
            return True
        return is_signed_by_any(self._key_set.checks_other_than(checks), signatures, message)


def _check_sources(sources: tuple[object, object, object], scheme: Scheme) -> None:
    given = [source for source in sources if source is not None]
    if len(given) > 1:
        raise ValueError("secrets must be the only one of secrets, public_keys and key_set_url")
    if len(given) == 1 and sources[0] is None and scheme != "standard":
        raise ValueError("scheme must be standard with public_keys or key_set_url")


def _list_of(secrets: object) -> Sequence[str]:
    is_list = isinstance(secrets, Sequence) and not isinstance(secrets, str | bytes)
    known = cast(Sequence[str], secrets if is_list else [secrets])
    if len(known) == 0:
        raise ValueError("secrets must not be empty")
    return known


def bytes_of(raw_body: object) -> bytes:
    """Returns the bytes of a body, also of a buffer that may change. Raises ``TypeError``."""
    if not isinstance(raw_body, bytes | bytearray | memoryview):
        raise TypeError("raw_body is not the bytes that arrived: verify before any parser")
    return bytes(raw_body)


def _join(headers: Mapping[str, str]) -> dict[str, str]:
    """Names in lower case. Some frameworks have an item for each value of a repeated header."""
    joined: dict[str, str] = {}
    for name, value in headers.items():
        known = joined.get(name.lower())
        joined[name.lower()] = value if known is None else f"{known}, {value}"
    return {name: value.strip(" \t") for name, value in joined.items()}


def _require(headers: Mapping[str, str], names: Sequence[str]) -> None:
    for name in names:
        if headers.get(name, "") == "":
            raise WebhookRefusedError("missing_header", f"{name} is absent or empty")
