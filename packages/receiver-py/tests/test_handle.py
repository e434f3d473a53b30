from __future__ import annotations

import asyncio
import threading
import time
from typing import Protocol

import pytest
from deliveries import SECRET, delivery_of

from agent_herald_receiver import (
    AsyncDeliveryStore,
    Claim,
    Delivery,
    DeliveryStore,
    MemoryDeliveryStore,
    MemorySequenceStore,
    Receiver,
    WebhookResponse,
)

HANDLED = WebhookResponse(204)


class Calls:
    """A handler that fails a given number of times."""

    def __init__(self, failures: int = 0) -> None:
        self.event_ids: list[str] = []
        self._failures = failures

    def __call__(self, delivery: Delivery) -> None:
        self.event_ids.append(delivery.event_id)
        if len(self.event_ids) <= self._failures:
            raise RuntimeError("the database is away")


class CoroutineStore:
    def __init__(self) -> None:
        self.memory = MemoryDeliveryStore()

    async def claim(self, event_id: str, token: str) -> Claim:
        return self.memory.claim(event_id, token)

    async def complete(self, event_id: str, token: str) -> None:
        self.memory.complete(event_id, token)

    async def release(self, event_id: str, token: str) -> None:
        self.memory.release(event_id, token)


class CoroutineSequences:
    def __init__(self) -> None:
        self.memory = MemorySequenceStore()

    async def newest(self, resource: str) -> int:
        return self.memory.newest(resource)

    async def advance(self, resource: str, sequence: int) -> None:
        self.memory.advance(resource, sequence)


class BrokenStore(MemoryDeliveryStore):
    def complete(self, event_id: str, token: str) -> None:
        raise ConnectionError(event_id, token)


class LostClaim(MemoryDeliveryStore):
    """Saves the first claim, but loses the response."""

    is_lost = False

    def claim(self, event_id: str, token: str) -> Claim:
        claim = super().claim(event_id, token)
        if self.is_lost:
            return claim
        self.is_lost = True
        raise ConnectionError


class BrokenSequences(MemorySequenceStore):
    def __init__(self) -> None:
        super().__init__()
        self.is_broken = True

    def advance(self, resource: str, sequence: int) -> None:
        if self.is_broken:
            raise ConnectionError
        super().advance(resource, sequence)


class Handle(Protocol):
    def __call__(
        self, receiver: Receiver, calls: Calls, event_id: str = "evt_1", sequence: int | None = None
    ) -> WebhookResponse: ...


def handle(
    receiver: Receiver, calls: Calls, event_id: str = "evt_1", sequence: int | None = None
) -> WebhookResponse:
    return receiver.handle(*delivery_of(event_id, sequence=sequence), calls)


def handle_async(
    receiver: Receiver, calls: Calls, event_id: str = "evt_1", sequence: int | None = None
) -> WebhookResponse:
    async def handler(delivery: Delivery) -> None:
        calls(delivery)

    return asyncio.run(receiver.handle_async(*delivery_of(event_id, sequence=sequence), handler))


def handle_in_thread(
    receiver: Receiver, calls: Calls, event_id: str = "evt_1", sequence: int | None = None
) -> WebhookResponse:
    return asyncio.run(receiver.handle_async(*delivery_of(event_id, sequence=sequence), calls))


each_way = pytest.mark.parametrize("way", [handle, handle_async, handle_in_thread])


@each_way
def test_each_event_is_handled_once(way: Handle) -> None:
    receiver, calls = Receiver([SECRET]), Calls()
    responses = [way(receiver, calls, event_id) for event_id in ("evt_1", "evt_1", "evt_2")]
    assert responses == [HANDLED] * 3
    assert calls.event_ids == ["evt_1", "evt_2"]


@each_way
def test_a_handler_that_failed_gets_the_next_attempt(
    way: Handle, caplog: pytest.LogCaptureFixture
) -> None:
    receiver, calls = Receiver([SECRET]), Calls(failures=1)
    responses = [way(receiver, calls, "evt_1") for _ in range(3)]
    assert [response.status for response in responses] == [500, 204, 204]
    assert calls.event_ids == ["evt_1"] * 2
    assert "the database is away" in caplog.text


@each_way
def test_a_store_that_fails_makes_the_service_send_again(way: Handle) -> None:
    receiver, calls = Receiver([SECRET], store=BrokenStore()), Calls()
    assert [way(receiver, calls, "evt_1").status for _ in range(2)] == [500, 500]
    assert calls.event_ids == ["evt_1"] * 2


@each_way
def test_a_claim_whose_response_was_lost_is_released(way: Handle) -> None:
    receiver, calls = Receiver([SECRET], store=LostClaim()), Calls()
    assert [way(receiver, calls, "evt_1").status for _ in range(2)] == [500, 204]
    assert calls.event_ids == ["evt_1"]


@each_way
def test_a_change_whose_sequence_was_not_recorded_is_handled_again(way: Handle) -> None:
    sequences = BrokenSequences()
    receiver, calls = Receiver([SECRET], sequences=sequences), Calls()
    assert way(receiver, calls, "evt_1", 1).status == 500
    sequences.is_broken = False
    assert way(receiver, calls, "evt_1", 1).status == 204
    assert calls.event_ids == ["evt_1"] * 2


def test_a_store_of_coroutines_is_awaited() -> None:
    receiver, calls = Receiver([SECRET], store=CoroutineStore()), Calls(failures=1)
    responses = [handle_async(receiver, calls) for _ in range(3)]
    assert [response.status for response in responses] == [500, 204, 204]
    assert calls.event_ids == ["evt_1"] * 2


def test_a_store_of_coroutines_needs_a_coroutine_function() -> None:
    receiver = Receiver([SECRET], store=CoroutineStore())
    for way in (handle, handle_in_thread):
        with pytest.raises(TypeError, match="coroutine function"):
            way(receiver, Calls())


def test_the_stores_match_the_protocols() -> None:
    stores: tuple[DeliveryStore, AsyncDeliveryStore] = (MemoryDeliveryStore(), CoroutineStore())
    assert len(stores) == 2


@pytest.mark.parametrize("uptime_seconds", [0.1 * n for n in range(1, 300)])
def test_an_unclaimed_event_is_new_even_right_after_boot(
    uptime_seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: uptime_seconds)
    assert MemoryDeliveryStore().claim("evt_1", "a") == "new"


def test_a_request_cancelled_during_the_claim_releases_its_event() -> None:
    claiming, goes_on = threading.Event(), threading.Event()

    class SlowStore(MemoryDeliveryStore):
        def claim(self, event_id: str, token: str) -> Claim:
            claiming.set()
            goes_on.wait(10)
            return super().claim(event_id, token)

    receiver, calls = Receiver([SECRET], store=SlowStore()), Calls()

    async def cancel_while_claimed() -> None:
        async def handler(_: Delivery) -> None:
            raise AssertionError

        task = asyncio.create_task(receiver.handle_async(*delivery_of(), handler))
        await asyncio.to_thread(claiming.wait, 10)
        task.cancel()
        await asyncio.sleep(0)
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_while_claimed())
    assert handle(receiver, calls) == HANDLED
    assert calls.event_ids == ["evt_1"]


class UnreleasedStore(MemoryDeliveryStore):
    def release(self, event_id: str, token: str) -> None:
        super().release(event_id, token)
        raise ConnectionError


@pytest.mark.parametrize("store", [MemoryDeliveryStore(), UnreleasedStore()])
def test_a_cancelled_request_releases_its_event_and_stays_cancelled(
    store: MemoryDeliveryStore,
) -> None:
    receiver, calls = Receiver([SECRET], store=store), Calls()

    async def cancel_while_handled() -> None:
        begun = asyncio.Event()

        async def handler(_: Delivery) -> None:
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(receiver.handle_async(*delivery_of(), handler))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_while_handled())
    assert handle(receiver, calls) == HANDLED
    assert calls.event_ids == ["evt_1"]


def test_of_concurrent_threads_one_handles_the_event() -> None:
    receiver, calls = Receiver([SECRET]), Calls()
    threads = [threading.Thread(target=handle, args=(receiver, calls)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls.event_ids == ["evt_1"]


def test_an_unawaited_coroutine_does_not_count_as_handled() -> None:
    async def handler(_: Delivery) -> None:
        raise AssertionError

    assert Receiver([SECRET]).handle(*delivery_of(), handler).status == 500


def test_a_test_event_is_acknowledged_and_handled_only_on_request() -> None:
    calls = Calls()
    assert Receiver([SECRET]).handle(*delivery_of(test=True), calls) == HANDLED
    assert calls.event_ids == []
    assert Receiver([SECRET], handle_tests=True).handle(*delivery_of(test=True), calls) == HANDLED
    assert calls.event_ids == ["evt_1"]


@each_way
def test_with_sequences_an_older_change_is_not_handled(way: Handle) -> None:
    sequences = {"evt_1": 1, "evt_3": 3, "evt_2": 2, "evt_4": 3}
    receivers = (Receiver([SECRET], sequences=MemorySequenceStore()), Receiver([SECRET]))
    handled = []
    for receiver in receivers:
        calls = Calls()
        for event_id, sequence in sequences.items():
            assert way(receiver, calls, event_id, sequence) == HANDLED
        handled.append(calls.event_ids)
    assert handled == [["evt_1", "evt_3", "evt_4"], list(sequences)]


@each_way
def test_a_later_change_that_failed_does_not_skip_an_earlier_one(way: Handle) -> None:
    receiver, calls = Receiver([SECRET], sequences=MemorySequenceStore()), Calls(failures=1)
    assert [way(receiver, calls, f"evt_{n}", n).status for n in (2, 1)] == [500, 204]
    assert calls.event_ids == ["evt_2", "evt_1"]


def test_sequences_of_coroutines_are_awaited() -> None:
    receiver, calls = Receiver([SECRET], sequences=CoroutineSequences()), Calls()
    for event_id, sequence in (("evt_2", 2), ("evt_1", 1)):
        assert handle_async(receiver, calls, event_id, sequence) == HANDLED
    assert calls.event_ids == ["evt_2"]


def test_sequences_of_different_resources_are_not_compared() -> None:
    receiver, calls = Receiver([SECRET], sequences=MemorySequenceStore()), Calls()
    receiver.handle(*delivery_of("evt_1", sequence=9), calls)
    context = delivery_of("evt_2", sequence=1, event="context.updated")
    receiver.handle(*context, calls)
    receiver.handle(*delivery_of("evt_3"), calls)
    assert calls.event_ids == ["evt_1", "evt_2", "evt_3"]


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"webhook-id": ""}, 401, "missing_header"),
        ({"webhook-timestamp": "1"}, 401, "timestamp_too_old"),
        ({"webhook-timestamp": "now"}, 401, "invalid_timestamp"),
        ({"webhook-signature": "v1,"}, 401, "signature_mismatch"),
    ],
)
def test_a_refused_request_gets_the_code_and_no_handler(
    changed: dict[str, str], status: int, code: str
) -> None:
    headers, body = delivery_of()
    calls = Calls()
    response = Receiver([SECRET]).handle({**headers, **changed}, body, calls)
    assert response == WebhookResponse(status, code)
    assert calls.event_ids == []


def test_a_signed_body_that_is_not_an_event_is_a_bad_request() -> None:
    assert Receiver([SECRET]).handle(*delivery_of(version=0), Calls()).status == 400


def test_a_body_may_be_as_long_as_the_limit_and_no_longer() -> None:
    headers, body = delivery_of()
    limits = (len(body), len(body) - 1)
    responses = [
        Receiver([SECRET], body_bytes_max=limit).handle(headers, body, Calls()).status
        for limit in limits
    ]
    assert responses == [204, 413]


def test_a_full_memory_store_forgets_the_oldest_handled_event() -> None:
    receiver, calls = Receiver([SECRET], store=MemoryDeliveryStore(count_max=2)), Calls()
    for event_id in ("evt_1", "evt_2", "evt_3", "evt_2", "evt_1"):
        handle(receiver, calls, event_id)
    assert calls.event_ids == ["evt_1", "evt_2", "evt_3", "evt_1"]


def test_a_full_memory_store_keeps_all_claims() -> None:
    store = MemoryDeliveryStore(count_max=1)
    for event_id in ("evt_1", "evt_2"):
        store.claim(event_id, "a")
    assert [store.claim(event_id, "b") for event_id in ("evt_1", "evt_2")] == ["busy"] * 2


def test_a_memory_store_holds_at_least_one_event() -> None:
    with pytest.raises(ValueError, match="count_max must be a whole number from 1 on"):
        MemoryDeliveryStore(count_max=0)
