"""From a verified delivery to its answer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, cast

from .answers import BUSY, HANDLED, Answer
from .delivery import Delivery
from .stores import (
    AsyncDeliveryStore,
    AsyncSequenceStore,
    Claim,
    DeliveryStore,
    SequenceStore,
)

Handler = Callable[[Delivery], object]
AsyncHandler = Callable[[Delivery], Awaitable[object]]


class Stores(NamedTuple):
    deliveries: DeliveryStore | AsyncDeliveryStore
    sequences: SequenceStore | AsyncSequenceStore | None

    def have_coroutines(self) -> bool:
        asks = [self.deliveries.claim, *([self.sequences.advance] if self.sequences else [])]
        return any(inspect.iscoroutinefunction(ask) for ask in asks)


def handle_once(stores: Stores, delivery: Delivery, handler: Handler) -> Answer:
    store = cast(DeliveryStore, stores.deliveries)
    claim = store.claim(delivery.event_id)
    if claim != "new":
        return _answer_unclaimed(claim)
    try:
        if _is_newest(cast("SequenceStore | None", stores.sequences), delivery):
            _run(handler, delivery)
        store.confirm(delivery.event_id)
    except BaseException:
        store.release(delivery.event_id)
        raise
    return HANDLED


async def handle_once_async(stores: Stores, delivery: Delivery, handler: AsyncHandler) -> Answer:
    store, sequences = stores
    claim = await _claim(store, delivery.event_id)
    if claim != "new":
        return _answer_unclaimed(claim)
    try:
        if await _is_newest_async(sequences, delivery):
            await handler(delivery)
        await _ask(store.confirm, delivery.event_id)
    except BaseException:
        # A request that is cancelled gives its event back all the same.
        await asyncio.shield(_ask(store.release, delivery.event_id))
        raise
    return HANDLED


async def _claim(store: DeliveryStore | AsyncDeliveryStore, event_id: str) -> Claim:
    claiming = asyncio.ensure_future(_ask(store.claim, event_id))
    try:
        return cast(Claim, await asyncio.shield(claiming))
    except asyncio.CancelledError:
        # A store that is slow claims all the same.
        if await asyncio.shield(claiming) == "new":
            await asyncio.shield(_ask(store.release, event_id))
        raise


def _answer_unclaimed(claim: Claim) -> Answer:
    return HANDLED if claim == "done" else BUSY


def _is_newest(sequences: SequenceStore | None, delivery: Delivery) -> bool:
    if sequences is None or delivery.sequence is None:
        return True
    return sequences.advance(delivery.resource, delivery.sequence)


def _run(handler: Handler, delivery: Delivery) -> None:
    result = handler(delivery)
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("the handler is a coroutine function: call handle_async")


async def _is_newest_async(
    sequences: SequenceStore | AsyncSequenceStore | None, delivery: Delivery
) -> bool:
    if sequences is None or delivery.sequence is None:
        return True
    return bool(await _ask(sequences.advance, delivery.resource, delivery.sequence))


async def _ask(method: Callable[..., Any], *arguments: str | int) -> Any:
    if inspect.iscoroutinefunction(method):
        return await method(*arguments)
    return await asyncio.to_thread(method, *arguments)
