"""The methods of the clients. Generated from docs/openapi.json; do not edit."""

from __future__ import annotations

import builtins
from typing import Literal

from . import types
from ._calls import Call, idempotency_key_of, path_of
from ._sync_stream import EventStream
from ._sync_transport import Paged, Transport


class Users:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def sign_in(self, body: types.SignUserInBody) -> types.SignedIn:
        """Sign in a user. The first sign-in creates the user. The API key needs the scope `users:auth`."""
        response: types.SignedIn = self._transport.send(
            Call("POST", path_of("sdkusers", "auth"), body=body, repeatable=True, result="object")
        )
        return response

    def verify_token(self, body: types.VerifyTokenBody) -> types.VerifiedToken:
        """Verify a token. If you send `agentUid`, the response shows whether the user can reach that agent. The API key needs the scope `users:auth`."""
        response: types.VerifiedToken = self._transport.send(
            Call(
                "POST",
                path_of("sdkusers", "token", "verify"),
                body=body,
                repeatable=True,
                result="object",
            )
        )
        return response

    def revoke_tokens(self, user_uid: str) -> None:
        """Revoke the tokens of a user. The API key needs the scope `users:auth`."""
        self._transport.send(
            Call("POST", path_of("sdkusers", user_uid, "tokens", "revoke"), repeatable=True)
        )

    def revoke_all_tokens(self) -> None:
        """Revoke the tokens of all users. The API key needs the scope `users:auth`."""
        self._transport.send(Call("POST", path_of("sdkusers", "tokens", "revoke"), repeatable=True))

    def tokens(
        self, user_uid: str, *, limit: int | None = None, cursor: str | None = None
    ) -> Paged[types.UserToken]:
        """List the tokens of a user. The list has the valid tokens, ordered from newest to oldest. It may lack a token of the last second, or of an overloaded service. The API key needs the scope `users:auth`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("sdkusers", user_uid, "tokens"),
                query={"limit": limit, "cursor": cursor},
                result="page",
            ),
        )

    def revoke_token(self, user_uid: str, token_uid: str) -> None:
        """Revoke one token of a user. The other tokens of the user stay valid. The API key needs the scope `users:auth`."""
        self._transport.send(
            Call(
                "POST",
                path_of("sdkusers", user_uid, "tokens", token_uid, "revoke"),
                repeatable=True,
            )
        )

    def list(
        self,
        *,
        external_id: str | None = None,
        email: str | None = None,
        name_prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[types.User]:
        """List users. The list is ordered from newest to oldest, or with `namePrefix` by name. Users without a name are not in the latter. The API key needs the scope `admin`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("sdkusers"),
                query={
                    "externalId": external_id,
                    "email": email,
                    "namePrefix": name_prefix,
                    "limit": limit,
                    "cursor": cursor,
                },
                result="page",
            ),
        )

    def get(self, user_uid: str) -> types.User:
        """Get a user. The API key needs the scope `admin`."""
        response: types.User = self._transport.send(
            Call("GET", path_of("sdkusers", user_uid), result="object")
        )
        return response

    def change(self, user_uid: str, body: types.ChangeUserBody) -> types.User:
        """Change the name of a user. The API key needs the scope `admin`."""
        response: types.User = self._transport.send(
            Call("PATCH", path_of("sdkusers", user_uid), body=body, result="object")
        )
        return response

    def delete(self, user_uid: str) -> None:
        """Delete a user. The call erases the identity of the user and revokes the tokens. The API key needs the scope `admin`."""
        self._transport.send(Call("DELETE", path_of("sdkusers", user_uid)))


class Accounts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.CreateAccountBody, *, idempotency_key: str | None = None
    ) -> types.Account:
        """Create an account. The API key needs the scope `admin`."""
        response: types.Account = self._transport.send(
            Call(
                "POST",
                path_of("accounts"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(
        self, *, name_prefix: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Paged[types.Account]:
        """List accounts. The list is ordered from newest to oldest, or with `namePrefix` by name. The API key needs the scope `admin`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("accounts"),
                query={"namePrefix": name_prefix, "limit": limit, "cursor": cursor},
                result="page",
            ),
        )

    def get(self, account_uid: str) -> types.Account:
        """Get an account. The API key needs the scope `admin`."""
        response: types.Account = self._transport.send(
            Call("GET", path_of("accounts", account_uid), result="object")
        )
        return response

    def change(self, account_uid: str, body: types.ChangeAccountBody) -> types.Account:
        """Change the name of an account. The API key needs the scope `admin`."""
        response: types.Account = self._transport.send(
            Call("PATCH", path_of("accounts", account_uid), body=body, result="object")
        )
        return response

    def delete(self, account_uid: str) -> None:
        """Delete an account. The account is removed from its users and agents. Event: `agent.updated` for each of these agents. The API key needs the scope `admin`."""
        self._transport.send(Call("DELETE", path_of("accounts", account_uid)))

    def members(
        self, account_uid: str, *, limit: int | None = None, cursor: str | None = None
    ) -> Paged[types.User]:
        """List the users in an account. The list is ordered from newest to oldest. The API key needs the scope `admin`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("accounts", account_uid, "members"),
                query={"limit": limit, "cursor": cursor},
                result="page",
            ),
        )

    def add_member(self, account_uid: str, user_uid: str) -> None:
        """Add a user to an account. The API key needs the scope `admin`."""
        self._transport.send(Call("PUT", path_of("accounts", account_uid, "members", user_uid)))

    def remove_member(self, account_uid: str, user_uid: str) -> None:
        """Remove a user from an account. The API key needs the scope `admin`."""
        self._transport.send(Call("DELETE", path_of("accounts", account_uid, "members", user_uid)))


class Webhooks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.CreateWebhookBody, *, idempotency_key: str | None = None
    ) -> types.WebhookWithSecret:
        """Create a webhook. The API key needs the scope `webhooks:write`."""
        response: types.WebhookWithSecret = self._transport.send(
            Call(
                "POST",
                path_of("webhooks"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def check_url(self, body: types.CheckWebhookUrlBody) -> types.CheckedUrl:
        """Check the URL of a webhook. The call applies the rules for new webhooks. It does not check the address behind a host name. That address is checked at each attempt. The API key needs the scope `webhooks:write`."""
        response: types.CheckedUrl = self._transport.send(
            Call(
                "POST",
                path_of("webhooks", "check-url"),
                body=body,
                repeatable=True,
                result="object",
            )
        )
        return response

    def list(self) -> builtins.list[types.Webhook]:
        """List webhooks. The list has all webhooks, from oldest to newest. The API key needs the scope `webhooks:read`."""
        response: builtins.list[types.Webhook] = self._transport.send(
            Call("GET", path_of("webhooks"), result="list")
        )
        return response

    def get(self, webhook_uid: str) -> types.Webhook:
        """Get a webhook. The API key needs the scope `webhooks:read`."""
        response: types.Webhook = self._transport.send(
            Call("GET", path_of("webhooks", webhook_uid), result="object")
        )
        return response

    def change(self, webhook_uid: str, body: types.ChangeWebhookBody) -> types.Webhook:
        """Change, pause or resume a webhook. The API key needs the scope `webhooks:write`."""
        response: types.Webhook = self._transport.send(
            Call("PATCH", path_of("webhooks", webhook_uid), body=body, result="object")
        )
        return response

    def delete(self, webhook_uid: str) -> None:
        """Delete a webhook. The call cancels the open deliveries of the webhook. The API key needs the scope `webhooks:write`."""
        self._transport.send(Call("DELETE", path_of("webhooks", webhook_uid)))

    def rotate_secret(
        self,
        webhook_uid: str,
        body: types.RotateWebhookSecretBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> types.WebhookWithSecret:
        """Rotate the secret of a webhook. The old secret keeps signing during an overlap. The API key needs the scope `webhooks:write`."""
        response: types.WebhookWithSecret = self._transport.send(
            Call(
                "POST",
                path_of("webhooks", webhook_uid, "secret", "rotate"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def promote_secret(self, webhook_uid: str) -> types.Webhook:
        """Promote the new secret of a webhook. The new secret then signs `X-Webhook-Signature`. The API key needs the scope `webhooks:write`."""
        response: types.Webhook = self._transport.send(
            Call("POST", path_of("webhooks", webhook_uid, "secret", "promote"), result="object")
        )
        return response

    def public_keys(self) -> types.JwkSet:
        """Get the public keys of webhook signatures. The response is a JWK set (RFC 7517) of Ed25519 keys (RFC 8037). A new key is published an hour before it signs."""
        response: types.JwkSet = self._transport.send(
            Call("GET", path_of(".well-known", "webhook-keys.json"), result="object")
        )
        return response

    def test(
        self, webhook_uid: str, body: types.TestWebhookBody | None = None
    ) -> types.TestedWebhook:
        """Send a test event to a webhook. The API key needs the scope `webhooks:write`."""
        response: types.TestedWebhook = self._transport.send(
            Call("POST", path_of("webhooks", webhook_uid, "test"), body=body, result="object")
        )
        return response

    def recover(
        self,
        webhook_uid: str,
        body: types.RecoverWebhookBody,
        *,
        idempotency_key: str | None = None,
    ) -> types.ReplayDryRun | types.StartedReplay:
        """Send the lost and waiting deliveries of a webhook. The call starts a replay of the lost deliveries since a time. `states` selects other deliveries, such as `retrying` ones. The API key needs the scope `events:write`."""
        response: types.ReplayDryRun | types.StartedReplay = self._transport.send(
            Call(
                "POST",
                path_of("webhooks", webhook_uid, "recover"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def sync(
        self,
        webhook_uid: str,
        body: types.SyncWebhookBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> types.SyncDryRun | types.StartedSync:
        """Send the present state to a webhook. The sync sends each existing agent, context and context file once, as its `updated` event with the number of its latest change. Of a resource that is only reported, it sends the latest event that is kept. The settings of the webhook apply. The API key needs the scope `events:write`."""
        response: types.SyncDryRun | types.StartedSync = self._transport.send(
            Call(
                "POST",
                path_of("webhooks", webhook_uid, "sync"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def deliveries(
        self,
        webhook_uid: str,
        *,
        state: types.DeliveryState | None = None,
        status_class: types.StatusClass | None = None,
        error_class: types.ErrorClass | None = None,
        event: types.EventName | None = None,
        external_tenant_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[types.Delivery]:
        """List the deliveries of a webhook. The list is ordered from newest to oldest. Deliveries of events of the last minute that are not recorded yet have the state `pending` and no attempts. They are left out if a filter by class or another state is set. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("webhooks", webhook_uid, "deliveries"),
                query={
                    "state": state,
                    "statusClass": status_class,
                    "errorClass": error_class,
                    "event": event,
                    "externalTenantId": external_tenant_id,
                    "since": since,
                    "until": until,
                    "limit": limit,
                    "cursor": cursor,
                },
                result="page",
            ),
        )


class WebhookReplays:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        webhook_uid: str,
        body: types.CreateWebhookReplayBody,
        *,
        idempotency_key: str | None = None,
    ) -> types.ReplayDryRun | types.StartedReplay:
        """Replay the events of a period to a webhook. By default, the replay sends only failed deliveries again. The API key needs the scope `events:write`."""
        response: types.ReplayDryRun | types.StartedReplay = self._transport.send(
            Call(
                "POST",
                path_of("webhooks", webhook_uid, "replays"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(
        self, webhook_uid: str, *, limit: int | None = None, cursor: str | None = None
    ) -> Paged[types.Replay]:
        """List replays. The list is ordered from newest to oldest. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("webhooks", webhook_uid, "replays"),
                query={"limit": limit, "cursor": cursor},
                result="page",
            ),
        )

    def get(self, webhook_uid: str, replay_uid: str) -> types.ReplayDetail:
        """Get a replay and its progress. The API key needs the scope `events:read`."""
        response: types.ReplayDetail = self._transport.send(
            Call("GET", path_of("webhooks", webhook_uid, "replays", replay_uid), result="object")
        )
        return response

    def cancel(self, webhook_uid: str, replay_uid: str) -> types.Replay:
        """Cancel a replay. The API key needs the scope `events:write`."""
        response: types.Replay = self._transport.send(
            Call(
                "POST",
                path_of("webhooks", webhook_uid, "replays", replay_uid, "cancel"),
                repeatable=True,
                result="object",
            )
        )
        return response


class EventTypes:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> types.EventTypes:
        """List event types. Each type has a schema and a sample. The API key needs the scope `webhooks:read`."""
        response: types.EventTypes = self._transport.send(
            Call("GET", path_of("event-types"), result="object")
        )
        return response


class Agents:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.CreateAgentBody, *, idempotency_key: str | None = None
    ) -> types.Agent:
        """Create an agent. Event: `agent.created`. The API key needs the scope `resources:write`."""
        response: types.Agent = self._transport.send(
            Call(
                "POST",
                path_of("agents"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Paged[types.Agent]:
        """List agents. The list is ordered from newest to oldest. The API key needs the scope `resources:read`."""
        return Paged(
            self._transport,
            Call("GET", path_of("agents"), query={"limit": limit, "cursor": cursor}, result="page"),
        )

    def get(self, agent_uid: str) -> types.Agent:
        """Get an agent. The API key needs the scope `resources:read`."""
        response: types.Agent = self._transport.send(
            Call("GET", path_of("agents", agent_uid), result="object")
        )
        return response

    def change(self, agent_uid: str, body: types.ChangeAgentBody) -> types.Agent:
        """Change an agent. Event: `agent.updated`. There is no event if nothing changes. The API key needs the scope `resources:write`."""
        response: types.Agent = self._transport.send(
            Call("PATCH", path_of("agents", agent_uid), body=body, result="object")
        )
        return response

    def delete(self, agent_uid: str) -> None:
        """Delete an agent. Event: `agent.deleted`. The API key needs the scope `resources:write`."""
        self._transport.send(Call("DELETE", path_of("agents", agent_uid)))


class Contexts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.CreateContextBody, *, idempotency_key: str | None = None
    ) -> types.Context:
        """Create a context. Event: `context.created`. The API key needs the scope `resources:write`."""
        response: types.Context = self._transport.send(
            Call(
                "POST",
                path_of("contexts"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Paged[types.Context]:
        """List contexts. The list is ordered from newest to oldest. The API key needs the scope `resources:read`."""
        return Paged(
            self._transport,
            Call(
                "GET", path_of("contexts"), query={"limit": limit, "cursor": cursor}, result="page"
            ),
        )

    def get(self, context_uid: str) -> types.Context:
        """Get a context. The API key needs the scope `resources:read`."""
        response: types.Context = self._transport.send(
            Call("GET", path_of("contexts", context_uid), result="object")
        )
        return response

    def change(self, context_uid: str, body: types.ChangeContextBody) -> types.Context:
        """Change a context. Event: `context.updated`. There is no event if nothing changes. The API key needs the scope `resources:write`."""
        response: types.Context = self._transport.send(
            Call("PATCH", path_of("contexts", context_uid), body=body, result="object")
        )
        return response

    def delete(self, context_uid: str) -> None:
        """Delete a context and its files. Events: `contextfile.deleted` for each file, then `context.deleted`. The API key needs the scope `resources:write`."""
        self._transport.send(Call("DELETE", path_of("contexts", context_uid)))


class ContextFiles:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        context_uid: str,
        body: types.CreateContextFileBody,
        *,
        idempotency_key: str | None = None,
    ) -> types.ContextFile:
        """Create a file of a context. Event: `contextfile.created`. The API key needs the scope `resources:write`."""
        response: types.ContextFile = self._transport.send(
            Call(
                "POST",
                path_of("contexts", context_uid, "files"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(
        self, context_uid: str, *, limit: int | None = None, cursor: str | None = None
    ) -> Paged[types.ContextFile]:
        """List the files of a context. The list is ordered from newest to oldest. The API key needs the scope `resources:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("contexts", context_uid, "files"),
                query={"limit": limit, "cursor": cursor},
                result="page",
            ),
        )

    def get(self, context_uid: str, file_uid: str) -> types.ContextFile:
        """Get a file of a context. The API key needs the scope `resources:read`."""
        response: types.ContextFile = self._transport.send(
            Call("GET", path_of("contexts", context_uid, "files", file_uid), result="object")
        )
        return response

    def change(
        self, context_uid: str, file_uid: str, body: types.ChangeContextFileBody
    ) -> types.ContextFile:
        """Change a file of a context. Event: `contextfile.updated`. There is no event if nothing changes. The API key needs the scope `resources:write`."""
        response: types.ContextFile = self._transport.send(
            Call(
                "PATCH",
                path_of("contexts", context_uid, "files", file_uid),
                body=body,
                result="object",
            )
        )
        return response

    def delete(self, context_uid: str, file_uid: str) -> None:
        """Delete a file of a context. Event: `contextfile.deleted`. The API key needs the scope `resources:write`."""
        self._transport.send(Call("DELETE", path_of("contexts", context_uid, "files", file_uid)))


class Changes:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def report(
        self, body: types.ReportChangeBody, *, idempotency_key: str | None = None
    ) -> types.ReportedChange:
        """Report a change. The changed resource is stored on your platform, not in this service. The API key needs the scope `resources:write`."""
        response: types.ReportedChange = self._transport.send(
            Call(
                "POST",
                path_of("changes"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        event: types.SubscribableEventName | None = None,
        entity: types.Entity | None = None,
        resource_uid: str | None = None,
        external_tenant_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[types.Event]:
        """List events. The list does not contain payloads. It is ordered from newest to oldest. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("events"),
                query={
                    "event": event,
                    "entity": entity,
                    "resourceUid": resource_uid,
                    "externalTenantId": external_tenant_id,
                    "since": since,
                    "until": until,
                    "limit": limit,
                    "cursor": cursor,
                },
                result="page",
            ),
        )

    def get(self, event_id: str) -> types.EventWithPayload:
        """Get an event and its payload. The API key needs the scope `events:read`."""
        response: types.EventWithPayload = self._transport.send(
            Call("GET", path_of("events", event_id), result="object")
        )
        return response

    def deliveries(
        self,
        event_id: str,
        *,
        state: types.DeliveryState | None = None,
        status_class: types.StatusClass | None = None,
        error_class: types.ErrorClass | None = None,
        webhook_uid: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[types.Delivery]:
        """List the deliveries of an event. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("events", event_id, "deliveries"),
                query={
                    "state": state,
                    "statusClass": status_class,
                    "errorClass": error_class,
                    "webhookUid": webhook_uid,
                    "since": since,
                    "until": until,
                    "limit": limit,
                    "cursor": cursor,
                },
                result="page",
            ),
        )

    def webhooks(self, event_id: str) -> builtins.list[types.ExplainedWebhook]:
        """Explain which webhooks get an event. The list has all webhooks of the application, from oldest to newest, with the reason by their present settings. The API key needs the scope `webhooks:read`."""
        response: builtins.list[types.ExplainedWebhook] = self._transport.send(
            Call("GET", path_of("events", event_id, "webhooks"), result="list")
        )
        return response

    def resend(
        self,
        event_id: str,
        body: types.ResendEventBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> types.Resent:
        """Resend an event. The event is sent immediately. The API key needs the scope `events:write`."""
        response: types.Resent = self._transport.send(
            Call(
                "POST",
                path_of("events", event_id, "resend"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def stream(
        self,
        *,
        event: types.SubscribableEventName | None = None,
        entity: types.Entity | None = None,
        resource_uid: str | None = None,
        external_tenant_id: str | None = None,
        since: str | None = None,
        last_event_id: str | None = None,
    ) -> EventStream:
        """Stream events. The stream sends each event after its commit, as server-sent events. The data of a message is the event with its payload. Messages of the types `opened` and `closed` mark the beginning and the end. To continue after an interruption, send the last ID as `Last-Event-ID`. The API key needs the scope `events:read`."""
        return EventStream(
            self._transport,
            Call(
                "GET",
                path_of("events", "stream"),
                query={
                    "event": event,
                    "entity": entity,
                    "resourceUid": resource_uid,
                    "externalTenantId": external_tenant_id,
                    "since": since,
                },
                accept="text/event-stream",
            ),
            last_event_id,
        )


class Deliveries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        state: types.DeliveryState | None = None,
        status_class: types.StatusClass | None = None,
        error_class: types.ErrorClass | None = None,
        webhook_uid: str | None = None,
        event: types.EventName | None = None,
        external_tenant_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[types.Delivery]:
        """List deliveries. The list covers all webhooks. It is ordered from newest to oldest. Deliveries of events of the last minute that are not recorded yet have the state `pending` and no attempts. They are left out if a filter by class or another state is set. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("deliveries"),
                query={
                    "state": state,
                    "statusClass": status_class,
                    "errorClass": error_class,
                    "webhookUid": webhook_uid,
                    "event": event,
                    "externalTenantId": external_tenant_id,
                    "since": since,
                    "until": until,
                    "limit": limit,
                    "cursor": cursor,
                },
                result="page",
            ),
        )

    def get(self, event_id: str, webhook_uid: str) -> types.DeliveryDetail:
        """Get a delivery and its request. The API key needs the scope `events:read`."""
        response: types.DeliveryDetail = self._transport.send(
            Call("GET", path_of("events", event_id, "deliveries", webhook_uid), result="object")
        )
        return response

    def skip(self, event_id: str, webhook_uid: str) -> types.Delivery:
        """Skip a delivery. The delivery is cancelled with the reason `skipped`, and the next one of an ordered resource is sent. A request in flight is not stopped: if the receiver accepts it, the delivery is `delivered`. A repeat changes nothing. The API key needs the scope `events:write`."""
        response: types.Delivery = self._transport.send(
            Call(
                "POST",
                path_of("events", event_id, "deliveries", webhook_uid, "cancel"),
                result="object",
            )
        )
        return response


class Replays:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.CreateReplayBody, *, idempotency_key: str | None = None
    ) -> types.ReplayDryRun | types.StartedReplay:
        """Replay the events of a period to several webhooks. By default, the replay sends only failed deliveries again, to all webhooks. The API key needs the scope `events:write`."""
        response: types.ReplayDryRun | types.StartedReplay = self._transport.send(
            Call(
                "POST",
                path_of("replays"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Paged[types.Replay]:
        """List replays. The list is ordered from newest to oldest. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET", path_of("replays"), query={"limit": limit, "cursor": cursor}, result="page"
            ),
        )

    def get(self, replay_uid: str) -> types.ReplayDetail:
        """Get a replay and its progress. The API key needs the scope `events:read`."""
        response: types.ReplayDetail = self._transport.send(
            Call("GET", path_of("replays", replay_uid), result="object")
        )
        return response

    def cancel(self, replay_uid: str) -> types.Replay:
        """Cancel a replay. The API key needs the scope `events:write`."""
        response: types.Replay = self._transport.send(
            Call("POST", path_of("replays", replay_uid, "cancel"), repeatable=True, result="object")
        )
        return response


class Syncs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, webhook_uid: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Paged[types.Sync]:
        """List syncs. The list is ordered from newest to oldest. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("syncs"),
                query={"webhookUid": webhook_uid, "limit": limit, "cursor": cursor},
                result="page",
            ),
        )

    def get(self, sync_uid: str) -> types.SyncDetail:
        """Get a sync and its progress. The API key needs the scope `events:read`."""
        response: types.SyncDetail = self._transport.send(
            Call("GET", path_of("syncs", sync_uid), result="object")
        )
        return response

    def cancel(self, sync_uid: str) -> types.Sync:
        """Cancel a sync. Deliveries already queued are still made. The API key needs the scope `events:write`."""
        response: types.Sync = self._transport.send(
            Call("POST", path_of("syncs", sync_uid, "cancel"), repeatable=True, result="object")
        )
        return response


class Erasures:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.CreateErasureBody, *, idempotency_key: str | None = None
    ) -> types.ErasureDryRun | types.Erasure:
        """Erase the payloads of a tenant or a user. The API key needs the scope `events:write`."""
        response: types.ErasureDryRun | types.Erasure = self._transport.send(
            Call(
                "POST",
                path_of("erasures"),
                body=body,
                idempotency_key=idempotency_key_of(idempotency_key),
                result="object",
            )
        )
        return response

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> Paged[types.Erasure]:
        """List erasures. The list is ordered from newest to oldest. The API key needs the scope `events:read`."""
        return Paged(
            self._transport,
            Call(
                "GET", path_of("erasures"), query={"limit": limit, "cursor": cursor}, result="page"
            ),
        )

    def get(self, erasure_uid: str) -> types.Erasure:
        """Get an erasure and its progress. The API key needs the scope `events:read`."""
        response: types.Erasure = self._transport.send(
            Call("GET", path_of("erasures", erasure_uid), result="object")
        )
        return response


class Stats:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def deliveries(
        self,
        *,
        interval: types.Interval | None = None,
        since: str | None = None,
        until: str | None = None,
        webhook_uid: str | None = None,
    ) -> types.DeliveryStatistics:
        """Get delivery statistics. The statistics count the outcomes of the attempts in a range of time. The API key needs the scope `events:read`."""
        response: types.DeliveryStatistics = self._transport.send(
            Call(
                "GET",
                path_of("stats", "deliveries"),
                query={
                    "interval": interval,
                    "since": since,
                    "until": until,
                    "webhookUid": webhook_uid,
                },
                result="object",
            )
        )
        return response

    def webhooks(
        self,
        *,
        interval: Literal["hour", "day"] | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> types.WebhookStatistics:
        """List delivery statistics by webhook. The range is at most 31 whole hours or days. With more than 161 webhooks, the maximum is 5,000 divided by their number. The API key needs the scope `events:read`."""
        response: types.WebhookStatistics = self._transport.send(
            Call(
                "GET",
                path_of("stats", "webhooks"),
                query={"interval": interval, "since": since, "until": until},
                result="object",
            )
        )
        return response

    def outcomes(self, *, webhook_uids: str | None = None) -> types.LatestOutcomes:
        """List the latest outcomes by webhook. The API key needs the scope `events:read`."""
        response: types.LatestOutcomes = self._transport.send(
            Call(
                "GET",
                path_of("stats", "outcomes"),
                query={"webhookUids": webhook_uids},
                result="object",
            )
        )
        return response

    def backlog(self) -> types.Backlog:
        """Count open deliveries and overdue files. You can make this call every 10 seconds. The API key needs the scope `events:read`."""
        response: types.Backlog = self._transport.send(
            Call("GET", path_of("stats", "backlog"), result="object")
        )
        return response

    def failures(self) -> types.WebhookFailures:
        """List why webhooks fail. The list has the failing and deactivated webhooks that began to fail last, at most 100. The API key needs the scope `events:read`."""
        response: types.WebhookFailures = self._transport.send(
            Call("GET", path_of("stats", "failures"), result="object")
        )
        return response


class Settings:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> types.Settings:
        """Get the settings of the service. Durations are texts such as `30d`. The API key needs the scope `webhooks:read`."""
        response: types.Settings = self._transport.send(
            Call("GET", path_of("settings"), result="object")
        )
        return response


class AuditLog:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        action: str | None = None,
        actor_uid: str | None = None,
        target_uid: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[types.AuditRow]:
        """List the audit log of an application. The list is ordered from newest to oldest. The API key needs the scope `admin`."""
        return Paged(
            self._transport,
            Call(
                "GET",
                path_of("audit-log"),
                query={
                    "action": action,
                    "actorUid": actor_uid,
                    "targetUid": target_uid,
                    "since": since,
                    "until": until,
                    "limit": limit,
                    "cursor": cursor,
                },
                result="page",
            ),
        )


class Resources:
    """The resources of a client."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.users = Users(transport)
        self.accounts = Accounts(transport)
        self.webhooks = Webhooks(transport)
        self.webhook_replays = WebhookReplays(transport)
        self.event_types = EventTypes(transport)
        self.agents = Agents(transport)
        self.contexts = Contexts(transport)
        self.context_files = ContextFiles(transport)
        self.changes = Changes(transport)
        self.events = Events(transport)
        self.deliveries = Deliveries(transport)
        self.replays = Replays(transport)
        self.syncs = Syncs(transport)
        self.erasures = Erasures(transport)
        self.stats = Stats(transport)
        self.settings = Settings(transport)
        self.audit_log = AuditLog(transport)

    def health(self) -> types.Health:
        """Check that the process is running."""
        response: types.Health = self._transport.send(
            Call("GET", path_of("healthz"), public=True, result="object")
        )
        return response

    def readiness(self) -> types.Readiness:
        """Check whether the process is ready for requests."""
        response: types.Readiness = self._transport.send(
            Call("GET", path_of("readyz"), public=True, result_statuses=(503,), result="object")
        )
        return response

    def jwks(self) -> types.JwkSet:
        """Get the public keys of user tokens. The response is a JWK set (RFC 7517)."""
        response: types.JwkSet = self._transport.send(
            Call("GET", path_of(".well-known", "jwks.json"), public=True, result="object")
        )
        return response

    def webhook_sources(self) -> types.WebhookSources:
        """Get the addresses of webhook requests. A firewall in front of a receiver can read them here."""
        response: types.WebhookSources = self._transport.send(
            Call(
                "GET", path_of(".well-known", "webhook-sources.json"), public=True, result="object"
            )
        )
        return response
