"""Sends calls, again where that is safe, and follows the cursors of lists."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

import httpx

from ._calls import Call, Page, Settings, http_options, new_request_id, read_answer
from ._retries import seconds_until_retry
from .errors import HeraldError, NoAnswerError, NoAnswerInTimeError, NotReachedError

T = TypeVar("T")


class AsyncTransport:
    """The connections of a client."""

    def __init__(self, settings: Settings, http_client: httpx.AsyncClient | None) -> None:
        self.settings = settings
        self._http = http_client or httpx.AsyncClient()
        self._closes_http = http_client is None

    async def send(self, call: Call) -> Any:
        """Returns the JSON of the answer. Raises a HeraldError."""
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

    async def close(self) -> None:
        if self._closes_http:
            await self._http.aclose()

    async def _attempt(self, call: Call, request_id: str) -> Any:
        request = self._http.build_request(**http_options(self.settings, call, request_id))
        try:
            response = await self._http.send(request, follow_redirects=False)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise NotReachedError(_reason(error), request_id=request_id) from error
        except httpx.TimeoutException as error:
            raise NoAnswerInTimeError(_reason(error), request_id=request_id) from error
        except httpx.RequestError as error:
            raise NoAnswerError(_reason(error), request_id=request_id) from error
        return read_answer(call, response, request_id)


class AsyncPaged(Generic[T]):
    """A list that is read page by page while you iterate; each iteration begins anew."""

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


def _reason(error: httpx.RequestError) -> str:
    return str(error) or type(error).__name__
