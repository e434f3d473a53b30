"""Handles a verified delivery and returns the response."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, cast
from uuid import uuid4

from .delivery import Delivery
from .options import is_coroutine_function
from .responses import BUSY, HANDLED, WebhookResponse
from .stores import (
    AsyncDeliveryStore,
    AsyncSequenceStore,
    Claim,
    DeliveryStore,
    SequenceStore,
)

_logger = logging.getLogger("agent_herald_receiver")

Handler = Callable[[Delivery], object]
AsyncHandler = Callable[[Delivery], Awaitable[object]]


class Stores(NamedTuple):
    deliveries: DeliveryStore | AsyncDeliveryStore
    sequences: SequenceStore | AsyncSequenceStore | None

    def have_coroutines(self) -> bool:
        methods = [self.deliveries.claim, *([self.sequences.advance] if self.sequences else [])]
        return any(is_coroutine_function(method) for method in methods)


def handle_once(stores: Stores, delivery: Delivery, handler: Handler) -> WebhookResponse:
    store, token = cast(DeliveryStore, stores.deliveries), uuid4().hex
    try:
        claim = store.claim(delivery.event_id, token)
        if claim == "new":
            _handle_claimed(cast("SequenceStore | None", stores.sequences), delivery, handler)
            store.complete(delivery.event_id, token)
        else:
            _check_claim(claim)
    except BaseException:
        # Even if the claim failed: the store may have saved it before its response was lost.
        _release(store, delivery.event_id, token)
        raise
    return BUSY if claim == "busy" else HANDLED


# A 204 for anything else would lose the event.
def _check_claim(claim: object) -> None:
    if claim not in ("done", "busy"):
        raise TypeError(f"a store must not claim {claim!r}")


def _handle_claimed(sequences: SequenceStore | None, delivery: Delivery, handler: Handler) -> None:
    if sequences is None or delivery.sequence is None:
        _run(handler, delivery)
    elif delivery.sequence >= sequences.newest(delivery.resource):
        _run(handler, delivery)
        # After the handler, so that a failed change does not cause older ones to be skipped.
        sequences.advance(delivery.resource, delivery.sequence)


def _run(handler: Handler, delivery: Delivery) -> None:
    result = handler(delivery)
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("the handler is a coroutine function: call handle_async")


def _release(store: DeliveryStore, event_id: str, token: str) -> None:
    try:
        store.release(event_id, token)
    except Exception:
        # Logged instead of raised, so that the original exception, maybe a cancellation, is raised.
        _logger.exception("could not release %s", event_id)


async def handle_once_async(
    stores: Stores, delivery: Delivery, handler: AsyncHandler
) -> WebhookResponse:
    (store, sequences), token = stores, uuid4().hex
    try:
        claim = await _claim(store, delivery.event_id, token)
        if claim == "new":
            await _handle_claimed_async(sequences, delivery, handler)
            await _call(store.complete, delivery.event_id, token)
        else:
            _check_claim(claim)
    except BaseException:
        # The claim is released even if the request was cancelled.
        await asyncio.shield(_release_async(store, delivery.event_id, token))
        raise
    return BUSY if claim == "busy" else HANDLED


async def _claim(store: DeliveryStore | AsyncDeliveryStore, event_id: str, token: str) -> Claim:
    claiming = asyncio.ensure_future(_call(store.claim, event_id, token))
    try:
        return cast(Claim, await asyncio.shield(claiming))
    except asyncio.CancelledError:
        # A slow store may still make the claim, and the release must come after it.
        await asyncio.wait([claiming])
        raise


async def _handle_claimed_async(
    sequences: SequenceStore | AsyncSequenceStore | None, delivery: Delivery, handler: AsyncHandler
) -> None:
    if sequences is None or delivery.sequence is None:
        await handler(delivery)
    elif delivery.sequence >= await _call(sequences.newest, delivery.resource):
        await handler(delivery)
        await _call(sequences.advance, delivery.resource, delivery.sequence)


async def _release_async(
    store: DeliveryStore | AsyncDeliveryStore, event_id: str, token: str
) -> None:
    try:
        await _call(store.release, event_id, token)
    except Exception:
        _logger.exception("could not release %s", event_id)


async def _call(method: Callable[..., Any], *arguments: str | int) -> Any:
    if is_coroutine_function(method):
        return await method(*arguments)
    result = await asyncio.to_thread(method, *arguments)
    # Decorators may hide that the method is a coroutine function.
    return await result if inspect.isawaitable(result) else result
