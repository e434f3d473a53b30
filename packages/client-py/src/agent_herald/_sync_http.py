"""The HTTP clients of a client: one for each process, because connections cannot be shared."""

from __future__ import annotations

import os

import httpx2


class Http:
    """The HTTP client that was given, or else one for each process."""

    def __init__(self, given: httpx2.Client | None) -> None:
        if given is not None and not isinstance(given, httpx2.Client):
            raise ValueError("http_client must be an httpx2.Client")
        self._given = given
        self._own = None if given else httpx2.Client()
        self._process = os.getpid()
        self._is_closed = False

    def check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("the client is closed: create a new one")

    def current(self) -> httpx2.Client:
        """Returns the HTTP client of this process. Raises `RuntimeError` if closed."""
        self.check_open()
        if self._given is not None:
            return self._given
        if self._own is None or self._process != os.getpid():
            # After a fork, the parent goes on with the old connections.
            self._own, self._process = httpx2.Client(), os.getpid()
        return self._own

    def explain(self, error: RuntimeError) -> None:
        """Does nothing: only clients of asyncio have event loops."""

    def close(self) -> None:
        self._is_closed = True
        if self._own is not None and self._process == os.getpid():
            self._own.close()
