"""How attempts are handled: cases that the receivers of all languages pass."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from typing import Any

import pytest
from cases import CHALLENGES, HANDLING
from deliveries import SECRET, delivery_of
from redis_store import store_of_readme

from agent_herald_receiver import (
    Delivery,
    DeliveryStore,
    MemoryDeliveryStore,
    MemorySequenceStore,
    Receiver,
)


class Attempt(threading.Thread):
    """An attempt whose handler, once called, runs until ``end``."""

    def __init__(self, receiver: Receiver, step: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        uid = step.get("uid", "agt_1")
        data = {"uid": uid, "externalTenantId": "tenant-1"}
        numbers = {"sequence": step.get("sequence"), "header": step.get("header")}
        self._sent = delivery_of(step["eventId"], **numbers, data=data)
        self._receiver = receiver
        #: None when the handler is called, or else the status.
        self.begun: queue.Queue[int | None] = queue.Queue()
        self._fails: queue.Queue[bool] = queue.Queue()
        self._status = 0

    def run(self) -> None:
        self._status = self._receiver.handle(*self._sent, self._handle).status
        self.begun.put(self._status)

    def _handle(self, _: Delivery) -> None:
        self.begun.put(None)
        if self._fails.get(timeout=10):
            raise RuntimeError

    def end(self, fails: bool) -> int:
        self._fails.put(fails)
        self.join(10)
        return self._status


class Clock:
    def __init__(self) -> None:
        self.now = 1.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize("make_store", [MemoryDeliveryStore, store_of_readme])
@pytest.mark.parametrize("name", HANDLING)
def test_attempts_are_handled_as_the_shared_cases_expect(
    name: str, make_store: Callable[[], DeliveryStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, attempts = Clock(), dict[str, Attempt]()
    for module in ("agent_herald_receiver.stores", "redis_store"):
        monkeypatch.setattr(f"{module}.time", clock)
    receiver = Receiver([SECRET], store=make_store(), sequences=MemorySequenceStore())
    for step in HANDLING[name]:
        if "waitSeconds" in step:
            clock.now += step["waitSeconds"]
        elif "deliver" in step:
            attempt = attempts[step["deliver"]] = Attempt(receiver, step)
            attempt.start()
            assert attempt.begun.get(timeout=10) == step.get("status"), step
        else:
            status = attempts[step["end"]].end(step.get("fails", False))
            assert status == step["status"], step


@pytest.mark.parametrize("case", CHALLENGES, ids=lambda case: case["name"])
def test_only_a_challenge_is_answered_unverified(case: dict[str, Any]) -> None:
    response = Receiver(SECRET).handle({}, case["body"].encode(), lambda _: None)
    if case["challenge"] is None:
        assert (response.status, response.code) == (401, "missing_header")
    else:
        assert (response.status, response.code) == (200, None)
        assert json.loads(response.body) == {"challenge": case["challenge"]}
        assert response.headers == {"Content-Type": "application/json"}
