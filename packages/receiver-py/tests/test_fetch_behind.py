"""Fetches behind deliveries, in event loops and forked processes, and through proxies."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from key_server import (
    BODY,
    FIRST,
    SECOND,
    WEBHOOK_UID,
    KeyServer,
    headers_of,
    running_key_server,
    verdict,
)

from agent_herald_receiver import Delivery, Receiver, WebhookRefusedError, key_set
from agent_herald_receiver._version import __version__
from agent_herald_receiver.verifier import Verifier


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[KeyServer]:
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with running_key_server() as keys:
        keys.serve(FIRST)
        yield keys


def test_a_fetch_names_the_package_and_its_version(server: KeyServer) -> None:
    assert server.verdict(server.verifier(), FIRST) == ("ok", 1)
    assert server.user_agents == [f"agent-herald-receiver-py/{__version__}"]


def test_a_fetch_that_one_event_loop_began_gives_keys_to_the_next(server: KeyServer) -> None:
    receiver = Receiver(
        key_set_url=server.url, webhook_uid=WEBHOOK_UID, now_seconds=lambda: server.seconds
    )

    async def handle(_: Delivery) -> None: ...

    def status(headers: dict[str, str]) -> int:
        return asyncio.run(receiver.handle_async(headers, BODY, handle)).status

    assert status(headers_of(FIRST, server.seconds)) == 204
    server.responds.clear()
    server.serve(SECOND)
    server.seconds += 120
    assert status(headers_of(FIRST, server.seconds)) == 204
    server.responds.set()
    assert status(headers_of(SECOND, server.seconds)) == 204
    assert status(headers_of(FIRST, server.seconds)) == 401
    assert server.requests == 2


FORKING = """
import os, threading
from agent_herald_receiver import key_set

parent, asked = os.getpid(), threading.Event()

def read(_):
    if os.getpid() != parent:
        return ["a check"], 300
    asked.set()
    threading.Event().wait()

key_set._read = read
keys = key_set.KeySet("http://keys.test/", lambda: 1_000)
threading.Thread(target=keys.checks, daemon=True).start()
assert asked.wait(10)
if os.fork() == 0:
    print(keys.checks(), flush=True)
    os._exit(0)
os.wait()
"""


def run(program: str) -> str:
    source = str(Path(__file__).parents[1] / "src")
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=20,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_forked_during_a_fetch_begins_its_own() -> None:
    assert run(FORKING) == "['a check']\n"


HANGING = """
import threading
from agent_herald_receiver import key_set

now = 1_000
key_set._read = lambda _: (["a check"], 300)
keys = key_set.KeySet("http://keys.test/", lambda: now)
keys.checks()
now += 300
key_set._read = lambda _: threading.Event().wait()
print(keys.checks())
"""


def test_a_fetch_behind_a_delivery_does_not_keep_the_process_alive() -> None:
    # Long enough that the program would not end in time.
    limit = "key_set._FETCH_SECONDS_MAX = 60"
    assert run(HANGING.replace("now = 1_000", f"now = 1_000\n{limit}")) == "['a check']\n"


def test_the_last_keys_serve_while_no_thread_can_start(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier = server.verifier()
    assert server.verdict(verifier, FIRST) == ("ok", 1)

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    server.seconds += 120
    headers = headers_of(FIRST, server.seconds)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        assert verdict(verifier, headers) == "ok"
        with pytest.raises(WebhookRefusedError, match="can't start new thread"):
            server.verifier().verify(headers, BODY)
    server.seconds += 60
    assert server.verdict(verifier, FIRST, 2) == ("ok", 2)


def test_a_delivery_waits_no_longer_than_a_fetch_may_take(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_set, "_FETCH_SECONDS_MAX", 0.1)
    # Like a platform that freezes the thread.
    monkeypatch.setattr(key_set.KeySet, "_replace", lambda *_: threading.Event().wait(10))
    with pytest.raises(WebhookRefusedError, match="the fetch has not ended"):
        server.verifier().verify(headers_of(FIRST, server.seconds), BODY)


def through(server: KeyServer, url: str) -> Verifier:
    return Verifier(key_set_url=url, webhook_uid=WEBHOOK_UID, now_seconds=lambda: server.seconds)


def test_a_set_is_requested_from_the_proxy_of_the_environment(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = f"127.0.0.1:{server.server.server_port}"
    monkeypatch.setenv("HTTP_PROXY", f"http://user:pass@{proxy}")
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    headers, url = headers_of(FIRST, server.seconds), "http://keys.test/keys.json"
    assert verdict(through(server, url), headers) == "ok"
    with pytest.raises(WebhookRefusedError, match="Tunnel connection failed: 403"):
        through(server, "https://keys.test/").verify(headers, BODY)
    credentials = "Basic dXNlcjpwYXNz"
    assert server.targets == [("GET", url, credentials), ("CONNECT", "keys.test:443", None)]
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert server.verdict(server.verifier(), FIRST) == ("ok", 2)


@pytest.mark.parametrize(("status", "spaces"), [(302, 0), (407, 0), (200, 65_537)])
def test_redirects_and_sizes_have_the_same_limits_through_a_proxy(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch, status: int, spaces: int
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server.server_port}")
    server.status, server.body = status, server.body.ljust(spaces)
    verifier = through(server, "http://keys.test/")
    assert verdict(verifier, headers_of(FIRST, server.seconds)) == "keys_unavailable"
    assert server.requests == 1


def test_a_proxy_of_an_unknown_kind_is_the_reason_why_there_are_no_keys(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    with pytest.raises(WebhookRefusedError, match="unknown url type: socks5"):
        through(server, "http://keys.test/").verify(headers_of(FIRST, server.seconds), BODY)
