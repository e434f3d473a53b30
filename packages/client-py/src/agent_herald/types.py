"""JSON of requests and responses. Generated from docs/openapi.json; do not edit."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, final

CancelReason = Literal[
    "abandoned", "discarded", "erased", "expired", "skipped", "unsubscribed", "webhook_deleted"
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
    "application.key_tokens_revoked",
    "application.tokens_revoked",
    "context.created",
    "context.deleted",
    "context.updated",
    "contextfile.created",
    "contextfile.deleted",
    "contextfile.processing_overdue",
    "contextfile.updated",
    "delivery.exhausted",
    "user.token_revoked",
    "user.tokens_revoked",
    "webhook.deactivated",
    "webhook.deactivation_scheduled",
    "webhook.failing",
    "webhook.recovered",
    "webhook.test",
]


FailedState = Literal["blocked", "cancelled", "exhausted", "held", "pending", "retrying"]


Interval = Literal["day", "hour", "minute"]


JobState = Literal["cancelled", "done", "running", "waiting"]


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


SendableCancelReason = Literal["abandoned", "discarded", "expired", "skipped", "unsubscribed"]


StatusClass = Literal["1xx", "2xx", "3xx", "4xx", "5xx", "none"]


SubscribableEventName = Literal[
    "agent.created",
    "agent.deleted",
    "agent.updated",
    "apikey.expiring",
    "application.key_tokens_revoked",
    "application.tokens_revoked",
    "context.created",
    "context.deleted",
    "context.updated",
    "contextfile.created",
    "contextfile.deleted",
    "contextfile.processing_overdue",
    "contextfile.updated",
    "delivery.exhausted",
    "user.token_revoked",
    "user.tokens_revoked",
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
    """A JWT. Verify it with the keys of /.well-known/jwks.json."""
    expiresAt: str
    userUid: str
    created: bool
    """True if the user is new."""


@final
class SignUserInBody(TypedDict):
    externalId: NotRequired[str]
    """Your ID of the user. It is recommended over `userEmail`. Send exactly one of `externalId` and `userEmail`."""
    userEmail: NotRequired[str]
    """An email address, in upper or lower case. Only its keyed hash is kept."""
    name: NotRequired[str]
    """The name of the user. It is used only for a new user."""
    accountUids: NotRequired[list[str]]
    """Accounts of the application to add the user to. The user is not removed from any account."""
    externalTenantId: NotRequired[str]
    """The tenant for which the user signs in. The token carries it as `tenant`, where anyone can read it. It grants nothing."""
    expiresInSeconds: NotRequired[int]
    """The lifetime of the token. By default the operators set it."""


@final
class ActiveTokenAgent(TypedDict):
    uid: str
    allowed: bool


@final
class ActiveToken(TypedDict):
    active: Literal[True]
    userUid: str
    accountUids: list[str]
    externalTenantId: str | None
    """The tenant that the sign-in named, or null. It grants nothing."""
    tokenUid: str
    issuedAt: str
    expiresAt: str
    agent: NotRequired[ActiveTokenAgent]
    """Present only if `agentUid` was sent."""


@final
class InactiveToken(TypedDict):
    active: Literal[False]
    reason: Literal["invalid", "expired", "revoked", "origin"]
    """`expired`: the token was valid before. `revoked`: the token was revoked, or the user was deleted. `origin`: the token is not for this origin. `invalid`: any other reason."""


@final
class VerifyTokenBody(TypedDict):
    authToken: str
    agentUid: NotRequired[str]
    """The agent that the user wants to reach."""
    origin: NotRequired[str]
    """The header `Origin` of the request that brought the token. It is checked only if the token has a list of origins."""


@final
class UserToken(TypedDict):
    uid: str
    """The claim `jti` of the token."""
    apiKeyUid: str
    """The API key that signed the user in."""
    externalTenantId: str | None
    issuedAt: str
    expiresAt: str


@final
class User(TypedDict):
    uid: str
    externalId: str | None
    email: str | None
    """A generated address that is unique in the application. It cannot receive mail."""
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
    """`certificate_expires`: the client certificate expires within 30 days. `certificate_expired`: it has expired. `duplicate_webhook`: another webhook has the same URL and events. The list of webhooks does not report duplicates."""
    detail: str


@final
class WebhookWithSecret(TypedDict):
    uid: str
    kind: WebhookKind
    name: str | None
    description: str | None
    metadata: dict[str, str] | None
    url: str
    """The URL in its canonical form."""
    entities: list[Entity]
    events: list[SubscribableEventName] | None
    """The events. Null means all events."""
    externalTenantIds: list[str] | None
    """The tenants. Null means all tenants."""
    retrySchedule: list[str] | None
    """The retry schedule. Null means the default schedule of the service."""
    ordering: Ordering
    ratePerSecond: int | None
    ratePerSecondPerTenant: int | None
    filter: dict[str, Any] | None
    """The required values of fields of `data`, by the path of the field."""
    signatures: list[Literal["v1", "v1a"]]
    """The versions of signatures in `webhook-signature`."""
    cloudEvents: bool
    active: bool
    headers: list[str] | None
    """The names of the headers. The values are secret."""
    auth: WebhookAuth | None
    tls: ClientCertificate | None
    disabledReason: Literal["gone", "failing"] | None
    """Why the service deactivated the webhook. `gone`: the receiver responded with 410. `failing`: it failed for days. Null if the webhook is not deactivated."""
    failingSince: str | None
    """The first failure since the last success."""
    deactivatesAt: str | None
    """The time when the webhook will be deactivated, unless a delivery succeeds."""
    deactivationWarning: Literal["half", "soon"] | None
    """`half`: half of the time to `deactivatesAt` has passed. `soon`: 80 % has passed."""
    previousSecretExpiresAt: str | None
    """The time when the rotation ends."""
    heldCount: int
    """The number of held deliveries, including those that a resume has not released yet. The count is at most 10,000."""
    warnings: list[WebhookWarning]
    createdAt: str
    updatedAt: str
    lastTriggeredAt: str | None
    """The time of the latest attempt, accurate to about a second."""
    secret: str
    """The secret that signs the deliveries. It is shown only once."""


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
    """The default is `resources`. A webhook of the kind `operations` gets service notifications and no events of resources. The kind cannot be changed."""
    name: NotRequired[str | None]
    """A name to recognise the webhook by. Null means none."""
    description: NotRequired[str | None]
    """A description of the webhook. Null means none."""
    metadata: NotRequired[dict[str, str] | None]
    """Your own texts, such as `{"team": "search"}`. A change replaces the whole object. Null means none."""
    url: str
    """The URL of the receiver. It is required on creation. It must use https, port 443 or 8443, and a public address, unless operators allow others. The kind `operations` also accepts `mailto:` and an address."""
    entities: NotRequired[list[Entity]]
    """The entities whose events the webhook gets. They are required on creation. The kind `operations` has none."""
    events: NotRequired[list[SubscribableEventName] | None]
    """The events that the webhook gets. Each must belong to one of `entities`. Null means all events, except revocations of tokens."""
    externalTenantIds: NotRequired[list[str] | None]
    """The tenants whose events the webhook gets, compared exactly. Null means all tenants. The kind `operations` has no tenants."""
    retrySchedule: NotRequired[list[str] | None]
    """The waits between attempts, such as `["5s", "2m", "1h"]`. Each is a whole number of `ms`, `s`, `m`, `h` or `d`, and at least one second. Together they are at most 7 days. `[]` means a single attempt. Null means the default schedule of the service."""
    ordering: NotRequired[Ordering]
    """The default is `parallel`. With `resource`, the events about one resource arrive one at a time and in order. A change applies to events that are recorded after the response."""
    ratePerSecond: NotRequired[int | None]
    """The maximum number of requests per second. Null means no such limit."""
    ratePerSecondPerTenant: NotRequired[int | None]
    """The maximum number of requests per second for the events of each tenant, which wait only for each other. It cannot be combined with `ratePerSecond`. Null means no such limit. The kind `operations` has no tenants."""
    filter: NotRequired[
        dict[str, str | float | bool | list[str | float | bool | None] | None] | None
    ]
    """The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`. A key is the path of a field: up to 5 names separated by dots, with at most 256 characters. It has one value or an array of values. Values are strings of up to 256 characters, numbers, booleans or null. A filter has at most 50 values. Null means no filter."""
    signatures: NotRequired[list[Literal["v1", "v1a"]]]
    """The versions of signatures in `webhook-signature`. `v1` uses the secret of the webhook. `v1a` uses the private key of the application and covers the uid of the webhook, and receivers verify it with the public keys of `GET /api/v1/appuid/{appUid}/.well-known/webhook-keys.json`. The default is `["v1"]`. `X-Webhook-Signature` is always sent."""
    cloudEvents: NotRequired[bool]
    """True also sends the headers `ce-specversion`, `ce-id`, `ce-source`, `ce-type` and `ce-time` (CloudEvents 1.0, binary mode), which `headers` then cannot have. The body stays the same. The default is false."""
    active: NotRequired[bool]
    """The default is true. False pauses the webhook. Setting it clears `disabledReason`, and true also clears `failingSince`."""
    headers: NotRequired[dict[str, str] | None]
    """Extra headers of each attempt. They are encrypted on save and never shown again. Names and values have at most 4,096 bytes in total. A name has at most 100 characters. A value has visible ASCII characters, with spaces only between them. A change replaces all headers. Null means none."""
    auth: NotRequired[BasicAuth | BearerAuth | None]
    """The credentials that are sent as `Authorization`. They are encrypted on save and never shown again. `bearer` has a `token`. `basic` has a `username` without a colon and a `password`, in UTF-8. Null means none."""
    tls: NotRequired[CreateWebhookBodyTls | None]
    """The client certificate for receivers that require one. It needs https. The key is encrypted on save and never shown again. Null means none."""
    secret: NotRequired[str]
    """A secret that your receiver generated: `whsec_` followed by 24 to 64 random bytes in base64. By default, the service generates one."""


@final
class UrlProblem(TypedDict):
    code: str
    detail: str


@final
class CheckedUrl(TypedDict):
    url: str | None
    """The URL as it would be stored. Null if the URL is refused."""
    problems: list[UrlProblem]


@final
class CheckWebhookUrlBody(TypedDict):
    url: str
    kind: NotRequired[WebhookKind]
    """The default is `resources`. Only `operations` accepts `mailto:`."""


@final
class Webhook(TypedDict):
    uid: str
    kind: WebhookKind
    name: str | None
    description: str | None
    metadata: dict[str, str] | None
    url: str
    """The URL in its canonical form."""
    entities: list[Entity]
    events: list[SubscribableEventName] | None
    """The events. Null means all events."""
    externalTenantIds: list[str] | None
    """The tenants. Null means all tenants."""
    retrySchedule: list[str] | None
    """The retry schedule. Null means the default schedule of the service."""
    ordering: Ordering
    ratePerSecond: int | None
    ratePerSecondPerTenant: int | None
    filter: dict[str, Any] | None
    """The required values of fields of `data`, by the path of the field."""
    signatures: list[Literal["v1", "v1a"]]
    """The versions of signatures in `webhook-signature`."""
    cloudEvents: bool
    active: bool
    headers: list[str] | None
    """The names of the headers. The values are secret."""
    auth: WebhookAuth | None
    tls: ClientCertificate | None
    disabledReason: Literal["gone", "failing"] | None
    """Why the service deactivated the webhook. `gone`: the receiver responded with 410. `failing`: it failed for days. Null if the webhook is not deactivated."""
    failingSince: str | None
    """The first failure since the last success."""
    deactivatesAt: str | None
    """The time when the webhook will be deactivated, unless a delivery succeeds."""
    deactivationWarning: Literal["half", "soon"] | None
    """`half`: half of the time to `deactivatesAt` has passed. `soon`: 80 % has passed."""
    previousSecretExpiresAt: str | None
    """The time when the rotation ends."""
    heldCount: int
    """The number of held deliveries, including those that a resume has not released yet. The count is at most 10,000."""
    warnings: list[WebhookWarning]
    createdAt: str
    updatedAt: str
    lastTriggeredAt: str | None
    """The time of the latest attempt, accurate to about a second."""


@final
class ChangeWebhookBodyTls(TypedDict):
    certificate: str
    key: str


@final
class ChangeWebhookBody(TypedDict):
    name: NotRequired[str | None]
    """A name to recognise the webhook by. Null means none."""
    description: NotRequired[str | None]
    """A description of the webhook. Null means none."""
    metadata: NotRequired[dict[str, str] | None]
    """Your own texts, such as `{"team": "search"}`. A change replaces the whole object. Null means none."""
    url: NotRequired[str]
    """The URL of the receiver. It is required on creation. It must use https, port 443 or 8443, and a public address, unless operators allow others. The kind `operations` also accepts `mailto:` and an address."""
    entities: NotRequired[list[Entity]]
    """The entities whose events the webhook gets. They are required on creation. The kind `operations` has none."""
    events: NotRequired[list[SubscribableEventName] | None]
    """The events that the webhook gets. Each must belong to one of `entities`. Null means all events, except revocations of tokens."""
    externalTenantIds: NotRequired[list[str] | None]
    """The tenants whose events the webhook gets, compared exactly. Null means all tenants. The kind `operations` has no tenants."""
    retrySchedule: NotRequired[list[str] | None]
    """The waits between attempts, such as `["5s", "2m", "1h"]`. Each is a whole number of `ms`, `s`, `m`, `h` or `d`, and at least one second. Together they are at most 7 days. `[]` means a single attempt. Null means the default schedule of the service."""
    ordering: NotRequired[Ordering]
    """The default is `parallel`. With `resource`, the events about one resource arrive one at a time and in order. A change applies to events that are recorded after the response."""
    ratePerSecond: NotRequired[int | None]
    """The maximum number of requests per second. Null means no such limit."""
    ratePerSecondPerTenant: NotRequired[int | None]
    """The maximum number of requests per second for the events of each tenant, which wait only for each other. It cannot be combined with `ratePerSecond`. Null means no such limit. The kind `operations` has no tenants."""
    filter: NotRequired[
        dict[str, str | float | bool | list[str | float | bool | None] | None] | None
    ]
    """The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`. A key is the path of a field: up to 5 names separated by dots, with at most 256 characters. It has one value or an array of values. Values are strings of up to 256 characters, numbers, booleans or null. A filter has at most 50 values. Null means no filter."""
    signatures: NotRequired[list[Literal["v1", "v1a"]]]
    """The versions of signatures in `webhook-signature`. `v1` uses the secret of the webhook. `v1a` uses the private key of the application and covers the uid of the webhook, and receivers verify it with the public keys of `GET /api/v1/appuid/{appUid}/.well-known/webhook-keys.json`. The default is `["v1"]`. `X-Webhook-Signature` is always sent."""
    cloudEvents: NotRequired[bool]
    """True also sends the headers `ce-specversion`, `ce-id`, `ce-source`, `ce-type` and `ce-time` (CloudEvents 1.0, binary mode), which `headers` then cannot have. The body stays the same. The default is false."""
    active: NotRequired[bool]
    """The default is true. False pauses the webhook. Setting it clears `disabledReason`, and true also clears `failingSince`."""
    headers: NotRequired[dict[str, str] | None]
    """Extra headers of each attempt. They are encrypted on save and never shown again. Names and values have at most 4,096 bytes in total. A name has at most 100 characters. A value has visible ASCII characters, with spaces only between them. A change replaces all headers. Null means none."""
    auth: NotRequired[BasicAuth | BearerAuth | None]
    """The credentials that are sent as `Authorization`. They are encrypted on save and never shown again. `bearer` has a `token`. `basic` has a `username` without a colon and a `password`, in UTF-8. Null means none."""
    tls: NotRequired[ChangeWebhookBodyTls | None]
    """The client certificate for receivers that require one. It needs https. The key is encrypted on save and never shown again. Null means none."""
    onResume: NotRequired[Literal["deliver", "discard"]]
    """Send it only with `active: true`. `deliver`, the default, sends the held deliveries. `discard` cancels them. It also cancels retries that are not due, throttled deliveries, and deliveries that wait for the rate limit. Resends, replays and syncs that were requested before send the webhook nothing more."""


@final
class RotateWebhookSecretBody(TypedDict):
    overlapSeconds: NotRequired[int]
    """How long the old secret keeps signing. The default is one day. 0 ends all old secrets immediately."""
    secret: NotRequired[str]
    """A secret that your receiver generated: `whsec_` followed by 24 to 64 random bytes in base64. By default, the service generates one."""


@final
class JwkSetKeysItem(TypedDict):
    kty: str


@final
class JwkSet(TypedDict):
    keys: list[JwkSetKeysItem]


@final
class TestedWebhook(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str


@final
class TestWebhookBody(TypedDict):
    event: NotRequired[EventName]
    """The event whose sample is sent. The default is `webhook.test`. The webhook need not be subscribed to the event, but its kind must match."""


@final
class ReplayDryRunStatesItem(TypedDict):
    state: ReplayableState
    cancelReason: SendableCancelReason | None
    count: int


@final
class ReplayDryRunWebhooksItem(TypedDict):
    webhookUid: str
    count: int


@final
class ReplayDryRun(TypedDict):
    dryRun: Literal[True]
    count: int
    countIsCapped: bool
    """True if there are more."""
    states: list[ReplayDryRunStatesItem]
    """The states with deliveries to send. `cancelReason` is set for `cancelled`."""
    nextAttemptAt: str | None
    """The earliest next attempt of the `retrying` ones. Null if there are none."""
    webhooks: list[ReplayDryRunWebhooksItem]


@final
class ReplayedWebhook(TypedDict):
    webhookUid: str
    releasedCount: int


@final
class StartedReplay(TypedDict):
    uid: str
    webhookUid: str | None
    """The webhook of the replay. Null for a replay of the application."""
    since: str
    until: str
    events: list[SubscribableEventName] | None
    states: list[ReplayableState]
    cancelReasons: list[SendableCancelReason]
    externalTenantId: str | None
    perSecond: int
    state: JobState
    releasedCount: int
    """The number of deliveries that the replay sends."""
    webhookCount: int
    webhooksDone: int
    webhooks: list[ReplayedWebhook]
    """The webhooks that get deliveries."""
    reachedAt: str | None
    """The position of the replay at its current webhook."""
    createdAt: str
    finishedAt: str | None
    pausedWebhookUids: list[str]
    """The paused webhooks, which hold their deliveries."""


@final
class RecoverWebhookBody(TypedDict):
    since: str
    """Events recorded at or after this time, in ISO 8601 with an offset."""
    until: NotRequired[str]
    """Events recorded before this time. The default and the latest value is now."""
    perSecond: NotRequired[int]
    """The maximum number of deliveries per second. The default is 20."""
    dryRun: NotRequired[bool]
    """If true, the call counts the deliveries and sends nothing."""
    states: NotRequired[list[Literal["exhausted", "blocked", "cancelled", "retrying", "held"]]]
    """The states of the deliveries to send. The default is the lost ones: `exhausted`, `blocked`, and `cancelled` as `expired` or `abandoned`. `retrying` deliveries are sent now instead of at their next attempt. `held` deliveries are sent if the webhook is active; resume it first."""


@final
class SyncCounts(TypedDict):
    agent: int
    context: int
    contextfile: int


@final
class SyncDryRun(TypedDict):
    dryRun: Literal[True]
    count: int
    countIsCapped: bool
    """True if there are more."""
    counts: SyncCounts


@final
class StartedSync(TypedDict):
    uid: str
    webhookUid: str
    entities: list[Entity]
    externalTenantIds: list[str] | None
    perSecond: int
    state: JobState
    releasedCount: int
    """The number of deliveries that the sync sends."""
    counts: SyncCounts
    createdAt: str
    finishedAt: str | None
    isPaused: bool
    """True if the webhook is paused and holds the deliveries."""


@final
class SyncWebhookBody(TypedDict):
    entities: NotRequired[list[Entity]]
    """The entities to send. The default is the entities of the webhook."""
    externalTenantIds: NotRequired[list[str]]
    """The tenants whose resources are sent. The default is all tenants."""
    perSecond: NotRequired[int]
    """The maximum number of deliveries per second. The default is 20."""
    dryRun: NotRequired[bool]
    """If true, the call counts the deliveries and sends nothing."""


@final
class AttemptMs(TypedDict):
    dns: NotRequired[int]
    connect: NotRequired[int]
    tls: NotRequired[int]
    firstByte: NotRequired[int]
    total: int


@final
class AttemptResponseHeadersItem(TypedDict):
    name: str
    value: str


@final
class Attempt(TypedDict):
    n: int
    at: str
    trigger: Literal["event", "retry", "resend", "replay", "sync"]
    state: Literal["delivered", "retrying", "exhausted", "blocked"]
    """The state of the delivery after this attempt."""
    traceId: str | None
    """The ID of the trace, which operators can look up. Null if no trace was recorded."""
    status: int | None
    errorClass: ErrorClass | None
    detail: str | None
    """The reason why there was no response."""
    ms: AttemptMs
    """The duration of each phase in whole milliseconds. A phase that did not happen is absent."""
    responseHeaders: list[AttemptResponseHeadersItem]
    """The headers of the response that help to find a cause, such as `server`, `retry-after` and request IDs, each with at most 160 bytes."""
    responseSample: str
    """The beginning of the response, at most 4 KiB. Invalid UTF-8 and control characters appear as U+FFFD. Values from `headers` and `auth` of the webhook appear as `…` if the response repeats them."""


@final
class Delivery(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str
    externalTenantId: str
    state: DeliveryState
    cancelReason: CancelReason | None
    """The reason for the state `cancelled`. Null for other states."""
    statusClass: StatusClass | None
    """The status class of the last attempt. Null until the first attempt, also after a resend."""
    errorClass: ErrorClass | None
    """The error class of the last attempt. Null if `statusClass` is null or the attempt succeeded."""
    attemptCount: int
    nextAttemptAt: str | None
    """The earliest time of the next attempt."""
    attempts: list[Attempt]
    """The latest 21 attempts, from oldest to newest."""
    createdAt: str
    """The time of the event."""
    updatedAt: str


@final
class CreateWebhookReplayBody(TypedDict):
    since: str
    """Events recorded at or after this time, in ISO 8601 with an offset."""
    until: NotRequired[str]
    """Events recorded before this time. The default and the latest value is now."""
    perSecond: NotRequired[int]
    """The maximum number of deliveries per second. The default is 20."""
    dryRun: NotRequired[bool]
    """If true, the call counts the deliveries and sends nothing."""
    events: NotRequired[list[SubscribableEventName]]
    """The names of the events to send."""
    states: NotRequired[list[ReplayableState]]
    """The states of the deliveries to send again. The default is `exhausted`, `blocked` and `cancelled`. A `retrying` delivery is sent immediately. A `pending` delivery is sent if it has been pending for more than a minute. `never_attempted` stands for events that were never sent to the webhook."""
    cancelReasons: NotRequired[list[SendableCancelReason]]
    """The reasons of the `cancelled` deliveries to send again. The default is `expired` and `abandoned`, the lost deliveries. `discarded` and `unsubscribed` deliveries were cancelled on purpose. They are sent only if you name them."""
    externalTenantId: NotRequired[str]
    """The tenant whose events are sent."""


@final
class Replay(TypedDict):
    uid: str
    webhookUid: str | None
    """The webhook of the replay. Null for a replay of the application."""
    since: str
    until: str
    events: list[SubscribableEventName] | None
    states: list[ReplayableState]
    cancelReasons: list[SendableCancelReason]
    externalTenantId: str | None
    perSecond: int
    state: JobState
    releasedCount: int
    """The number of deliveries that the replay sends."""
    webhookCount: int
    webhooksDone: int
    webhooks: list[ReplayedWebhook]
    """The webhooks that get deliveries."""
    reachedAt: str | None
    """The position of the replay at its current webhook."""
    createdAt: str
    finishedAt: str | None


@final
class JobOutcomes(TypedDict):
    pending: int
    retrying: int
    delivered: int
    exhausted: int
    held: int
    cancelled: int
    blocked: int


@final
class ReplayDetail(TypedDict):
    uid: str
    webhookUid: str | None
    """The webhook of the replay. Null for a replay of the application."""
    since: str
    until: str
    events: list[SubscribableEventName] | None
    states: list[ReplayableState]
    cancelReasons: list[SendableCancelReason]
    externalTenantId: str | None
    perSecond: int
    state: JobState
    releasedCount: int
    """The number of deliveries that the replay sends."""
    webhookCount: int
    webhooksDone: int
    webhooks: list[ReplayedWebhook]
    """The webhooks that get deliveries."""
    reachedAt: str | None
    """The position of the replay at its current webhook."""
    createdAt: str
    finishedAt: str | None
    outcomes: JobOutcomes


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
    """The default is false."""
    description: NotRequired[str | None]
    """Null removes it."""
    accountUids: NotRequired[list[str] | None]
    """Only users of these accounts can reach the agent. With `[]`, nobody can. Null removes the list, and all users of the application can reach the agent."""
    externalTenantId: str
    """It cannot be changed."""


@final
class ChangeAgentBody(TypedDict):
    agentName: NotRequired[str]
    live: NotRequired[bool]
    """The default is false."""
    description: NotRequired[str | None]
    """Null removes it."""
    accountUids: NotRequired[list[str] | None]
    """Only users of these accounts can reach the agent. With `[]`, nobody can. Null removes the list, and all users of the application can reach the agent."""


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
    """The default is `pending`. The statuses can follow each other in any order."""
    processingError: NotRequired[str | None]
    """It can be set with any status. Null removes it. A change to a status other than `failed` also removes it, unless the change sets it."""
    contentType: str
    """A media type (RFC 9110). It cannot be changed."""
    sizeBytes: int
    """It cannot be changed."""


@final
class ChangeContextFileBody(TypedDict):
    fileName: NotRequired[str]
    processingStatus: NotRequired[ProcessingStatus]
    """The default is `pending`. The statuses can follow each other in any order."""
    processingError: NotRequired[str | None]
    """It can be set with any status. Null removes it. A change to a status other than `failed` also removes it, unless the change sets it."""


@final
class ReportedChange(TypedDict):
    eventId: str
    event: ResourceEventName
    resourceUid: str


@final
class ReportChangeBody(TypedDict):
    event: ResourceEventName
    data: Mapping[str, Any]
    """The complete resource. It is sent byte for byte as written. You choose the other fields."""


@final
class Event(TypedDict):
    eventId: str
    event: EventName
    timestamp: str
    """The time of the change, or of the sync."""
    appUid: str
    resourceUid: str
    externalTenantId: str
    sequence: int | None
    """The number of the change among the changes of one resource. A resource is identified by its kind and uid. Null for a test and for a notice."""
    syncUid: str | None
    """The sync that sends the present state with this event. Null for a change."""
    webhookUids: list[str]
    """The webhooks that were subscribed to the event."""
    workflowId: str | None
    """The Temporal workflow of the event. Several events can share a workflow. Null until a workflow is chosen, or if no webhook was subscribed."""
    dispatchedAt: str | None
    """The time when the workflow was started. If no webhook was subscribed, the time when the event was recorded."""
    erasedAt: str | None
    """The time when the payload was erased."""


@final
class EventWithPayload(TypedDict):
    eventId: str
    event: EventName
    timestamp: str
    """The time of the change, or of the sync."""
    appUid: str
    resourceUid: str
    externalTenantId: str
    sequence: int | None
    """The number of the change among the changes of one resource. A resource is identified by its kind and uid. Null for a test and for a notice."""
    syncUid: str | None
    """The sync that sends the present state with this event. Null for a change."""
    webhookUids: list[str]
    """The webhooks that were subscribed to the event."""
    workflowId: str | None
    """The Temporal workflow of the event. Several events can share a workflow. Null until a workflow is chosen, or if no webhook was subscribed."""
    dispatchedAt: str | None
    """The time when the workflow was started. If no webhook was subscribed, the time when the event was recorded."""
    erasedAt: str | None
    """The time when the payload was erased."""
    payload: dict[str, Any] | None
    """The exact bytes of the body that receivers get. Null after an erasure."""


@final
class ExplainedWebhook(TypedDict):
    webhookUid: str
    outcome: Literal[
        "delivery",
        "test",
        "sync",
        "created_later",
        "kind",
        "entity",
        "event",
        "tenant",
        "filter",
        "erased",
        "changed_later",
    ]
    """`delivery`: the event has a delivery to this webhook. Otherwise the reason why it has none. `test`: a test goes only to the webhook that it tests. `sync`: the event of a sync goes only to its webhook. `created_later`: the webhook is newer than the event. `kind`: the webhook gets notices instead of events of resources, or the reverse; no webhook gets notices about itself. `entity`, `event` and `tenant`: the webhook does not select the entity, the event or the tenant. `filter`: the filter does not match. `erased`: the payload was erased, so the filter cannot be checked. `changed_later`: the webhook selects such events now, so it was changed after the event, or registered just before it."""
    condition: dict[str, Any] | None
    """The first condition of the filter that the event does not meet."""


@final
class Resent(TypedDict):
    redeliveryUid: str
    eventId: str
    webhookUids: list[str]
    pausedWebhookUids: list[str]
    """The paused webhooks, which hold the event."""


@final
class ResendEventBody(TypedDict):
    webhookUids: NotRequired[list[str]]
    """The webhooks of the application to send the event to. By default, the event is sent to all webhooks that were subscribed to it. Webhooks whose delivery was cancelled on purpose, such as `discarded` or `unsubscribed`, are left out by default."""


@final
class EarlierDelivery(TypedDict):
    eventId: str
    state: DeliveryState


@final
class DeliveryRequestHeadersItem(TypedDict):
    name: str
    value: str


@final
class DeliveryRequest(TypedDict):
    method: str
    url: str
    """The current URL of the webhook. API keys see only its origin, because paths and queries often contain a secret."""
    headers: list[DeliveryRequestHeadersItem]
    """The headers in the order in which they are sent. Signatures appear as `…`. Admins also see the current `headers` and `auth` of the webhook, with `…` for the values. HTTP adds headers such as `Host`. A recorded trace adds `traceparent`."""
    body: str | None
    """The exact bytes of the body, in UTF-8. Null after an erasure."""


@final
class DeliveryDetail(TypedDict):
    eventId: str
    event: EventName
    webhookUid: str
    externalTenantId: str
    state: DeliveryState
    cancelReason: CancelReason | None
    """The reason for the state `cancelled`. Null for other states."""
    statusClass: StatusClass | None
    """The status class of the last attempt. Null until the first attempt, also after a resend."""
    errorClass: ErrorClass | None
    """The error class of the last attempt. Null if `statusClass` is null or the attempt succeeded."""
    attemptCount: int
    nextAttemptAt: str | None
    """The earliest time of the next attempt."""
    attempts: list[Attempt]
    """The latest 21 attempts, from oldest to newest."""
    createdAt: str
    """The time of the event."""
    updatedAt: str
    waitsFor: EarlierDelivery | None
    """The delivery of an earlier event of the same resource that must end first, at a webhook with `ordering: "resource"`. Null unless this delivery is `pending` behind it."""
    workflowId: str | None
    """The Temporal workflow that makes the attempts, or made them. Null until a workflow is chosen. For an ordered webhook, it can be the workflow of the partition even if another workflow made the only attempt."""
    request: DeliveryRequest | None
    """The request of the latest attempt, or of a first attempt made now. `X-Webhook-Attempt` has the `n` of the attempt, and the timestamps have its `at`. `X-Webhook-Attempts-Left` and `cloudEvents` are those of the present settings. Null if the webhook was deleted or receives mail."""


@final
class CreateReplayBody(TypedDict):
    since: str
    """Events recorded at or after this time, in ISO 8601 with an offset."""
    until: NotRequired[str]
    """Events recorded before this time. The default and the latest value is now."""
    perSecond: NotRequired[int]
    """The maximum number of deliveries per second. The default is 20."""
    dryRun: NotRequired[bool]
    """If true, the call counts the deliveries and sends nothing."""
    events: NotRequired[list[SubscribableEventName]]
    """The names of the events to send."""
    states: NotRequired[list[FailedState]]
    """The states of the deliveries to send again. The default is `exhausted`, `blocked` and `cancelled`. A `retrying` delivery is sent immediately. A `pending` delivery is sent if it has been pending for more than a minute. `never_attempted` stands for events that were never sent to the webhook."""
    cancelReasons: NotRequired[list[SendableCancelReason]]
    """The reasons of the `cancelled` deliveries to send again. The default is `expired` and `abandoned`, the lost deliveries. `discarded` and `unsubscribed` deliveries were cancelled on purpose. They are sent only if you name them."""
    externalTenantId: NotRequired[str]
    """The tenant whose events are sent."""
    webhookUids: NotRequired[list[str]]
    """The webhooks of the application to send to."""


@final
class Sync(TypedDict):
    uid: str
    webhookUid: str
    entities: list[Entity]
    externalTenantIds: list[str] | None
    perSecond: int
    state: JobState
    releasedCount: int
    """The number of deliveries that the sync sends."""
    counts: SyncCounts
    createdAt: str
    finishedAt: str | None


@final
class SyncDetail(TypedDict):
    uid: str
    webhookUid: str
    entities: list[Entity]
    externalTenantIds: list[str] | None
    perSecond: int
    state: JobState
    releasedCount: int
    """The number of deliveries that the sync sends."""
    counts: SyncCounts
    createdAt: str
    finishedAt: str | None
    outcomes: JobOutcomes


@final
class ErasureDryRunKeptResources(TypedDict):
    agent: int
    context: int
    contextfile: int


@final
class ErasureDryRun(TypedDict):
    dryRun: Literal[True]
    count: int
    """The payloads that would be deleted."""
    openCount: int
    """The open deliveries that would be cancelled."""
    keptResources: ErasureDryRunKeptResources
    """The resources stored here that match. An erasure keeps them: delete them first, or later changes and syncs send them again."""
    countIsCapped: bool
    """True if there are more."""


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
    """The tenant whose payloads are erased. Send exactly one of `externalTenantId` and `mentions`."""
    mentions: NotRequired[list[str]]
    """The texts to look for. A payload is erased if its `data` has one of them as a whole value, at any depth. The value is an equal string, in NFC or NFD, or an equal number."""
    dryRun: NotRequired[bool]
    """If true, the call counts the payloads and erases nothing."""


@final
class Percentiles(TypedDict):
    p50: int
    p95: int
    p99: int


@final
class DeliveryCounts(TypedDict):
    attempts: int
    """The number of attempts. It does not include `cancelled`, because no attempt was made."""
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    """The number of deliveries that were cancelled without an attempt."""
    changeToReceiptMs: Percentiles | None
    """The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not."""
    attemptMs: Percentiles | None
    """The duration of attempts with any outcome."""


@final
class DeliveryPoint(TypedDict):
    at: str
    attempts: int
    """The number of attempts. It does not include `cancelled`, because no attempt was made."""
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    """The number of deliveries that were cancelled without an attempt."""
    changeToReceiptMs: Percentiles | None
    """The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not."""
    attemptMs: Percentiles | None
    """The duration of attempts with any outcome."""


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
    """The number of attempts. It does not include `cancelled`, because no attempt was made."""
    delivered: int
    retrying: int
    exhausted: int
    blocked: int
    cancelled: int
    """The number of deliveries that were cancelled without an attempt."""
    changeToReceiptMs: Percentiles | None
    """The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not."""
    attemptMs: Percentiles | None
    """The duration of attempts with any outcome."""


@final
class WebhookStatistics(TypedDict):
    interval: Literal["hour", "day"]
    since: str
    until: str
    completeUntil: str
    """The counts before this time are final."""
    webhooks: list[WebhookCounts]
    """The counts of each existing webhook that has any in the range, ordered by uid."""


@final
class WebhookOutcomes(TypedDict):
    webhookUid: str
    outcomes: list[Literal["delivered", "retrying", "exhausted", "blocked"]]
    """The current states of the latest 20 deliveries with an attempt, from oldest to newest. Tests are left out."""


@final
class LatestOutcomes(TypedDict):
    webhooks: list[WebhookOutcomes]
    """The existing webhooks among the requested ones, ordered by uid."""


@final
class OpenDeliveries(TypedDict):
    count: int
    """The count is at most 10,000."""
    countIsCapped: bool
    """True if there may be more."""
    oldestAt: str | None
    """The time when the oldest of these deliveries was first recorded."""


@final
class UndispatchedEvents(TypedDict):
    count: int
    countIsCapped: bool
    """True if there may be more."""


@final
class OverdueFile(TypedDict):
    uid: str
    contextUid: str
    fileName: str
    externalTenantId: str
    processingSince: str


@final
class OverdueFiles(TypedDict):
    count: int
    """The count is at most 10,000."""
    countIsCapped: bool
    """True if there may be more."""
    oldest: OverdueFile | None


@final
class Backlog(TypedDict):
    at: str
    pending: OpenDeliveries
    retrying: OpenDeliveries
    held: OpenDeliveries
    undispatched: UndispatchedEvents
    overdueFiles: OverdueFiles


@final
class LatestFailure(TypedDict):
    eventId: str
    at: str
    status: int | None
    errorClass: ErrorClass | None
    detail: str | None


@final
class WebhookChange(TypedDict):
    what: Literal[
        "url", "headers", "auth", "tls", "secret", "secret_promoted", "previous_secret_ended"
    ]
    """`secret`: a rotation. `previous_secret_ended`: the end of its overlap, after which receivers with the old secret refuse requests."""
    at: str


@final
class WebhookFailure(TypedDict):
    webhookUid: str
    failingSince: str | None
    latest: LatestFailure | None
    """The last attempt of the newest delivery that failed."""
    change: WebhookChange | None
    """The latest change of the webhook in the hour before it began to fail."""


@final
class WebhookFailures(TypedDict):
    failures: list[WebhookFailure]
    moreCount: int
    """The number of failing webhooks that are left out."""


@final
class SettingsLimits(TypedDict):
    requestBytes: int
    payloadBytes: int
    webhooksPerApp: int
    attemptTimeout: str


@final
class SettingsRetention(TypedDict):
    records: str
    """How long events, settled deliveries, resends and replays are kept."""
    held: str
    """How long held deliveries are kept."""
    auditLog: str


@final
class SigningKey(TypedDict):
    kid: str
    state: Literal["next", "active", "retiring"]
    """A `next` key is already published. A `retiring` key is published until its last token has expired."""
    createdAt: str
    signsFrom: str
    signsUntil: str
    """The time when the next key starts to sign. For the latest key, this time is planned."""


@final
class Settings(TypedDict):
    version: str
    limits: SettingsLimits
    retrySchedule: list[str]
    """The retry schedule of webhooks that do not set one."""
    deactivateAfter: str
    """How long a webhook can fail before it is deactivated."""
    processingOverdueAfter: str
    """How long a context file can be processing before it is reported."""
    retention: SettingsRetention
    userTokenLifetime: str
    temporalUiUrl: str | None
    """The URL of the Temporal UI, without a trailing slash. Null if it is not set."""
    temporalNamespace: str
    traceUrlTemplate: str | None
    """The URL of a page that shows a trace. Replace `{traceId}` with the ID of the trace. Null if it is not set."""
    egressAddresses: list[str]
    """The addresses and address ranges from which webhook requests come. Empty if the operators have not stated them."""
    signingKeys: list[SigningKey]
    """The signing keys of user tokens, from oldest to newest."""


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
    details: dict[str, Any]
    """The fields depend on the action."""
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
    """The state of each part: `ok`, or a sentence that describes the fault."""


@final
class WebhookSources(TypedDict):
    known: bool
    """False if the operators have not stated the addresses: then do not filter by them."""
    addresses: list[str]
    """IPv4 and IPv6 addresses and address ranges."""


VerifiedToken = ActiveToken | InactiveToken
