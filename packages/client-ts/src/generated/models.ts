// Written by `npm run generate` from docs/openapi.json.
export const entities = ['agent', 'context', 'contextfile'] as const;
export type Entity = (typeof entities)[number];

export const resourceEventNames = [
  'agent.created',
  'agent.updated',
  'agent.deleted',
  'context.created',
  'context.updated',
  'context.deleted',
  'contextfile.created',
  'contextfile.updated',
  'contextfile.deleted',
] as const;
export type ResourceEventName = (typeof resourceEventNames)[number];

export const subscribedEventNames = [
  ...resourceEventNames,
  'webhook.failing',
  'webhook.deactivation_scheduled',
  'webhook.deactivated',
  'webhook.recovered',
  'delivery.exhausted',
  'apikey.expiring',
  'contextfile.processing_overdue',
  'user.tokens_revoked',
  'user.token_revoked',
  'application.tokens_revoked',
  'application.key_tokens_revoked',
] as const;
export type SubscribedEventName = (typeof subscribedEventNames)[number];

export const eventNames = [...subscribedEventNames, 'webhook.test'] as const;
export type EventName = (typeof eventNames)[number];

export const deliveryStates = [
  'pending',
  'delivered',
  'retrying',
  'exhausted',
  'held',
  'cancelled',
  'blocked',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const replayableStates = [...deliveryStates, 'never_attempted'] as const;
export type ReplayableState = (typeof replayableStates)[number];

export const recoverableStates = ['exhausted', 'blocked', 'cancelled', 'retrying', 'held'] as const;
export type RecoverableState = (typeof recoverableStates)[number];

export const sendableCancelReasons = [
  'expired',
  'abandoned',
  'discarded',
  'skipped',
  'unsubscribed',
] as const;
export type SendableCancelReason = (typeof sendableCancelReasons)[number];

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof statusClasses)[number];

export const errorClasses = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'status',
  'too_large',
  'blocked',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

export const intervals = ['minute', 'hour', 'day'] as const;
export type Interval = (typeof intervals)[number];

export interface Account {
  uid: string;
  name: string;
  createdAt: string;
  updatedAt: string;
}

export interface AccountPage {
  data: Account[];
  nextCursor: string | null;
}

export interface ActiveToken {
  active: true;
  userUid: string;
  accountUids: string[];
  /** The tenant that the sign-in named, or null. It grants nothing. */
  externalTenantId: string | null;
  tokenUid: string;
  issuedAt: string;
  expiresAt: string;
  /** Present only if `agentUid` was sent. */
  agent?: {
    uid: string;
    allowed: boolean;
  };
}

export interface AddMemberBody {
  email: string;
  role: 'viewer' | 'admin' | 'owner';
}

export interface Admin {
  uid: string;
  email: string;
  superuser: boolean;
  hasPassword: boolean;
  createdAt: string;
}

export interface Agent {
  uid: string;
  appUid: string;
  externalTenantId: string;
  createdAt: string;
  updatedAt: string;
  agentName: string;
  live: boolean;
  description?: string;
  accountUids?: string[];
}

export interface AgentPage {
  data: Agent[];
  nextCursor: string | null;
}

export interface ApiKey {
  uid: string;
  /** The public part of the key. Logs show it. */
  keyId: string;
  name: string;
  scopes: (
    | 'users:auth'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'events:read'
    | 'events:write'
    | 'resources:read'
    | 'resources:write'
    | 'admin'
  )[];
  state: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** When the tokens from sign-ins with the key were revoked. */
  tokensRevokedAt: string | null;
  lastUsedAt: string | null;
  rolledTo: string | null;
}

export interface ApiKeyPage {
  data: ApiKey[];
  nextCursor: string | null;
}

export interface App {
  uid: string;
  name: string;
  active: boolean;
  /** The origins of pages that may use its tokens; null: any. */
  origins: string[] | null;
  webhookChallenge: boolean;
  /** The role of the caller. */
  role: 'viewer' | 'admin' | 'owner';
  createdAt: string;
}

export interface AppPage {
  data: App[];
  nextCursor: string | null;
}

export interface Attempt {
  n: number;
  at: string;
  trigger: 'event' | 'retry' | 'resend' | 'replay' | 'sync';
  /** The state of the delivery after this attempt. */
  state: 'delivered' | 'retrying' | 'exhausted' | 'blocked';
  /** The ID of the trace, which operators can look up. Null if no trace was recorded. */
  traceId: string | null;
  status: number | null;
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  /** The reason why there was no response. */
  detail: string | null;
  /** The duration of each phase in whole milliseconds. A phase that did not happen is absent. */
  ms: {
    dns?: number;
    connect?: number;
    tls?: number;
    firstByte?: number;
    total: number;
  };
  /** The headers of the response that help to find a cause, such as `server`, `retry-after` and request IDs, each with at most 160 bytes. */
  responseHeaders: {
    name: string;
    value: string;
  }[];
  /** The beginning of the response, at most 4 KiB. Invalid UTF-8 and control characters appear as U+FFFD. Values from `headers` and `auth` of the webhook appear as `…` if the response repeats them. */
  responseSample: string;
}

export interface AuditRow {
  uid: string;
  at: string;
  action: string;
  actor: {
    kind: 'api_key' | 'admin' | 'anonymous' | 'system';
    uid: string | null;
  };
  target: {
    kind: string;
    uid: string;
  };
  /** The fields depend on the action. */
  details: Record<string, unknown>;
  address: string | null;
  requestId: string | null;
}

export interface AuditRowPage {
  data: AuditRow[];
  nextCursor: string | null;
}

export interface Backlog {
  at: string;
  pending: OpenDeliveries;
  retrying: OpenDeliveries;
  held: OpenDeliveries;
  undispatched: UndispatchedEvents;
  overdueFiles: OverdueFiles;
}

export interface BasicAuth {
  type: 'basic';
  username: string;
  password: string;
}

export interface BearerAuth {
  type: 'bearer';
  token: string;
}

export interface ChangeAccountBody {
  name?: string;
}

export interface ChangeAgentBody {
  agentName?: string;
  /** The default is false. */
  live?: boolean;
  /** Null removes it. */
  description?: string | null;
  /** Only users of these accounts can reach the agent. With `[]`, nobody can. Null removes the list, and all users of the application can reach the agent. */
  accountUids?: string[] | null;
}

export interface ChangeAppBody {
  name?: string;
  active?: boolean;
  /** The origins of pages that may use tokens issued from now on, at most 1,024 bytes together; null: any. */
  origins?: string[] | null;
  /** Whether a receiver must answer a challenge before its webhook is created active, is resumed, or gets another URL while active. */
  webhookChallenge?: boolean;
}

export interface ChangeContextBody {
  contextName?: string;
  /** Null removes it. */
  description?: string | null;
}

export interface ChangeContextFileBody {
  fileName?: string;
  /** The default is `pending`. The statuses can follow each other in any order. */
  processingStatus?: 'pending' | 'processing' | 'ready' | 'failed';
  /** It can be set with any status. Null removes it. A change to a status other than `failed` also removes it, unless the change sets it. */
  processingError?: string | null;
}

export interface ChangeMemberBody {
  role: 'viewer' | 'admin' | 'owner';
}

export interface ChangePasswordBody {
  currentPassword: string;
  newPassword: string;
}

export interface ChangeUserBody {
  name?: string | null;
}

export interface ChangeWebhookBody {
  /** A name to recognise the webhook by. Null means none. */
  name?: string | null;
  /** A description of the webhook. Null means none. */
  description?: string | null;
  /** Your own texts, such as `{"team": "search"}`. A change replaces the whole object. Null means none. */
  metadata?: Record<string, string> | null;
  /** The URL of the receiver. It is required on creation. It must use https, port 443 or 8443, and a public address, unless operators allow others. The kind `operations` also accepts `mailto:` and an address. */
  url?: string;
  /** The entities whose events the webhook gets. They are required on creation. The kind `operations` has none. */
  entities?: Entity[];
  /** The events that the webhook gets. Each must belong to one of `entities`. Null means all events, except revocations of tokens. */
  events?: SubscribedEventName[] | null;
  /** The tenants whose events the webhook gets, compared exactly. Null means all tenants. The kind `operations` has no tenants. */
  externalTenantIds?: string[] | null;
  /** The waits between attempts, such as `["5s", "2m", "1h"]`. Each is a whole number of `ms`, `s`, `m`, `h` or `d`, and at least one second. Together they are at most 7 days. `[]` means a single attempt. Null means the default schedule of the service. */
  retrySchedule?: string[] | null;
  /** The default is `parallel`. With `resource`, the events about one resource arrive one at a time and in order. A change applies to events that are recorded after the response. */
  ordering?: 'parallel' | 'resource';
  /** The maximum number of requests per second. Null means no such limit. */
  ratePerSecond?: number | null;
  /** The maximum number of requests per second for the events of each tenant, which wait only for each other. It cannot be combined with `ratePerSecond`. Null means no such limit. The kind `operations` has no tenants. */
  ratePerSecondPerTenant?: number | null;
  /** The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`. A key is the path of a field: up to 5 names separated by dots, with at most 256 characters. It has one value or an array of values. Values are strings of up to 256 characters, numbers, booleans or null. A filter has at most 50 values. Null means no filter. */
  filter?: Record<
    string,
    string | number | boolean | null | (string | number | boolean | null)[]
  > | null;
  /** The versions of signatures in `webhook-signature`. `v1` uses the secret of the webhook. `v1a` uses the private key of the application and covers the uid of the webhook, and receivers verify it with the public keys of `GET /api/v1/appuid/{appUid}/.well-known/webhook-keys.json`. The default is `["v1"]`. `X-Webhook-Signature` is always sent. */
  signatures?: ('v1' | 'v1a')[];
  /** True also sends the headers `ce-specversion`, `ce-id`, `ce-source`, `ce-type` and `ce-time` (CloudEvents 1.0, binary mode), which `headers` then cannot have. The body stays the same. The default is false. */
  cloudEvents?: boolean;
  /** The default is true. False pauses the webhook. Setting it clears `disabledReason`, and true also clears `failingSince`. */
  active?: boolean;
  /** Extra headers of each attempt. They are encrypted on save and never shown again. Names and values have at most 4,096 bytes in total. A name has at most 100 characters. A value has visible ASCII characters, with spaces only between them. A change replaces all headers. Null means none. */
  headers?: Record<string, string> | null;
  /** The credentials that are sent as `Authorization`. They are encrypted on save and never shown again. `bearer` has a `token`. `basic` has a `username` without a colon and a `password`, in UTF-8. Null means none. */
  auth?: BasicAuth | BearerAuth | null;
  /** The client certificate for receivers that require one. It needs https. The key is encrypted on save and never shown again. Null means none. */
  tls?: {
    certificate: string;
    key: string;
  } | null;
  /** Send it only with `active: true`. `deliver`, the default, sends the held deliveries. `discard` cancels them. It also cancels retries that are not due, throttled deliveries, and deliveries that wait for the rate limit. Resends, replays and syncs that were requested before send the webhook nothing more. */
  onResume?: 'deliver' | 'discard';
}

export interface CheckWebhookUrlBody {
  url: string;
  /** The default is `resources`. Only `operations` accepts `mailto:`. */
  kind?: 'resources' | 'operations';
}

export interface CheckedUrl {
  /** The URL as it would be stored. Null if the URL is refused. */
  url: string | null;
  problems: UrlProblem[];
}

export interface ClientCertificate {
  subject: string;
  issuer: string;
  fingerprint256: string;
  notAfter: string;
}

export interface Context {
  uid: string;
  appUid: string;
  externalTenantId: string;
  createdAt: string;
  updatedAt: string;
  contextName: string;
  description?: string;
}

export interface ContextFile {
  uid: string;
  appUid: string;
  externalTenantId: string;
  createdAt: string;
  updatedAt: string;
  contextUid: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  processingStatus: 'pending' | 'processing' | 'ready' | 'failed';
  processingError?: string;
}

export interface ContextFilePage {
  data: ContextFile[];
  nextCursor: string | null;
}

export interface ContextPage {
  data: Context[];
  nextCursor: string | null;
}

export interface CreateAccountBody {
  name: string;
}

export interface CreateAgentBody {
  agentName: string;
  /** The default is false. */
  live?: boolean;
  /** Null removes it. */
  description?: string | null;
  /** Only users of these accounts can reach the agent. With `[]`, nobody can. Null removes the list, and all users of the application can reach the agent. */
  accountUids?: string[] | null;
  /** It cannot be changed. */
  externalTenantId: string;
}

export interface CreateApiKeyBody {
  name: string;
  scopes: (
    | 'users:auth'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'events:read'
    | 'events:write'
    | 'resources:read'
    | 'resources:write'
    | 'admin'
  )[];
  expiresAt?: string | null;
}

export interface CreateAppBody {
  name: string;
}

export interface CreateContextBody {
  contextName: string;
  /** Null removes it. */
  description?: string | null;
  /** It cannot be changed. */
  externalTenantId: string;
}

export interface CreateContextFileBody {
  fileName: string;
  /** The default is `pending`. The statuses can follow each other in any order. */
  processingStatus?: 'pending' | 'processing' | 'ready' | 'failed';
  /** It can be set with any status. Null removes it. A change to a status other than `failed` also removes it, unless the change sets it. */
  processingError?: string | null;
  /** A media type (RFC 9110). It cannot be changed. */
  contentType: string;
  /** It cannot be changed. */
  sizeBytes: number;
}

export interface CreateErasureBody {
  /** The tenant whose payloads are erased. Send exactly one of `externalTenantId` and `mentions`. */
  externalTenantId?: string;
  /** The texts to look for. A payload is erased if its `data` has one of them as a whole value, at any depth. The value is an equal string, in NFC or NFD, or an equal number. */
  mentions?: string[];
  /** If true, the call counts the payloads and erases nothing. */
  dryRun?: boolean;
}

export interface CreateReplayBody {
  /** Events recorded at or after this time, in ISO 8601 with an offset. */
  since: string;
  /** Events recorded before this time. The default and the latest value is now. */
  until?: string;
  /** The maximum number of deliveries per second. The default is 20. */
  perSecond?: number;
  /** If true, the call counts the deliveries and sends nothing. */
  dryRun?: boolean;
  /** The names of the events to send. */
  events?: SubscribedEventName[];
  /** The states of the deliveries to send again. The default is `exhausted`, `blocked` and `cancelled`. A `retrying` delivery is sent immediately. A `pending` delivery is sent if it has been pending for more than a minute. `never_attempted` stands for events that were never sent to the webhook. */
  states?: ('pending' | 'retrying' | 'exhausted' | 'held' | 'cancelled' | 'blocked')[];
  /** The reasons of the `cancelled` deliveries to send again. The default is `expired` and `abandoned`, the lost deliveries. `discarded` and `unsubscribed` deliveries were cancelled on purpose. They are sent only if you name them. */
  cancelReasons?: SendableCancelReason[];
  /** The tenant whose events are sent. */
  externalTenantId?: string;
  /** The webhooks of the application to send to. */
  webhookUids?: string[];
}

export interface CreateWebhookBody {
  /** The default is `resources`. A webhook of the kind `operations` gets service notifications and no events of resources. The kind cannot be changed. */
  kind?: 'resources' | 'operations';
  /** A name to recognise the webhook by. Null means none. */
  name?: string | null;
  /** A description of the webhook. Null means none. */
  description?: string | null;
  /** Your own texts, such as `{"team": "search"}`. A change replaces the whole object. Null means none. */
  metadata?: Record<string, string> | null;
  /** The URL of the receiver. It is required on creation. It must use https, port 443 or 8443, and a public address, unless operators allow others. The kind `operations` also accepts `mailto:` and an address. */
  url: string;
  /** The entities whose events the webhook gets. They are required on creation. The kind `operations` has none. */
  entities?: Entity[];
  /** The events that the webhook gets. Each must belong to one of `entities`. Null means all events, except revocations of tokens. */
  events?: SubscribedEventName[] | null;
  /** The tenants whose events the webhook gets, compared exactly. Null means all tenants. The kind `operations` has no tenants. */
  externalTenantIds?: string[] | null;
  /** The waits between attempts, such as `["5s", "2m", "1h"]`. Each is a whole number of `ms`, `s`, `m`, `h` or `d`, and at least one second. Together they are at most 7 days. `[]` means a single attempt. Null means the default schedule of the service. */
  retrySchedule?: string[] | null;
  /** The default is `parallel`. With `resource`, the events about one resource arrive one at a time and in order. A change applies to events that are recorded after the response. */
  ordering?: 'parallel' | 'resource';
  /** The maximum number of requests per second. Null means no such limit. */
  ratePerSecond?: number | null;
  /** The maximum number of requests per second for the events of each tenant, which wait only for each other. It cannot be combined with `ratePerSecond`. Null means no such limit. The kind `operations` has no tenants. */
  ratePerSecondPerTenant?: number | null;
  /** The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`. A key is the path of a field: up to 5 names separated by dots, with at most 256 characters. It has one value or an array of values. Values are strings of up to 256 characters, numbers, booleans or null. A filter has at most 50 values. Null means no filter. */
  filter?: Record<
    string,
    string | number | boolean | null | (string | number | boolean | null)[]
  > | null;
  /** The versions of signatures in `webhook-signature`. `v1` uses the secret of the webhook. `v1a` uses the private key of the application and covers the uid of the webhook, and receivers verify it with the public keys of `GET /api/v1/appuid/{appUid}/.well-known/webhook-keys.json`. The default is `["v1"]`. `X-Webhook-Signature` is always sent. */
  signatures?: ('v1' | 'v1a')[];
  /** True also sends the headers `ce-specversion`, `ce-id`, `ce-source`, `ce-type` and `ce-time` (CloudEvents 1.0, binary mode), which `headers` then cannot have. The body stays the same. The default is false. */
  cloudEvents?: boolean;
  /** The default is true. False pauses the webhook. Setting it clears `disabledReason`, and true also clears `failingSince`. */
  active?: boolean;
  /** Extra headers of each attempt. They are encrypted on save and never shown again. Names and values have at most 4,096 bytes in total. A name has at most 100 characters. A value has visible ASCII characters, with spaces only between them. A change replaces all headers. Null means none. */
  headers?: Record<string, string> | null;
  /** The credentials that are sent as `Authorization`. They are encrypted on save and never shown again. `bearer` has a `token`. `basic` has a `username` without a colon and a `password`, in UTF-8. Null means none. */
  auth?: BasicAuth | BearerAuth | null;
  /** The client certificate for receivers that require one. It needs https. The key is encrypted on save and never shown again. Null means none. */
  tls?: {
    certificate: string;
    key: string;
  } | null;
  /** A secret that your receiver generated: `whsec_` followed by 24 to 64 random bytes in base64. By default, the service generates one. */
  secret?: string;
}

export interface CreateWebhookReplayBody {
  /** Events recorded at or after this time, in ISO 8601 with an offset. */
  since: string;
  /** Events recorded before this time. The default and the latest value is now. */
  until?: string;
  /** The maximum number of deliveries per second. The default is 20. */
  perSecond?: number;
  /** If true, the call counts the deliveries and sends nothing. */
  dryRun?: boolean;
  /** The names of the events to send. */
  events?: SubscribedEventName[];
  /** The states of the deliveries to send again. The default is `exhausted`, `blocked` and `cancelled`. A `retrying` delivery is sent immediately. A `pending` delivery is sent if it has been pending for more than a minute. `never_attempted` stands for events that were never sent to the webhook. */
  states?: ReplayableState[];
  /** The reasons of the `cancelled` deliveries to send again. The default is `expired` and `abandoned`, the lost deliveries. `discarded` and `unsubscribed` deliveries were cancelled on purpose. They are sent only if you name them. */
  cancelReasons?: SendableCancelReason[];
  /** The tenant whose events are sent. */
  externalTenantId?: string;
}

export interface CreatedApiKey {
  uid: string;
  /** The public part of the key. Logs show it. */
  keyId: string;
  name: string;
  scopes: (
    | 'users:auth'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'events:read'
    | 'events:write'
    | 'resources:read'
    | 'resources:write'
    | 'admin'
  )[];
  state: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** When the tokens from sign-ins with the key were revoked. */
  tokensRevokedAt: string | null;
  lastUsedAt: string | null;
  rolledTo: string | null;
  /** The secret of the key. It is shown only once. */
  apiKey: string;
}

export interface Delivery {
  eventId: string;
  event: EventName;
  webhookUid: string;
  externalTenantId: string;
  state: DeliveryState;
  /** The reason for the state `cancelled`. Null for other states. */
  cancelReason:
    | 'expired'
    | 'discarded'
    | 'skipped'
    | 'unsubscribed'
    | 'webhook_deleted'
    | 'erased'
    | 'abandoned'
    | null;
  /** The status class of the last attempt. Null until the first attempt, also after a resend. */
  statusClass: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none' | null;
  /** The error class of the last attempt. Null if `statusClass` is null or the attempt succeeded. */
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  attemptCount: number;
  /** The earliest time of the next attempt. */
  nextAttemptAt: string | null;
  /** The latest 21 attempts, from oldest to newest. */
  attempts: Attempt[];
  /** The time of the event. */
  createdAt: string;
  updatedAt: string;
}

export interface DeliveryCounts {
  /** The number of attempts. It does not include `cancelled`, because no attempt was made. */
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  /** The number of deliveries that were cancelled without an attempt. */
  cancelled: number;
  /** The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not. */
  changeToReceiptMs: Percentiles | null;
  /** The duration of attempts with any outcome. */
  attemptMs: Percentiles | null;
}

export interface DeliveryDetail {
  eventId: string;
  event: EventName;
  webhookUid: string;
  externalTenantId: string;
  state: DeliveryState;
  /** The reason for the state `cancelled`. Null for other states. */
  cancelReason:
    | 'expired'
    | 'discarded'
    | 'skipped'
    | 'unsubscribed'
    | 'webhook_deleted'
    | 'erased'
    | 'abandoned'
    | null;
  /** The status class of the last attempt. Null until the first attempt, also after a resend. */
  statusClass: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none' | null;
  /** The error class of the last attempt. Null if `statusClass` is null or the attempt succeeded. */
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  attemptCount: number;
  /** The earliest time of the next attempt. */
  nextAttemptAt: string | null;
  /** The latest 21 attempts, from oldest to newest. */
  attempts: Attempt[];
  /** The time of the event. */
  createdAt: string;
  updatedAt: string;
  /** The delivery of an earlier event of the same resource that must end first, at a webhook with `ordering: "resource"`. Null unless this delivery is `pending` behind it. */
  waitsFor: EarlierDelivery | null;
  /** The Temporal workflow that makes the attempts, or made them. Null until a workflow is chosen. For an ordered webhook, it can be the workflow of the partition even if another workflow made the only attempt. */
  workflowId: string | null;
  /** The request of the latest attempt, or of a first attempt made now. `X-Webhook-Attempt` has the `n` of the attempt, and the timestamps have its `at`. `X-Webhook-Attempts-Left` and `cloudEvents` are those of the present settings. Null if the webhook was deleted or receives mail. */
  request: DeliveryRequest | null;
}

export interface DeliveryPage {
  data: Delivery[];
  nextCursor: string | null;
}

export interface DeliveryPoint {
  at: string;
  /** The number of attempts. It does not include `cancelled`, because no attempt was made. */
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  /** The number of deliveries that were cancelled without an attempt. */
  cancelled: number;
  /** The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not. */
  changeToReceiptMs: Percentiles | null;
  /** The duration of attempts with any outcome. */
  attemptMs: Percentiles | null;
}

export interface DeliveryRequest {
  method: string;
  /** The current URL of the webhook. API keys see only its origin, because paths and queries often contain a secret. */
  url: string;
  /** The headers in the order in which they are sent. Signatures appear as `…`. Admins also see the current `headers` and `auth` of the webhook, with `…` for the values. HTTP adds headers such as `Host`. A recorded trace adds `traceparent`. */
  headers: {
    name: string;
    value: string;
  }[];
  /** The exact bytes of the body, in UTF-8. Null after an erasure. */
  body: string | null;
}

export interface DeliveryStatistics {
  webhookUid: string | null;
  interval: Interval;
  since: string;
  until: string;
  /** The counts before this time are final. */
  completeUntil: string;
  totals: DeliveryCounts;
  points: DeliveryPoint[];
}

export interface EarlierDelivery {
  eventId: string;
  state: DeliveryState;
}

export interface Erasure {
  uid: string;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  erasedCount: number;
  createdAt: string;
  finishedAt: string | null;
}

export interface ErasureDryRun {
  dryRun: true;
  /** The payloads that would be deleted. */
  count: number;
  /** The open deliveries that would be cancelled. */
  openCount: number;
  /** The resources stored here that match. An erasure keeps them: delete them first, or later changes and syncs send them again. */
  keptResources: {
    agent: number;
    context: number;
    contextfile: number;
  };
  /** True if there are more. */
  countIsCapped: boolean;
}

export interface ErasurePage {
  data: Erasure[];
  nextCursor: string | null;
}

export interface Event {
  eventId: string;
  event: EventName;
  /** The time of the change, or of the sync. */
  timestamp: string;
  appUid: string;
  resourceUid: string;
  externalTenantId: string;
  /** The number of the change among the changes of one resource. A resource is identified by its kind and uid. Null for a test and for a notice. */
  sequence: number | null;
  /** The sync that sends the present state with this event. Null for a change. */
  syncUid: string | null;
  /** The webhooks that were subscribed to the event. */
  webhookUids: string[];
  /** The Temporal workflow of the event. Several events can share a workflow. Null until a workflow is chosen, or if no webhook was subscribed. */
  workflowId: string | null;
  /** The time when the workflow was started. If no webhook was subscribed, the time when the event was recorded. */
  dispatchedAt: string | null;
  /** The time when the payload was erased. */
  erasedAt: string | null;
}

export interface EventPage {
  data: Event[];
  nextCursor: string | null;
}

export interface EventType {
  event: EventName;
  description: string;
  /** The JSON Schema of the payload. */
  schema: Record<string, unknown>;
  sample: Record<string, unknown>;
}

export interface EventTypes {
  data: EventType[];
}

export interface EventWithPayload {
  eventId: string;
  event: EventName;
  /** The time of the change, or of the sync. */
  timestamp: string;
  appUid: string;
  resourceUid: string;
  externalTenantId: string;
  /** The number of the change among the changes of one resource. A resource is identified by its kind and uid. Null for a test and for a notice. */
  sequence: number | null;
  /** The sync that sends the present state with this event. Null for a change. */
  syncUid: string | null;
  /** The webhooks that were subscribed to the event. */
  webhookUids: string[];
  /** The Temporal workflow of the event. Several events can share a workflow. Null until a workflow is chosen, or if no webhook was subscribed. */
  workflowId: string | null;
  /** The time when the workflow was started. If no webhook was subscribed, the time when the event was recorded. */
  dispatchedAt: string | null;
  /** The time when the payload was erased. */
  erasedAt: string | null;
  /** The exact bytes of the body that receivers get. Null after an erasure. */
  payload: Record<string, unknown> | null;
}

export interface ExplainedWebhook {
  webhookUid: string;
  /** `delivery`: the event has a delivery to this webhook. Otherwise the reason why it has none. `test`: a test goes only to the webhook that it tests. `sync`: the event of a sync goes only to its webhook. `created_later`: the webhook is newer than the event. `kind`: the webhook gets notices instead of events of resources, or the reverse; no webhook gets notices about itself. `entity`, `event` and `tenant`: the webhook does not select the entity, the event or the tenant. `filter`: the filter does not match. `erased`: the payload was erased, so the filter cannot be checked. `changed_later`: the webhook selects such events now, so it was changed after the event, or registered just before it. */
  outcome:
    | 'delivery'
    | 'test'
    | 'sync'
    | 'created_later'
    | 'kind'
    | 'entity'
    | 'event'
    | 'tenant'
    | 'filter'
    | 'erased'
    | 'changed_later';
  /** The first condition of the filter that the event does not meet. */
  condition: Record<string, unknown> | null;
}

export interface FailingWebhook {
  appUid: string;
  webhookUid: string;
  name: string | null;
  urlOrigin: string;
  /** False if a person paused the webhook or the service deactivated it. */
  active: boolean;
  /** The first failure since the last success. */
  failingSince: string;
}

export interface FailingWebhooks {
  data: FailingWebhook[];
}

export interface Health {
  status: 'ok';
  version: string;
}

export interface InactiveToken {
  active: false;
  /** `expired`: the token was valid before. `revoked`: the token was revoked, or the user was deleted. `origin`: the token is not for this origin. `invalid`: any other reason. */
  reason: 'invalid' | 'expired' | 'revoked' | 'origin';
}

/** The deliveries that it queued, by their present state. Each state is counted up to 10,000. A delivery that a later request sends again no longer counts. */
export interface JobOutcomes {
  pending: number;
  retrying: number;
  delivered: number;
  exhausted: number;
  held: number;
  cancelled: number;
  blocked: number;
}

export interface JwkSet {
  keys: {
    kty: string;
  }[];
}

export interface LatestFailure {
  eventId: string;
  at: string;
  status: number | null;
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  detail: string | null;
}

export interface LatestOutcomes {
  /** The existing webhooks among the requested ones, ordered by uid. */
  webhooks: WebhookOutcomes[];
}

export interface Member {
  adminUid: string;
  email: string | null;
  role: 'viewer' | 'admin' | 'owner';
  createdAt: string;
}

export interface MemberPage {
  data: Member[];
  nextCursor: string | null;
}

export interface OpenDeliveries {
  /** The count is at most 10,000. */
  count: number;
  /** True if there may be more. */
  countIsCapped: boolean;
  /** The time when the oldest of these deliveries was first recorded. */
  oldestAt: string | null;
}

export interface OverdueFile {
  uid: string;
  contextUid: string;
  fileName: string;
  externalTenantId: string;
  processingSince: string;
}

/** Context files stored here that have been processing for longer than `processingOverdueAfter` of the settings. */
export interface OverdueFiles {
  /** The count is at most 10,000. */
  count: number;
  /** True if there may be more. */
  countIsCapped: boolean;
  oldest: OverdueFile | null;
}

export interface OwnSession {
  uid: string;
  /** True for the session that made this call. */
  current: boolean;
  createdAt: string;
  /** The time of the last call, to the minute. */
  lastUsedAt: string;
  expiresAt: string;
  /** The address that signed in. */
  address: string | null;
  /** The user agent of the browser that signed in. */
  userAgent: string | null;
}

export interface OwnSessionPage {
  data: OwnSession[];
  nextCursor: string | null;
}

/** Milliseconds, accurate to 5 %. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface Readiness {
  status: 'ready' | 'not ready' | 'stopping';
  /** The state of each part: `ok`, or a sentence that describes the fault. */
  parts: {
    mongodb: string;
    indexes: string;
    temporal: string;
    searchAttributes: string;
    clock: string;
    load: string;
  };
}

export interface RecoverWebhookBody {
  /** Events recorded at or after this time, in ISO 8601 with an offset. */
  since: string;
  /** Events recorded before this time. The default and the latest value is now. */
  until?: string;
  /** The maximum number of deliveries per second. The default is 20. */
  perSecond?: number;
  /** If true, the call counts the deliveries and sends nothing. */
  dryRun?: boolean;
  /** The states of the deliveries to send. The default is the lost ones: `exhausted`, `blocked`, and `cancelled` as `expired` or `abandoned`. `retrying` deliveries are sent now instead of at their next attempt. `held` deliveries are sent if the webhook is active; resume it first. */
  states?: RecoverableState[];
}

export interface Replay {
  uid: string;
  /** The webhook of the replay. Null for a replay of the application. */
  webhookUid: string | null;
  since: string;
  until: string;
  events: SubscribedEventName[] | null;
  states: ReplayableState[];
  cancelReasons: SendableCancelReason[];
  externalTenantId: string | null;
  perSecond: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  /** The number of deliveries that the replay sends. */
  releasedCount: number;
  webhookCount: number;
  webhooksDone: number;
  /** The webhooks that get deliveries. */
  webhooks: ReplayedWebhook[];
  /** The position of the replay at its current webhook. */
  reachedAt: string | null;
  createdAt: string;
  finishedAt: string | null;
}

export interface ReplayDetail {
  uid: string;
  /** The webhook of the replay. Null for a replay of the application. */
  webhookUid: string | null;
  since: string;
  until: string;
  events: SubscribedEventName[] | null;
  states: ReplayableState[];
  cancelReasons: SendableCancelReason[];
  externalTenantId: string | null;
  perSecond: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  /** The number of deliveries that the replay sends. */
  releasedCount: number;
  webhookCount: number;
  webhooksDone: number;
  /** The webhooks that get deliveries. */
  webhooks: ReplayedWebhook[];
  /** The position of the replay at its current webhook. */
  reachedAt: string | null;
  createdAt: string;
  finishedAt: string | null;
  outcomes: JobOutcomes;
}

export interface ReplayDryRun {
  dryRun: true;
  count: number;
  /** True if there are more. */
  countIsCapped: boolean;
  /** The states with deliveries to send. `cancelReason` is set for `cancelled`. */
  states: {
    state: ReplayableState;
    cancelReason: 'expired' | 'abandoned' | 'discarded' | 'skipped' | 'unsubscribed' | null;
    count: number;
  }[];
  /** The earliest next attempt of the `retrying` ones. Null if there are none. */
  nextAttemptAt: string | null;
  webhooks: {
    webhookUid: string;
    count: number;
  }[];
}

export interface ReplayPage {
  data: Replay[];
  nextCursor: string | null;
}

export interface ReplayedWebhook {
  webhookUid: string;
  releasedCount: number;
}

export interface ReportChangeBody {
  event: ResourceEventName;
  /** The complete resource. It is sent byte for byte as written. You choose the other fields. */
  data: {
    uid: string;
    externalTenantId: string;
    [field: string]: unknown;
  };
}

export interface ReportedChange {
  eventId: string;
  event: ResourceEventName;
  resourceUid: string;
}

export interface ResendEventBody {
  /** The webhooks of the application to send the event to. By default, the event is sent to all webhooks that were subscribed to it. Webhooks whose delivery was cancelled on purpose, such as `discarded` or `unsubscribed`, are left out by default. */
  webhookUids?: string[];
}

export interface Resent {
  redeliveryUid: string;
  eventId: string;
  webhookUids: string[];
  /** The paused webhooks, which hold the event. */
  pausedWebhookUids: string[];
}

export interface RevokeApiKeyBody {
  /** True also revokes all tokens from sign-ins with the key, even if the key is already revoked. */
  revokeTokens?: boolean;
}

export interface RollApiKeyBody {
  overlapSeconds?: number;
}

export interface RolledApiKey {
  uid: string;
  /** The public part of the key. Logs show it. */
  keyId: string;
  name: string;
  scopes: (
    | 'users:auth'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'events:read'
    | 'events:write'
    | 'resources:read'
    | 'resources:write'
    | 'admin'
  )[];
  state: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** When the tokens from sign-ins with the key were revoked. */
  tokensRevokedAt: string | null;
  lastUsedAt: string | null;
  rolledTo: string | null;
  /** The secret of the key. It is shown only once. */
  apiKey: string;
  previousKey: ApiKey;
}

export interface RotateWebhookSecretBody {
  /** How long the old secret keeps signing. The default is one day. 0 ends all old secrets immediately. */
  overlapSeconds?: number;
  /** A secret that your receiver generated: `whsec_` followed by 24 to 64 random bytes in base64. By default, the service generates one. */
  secret?: string;
}

export interface Session {
  admin: Admin;
  /** Send it as `x-csrf-token` with every other call. */
  csrfToken: string;
  expiresAt: string;
  idleTimeoutSeconds: number;
}

export interface Settings {
  version: string;
  limits: {
    requestBytes: number;
    payloadBytes: number;
    webhooksPerApp: number;
    attemptTimeout: string;
  };
  /** The retry schedule of webhooks that do not set one. */
  retrySchedule: string[];
  /** How long a webhook can fail before it is deactivated. */
  deactivateAfter: string;
  /** How long a context file can be processing before it is reported. */
  processingOverdueAfter: string;
  retention: {
    /** How long events, settled deliveries, resends and replays are kept. */
    records: string;
    /** How long held deliveries are kept. */
    held: string;
    auditLog: string;
  };
  userTokenLifetime: string;
  /** The URL of the Temporal UI, without a trailing slash. Null if it is not set. */
  temporalUiUrl: string | null;
  temporalNamespace: string;
  /** The URL of a page that shows a trace. Replace `{traceId}` with the ID of the trace. Null if it is not set. */
  traceUrlTemplate: string | null;
  /** The addresses and address ranges from which webhook requests come. Empty if the operators have not stated them. */
  egressAddresses: string[];
  /** The signing keys of user tokens, from oldest to newest. */
  signingKeys: SigningKey[];
}

export interface SignInBody {
  email: string;
  password: string;
}

export interface SignInMethods {
  password: boolean;
  oidc: boolean;
}

export interface SignUserInBody {
  /** Your ID of the user. It is recommended over `userEmail`. Send exactly one of `externalId` and `userEmail`. */
  externalId?: string;
  /** An email address, in upper or lower case. Only its keyed hash is kept. */
  userEmail?: string;
  /** The name of the user. It is used only for a new user. */
  name?: string;
  /** Accounts of the application to add the user to. The user is not removed from any account. */
  accountUids?: string[];
  /** The tenant for which the user signs in. The token carries it as `tenant`, where anyone can read it. It grants nothing. */
  externalTenantId?: string;
  /** The lifetime of the token. By default the operators set it. */
  expiresInSeconds?: number;
}

export interface SignedIn {
  /** A JWT. Verify it with the keys of /.well-known/jwks.json. */
  authToken: string;
  expiresAt: string;
  userUid: string;
  /** True if the user is new. */
  created: boolean;
}

export interface SigningKey {
  kid: string;
  /** A `next` key is already published. A `retiring` key is published until its last token has expired. */
  state: 'next' | 'active' | 'retiring';
  createdAt: string;
  signsFrom: string;
  /** The time when the next key starts to sign. For the latest key, this time is planned. */
  signsUntil: string;
}

export interface StartedReplay {
  uid: string;
  /** The webhook of the replay. Null for a replay of the application. */
  webhookUid: string | null;
  since: string;
  until: string;
  events: SubscribedEventName[] | null;
  states: ReplayableState[];
  cancelReasons: SendableCancelReason[];
  externalTenantId: string | null;
  perSecond: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  /** The number of deliveries that the replay sends. */
  releasedCount: number;
  webhookCount: number;
  webhooksDone: number;
  /** The webhooks that get deliveries. */
  webhooks: ReplayedWebhook[];
  /** The position of the replay at its current webhook. */
  reachedAt: string | null;
  createdAt: string;
  finishedAt: string | null;
  /** The paused webhooks, which hold their deliveries. */
  pausedWebhookUids: string[];
}

export interface StartedSync {
  uid: string;
  webhookUid: string;
  entities: Entity[];
  externalTenantIds: string[] | null;
  perSecond: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  /** The number of deliveries that the sync sends. */
  releasedCount: number;
  counts: SyncCounts;
  createdAt: string;
  finishedAt: string | null;
  /** True if the webhook is paused and holds the deliveries. */
  isPaused: boolean;
}

export interface Sync {
  uid: string;
  webhookUid: string;
  entities: Entity[];
  externalTenantIds: string[] | null;
  perSecond: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  /** The number of deliveries that the sync sends. */
  releasedCount: number;
  counts: SyncCounts;
  createdAt: string;
  finishedAt: string | null;
}

/** The deliveries by entity. */
export interface SyncCounts {
  agent: number;
  context: number;
  contextfile: number;
}

export interface SyncDetail {
  uid: string;
  webhookUid: string;
  entities: Entity[];
  externalTenantIds: string[] | null;
  perSecond: number;
  state: 'waiting' | 'running' | 'done' | 'cancelled';
  /** The number of deliveries that the sync sends. */
  releasedCount: number;
  counts: SyncCounts;
  createdAt: string;
  finishedAt: string | null;
  outcomes: JobOutcomes;
}

export interface SyncDryRun {
  dryRun: true;
  count: number;
  /** True if there are more. */
  countIsCapped: boolean;
  counts: SyncCounts;
}

export interface SyncPage {
  data: Sync[];
  nextCursor: string | null;
}

export interface SyncWebhookBody {
  /** The entities to send. The default is the entities of the webhook. */
  entities?: Entity[];
  /** The tenants whose resources are sent. The default is all tenants. */
  externalTenantIds?: string[];
  /** The maximum number of deliveries per second. The default is 20. */
  perSecond?: number;
  /** If true, the call counts the deliveries and sends nothing. */
  dryRun?: boolean;
}

export interface Tenant {
  externalTenantId: string;
}

export interface TestWebhookBody {
  /** The event whose sample is sent. The default is `webhook.test`. The webhook need not be subscribed to the event, but its kind must match. */
  event?: EventName;
}

export interface TestedWebhook {
  eventId: string;
  event: EventName;
  webhookUid: string;
}

/** Events of the application whose workflow has not been started. Only the first 200 such events of the whole service are searched. The count is capped if there are more. */
export interface UndispatchedEvents {
  count: number;
  /** True if there may be more. */
  countIsCapped: boolean;
}

export interface UrlProblem {
  code: string;
  detail: string;
}

export interface User {
  uid: string;
  externalId: string | null;
  /** A generated address that is unique in the application. It cannot receive mail. */
  email: string | null;
  name: string | null;
  accountUids: string[];
  createdAt: string;
  updatedAt: string;
}

export interface UserPage {
  data: User[];
  nextCursor: string | null;
}

export interface UserToken {
  /** The claim `jti` of the token. */
  uid: string;
  /** The API key that signed the user in. */
  apiKeyUid: string;
  externalTenantId: string | null;
  issuedAt: string;
  expiresAt: string;
}

export interface UserTokenPage {
  data: UserToken[];
  nextCursor: string | null;
}

export type VerifiedToken = ActiveToken | InactiveToken;

export interface VerifyTokenBody {
  authToken: string;
  /** The agent that the user wants to reach. */
  agentUid?: string;
  /** The header `Origin` of the request that brought the token. It is checked only if the token has a list of origins. */
  origin?: string;
}

export interface Webhook {
  uid: string;
  kind: 'resources' | 'operations';
  name: string | null;
  description: string | null;
  metadata: Record<string, string> | null;
  /** The URL in its canonical form. */
  url: string;
  entities: Entity[];
  /** The events. Null means all events. */
  events: SubscribedEventName[] | null;
  /** The tenants. Null means all tenants. */
  externalTenantIds: string[] | null;
  /** The retry schedule. Null means the default schedule of the service. */
  retrySchedule: string[] | null;
  ordering: 'parallel' | 'resource';
  ratePerSecond: number | null;
  ratePerSecondPerTenant: number | null;
  /** The required values of fields of `data`, by the path of the field. */
  filter: Record<string, unknown> | null;
  /** The versions of signatures in `webhook-signature`. */
  signatures: ('v1' | 'v1a')[];
  cloudEvents: boolean;
  active: boolean;
  /** The names of the headers. The values are secret. */
  headers: string[] | null;
  auth: WebhookAuth | null;
  tls: ClientCertificate | null;
  /** Why the service deactivated the webhook. `gone`: the receiver responded with 410. `failing`: it failed for days. Null if the webhook is not deactivated. */
  disabledReason: 'gone' | 'failing' | null;
  /** The first failure since the last success. */
  failingSince: string | null;
  /** The time when the webhook will be deactivated, unless a delivery succeeds. */
  deactivatesAt: string | null;
  /** `half`: half of the time to `deactivatesAt` has passed. `soon`: 80 % has passed. */
  deactivationWarning: 'half' | 'soon' | null;
  /** The time when the rotation ends. */
  previousSecretExpiresAt: string | null;
  /** The number of held deliveries, including those that a resume has not released yet. The count is at most 10,000. */
  heldCount: number;
  warnings: WebhookWarning[];
  createdAt: string;
  updatedAt: string;
  /** The time of the latest attempt, accurate to about a second. */
  lastTriggeredAt: string | null;
}

export interface WebhookAuth {
  type: 'basic' | 'bearer';
}

export interface WebhookChange {
  /** `secret`: a rotation. `previous_secret_ended`: the end of its overlap, after which receivers with the old secret refuse requests. */
  what: 'url' | 'headers' | 'auth' | 'tls' | 'secret' | 'secret_promoted' | 'previous_secret_ended';
  at: string;
}

export interface WebhookCounts {
  webhookUid: string;
  /** The number of attempts. It does not include `cancelled`, because no attempt was made. */
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  /** The number of deliveries that were cancelled without an attempt. */
  cancelled: number;
  /** The time from the event to the end of the successful attempt. Retries and pauses are included; resends and replays are not. */
  changeToReceiptMs: Percentiles | null;
  /** The duration of attempts with any outcome. */
  attemptMs: Percentiles | null;
}

export interface WebhookFailure {
  webhookUid: string;
  failingSince: string | null;
  /** The last attempt of the newest delivery that failed. */
  latest: LatestFailure | null;
  /** The latest change of the webhook in the hour before it began to fail. */
  change: WebhookChange | null;
}

export interface WebhookFailures {
  failures: WebhookFailure[];
  /** The number of failing webhooks that are left out. */
  moreCount: number;
}

export interface WebhookOutcomes {
  webhookUid: string;
  /** The current states of the latest 20 deliveries with an attempt, from oldest to newest. Tests are left out. */
  outcomes: ('delivered' | 'retrying' | 'exhausted' | 'blocked')[];
}

export interface WebhookSources {
  /** False if the operators have not stated the addresses: then do not filter by them. */
  known: boolean;
  /** IPv4 and IPv6 addresses and address ranges. */
  addresses: string[];
}

export interface WebhookStatistics {
  interval: 'hour' | 'day';
  since: string;
  until: string;
  /** The counts before this time are final. */
  completeUntil: string;
  /** The counts of each existing webhook that has any in the range, ordered by uid. */
  webhooks: WebhookCounts[];
}

export interface WebhookWarning {
  /** `certificate_expires`: the client certificate expires within 30 days. `certificate_expired`: it has expired. `duplicate_webhook`: another webhook has the same URL and events. The list of webhooks does not report duplicates. */
  code: string;
  detail: string;
}

export interface WebhookWithSecret {
  uid: string;
  kind: 'resources' | 'operations';
  name: string | null;
  description: string | null;
  metadata: Record<string, string> | null;
  /** The URL in its canonical form. */
  url: string;
  entities: Entity[];
  /** The events. Null means all events. */
  events: SubscribedEventName[] | null;
  /** The tenants. Null means all tenants. */
  externalTenantIds: string[] | null;
  /** The retry schedule. Null means the default schedule of the service. */
  retrySchedule: string[] | null;
  ordering: 'parallel' | 'resource';
  ratePerSecond: number | null;
  ratePerSecondPerTenant: number | null;
  /** The required values of fields of `data`, by the path of the field. */
  filter: Record<string, unknown> | null;
  /** The versions of signatures in `webhook-signature`. */
  signatures: ('v1' | 'v1a')[];
  cloudEvents: boolean;
  active: boolean;
  /** The names of the headers. The values are secret. */
  headers: string[] | null;
  auth: WebhookAuth | null;
  tls: ClientCertificate | null;
  /** Why the service deactivated the webhook. `gone`: the receiver responded with 410. `failing`: it failed for days. Null if the webhook is not deactivated. */
  disabledReason: 'gone' | 'failing' | null;
  /** The first failure since the last success. */
  failingSince: string | null;
  /** The time when the webhook will be deactivated, unless a delivery succeeds. */
  deactivatesAt: string | null;
  /** `half`: half of the time to `deactivatesAt` has passed. `soon`: 80 % has passed. */
  deactivationWarning: 'half' | 'soon' | null;
  /** The time when the rotation ends. */
  previousSecretExpiresAt: string | null;
  /** The number of held deliveries, including those that a resume has not released yet. The count is at most 10,000. */
  heldCount: number;
  warnings: WebhookWarning[];
  createdAt: string;
  updatedAt: string;
  /** The time of the latest attempt, accurate to about a second. */
  lastTriggeredAt: string | null;
  /** The secret that signs the deliveries. It is shown only once. */
  secret: string;
}
