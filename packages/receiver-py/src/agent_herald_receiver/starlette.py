"""For FastAPI and Starlette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from .handling import AsyncHandler, Handler
from .receiver import Receiver
from .responses import NO_POST, TOO_LARGE, WebhookResponse

Endpoint = Callable[[Request], Awaitable[Response]]


def handles_deliveries(receiver: Receiver) -> Callable[[Handler | AsyncHandler], Endpoint]:
    """Turns a handler into an endpoint. One that is not a coroutine function runs in a thread."""

    def decorate(handler: Handler | AsyncHandler) -> Endpoint:
        receiver.check_handler(handler)

        async def endpoint(request: Request) -> Response:
            if request.method != "POST":
                return _respond(receiver.refuse(NO_POST))
            raw_body = await _read_body(request, receiver)
            if isinstance(raw_body, WebhookResponse):
                return _respond(raw_body)
            headers = _join(request.headers)
            return _respond(await receiver.handle_async(headers, raw_body, handler))

        endpoint.__name__ = getattr(handler, "__name__", "endpoint")
        return endpoint

    return decorate


def _join(headers: Headers) -> dict[str, str]:
    """Joins headers that were sent more than once."""
    return {name: ", ".join(headers.getlist(name)) for name in headers}


async def _read_body(request: Request, receiver: Receiver) -> bytes | WebhookResponse:
    raw_body = bytearray()
    try:
        async for chunk in request.stream():
            raw_body += chunk
            if len(raw_body) > receiver.body_bytes_max:
                return receiver.refuse(TOO_LARGE)
    except (RuntimeError, ClientDisconnect) as error:
        # A second reader gets an error, or nothing until the client disconnects.
        if raw_body:
            raise
        return receiver.refuse_read_body(error)
    return bytes(raw_body)


def _respond(result: WebhookResponse) -> Response:
    return Response(result.body, result.status, result.headers)
