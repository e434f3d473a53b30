"""For Django."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, cast, overload

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, RawPostDataException
from django.views.decorators.csrf import csrf_exempt

from .delivery import Delivery
from .options import is_coroutine_function
from .receiver import Receiver
from .responses import NO_POST, TOO_LARGE, WebhookResponse

View = Callable[[HttpRequest], HttpResponse]
AsyncView = Callable[[HttpRequest], Coroutine[Any, Any, HttpResponse]]


class Decorator(Protocol):
    """Turns a handler into a view. A coroutine function becomes an asynchronous view."""

    @overload
    def __call__(self, handler: Callable[[Delivery], None]) -> View: ...

    @overload
    def __call__(self, handler: Callable[[Delivery], Coroutine[Any, Any, object]]) -> AsyncView: ...


def handles_deliveries(receiver: Receiver) -> Decorator:
    """Turns a handler into a view. A coroutine function becomes an asynchronous view."""

    def decorate(handler: Callable[[Delivery], object]) -> Any:
        receiver.check_handler(handler)

        async def view_async(request: HttpRequest) -> HttpResponse:
            raw_body = _read_body(request, receiver)
            if isinstance(raw_body, WebhookResponse):
                return _respond(raw_body)
            return _respond(await receiver.handle_async(request.headers, raw_body, handler))

        def view(request: HttpRequest) -> HttpResponse:
            raw_body = _read_body(request, receiver)
            if isinstance(raw_body, WebhookResponse):
                return _respond(raw_body)
            return _respond(receiver.handle(request.headers, raw_body, handler))

        return csrf_exempt(view_async if is_coroutine_function(handler) else view)

    return cast(Decorator, decorate)


def _read_body(request: HttpRequest, receiver: Receiver) -> bytes | WebhookResponse:
    if request.method != "POST":
        return receiver.refuse(NO_POST)
    length = request.headers.get("Content-Length", "")
    is_number = length.isascii() and length.isdigit()
    if is_number and int(length) > receiver.body_bytes_max:
        return receiver.refuse(TOO_LARGE)
    try:
        return request.body
    except RequestDataTooBig:
        return receiver.refuse(TOO_LARGE)
    except RawPostDataException as error:
        return receiver.refuse_read_body(error)


def _respond(result: WebhookResponse) -> HttpResponse:
    response = HttpResponse(result.body, status=result.status, headers=result.headers)
    if not result.body:
        del response["Content-Type"]
    return response
