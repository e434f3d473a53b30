from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Literal, Protocol

#: ``new``: the caller's now, who confirms or releases it; ``done``: handled; ``busy``: another's.
Claim = Literal["new", "done", "busy"]

_COUNT_MAX = 100_000
_CLAIM_SECONDS = 300


class DeliveryStore(Protocol):
    """Remembers events by their id. Implement it on what all your processes share."""

    def claim(self, event_id: str) -> Claim:
        """Of two callers at the same time one gets ``new``. Claims end: a process may die."""

    def confirm(self, event_id: str) -> None:
        """The event was handled."""

    def release(self, event_id: str) -> None:
        """It was not; the next attempt gets ``new``."""


class SequenceStore(Protocol):
    """Remembers the highest sequence of each resource."""

    def advance(self, resource: str, sequence: int) -> bool:
        """Records the sequence, unless a higher one is recorded: then it returns False. Atomic."""


class AsyncDeliveryStore(Protocol):
    """A ``DeliveryStore`` of coroutines."""

    async def claim(self, event_id: str) -> Claim: ...

    async def confirm(self, event_id: str) -> None: ...

    async def release(self, event_id: str) -> None: ...


class AsyncSequenceStore(Protocol):
    """A ``SequenceStore`` of coroutines."""

    async def advance(self, resource: str, sequence: int) -> bool: ...


class MemoryDeliveryStore:
    """The events of this process. When it is full, those handled longest ago are forgotten."""

    def __init__(self, count_max: int = _COUNT_MAX) -> None:
        self._count_max = _checked(count_max)
        self._claimed_at: dict[str, float] = {}
        self._done: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def claim(self, event_id: str) -> Claim:
        now = time.monotonic()
        with self._lock:
            if event_id in self._done:
                return "done"
            # A handler that hangs must not keep its event for ever.
            claimed_at = self._claimed_at.get(event_id)
            if claimed_at is not None and now < claimed_at + _CLAIM_SECONDS:
                return "busy"
            self._claimed_at[event_id] = now
            return "new"

    def confirm(self, event_id: str) -> None:
        with self._lock:
            self._claimed_at.pop(event_id, None)
            self._done[event_id] = None
            if len(self._done) > self._count_max:
                self._done.popitem(last=False)

    def release(self, event_id: str) -> None:
        with self._lock:
            self._claimed_at.pop(event_id, None)


class MemorySequenceStore:
    """The sequences of this process: of the resources that changed last, when it is full."""

    def __init__(self, count_max: int = _COUNT_MAX) -> None:
        self._count_max = _checked(count_max)
        self._latest: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def advance(self, resource: str, sequence: int) -> bool:
        with self._lock:
            if self._latest.get(resource, 0) > sequence:
                return False
            self._latest[resource] = sequence
            self._latest.move_to_end(resource)
            if len(self._latest) > self._count_max:
                self._latest.popitem(last=False)
            return True


def _checked(count_max: int) -> int:
    if count_max < 1:
        raise ValueError(f"count_max is at least 1 (got {count_max})")
    return count_max
