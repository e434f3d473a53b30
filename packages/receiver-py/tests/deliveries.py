"""Deliveries signed by the library of Standard Webhooks, independently of this package."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from standardwebhooks import Webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"


def payload_of(event_id: str, **changes: Any) -> dict[str, Any]:
    return {
        "eventId": event_id,
        "event": "agent.updated",
        "timestamp": "2026-01-01T12:00:00.000Z",
        "appUid": "app_1",
        "version": 1,
        "data": {"uid": "agt_1", "externalTenantId": "tenant-1", "agentName": "Zoë", "live": True},
        **changes,
    }


def sign(
    payload: dict[str, Any], *, secret: str = SECRET, header: int | None = None
) -> tuple[dict[str, str], bytes]:
    """Returns the headers and the body of an attempt made now. X-Webhook-Sequence can be forged."""
    header = header or payload.get("sequence")
    body = json.dumps(payload, ensure_ascii=False)
    now = datetime.now(tz=timezone.utc)
    headers = {
        "content-type": "application/json",
        "webhook-id": payload["eventId"],
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(payload["eventId"], now, body),
    }
    if header is not None:
        headers["x-webhook-sequence"] = str(header)
    return headers, body.encode()


def delivery_of(
    event_id: str = "evt_1",
    *,
    sequence: int | None = None,
    header: int | None = None,
    **changes: Any,
) -> tuple[dict[str, str], bytes]:
    numbered = changes if sequence is None else {**changes, "sequence": sequence}
    return sign(payload_of(event_id, **numbered), header=header)
