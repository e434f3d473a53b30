from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import cast

import django
import pytest
from deliveries import SECRET, delivery_of
from django.conf import settings
from django.test import Client, override_settings
from django.test.client import RequestFactory
from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message

from agent_herald_receiver import Delivery, Receiver
from agent_herald_receiver import django as for_django
from agent_herald_receiver import flask as for_flask
from agent_herald_receiver import starlette as for_starlette

#: Posts headers and a body. Returns the status, content type and body.
Post = Callable[[dict[str, str], bytes], tuple[int, str | None, bytes]]

settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF="test_adapters", SECRET_KEY="test")
django.setup()
urlpatterns: list[object] = []

event_ids: list[str] = []


def handler(delivery: Delivery) -> None:
    event_ids.append(delivery.event_id)
    if delivery.event_id == "evt_failing":
        raise RuntimeError


async def async_handler(delivery: Delivery) -> None:
    handler(delivery)


@pytest.fixture(autouse=True)
def _no_event_ids() -> Iterator[None]:
    event_ids.clear()
    yield
    event_ids.clear()


def with_fastapi() -> Post:
    app = FastAPI()
    app.post("/hook")(for_starlette.handles_deliveries(receiver_of_test())(async_handler))
    return post_to_asgi(app)


def with_starlette() -> Post:
    endpoint = for_starlette.handles_deliveries(receiver_of_test())(handler)
    return post_to_asgi(Starlette(routes=[Route("/hook", endpoint, methods=["POST"])]))


def post_to_asgi(app: Starlette) -> Post:
    client = TestClient(app)

    def post(headers: dict[str, str], body: bytes) -> tuple[int, str | None, bytes]:
        response = client.post("/hook", content=body, headers=headers)
        return response.status_code, response.headers.get("content-type"), response.content

    return post


def with_flask() -> Post:
    app = Flask(__name__)
    app.post("/hook")(for_flask.handles_deliveries(receiver_of_test())(handler))

    def post(headers: dict[str, str], body: bytes) -> tuple[int, str | None, bytes]:
        response = app.test_client().post("/hook", data=body, headers=headers)
        return response.status_code, response.headers.get("content-type"), response.data

    return post


def post_to_django(view: for_django.View | for_django.AsyncView) -> Post:
    from django.urls import clear_url_caches, path  # noqa: PLC0415

    urlpatterns[:] = [path("hook", cast(for_django.View, view))]
    clear_url_caches()
    client = Client(enforce_csrf_checks=True)

    def post(headers: dict[str, str], body: bytes) -> tuple[int, str | None, bytes]:
        response = client.post("/hook", body, "application/json", headers=headers)
        return response.status_code, response.headers.get("content-type"), response.content

    return post


def with_django() -> Post:
    return post_to_django(for_django.handles_deliveries(receiver_of_test())(handler))


def with_django_async() -> Post:
    return post_to_django(for_django.handles_deliveries(receiver_of_test())(async_handler))


def receiver_of_test() -> Receiver:
    return Receiver([SECRET], body_bytes_max=1_000)


each_framework = pytest.mark.parametrize(
    "framework", [with_fastapi, with_starlette, with_flask, with_django, with_django_async]
)
Framework = Callable[[], Post]


@each_framework
def test_a_delivery_is_handled_once_and_the_response_has_no_body(framework: Framework) -> None:
    post = framework()
    for _ in range(2):
        assert post(*delivery_of()) == (204, None, b"")
    assert event_ids == ["evt_1"]


@each_framework
def test_a_refused_request_gets_its_code_as_json(framework: Framework) -> None:
    headers, body = delivery_of()
    response = framework()(headers, body + b" ")
    assert response == (401, "application/json", b'{"code": "signature_mismatch"}')
    assert event_ids == []


@each_framework
def test_a_challenge_gets_its_value_as_json(framework: Framework) -> None:
    challenge = {"challenge": "a" * 32}
    body = json.dumps({"event": "webhook.challenge", **challenge}).encode()
    response = framework()({"Content-Type": "application/json"}, body)
    assert response == (200, "application/json", json.dumps(challenge).encode())
    assert event_ids == []


@each_framework
def test_a_handler_that_raises_is_a_500(framework: Framework) -> None:
    post = framework()
    statuses = [post(*delivery_of("evt_failing"))[0] for _ in range(2)]
    assert statuses == [500, 500]
    assert event_ids == ["evt_failing"] * 2


@each_framework
def test_a_body_as_long_as_the_limit_is_read_and_a_longer_one_is_not(framework: Framework) -> None:
    post = framework()
    headers, _ = delivery_of()
    assert post(headers, b"a" * 1_000)[0] == 401
    assert post(headers, b"a" * 1_001)[0] == 413


@each_framework
def test_non_ascii_characters_arrive_unchanged(framework: Framework) -> None:
    assert framework()(*delivery_of(app="支援 👩"))[0] == 204


def test_a_long_body_of_unknown_length_is_refused_before_its_end() -> None:
    chunks_read = 0

    async def receive() -> Message:
        nonlocal chunks_read
        chunks_read += 1
        return {"type": "http.request", "body": b"a" * 600, "more_body": True}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def post() -> None:
        scope = {"type": "http", "method": "POST", "headers": []}
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    endpoint = for_starlette.handles_deliveries(receiver_of_test())(handler)
    asyncio.run(post())
    assert (sent[0]["status"], chunks_read) == (413, 2)


def test_another_method_is_refused() -> None:
    view = for_django.handles_deliveries(receiver_of_test())(handler)
    response = view(RequestFactory().get("/hook"))
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


def test_a_body_over_the_limit_of_django_itself_is_a_413() -> None:
    view = for_django.handles_deliveries(receiver_of_test())(handler)
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=100):
        response = view(RequestFactory().post("/hook", bytes(101), "application/json"))
    assert (response.status_code, response.content) == (413, b'{"code": "body_too_large"}')


def test_flask_rejects_a_coroutine_function() -> None:
    with pytest.raises(TypeError, match="coroutine function"):
        for_flask.handles_deliveries(receiver_of_test())(async_handler)


def test_starlette_joins_a_header_that_was_sent_twice() -> None:
    endpoint = for_starlette.handles_deliveries(receiver_of_test())(handler)
    client = TestClient(Starlette(routes=[Route("/hook", endpoint, methods=["POST"])]))
    headers, body = delivery_of("evt_1")
    twice = [*headers.items(), ("webhook-id", "evt_1")]
    response = client.post("/hook", content=body, headers=twice)
    assert (response.status_code, response.json()) == (401, {"code": "signature_mismatch"})
