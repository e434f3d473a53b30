"""The public keys of an application, fetched from the service and cached."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from http.client import HTTPResponse
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler

from .public_keys import Check, read_jwk, require_library
from .refusals import WebhookRefusedError

_FETCH_SECONDS_MAX = 5
_FETCH_EVERY_SECONDS = 60
_FRESH_SECONDS = 300
_FRESH_SECONDS_MIN = 60
_FRESH_SECONDS_MAX = 86_400
#: How long keys serve while they cannot be fetched again.
_SERVES_SECONDS_MAX = 86_400
_BYTES_MAX = 65_536
_KEYS_MAX = 20
_OK = 200
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age=([0-9]{1,9})[0-9]*(?:$|[,\s])", re.IGNORECASE)


class _Fetched(NamedTuple):
    checks: list[Check]
    fresh_seconds: int
    at_seconds: float


class KeySet:
    """Fetches at most once a minute. Concurrent deliveries share a fetch."""

    def __init__(self, url: str, now_seconds: Callable[[], float]) -> None:
        if not isinstance(url, str) or not _is_http(url):
            raise ValueError("key_set_url must be a URL that begins with http:// or https://")
        require_library()
        self._url = url
        self._now_seconds = now_seconds
        self._known: _Fetched | None = None
        self._begun_seconds: float | None = None
        self._failure: Exception | None = None
        self._fetching = threading.Lock()

    def checks(self) -> list[Check]:
        """Returns the checks, fetched if they are stale. Raises ``keys_unavailable``."""
        known = self._known
        if known is None or self._age_seconds(known.at_seconds) >= known.fresh_seconds:
            known = self._fetch(known)
        if known is None or self._age_seconds(known.at_seconds) > _SERVES_SECONDS_MAX:
            message = f"the key set could not be fetched: {self._failure}"
            raise WebhookRefusedError("keys_unavailable", message) from self._failure
        return known.checks

    def checks_other_than(self, checks: list[Check]) -> list[Check]:
        """Returns other checks, fetched if that is allowed; empty if there are none."""
        known = self._known
        if known is not None and known.checks is checks:
            known = self._fetch(known)
        return [] if known is None or known.checks is checks else known.checks

    # A clock may be set back.
    def _age_seconds(self, since_seconds: float) -> float:
        return abs(self._now_seconds() - since_seconds)

    def _fetch(self, seen: _Fetched | None) -> _Fetched | None:
        with self._fetching:
            # Another delivery fetched the keys while this one waited for the lock.
            if self._known is not seen:
                return self._known
            begun = self._begun_seconds
            if begun is not None and self._age_seconds(begun) < _FETCH_EVERY_SECONDS:
                return self._known
            self._begun_seconds = self._now_seconds()
            try:
                checks, fresh_seconds = _read_in_time(self._url)
                self._known = _Fetched(checks, fresh_seconds, self._now_seconds())
            except Exception as error:
                # Whatever is wrong with a response, the last keys serve.
                self._failure = error
            return self._known


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


# The timeout of urllib applies to each read, so slow headers or name servers could hold the lock.
def _read_in_time(url: str) -> tuple[list[Check], int]:
    reading: Future[tuple[list[Check], int]] = Future()

    def read() -> None:
        try:
            reading.set_result(_read(url))
        except Exception as error:
            reading.set_exception(error)

    threading.Thread(target=read, daemon=True).start()
    try:
        return reading.result(_FETCH_SECONDS_MAX)
    except TookTooLong:
        raise ValueError(f"the key set took longer than {_FETCH_SECONDS_MAX} s") from None


def _read(url: str) -> tuple[list[Check], int]:
    deadline = time.monotonic() + _FETCH_SECONDS_MAX
    # Without the handlers of redirects and errors, each response is returned.
    opener = OpenerDirector()
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler()):
        opener.add_handler(handler)
    response: HTTPResponse = opener.open(url, timeout=_FETCH_SECONDS_MAX)
    with response:
        if response.status != _OK:
            raise ValueError(f"the key set has the status {response.status}")
        text = bytearray()
        while part := response.read1(_BYTES_MAX + 1):
            text += part
            if len(text) > _BYTES_MAX:
                raise ValueError(f"the key set is longer than {_BYTES_MAX} bytes")
            # Nobody waits for it any more.
            if time.monotonic() > deadline:
                raise TookTooLong
        fresh_seconds = _fresh_seconds(response.headers.get("Cache-Control", ""))
    key_set = json.loads(text)
    keys = key_set.get("keys") if isinstance(key_set, dict) else None
    checks = [check for key in keys for check in read_jwk(key)] if isinstance(keys, list) else []
    if not checks:
        raise ValueError("the key set has no Ed25519 key")
    return checks[:_KEYS_MAX], fresh_seconds


def _fresh_seconds(cache_control: str) -> int:
    found = _MAX_AGE.search(cache_control)
    if found is None:
        return _FRESH_SECONDS
    return min(max(int(found[1]), _FRESH_SECONDS_MIN), _FRESH_SECONDS_MAX)
