"""For Flask."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from .handling import Handler
from .options import is_coroutine_function
from .receiver import Receiver
from .responses import NO_POST, TOO_LARGE, WebhookResponse

View = Callable[[], Response]


def handles_deliveries(receiver: Receiver) -> Callable[[Handler], View]:
    """Turns a handler into a view. Raises ``TypeError`` for a coroutine function."""

    def decorate(handler: Handler) -> View:
        if is_coroutine_function(handler):
            raise TypeError("a handler for Flask must not be a coroutine function")
        receiver.check_handler(handler)

        def view() -> Response:
            if request.method != "POST":
                return _respond(receiver.refuse(NO_POST))
            request.max_content_length = receiver.body_bytes_max
            try:
                raw_body = request.get_data()
            except RequestEntityTooLarge:
                return _respond(receiver.refuse(TOO_LARGE))
            except ClientDisconnected as error:
                # The input ended before its declared length.
                return _respond(receiver.refuse_read_body(error))
            return _respond(receiver.handle(dict(request.headers), raw_body, handler))

        view.__name__ = getattr(handler, "__name__", "view")
        return view

    return decorate


def _respond(result: WebhookResponse) -> Response:
    response = Response(result.body, result.status, result.headers)
    if not result.body:
        del response.headers["Content-Type"]
    return response
