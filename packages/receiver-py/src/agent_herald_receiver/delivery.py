from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from .event_data import EventData
from .read_data import read_data, read_time
from .refusals import WebhookRefusedError

_COUNT = re.compile(r"[1-9][0-9]{0,14}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A verified request of the service. No signature covers ``attempt`` and ``sequence``."""

    event_id: str
    event: str
    #: The time of the change, as it came.
    timestamp: str
    app_uid: str
    #: None where the header is absent or no number.
    attempt: int | None
    #: The number of this change among those of its resource; None where there is no order.
    sequence: int | None
    #: Somebody tried the webhook out, and ``data`` is a sample.
    test: bool
    #: ``payload["data"]`` with its type; tell them apart with ``match`` or ``isinstance``.
    data: EventData
    #: The whole body, unknown fields included.
    payload: Mapping[str, Any]

    @property
    def changed_at(self) -> datetime:
        """``timestamp`` as a time with its zone."""
        time = read_time(self.timestamp)
        if time is None:
            raise ValueError(f"{self.timestamp!r} is not a time with its zone")
        return time

    @property
    def resource(self) -> str:
        """The kind and the uid that the event is about, such as ``agent/agt_…``."""
        kind, _, _ = self.event.partition(".")
        return f"{kind}/{self.payload['data']['uid']}"


def read_delivery(headers: Mapping[str, str], raw_body: bytes) -> Delivery:
    """Reads a request whose signature was verified."""
    payload = _read_payload(raw_body)
    return Delivery(
        event_id=payload["eventId"],
        event=payload["event"],
        timestamp=payload["timestamp"],
        app_uid=payload["appUid"],
        attempt=_read_count(headers.get("x-webhook-attempt")),
        sequence=_read_count(headers.get("x-webhook-sequence")),
        test=payload.get("test") is True,
        data=read_data(payload),
        payload=payload,
    )


def _read_payload(raw_body: bytes) -> dict[str, Any]:
    try:
        payload = json.loads(raw_body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise WebhookRefusedError("invalid_body", "the body is not JSON in UTF-8") from error
    if not isinstance(payload, dict):
        raise WebhookRefusedError("invalid_body", "the body is not an object")
    for name in ("eventId", "event", "timestamp", "appUid"):
        if not _is_text(payload.get(name)):
            raise WebhookRefusedError("invalid_body", f"{name} is not a text")
    version = payload.get("version")
    if type(version) is not int or version < 1:
        raise WebhookRefusedError("invalid_body", "version is not a number from 1")
    if not isinstance(payload.get("data"), dict):
        raise WebhookRefusedError("invalid_body", "data is not an object")
    if not _is_text(payload["data"].get("uid")):
        raise WebhookRefusedError("invalid_body", "data.uid is not a text")
    return payload


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _read_count(text: str | None) -> int | None:
    return int(text) if text is not None and _COUNT.fullmatch(text) else None
