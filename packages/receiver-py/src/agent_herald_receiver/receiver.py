from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from .challenges import challenge_in
from .delivery import Delivery
from .handling import AsyncHandler, Handler, Stores, handle_once, handle_once_async
from .options import check_limit, check_store, is_coroutine_function
from .refusals import BODY_ALREADY_READ, WebhookRefusedError
from .responses import ALREADY_READ, FAILED, HANDLED, TOO_LARGE, WebhookResponse, refusal
from .signatures import Scheme
from .stores import (
    AsyncDeliveryStore,
    AsyncSequenceStore,
    DeliveryStore,
    MemoryDeliveryStore,
    SequenceStore,
)
from .verifier import Verifier, bytes_of

_logger = logging.getLogger("agent_herald_receiver")


class Receiver:
    """Verifies deliveries, and has each event handled once.

    It takes ``secrets``, or ``webhook_uid`` with ``public_keys`` (``whpk_…``) or ``key_set_url``
    (see ``Verifier``).

    ``store`` remembers the handled events. By default, it is in the memory of this process.
    ``sequences``, if set, skips changes older than the latest handled one of the same resource.
    ``handle_tests`` passes test events to the handler, too. By default, they are acknowledged only.
    ``tolerance_seconds`` is the maximum difference between ``webhook-timestamp`` and the clock.
    Raises ``ValueError`` for an invalid option.
    """

    def __init__(
        self,
        secrets: str | Sequence[str] | None = None,
        *,
        public_keys: str | Sequence[str] | None = None,
        key_set_url: str | None = None,
        webhook_uid: str | None = None,
        scheme: Scheme = "standard",
        tolerance_seconds: float = 300,
        store: DeliveryStore | AsyncDeliveryStore | None = None,
        sequences: SequenceStore | AsyncSequenceStore | None = None,
        handle_tests: bool = False,
        body_bytes_max: int = 1_048_576,
        now_seconds: Callable[[], float] = time.time,
    ) -> None:
        self._verifier = Verifier(
            secrets,
            public_keys=public_keys,
            key_set_url=key_set_url,
            webhook_uid=webhook_uid,
            scheme=scheme,
            tolerance_seconds=tolerance_seconds,
            now_seconds=now_seconds,
        )
        check_limit("body_bytes_max", body_bytes_max)
        if store is not None:
            check_store("store", store, ("claim", "complete", "release"))
        if sequences is not None:
            check_store("sequences", sequences, ("newest", "advance"))
        if not isinstance(handle_tests, bool):
            raise ValueError("handle_tests must be True or False")
        self._stores = Stores(MemoryDeliveryStore() if store is None else store, sequences)
        self._handle_tests = handle_tests
        self.body_bytes_max = body_bytes_max

    def verify(self, headers: Mapping[str, str], raw_body: bytes) -> Delivery:
        """Returns the delivery, or raises ``WebhookRefusedError``. The body must not be parsed."""
        return self._verifier.verify(headers, raw_body)

    def handle(
        self, headers: Mapping[str, str], raw_body: bytes, handler: Handler
    ) -> WebhookResponse:
        """Verifies a request, calls the handler if necessary, and returns the response to send.

        A challenge is answered. If the handler raises, the exception is logged, and the response is
        a 500.
        """
        self.check_handler(handler)
        delivery = self._screen(headers, raw_body)
        if isinstance(delivery, WebhookResponse):
            return delivery
        try:
            return handle_once(self._stores, delivery, handler)
        except Exception:
            return _failed(delivery)

    async def handle_async(
        self, headers: Mapping[str, str], raw_body: bytes, handler: Handler | AsyncHandler
    ) -> WebhookResponse:
        """Like ``handle``. A handler that is not a coroutine function runs in a thread."""
        if not is_coroutine_function(handler):
            return await asyncio.to_thread(self.handle, headers, raw_body, handler)
        # A fetch of the public keys must not stop the event loop.
        delivery = (
            await asyncio.to_thread(self._screen, headers, raw_body)
            if self._verifier.may_fetch
            else self._screen(headers, raw_body)
        )
        if isinstance(delivery, WebhookResponse):
            return delivery
        try:
            return await handle_once_async(self._stores, delivery, cast(AsyncHandler, handler))
        except Exception:
            return _failed(delivery)

    def check_handler(self, handler: Handler | AsyncHandler) -> None:
        """Raises ``TypeError`` for a handler that does not work with the stores."""
        if not callable(handler):
            raise TypeError("the handler must be a function")
        if self._stores.have_coroutines() and not is_coroutine_function(handler):
            raise TypeError("stores of coroutines need handle_async with a coroutine function")

    def refuse(self, response: WebhookResponse) -> WebhookResponse:
        """Logs that a request was refused, and returns the response to send."""
        _logger.info("refused a request: %s", response.code)
        return response

    def refuse_read_body(self, error: Exception) -> WebhookResponse:
        """Logs that the body was read before the adapter, and returns the response to send."""
        _logger.error("%s (%s)", BODY_ALREADY_READ, str(error) or type(error).__name__)
        return ALREADY_READ

    def _screen(self, headers: Mapping[str, str], raw_body: bytes) -> Delivery | WebhookResponse:
        raw_body = bytes_of(raw_body)
        if len(raw_body) > self.body_bytes_max:
            return self.refuse(TOO_LARGE)
        challenge = challenge_in(raw_body)
        if challenge is not None:
            return WebhookResponse(200, challenge=challenge)
        try:
            delivery = self.verify(headers, raw_body)
        except WebhookRefusedError as error:
            # A wrong setup of the receiver is logged as an error, so that it is noticed.
            is_ours = error.code in ("body_already_read", "keys_unavailable")
            level = logging.ERROR if is_ours else logging.INFO
            _logger.log(level, "refused a request: %s (%s)", error.code, error)
            return refusal(error)
        return HANDLED if delivery.test and not self._handle_tests else delivery


def _failed(delivery: Delivery) -> WebhookResponse:
    _logger.exception("could not handle %s (%s)", delivery.event_id, delivery.event)
    return FAILED
