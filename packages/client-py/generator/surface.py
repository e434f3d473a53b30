"""Maps operations to methods. Everything else comes from the contract."""

from __future__ import annotations

SURFACE: dict[str, dict[str, str]] = {
    "users": {
        "sign_in": "signUserIn",
        "verify_token": "verifyToken",
        "revoke_tokens": "revokeUserTokens",
        "revoke_all_tokens": "revokeTokens",
        "tokens": "listUserTokens",
        "revoke_token": "revokeUserToken",
        "list": "listUsers",
        "get": "getUser",
        "change": "changeUser",
        "delete": "deleteUser",
    },
    "accounts": {
        "create": "createAccount",
        "list": "listAccounts",
        "get": "getAccount",
        "change": "changeAccount",
        "delete": "deleteAccount",
        "members": "listAccountMembers",
        "add_member": "addAccountMember",
        "remove_member": "removeAccountMember",
    },
    "webhooks": {
        "create": "createWebhook",
        "check_url": "checkWebhookUrl",
        "list": "listWebhooks",
        "get": "getWebhook",
        "change": "changeWebhook",
        "delete": "deleteWebhook",
        "rotate_secret": "rotateWebhookSecret",
        "promote_secret": "promoteWebhookSecret",
        "public_keys": "getWebhookKeys",
        "test": "testWebhook",
        "recover": "recoverWebhook",
        "sync": "syncWebhook",
        "deliveries": "listWebhookDeliveries",
    },
    "webhook_replays": {
        "create": "createWebhookReplay",
        "list": "listWebhookReplays",
        "get": "getWebhookReplay",
        "cancel": "cancelWebhookReplay",
    },
    "event_types": {"list": "listEventTypes"},
    "agents": {
        "create": "createAgent",
        "list": "listAgents",
        "get": "getAgent",
        "change": "changeAgent",
        "delete": "deleteAgent",
    },
    "contexts": {
        "create": "createContext",
        "list": "listContexts",
        "get": "getContext",
        "change": "changeContext",
        "delete": "deleteContext",
    },
    "context_files": {
        "create": "createContextFile",
        "list": "listContextFiles",
        "get": "getContextFile",
        "change": "changeContextFile",
        "delete": "deleteContextFile",
    },
    "changes": {"report": "reportChange"},
    "events": {
        "list": "listEvents",
        "get": "getEvent",
        "deliveries": "listEventDeliveries",
        "webhooks": "explainEvent",
        "resend": "resendEvent",
        "stream": "streamEvents",
    },
    "deliveries": {"list": "listDeliveries", "get": "getDelivery", "skip": "skipDelivery"},
    "replays": {
        "create": "createReplay",
        "list": "listReplays",
        "get": "getReplay",
        "cancel": "cancelReplay",
    },
    "syncs": {"list": "listSyncs", "get": "getSync", "cancel": "cancelSync"},
    "erasures": {"create": "createErasure", "list": "listErasures", "get": "getErasure"},
    "stats": {
        "deliveries": "getDeliveryStats",
        "webhooks": "listWebhookStats",
        "outcomes": "listLatestOutcomes",
        "backlog": "getBacklog",
        "failures": "listFailures",
    },
    "settings": {"get": "getSettings"},
    "audit_log": {"list": "listAuditLog"},
}

# Methods of the client object.
ROOT = {
    "health": "getHealth",
    "readiness": "getReadiness",
    "jwks": "getJwks",
    "webhook_sources": "getWebhookSources",
}

# The contract itself, pages for people, an alias, and a flow that only says that it has ended.
WITHOUT_METHOD = frozenset(
    {
        "changeWebhookByUid",
        "getDocument",
        "getLlmsText",
        "getMigrationPage",
        "getOpenapi",
        "getOpenidConfiguration",
        "getReference",
        "getReferenceScript",
        "legacyAuth",
    }
)

# Calls that are safe to repeat although they take no idempotency key.
REPEATABLE = frozenset(
    {
        "cancelReplay",
        "cancelSync",
        "cancelWebhookReplay",
        "checkWebhookUrl",
        "revokeTokens",
        "revokeUserToken",
        "revokeUserTokens",
        "signUserIn",
        "verifyToken",
    }
)

# A process that is not ready responds with 503.
RESULT_STATUSES = {"getReadiness": (503,)}

# The names of enumerations, each with a field that uses it.
LITERALS = {
    "Entity": "Webhook.entities",
    "EventName": "Event.event",
    "SubscribableEventName": "Webhook.events",
    "ResourceEventName": "ReportChangeBody.event",
    "DeliveryState": "Delivery.state",
    "CancelReason": "Delivery.cancelReason",
    "StatusClass": "Delivery.statusClass",
    "ErrorClass": "Delivery.errorClass",
    "JobState": "Replay.state",
    "ReplayableState": "CreateWebhookReplayBody.states",
    "FailedState": "CreateReplayBody.states",
    "SendableCancelReason": "CreateReplayBody.cancelReasons",
    "ProcessingStatus": "ContextFile.processingStatus",
    "Ordering": "Webhook.ordering",
    "WebhookKind": "Webhook.kind",
    "Interval": "DeliveryStatistics.interval",
}
