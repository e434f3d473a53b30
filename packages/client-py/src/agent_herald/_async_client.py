"""The client."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx2

from ._async_resources import AsyncResources
from ._async_transport import AsyncTransport
from ._calls import Settings


class AsyncHeraldClient(AsyncResources):
    """Client of the API for one application. Close it, or use it in a `with` block."""

    def __init__(
        self,
        *,
        url: str,
        app_uid: str,
        api_key: str,
        timeout_seconds: float = 30,
        retries: int = 2,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """Pass an `http_client` to use proxies or certificates. You must close it yourself.

        `timeout_seconds` limits each attempt. Raises `ValueError` for an invalid option.
        """
        settings = Settings(url, app_uid, api_key, timeout_seconds, retries)
        super().__init__(AsyncTransport(settings, http_client))

    async def close(self) -> None:
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        self._transport.http.check_open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        settings = self._transport.settings
        name = type(self).__name__
        return f"{name}(url={settings.url!r}, app_uid={settings.app_uid!r})"
