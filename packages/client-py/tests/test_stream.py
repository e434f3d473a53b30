from __future__ import annotations

import asyncio
import json
from itertools import islice
from typing import Any

import pytest
from stub_server import StubResponse, problem, serving

from agent_herald import (
    AsyncHeraldClient,
    HeraldClient,
    NotReachedError,
    UnauthenticatedError,
    UnavailableError,
    UnexpectedResponseError,
    _async_transport,
    _sync_transport,
)
from agent_herald._messages import Message, MessageReader


def streamed(text: str, *, stays_open: bool = False) -> StubResponse:
    return StubResponse(200, text.encode(), {}, "text/event-stream", stays_open=stays_open)


def event(n: int, **more: Any) -> str:
    data = json.dumps({"eventId": f"evt_{n}", **more}, ensure_ascii=False)
    return f"id: id{n}\ndata: {data}\n\n"


OPENED = "retry: 1\nevent: opened\nid: id0\ndata: {}\n\n"
CLOSED = 'event: closed\ndata: {"reason":"stopping","detail":"…"}\n\n'
CUT = "id: id9\ndata: {"


def test_a_stream_continues_from_the_last_id_after_each_interruption() -> None:
    responses = (
        streamed(OPENED + event(1) + CUT),
        streamed(OPENED.replace("id0", "id1") + event(2) + CLOSED),
        StubResponse(None),
        problem(503, "unavailable"),
        problem(503, "overloaded"),
        StubResponse(502),
        streamed(": heartbeat\nid: id3\n\n"),
        streamed(event(4), stays_open=True),
    )
    with serving(*responses) as server, HeraldClient(**server.options) as client:
        stream = client.events.stream(entity="agent")
        got = [one["eventId"] for one in islice(stream, 3)]
        asked = [received.headers["last-event-id"] for received in server.received]
        assert {received.target.partition("?")[2] for received in server.received} == {
            "entity=agent"
        }
    assert got == ["evt_1", "evt_2", "evt_4"]
    assert asked == [None, "id1", "id2", "id2", "id2", "id2", "id2", "id3"]
    assert stream.last_event_id == "id4"


def test_a_stream_can_start_after_the_id_of_an_earlier_one() -> None:
    with (
        serving(streamed(event(8), stays_open=True)) as server,
        HeraldClient(**server.options) as client,
    ):
        next(iter(client.events.stream(last_event_id="id7")))
        assert server.received[0].headers["last-event-id"] == "id7"


@pytest.mark.parametrize("stream_id", ["", "id7\n", "é"])
def test_an_id_that_no_header_can_hold_is_refused(stream_id: str) -> None:
    with serving() as server, HeraldClient(**server.options) as client:
        with pytest.raises(ValueError, match="last_event_id"):
            next(iter(client.events.stream(last_event_id=stream_id)))
        assert server.received == []


def test_a_silent_stream_counts_as_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sync_transport, "SILENCE_SECONDS_MAX", 0.1)
    silent, live = (streamed(OPENED + event(n), stays_open=True) for n in (1, 2))
    with serving(silent, live) as server, HeraldClient(**server.options) as client:
        events = islice(client.events.stream(), 2)
        assert [one["eventId"] for one in events] == ["evt_1", "evt_2"]


def test_a_final_error_ends_a_stream() -> None:
    responses = (streamed(OPENED + event(1) + CLOSED), problem(401, "unauthenticated"))
    with serving(*responses) as server, HeraldClient(**server.options) as client:
        events = iter(client.events.stream())
        assert next(events)["eventId"] == "evt_1"
        with pytest.raises(UnauthenticatedError):
            next(events)


def test_a_stream_that_never_opened_is_retried_as_often_as_a_call() -> None:
    away = problem(503, "unavailable")
    with serving(away) as server, HeraldClient(**server.options) as client:
        with pytest.raises(UnavailableError):
            next(iter(client.events.stream()))
        assert len(server.received) == 3


def test_a_response_that_is_not_a_stream_is_unexpected() -> None:
    page = StubResponse(200, b"<h1>Sign in</h1>", content_type="text/html")
    with (
        serving(page) as server,
        HeraldClient(**server.options) as client,
        pytest.raises(UnexpectedResponseError),
    ):
        next(iter(client.events.stream()))


def test_an_event_that_is_not_json_is_unexpected() -> None:
    with (
        serving(streamed(OPENED + "id: id1\ndata: {\n\n")) as server,
        HeraldClient(**server.options) as client,
    ):
        with pytest.raises(UnexpectedResponseError, match="not JSON"):
            next(iter(client.events.stream()))
        assert len(server.received) == 1


@pytest.mark.parametrize(
    ("retry", "seconds"), [("60001", 60), ("9" * 5_000, 60), ("-1", None), ("\u0663", None)]
)
def test_a_stream_waits_at_most_a_minute_before_it_reconnects(
    retry: str, seconds: float | None
) -> None:
    (message,) = MessageReader().feed(f"retry: {retry}\n\n".encode())
    assert message.retry_seconds == seconds


def test_an_asyncio_stream_continues_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_async_transport, "SILENCE_SECONDS_MAX", 0.1)

    async def run(options: dict[str, Any]) -> list[str]:
        got = []
        async with AsyncHeraldClient(**options) as client:
            async for one in client.events.stream():
                got.append(one["eventId"])
                if len(got) == 3:
                    break
        return got

    silent = streamed(OPENED + event(2), stays_open=True)
    with serving(
        streamed(OPENED + event(1) + CUT), StubResponse(None), silent, streamed(event(3))
    ) as server:
        assert asyncio.run(run(server.options)) == ["evt_1", "evt_2", "evt_3"]


def test_a_missing_service_raises_not_reached() -> None:
    with serving(StubResponse(200)) as server:
        options = server.options
    with (
        HeraldClient(**options, retries=0) as client,
        pytest.raises(NotReachedError),
    ):
        next(iter(client.events.stream()))


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_messages_are_parsed_from_chunks_of_any_size(size: int) -> None:
    text = OPENED + event(1, name="Zo\u00eb\u2028\u0085\x0b") + ": heartbeat\nid: id2\n\n" + CUT
    content = text.encode()
    reader = MessageReader()
    messages = [
        message
        for start in range(0, len(content), size)
        for message in reader.feed(content[start : start + size])
    ]
    assert messages[0] == Message("opened", ["{}"], "id0", 0.001)
    assert json.loads(messages[1].data[0])["name"] == "Zo\u00eb\u2028\u0085\x0b"
    assert messages[2:] == [Message(id="id2")]


def test_lines_can_end_with_crlf_and_data_can_have_several_lines() -> None:
    messages = MessageReader().feed(b"data: a\r\ndata:b\r\nretry: soon\r\nother: x\r\n\r\n")
    assert messages == [Message(data=["a", "b"])]
