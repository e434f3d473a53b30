"""A body that was read before the receiver: every adapter explains how to fix it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from deliveries import SECRET, delivery_of
from django.conf import settings
from django.http import HttpRequest
from django.test.client import RequestFactory
from fastapi import Depends, FastAPI
from flask import Flask, request
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message

from agent_herald_receiver import Delivery, Receiver, WebhookRefusedError
from agent_herald_receiver import django as for_django
from agent_herald_receiver import flask as for_flask
from agent_herald_receiver import starlette as for_starlette

DETAIL = "the body was read or changed before the receiver: put the receiver before body parsers"

if not settings.configured:
    settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF="test_adapters", SECRET_KEY="test")


def handler(_: Delivery) -> None: ...


def expect_already_read(status: int, body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    assert (status, json.loads(body)) == (500, {"code": "body_already_read", "detail": DETAIL})
    logged = [record for record in caplog.records if record.name == "agent_herald_receiver"]
    assert [record.levelno for record in logged] == [logging.ERROR]
    assert DETAIL in logged[0].getMessage()


async def read_stream(request: Request, call_next: Callable[[Request], Awaitable[Any]]) -> Any:
    async for _ in request.stream():
        pass
    return await call_next(request)


async def read_body(request: Request, call_next: Callable[[Request], Awaitable[Any]]) -> Any:
    await request.body()
    return await call_next(request)


def with_starlette(dispatch: Any) -> TestClient:
    endpoint = for_starlette.handles_deliveries(Receiver(SECRET))(handler)
    routes = [Route("/hook", endpoint, methods=["POST"])]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(BaseHTTPMiddleware, dispatch)])
    )


def test_starlette_behind_a_middleware_that_reads_the_stream(
    caplog: pytest.LogCaptureFixture,
) -> None:
    headers, body = delivery_of()
    response = with_starlette(read_stream).post("/hook", content=body, headers=headers)
    expect_already_read(response.status_code, response.content, caplog)


def test_starlette_behind_a_middleware_that_keeps_the_body() -> None:
    headers, body = delivery_of()
    response = with_starlette(read_body).post("/hook", content=body, headers=headers)
    assert response.status_code == 204


def test_fastapi_with_a_dependency_that_reads_the_stream(caplog: pytest.LogCaptureFixture) -> None:
    async def read(request: Request) -> None:
        async for _ in request.stream():
            pass

    app = FastAPI(dependencies=[Depends(read)])
    app.post("/hook")(for_starlette.handles_deliveries(Receiver(SECRET))(handler))
    headers, body = delivery_of()
    response = TestClient(app).post("/hook", content=body, headers=headers)
    expect_already_read(response.status_code, response.content, caplog)


@pytest.mark.parametrize(
    "left", [{"type": "http.disconnect"}, {"type": "http.request", "body": b"", "more_body": False}]
)
def test_asgi_behind_a_middleware_that_consumes_the_messages(
    left: Message, caplog: pytest.LogCaptureFixture
) -> None:
    headers, body = delivery_of()
    told = {**headers, "content-length": str(len(body))}
    raw = [(name.lower().encode(), value.encode()) for name, value in told.items()]

    async def receive() -> Message:
        return left

    async def post() -> Any:
        scope = {"type": "http", "method": "POST", "headers": raw}
        return await endpoint(Request(scope, receive))

    endpoint = for_starlette.handles_deliveries(Receiver(SECRET))(handler)
    response = asyncio.run(post())
    expect_already_read(response.status_code, response.body, caplog)


Read = Callable[[], object]


def read_environ() -> None:
    request.environ["wsgi.input"].read()


def read_stream_of_flask() -> None:
    request.stream.read()


def read_without_keeping() -> None:
    request.get_data(cache=False)


@pytest.mark.parametrize("read", [read_environ, read_stream_of_flask, read_without_keeping])
def test_flask_behind_a_stream_reader(read: Read, caplog: pytest.LogCaptureFixture) -> None:
    response = post_to_flask(read)
    expect_already_read(response.status_code, response.data, caplog)


def test_flask_behind_code_that_reads_a_form(caplog: pytest.LogCaptureFixture) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    response = post_to_flask(lambda: request.form, headers)
    expect_already_read(response.status_code, response.data, caplog)


def test_flask_behind_a_parser_that_keeps_the_body() -> None:
    assert post_to_flask(lambda: request.get_json(force=True)).status_code == 204


def post_to_flask(read: Read, more_headers: dict[str, str] | None = None) -> Any:
    app = Flask(__name__)
    app.post("/hook")(for_flask.handles_deliveries(Receiver(SECRET))(handler))

    def read_before() -> None:
        read()

    app.before_request(read_before)
    headers, body = delivery_of()
    return app.test_client().post("/hook", data=body, headers={**headers, **(more_headers or {})})


def read_form(request: HttpRequest) -> None:
    assert len(request.POST) >= 0


def read_some(request: HttpRequest) -> None:
    request.read(3)


def empty_input(request: HttpRequest) -> None:
    request._stream = io.BytesIO()


@pytest.mark.parametrize(
    ("content_type", "read"),
    [
        ("multipart/form-data; boundary=x", read_form),
        ("application/json", read_some),
        ("application/json", empty_input),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_django_behind_code_that_reads_the_request(
    content_type: str,
    read: Callable[[HttpRequest], None],
    is_async: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    response = post_to_django(content_type, read, is_async=is_async)
    expect_already_read(response.status_code, response.content, caplog)


def read_whole(request: HttpRequest) -> None:
    assert request.body


@pytest.mark.parametrize("is_async", [False, True])
def test_django_behind_code_that_keeps_the_body(is_async: bool) -> None:
    assert post_to_django("application/json", read_whole, is_async=is_async).status_code == 204


def post_to_django(
    content_type: str, read: Callable[[HttpRequest], None], *, is_async: bool
) -> Any:
    headers, body = delivery_of()
    headers["content-type"] = content_type
    if content_type.startswith("multipart"):
        body = b"--x--"
    wsgi_request = RequestFactory().post("/hook", body, content_type, headers=headers)
    read(wsgi_request)
    decorate = for_django.handles_deliveries(Receiver(SECRET))
    if not is_async:
        return decorate(handler)(wsgi_request)

    async def async_handler(delivery: Delivery) -> None:
        handler(delivery)

    return asyncio.run(decorate(async_handler)(wsgi_request))


@pytest.mark.parametrize("length", [None, "0"])
def test_a_missing_body_is_a_wrong_signature(
    length: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    headers, _ = delivery_of()
    lengths = {} if length is None else {"Content-Length": length}
    response = Receiver(SECRET).handle({**headers, **lengths}, b"", handler)
    assert (response.status, response.code) == (401, "signature_mismatch")
    assert "the body is empty" in caplog.text


@pytest.mark.parametrize("parsed", [{}, None, "{}", [1]])
def test_a_body_that_is_not_bytes_raises(parsed: Any) -> None:
    headers, _ = delivery_of()
    receiver = Receiver(SECRET)
    with pytest.raises(TypeError, match="not the bytes that arrived"):
        receiver.verify(headers, parsed)
    with pytest.raises(TypeError, match="not the bytes that arrived"):
        receiver.handle(headers, parsed, handler)


def test_a_refusal_shows_both_lengths() -> None:
    headers, body = delivery_of()
    with pytest.raises(WebhookRefusedError, match=f"is {len(body)}, the body has 0 bytes"):
        Receiver(SECRET).verify({**headers, "Content-Length": str(len(body))}, b"")
