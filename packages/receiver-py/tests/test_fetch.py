"""Fetches of a key set that are slow, odd or concurrent, and a missing library."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from deliveries import SECRET, delivery_of
from key_server import (
    BODY,
    FIRST,
    SECOND,
    WEBHOOK_UID,
    KeyServer,
    headers_of,
    jwk_of,
    running_key_server,
    text,
    verdict,
)
from test_adapters import post_to_asgi

from agent_herald_receiver import Delivery, Receiver, key_set
from agent_herald_receiver import starlette as for_starlette
from agent_herald_receiver.verifier import Verifier


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with running_key_server() as keys:
        keys.serve(FIRST)
        yield keys


@pytest.mark.parametrize(
    "beginning", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"]
)
def test_a_slow_response_ends_in_time(beginning: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_set, "_FETCH_SECONDS_MAX", 0.5)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(beginning)
                while beginning and not ended.wait(0.05):
                    connection.sendall(b"a")
                ended.wait(10)

        with ThreadPoolExecutor(1) as pool:
            dripping = pool.submit(drip)
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
            begun = time.monotonic()
            verifier = Verifier(key_set_url=url, webhook_uid=WEBHOOK_UID, now_seconds=lambda: 1_000)
            code = verdict(verifier, headers_of(FIRST, 1_000))
            took_seconds = time.monotonic() - begun
            ended.set()
            # A fetch that was given up closes its connection at some time.
            assert dripping.exception(10) is None or isinstance(dripping.exception(), OSError)
    assert code == "keys_unavailable"
    assert took_seconds < 3


@pytest.mark.parametrize("body", [b"[" * 60_000, b"1" * 60_000, b"\xff", b"\x00\xd8"])
def test_the_last_keys_serve_whatever_the_response_is(server: KeyServer, body: bytes) -> None:
    verifier = server.verifier()
    assert server.verdict(verifier, FIRST) == ("ok", 1)
    server.body = body
    server.seconds += 120
    assert server.verdict(verifier, FIRST, 2) == ("ok", 2)
    assert server.verdict(verifier, SECOND) == ("signature_mismatch", 2)


def test_a_server_that_cannot_be_reached_is_no_other_exception() -> None:
    verifier = Verifier(
        key_set_url="http://127.0.0.1:1/", webhook_uid=WEBHOOK_UID, now_seconds=lambda: 1_000
    )
    assert verdict(verifier, headers_of(FIRST, 1_000)) == "keys_unavailable"


@pytest.mark.parametrize("spoil", [lambda x: x + "=", lambda x: x[:-1], lambda x: x[:-1] + "B"])
def test_a_key_that_is_not_32_bytes_in_base64url_is_skipped(server: KeyServer, spoil: Any) -> None:
    jwk = jwk_of(FIRST)
    server.body = json.dumps({"keys": [{**jwk, "x": spoil(jwk["x"])}, jwk_of(SECOND)]}).encode()
    verifier = server.verifier()
    assert server.verdict(verifier, SECOND) == ("ok", 1)
    assert server.verdict(verifier, FIRST) == ("signature_mismatch", 1)


def test_concurrent_deliveries_share_a_fetch(
    server: KeyServer,
) -> None:
    verifier = server.verifier()
    assert verdicts_at_once(server, verifier, FIRST) == {"ok"}
    assert server.requests == 1
    server.seconds += 60
    server.serve(SECOND)
    assert verdicts_at_once(server, verifier, SECOND) == {"ok"}
    assert server.requests == 2
    server.status = 500
    assert verdicts_at_once(server, server.verifier(), SECOND) == {"keys_unavailable"}
    assert server.requests == 3


def verdicts_at_once(server: KeyServer, verifier: Verifier, key: Ed25519PrivateKey) -> set[str]:
    """Returns the verdicts of deliveries, the first of which waits for the server."""
    server.responds.clear()
    server.asked.clear()
    with ThreadPoolExecutor(10) as pool:
        verdicts = [pool.submit(server.verdict, verifier, key) for _ in range(10)]
        assert server.asked.wait(10)
        server.responds.set()
        return {each.result(10)[0] for each in verdicts}


def test_the_event_loop_runs_during_a_fetch(server: KeyServer) -> None:
    receiver = server.receiver()
    server.responds.clear()

    async def handle(_: Delivery) -> None: ...

    async def receive() -> int:
        headers = headers_of(FIRST, server.seconds)
        receiving = asyncio.create_task(receiver.handle_async(headers, BODY, handle))
        # Only this loop lets the server respond.
        assert await asyncio.to_thread(server.asked.wait, 10)
        server.responds.set()
        return (await receiving).status

    assert asyncio.run(receive()) == 204


def test_a_receiver_without_keys_responds_and_logs_why(
    server: KeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.status = 500
    receiver = server.receiver()

    async def handle(_: Delivery) -> None: ...

    post = post_to_asgi(app_of(for_starlette.handles_deliveries(receiver)(handle)))
    status, _, body = post(headers_of(FIRST, server.seconds), BODY)
    assert (status, json.loads(body)) == (503, {"code": "keys_unavailable"})
    logged = [(record.levelname, record.getMessage()) for record in caplog.records]
    refused = "refused a request: keys_unavailable"
    why = "the key set could not be fetched: the key set has the status 500"
    assert ("ERROR", f"{refused} ({why})") in logged


def app_of(endpoint: Any) -> Any:
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    return Starlette(routes=[Route("/hook", endpoint, methods=["POST"])])


@pytest.mark.parametrize("options", [{"public_keys": text(FIRST)}, {"key_set_url": "http://a"}])
def test_only_public_keys_need_cryptography(
    options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ImportError, match=r"pip install 'agent-herald-receiver\[ed25519\]'"):
        Receiver(webhook_uid=WEBHOOK_UID, **options)  # type: ignore[arg-type]
    assert Receiver(SECRET).verify(*delivery_of()).event_id == "evt_1"
