from __future__ import annotations

from typing import Literal

RefusalCode = Literal[
    "missing_header",
    "invalid_timestamp",
    "timestamp_too_old",
    "timestamp_too_new",
    "signature_mismatch",
    "keys_unavailable",
    "body_already_read",
    "invalid_body",
    "event_id_mismatch",
]

#: Explains how to fix a body that differs from the bytes that arrived.
BODY_ALREADY_READ = (
    "the body was read or changed before the receiver: put the receiver before body parsers"
)


class WebhookRefusedError(Exception):
    """The request is not a valid delivery. ``code`` is the reason.

    ``body_already_read`` means that the receiver itself is set up wrongly.
    """

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code: RefusalCode = code
