"""Verification with public keys, given or fetched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from cases import FILE, KEY_SETS
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
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

from agent_herald_receiver import Delivery, WebhookRefusedError
from agent_herald_receiver.verifier import Verifier


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with running_key_server() as keys:
        yield keys


@pytest.mark.parametrize("case", KEY_SETS, ids=lambda case: case["name"])
def test_key_sets_are_fetched_as_the_shared_cases_expect(
    server: KeyServer, case: dict[str, Any]
) -> None:
    keys = {"first": FIRST, "second": SECOND, "third": Ed25519PrivateKey.generate()}
    verifier = server.verifier()
    for step in case["steps"]:
        if "serve" in step:
            serve(server, step["serve"], keys)
        elif "deliver" in step:
            expected = (step["expect"], step["fetches"])
            found = server.verdict(verifier, keys[step["deliver"]], step["fetches"])
            assert found == expected
        elif "respond" in step:
            server.responds.set()
        else:
            server.seconds += step["waitSeconds"]


def serve(
    server: KeyServer, served: dict[str, Any] | None, named: dict[str, Ed25519PrivateKey]
) -> None:
    """Serves a set, in which names stand for keys. None closes the connection."""
    if served is None:
        server.status = None
        return
    keys = served.get("keys", [])
    jwks = [jwk_of(named[key]) if isinstance(key, str) else key for key in keys]
    body = served.get("body", json.dumps({"keys": jwks})).ljust(served.get("bytes", 0))
    server.status, server.body = served.get("status", 200), body.encode()
    server.cache_control = served.get("cacheControl")
    if served.get("held"):
        server.responds.clear()


def test_requests_that_cannot_be_deliveries_cause_no_fetch(server: KeyServer) -> None:
    server.serve(FIRST)
    headers = headers_of(FIRST, server.seconds)
    without = {**headers, "webhook-signature": "v1,AAAA v1a,AAAA"}
    late = headers_of(FIRST, server.seconds - 301)
    verdicts = [verdict(server.verifier(), each) for each in (without, late)]
    assert (verdicts, server.requests) == (["signature_mismatch", "timestamp_too_old"], 0)


def test_a_receiver_of_coroutines_fetches_in_a_thread(server: KeyServer) -> None:
    server.serve(FIRST)
    receiver = server.receiver()
    handled: list[str] = []

    async def handle(delivery: Delivery) -> None:
        handled.append(delivery.event_id)

    headers = headers_of(FIRST, server.seconds)
    response = asyncio.run(receiver.handle_async(headers, BODY, handle))
    assert (response.status, handled) == (204, ["evt_1"])
    server.status = 500
    other = server.receiver()
    assert asyncio.run(other.handle_async(headers, BODY, handle)).status == 503


def test_given_keys_verify_and_at_most_twenty_entries_are_checked() -> None:
    verifier = Verifier(
        public_keys=[text(FIRST)], webhook_uid=WEBHOOK_UID, now_seconds=lambda: 1_000
    )
    wrong = headers_of(SECOND, 1_000, "")["webhook-signature"] + " "
    assert verdict(verifier, headers_of(FIRST, 1_000, wrong * 19)) == "ok"
    assert verdict(verifier, headers_of(FIRST, 1_000, wrong * 20)) == "signature_mismatch"
    assert verdict(verifier, headers_of(SECOND, 1_000)) == "signature_mismatch"


@pytest.mark.parametrize("vector", FILE["v1a"], ids=lambda vector: vector["publicKey"])
def test_vectors_of_v1a_verify(vector: dict[str, Any]) -> None:
    timestamp = vector["timestamp"]
    verifier = Verifier(
        public_keys=vector["publicKey"],
        webhook_uid=vector["webhookUid"],
        now_seconds=lambda: timestamp,
    )
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
        Verifier(public_keys="whpk_AAAA", webhook_uid=WEBHOOK_UID)
