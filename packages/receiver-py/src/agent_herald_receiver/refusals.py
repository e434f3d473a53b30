from __future__ import annotations

from typing import Literal

RefusalCode = Literal[
    "missing_header",
    "invalid_timestamp",
    "timestamp_too_old",
    "timestamp_too_new",
    "signature_mismatch",
    "body_already_read",
    "invalid_body",
    "event_id_mismatch",
]

#: What is to be done about a body that is not what arrived.
BODY_ALREADY_READ = (
    "the body was read or changed before the receiver: put the receiver before body parsers"
)


class WebhookRefusedError(Exception):
    """A request that is not a genuine delivery; ``code`` says why.

    ``body_already_read`` is a fault of the receiver's own setup.
    """

    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code: RefusalCode = code
