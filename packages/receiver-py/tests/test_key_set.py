"""Verification with public keys, given or fetched."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cases import FILE
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from key_server import (
    BODY,
    FIRST,
    SECOND,
    KeyServer,
    headers_of,
    running_key_server,
    text,
    verdict,
)

from agent_herald_receiver import Delivery, Receiver, WebhookRefusedError
from agent_herald_receiver.verifier import Verifier


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with running_key_server() as keys:
        yield keys


def test_a_set_is_fetched_once_for_many_deliveries_and_again_when_it_is_stale(
    server: KeyServer,
) -> None:
    server.serve(FIRST)
    verifier = server.verifier()
    with ThreadPoolExecutor(20) as pool:
        verdicts = list(pool.map(lambda _: server.verdict(verifier, FIRST)[0], range(20)))
    assert (set(verdicts), server.requests) == ({"ok"}, 1)
    server.seconds += 119
    assert server.verdict(verifier, FIRST) == ("ok", 1)
    server.seconds += 1
    assert server.verdict(verifier, FIRST) == ("ok", 2)


def test_an_unknown_key_causes_at_most_one_fetch_a_minute(server: KeyServer) -> None:
    server.serve(FIRST)
    verifier = server.verifier()
    assert server.verdict(verifier, FIRST) == ("ok", 1)
    server.serve(FIRST, SECOND)
    server.seconds += 59
    assert server.verdict(verifier, SECOND) == ("signature_mismatch", 1)
    server.seconds += 1
    assert server.verdict(verifier, SECOND) == ("ok", 2)
    assert server.verdict(verifier, Ed25519PrivateKey.generate()) == ("signature_mismatch", 2)


def test_the_last_keys_serve_for_a_day(server: KeyServer) -> None:
    server.serve(FIRST)
    verifier = server.verifier()
    assert server.verdict(verifier, FIRST) == ("ok", 1)
    server.status = 500
    server.seconds += 86_400
    assert server.verdict(verifier, FIRST) == ("ok", 2)
    server.seconds += 1
    assert server.verdict(verifier, FIRST) == ("keys_unavailable", 2)
    server.status = 200
    server.seconds += 60
    assert server.verdict(verifier, FIRST) == ("ok", 3)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (302, b""),
        (500, b"{}"),
        (204, b""),
        (200, b"<html>"),
        (200, b"\xff"),
        (200, b"null"),
        (200, b'{"keys": []}'),
        (200, b" " * 65_537),
    ],
)
def test_without_a_usable_set_the_next_fetch_is_a_minute_later(
    server: KeyServer, status: int, body: bytes
) -> None:
    server.status, server.body = status, body
    verifier = server.verifier()
    for _ in range(2):
        assert server.verdict(verifier, FIRST) == ("keys_unavailable", 1)
    server.serve(FIRST)
    server.seconds += 60
    assert server.verdict(verifier, FIRST) == ("ok", 2)


def test_requests_that_cannot_be_deliveries_cause_no_fetch(server: KeyServer) -> None:
    server.serve(FIRST)
    headers = headers_of(FIRST, server.seconds)
    without = {**headers, "webhook-signature": "v1,AAAA v1a,AAAA"}
    late = headers_of(FIRST, server.seconds - 301)
    verdicts = [verdict(server.verifier(), each) for each in (without, late)]
    assert (verdicts, server.requests) == (["signature_mismatch", "timestamp_too_old"], 0)


def test_a_receiver_of_coroutines_fetches_in_a_thread(server: KeyServer) -> None:
    server.serve(FIRST)
    receiver = Receiver(key_set_url=server.url, now_seconds=lambda: server.seconds)
    handled: list[str] = []

    async def handle(delivery: Delivery) -> None:
        handled.append(delivery.event_id)

    headers = headers_of(FIRST, server.seconds)
    response = asyncio.run(receiver.handle_async(headers, BODY, handle))
    assert (response.status, handled) == (204, ["evt_1"])
    server.status = 500
    other = Receiver(key_set_url=server.url, now_seconds=lambda: server.seconds)
    assert asyncio.run(other.handle_async(headers, BODY, handle)).status == 503


def test_given_keys_verify_and_at_most_twenty_entries_are_checked() -> None:
    verifier = Verifier(public_keys=[text(FIRST)], now_seconds=lambda: 1_000)
    wrong = headers_of(SECOND, 1_000, "")["webhook-signature"] + " "
    assert verdict(verifier, headers_of(FIRST, 1_000, wrong * 19)) == "ok"
    assert verdict(verifier, headers_of(FIRST, 1_000, wrong * 20)) == "signature_mismatch"
    assert verdict(verifier, headers_of(SECOND, 1_000)) == "signature_mismatch"


@pytest.mark.parametrize("vector", FILE["v1a"], ids=lambda vector: vector["publicKey"])
def test_vectors_of_v1a_verify(vector: dict[str, Any]) -> None:
    timestamp = vector["timestamp"]
    verifier = Verifier(public_keys=vector["publicKey"], now_seconds=lambda: timestamp)
    headers = {
        "webhook-id": vector["id"],
        "webhook-timestamp": str(timestamp),
        "webhook-signature": vector["signature"],
    }
    verifier.verify(headers, vector["body"].encode())
    with pytest.raises(WebhookRefusedError, match="no signature"):
        verifier.verify(headers, vector["body"].encode() + b" ")


def test_a_receiver_without_secrets_or_public_keys_is_refused() -> None:
    with pytest.raises(ValueError, match=r"secrets\[0\] must be a text"):
        Verifier()


def test_a_single_public_key_is_checked_like_a_list() -> None:
    with pytest.raises(ValueError, match=r"public_keys\[0\] must be whpk_"):
        Verifier(public_keys="whpk_AAAA")
