from __future__ import annotations

from typing import Literal

RefusalCode = Literal[
    "missing_header",
    "invalid_timestamp",
    "timestamp_too_old",
    "timestamp_too_new",
    "signature_mismatch",
    "invalid_body",
    "event_id_mismatch",
]


class WebhookRefusedError(Exception):
    """A request that is not a genuine delivery; ``code`` says why."""

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code: RefusalCode = code
