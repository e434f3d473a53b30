from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn, cast

from .event_data import EventData
from .read_data import read_data, read_time
from .refusals import WebhookRefusedError

_COUNT = re.compile(r"0|[1-9][0-9]{0,14}")
_SEQUENCE_MAX = 999_999_999_999_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A verified request. Only ``attempt`` and ``attempts_left`` are not signed."""

    event_id: str
    event: str
    #: The time of the change, in ISO 8601.
    timestamp: str
    app_uid: str
    #: None if the header is absent or invalid.
    attempt: int | None
    #: How many attempts follow if this one fails: 0 on the last. None if the header is absent.
    attempts_left: int | None
    #: The number of the change among those of the resource. None if the event has none.
    sequence: int | None
    #: True for a test event. ``data`` is then a sample.
    test: bool
    #: The typed ``payload["data"]``. Distinguish the types with ``match`` or ``isinstance``.
    data: EventData
    #: The parsed body, including unknown fields.
    payload: Mapping[str, Any]

    @property
    def changed_at(self) -> datetime:
        """The parsed ``timestamp``, with its time zone. Raises ``ValueError`` if it has none."""
        time = read_time(self.timestamp)
        if time is None:
            raise ValueError(f"{self.timestamp!r} is not a time with a time zone")
        return time

    @property
    def resource(self) -> str:
        """The kind and uid of the resource, such as ``agent/agt_…``."""
        kind, _, _ = self.event.partition(".")
        return f"{kind}/{self.payload['data']['uid']}"


def read_delivery(headers: Mapping[str, str], raw_body: bytes) -> Delivery:
    """Parses a request whose signature was verified. Raises ``WebhookRefusedError``."""
    payload = _read_payload(raw_body)
    return Delivery(
        event_id=payload["eventId"],
        event=payload["event"],
        timestamp=payload["timestamp"],
        app_uid=payload["appUid"],
        attempt=_read_count(headers.get("x-webhook-attempt")) or None,
        attempts_left=_read_count(headers.get("x-webhook-attempts-left")),
        sequence=_read_sequence(payload.get("sequence")),
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
    version: Any = payload.get("version")
    if not _is_whole(version) or version < 1:
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


# 1.0 is a whole number, too.
def _is_whole(value: object) -> bool:
    return type(value) is int or (isinstance(value, float) and value.is_integer())


def _read_count(text: str | None) -> int | None:
    return int(text) if text is not None and _COUNT.fullmatch(text) else None


# `type`, because True is an int in Python but not a number in JSON.
def _read_sequence(number: object) -> int | None:
    if type(number) not in (int, float):
        return None
    whole = cast(float, number)
    return int(whole) if 1 <= whole <= _SEQUENCE_MAX and whole == int(whole) else None
