"""An HTTP server with scripted responses that records the requests."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

KEY = "ahk_" + "k" * 40


@dataclass
class StubResponse:
    """A scripted response. If the status is None, the connection is closed without one."""

    status: int | None = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    stays_open: bool = False
    """Whether the body does not end before the server closes."""
    held: bool = False
    """Whether the response is not sent before the server closes."""


@dataclass
class Received:
    method: str
    target: str
    headers: Message
    body: bytes
    connection: tuple[str, int]


def problem(status: int, code: str, **more: Any) -> StubResponse:
    headers = more.pop("headers", {})
    body = {"title": "t", "status": status, "detail": "why", "code": code, "requestId": "req_12345"}
    return StubResponse(status, {**body, **more}, headers, "application/problem+json")


class StubServer(ThreadingHTTPServer):
    """Sends the responses in order, and repeats the last one."""

    daemon_threads = True

    def __init__(self, responses: tuple[StubResponse, ...], *, keeps_alive: bool) -> None:
        super().__init__(("127.0.0.1", 0), _KeepAliveHandler if keeps_alive else _Handler)
        self.responses = list(responses)
        self.received: list[Received] = []
        self.closing = Event()
        self.has_received = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def options(self) -> dict[str, Any]:
        return {"url": self.url, "app_uid": "app_1", "api_key": KEY}

    def handle_error(self, *request: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*request)


class _Handler(BaseHTTPRequestHandler):
    server: StubServer

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        server = self.server
        server.received.append(
            Received(self.command, self.path, self.headers, body, self.client_address)
        )
        server.has_received.set()
        response = server.responses.pop(0) if len(server.responses) > 1 else server.responses[0]
        if response.held:
            server.closing.wait()
        if response.status is None or response.held:
            self.close_connection = True
            return
        content = response.body if isinstance(response.body, bytes) else _json(response.body)
        self.send_response(response.status)
        for name, value in {"content-type": response.content_type, **response.headers}.items():
            self.send_header(name, value)
        if response.content_type != "text/event-stream":
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        if response.stays_open:
            server.closing.wait()

    do_CONNECT = do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _respond  # noqa: N815

    def log_message(self, *_arguments: Any) -> None:
        pass


class _KeepAliveHandler(_Handler):
    protocol_version = "HTTP/1.1"


def _json(body: Any) -> bytes:
    return b"" if body is None else json.dumps(body).encode()


@contextmanager
def serving(*responses: StubResponse, keeps_alive: bool = False) -> Iterator[StubServer]:
    with StubServer(responses, keeps_alive=keeps_alive) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()
