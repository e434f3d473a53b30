from __future__ import annotations

import asyncio
from itertools import islice
from typing import Any

import pytest
from stub_server import StubResponse, problem, serving

from agent_herald import (
    AsyncHeraldClient,
    HeraldClient,
    InvalidCursorError,
    UnexpectedResponseError,
)


def page(uids: list[str], cursor: str | None) -> StubResponse:
    return StubResponse(200, {"data": [{"uid": uid} for uid in uids], "nextCursor": cursor})


PAGES = (page(["a", "b"], "c=1&x"), page([], "c2"), page(["c"], None))


def test_a_list_is_iterated_to_its_end_even_past_an_empty_page() -> None:
    with serving(*PAGES) as server, HeraldClient(**server.options) as client:
        assert [agent["uid"] for agent in client.agents.list(limit=2)] == ["a", "b", "c"]
        targets = [received.target.partition("?")[2] for received in server.received]
    assert targets == ["limit=2", "limit=2&cursor=c%3D1%26x", "limit=2&cursor=c2"]


def test_pages_are_read_when_they_are_needed() -> None:
    with serving(*PAGES) as server, HeraldClient(**server.options) as client:
        listed = client.agents.list()
        assert server.received == []
        assert [agent["uid"] for agent in islice(listed, 2)] == ["a", "b"]
        assert len(server.received) == 1


def test_each_iteration_starts_over() -> None:
    with serving(page(["a"], None)) as server, HeraldClient(**server.options) as client:
        listed = client.agents.list()
        assert len(list(listed)) == len(list(listed)) == 1
        assert len(server.received) == 2


def test_pages_have_cursors_and_a_list_continues_from_one() -> None:
    with serving(*PAGES) as server, HeraldClient(**server.options) as client:
        pages = list(client.agents.list(cursor="c0").pages())
        assert [one["nextCursor"] for one in pages] == ["c=1&x", "c2", None]
        assert server.received[0].target.endswith("?cursor=c0")


def test_filters_are_sent_with_each_page() -> None:
    with serving(*PAGES) as server, HeraldClient(**server.options) as client:
        list(client.events.list(event="agent.created", external_tenant_id="t 1"))
        first, *others = [received.target for received in server.received]
    assert first.endswith("/events?event=agent.created&externalTenantId=t+1")
    assert all(target.startswith(first) for target in others)


def test_an_error_in_the_middle_of_a_list_is_raised() -> None:
    refused = problem(400, "invalid_cursor")
    with serving(PAGES[0], refused) as server, HeraldClient(**server.options) as client:
        agents = iter(client.agents.list())
        assert [next(agents)["uid"], next(agents)["uid"]] == ["a", "b"]
        with pytest.raises(InvalidCursorError):
            next(agents)


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        "ok",
        {"data": [], "nextCursor": 5},
        {"data": [], "nextCursor": ""},
        {"data": []},
        {"data": None, "nextCursor": None},
        {"data": "abc", "nextCursor": None},
    ],
)
def test_a_page_of_another_form_is_unexpected(body: Any) -> None:
    with serving(StubResponse(200, body)) as server, HeraldClient(**server.options) as client:
        with pytest.raises(UnexpectedResponseError):
            list(client.agents.list())
        assert len(server.received) == 1


def test_a_list_that_is_not_paged_must_be_a_list() -> None:
    with (
        serving(StubResponse(200, {"data": []})) as server,
        HeraldClient(**server.options) as client,
        pytest.raises(UnexpectedResponseError),
    ):
        client.webhooks.list()


def test_a_cursor_that_does_not_advance_ends_the_list_with_an_error() -> None:
    with serving(page(["a"], "c")) as server, HeraldClient(**server.options) as client:
        with pytest.raises(UnexpectedResponseError):
            list(client.agents.list())
        assert len(server.received) == 2


def test_lists_are_iterated_with_asyncio() -> None:
    async def run(options: dict[str, Any]) -> list[str]:
        async with AsyncHeraldClient(**options) as client:
            return [agent["uid"] async for agent in client.agents.list()]

    with serving(*PAGES) as server:
        assert asyncio.run(run(server.options)) == ["a", "b", "c"]
