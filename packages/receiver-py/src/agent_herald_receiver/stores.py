from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Literal, NamedTuple, Protocol

from .options import check_limit

#: ``new``: the event is now claimed with the caller's token. ``done``: it has been handled.
#: ``busy``: another token holds a claim that has not lapsed.
Claim = Literal["new", "done", "busy"]

#: A claim lapses after this time, in case its handler hangs or its process dies.
CLAIM_SECONDS = 300
#: A handled event is remembered for 30 days. Retries end within 15 days, and by default the
#: service keeps an event for 30 days, during which it can be sent again.
REMEMBER_SECONDS = 30 * 86_400

_COUNT_MAX = 100_000


class DeliveryStore(Protocol):
    """Remembers events by their ID. Implement it on storage that all your processes share.

    Each method must be atomic. The receiver makes a random token for each attempt, so that an
    attempt whose claim has lapsed cannot end the claim of a later attempt.
    """

    def claim(self, event_id: str, token: str) -> Claim:
        """Claims an event. Of two concurrent callers, exactly one gets ``new``."""

    def complete(self, event_id: str, token: str) -> None:
        """Marks the event as handled. Does nothing while another token holds the claim."""

    def release(self, event_id: str, token: str) -> None:
        """Gives up the claim, so that the next attempt gets ``new``.

        Does nothing unless this token holds the claim.
        """


class SequenceStore(Protocol):
    """Stores the highest handled sequence of each resource."""

    def newest(self, resource: str) -> int:
        """Returns the highest handled sequence, or 0 if there is none."""

    def advance(self, resource: str, sequence: int) -> None:
        """Records a handled sequence unless a higher one is recorded. Must be atomic."""


class AsyncDeliveryStore(Protocol):
    """A ``DeliveryStore`` whose methods are coroutines."""

    async def claim(self, event_id: str, token: str) -> Claim: ...

    async def complete(self, event_id: str, token: str) -> None: ...

    async def release(self, event_id: str, token: str) -> None: ...


class AsyncSequenceStore(Protocol):
    """A ``SequenceStore`` whose methods are coroutines."""

    async def newest(self, resource: str) -> int: ...

    async def advance(self, resource: str, sequence: int) -> None: ...


class _Entry(NamedTuple):
    token: str
    at: float


class MemoryDeliveryStore:
    """Keeps the events in memory. When it is full, it forgets the oldest handled ones."""

    def __init__(self, count_max: int = _COUNT_MAX) -> None:
        check_limit("count_max", count_max)
        self._count_max = count_max
        # Both are ordered by time.
        self._claims: OrderedDict[str, _Entry] = OrderedDict()
        self._done: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def claim(self, event_id: str, token: str) -> Claim:
        with self._lock:
            now = time.monotonic()
            _forget_until(self._done, now - REMEMBER_SECONDS)
            _forget_until(self._claims, now - CLAIM_SECONDS)
            if event_id in self._done:
                return "done"
            if event_id in self._claims:
                return "busy"
            self._claims[event_id] = _Entry(token, now)
            return "new"

    def complete(self, event_id: str, token: str) -> None:
        with self._lock:
            claim = self._claims.get(event_id)
            if claim is not None and claim.token != token:
                return
            self._claims.pop(event_id, None)
            self._done[event_id] = _Entry(token, time.monotonic())
            self._done.move_to_end(event_id)
            if len(self._done) > self._count_max:
                self._done.popitem(last=False)

    def release(self, event_id: str, token: str) -> None:
        with self._lock:
            claim = self._claims.get(event_id)
            if claim is not None and claim.token == token:
                del self._claims[event_id]


class MemorySequenceStore:
    """Keeps the sequences in memory.

    When it is full, it forgets the resources that changed least recently.
    """

    def __init__(self, count_max: int = _COUNT_MAX) -> None:
        check_limit("count_max", count_max)
        self._count_max = count_max
        self._newest: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def newest(self, resource: str) -> int:
        with self._lock:
            return self._newest.get(resource, 0)

    def advance(self, resource: str, sequence: int) -> None:
        with self._lock:
            if self._newest.get(resource, 0) > sequence:
                return
            self._newest[resource] = sequence
            self._newest.move_to_end(resource)
            if len(self._newest) > self._count_max:
                self._newest.popitem(last=False)


def _forget_until(entries: OrderedDict[str, _Entry], until: float) -> None:
    while entries and next(iter(entries.values())).at <= until:
        entries.popitem(last=False)
