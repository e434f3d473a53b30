"""The types of ``data``. A field that is absent or has another type is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceData:
    """The fields of all resources.

    Only ``uid`` and ``external_tenant_id`` are guaranteed for changes that your platform reported.
    """

    uid: str
    external_tenant_id: str
    app_uid: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentData(ResourceData):
    """``agent.created``, ``agent.updated``, ``agent.deleted``"""

    agent_name: str | None = None
    live: bool | None = None
    description: str | None = None
    account_uids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextData(ResourceData):
    """``context.created``, ``context.updated``, ``context.deleted``"""

    context_name: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFileData(ResourceData):
    """``contextfile.created``, ``contextfile.updated``, ``contextfile.deleted``

    ``processing_status`` is ``pending``, ``processing``, ``ready`` or ``failed``.
    """

    context_uid: str | None = None
    file_name: str | None = None
    content_type: str | None = None
    size_bytes: int | None = None
    processing_status: str | None = None
    processing_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTestData:
    """``webhook.test``. ``uid`` identifies the webhook."""

    uid: str
    external_tenant_id: str | None = None
    test: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAttempt:
    """The attempt that led to a notice. ``status`` is None if there was no response."""

    event_id: str | None = None
    event: str | None = None
    n: int | None = None
    at: datetime | None = None
    status: int | None = None
    error_class: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookNoticeData:
    """``webhook.failing``, ``.deactivation_scheduled``, ``.deactivated`` and ``.recovered``

    ``kind`` is ``resources`` or ``operations``. ``disabled_reason`` is ``gone`` or ``failing``.
    """

    uid: str
    name: str | None = None
    kind: str | None = None
    url_origin: str | None = None
    failing_since: datetime | None = None
    deactivates_at: datetime | None = None
    disabled_reason: str | None = None
    last_attempt: LastAttempt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExhaustedData:
    """``delivery.exhausted``. ``uid`` identifies the webhook."""

    uid: str
    name: str | None = None
    kind: str | None = None
    url_origin: str | None = None
    exhausted_count: int | None = None
    last_attempt: LastAttempt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiringKeyData:
    """``apikey.expiring``. ``uid`` identifies the key."""

    uid: str
    key_id: str | None = None
    name: str | None = None
    scopes: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    rolled_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverdueFileData:
    """``contextfile.processing_overdue``. ``uid`` identifies the context file."""

    uid: str
    context_uid: str | None = None
    file_name: str | None = None
    external_tenant_id: str | None = None
    processing_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevocationData:
    """``user.tokens_revoked`` and ``application.tokens_revoked``

    ``uid`` identifies the user or the application. ``epoch`` counts its revocations.
    """

    uid: str
    revoked_at: datetime | None = None
    epoch: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRevocationData:
    """``user.token_revoked``. ``uid`` identifies the user, ``token_uid`` is the claim ``jti``."""

    uid: str
    token_uid: str | None = None
    revoked_at: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRevocationData:
    """``application.key_tokens_revoked``

    ``uid`` identifies the application. ``api_key_uid`` is the claim ``key`` of the tokens.
    """

    uid: str
    api_key_uid: str | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class UnknownData:
    """The raw ``data`` of an event that this release does not know, or that lacks an ID."""

    fields: Mapping[str, Any]


EventData = (
    AgentData
    | ContextData
    | ContextFileData
    | WebhookTestData
    | WebhookNoticeData
    | ExhaustedData
    | ExpiringKeyData
    | OverdueFileData
    | RevocationData
    | TokenRevocationData
    | KeyRevocationData
    | UnknownData
)
