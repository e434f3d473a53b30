from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from .delivery import Delivery, read_delivery
from .options import check_callable, check_seconds
from .refusals import WebhookRefusedError
from .signatures import (
    Scheme,
    check_time,
    standard_keys,
    text_keys,
    verify_body_only,
    verify_standard,
)

_STANDARD_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Verifier:
    """Verifies that requests are deliveries signed with one of the secrets."""

    def __init__(
        self,
        secrets: str | Sequence[str],
        *,
        scheme: Scheme = "standard",
        tolerance_seconds: float = 300,
        now_seconds: Callable[[], float] = time.time,
    ) -> None:
        is_list = isinstance(secrets, Sequence) and not isinstance(secrets, str | bytes)
        known = cast(Sequence[str], secrets if is_list else [secrets])
        if len(known) == 0:
            raise ValueError("secrets must not be empty")
        if scheme not in ("standard", "body-only"):
            raise ValueError("scheme must be standard or body-only")
        check_seconds("tolerance_seconds", tolerance_seconds)
        check_callable("now_seconds", now_seconds)
        self._is_standard = scheme == "standard"
        self._keys = standard_keys(known) if self._is_standard else text_keys(known)
        self._tolerance_seconds = tolerance_seconds
        self._now_seconds = now_seconds

    def verify(self, headers: Mapping[str, str], raw_body: bytes) -> Delivery:
        """Returns the delivery, or raises ``WebhookRefusedError``."""
        require_bytes(raw_body)
        sent = {name.lower(): value.strip(" \t") for name, value in headers.items()}
        if self._is_standard:
            _require(sent, _STANDARD_HEADERS)
            check_time(sent["webhook-timestamp"], self._tolerance_seconds, self._now_seconds())
            verify_standard(sent, raw_body, self._keys)
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


def require_bytes(raw_body: object) -> None:
    if not isinstance(raw_body, bytes | bytearray):
        raise TypeError("raw_body is not the bytes that arrived: verify before any parser")


def _require(headers: Mapping[str, str], names: Sequence[str]) -> None:
    for name in names:
        if headers.get(name, "") == "":
            raise WebhookRefusedError("missing_header", f"{name} is absent or empty")
