from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .event_data import (
    AgentData,
    ContextData,
    ContextFileData,
    EventData,
    ExhaustedData,
    ExpiringKeyData,
    KeyRevocationData,
    LastAttempt,
    OverdueFileData,
    RevocationData,
    TokenRevocationData,
    UnknownData,
    WebhookNoticeData,
    WebhookTestData,
)

_KINDS: Mapping[str, type[EventData]] = {
    "agent.created": AgentData,
    "agent.updated": AgentData,
    "agent.deleted": AgentData,
    "context.created": ContextData,
    "context.updated": ContextData,
    "context.deleted": ContextData,
    "contextfile.created": ContextFileData,
    "contextfile.updated": ContextFileData,
    "contextfile.deleted": ContextFileData,
    "webhook.test": WebhookTestData,
    "webhook.failing": WebhookNoticeData,
    "webhook.deactivation_scheduled": WebhookNoticeData,
    "webhook.deactivated": WebhookNoticeData,
    "webhook.recovered": WebhookNoticeData,
    "delivery.exhausted": ExhaustedData,
    "apikey.expiring": ExpiringKeyData,
    "contextfile.processing_overdue": OverdueFileData,
    "user.tokens_revoked": RevocationData,
    "user.token_revoked": TokenRevocationData,
    "application.tokens_revoked": RevocationData,
    "application.key_tokens_revoked": KeyRevocationData,
}

_Read = TypeVar("_Read")


def read_data(payload: Mapping[str, Any]) -> EventData:
    """Returns the typed ``data``. The types describe version 1."""
    fields = payload["data"]
    kind = _KINDS.get(payload["event"]) if payload["version"] == 1 else None
    read = None if kind is None else _read_object(kind, fields)
    return UnknownData(fields) if read is None else read


def read_time(text: object) -> datetime | None:
    """Parses a time in ISO 8601 with a time zone. Returns None if it is not one."""
    if not isinstance(text, str):
        return None
    try:
        # Python 3.10 does not parse the suffix Z.
        time = datetime.fromisoformat(re.sub(r"[Zz]\Z", "+00:00", text))
    except ValueError:
        return None
    return None if time.tzinfo is None else time


def camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def _read_object(kind: type[_Read], fields: Mapping[str, Any]) -> _Read | None:
    values: dict[str, object] = {}
    for name, wire_name, type_, is_required in _FIELDS[kind]:
        value = _read_value(type_, fields.get(wire_name))
        if value is None and is_required:
            return None
        values[name] = value
    return kind(**values)


def _fields_of(kind: type) -> list[tuple[str, str, Any, bool]]:
    hints = get_type_hints(kind)
    return [
        (field.name, camel_case(field.name), _without_none(hints[field.name]), _is_required(field))
        for field in dataclasses.fields(kind)
    ]


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    return next(one for one in get_args(hint) if one is not type(None))


def _read_value(type_: Any, value: object) -> object:
    if type_ is datetime:
        return read_time(value)
    if type_ is LastAttempt:
        return _read_object(LastAttempt, value) if isinstance(value, dict) else None
    if get_origin(type_) is tuple:
        return _read_texts(value)
    # `type`, because True is an int in Python but not a number in JSON.
    return value if type(value) is type_ else None


def _read_texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(value)


_FIELDS: dict[type, list[tuple[str, str, Any, bool]]] = {
    kind: _fields_of(kind) for kind in (*_KINDS.values(), LastAttempt)
}
