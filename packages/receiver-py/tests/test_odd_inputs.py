"""Inputs of other types, frameworks and stores than the usual ones."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable
from email.message import Message
from typing import Any, cast

import pytest
from deliveries import SECRET, delivery_of
from flask import Flask
from key_server import FIRST, running_key_server
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from test_handle import CoroutineStore

from agent_herald_receiver import Delivery, MemoryDeliveryStore, Receiver, WebhookRefusedError
from agent_herald_receiver import flask as for_flask
from agent_herald_receiver import starlette as for_starlette


def ignore(_: Delivery) -> None: ...


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_a_body(kind: Callable[[bytes], Any]) -> None:
    headers, body = delivery_of()
    receiver = Receiver(SECRET)
    assert receiver.verify(headers, kind(body)).event_id == "evt_1"
    assert receiver.handle(headers, kind(body), ignore).status == 204


def test_the_limit_counts_the_bytes_of_a_buffer_of_larger_items() -> None:
    body = memoryview(bytes(1_200)).cast("I")
    assert (
        Receiver(SECRET, body_bytes_max=1_199).handle({}, cast(bytes, body), ignore).status == 413
    )


@pytest.mark.parametrize("body", ["{}", None, {}, [1]])
def test_anything_else_is_no_body(body: Any) -> None:
    with pytest.raises(TypeError, match="raw_body is not the bytes that arrived"):
        Receiver(SECRET).handle({}, body, ignore)


def test_a_header_with_several_items_is_joined() -> None:
    headers, body = delivery_of()
    message = Message()
    for name, value in headers.items():
        message[name.upper()] = value
    assert Receiver(SECRET).verify(cast("dict[str, str]", message), body).event_id == "evt_1"
    message["Webhook-Id"] = headers["webhook-id"]
    with pytest.raises(WebhookRefusedError, match="no signature"):
        Receiver(SECRET).verify(cast("dict[str, str]", message), body)


class OddStore(MemoryDeliveryStore):
    def __init__(self, claim: object) -> None:
        super().__init__()
        self._claim = claim

    def claim(self, *_: str) -> Any:
        return self._claim


@pytest.mark.parametrize("claim", [None, True, "OK", b"done"])
def test_a_store_with_another_claim_is_a_failure_and_loses_no_event(
    claim: object, caplog: pytest.LogCaptureFixture
) -> None:
    receiver = Receiver(SECRET, store=OddStore(claim))

    async def handle(_: Delivery) -> None: ...

    assert receiver.handle(*delivery_of(), ignore).status == 500
    assert asyncio.run(receiver.handle_async(*delivery_of(), handle)).status == 500
    assert caplog.text.count(f"a store must not claim {claim!r}") == 2


def traced(method: Callable[..., Any]) -> Callable[..., Any]:
    """Hides that a method is a coroutine function."""

    @functools.wraps(method)
    def call(*arguments: object) -> Any:
        return method(*arguments)

    return call


class TracedStore(CoroutineStore):
    claim = traced(CoroutineStore.claim)
    complete = traced(CoroutineStore.complete)
    release = traced(CoroutineStore.release)


class Handler:
    def __init__(self) -> None:
        self.event_ids: list[str] = []

    async def __call__(self, delivery: Delivery) -> None:
        self.event_ids.append(delivery.event_id)


def test_coroutine_functions_may_be_hidden_by_decorators_and_objects() -> None:
    receiver, handler = Receiver(SECRET, store=TracedStore()), Handler()
    for event_id in ("evt_1", "evt_1", "evt_2"):
        assert asyncio.run(receiver.handle_async(*delivery_of(event_id), handler)).status == 204
    assert handler.event_ids == ["evt_1", "evt_2"]
    with pytest.raises(TypeError, match="must not be a coroutine function"):
        for_flask.handles_deliveries(Receiver(SECRET))(handler)


def get_from_starlette(receiver: Receiver) -> tuple[int, str, str]:
    endpoint = for_starlette.handles_deliveries(receiver)(ignore)
    response = TestClient(Starlette(routes=[Route("/hook", endpoint)])).get("/hook")
    return response.status_code, response.headers["allow"], response.json()["code"]


def get_from_flask(receiver: Receiver) -> tuple[int, str, str]:
    app = Flask(__name__)
    app.get("/hook")(for_flask.handles_deliveries(receiver)(ignore))
    response = app.test_client().get("/hook")
    return response.status_code, response.headers["allow"], cast(Any, response.json)["code"]


@pytest.mark.parametrize("get", [get_from_starlette, get_from_flask])
def test_a_route_of_more_methods_refuses_all_but_post(
    get: Callable[[Receiver], tuple[int, str, str]],
) -> None:
    assert get(Receiver(SECRET)) == (405, "POST", "method_not_allowed")


def test_every_refused_request_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "agent_herald_receiver")
    receiver = Receiver(SECRET, body_bytes_max=10)
    receiver.handle({}, bytes(11), ignore)
    receiver.handle({}, bytes(10), ignore)
    get_from_starlette(receiver)
    logged = [record.getMessage().split(" (")[0] for record in caplog.records]
    codes = ("body_too_large", "missing_header", "method_not_allowed")
    assert [line for line in logged if line.startswith("refused")] == [
        f"refused a request: {code}" for code in codes
    ]


def test_a_repeated_cache_control_is_read_as_a_whole() -> None:
    with running_key_server() as server:
        server.serve(FIRST)
        server.cache_control = "public\r\nCache-Control: max-age=1200"
        verifier = server.verifier()
        assert server.verdict(verifier, FIRST) == ("ok", 1)
        server.seconds += 1_199
        assert server.verdict(verifier, FIRST) == ("ok", 1)
