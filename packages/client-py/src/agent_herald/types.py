"""The JSON of bodies and answers. Generated from docs/openapi.json; do not edit."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, final

CancelReason = Literal[
    "abandoned", "discarded", "erased", "expired", "unsubscribed", "webhook_deleted"
]


DeliveryState = Literal[
    "blocked", "cancelled", "delivered", "exhausted", "held", "pending", "retrying"
]


Entity = Literal["agent", "context", "contextfile"]


ErrorClass = Literal["blocked", "connect", "dns", "reset", "status", "timeout", "tls", "too_large"]


EventName = Literal[
    "agent.created",
    "agent.deleted",
    "agent.updated",
    "apikey.expiring",
    "context.created",
    "context.deleted",
    "context.updated",
    "contextfile.created",
    "contextfile.deleted",
    "contextfile.updated",
    "delivery.exhausted",
    "webhook.deactivated",
    "webhook.deactivation_scheduled",
    "webhook.failing",
    "webhook.recovered",
    "webhook.test",
]


FailedState = Literal["blocked", "cancelled", "exhausted", "held", "pending", "retrying"]


Interval = Literal["day", "hour", "minute"]


JobState = Literal["cancelled", "done", "running"]


Ordering = Literal["parallel", "resource"]


ProcessingStatus = Literal["failed", "pending", "processing", "ready"]


ReplayableState = Literal[
    "blocked",
    "cancelled",
    "delivered",
    "exhausted",
    "held",
    "never_attempted",
    "pending",
    "retrying",
]


ResourceEventName = Literal[
    "agent.created",
    "agent.deleted",
    "agent.updated",
    "context.created",
    "context.deleted",
    "context.updated",
    "contextfile.created",
    "contextfile.deleted",
    "contextfile.updated",
]


StatusClass = Literal["1xx", "2xx", "3xx", "4xx", "5xx", "none"]


SubscribableEventName = Literal[
    "agent.created",
    "agent.deleted",
    "agent.updated",
    "apikey.expiring",
    "context.created",
    "context.deleted",
    "context.updated",
    "contextfile.created",
    "contextfile.deleted",
    "contextfile.updated",
    "delivery.exhausted",
    "webhook.deactivated",
    "webhook.deactivation_scheduled",
    "webhook.failing",
    "webhook.recovered",
]


WebhookKind = Literal["operations", "resources"]


@final
class FieldError(TypedDict):
    pointer: str
    """A JSON pointer into the body, or the name of a parameter."""
    code: str
    detail: str


@final
class SignedIn(TypedDict):
    authToken: str
    """A JWT, checked with the keys of /.well-known/jwks.json."""
    expiresAt: str
    userUid: str
    created: bool
    """True where the user is new."""


@final
class SignUserInBody(TypedDict):
    externalId: NotRequired[str]
    userEmail: NotRequired[str]
    name: NotRequired[str]
    accountUids: NotRequired[list[str]]


@final
class ActiveTokenAgent(TypedDict):
    uid: str
    allowed: bool


@final
class ActiveToken(TypedDict):
    active: Literal[True]
    userUid: str
    accountUids: list[str]
    tokenUid: str
    issuedAt: str
    expiresAt: str
    agent: NotRequired[ActiveTokenAgent]
    """Only where `agentUid` was given."""


@final
class InactiveToken(TypedDict):
    active: Literal[False]
    reason: Literal["invalid", "expired", "revoked"]


@final
class VerifyTokenBody(TypedDict):
    authToken: str
    agentUid: NotRequired[str]


@final
class User(TypedDict):
    uid: str
    externalId: str | None
    email: str | None
    """Made unique to the application; no mail can be sent to it."""
    name: str | None
    accountUids: list[str]
    createdAt: str
    updatedAt: str


@final
class ChangeUserBody(TypedDict):
    name: NotRequired[str | None]


@final
class Account(TypedDict):
    uid: str
    name: str
    createdAt: str
    updatedAt: str


@final
class CreateAccountBody(TypedDict):
    name: str


@final
class ChangeAccountBody(TypedDict):
    name: NotRequired[str]


@final
class WebhookAuth(TypedDict):
    type: Literal["basic", "bearer"]


@final
class ClientCertificate(TypedDict):
    subject: str
    issuer: str
    fingerprint256: str
    notAfter: str


@final
class WebhookWarning(TypedDict):
    code: str
    detail: str


@final
class WebhookWithSecret(TypedDict):
    uid: str
    kind: WebhookKind
    name: str | None
    description: str | None
    metadata: dict[str, str] | None
    url: str
    """In its canonical form."""
    entities: list[Entity]
    events: list[SubscribableEventName] | None
    """Null for all."""
    externalTenantIds: list[str] | None
    """Null for all."""
    retrySchedule: list[str] | None
    """Null for that of the service."""
    ordering: Ordering
    ratePerSecond: int | None
    filter: dict[str, Any] | None
    """By the path of a field of `data`, what it must be."""
    active: bool
    headers: list[str] | None
    """Their names; the values are secret."""
    auth: WebhookAuth | None
    tls: ClientCertificate | None
    disabledReason: Literal["gone", "failing"] | None
    """Why the service paused it."""
    failingSince: str | None
    deactivatesAt: str | None
    """When it is paused, unless a delivery succeeds."""
    deactivationWarning: Literal["half", "soon"] | None
    previousSecretExpiresAt: str | None
    """The end of a rotation."""
    heldCount: int
    """Deliveries that wait for it to be resumed."""
    warnings: list[WebhookWarning]
    createdAt: str
    updatedAt: str
    lastTriggeredAt: str | None
    secret: str
    """Signs the deliveries; shown this once."""


@final
class CreateWebhookBodyAuth(TypedDict):
    type: Literal["basic", "bearer"]
    username: NotRequired[str]
    password: NotRequired[str]
    token: NotRequired[str]


@final
class CreateWebhookBodyTls(TypedDict):
    certificate: str
    key: str


@final
class CreateWebhookBody(TypedDict):
    kind: NotRequired[WebhookKind]
    name: NotRequired[str | None]
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, str] | None]
    url: str
    entities: NotRequired[list[Entity]]
    events: NotRequired[list[SubscribableEventName] | None]
    externalTenantIds: NotRequired[list[str] | None]
    retrySchedule: NotRequired[list[str] | None]
    ordering: NotRequired[Ordering]
    ratePerSecond: NotRequired[int | None]
    filter: NotRequired[dict[str, Any] | None]
    active: NotRequired[bool]
    headers: NotRequired[dict[str, str] | None]
    auth: NotRequired[CreateWebhookBodyAuth | None]
    tls: NotRequired[CreateWebhookBodyTls | None]


@final
class Webhook(TypedDict):
    uid: str
    kind: WebhookKind
    name: str | None
    description: str | None
    metadata: dict[str, str] | None
    url: str
    """In its canonical form."""
    entities: list[Entity]
    events: list[SubscribableEventName] | None
    """Null for all."""
    externalTenantIds: list[str] | None
    """Null for all."""
    retrySchedule: list[str] | None
    """Null for that of the service."""
    ordering: Ordering
    ratePerSecond: int | None
    filter: dict[str, Any] | None
    """By the path of a field of `data`, what it must be."""
    active: bool
    headers: list[str] | None
    """Their names; the values are secret."""
    auth: WebhookAuth | None
    tls: ClientCertificate | None
    disabledReason: Literal["gone", "failing"] | None
    """Why the service paused it."""
    failingSince: str | None
    deactivatesAt: str | None
    """When it is paused, unless a delivery succeeds."""
    deactivationWarning: Literal["half", "soon"] | None
    previousSecretExpiresAt: str | None
    """The end of a rotation."""
    heldCount: int
    """Deliveries that wait for it to be resumed."""
    warnings: list[WebhookWarning]
    createdAt: str
    updatedAt: str
    lastTriggeredAt: str | None


@final
class ChangeWebhookBodyAuth(TypedDict):
    type: Literal["basic", "bearer"]
    username: NotRequired[str]
    password: NotRequired[str]
    token: NotRequired[str]


@final
class ChangeWebhookBodyTls(TypedDict):
    certificate: str
    key: str


@final
class ChangeWebhookBody(TypedDict):
    name: NotRequired[str | None]
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, str] | None]
    url: NotRequired[str]
    entities: NotRequired[list[Entity]]
    events: NotRequired[list[SubscribableEventName] | None]
    externalTenantIds: NotRequired[list[str] | None]
    retrySchedule: NotRequired[list[str] | None]
    ordering: NotRequired[Ordering]
    ratePerSecond: NotRequired[int | None]
    filter: NotRequired[dict[str, Any] | None]
    active: NotRequired[bool]
    headers: NotRequired[dict[str, str] | None]
    auth: NotRequired[ChangeWebhookBodyAuth | None]
    tls: NotRequired[ChangeWebhookBodyTls | None]
    onResume: NotRequired[Literal["deliver", "discard"]]


@final
class RotateWebhookSecretBody(TypedDict):
    overlapSeconds: NotRequired[int]


@final
class TestedWebhook(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str


@final
class TestWebhookBody(TypedDict):
    event: NotRequired[EventName]


@final
class ReplayDryRunWebhooksItem(TypedDict):
    webhookUid: str
    count: int


@final
class ReplayDryRun(TypedDict):
    dryRun: Literal[True]
    count: int
    countIsCapped: bool
    """True where there are more."""
    webhooks: list[ReplayDryRunWebhooksItem]


@final
class ReplayedWebhook(TypedDict):
    webhookUid: str
    releasedCount: int


@final
class StartedReplay(TypedDict):
    uid: str
    webhookUid: str | None
    """Null for a replay of the application."""
    since: str
    until: str
    events: list[SubscribableEventName] | None
    states: list[ReplayableState]
    cancelReasons: list[CancelReason] | None
    externalTenantId: str | None
    perSecond: int
    state: JobState
    releasedCount: int
    """Deliveries that it sends."""
    webhookCount: int
    webhooksDone: int
    webhooks: list[ReplayedWebhook]
    """Those to which anything is sent."""
    reachedAt: str | None
    """How far it is, for the webhook in turn."""
    createdAt: str
    finishedAt: str | None
    pausedWebhookUids: list[str]
    """These webhooks hold what they get."""


@final
class RecoverWebhookBody(TypedDict):
    since: str
    until: NotRequired[str]
    perSecond: NotRequired[int]
    dryRun: NotRequired[bool]


@final
class AttemptMs(TypedDict):
    dns: NotRequired[int]
    connect: NotRequired[int]
    tls: NotRequired[int]
    firstByte: NotRequired[int]
    total: int


@final
class Attempt(TypedDict):
    n: int
    at: str
    trigger: Literal["event", "retry", "resend", "replay"]
    state: Literal["delivered", "retrying", "exhausted", "blocked"]
    status: int | None
    errorClass: ErrorClass | None
    detail: str | None
    ms: AttemptMs
    """Whole milliseconds of each phase; absent where it did not happen."""
    responseSample: str
    """The beginning of what the receiver answered."""


@final
class Delivery(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str
    externalTenantId: str
    state: DeliveryState
    cancelReason: CancelReason | None
    statusClass: StatusClass | None
    """Of the last attempt."""
    errorClass: ErrorClass | None
    """Of the last attempt."""
    attemptCount: int
    nextAttemptAt: str | None
    attempts: list[Attempt]
    """The latest ones, oldest first."""
    createdAt: str
    updatedAt: str


@final
class CreateWebhookReplayBody(TypedDict):
    since: str
    until: NotRequired[str]
    perSecond: NotRequired[int]
    dryRun: NotRequired[bool]
    events: NotRequired[list[SubscribableEventName]]
    states: NotRequired[list[ReplayableState]]
    externalTenantId: NotRequired[str]


@final
class Replay(TypedDict):
    uid: str
    webhookUid: str | None
    """Null for a replay of the application."""
    since: str
    until: str
    events: list[SubscribableEventName] | None
    states: list[ReplayableState]
    cancelReasons: list[CancelReason] | None
    externalTenantId: str | None
    perSecond: int
    state: JobState
    releasedCount: int
    """Deliveries that it sends."""
    webhookCount: int
    webhooksDone: int
    webhooks: list[ReplayedWebhook]
    """Those to which anything is sent."""
    reachedAt: str | None
    """How far it is, for the webhook in turn."""
    createdAt: str
    finishedAt: str | None


@final
class EventType(TypedDict):
    event: EventName
    description: str
    schema: dict[str, Any]
    """The JSON Schema of the payload."""
    sample: dict[str, Any]


@final
class EventTypes(TypedDict):
    data: list[EventType]


@final
class Agent(TypedDict):
    uid: str
    appUid: str
    externalTenantId: str
    createdAt: str
    updatedAt: str
    agentName: str
    live: bool
    description: NotRequired[str]
    accountUids: NotRequired[list[str]]


@final
class CreateAgentBody(TypedDict):
    agentName: str
    live: NotRequired[bool]
    description: NotRequired[str | None]
    accountUids: NotRequired[list[str] | None]
    externalTenantId: str


@final
class ChangeAgentBody(TypedDict):
    agentName: NotRequired[str]
    live: NotRequired[bool]
    description: NotRequired[str | None]
    accountUids: NotRequired[list[str] | None]


@final
class Context(TypedDict):
    uid: str
    appUid: str
    externalTenantId: str
    createdAt: str
    updatedAt: str
    contextName: str
    description: NotRequired[str]


@final
class CreateContextBody(TypedDict):
    contextName: str
    description: NotRequired[str | None]
    externalTenantId: str


@final
class ChangeContextBody(TypedDict):
    contextName: NotRequired[str]
    description: NotRequired[str | None]


@final
class ContextFile(TypedDict):
    uid: str
    appUid: str
    externalTenantId: str
    createdAt: str
    updatedAt: str
    contextUid: str
    fileName: str
    contentType: str
    sizeBytes: int
    processingStatus: ProcessingStatus
    processingError: NotRequired[str]


@final
class CreateContextFileBody(TypedDict):
    fileName: str
    processingStatus: NotRequired[ProcessingStatus]
    processingError: NotRequired[str | None]
    contentType: str
    sizeBytes: int


@final
class ChangeContextFileBody(TypedDict):
    fileName: NotRequired[str]
    processingStatus: NotRequired[ProcessingStatus]
    processingError: NotRequired[str | None]


@final
class ReportedChange(TypedDict):
    eventId: str
    event: ResourceEventName
    resourceUid: str


@final
class ReportChangeBody(TypedDict):
    event: ResourceEventName
    data: Mapping[str, Any]


@final
class Event(TypedDict):
    eventId: str
    event: EventName
    timestamp: str
    """The time of the change."""
    appUid: str
    resourceUid: str
    externalTenantId: str
    sequence: int | None
    """Of the changes of one resource."""
    webhookUids: list[str]
    """The webhooks that were subscribed to it."""
    workflowId: str | None
    dispatchedAt: str | None
    erasedAt: str | None


@final
class EventWithPayload(TypedDict):
    eventId: str
    event: EventName
    timestamp: str
    """The time of the change."""
    appUid: str
    resourceUid: str
    externalTenantId: str
    sequence: int | None
    """Of the changes of one resource."""
    webhookUids: list[str]
    """The webhooks that were subscribed to it."""
    workflowId: str | None
    dispatchedAt: str | None
    erasedAt: str | None
    payload: dict[str, Any] | None
    """The body that receivers get; null once it was erased."""


@final
class Resent(TypedDict):
    redeliveryUid: str
    eventId: str
    webhookUids: list[str]
    pausedWebhookUids: list[str]
    """These webhooks hold it."""


@final
class ResendEventBody(TypedDict):
    webhookUids: NotRequired[list[str]]


@final
class CreateReplayBody(TypedDict):
    since: str
    until: NotRequired[str]
    perSecond: NotRequired[int]
    dryRun: NotRequired[bool]
    events: NotRequired[list[SubscribableEventName]]
    states: NotRequired[list[FailedState]]
    externalTenantId: NotRequired[str]
    webhookUids: NotRequired[list[str]]


@final
class Erasure(TypedDict):
    uid: str
    state: JobState
    erasedCount: int
    createdAt: str
    finishedAt: str | None


@final
class CreateErasureBody(TypedDict):
    externalTenantId: NotRequired[str]
    mentions: NotRequired[list[str]]


@final
class Percentiles(TypedDict):
    p50: int
    p95: int
    p99: int


@final
class DeliveryCounts(TypedDict):
    attempts: int
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    changeToReceiptMs: Percentiles | None
    attemptMs: Percentiles | None


@final
class DeliveryPoint(TypedDict):
    at: str
    attempts: int
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    changeToReceiptMs: Percentiles | None
    attemptMs: Percentiles | None


@final
class DeliveryStatistics(TypedDict):
    webhookUid: str | None
    interval: Interval
    since: str
    until: str
    completeUntil: str
    """The counts before this time are final."""
    totals: DeliveryCounts
    points: list[DeliveryPoint]


@final
class AuditRowActor(TypedDict):
    kind: Literal["api_key", "admin", "anonymous", "system"]
    uid: str | None


@final
class AuditRowTarget(TypedDict):
    kind: str
    uid: str


@final
class AuditRow(TypedDict):
    uid: str
    at: str
    action: str
    actor: AuditRowActor
    target: AuditRowTarget
    details: NotRequired[dict[str, Any]]
    """Depends on the action."""
    address: str | None
    requestId: str | None


@final
class Health(TypedDict):
    status: Literal["ok"]
    version: str


@final
class ReadinessParts(TypedDict):
    mongodb: str
    indexes: str
    temporal: str
    searchAttributes: str
    load: str


@final
class Readiness(TypedDict):
    status: Literal["ready", "not ready", "stopping"]
    parts: ReadinessParts
    """For each part `ok`, or a sentence with the fault."""


@final
class JwkSetKeysItem(TypedDict):
    kty: str


@final
class JwkSet(TypedDict):
    keys: list[JwkSetKeysItem]


VerifiedToken = ActiveToken | InactiveToken
