"""The client.

Made from _async_client.py by the generator; do not edit.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx2

from ._calls import Settings
from ._sync_resources import Resources
from ._sync_transport import Transport


class HeraldClient(Resources):
    """Client of the API for one application. Close it, or use it in a `with` block."""

    def __init__(
        self,
        *,
        url: str,
        app_uid: str,
        api_key: str,
        timeout_seconds: float = 30,
        retries: int = 2,
        http_client: httpx2.Client | None = None,
    ) -> None:
        """Pass an `http_client` to use proxies or certificates. You must close it yourself.

        `timeout_seconds` limits each attempt. Raises `ValueError` for an invalid option.
        """
        settings = Settings(url, app_uid, api_key, timeout_seconds, retries)
        super().__init__(Transport(settings, http_client))

    def close(self) -> None:
        self._transport.http.close()

    def __enter__(self) -> Self:
        self._transport.http.check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        settings = self._transport.settings
        name = type(self).__name__
        return f"{name}(url={settings.url!r}, app_uid={settings.app_uid!r})"
