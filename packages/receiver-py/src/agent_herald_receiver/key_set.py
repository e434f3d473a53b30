"""The public keys of an application, fetched from the service and cached."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as TookTooLong
from http.client import HTTPResponse
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)
from weakref import WeakSet

from ._version import __version__
from .public_keys import Check, read_jwk, require_library
from .refusals import WebhookRefusedError

_FETCH_SECONDS_MAX = 5
_FETCH_EVERY_SECONDS = 60
_FRESH_SECONDS = 300
_FRESH_SECONDS_MIN = 60
_FRESH_SECONDS_MAX = 86_400
#: How long keys serve while they cannot be fetched again.
_SERVES_SECONDS_MAX = 86_400
#: How long stale keys serve while no fetch ends. With few deliveries, that may be long.
_STALE_SECONDS_MAX = 300
_BYTES_MAX = 65_536
_KEYS_MAX = 20
_OK = 200
_USER_AGENT = f"agent-herald-receiver-py/{__version__}"
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age=([0-9]{1,9})[0-9]*(?:$|[,\s])", re.IGNORECASE)


_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


class _Fetched(NamedTuple):
    checks: list[Check]
    fresh_seconds: int
    #: When the fetch began.
    at_seconds: float


class KeySet:
    """Fetches at most once a minute. Deliveries wait only without keys that may serve."""

    def __init__(self, url: str, now_seconds: Callable[[], float]) -> None:
        if not isinstance(url, str) or not _is_http(url):
            raise ValueError("key_set_url must be a URL that begins with http:// or https://")
        require_library()
        self._url = url
        self._now_seconds = now_seconds
        self._known: _Fetched | None = None
        self._failure: Exception | None = None
        self._begun_seconds: float | None = None
        #: When the last fetch that ended began.
        self._tried_seconds = 0.0
        self._fetching: Future[None] | None = None
        self._lock = threading.Lock()
        _key_sets.add(self)

    def checks(self) -> list[Check]:
        """Returns the checks; stale ones are fetched meanwhile. Raises ``keys_unavailable``."""
        known = self._known
        if known is None or self._age_seconds(known.at_seconds) >= known.fresh_seconds:
            fetching = self._begin_fetch(known)
            if not self._can_serve(known):
                _wait_for(fetching)
            known = self._known
        if known is None or self._age_seconds(known.at_seconds) > _SERVES_SECONDS_MAX:
            reason = self._failure or "the fetch has not ended"
            message = f"the key set could not be fetched: {reason}"
            raise WebhookRefusedError("keys_unavailable", message) from self._failure
        return known.checks

    def checks_other_than(self, checks: list[Check]) -> list[Check]:
        """Returns other checks, fetched if that is allowed; empty if there are none."""
        known = self._known
        if known is not None and known.checks is checks:
            _wait_for(self._begin_fetch(known))
            known = self._known
        return [] if known is None or known.checks is checks else known.checks

    def forget_fetch(self) -> None:
        """In a forked process, no thread runs that would end the fetch or release the lock."""
        self._lock, self._fetching = threading.Lock(), None
        if self._tried_seconds != self._begun_seconds:
            self._begun_seconds = None

    def _can_serve(self, known: _Fetched | None) -> bool:
        if known is None or self._age_seconds(known.at_seconds) > _SERVES_SECONDS_MAX:
            return False
        tried_seconds = self._age_seconds(self._tried_seconds)
        return tried_seconds < known.fresh_seconds + _STALE_SECONDS_MAX

    # A clock may be set back.
    def _age_seconds(self, since_seconds: float) -> float:
        return abs(self._now_seconds() - since_seconds)

    def _begin_fetch(self, seen: _Fetched | None) -> Future[None] | None:
        """Returns the last fetch, which begins now unless another replaced what was seen."""
        with self._lock:
            if self._known is seen and self._may_begin():
                self._begun_seconds = self._now_seconds()
                try:
                    self._fetching = _in_thread(self._replace, self._begun_seconds)
                except RuntimeError as error:
                    # The process has no more threads, or ends.
                    self._failure = error
            return self._fetching

    def _may_begin(self) -> bool:
        if self._fetching is not None and not self._fetching.done():
            return False
        begun = self._begun_seconds
        return begun is None or self._age_seconds(begun) >= _FETCH_EVERY_SECONDS

    def _replace(self, begun_seconds: float) -> None:
        try:
            checks, fresh_seconds = _in_thread(_read, self._url).result(_FETCH_SECONDS_MAX)
            self._known = _Fetched(checks, fresh_seconds, begun_seconds)
        except TookTooLong:
            self._failure = ValueError(f"the key set took longer than {_FETCH_SECONDS_MAX} s")
        except Exception as error:
            # Whatever is wrong with a response, the last keys serve.
            self._failure = error
        self._tried_seconds = begun_seconds


_key_sets: WeakSet[KeySet] = WeakSet()


def _forget_fetches() -> None:
    for key_set in _key_sets:
        key_set.forget_fetch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_fetches)


def _is_http(url: str) -> bool:
    # Some Pythons strip them.
    if any(letter.isspace() for letter in url):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _in_thread(function: Callable[[_Argument], _Result], argument: _Argument) -> Future[_Result]:
    """Runs a function in a thread that does not keep the process alive."""
    future: Future[_Result] = Future()

    def run() -> None:
        try:
            future.set_result(function(argument))
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


# Nobody waits much longer than a fetch takes: a platform may freeze threads between requests.
def _wait_for(fetching: Future[None] | None) -> None:
    if fetching is not None:
        wait([fetching], _FETCH_SECONDS_MAX + 0.5)


def _read(url: str) -> tuple[list[Check], int]:
    deadline = time.monotonic() + _FETCH_SECONDS_MAX
    # Without the handlers of redirects and errors, each response is returned.
    opener = OpenerDirector()
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), UnknownHandler()):
        opener.add_handler(handler)
    request = Request(url, headers={"User-Agent": _USER_AGENT})  # noqa: S310
    response: HTTPResponse = opener.open(request, timeout=_FETCH_SECONDS_MAX)
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
        fresh_seconds = _fresh_seconds(", ".join(response.headers.get_all("Cache-Control", [])))
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
