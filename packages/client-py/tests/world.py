"""A running service, with resources for the calls of the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from stub_server import StubResponse, serving

from agent_herald import HeraldClient
from agent_herald.types import CreateContextFileBody, CreateWebhookBody

_NAMES = ("HERALD_URL", "HERALD_APP_UID", "HERALD_API_KEY")
MISSING = [name for name in _NAMES if not os.environ.get(name)]

AN_HOUR_AGO = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
FILE: CreateContextFileBody = {"fileName": "a.txt", "contentType": "text/plain", "sizeBytes": 1}


def options() -> dict[str, Any]:
    return dict(
        zip(("url", "app_uid", "api_key"), map(os.environ.__getitem__, _NAMES), strict=True)
    )


@dataclass
class World:
    """The client, and the resources that the calls use."""

    client: HeraldClient
    receiver_url: str
    token: str
    user: str
    account: str
    webhook: str
    agent: str
    context: str
    file: str
    event: str

    def new_webhook(self) -> str:
        body: CreateWebhookBody = {"url": self.receiver_url, "entities": ["agent"]}
        return self.client.webhooks.create(body)["uid"]

    def new_user(self) -> str:
        return self.client.users.sign_in({"externalId": os.urandom(8).hex()})["userUid"]

    def new_token(self) -> tuple[str, str]:
        signed_in = self.client.users.sign_in({"externalId": os.urandom(8).hex()})
        verified = self.client.users.verify_token({"authToken": signed_in["authToken"]})
        assert verified["active"]
        return signed_in["userUid"], verified["tokenUid"]

    def new_account(self) -> str:
        return self.client.accounts.create({"name": "To go"})["uid"]

    def new_member(self) -> tuple[str, str]:
        account = self.new_account()
        self.client.accounts.add_member(account, self.user)
        return account, self.user

    def new_agent(self) -> str:
        agent = self.client.agents.create({"agentName": "To go", "externalTenantId": "t"})
        return agent["uid"]

    def new_context(self) -> str:
        context = self.client.contexts.create({"contextName": "To go", "externalTenantId": "t"})
        return context["uid"]

    def new_file(self) -> str:
        return self.client.context_files.create(self.context, FILE)["uid"]

    def rotated(self) -> str:
        webhook = self.new_webhook()
        self.client.webhooks.rotate_secret(webhook, {"overlapSeconds": 600})
        return webhook

    def new_replay(self) -> str:
        replay = self.client.replays.create({"since": AN_HOUR_AGO})
        assert "uid" in replay
        return replay["uid"]

    def new_webhook_replay(self) -> str:
        replay = self.client.webhook_replays.create(self.webhook, {"since": AN_HOUR_AGO})
        assert "uid" in replay
        return replay["uid"]

    def new_sync(self) -> str:
        sync = self.client.webhooks.sync(self.webhook, {})
        assert "uid" in sync
        return sync["uid"]

    def new_held_delivery(self) -> tuple[str, str]:
        webhook = self.client.webhooks.create(
            {
                "url": self.receiver_url,
                "entities": ["agent"],
                "externalTenantIds": ["held"],
                "active": False,
            }
        )
        event = self.client.changes.report(
            {"event": "agent.updated", "data": {"uid": "held", "externalTenantId": "held"}}
        )
        return event["eventId"], webhook["uid"]

    def new_erasure(self) -> str:
        erasure = self.client.erasures.create({"externalTenantId": "nobody"})
        assert "uid" in erasure
        return erasure["uid"]


@contextmanager
def furnished_world() -> Iterator[World]:
    with serving(StubResponse(200)) as receiver, HeraldClient(**options()) as client:
        account = client.accounts.create({"name": "Clients"})["uid"]
        signed_in = client.users.sign_in(
            {
                "externalId": "client-py",
                "accountUids": [account],
                "externalTenantId": "t",
                "expiresInSeconds": 3600,
            }
        )
        webhook = client.webhooks.create(
            {"url": receiver.url, "entities": ["agent", "context", "contextfile"]}
        )["uid"]
        agent = client.agents.create({"agentName": "Support", "externalTenantId": "t"})["uid"]
        context = client.contexts.create({"contextName": "Manuals", "externalTenantId": "t"})["uid"]
        yield World(
            client=client,
            receiver_url=receiver.url,
            token=signed_in["authToken"],
            user=signed_in["userUid"],
            account=account,
            webhook=webhook,
            agent=agent,
            context=context,
            file=client.context_files.create(context, FILE)["uid"],
            event=next(iter(client.events.list(resource_uid=agent)))["eventId"],
        )
        client.webhooks.delete(webhook)
