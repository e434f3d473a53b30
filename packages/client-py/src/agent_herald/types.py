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


SendableCancelReason = Literal["abandoned", "discarded", "expired", "unsubscribed"]


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
    """Your own id of the user, recommended. Send exactly one of `externalId` and `userEmail`."""
    userEmail: NotRequired[str]
    """An e-mail address, in any case. Only its keyed hash is kept."""
    name: NotRequired[str]
    """Used only when the user is new."""
    accountUids: NotRequired[list[str]]
    """Accounts of the application to add the user to, never to remove from."""


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
    """`expired`: it was good once; `revoked`: its tokens were revoked, or the user deleted; `invalid`: anything else."""


@final
class VerifyTokenBody(TypedDict):
    authToken: str
    agentUid: NotRequired[str]
    """The agent that the user wants to reach."""


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
    """`certificate_expires` (in 30 days), `certificate_expired`, or `duplicate_webhook` of another with the same URL and events (not in the list of webhooks)."""
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
    """Why the service paused it: an answer 410, or days of failures; else null."""
    failingSince: str | None
    """The first failure since the last success."""
    deactivatesAt: str | None
    """When it is paused, unless a delivery succeeds."""
    deactivationWarning: Literal["half", "soon"] | None
    """`half` from half of the time to `deactivatesAt` on, `soon` from 80 % on."""
    previousSecretExpiresAt: str | None
    """The end of a rotation."""
    heldCount: int
    """Deliveries that a pause keeps back or a resume still has to release; at most 10,000."""
    warnings: list[WebhookWarning]
    createdAt: str
    updatedAt: str
    lastTriggeredAt: str | None
    """The latest attempt, to about a second."""
    secret: str
    """Signs the deliveries; shown this once."""


@final
class BasicAuth(TypedDict):
    type: Literal["basic"]
    username: str
    password: str


@final
class BearerAuth(TypedDict):
    type: Literal["bearer"]
    token: str


@final
class CreateWebhookBodyTls(TypedDict):
    certificate: str
    key: str


@final
class CreateWebhookBody(TypedDict):
    kind: NotRequired[WebhookKind]
    """`resources` by default. `operations`: it gets what the service tells of itself, and no events of resources. It cannot be changed."""
    name: NotRequired[str | None]
    """Null for none."""
    description: NotRequired[str | None]
    """Null for none."""
    metadata: NotRequired[dict[str, str] | None]
    """Texts of yours, such as `{"team": "search"}`. A change replaces the whole object; null for none."""
    url: str
    """Required on creation: https, port 443 or 8443, at a public address, unless operators allow others; for the kind `operations` also `mailto:` and an address."""
    entities: NotRequired[list[Entity]]
    """Required on creation, but for the kind `operations`, which has none."""
    events: NotRequired[list[SubscribableEventName] | None]
    """The only events it gets, of types that `entities` has; null for all of them."""
    externalTenantIds: NotRequired[list[str] | None]
    """The only tenants whose events it gets, compared exactly; null for all. None for the kind `operations`."""
    retrySchedule: NotRequired[list[str] | None]
    """The waits between its attempts, such as `["5s", "2m", "1h"]`: each a whole number of `ms`, `s`, `m`, `h` or `d` and at least a second, 7 days in all. `[]` for one attempt; null for the schedule of the service."""
    ordering: NotRequired[Ordering]
    """`parallel` by default. `resource`: the events about one resource come one at a time and in order. A change applies to events recorded from the answer on."""
    ratePerSecond: NotRequired[int | None]
    """At most so many requests a second; null for no such limit."""
    filter: NotRequired[
        dict[str, str | float | bool | list[str | float | bool | None] | None] | None
    ]
    """The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`: by the path of a field, of up to 5 names with a dot between them and 256 characters, a value or an array of them. Values are texts of up to 256 characters, numbers, booleans or null, 50 in all. Null for no filter."""
    active: NotRequired[bool]
    """True by default; false pauses. Setting it clears `disabledReason`, and true clears `failingSince`."""
    headers: NotRequired[dict[str, str] | None]
    """Sent with each attempt, sealed and never shown again. At most 4,096 bytes of names and values together; names of at most 100 characters; values in visible ASCII with spaces only between. A change replaces all of them; null for none."""
    auth: NotRequired[BasicAuth | BearerAuth | None]
    """Sent as `Authorization`, sealed and never shown again. `bearer` has a `token`; `basic` has a `username` without a colon and a `password`, in UTF-8. Null for none."""
    tls: NotRequired[CreateWebhookBodyTls | None]
    """The client certificate for receivers that want one, only with https, sealed; its key is never shown again. Null for none."""


@final
class UrlProblem(TypedDict):
    code: str
    detail: str


@final
class CheckedUrl(TypedDict):
    url: str | None
    """As it would be stored; null if it is refused."""
    problems: list[UrlProblem]


@final
class CheckWebhookUrlBody(TypedDict):
    url: str
    kind: NotRequired[WebhookKind]
    """`resources` by default; only `operations` takes `mailto:`."""


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
    """Why the service paused it: an answer 410, or days of failures; else null."""
    failingSince: str | None
    """The first failure since the last success."""
    deactivatesAt: str | None
    """When it is paused, unless a delivery succeeds."""
    deactivationWarning: Literal["half", "soon"] | None
    """`half` from half of the time to `deactivatesAt` on, `soon` from 80 % on."""
    previousSecretExpiresAt: str | None
    """The end of a rotation."""
    heldCount: int
    """Deliveries that a pause keeps back or a resume still has to release; at most 10,000."""
    warnings: list[WebhookWarning]
    createdAt: str
    updatedAt: str
    lastTriggeredAt: str | None
    """The latest attempt, to about a second."""


@final
class ChangeWebhookBodyTls(TypedDict):
    certificate: str
    key: str


@final
class ChangeWebhookBody(TypedDict):
    name: NotRequired[str | None]
    """Null for none."""
    description: NotRequired[str | None]
    """Null for none."""
    metadata: NotRequired[dict[str, str] | None]
    """Texts of yours, such as `{"team": "search"}`. A change replaces the whole object; null for none."""
    url: NotRequired[str]
    """Required on creation: https, port 443 or 8443, at a public address, unless operators allow others; for the kind `operations` also `mailto:` and an address."""
    entities: NotRequired[list[Entity]]
    """Required on creation, but for the kind `operations`, which has none."""
    events: NotRequired[list[SubscribableEventName] | None]
    """The only events it gets, of types that `entities` has; null for all of them."""
    externalTenantIds: NotRequired[list[str] | None]
    """The only tenants whose events it gets, compared exactly; null for all. None for the kind `operations`."""
    retrySchedule: NotRequired[list[str] | None]
    """The waits between its attempts, such as `["5s", "2m", "1h"]`: each a whole number of `ms`, `s`, `m`, `h` or `d` and at least a second, 7 days in all. `[]` for one attempt; null for the schedule of the service."""
    ordering: NotRequired[Ordering]
    """`parallel` by default. `resource`: the events about one resource come one at a time and in order. A change applies to events recorded from the answer on."""
    ratePerSecond: NotRequired[int | None]
    """At most so many requests a second; null for no such limit."""
    filter: NotRequired[
        dict[str, str | float | bool | list[str | float | bool | None] | None] | None
    ]
    """The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`: by the path of a field, of up to 5 names with a dot between them and 256 characters, a value or an array of them. Values are texts of up to 256 characters, numbers, booleans or null, 50 in all. Null for no filter."""
    active: NotRequired[bool]
    """True by default; false pauses. Setting it clears `disabledReason`, and true clears `failingSince`."""
    headers: NotRequired[dict[str, str] | None]
    """Sent with each attempt, sealed and never shown again. At most 4,096 bytes of names and values together; names of at most 100 characters; values in visible ASCII with spaces only between. A change replaces all of them; null for none."""
    auth: NotRequired[BasicAuth | BearerAuth | None]
    """Sent as `Authorization`, sealed and never shown again. `bearer` has a `token`; `basic` has a `username` without a colon and a `password`, in UTF-8. Null for none."""
    tls: NotRequired[ChangeWebhookBodyTls | None]
    """The client certificate for receivers that want one, only with https, sealed; its key is never shown again. Null for none."""
    onResume: NotRequired[Literal["deliver", "discard"]]
    """Only with `active: true`. `deliver` (the default) sends what was held; `discard` drops it, with retries that are not due yet, throttled deliveries and those that wait for the rate."""


@final
class RotateWebhookSecretBody(TypedDict):
    overlapSeconds: NotRequired[int]
    """How long the old secret signs, too; a day by default. 0 ends all old secrets immediately."""


@final
class TestedWebhook(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str


@final
class TestWebhookBody(TypedDict):
    event: NotRequired[EventName]
    """Its sample is sent, whether the webhook is subscribed to it or not; the kind must fit. `webhook.test` by default."""


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
    cancelReasons: list[SendableCancelReason]
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
    """Events recorded from this time on, in ISO 8601 with an offset."""
    until: NotRequired[str]
    """Events recorded before this time; now by default and at the latest."""
    perSecond: NotRequired[int]
    """20 by default."""
    dryRun: NotRequired[bool]
    """True counts and sends nothing."""


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
    """What it made of the delivery."""
    traceId: str | None
    """Of its trace, which operators can look up; null where none was recorded."""
    status: int | None
    errorClass: ErrorClass | None
    detail: str | None
    """What went wrong where there was no answer."""
    ms: AttemptMs
    """Whole milliseconds of each phase; absent where it did not happen."""
    responseSample: str
    """The beginning of the answer, at most 4 KiB, with U+FFFD for invalid UTF-8 and control characters, and `…` for what the webhook sends along in `headers` and `auth`."""


@final
class Delivery(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str
    externalTenantId: str
    state: DeliveryState
    cancelReason: CancelReason | None
    """Why it is `cancelled`; else null."""
    statusClass: StatusClass | None
    """Of the last attempt since it was last sent again; null before that."""
    errorClass: ErrorClass | None
    """As `statusClass`; null of a success, too."""
    attemptCount: int
    nextAttemptAt: str | None
    """No attempt is made before."""
    attempts: list[Attempt]
    """The latest 21, oldest first."""
    createdAt: str
    """When it was first recorded."""
    updatedAt: str


@final
class CreateWebhookReplayBody(TypedDict):
    since: str
    """Events recorded from this time on, in ISO 8601 with an offset."""
    until: NotRequired[str]
    """Events recorded before this time; now by default and at the latest."""
    perSecond: NotRequired[int]
    """20 by default."""
    dryRun: NotRequired[bool]
    """True counts and sends nothing."""
    events: NotRequired[list[SubscribableEventName]]
    """Only these events."""
    states: NotRequired[list[ReplayableState]]
    """Of the deliveries to send again: `exhausted`, `blocked` and `cancelled` by default. `retrying` deliveries are sent now, `pending` ones if nothing was done about them for a minute, and `never_attempted` stands for events that were never sent to the webhook."""
    cancelReasons: NotRequired[list[SendableCancelReason]]
    """Of the `cancelled` deliveries: `expired` and `abandoned` by default, which were lost. `discarded` and `unsubscribed` ones were cancelled on purpose and are sent only if you name them."""
    externalTenantId: NotRequired[str]
    """Only events of this tenant."""


@final
class Replay(TypedDict):
    uid: str
    webhookUid: str | None
    """Null for a replay of the application."""
    since: str
    until: str
    events: list[SubscribableEventName] | None
    states: list[ReplayableState]
    cancelReasons: list[SendableCancelReason]
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
    """False by default."""
    description: NotRequired[str | None]
    """Null removes it."""
    accountUids: NotRequired[list[str] | None]
    """Only users of these accounts reach the agent; with `[]` nobody does. Null removes the list, and all users of the application reach it."""
    externalTenantId: str
    """It cannot be changed."""


@final
class ChangeAgentBody(TypedDict):
    agentName: NotRequired[str]
    live: NotRequired[bool]
    """False by default."""
    description: NotRequired[str | None]
    """Null removes it."""
    accountUids: NotRequired[list[str] | None]
    """Only users of these accounts reach the agent; with `[]` nobody does. Null removes the list, and all users of the application reach it."""


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
    """Null removes it."""
    externalTenantId: str
    """It cannot be changed."""


@final
class ChangeContextBody(TypedDict):
    contextName: NotRequired[str]
    description: NotRequired[str | None]
    """Null removes it."""


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
    """`pending` by default. The statuses may follow each other in any order."""
    processingError: NotRequired[str | None]
    """Taken with any status. Null removes it, and so does a change to a status other than `failed` without it."""
    contentType: str
    """A media type (RFC 9110). It cannot be changed."""
    sizeBytes: int
    """It cannot be changed."""


@final
class ChangeContextFileBody(TypedDict):
    fileName: NotRequired[str]
    processingStatus: NotRequired[ProcessingStatus]
    """`pending` by default. The statuses may follow each other in any order."""
    processingError: NotRequired[str | None]
    """Taken with any status. Null removes it, and so does a change to a status other than `failed` without it."""


@final
class ReportedChange(TypedDict):
    eventId: str
    event: ResourceEventName
    resourceUid: str


@final
class ReportChangeBody(TypedDict):
    event: ResourceEventName
    data: Mapping[str, Any]
    """The complete resource, sent byte for byte as it is written; other fields are yours."""


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
    """Of the changes of one resource, its kind and uid together; null for a test and for an event of operations webhooks."""
    webhookUids: list[str]
    """The webhooks that were subscribed to it."""
    workflowId: str | None
    """The Temporal workflow of the event, alone or with others; null while none is chosen, and where nobody subscribed."""
    dispatchedAt: str | None
    """When it was started; without a subscriber, when the event was recorded."""
    erasedAt: str | None
    """When the payload was erased."""


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
    """Of the changes of one resource, its kind and uid together; null for a test and for an event of operations webhooks."""
    webhookUids: list[str]
    """The webhooks that were subscribed to it."""
    workflowId: str | None
    """The Temporal workflow of the event, alone or with others; null while none is chosen, and where nobody subscribed."""
    dispatchedAt: str | None
    """When it was started; without a subscriber, when the event was recorded."""
    erasedAt: str | None
    """When the payload was erased."""
    payload: dict[str, Any] | None
    """The body that receivers get, byte for byte; null once it was erased."""


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
    """To these webhooks of the application. By default to all that were subscribed to the event, except those whose delivery was cancelled on purpose, such as `discarded` or `unsubscribed`."""


@final
class DeliveryRequestHeadersItem(TypedDict):
    name: str
    value: str


@final
class DeliveryRequest(TypedDict):
    method: str
    url: str
    """That of the webhook now; for API keys its origin only, as paths and queries often hold a secret."""
    headers: list[DeliveryRequestHeadersItem]
    """In their order, with `…` for signatures. Admins also see those of `headers` and `auth` of the webhook as it is now, with `…` for the values. HTTP adds its own, such as `Host`, and a recorded trace `traceparent`."""
    body: str | None
    """Byte for byte, in UTF-8; null once it was erased."""


@final
class DeliveryDetail(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str
    externalTenantId: str
    state: DeliveryState
    cancelReason: CancelReason | None
    """Why it is `cancelled`; else null."""
    statusClass: StatusClass | None
    """Of the last attempt since it was last sent again; null before that."""
    errorClass: ErrorClass | None
    """As `statusClass`; null of a success, too."""
    attemptCount: int
    nextAttemptAt: str | None
    """No attempt is made before."""
    attempts: list[Attempt]
    """The latest 21, oldest first."""
    createdAt: str
    """When it was first recorded."""
    updatedAt: str
    workflowId: str | None
    """The Temporal workflow that makes its attempts, or made them; null while none is chosen. Of an ordered webhook it may be that of the order where another one made the only attempt."""
    request: DeliveryRequest | None
    """As the latest attempt sent it, or as the first would now. Each attempt has its `n` in `X-Webhook-Attempt` and its `at` in the timestamps. Null of a webhook that was deleted or gets mails."""


@final
class CreateReplayBody(TypedDict):
    since: str
    """Events recorded from this time on, in ISO 8601 with an offset."""
    until: NotRequired[str]
    """Events recorded before this time; now by default and at the latest."""
    perSecond: NotRequired[int]
    """20 by default."""
    dryRun: NotRequired[bool]
    """True counts and sends nothing."""
    events: NotRequired[list[SubscribableEventName]]
    """Only these events."""
    states: NotRequired[list[FailedState]]
    """Of the deliveries to send again: `exhausted`, `blocked` and `cancelled` by default. `retrying` deliveries are sent now, `pending` ones if nothing was done about them for a minute, and `never_attempted` stands for events that were never sent to the webhook."""
    cancelReasons: NotRequired[list[SendableCancelReason]]
    """Of the `cancelled` deliveries: `expired` and `abandoned` by default, which were lost. `discarded` and `unsubscribed` ones were cancelled on purpose and are sent only if you name them."""
    externalTenantId: NotRequired[str]
    """Only events of this tenant."""
    webhookUids: NotRequired[list[str]]
    """Only to these webhooks of the application."""


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
    """The payloads of this tenant. Send exactly one of `externalTenantId` and `mentions`."""
    mentions: NotRequired[list[str]]
    """The payloads whose `data` has one of these texts as a whole value, at any depth: a string equal to it, in NFC or NFD, or a number of this value."""


@final
class Percentiles(TypedDict):
    p50: int
    p95: int
    p99: int


@final
class DeliveryCounts(TypedDict):
    attempts: int
    """Of all outcomes but `cancelled`, in which none was made."""
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    """Deliveries that were given up without an attempt."""
    changeToReceiptMs: Percentiles | None
    """From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not."""
    attemptMs: Percentiles | None
    """The duration of attempts of all outcomes."""


@final
class DeliveryPoint(TypedDict):
    at: str
    attempts: int
    """Of all outcomes but `cancelled`, in which none was made."""
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    """Deliveries that were given up without an attempt."""
    changeToReceiptMs: Percentiles | None
    """From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not."""
    attemptMs: Percentiles | None
    """The duration of attempts of all outcomes."""


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
class WebhookCounts(TypedDict):
    webhookUid: str
    attempts: int
    """Of all outcomes but `cancelled`, in which none was made."""
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    """Deliveries that were given up without an attempt."""
    changeToReceiptMs: Percentiles | None
    """From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not."""
    attemptMs: Percentiles | None
    """The duration of attempts of all outcomes."""


@final
class WebhookStatistics(TypedDict):
    interval: Literal["hour", "day"]
    since: str
    until: str
    completeUntil: str
    """The counts before this time are final."""
    webhooks: list[WebhookCounts]
    """Of each webhook that there still is, with any of them in the range, in the order of uids."""


@final
class OpenDeliveries(TypedDict):
    count: int
    """At most 10,000."""
    countIsCapped: bool
    """There may be more."""
    oldestAt: str | None
    """When the oldest of them was first recorded."""


@final
class UndispatchedEvents(TypedDict):
    count: int
    countIsCapped: bool
    """There may be more."""


@final
class Backlog(TypedDict):
    at: str
    pending: OpenDeliveries
    retrying: OpenDeliveries
    held: OpenDeliveries
    undispatched: UndispatchedEvents


@final
class SettingsLimits(TypedDict):
    requestBytes: int
    payloadBytes: int
    webhooksPerApp: int
    attemptTimeout: str


@final
class SettingsRetention(TypedDict):
    records: str
    """Of events, settled deliveries, resends and replays."""
    held: str
    """Of deliveries that a pause keeps back."""
    auditLog: str


@final
class SigningKey(TypedDict):
    kid: str
    state: Literal["next", "active", "retiring"]
    """`next` is published already, `retiring` until its last token has expired."""
    createdAt: str
    signsFrom: str
    signsUntil: str
    """When the next key signs; of the latest, as planned."""


@final
class Settings(TypedDict):
    version: str
    limits: SettingsLimits
    retrySchedule: list[str]
    """Of webhooks without one of their own."""
    deactivateAfter: str
    """How long a webhook may fail."""
    retention: SettingsRetention
    userTokenLifetime: str
    temporalUiUrl: str | None
    """Without a slash at its end; null if not set."""
    temporalNamespace: str
    traceUrlTemplate: str | None
    """The page of a trace, whose id takes the place of `{traceId}`; null if not set."""
    signingKeys: list[SigningKey]
    """Of user tokens, the oldest first."""


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
    clock: str
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
