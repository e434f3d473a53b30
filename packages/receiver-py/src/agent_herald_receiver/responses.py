from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from .refusals import BODY_ALREADY_READ, WebhookRefusedError


@dataclass(frozen=True, slots=True)
class WebhookResponse:
    """The response to send. The service retries a delivery unless the status is 2xx."""

    status: int
    #: None for 204 and for a challenge. Otherwise the body is ``{"code": code}``.
    code: str | None = None
    extra_headers: Mapping[str, str] = field(default_factory=dict)
    #: Explains how to fix the problem. The service shows it with the attempt.
    detail: str | None = None
    #: The value of a challenge. The body is ``{"challenge": challenge}``.
    challenge: str | None = None

    @property
    def body(self) -> bytes:
        if self.challenge is not None:
            return json.dumps({"challenge": self.challenge}).encode()
        if self.code is None:
            return b""
        detail = {} if self.detail is None else {"detail": self.detail}
        return json.dumps({"code": self.code, **detail}).encode()

    @property
    def headers(self) -> dict[str, str]:
        content = {"Content-Type": "application/json"} if self.body else {}
        return {**content, **self.extra_headers}


HANDLED = WebhookResponse(204)
NO_POST = WebhookResponse(405, "method_not_allowed", {"Allow": "POST"})
BUSY = WebhookResponse(409, "in_progress")
TOO_LARGE = WebhookResponse(413, "body_too_large")
FAILED = WebhookResponse(500, "handler_failed")
ALREADY_READ = WebhookResponse(500, "body_already_read", detail=BODY_ALREADY_READ)

_UNREADABLE = ("invalid_body", "event_id_mismatch")


def refusal(error: WebhookRefusedError) -> WebhookResponse:
    if error.code == "body_already_read":
        return ALREADY_READ
    if error.code == "keys_unavailable":
        return WebhookResponse(503, error.code)
    return WebhookResponse(400 if error.code in _UNREADABLE else 401, error.code)
