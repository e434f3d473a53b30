"""The proxies of the environment, and of a given HTTP client."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from stub_server import KEY, StubResponse, serving

from agent_herald import AsyncHeraldClient, HeraldClient, NotReachedError


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_the_proxy_of_the_environment_is_used_unless_no_proxy_names_the_service(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {
        "url": "http://herald.invalid",
        "app_uid": "app_1",
        "api_key": KEY,
        "retries": 0,
    }
    for other in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)

    async def run() -> Any:
        async with AsyncHeraldClient(**options) as client:
            return await client.agents.get("agt_1")

    with serving(StubResponse(200, {"uid": "agt_1"})) as proxy:
        monkeypatch.setenv(name, proxy.url)
        with HeraldClient(**options) as client:
            assert client.agents.get("agt_1") == asyncio.run(run()) == {"uid": "agt_1"}
        target = "http://herald.invalid/api/v1/appuid/app_1/agents/agt_1"
        assert [received.target for received in proxy.received] == [target] * 2
        monkeypatch.setenv("NO_PROXY", "herald.invalid")
        with HeraldClient(**options) as client, pytest.raises(NotReachedError):
            client.agents.get("agt_1")


def test_a_proxy_that_opens_no_connection_means_that_nothing_was_sent() -> None:
    with (
        serving(StubResponse(407)) as proxy,
        httpx2.Client(proxy=proxy.url) as http_client,
        HeraldClient(
            url="https://herald.invalid", app_uid="app_1", api_key=KEY, http_client=http_client
        ) as client,
    ):
        with pytest.raises(NotReachedError, match="407"):
            client.agents.change("agt_1", {"live": True})
        assert [received.method for received in proxy.received] == ["CONNECT"] * 3
