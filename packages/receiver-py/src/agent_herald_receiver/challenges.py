"""The challenge that the service sends before a webhook becomes active.

It is answered unverified, because the receiver may not have the secret yet. The answer only agrees
to requests, and contains nothing but the random value.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SHAPE = re.compile(r"[A-Za-z0-9_-]{32}")
# A stranger could make the parser work on longer ones.
_BYTES_MAX = 1_024


def challenge_in(raw_body: bytes) -> str | None:
    """Returns the value of a challenge, or None for any other body."""
    if len(raw_body) > _BYTES_MAX:
        return None
    try:
        payload: Any = json.loads(raw_body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(payload, dict) or payload.get("event") != "webhook.challenge":
        return None
    challenge = payload.get("challenge")
    is_challenge = isinstance(challenge, str) and _SHAPE.fullmatch(challenge)
    return challenge if is_challenge else None
