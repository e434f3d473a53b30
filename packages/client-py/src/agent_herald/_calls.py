"""Turns a call into an HTTP request, and a response into a result. Sends nothing itself."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import mktime_tz, parsedate_tz
from typing import Any, Generic, Literal, TypedDict, TypeVar
from urllib.parse import quote, urlsplit
from uuid import uuid4

import httpx2

from ._version import __version__
from .errors import HeraldError, UnexpectedResponseError
from .problems import PROBLEMS

_VISIBLE = re.compile(r"[!-~]{1,255}")
_STREAM_ID = re.compile(r"[!-~]{1,2000}")
# urlsplit drops some of these characters, and httpx2 encodes the others.
_HIDDEN_CATEGORIES = ("C", "Z")
# The longest timeout of a socket.
_TIMEOUT_SECONDS_MAX = 2_147_483

_NO_CONTENT = 204
_DETAIL_LENGTH_MAX = 200
_HTTP_ERROR = 400


T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    """A page of a list. Pass `nextCursor` to get the next page; it is None on the last one."""

    data: list[T]
    nextCursor: str | None


@dataclass(frozen=True)
class Settings:
    """The settings of a client. The repr does not show the key."""

    url: str
    app_uid: str
    api_key: str = field(repr=False)
    timeout_seconds: float
    retries: int

    def __post_init__(self) -> None:
        if not isinstance(self.url, str) or any(map(_is_hidden, self.url)):
            raise ValueError("url must be one like https://herald.example.com")
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be one like https://herald.example.com")
        if "@" in parts.netloc or "?" in self.url or "#" in self.url:
            raise ValueError("url must have no user, query or fragment")
        try:
            host = httpx2.URL(self.url).host
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise ValueError(f"url cannot be used: {error}") from error
        # httpx2 keeps labels that IDNA cannot decode.
        if not host or any(label.startswith("xn--") for label in host.split(".")):
            raise ValueError("url must have a host, with labels that IDNA can decode")
        # The errors omit the key: a line break at its end is the most common mistake.
        _check_visible("api_key", self.api_key)
        _check_visible("app_uid", self.app_uid)
        path_of("appuid", self.app_uid)
        self._check_limits()

    def _check_limits(self) -> None:
        seconds = self.timeout_seconds
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not 0 < seconds <= _TIMEOUT_SECONDS_MAX:
            rule = f"must be a number of more than 0, and {_TIMEOUT_SECONDS_MAX} at most"
            raise ValueError(f"timeout_seconds {rule}")
        if type(self.retries) is not int or self.retries < 0:
            raise ValueError("retries must be a whole number from 0 on")


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter).startswith(_HIDDEN_CATEGORIES)


def _check_visible(name: str, value: object) -> None:
    if not isinstance(value, str) or not _VISIBLE.fullmatch(value):
        rule = "must be 1 to 255 characters of ASCII, no spaces or line breaks"
        raise ValueError(f"{name} {rule}")


@dataclass(frozen=True)
class Call:
    """A call and its arguments."""

    method: str
    path: str
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    repeatable: bool = False
    """Whether a repeat does no harm although it is a POST without an idempotency key."""
    public: bool = False
    """Whether the call is public, so that the key is not sent."""
    result_statuses: tuple[int, ...] = ()
    """Statuses from 400 that are results instead of problems."""

    result: Literal["none", "object", "list", "page"] = "none"
    """The form of the JSON of a successful response."""

    accept: str = "application/json"
    last_event_id: str | None = None

    def after(self, last_event_id: str | None) -> Call:
        return replace(self, last_event_id=last_event_id)

    def at(self, cursor: str | None) -> Call:
        return replace(self, query={**self.query, "cursor": cursor})

    @property
    def may_repeat(self) -> bool:
        """Whether it is safe to repeat the call although it may have been processed already."""
        return self.method in ("GET", "PUT") or self.repeatable or self.idempotency_key is not None


def path_of(*segments: str) -> str:
    """Returns a path from segments. Raises `ValueError` for one that would change the path."""
    for segment in segments:
        if not isinstance(segment, str) or segment in ("", ".", ".."):
            raise ValueError(f"{segment!r} is not a uid")
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def idempotency_key_of(own: str | None) -> str:
    """Returns the caller's key, or a new one."""
    if own is None:
        return str(uuid4())
    _check_visible("idempotency_key", own)
    return own


def new_request_id() -> str:
    return f"req_{uuid4().hex}"


def http_options(settings: Settings, call: Call, request_id: str) -> dict[str, Any]:
    """Returns the options of `httpx2.Client.build_request`."""
    prefix = "" if call.public else f"/api/v1{path_of('appuid', settings.app_uid)}"
    headers = {
        "accept": call.accept,
        "user-agent": f"agent-herald-client-py/{__version__}",
        "x-request-id": request_id,
    }
    if not call.public:
        # The repr of httpx2 hides this header, but not an x-api-key.
        headers["authorization"] = f"Bearer {settings.api_key}"
    if call.idempotency_key is not None:
        headers["idempotency-key"] = call.idempotency_key
    if call.last_event_id is not None:
        if not isinstance(call.last_event_id, str) or not _STREAM_ID.fullmatch(call.last_event_id):
            rule = "must be 1 to 2000 characters of ASCII, no spaces or line breaks"
            raise ValueError(f"last_event_id {rule}")
        headers["last-event-id"] = call.last_event_id
    query = {name: str(value) for name, value in call.query.items() if value is not None}
    return {
        "method": call.method,
        "url": f"{settings.url.rstrip('/')}{prefix}{call.path}",
        "params": query or None,
        "headers": headers,
        "timeout": settings.timeout_seconds,
        **({} if call.body is None else {"json": call.body}),
    }


def read_response(call: Call, response: httpx2.Response, request_id: str) -> Any:
    """Returns the JSON of a response, or None if it has no body. Raises a HeraldError."""
    if not response.is_success and response.status_code not in call.result_statuses:
        raise problem_of(response, request_id)
    if response.status_code == _NO_CONTENT and call.result == "none":
        return None
    if content_type_of(response) != "application/json":
        raise problem_of(response, request_id)
    result = _json_of(response, request_id)
    if not _has_form(call, result):
        raise _unexpected(response, request_id, "the JSON is not a response to this call")
    return result


def _has_form(call: Call, result: Any) -> bool:
    if call.result == "none":
        return True
    if call.result == "list":
        return isinstance(result, list)
    if not isinstance(result, dict) or call.result == "object":
        return isinstance(result, dict)
    cursor = result.get("nextCursor", "")
    # A list whose cursor does not advance would never end.
    is_next = isinstance(cursor, str) and cursor not in ("", call.query.get("cursor"))
    return isinstance(result.get("data"), list) and (cursor is None or is_next)


def content_type_of(response: httpx2.Response) -> str:
    header: str = response.headers.get("content-type", "")
    return header.partition(";")[0].strip().lower()


def _json_of(response: httpx2.Response, request_id: str) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise _unexpected(response, request_id, "the response is not JSON") from error


def problem_of(response: httpx2.Response, request_id: str) -> HeraldError:
    """Returns the error that a response describes."""
    if content_type_of(response) != "application/problem+json":
        kind = content_type_of(response) or "no content type"
        return _unexpected(response, request_id, f"not a response from agent-herald ({kind})")
    problem = _json_of(response, request_id)
    code, detail = (
        map(problem.get, ("code", "detail")) if isinstance(problem, dict) else (None, None)
    )
    if not isinstance(code, str) or not isinstance(detail, str):
        return _unexpected(response, request_id, "the problem has no code and detail")
    return PROBLEMS.get(code, HeraldError)(
        detail,
        code=code,
        status=response.status_code,
        request_id=str(problem.get("requestId", request_id)),
        errors=_field_errors_of(problem),
        retry_after_seconds=_retry_after_seconds(response),
    )


def _field_errors_of(problem: dict[str, Any]) -> list[Any]:
    given = problem.get("errors")
    names = ("pointer", "code", "detail")
    return [
        one
        for one in (given if isinstance(given, list) else [])
        if isinstance(one, dict) and all(isinstance(one.get(name), str) for name in names)
    ]


def _unexpected(response: httpx2.Response, request_id: str, what: str) -> UnexpectedResponseError:
    text = response.text[:_DETAIL_LENGTH_MAX].strip()
    return UnexpectedResponseError(
        f"{what}: {text}" if text and response.status_code >= _HTTP_ERROR else what,
        status=response.status_code,
        request_id=response.headers.get("x-request-id", request_id),
        retry_after_seconds=_retry_after_seconds(response),
    )


def _retry_after_seconds(response: httpx2.Response) -> float | None:
    value: str = response.headers.get("retry-after", "")
    if value.isascii() and value.isdecimal():
        return float(value)
    # The service sends seconds; proxies may send a date.
    try:
        date = parsedate_tz(value)
        return None if date is None else max(0.0, mktime_tz(date) - time.time())
    except (ValueError, OverflowError):
        return None
