from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest
from stub_server import StubResponse, problem, serving

from agent_herald import (
    AsyncHeraldClient,
    ConflictError,
    HeraldClient,
    HeraldError,
    NoResponseError,
    NoResponseInTimeError,
    NotReachedError,
    OverloadedError,
    RateLimitedError,
    UnauthenticatedError,
    UnavailableError,
    _retries,
)
from agent_herald._calls import Call
from agent_herald._retries import seconds_until_retry

GET = Call("GET", "/x")
POST = Call("POST", "/x")
POST_WITH_KEY = Call("POST", "/x", idempotency_key="key")
OK = StubResponse(200, {"uid": "agt_1"})


def create(client: HeraldClient) -> Any:
    return client.agents.create({"agentName": "a", "externalTenantId": "t"})


def get(client: HeraldClient) -> Any:
    return client.agents.get("agt_1")


def change(client: HeraldClient) -> Any:
    return client.agents.change("agt_1", {"live": False})


def sign_in(client: HeraldClient) -> Any:
    return client.users.sign_in({"externalId": "u"})


def cancel(client: HeraldClient) -> Any:
    return client.replays.cancel("job_1")


@pytest.mark.parametrize(
    "failure", [problem(503, "unavailable"), StubResponse(None), StubResponse(502)]
)
@pytest.mark.parametrize("call", [get, create, sign_in, cancel])
def test_a_repeatable_call_is_retried_after_a_failure(
    call: Callable[[HeraldClient], Any], failure: StubResponse
) -> None:
    with serving(failure, failure, OK) as server, HeraldClient(**server.options) as client:
        assert call(client) == {"uid": "agt_1"}
        assert len(server.received) == 3


@pytest.mark.parametrize(
    ("failure", "kind"),
    [(problem(503, "unavailable"), UnavailableError), (StubResponse(None), NoResponseError)],
)
def test_a_change_without_a_key_is_not_retried_if_it_may_have_been_processed(
    failure: StubResponse, kind: type[HeraldError]
) -> None:
    with serving(failure, OK) as server, HeraldClient(**server.options) as client:
        with pytest.raises(kind):
            change(client)
        assert len(server.received) == 1


@pytest.mark.parametrize(
    "refusal",
    [problem(429, "rate_limited"), problem(408, "request_timeout"), problem(503, "overloaded")],
)
def test_any_call_rejected_before_processing_is_retried(refusal: StubResponse) -> None:
    with serving(refusal, OK) as server, HeraldClient(**server.options) as client:
        change(client)
        assert len(server.received) == 2


@pytest.mark.parametrize(
    "refusal", [problem(401, "unauthenticated"), problem(409, "conflict"), problem(500, "internal")]
)
def test_other_problems_are_final(refusal: StubResponse) -> None:
    with serving(refusal, OK) as server, HeraldClient(**server.options) as client:
        with pytest.raises(HeraldError):
            get(client)
        assert len(server.received) == 1


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_the_last_error_is_raised_after_the_retries(retries: int) -> None:
    overloaded = problem(503, "overloaded")
    with (
        serving(overloaded) as server,
        HeraldClient(**server.options, retries=retries) as client,
    ):
        with pytest.raises(OverloadedError):
            get(client)
        assert len(server.received) == 1 + retries


def test_all_attempts_of_a_call_share_an_idempotency_key_and_a_request_id() -> None:
    with serving(StubResponse(None), OK) as server, HeraldClient(**server.options) as client:
        create(client)
        create(client)
        keys = [received.headers["idempotency-key"] for received in server.received]
        ids = [received.headers["x-request-id"] for received in server.received]
    assert keys[0] == keys[1] != keys[2]
    assert ids[0] == ids[1] != ids[2]


def test_the_caller_can_set_the_idempotency_key() -> None:
    with serving(OK) as server, HeraldClient(**server.options) as client:
        body = {"name": "n"}
        client.accounts.create({"name": body["name"]}, idempotency_key="order-7")
        assert server.received[0].headers["idempotency-key"] == "order-7"
        with pytest.raises(ValueError, match="idempotency_key"):
            client.accounts.create({"name": "n"}, idempotency_key="two words")


def test_a_call_that_takes_no_key_sends_none() -> None:
    with serving(OK) as server, HeraldClient(**server.options) as client:
        change(client)
        assert server.received[0].headers["idempotency-key"] is None


def test_retry_after_is_waited_for() -> None:
    refusal = problem(429, "rate_limited", headers={"retry-after": "1"})
    with serving(refusal, OK) as server, HeraldClient(**server.options) as client:
        started = time.monotonic()
        get(client)
        assert time.monotonic() - started >= 1


@pytest.mark.parametrize("call", [create, change])
def test_a_conflict_is_final_unless_an_attempt_with_its_key_is_in_flight(
    call: Callable[[HeraldClient], Any],
) -> None:
    refusals = (problem(429, "rate_limited"), problem(409, "conflict"), OK)
    with serving(*refusals) as server, HeraldClient(**server.options) as client:
        if call is create:
            assert call(client) == {"uid": "agt_1"}
        else:
            with pytest.raises(ConflictError):
                call(client)
        assert len(server.received) == (3 if call is create else 2)


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("0", 0, 0),
        ("61", 61, 61),
        (formatdate(time.time() + 7_200, usegmt=True), 3_600, 7_200),
        (formatdate(0, usegmt=True), 0, 0),
        ("soon", None, None),
        ("-1", None, None),
        ("", None, None),
        ("9" * 400, float("inf"), float("inf")),
        ("Wed, 21 Oct 99999 07:28:00 GMT", None, None),
        ("Wed, 21 Oct 2099999999999999 07:28:00 GMT", None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(
    header: str, least: float | None, most: float | None
) -> None:
    refusal = problem(429, "rate_limited", headers={"retry-after": header})
    with (
        serving(refusal) as server,
        HeraldClient(**server.options, retries=0) as client,
        pytest.raises(RateLimitedError) as raised,
    ):
        get(client)
    seconds = raised.value.retry_after_seconds
    if least is None or most is None:
        assert seconds is None
    else:
        assert seconds is not None
        assert least <= seconds <= most


def error_of(status: int | None, retry_after_seconds: float | None = None) -> HeraldError:
    return HeraldError("", request_id="r", status=status, retry_after_seconds=retry_after_seconds)


@pytest.mark.parametrize(("asked", "waited"), [(60, 60), (61, None)], ids=["longest", "too long"])
def test_a_retry_after_of_more_than_a_minute_is_left_to_the_caller(
    asked: float, waited: float | None
) -> None:
    assert seconds_until_retry(GET, error_of(429, asked), attempt=1, retries=2) == waited


@pytest.mark.parametrize("retries", [9, None])
def test_a_retry_after_in_the_past_does_not_shorten_the_wait(
    retries: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_retries, "FIRST_WAIT_SECONDS", 0.5)
    for attempt, least in [(1, 0.25), (2, 0.5), (9, 4)]:
        wait = seconds_until_retry(GET, error_of(503, 0), attempt=attempt, retries=retries)
        assert wait is not None
        assert least <= wait <= 2 * least


def test_without_a_retry_limit_retry_after_is_at_most_a_minute() -> None:
    error = error_of(503, 61)
    assert seconds_until_retry(GET, error, attempt=9, retries=None) == 60


def test_waits_double_up_to_eight_seconds_less_up_to_a_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_retries, "FIRST_WAIT_SECONDS", 0.5)
    for attempt, longest in enumerate([0.5, 1, 2, 4, 8, 8], start=1):
        waits = [
            seconds_until_retry(GET, error_of(503), attempt=attempt, retries=9) for _ in range(50)
        ]
        assert all(wait is not None and longest / 2 <= wait <= longest for wait in waits)
        assert len(set(waits)) > 1


@pytest.mark.parametrize(
    ("call", "status", "repeats"),
    [
        (POST, 503, False),
        (POST_WITH_KEY, 503, True),
        (POST_WITH_KEY, 504, True),
        (POST_WITH_KEY, 500, False),
        (Call("DELETE", "/x"), 503, False),
        (Call("DELETE", "/x"), 429, True),
        (Call("PUT", "/x"), 502, True),
    ],
)
def test_what_is_repeated(call: Call, status: int, repeats: bool) -> None:
    wait = seconds_until_retry(call, error_of(status), attempt=1, retries=1)
    assert (wait is not None) == repeats


def test_a_call_that_was_never_sent_is_retried() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with (
            HeraldClient(url=url, app_uid="app_1", api_key="k", retries=1) as client,
            pytest.raises(NotReachedError) as raised,
        ):
            change(client)
    assert raised.value.code == "not_reached"
    assert seconds_until_retry(POST, raised.value, attempt=1, retries=1) is not None


def test_a_response_that_takes_too_long_raises_its_own_error() -> None:
    slow = StubResponse(held=True)
    with (
        serving(slow) as server,
        HeraldClient(**server.options, timeout_seconds=0.1, retries=0) as client,
        pytest.raises(NoResponseInTimeError) as raised,
    ):
        get(client)
    assert raised.value.status is None


def test_the_asyncio_client_retries_in_the_same_way() -> None:
    async def run(url_options: dict[str, Any]) -> Any:
        async with AsyncHeraldClient(**url_options) as client:
            agent = await client.agents.create({"agentName": "a", "externalTenantId": "t"})
            with pytest.raises(UnauthenticatedError):
                await client.agents.get("agt_1")
            return agent

    refusals = (StubResponse(None), problem(503, "overloaded"), OK, problem(401, "unauthenticated"))
    with serving(*refusals) as server:
        assert asyncio.run(run(server.options)) == {"uid": "agt_1"}
        keys = {received.headers["idempotency-key"] for received in server.received[:3]}
    assert len(keys) == 1
    assert len(server.received) == 4


def test_rate_limited_says_how_long_to_wait() -> None:
    refusal = problem(429, "rate_limited", headers={"retry-after": "61"})
    with (
        serving(refusal) as server,
        HeraldClient(**server.options) as client,
        pytest.raises(RateLimitedError) as raised,
    ):
        get(client)
    assert raised.value.retry_after_seconds == 61
    assert len(server.received) == 1
