"""The live stream of events. After an interruption it continues where it left off.

Made from _async_stream.py by the generator; do not edit.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import httpx2

from ._calls import Call
from ._messages import Message, MessageReader
from ._retries import seconds_until_retry
from ._sync_transport import Transport
from .errors import HeraldError, UnexpectedResponseError
from .types import EventWithPayload


class EventStream:
    """Iterates endlessly over events as they are committed. An interruption loses none."""

    def __init__(self, transport: Transport, call: Call, last_event_id: str | None) -> None:
        self._transport = transport
        self._call = call
        self._reconnect_seconds = 1.0
        self.last_event_id = last_event_id
        """The current position. Save it after processing an event, to continue there later."""

    def __iter__(self) -> Iterator[EventWithPayload]:
        response = self._open(retries=self._transport.settings.retries)
        while True:
            try:
                for message in _messages_of(response):
                    self._reconnect_seconds = message.retry_seconds or self._reconnect_seconds
                    self.last_event_id = message.id or self.last_event_id
                    if message.kind == "message" and message.data:
                        yield _event_of(message, response)
            except httpx2.RequestError:
                # An interruption: events since then arrive after the stream reopens.
                pass
            finally:
                response.close()
            time.sleep(self._reconnect_seconds)
            response = self._open(retries=None)

    def _open(self, *, retries: int | None) -> httpx2.Response:
        """Retries as often as other calls, or without a limit if `retries` is None."""
        attempt = 1
        while True:
            try:
                return self._transport.open(self._call.after(self.last_event_id))
            except HeraldError as error:
                wait_seconds = seconds_until_retry(
                    self._call, error, attempt=attempt, retries=retries
                )
                if wait_seconds is None:
                    raise
            time.sleep(wait_seconds)
            attempt += 1


def _event_of(message: Message, response: httpx2.Response) -> EventWithPayload:
    try:
        event: EventWithPayload = json.loads("\n".join(message.data))
    except (ValueError, RecursionError) as error:
        raise UnexpectedResponseError(
            "an event of the stream is not JSON",
            status=response.status_code,
            request_id=response.request.headers["x-request-id"],
        ) from error
    return event


def _messages_of(response: httpx2.Response) -> Iterator[Message]:
    reader = MessageReader()
    for chunk in response.iter_bytes():
        for message in reader.feed(chunk):
            yield message
