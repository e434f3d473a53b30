"""Calls each method once against a running service (`npm run test:packages` starts one)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator

import pytest
from surface import ROOT, SURFACE
from world import AN_HOUR_AGO, FILE, MISSING, World, furnished_world, options

from agent_herald import (
    AsyncHeraldClient,
    HeraldClient,
    IdempotencyKeyReusedError,
    InvalidRequestError,
    NotFoundError,
    UnauthenticatedError,
    types,
)

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no service: {', '.join(MISSING)} missing")


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with furnished_world() as world:
        yield world


def is_of_tenant(verified: types.VerifiedToken) -> bool:
    return verified["active"] and verified["externalTenantId"] == "t"


# For each method, a call and a check of its response.
CALLS: dict[str, Callable[[World], bool]] = {
    "users.sign_in": lambda w: (
        w.client.users.sign_in({"externalId": "client-py"})["userUid"] == w.user
    ),
    "users.tokens": lambda w: all(
        token["uid"].startswith("tok_") for token in w.client.users.tokens(w.user)
    ),
    "users.verify_token": lambda w: is_of_tenant(
        w.client.users.verify_token({"authToken": w.token, "origin": "https://app.example.com"})
    ),
    "users.list": lambda w: w.user in {user["uid"] for user in w.client.users.list(limit=1)},
    "users.get": lambda w: w.account in w.client.users.get(w.user)["accountUids"],
    "users.change": lambda w: w.client.users.change(w.user, {"name": "Ada"})["name"] == "Ada",
    "accounts.create": lambda w: w.client.accounts.create({"name": "New"})["name"] == "New",
    "accounts.list": lambda w: w.account in {one["uid"] for one in w.client.accounts.list()},
    "accounts.get": lambda w: w.client.accounts.get(w.account)["name"] == "Clients",
    "accounts.change": lambda w: (
        w.client.accounts.change(w.new_account(), {"name": "B"})["name"] == "B"
    ),
    "accounts.members": lambda w: (
        [user["uid"] for user in w.client.accounts.members(w.account)] == [w.user]
    ),
    "webhooks.create": lambda w: w.client.webhooks.create(
        {"url": w.receiver_url, "entities": ["context"], "filter": {"contextName": "A"}}
    )["secret"].startswith("whsec_"),
    "webhooks.list": lambda w: w.webhook in [one["uid"] for one in w.client.webhooks.list()],
    "webhooks.get": lambda w: w.client.webhooks.get(w.webhook)["active"],
    "webhooks.change": lambda w: (
        not w.client.webhooks.change(w.new_webhook(), {"active": False})["active"]
    ),
    "webhooks.rotate_secret": lambda w: w.client.webhooks.rotate_secret(w.new_webhook())[
        "secret"
    ].startswith("whsec_"),
    "webhooks.public_keys": lambda w: all(
        key["kty"] == "OKP" for key in w.client.webhooks.public_keys()["keys"]
    ),
    "webhooks.promote_secret": lambda w: w.client.webhooks.promote_secret(w.rotated())["active"],
    "webhooks.check_url": lambda w: (
        w.client.webhooks.check_url({"url": "http://10.0.0.1/"})["problems"] != []
    ),
    "webhooks.test": lambda w: w.client.webhooks.test(w.webhook)["event"] == "webhook.test",
    "webhooks.recover": lambda w: (
        "uid" in w.client.webhooks.recover(w.webhook, {"since": AN_HOUR_AGO})
    ),
    "webhooks.sync": lambda w: "counts" in w.client.webhooks.sync(w.webhook, {"dryRun": True}),
    "webhooks.deliveries": lambda w: (
        w.event
        in {
            one["eventId"]
            for one in w.client.webhooks.deliveries(w.webhook, external_tenant_id="t")
        }
    ),
    "webhook_replays.create": lambda w: (
        "count"
        in w.client.webhook_replays.create(w.webhook, {"since": AN_HOUR_AGO, "dryRun": True})
    ),
    "webhook_replays.list": lambda w: (
        w.new_webhook_replay() in {one["uid"] for one in w.client.webhook_replays.list(w.webhook)}
    ),
    "webhook_replays.get": lambda w: (
        w.client.webhook_replays.get(w.webhook, w.new_webhook_replay())["webhookUid"] == w.webhook
    ),
    "webhook_replays.cancel": lambda w: (
        w.client.webhook_replays.cancel(w.webhook, w.new_webhook_replay())["state"]
        in ("cancelled", "done")
    ),
    "event_types.list": lambda w: len(w.client.event_types.list()["data"]) > 9,
    "agents.create": lambda w: w.client.agents.create(
        {"agentName": "New", "externalTenantId": "t"}
    )["uid"].startswith("agt_"),
    "agents.list": lambda w: w.agent in {agent["uid"] for agent in w.client.agents.list()},
    "agents.get": lambda w: w.client.agents.get(w.agent)["agentName"] == "Support",
    "agents.change": lambda w: w.client.agents.change(w.agent, {"live": True})["live"],
    "contexts.create": lambda w: w.client.contexts.create(
        {"contextName": "New", "externalTenantId": "t"}
    )["uid"].startswith("ctx_"),
    "contexts.list": lambda w: w.context in {one["uid"] for one in w.client.contexts.list()},
    "contexts.get": lambda w: w.client.contexts.get(w.context)["contextName"] == "Manuals",
    "contexts.change": lambda w: (
        w.client.contexts.change(w.context, {"description": None})["uid"] == w.context
    ),
    "context_files.create": lambda w: (
        w.client.context_files.create(w.context, FILE)["sizeBytes"] == 1
    ),
    "context_files.list": lambda w: (
        w.file in {one["uid"] for one in w.client.context_files.list(w.context)}
    ),
    "context_files.get": lambda w: (
        w.client.context_files.get(w.context, w.file)["fileName"] == "a.txt"
    ),
    "context_files.change": lambda w: (
        w.client.context_files.change(w.context, w.file, {"processingStatus": "ready"})[
            "processingStatus"
        ]
        == "ready"
    ),
    "events.stream": lambda w: (
        next(iter(w.client.events.stream(resource_uid=w.agent, since=AN_HOUR_AGO)))["eventId"]
        == w.event
    ),
    "changes.report": lambda w: (
        w.client.changes.report(
            {
                "event": "agent.updated",
                "data": {"uid": "crm-7", "externalTenantId": "t", "colour": "blue"},
            }
        )["resourceUid"]
        == "crm-7"
    ),
    "events.list": lambda w: (
        w.event in {one["eventId"] for one in w.client.events.list(event="agent.created")}
    ),
    "events.get": lambda w: (
        (w.client.events.get(w.event)["payload"] or {})["event"] == "agent.created"
    ),
    "events.deliveries": lambda w: list(w.client.events.deliveries(w.event, state="blocked")) == [],
    "events.resend": lambda w: (
        w.client.events.resend(w.event, {"webhookUids": [w.webhook]})["webhookUids"] == [w.webhook]
    ),
    "deliveries.list": lambda w: all(
        one["webhookUid"] == w.webhook for one in w.client.deliveries.list(webhook_uid=w.webhook)
    ),
    "deliveries.get": lambda w: (
        w.client.deliveries.get(w.event, w.webhook)["webhookUid"] == w.webhook
    ),
    "deliveries.skip": lambda w: (
        w.client.deliveries.skip(*w.new_held_delivery())["cancelReason"] == "skipped"
    ),
    "events.webhooks": lambda w: (
        {"webhookUid": w.webhook, "outcome": "delivery", "condition": None}
        in list(w.client.events.webhooks(w.event))
    ),
    "replays.create": lambda w: (
        "count" in w.client.replays.create({"since": AN_HOUR_AGO, "dryRun": True})
    ),
    "replays.list": lambda w: w.new_replay() in {one["uid"] for one in w.client.replays.list()},
    "replays.cancel": lambda w: (
        w.client.replays.cancel(w.new_replay())["state"] in ("cancelled", "done")
    ),
    "replays.get": lambda w: w.client.replays.get(w.new_replay())["webhookUid"] is None,
    "syncs.list": lambda w: w.new_sync() in {one["uid"] for one in w.client.syncs.list()},
    "syncs.get": lambda w: w.client.syncs.get(w.new_sync())["webhookUid"] == w.webhook,
    "syncs.cancel": lambda w: w.client.syncs.cancel(w.new_sync())["state"] == "cancelled",
    "erasures.create": lambda w: (
        "openCount" in w.client.erasures.create({"mentions": ["nobody at all"], "dryRun": True})
    ),
    "erasures.get": lambda w: w.client.erasures.get(w.new_erasure())["erasedCount"] == 0,
    "erasures.list": lambda w: w.new_erasure() in [one["uid"] for one in w.client.erasures.list()],
    "settings.get": lambda w: w.client.settings.get()["version"] != "",
    "stats.webhooks": lambda w: w.client.stats.webhooks(interval="hour")["interval"] == "hour",
    "stats.outcomes": lambda w: w.client.stats.outcomes()["webhooks"] is not None,
    "stats.failures": lambda w: w.client.stats.failures()["moreCount"] == 0,
    "stats.backlog": lambda w: w.client.stats.backlog()["pending"]["count"] >= 0,
    "stats.deliveries": lambda w: (
        w.client.stats.deliveries(interval="minute")["interval"] == "minute"
    ),
    "audit_log.list": lambda w: any(
        row["target"]["uid"] == w.webhook for row in w.client.audit_log.list(target_uid=w.webhook)
    ),
    "health": lambda w: w.client.health()["status"] == "ok",
    "readiness": lambda w: w.client.readiness()["status"] == "ready",
    "webhook_sources": lambda w: not w.client.webhook_sources()["known"],
    "jwks": lambda w: all(key["kty"] == "EC" for key in w.client.jwks()["keys"]),
}


# Calls whose response has no content.
SILENT_CALLS: dict[str, Callable[[World], None]] = {
    "users.delete": lambda w: w.client.users.delete(w.new_user()),
    "users.revoke_token": lambda w: w.client.users.revoke_token(*w.new_token()),
    "users.revoke_tokens": lambda w: w.client.users.revoke_tokens(w.new_user()),
    "users.revoke_all_tokens": lambda w: w.client.users.revoke_all_tokens(),
    "accounts.delete": lambda w: w.client.accounts.delete(w.new_account()),
    "accounts.add_member": lambda w: w.client.accounts.add_member(w.new_account(), w.user),
    "accounts.remove_member": lambda w: w.client.accounts.remove_member(*w.new_member()),
    "context_files.delete": lambda w: w.client.context_files.delete(w.context, w.new_file()),
    "webhooks.delete": lambda w: w.client.webhooks.delete(w.new_webhook()),
    "agents.delete": lambda w: w.client.agents.delete(w.new_agent()),
    "contexts.delete": lambda w: w.client.contexts.delete(w.new_context()),
}


def test_each_method_is_called() -> None:
    methods = {f"{resource}.{name}" for resource, names in SURFACE.items() for name in names}
    assert methods | ROOT.keys() == CALLS.keys() | SILENT_CALLS.keys()


@pytest.mark.parametrize("method", CALLS)
def test_the_service_responds(method: str, world: World) -> None:
    assert CALLS[method](world)


@pytest.mark.parametrize("method", SILENT_CALLS)
def test_the_service_does(method: str, world: World) -> None:
    SILENT_CALLS[method](world)


def test_what_was_deleted_is_not_found(world: World) -> None:
    agent = world.new_agent()
    world.client.agents.delete(agent)
    with pytest.raises(NotFoundError):
        world.client.agents.get(agent)


def test_a_page_of_one_is_followed_by_the_next(world: World) -> None:
    agents = [world.new_agent() for _ in range(3)]
    listed = [agent["uid"] for agent in world.client.agents.list(limit=1)]
    assert listed[:3] == agents[::-1]


def test_a_repeated_key_gets_the_first_response_and_another_body_is_refused(world: World) -> None:
    key = os.urandom(8).hex()
    accounts = world.client.accounts
    first = accounts.create({"name": "Once"}, idempotency_key=key)
    assert accounts.create({"name": "Once"}, idempotency_key=key) == first
    with pytest.raises(IdempotencyKeyReusedError):
        accounts.create({"name": "Twice"}, idempotency_key=key)


def test_an_error_has_the_field_and_the_request_id_of_the_log(world: World) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        world.client.agents.create({"agentName": "", "externalTenantId": "t"})
    assert [fault["pointer"] for fault in raised.value.errors] == ["#/agentName"]
    assert len(raised.value.request_id) == len("req_") + 32


def test_a_wrong_key_is_refused() -> None:
    with HeraldClient(**{**options(), "api_key": "ahk_wrong"}) as client:
        with pytest.raises(UnauthenticatedError):
            client.agents.get("agt_1")
        assert client.health()["status"] == "ok"


def test_a_stream_continues_after_its_last_event(world: World) -> None:
    agent = world.new_agent()
    stream = world.client.events.stream(resource_uid=agent, since=AN_HOUR_AGO)
    first = next(iter(stream))
    world.client.agents.change(agent, {"live": True})
    later = world.client.events.stream(resource_uid=agent, last_event_id=stream.last_event_id)
    # Events stored before the stream began may be sent again.
    second = next(one for one in later if one["eventId"] != first["eventId"])
    assert [first["event"], second["event"]] == ["agent.created", "agent.updated"]


def test_the_service_responds_to_the_asyncio_client() -> None:
    async def run() -> None:
        async with AsyncHeraldClient(**options()) as client:
            agents = await asyncio.gather(
                *(
                    client.agents.create({"agentName": f"Agent {n}", "externalTenantId": "async"})
                    for n in range(5)
                )
            )
            uids = {agent["uid"] for agent in agents}
            assert len(uids) == 5
            assert uids <= {agent["uid"] async for agent in client.agents.list(limit=2)}
            changed = await client.agents.change(agents[0]["uid"], {"live": True})
            assert changed["live"]
            webhooks = await client.webhooks.list()
            assert isinstance(webhooks, list)
            assert (await client.readiness())["status"] == "ready"
            await asyncio.gather(*(client.agents.delete(uid) for uid in uids))
            with pytest.raises(NotFoundError):
                await client.agents.get(agents[0]["uid"])

    asyncio.run(run())
