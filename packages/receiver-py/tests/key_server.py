"""A server of a key set, and deliveries signed by ``cryptography``."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_herald_receiver import Receiver, WebhookRefusedError
from agent_herald_receiver.verifier import Verifier

BODY = json.dumps(
    {
        "eventId": "evt_1",
        "event": "agent.updated",
        "timestamp": "2026-01-01T12:00:00.000Z",
        "appUid": "app_1",
        "version": 1,
        "data": {"uid": "agt_1", "externalTenantId": "tenant-1"},
    }
).encode()

WEBHOOK_UID = "whk_1"
FIRST, SECOND = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()


def raw(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def text(key: Ed25519PrivateKey) -> str:
    return "whpk_" + base64.b64encode(raw(key)).decode()


def headers_of(key: Ed25519PrivateKey, seconds: int, before: str = "v1,AAAA ") -> dict[str, str]:
    signature = key.sign(f"evt_1.{seconds}.{WEBHOOK_UID}.".encode() + BODY)
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"{before}v1a,{base64.b64encode(signature).decode()}",
    }


def jwk_of(key: Ed25519PrivateKey) -> dict[str, str]:
    x = base64.urlsafe_b64encode(raw(key)).decode().rstrip("=")
    return {"kty": "OKP", "crv": "Ed25519", "x": x}


class KeyServer:
    """The server of a key set, and the clock of its receivers."""

    def __init__(self) -> None:
        self.seconds = 1_767_268_800
        self.requests = 0
        self.user_agents: list[str | None] = []
        #: The methods and targets of the requests, and their credentials for a proxy.
        self.targets: list[tuple[str, str, str | None]] = []
        #: Without a status, it closes connections.
        self.status: int | None = 200
        self.body = b""
        self.cache_control: str | None = "max-age=120"
        #: Set by each request.
        self.asked = threading.Event()
        #: While this is not set, requests get no response.
        self.responds = threading.Event()
        self.responds.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self) -> None:
                self.note_target()
                self.send_error(403)

            def note_target(self) -> None:
                credentials = self.headers["Proxy-Authorization"]
                outer.targets.append((self.command, self.path, credentials))

            def do_GET(self) -> None:
                self.note_target()
                outer.user_agents.append(self.headers["User-Agent"])
                outer.requests += 1
                outer.asked.set()
                assert outer.responds.wait(10)
                if outer.status is None:
                    return
                self.send_response(outer.status)
                self.send_header("Location", "/other")
                if outer.cache_control is not None:
                    self.send_header("Cache-Control", outer.cache_control)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys.json"

    def serve(self, *keys: Ed25519PrivateKey) -> None:
        others: list[object] = [{"kty": "EC", "x": 7}, None, {"kty": "OKP", "crv": "Ed25519"}]
        jwks = [jwk_of(key) for key in keys]
        self.status, self.body = 200, json.dumps({"keys": [*others, *jwks]}).encode()

    def verifier(self) -> Verifier:
        return Verifier(
            key_set_url=self.url, webhook_uid=WEBHOOK_UID, now_seconds=lambda: self.seconds
        )

    def receiver(self) -> Receiver:
        return Receiver(
            key_set_url=self.url, webhook_uid=WEBHOOK_UID, now_seconds=lambda: self.seconds
        )

    def verdict(
        self, verifier: Verifier, key: Ed25519PrivateKey, fetches: int = 0
    ) -> tuple[str, int]:
        """Returns the verdict and the requests, after a fetch for which it may not have waited."""
        found = verdict(verifier, headers_of(key, self.seconds))
        deadline = time.monotonic() + 10
        while self.requests < fetches and time.monotonic() < deadline:
            time.sleep(0.005)
        return found, self.requests


def verdict(verifier: Verifier, headers: dict[str, str]) -> str:
    try:
        verifier.verify(headers, BODY)
    except WebhookRefusedError as error:
        return error.code
    return "ok"


@contextmanager
def running_key_server() -> Iterator[KeyServer]:
    keys = KeyServer()
    thread = threading.Thread(target=keys.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield keys
    finally:
        keys.responds.set()
        keys.server.shutdown()
        thread.join()
        keys.server.server_close()
