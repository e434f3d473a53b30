"""The HTTP clients of an asyncio client: connections belong to an event loop."""

from __future__ import annotations

import asyncio
import os

import httpx2

Key = tuple[int, asyncio.AbstractEventLoop]


class AsyncHttp:
    """The HTTP client that was given, or else one for each event loop of each process."""

    def __init__(self, given: httpx2.AsyncClient | None) -> None:
        if given is not None and not isinstance(given, httpx2.AsyncClient):
            raise ValueError("http_client must be an httpx2.AsyncClient")
        self._given = given
        self._given_to: Key | None = None
        self._own: dict[Key, httpx2.AsyncClient] = {}
        self._tls = None if given else httpx2.create_ssl_context()
        self._is_closed = False

    def check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("the client is closed: create a new one")

    def current(self) -> httpx2.AsyncClient:
        """Returns the HTTP client of the running event loop. Raises `RuntimeError` if closed."""
        self.check_open()
        key = (os.getpid(), asyncio.get_running_loop())
        if self._given is not None:
            self._given_to = self._given_to or key
            return self._given
        if key not in self._own:
            self._drop_ended(key[0])
            self._own[key] = httpx2.AsyncClient(verify=self._tls or True)
        return self._own[key]

    def explain(self, error: RuntimeError) -> None:
        """Raises a clearer error if the given client was used in another event loop."""
        if self._given_to not in (None, (os.getpid(), asyncio.get_running_loop())):
            rule = "pass an http_client of this event loop, or none"
            raise RuntimeError(f"the http_client belongs to another event loop: {rule}") from error

    async def aclose(self) -> None:
        self._is_closed = True
        own = self._own.pop((os.getpid(), asyncio.get_running_loop()), None)
        self._own.clear()
        if own is not None:
            await own.aclose()

    def _drop_ended(self, process: int) -> None:
        for key in list(self._own):
            if key[0] != process or key[1].is_closed():
                self._own.pop(key, None)
