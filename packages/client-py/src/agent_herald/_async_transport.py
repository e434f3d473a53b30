"""Sends calls, retries them where that is safe, and follows the cursors of lists."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

import httpx2

from ._async_http import AsyncHttp
from ._calls import (
    Call,
    Page,
    Settings,
    content_type_of,
    http_options,
    new_request_id,
    problem_of,
    read_response,
)
from ._retries import seconds_until_retry
from .errors import HeraldError, NoResponseError, NoResponseInTimeError, NotReachedError

T = TypeVar("T")

# The service sends a message at least every 15 seconds.
SILENCE_SECONDS_MAX = 40.0

# A proxy fails before the request is sent.
_NOT_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
)


class AsyncTransport:
    """The connections of a client."""

    def __init__(self, settings: Settings, http_client: httpx2.AsyncClient | None) -> None:
        self.settings = settings
        self.http = AsyncHttp(http_client)

    async def send(self, call: Call) -> Any:
        """Returns the JSON of the response. Raises a HeraldError."""
        request_id = new_request_id()
        attempt = 1
        while True:
            try:
                return await self._attempt(call, request_id)
            except HeraldError as error:
                wait_seconds = seconds_until_retry(
                    call, error, attempt=attempt, retries=self.settings.retries
                )
                if wait_seconds is None:
                    raise
            await asyncio.sleep(wait_seconds)
            attempt += 1

    async def open(self, call: Call) -> httpx2.Response:
        """Returns the response of a stream, with its body unread. Raises a HeraldError."""
        request_id = new_request_id()
        response = await self._exchange(call, request_id, streams=True)
        if response.is_success and content_type_of(response) == call.accept:
            return response
        try:
            await response.aread()
        except httpx2.RequestError as error:
            raise NoResponseError(_reason(error), request_id=request_id) from error
        finally:
            await response.aclose()
        raise problem_of(response, request_id)

    async def _attempt(self, call: Call, request_id: str) -> Any:
        return read_response(call, await self._exchange(call, request_id), request_id)

    async def _exchange(
        self, call: Call, request_id: str, *, streams: bool = False
    ) -> httpx2.Response:
        options = http_options(self.settings, call, request_id)
        if streams:
            options["timeout"] = httpx2.Timeout(
                self.settings.timeout_seconds, read=SILENCE_SECONDS_MAX
            )
        http = self.http.current()
        request = http.build_request(**options)
        try:
            return await http.send(request, stream=streams, follow_redirects=False)
        except _NOT_SENT as error:
            raise NotReachedError(_reason(error), request_id=request_id) from error
        except RuntimeError as error:
            self.http.explain(error)
            raise
        except httpx2.TimeoutException as error:
            raise NoResponseInTimeError(_reason(error), request_id=request_id) from error
        except httpx2.RequestError as error:
            raise NoResponseError(_reason(error), request_id=request_id) from error


class AsyncPaged(Generic[T]):
    """A list that is read page by page while you iterate. Each iteration starts over."""

    def __init__(self, transport: AsyncTransport, call: Call) -> None:
        self._transport = transport
        self._call = call

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page["data"]:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Iterates over the pages, each with `data` and `nextCursor`."""
        call = self._call
        while True:
            page: Page[T] = await self._transport.send(call)
            yield page
            if page["nextCursor"] is None:
                return
            call = call.at(page["nextCursor"])


def _reason(error: httpx2.RequestError) -> str:
    return str(error) or type(error).__name__
