"""For mypy only: each call is a type error, and mypy reports an ignore that ignores nothing."""

from __future__ import annotations

from typing import assert_type

from agent_herald import AsyncHeraldClient, AsyncPaged, HeraldClient, Paged, types


def what_is_refused(client: HeraldClient) -> None:
    client.agents.create({"agentNmae": "a", "externalTenantId": "t"})  # type: ignore[typeddict-item, typeddict-unknown-key]
    client.agents.create({"agentName": "a"})  # type: ignore[typeddict-item]
    client.webhooks.create({"entities": ["agent"]})  # type: ignore[typeddict-item]
    client.webhooks.create({"url": "u", "entities": ["agnet"]})  # type: ignore[list-item]
    client.deliveries.list(state="lost")  # type: ignore[arg-type]
    client.users.list(email="e", emial="e")  # type: ignore[call-arg]
    client.users.get()  # type: ignore[call-arg]
    client.agents.get("agt_1")["colour"]  # type: ignore[typeddict-item]
    client.users.verify_token({"authToken": "t"})["userUid"]  # type: ignore[typeddict-item]


async def what_is_known(client: HeraldClient, waiting: AsyncHeraldClient) -> None:
    assert_type(client.agents.get("agt_1"), types.Agent)
    assert_type(await waiting.agents.get("agt_1"), types.Agent)
    assert_type(client.agents.list(), Paged[types.Agent])
    assert_type(waiting.agents.list(), AsyncPaged[types.Agent])
    assert_type(client.webhooks.list(), list[types.Webhook])
    replay = client.replays.create({"since": "2026-01-01T00:00:00Z"})
    if "count" in replay:
        assert_type(replay, types.ReplayDryRun)
    else:
        assert_type(replay["uid"], str)
    verified = client.users.verify_token({"authToken": "t"})
    if verified["active"]:
        assert_type(verified["userUid"], str)
    else:
        assert_type(verified, types.InactiveToken)
