from __future__ import annotations

import asyncio
import logging
import pickle
import traceback
from typing import Any

import httpx2
import pytest
from stub_server import KEY, StubResponse, problem, serving

import agent_herald
from agent_herald import (
    AsyncHeraldClient,
    HeraldClient,
    HeraldError,
    InvalidRequestError,
    NotFoundError,
    UnexpectedResponseError,
)
from agent_herald.problems import PROBLEMS


def raised_by(response: StubResponse) -> HeraldError:
    with (
        serving(response) as server,
        HeraldClient(**server.options, retries=0) as client,
        pytest.raises(HeraldError) as raised,
    ):
        client.agents.get("agt_1")
    return raised.value


@pytest.mark.parametrize("code", PROBLEMS)
def test_each_code_has_a_class(code: str) -> None:
    error = raised_by(problem(418, code))
    assert type(error) is PROBLEMS[code]
    assert getattr(agent_herald, type(error).__name__) is PROBLEMS[code]
    assert (error.code, error.status, error.detail) == (code, 418, "why")
    assert error.request_id == "req_12345"


def test_a_code_of_a_later_version_is_a_plain_error() -> None:
    error = raised_by(problem(409, "brand_new"))
    assert type(error) is HeraldError
    assert error.code == "brand_new"


def test_an_error_shows_the_invalid_fields() -> None:
    faults = [{"pointer": "#/nmae", "code": "additionalProperties", "detail": "is not a field"}]
    error = raised_by(problem(400, "invalid_request", errors=faults))
    assert isinstance(error, InvalidRequestError)
    assert error.errors == faults
    assert str(error) == ("400 invalid_request: why; #/nmae: is not a field (request req_12345)")


def test_an_error_survives_pickling() -> None:
    error = raised_by(problem(404, "not_found"))
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert isinstance(copy, NotFoundError)
    assert (copy.code, copy.request_id, str(copy)) == (error.code, error.request_id, str(error))


@pytest.mark.parametrize(
    "response",
    [
        StubResponse(502, b"<h1>Bad Gateway</h1>", content_type="text/html"),
        StubResponse(302, None, {"location": "http://127.0.0.1:1/"}),
        StubResponse(200, b"<h1>Sign in</h1>", content_type="text/html"),
        StubResponse(200, b"{", content_type="application/json"),
        StubResponse(500, b"{", content_type="application/problem+json"),
        StubResponse(500, {"code": 7}, content_type="application/problem+json"),
        StubResponse(500, [], content_type="application/problem+json"),
        problem(400, "invalid_request", detail=None),
        StubResponse(304),
        StubResponse(204),
        StubResponse(200, b"null"),
        StubResponse(200, []),
        StubResponse(200, "ok"),
        StubResponse(200, b"[" * 100_000),
        StubResponse(200, b'{"uid":"\xff"}'),
    ],
    ids=[
        "html",
        "redirect",
        "a page",
        "cut",
        "cut problem",
        "no code",
        "no object",
        "no detail",
        "304",
        "204",
        "null",
        "list",
        "text",
        "deep",
        "latin",
    ],
)
def test_a_response_from_another_server_is_unexpected(response: StubResponse) -> None:
    error = raised_by(response)
    assert isinstance(error, UnexpectedResponseError)
    assert (error.code, error.status) == ("unexpected_response", response.status)
    assert error.request_id.startswith("req_")


def test_field_errors_that_are_none_are_left_out() -> None:
    fault = {"pointer": "#/a", "code": "type", "detail": "is not text"}
    for errors in ("x", {"pointer": "#/a"}, [None, {"pointer": 1}, fault]):
        error = raised_by(problem(400, "invalid_request", errors=errors))
        assert error.errors == ([fault] if isinstance(errors, list) else [])
        assert "invalid_request" in str(error)


def test_the_readiness_of_a_process_that_is_not_ready_is_a_result() -> None:
    not_ready = StubResponse(503, {"status": "stopping", "parts": {}})
    with serving(not_ready) as server, HeraldClient(**server.options) as client:
        assert client.readiness()["status"] == "stopping"
        assert len(server.received) == 1


def test_public_calls_send_no_key() -> None:
    with (
        serving(StubResponse(200, {"keys": []})) as server,
        HeraldClient(**server.options) as client,
    ):
        client.jwks()
        client.health()
        client.readiness()
        client.agents.get("agt_1")
        sent = [received.headers["authorization"] for received in server.received]
    assert sent == [None, None, None, f"Bearer {KEY}"]


def test_each_request_names_the_client_and_its_version() -> None:
    async def run(options: dict[str, Any]) -> None:
        async with AsyncHeraldClient(**options) as client:
            await client.health()
            await client.agents.get("agt_1")

    with serving(StubResponse(200, {})) as server, HeraldClient(**server.options) as client:
        client.health()
        client.agents.get("agt_1")
        asyncio.run(run(server.options))
        names = [received.headers["user-agent"] for received in server.received]
    assert names == [f"agent-herald-client-py/{agent_herald.__version__}"] * 4


@pytest.mark.parametrize("kind", [HeraldClient, AsyncHeraldClient])
def test_no_repr_shows_the_key(kind: type[Any]) -> None:
    client = kind(url="https://herald.example.com", app_uid="app_1", api_key=KEY)
    assert repr(client) == (f"{kind.__name__}(url='https://herald.example.com', app_uid='app_1')")
    shown = [repr(client._transport.settings), repr(vars(client)), repr(vars(client._transport))]
    assert not any(KEY in text for text in shown)


@pytest.mark.parametrize(
    "response", [StubResponse(200, {}), StubResponse(None), problem(401, "unauthenticated")]
)
def test_no_log_line_and_no_traceback_shows_the_key(
    response: StubResponse, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    text = ""
    with serving(response) as server, HeraldClient(**server.options) as client:
        try:
            client.agents.create({"agentName": "a", "externalTenantId": "t"})
        except HeraldError as error:
            text = "".join(traceback.format_exception(error)) + repr(vars(error))
            cause = error.__cause__
            if isinstance(cause, httpx2.RequestError):
                text += repr(cause.request.headers)
    assert caplog.records
    assert KEY not in caplog.text + text


@pytest.mark.parametrize("key", ["", f"{KEY}\n", "schlüssel", "two words"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValueError, match="api_key must be") as raised:
        HeraldClient(url="https://herald.example.com", app_uid="app_1", api_key=key)
    assert not key.strip() or key.strip() not in str(raised.value)


@pytest.mark.parametrize(
    "options",
    [
        {"url": "herald.example.com"},
        {"url": "ftp://herald.example.com"},
        {"url": "https://u:p@herald.example.com"},
        {"url": "https://:p@herald.example.com"},
        {"url": "https://herald.example.com/?a=1"},
        {"url": "https://herald.example.com/?"},
        {"url": "https://herald.example.com/#"},
        {"url": "https://herald.example.com\n"},
        {"url": "https://herald.example.com:abc"},
        {"url": "https://xn--/"},
        {"app_uid": ""},
        {"app_uid": ".."},
        {"app_uid": "app_1\n"},
        {"app_uid": None},
        {"api_key": None},
        {"url": None},
        {"url": " https://herald.example.com"},
        {"url": "https://herald.example.com/a\u00a0"},
        {"url": "https://herald.example.com/a\u200b"},
        {"timeout_seconds": 0},
        {"timeout_seconds": -1},
        {"timeout_seconds": float("nan")},
        {"timeout_seconds": float("inf")},
        {"timeout_seconds": 2_147_484},
        {"timeout_seconds": "30"},
        {"timeout_seconds": True},
        {"timeout_seconds": None},
        {"retries": -1},
        {"retries": 1.5},
        {"retries": float("nan")},
        {"retries": float("inf")},
        {"retries": "2"},
        {"retries": True},
        {"retries": None},
        {"http_client": httpx2.AsyncClient()},
        {"http_client": "proxy"},
    ],
    ids=str,
)
def test_options_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    good = {"url": "https://herald.example.com", "app_uid": "app_1", "api_key": KEY}
    with pytest.raises(
        ValueError, match=next(iter(options)) if "app_uid" not in options else "uid"
    ):
        HeraldClient(**{**good, **options})


def test_an_asyncio_client_rejects_a_blocking_http_client() -> None:
    good = {"url": "https://herald.example.com", "app_uid": "app_1", "api_key": KEY}
    with pytest.raises(ValueError, match=r"http_client must be an httpx2\.AsyncClient"):
        AsyncHeraldClient(**good, http_client=httpx2.Client())  # type: ignore[arg-type]


def test_a_success_without_a_body_is_unexpected() -> None:
    with (
        serving(StubResponse(200)) as server,
        HeraldClient(**server.options) as client,
        pytest.raises(UnexpectedResponseError),
    ):
        client.agents.delete("agt_1")


@pytest.mark.parametrize("uid", ["", ".", "..", None, 5, "\ud800"])
def test_a_uid_that_would_change_the_path_is_refused(uid: Any) -> None:
    with serving(StubResponse(204)) as server, HeraldClient(**server.options) as client:
        with pytest.raises(ValueError, match=r"not a uid|surrogates"):
            client.agents.delete(uid)
        assert server.received == []


def test_a_uid_is_escaped_in_the_path() -> None:
    with serving(StubResponse(204)) as server, HeraldClient(**server.options) as client:
        client.agents.delete("../webhooks/whk_1?x#y%2f")
        target = server.received[0].target
    assert target == "/api/v1/appuid/app_1/agents/..%2Fwebhooks%2Fwhk_1%3Fx%23y%252f"


def test_the_url_may_have_a_path() -> None:
    with serving(StubResponse(204)) as server:
        options = {**server.options, "url": f"{server.url}/herald/"}
        with HeraldClient(**options) as client:
            client.agents.delete("agt_1")
        assert server.received[0].target == "/herald/api/v1/appuid/app_1/agents/agt_1"


def test_a_client_of_httpx_stays_open() -> None:
    with serving(StubResponse(204)) as server, httpx2.Client() as http_client:
        with HeraldClient(**server.options, http_client=http_client) as client:
            client.agents.delete("agt_1")
        assert not http_client.is_closed
