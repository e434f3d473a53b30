"""For FastAPI and Starlette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from .answers import TOO_LARGE, Answer
from .handling import AsyncHandler, Handler
from .receiver import Receiver

Endpoint = Callable[[Request], Awaitable[Response]]


def handles_deliveries(receiver: Receiver) -> Callable[[Handler | AsyncHandler], Endpoint]:
    """Makes an endpoint of a handler. One that is no coroutine function runs in a thread."""

    def decorate(handler: Handler | AsyncHandler) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            raw_body = await _read_body(request, receiver.body_bytes_max)
            if raw_body is None:
                return _respond(TOO_LARGE)
            headers = _join(request.headers)
            return _respond(await receiver.handle_async(headers, raw_body, handler))

        endpoint.__name__ = getattr(handler, "__name__", "endpoint")
        return endpoint

    return decorate


def _join(headers: Headers) -> dict[str, str]:
    """A header that came twice is one, of all its values."""
    return {name: ", ".join(headers.getlist(name)) for name in headers}


async def _read_body(request: Request, bytes_max: int) -> bytes | None:
    raw_body = bytearray()
    async for chunk in request.stream():
        raw_body += chunk
        if len(raw_body) > bytes_max:
            return None
    return bytes(raw_body)


def _respond(answer: Answer) -> Response:
    return Response(answer.body, answer.status, answer.headers)
