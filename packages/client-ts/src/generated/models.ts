// Written by `npm run generate` from docs/openapi.json.
export type ResourceEventName =
  | 'agent.created'
  | 'agent.updated'
  | 'agent.deleted'
  | 'context.created'
  | 'context.updated'
  | 'context.deleted'
  | 'contextfile.created'
  | 'contextfile.updated'
  | 'contextfile.deleted';

export type SubscribedEventName =
  | 'agent.created'
  | 'agent.updated'
  | 'agent.deleted'
  | 'context.created'
  | 'context.updated'
  | 'context.deleted'
  | 'contextfile.created'
  | 'contextfile.updated'
  | 'contextfile.deleted'
  | 'webhook.failing'
  | 'webhook.deactivation_scheduled'
  | 'webhook.deactivated'
  | 'webhook.recovered'
  | 'delivery.exhausted'
  | 'apikey.expiring';

export type EventName =
  | 'agent.created'
  | 'agent.updated'
  | 'agent.deleted'
  | 'context.created'
  | 'context.updated'
  | 'context.deleted'
  | 'contextfile.created'
  | 'contextfile.updated'
  | 'contextfile.deleted'
  | 'webhook.failing'
  | 'webhook.deactivation_scheduled'
  | 'webhook.deactivated'
  | 'webhook.recovered'
  | 'delivery.exhausted'
  | 'apikey.expiring'
  | 'webhook.test';

export type DeliveryState =
  'pending' | 'delivered' | 'retrying' | 'exhausted' | 'held' | 'cancelled' | 'blocked';

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
  tokenUid: string;
  issuedAt: string;
  expiresAt: string;
  /** Only where `agentUid` was given. */
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
  /** The public part of the key, as logs show it. */
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
  /** Of the caller. */
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
  trigger: 'event' | 'retry' | 'resend' | 'replay';
  /** What it made of the delivery. */
  state: 'delivered' | 'retrying' | 'exhausted' | 'blocked';
  /** Of its trace, which operators can look up; null where none was recorded. */
  traceId: string | null;
  status: number | null;
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  /** What went wrong where there was no answer. */
  detail: string | null;
  /** Whole milliseconds of each phase; absent where it did not happen. */
  ms: {
    dns?: number;
    connect?: number;
    tls?: number;
    firstByte?: number;
    total: number;
  };
  /** The beginning of the answer, at most 4 KiB, with U+FFFD for invalid UTF-8 and control characters, and `…` for what the webhook sends along in `headers` and `auth`. */
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
  /** Depends on the action. */
  details?: Record<string, unknown>;
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
  /** False by default. */
  live?: boolean;
  /** Null removes it. */
  description?: string | null;
  /** Only users of these accounts reach the agent; with `[]` nobody does. Null removes the list, and all users of the application reach it. */
  accountUids?: string[] | null;
}

export interface ChangeAppBody {
  name?: string;
  active?: boolean;
}

export interface ChangeContextBody {
  contextName?: string;
  /** Null removes it. */
  description?: string | null;
}

export interface ChangeContextFileBody {
  fileName?: string;
  /** `pending` by default. The statuses may follow each other in any order. */
  processingStatus?: 'pending' | 'processing' | 'ready' | 'failed';
  /** Taken with any status. Null removes it, and so does a change to a status other than `failed` without it. */
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
  /** Null for none. */
  name?: string | null;
  /** Null for none. */
  description?: string | null;
  /** Texts of yours, such as `{"team": "search"}`. A change replaces the whole object; null for none. */
  metadata?: Record<string, string> | null;
  /** Required on creation: https, port 443 or 8443, at a public address, unless operators allow others; for the kind `operations` also `mailto:` and an address. */
  url?: string;
  /** Required on creation, but for the kind `operations`, which has none. */
  entities?: ('agent' | 'context' | 'contextfile')[];
  /** The only events it gets, of types that `entities` has; null for all of them. */
  events?: SubscribedEventName[] | null;
  /** The only tenants whose events it gets, compared exactly; null for all. None for the kind `operations`. */
  externalTenantIds?: string[] | null;
  /** The waits between its attempts, such as `["5s", "2m", "1h"]`: each a whole number of `ms`, `s`, `m`, `h` or `d` and at least a second, 7 days in all. `[]` for one attempt; null for the schedule of the service. */
  retrySchedule?: string[] | null;
  /** `parallel` by default. `resource`: the events about one resource come one at a time and in order. A change applies to events recorded from the answer on. */
  ordering?: 'parallel' | 'resource';
  /** At most so many requests a second; null for no such limit. */
  ratePerSecond?: number | null;
  /** The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`: by the path of a field, of up to 5 names with a dot between them and 256 characters, a value or an array of them. Values are texts of up to 256 characters, numbers, booleans or null, 50 in all. Null for no filter. */
  filter?: Record<
    string,
    string | number | boolean | null | (string | number | boolean | null)[]
  > | null;
  /** True by default; false pauses. Setting it clears `disabledReason`, and true clears `failingSince`. */
  active?: boolean;
  /** Sent with each attempt, sealed and never shown again. At most 4,096 bytes of names and values together; names of at most 100 characters; values in visible ASCII with spaces only between. A change replaces all of them; null for none. */
  headers?: Record<string, string> | null;
  /** Sent as `Authorization`, sealed and never shown again. `bearer` has a `token`; `basic` has a `username` without a colon and a `password`, in UTF-8. Null for none. */
  auth?: BasicAuth | BearerAuth | null;
  /** The client certificate for receivers that want one, only with https, sealed; its key is never shown again. Null for none. */
  tls?: {
    certificate: string;
    key: string;
  } | null;
  /** Only with `active: true`. `deliver` (the default) sends what was held; `discard` drops it, with retries that are not due yet, throttled deliveries and those that wait for the rate. */
  onResume?: 'deliver' | 'discard';
}

export interface CheckWebhookUrlBody {
  url: string;
  /** `resources` by default; only `operations` takes `mailto:`. */
  kind?: 'resources' | 'operations';
}

export interface CheckedUrl {
  /** As it would be stored; null if it is refused. */
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
  /** False by default. */
  live?: boolean;
  /** Null removes it. */
  description?: string | null;
  /** Only users of these accounts reach the agent; with `[]` nobody does. Null removes the list, and all users of the application reach it. */
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
  /** `pending` by default. The statuses may follow each other in any order. */
  processingStatus?: 'pending' | 'processing' | 'ready' | 'failed';
  /** Taken with any status. Null removes it, and so does a change to a status other than `failed` without it. */
  processingError?: string | null;
  /** A media type (RFC 9110). It cannot be changed. */
  contentType: string;
  /** It cannot be changed. */
  sizeBytes: number;
}

export interface CreateErasureBody {
  /** The payloads of this tenant. Send exactly one of `externalTenantId` and `mentions`. */
  externalTenantId?: string;
  /** The payloads whose `data` has one of these texts as a whole value, at any depth: a string equal to it, in NFC or NFD, or a number of this value. */
  mentions?: string[];
}

export interface CreateReplayBody {
  /** Events recorded from this time on, in ISO 8601 with an offset. */
  since: string;
  /** Events recorded before this time; now by default and at the latest. */
  until?: string;
  /** 20 by default. */
  perSecond?: number;
  /** True counts and sends nothing. */
  dryRun?: boolean;
  /** Only these events. */
  events?: SubscribedEventName[];
  /** Of the deliveries to send again: `exhausted`, `blocked` and `cancelled` by default. `retrying` deliveries are sent now, `pending` ones if nothing was done about them for a minute, and `never_attempted` stands for events that were never sent to the webhook. */
  states?: ('pending' | 'retrying' | 'exhausted' | 'held' | 'cancelled' | 'blocked')[];
  /** Of the `cancelled` deliveries: `expired` and `abandoned` by default, which were lost. `discarded` and `unsubscribed` ones were cancelled on purpose and are sent only if you name them. */
  cancelReasons?: ('expired' | 'abandoned' | 'discarded' | 'unsubscribed')[];
  /** Only events of this tenant. */
  externalTenantId?: string;
  /** Only to these webhooks of the application. */
  webhookUids?: string[];
}

export interface CreateWebhookBody {
  /** `resources` by default. `operations`: it gets what the service tells of itself, and no events of resources. It cannot be changed. */
  kind?: 'resources' | 'operations';
  /** Null for none. */
  name?: string | null;
  /** Null for none. */
  description?: string | null;
  /** Texts of yours, such as `{"team": "search"}`. A change replaces the whole object; null for none. */
  metadata?: Record<string, string> | null;
  /** Required on creation: https, port 443 or 8443, at a public address, unless operators allow others; for the kind `operations` also `mailto:` and an address. */
  url: string;
  /** Required on creation, but for the kind `operations`, which has none. */
  entities?: ('agent' | 'context' | 'contextfile')[];
  /** The only events it gets, of types that `entities` has; null for all of them. */
  events?: SubscribedEventName[] | null;
  /** The only tenants whose events it gets, compared exactly; null for all. None for the kind `operations`. */
  externalTenantIds?: string[] | null;
  /** The waits between its attempts, such as `["5s", "2m", "1h"]`: each a whole number of `ms`, `s`, `m`, `h` or `d` and at least a second, 7 days in all. `[]` for one attempt; null for the schedule of the service. */
  retrySchedule?: string[] | null;
  /** `parallel` by default. `resource`: the events about one resource come one at a time and in order. A change applies to events recorded from the answer on. */
  ordering?: 'parallel' | 'resource';
  /** At most so many requests a second; null for no such limit. */
  ratePerSecond?: number | null;
  /** The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`: by the path of a field, of up to 5 names with a dot between them and 256 characters, a value or an array of them. Values are texts of up to 256 characters, numbers, booleans or null, 50 in all. Null for no filter. */
  filter?: Record<
    string,
    string | number | boolean | null | (string | number | boolean | null)[]
  > | null;
  /** True by default; false pauses. Setting it clears `disabledReason`, and true clears `failingSince`. */
  active?: boolean;
  /** Sent with each attempt, sealed and never shown again. At most 4,096 bytes of names and values together; names of at most 100 characters; values in visible ASCII with spaces only between. A change replaces all of them; null for none. */
  headers?: Record<string, string> | null;
  /** Sent as `Authorization`, sealed and never shown again. `bearer` has a `token`; `basic` has a `username` without a colon and a `password`, in UTF-8. Null for none. */
  auth?: BasicAuth | BearerAuth | null;
  /** The client certificate for receivers that want one, only with https, sealed; its key is never shown again. Null for none. */
  tls?: {
    certificate: string;
    key: string;
  } | null;
}

export interface CreateWebhookReplayBody {
  /** Events recorded from this time on, in ISO 8601 with an offset. */
  since: string;
  /** Events recorded before this time; now by default and at the latest. */
  until?: string;
  /** 20 by default. */
  perSecond?: number;
  /** True counts and sends nothing. */
  dryRun?: boolean;
  /** Only these events. */
  events?: SubscribedEventName[];
  /** Of the deliveries to send again: `exhausted`, `blocked` and `cancelled` by default. `retrying` deliveries are sent now, `pending` ones if nothing was done about them for a minute, and `never_attempted` stands for events that were never sent to the webhook. */
  states?: (
    | 'pending'
    | 'delivered'
    | 'retrying'
    | 'exhausted'
    | 'held'
    | 'cancelled'
    | 'blocked'
    | 'never_attempted'
  )[];
  /** Of the `cancelled` deliveries: `expired` and `abandoned` by default, which were lost. `discarded` and `unsubscribed` ones were cancelled on purpose and are sent only if you name them. */
  cancelReasons?: ('expired' | 'abandoned' | 'discarded' | 'unsubscribed')[];
  /** Only events of this tenant. */
  externalTenantId?: string;
}

export interface CreatedApiKey {
  uid: string;
  /** The public part of the key, as logs show it. */
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
  lastUsedAt: string | null;
  rolledTo: string | null;
  /** The key, shown this once. */
  apiKey: string;
}

export interface Delivery {
  eventId: string;
  event: EventName;
  webhookUid: string;
  externalTenantId: string;
  state: DeliveryState;
  /** Why it is `cancelled`; else null. */
  cancelReason:
    'expired' | 'discarded' | 'unsubscribed' | 'webhook_deleted' | 'erased' | 'abandoned' | null;
  /** Of the last attempt since it was last sent again; null before that. */
  statusClass: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none' | null;
  /** As `statusClass`; null of a success, too. */
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  attemptCount: number;
  /** No attempt is made before. */
  nextAttemptAt: string | null;
  /** The latest 21, oldest first. */
  attempts: Attempt[];
  /** When it was first recorded. */
  createdAt: string;
  updatedAt: string;
}

export interface DeliveryCounts {
  /** Of all outcomes but `cancelled`, in which none was made. */
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  /** Deliveries that were given up without an attempt. */
  cancelled: number;
  /** From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not. */
  changeToReceiptMs: Percentiles | null;
  /** The duration of attempts of all outcomes. */
  attemptMs: Percentiles | null;
}

export interface DeliveryDetail {
  eventId: string;
  event: EventName;
  webhookUid: string;
  externalTenantId: string;
  state: DeliveryState;
  /** Why it is `cancelled`; else null. */
  cancelReason:
    'expired' | 'discarded' | 'unsubscribed' | 'webhook_deleted' | 'erased' | 'abandoned' | null;
  /** Of the last attempt since it was last sent again; null before that. */
  statusClass: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none' | null;
  /** As `statusClass`; null of a success, too. */
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  attemptCount: number;
  /** No attempt is made before. */
  nextAttemptAt: string | null;
  /** The latest 21, oldest first. */
  attempts: Attempt[];
  /** When it was first recorded. */
  createdAt: string;
  updatedAt: string;
  /** The Temporal workflow that makes its attempts, or made them; null while none is chosen. Of an ordered webhook it may be that of the order where another one made the only attempt. */
  workflowId: string | null;
  /** As the latest attempt sent it, or as the first would now. Each attempt has its `n` in `X-Webhook-Attempt` and its `at` in the timestamps. Null of a webhook that was deleted or gets mails. */
  request: DeliveryRequest | null;
}

export interface DeliveryPage {
  data: Delivery[];
  nextCursor: string | null;
}

export interface DeliveryPoint {
  at: string;
  /** Of all outcomes but `cancelled`, in which none was made. */
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  /** Deliveries that were given up without an attempt. */
  cancelled: number;
  /** From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not. */
  changeToReceiptMs: Percentiles | null;
  /** The duration of attempts of all outcomes. */
  attemptMs: Percentiles | null;
}

export interface DeliveryRequest {
  method: string;
  /** That of the webhook now; for API keys its origin only, as paths and queries often hold a secret. */
  url: string;
  /** In their order, with `…` for signatures. Admins also see those of `headers` and `auth` of the webhook as it is now, with `…` for the values. HTTP adds its own, such as `Host`, and a recorded trace `traceparent`. */
  headers: {
    name: string;
    value: string;
  }[];
  /** Byte for byte, in UTF-8; null once it was erased. */
  body: string | null;
}

export interface DeliveryStatistics {
  webhookUid: string | null;
  interval: 'minute' | 'hour' | 'day';
  since: string;
  until: string;
  /** The counts before this time are final. */
  completeUntil: string;
  totals: DeliveryCounts;
  points: DeliveryPoint[];
}

export interface Erasure {
  uid: string;
  state: 'running' | 'done' | 'cancelled';
  erasedCount: number;
  createdAt: string;
  finishedAt: string | null;
}

export interface ErasurePage {
  data: Erasure[];
  nextCursor: string | null;
}

export interface Event {
  eventId: string;
  event: EventName;
  /** The time of the change. */
  timestamp: string;
  appUid: string;
  resourceUid: string;
  externalTenantId: string;
  /** Of the changes of one resource, its kind and uid together; null for a test and for an event of operations webhooks. */
  sequence: number | null;
  /** The webhooks that were subscribed to it. */
  webhookUids: string[];
  /** The Temporal workflow of the event, alone or with others; null while none is chosen, and where nobody subscribed. */
  workflowId: string | null;
  /** When it was started; without a subscriber, when the event was recorded. */
  dispatchedAt: string | null;
  /** When the payload was erased. */
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
  /** The time of the change. */
  timestamp: string;
  appUid: string;
  resourceUid: string;
  externalTenantId: string;
  /** Of the changes of one resource, its kind and uid together; null for a test and for an event of operations webhooks. */
  sequence: number | null;
  /** The webhooks that were subscribed to it. */
  webhookUids: string[];
  /** The Temporal workflow of the event, alone or with others; null while none is chosen, and where nobody subscribed. */
  workflowId: string | null;
  /** When it was started; without a subscriber, when the event was recorded. */
  dispatchedAt: string | null;
  /** When the payload was erased. */
  erasedAt: string | null;
  /** The body that receivers get, byte for byte; null once it was erased. */
  payload: Record<string, unknown> | null;
}

export interface FailingWebhook {
  appUid: string;
  webhookUid: string;
  name: string | null;
  urlOrigin: string;
  /** False where it is paused, by hand or because it failed. */
  active: boolean;
  /** The first failure after its last success. */
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
  /** `expired`: it was good once; `revoked`: its tokens were revoked, or the user deleted; `invalid`: anything else. */
  reason: 'invalid' | 'expired' | 'revoked';
}

export interface JwkSet {
  keys: {
    kty: string;
  }[];
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
  /** At most 10,000. */
  count: number;
  /** There may be more. */
  countIsCapped: boolean;
  /** When the oldest of them was first recorded. */
  oldestAt: string | null;
}

export interface OwnSession {
  uid: string;
  /** Whether it is the one of this call. */
  current: boolean;
  createdAt: string;
  /** To a minute. */
  lastUsedAt: string;
  expiresAt: string;
  /** Of the sign-in. */
  address: string | null;
  /** What the browser said of itself then. */
  userAgent: string | null;
}

export interface OwnSessionPage {
  data: OwnSession[];
  nextCursor: string | null;
}

/** Milliseconds, within 5 %. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface Readiness {
  status: 'ready' | 'not ready' | 'stopping';
  /** For each part `ok`, or a sentence with the fault. */
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
  /** Events recorded from this time on, in ISO 8601 with an offset. */
  since: string;
  /** Events recorded before this time; now by default and at the latest. */
  until?: string;
  /** 20 by default. */
  perSecond?: number;
  /** True counts and sends nothing. */
  dryRun?: boolean;
}

export interface Replay {
  uid: string;
  /** Null for a replay of the application. */
  webhookUid: string | null;
  since: string;
  until: string;
  events: SubscribedEventName[] | null;
  states: (
    | 'pending'
    | 'delivered'
    | 'retrying'
    | 'exhausted'
    | 'held'
    | 'cancelled'
    | 'blocked'
    | 'never_attempted'
  )[];
  cancelReasons: ('expired' | 'abandoned' | 'discarded' | 'unsubscribed')[];
  externalTenantId: string | null;
  perSecond: number;
  state: 'running' | 'done' | 'cancelled';
  /** Deliveries that it sends. */
  releasedCount: number;
  webhookCount: number;
  webhooksDone: number;
  /** Those to which anything is sent. */
  webhooks: ReplayedWebhook[];
  /** How far it is, for the webhook in turn. */
  reachedAt: string | null;
  createdAt: string;
  finishedAt: string | null;
}

export interface ReplayDryRun {
  dryRun: true;
  count: number;
  /** True where there are more. */
  countIsCapped: boolean;
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
  /** The complete resource, sent byte for byte as it is written; other fields are yours. */
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
  /** To these webhooks of the application. By default to all that were subscribed to the event, except those whose delivery was cancelled on purpose, such as `discarded` or `unsubscribed`. */
  webhookUids?: string[];
}

export interface Resent {
  redeliveryUid: string;
  eventId: string;
  webhookUids: string[];
  /** These webhooks hold it. */
  pausedWebhookUids: string[];
}

export interface RollApiKeyBody {
  overlapSeconds?: number;
}

export interface RolledApiKey {
  uid: string;
  /** The public part of the key, as logs show it. */
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
  lastUsedAt: string | null;
  rolledTo: string | null;
  /** The key, shown this once. */
  apiKey: string;
  previousKey: ApiKey;
}

export interface RotateWebhookSecretBody {
  /** How long the old secret signs, too; a day by default. 0 ends all old secrets immediately. */
  overlapSeconds?: number;
}

export interface Session {
  admin: Admin;
  /** To be sent as `x-csrf-token` with every other call. */
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
  /** Of webhooks without one of their own. */
  retrySchedule: string[];
  /** How long a webhook may fail. */
  deactivateAfter: string;
  retention: {
    /** Of events, settled deliveries, resends and replays. */
    records: string;
    /** Of deliveries that a pause keeps back. */
    held: string;
    auditLog: string;
  };
  userTokenLifetime: string;
  /** Without a slash at its end; null if not set. */
  temporalUiUrl: string | null;
  temporalNamespace: string;
  /** The page of a trace, whose id takes the place of `{traceId}`; null if not set. */
  traceUrlTemplate: string | null;
  /** Of user tokens, the oldest first. */
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
  /** Your own id of the user, recommended. Send exactly one of `externalId` and `userEmail`. */
  externalId?: string;
  /** An e-mail address, in any case. Only its keyed hash is kept. */
  userEmail?: string;
  /** Used only when the user is new. */
  name?: string;
  /** Accounts of the application to add the user to, never to remove from. */
  accountUids?: string[];
}

export interface SignedIn {
  /** A JWT, checked with the keys of /.well-known/jwks.json. */
  authToken: string;
  expiresAt: string;
  userUid: string;
  /** True where the user is new. */
  created: boolean;
}

export interface SigningKey {
  kid: string;
  /** `next` is published already, `retiring` until its last token has expired. */
  state: 'next' | 'active' | 'retiring';
  createdAt: string;
  signsFrom: string;
  /** When the next key signs; of the latest, as planned. */
  signsUntil: string;
}

export interface StartedReplay {
  uid: string;
  /** Null for a replay of the application. */
  webhookUid: string | null;
  since: string;
  until: string;
  events: SubscribedEventName[] | null;
  states: (
    | 'pending'
    | 'delivered'
    | 'retrying'
    | 'exhausted'
    | 'held'
    | 'cancelled'
    | 'blocked'
    | 'never_attempted'
  )[];
  cancelReasons: ('expired' | 'abandoned' | 'discarded' | 'unsubscribed')[];
  externalTenantId: string | null;
  perSecond: number;
  state: 'running' | 'done' | 'cancelled';
  /** Deliveries that it sends. */
  releasedCount: number;
  webhookCount: number;
  webhooksDone: number;
  /** Those to which anything is sent. */
  webhooks: ReplayedWebhook[];
  /** How far it is, for the webhook in turn. */
  reachedAt: string | null;
  createdAt: string;
  finishedAt: string | null;
  /** These webhooks hold what they get. */
  pausedWebhookUids: string[];
}

export interface TestWebhookBody {
  /** Its sample is sent, whether the webhook is subscribed to it or not; the kind must fit. `webhook.test` by default. */
  event?: EventName;
}

export interface TestedWebhook {
  eventId: string;
  event: EventName;
  webhookUid: string;
}

/** Events whose workflow was not started yet, of the first 200 of the whole service; the count is capped where there are more of these. */
export interface UndispatchedEvents {
  count: number;
  /** There may be more. */
  countIsCapped: boolean;
}

export interface UrlProblem {
  code: string;
  detail: string;
}

export interface User {
  uid: string;
  externalId: string | null;
  /** Made unique to the application; no mail can be sent to it. */
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

export type VerifiedToken = ActiveToken | InactiveToken;

export interface VerifyTokenBody {
  authToken: string;
  /** The agent that the user wants to reach. */
  agentUid?: string;
}

export interface Webhook {
  uid: string;
  kind: 'resources' | 'operations';
  name: string | null;
  description: string | null;
  metadata: Record<string, string> | null;
  /** In its canonical form. */
  url: string;
  entities: ('agent' | 'context' | 'contextfile')[];
  /** Null for all. */
  events: SubscribedEventName[] | null;
  /** Null for all. */
  externalTenantIds: string[] | null;
  /** Null for that of the service. */
  retrySchedule: string[] | null;
  ordering: 'parallel' | 'resource';
  ratePerSecond: number | null;
  /** By the path of a field of `data`, what it must be. */
  filter: Record<string, unknown> | null;
  active: boolean;
  /** Their names; the values are secret. */
  headers: string[] | null;
  auth: WebhookAuth | null;
  tls: ClientCertificate | null;
  /** Why the service paused it: an answer 410, or days of failures; else null. */
  disabledReason: 'gone' | 'failing' | null;
  /** The first failure since the last success. */
  failingSince: string | null;
  /** When it is paused, unless a delivery succeeds. */
  deactivatesAt: string | null;
  /** `half` from half of the time to `deactivatesAt` on, `soon` from 80 % on. */
  deactivationWarning: 'half' | 'soon' | null;
  /** The end of a rotation. */
  previousSecretExpiresAt: string | null;
  /** Deliveries that a pause keeps back or a resume still has to release; at most 10,000. */
  heldCount: number;
  warnings: WebhookWarning[];
  createdAt: string;
  updatedAt: string;
  /** The latest attempt, to about a second. */
  lastTriggeredAt: string | null;
}

export interface WebhookAuth {
  type: 'basic' | 'bearer';
}

export interface WebhookCounts {
  webhookUid: string;
  /** Of all outcomes but `cancelled`, in which none was made. */
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  /** Deliveries that were given up without an attempt. */
  cancelled: number;
  /** From the event to the end of the attempt that delivered it, retries and pauses included, resends and replays not. */
  changeToReceiptMs: Percentiles | null;
  /** The duration of attempts of all outcomes. */
  attemptMs: Percentiles | null;
}

export interface WebhookStatistics {
  interval: 'hour' | 'day';
  since: string;
  until: string;
  /** The counts before this time are final. */
  completeUntil: string;
  /** Of each webhook that there still is, with any of them in the range, in the order of uids. */
  webhooks: WebhookCounts[];
}

export interface WebhookWarning {
  /** `certificate_expires` (in 30 days), `certificate_expired`, or `duplicate_webhook` of another with the same URL and events (not in the list of webhooks). */
  code: string;
  detail: string;
}

export interface WebhookWithSecret {
  uid: string;
  kind: 'resources' | 'operations';
  name: string | null;
  description: string | null;
  metadata: Record<string, string> | null;
  /** In its canonical form. */
  url: string;
  entities: ('agent' | 'context' | 'contextfile')[];
  /** Null for all. */
  events: SubscribedEventName[] | null;
  /** Null for all. */
  externalTenantIds: string[] | null;
  /** Null for that of the service. */
  retrySchedule: string[] | null;
  ordering: 'parallel' | 'resource';
  ratePerSecond: number | null;
  /** By the path of a field of `data`, what it must be. */
  filter: Record<string, unknown> | null;
  active: boolean;
  /** Their names; the values are secret. */
  headers: string[] | null;
  auth: WebhookAuth | null;
  tls: ClientCertificate | null;
  /** Why the service paused it: an answer 410, or days of failures; else null. */
  disabledReason: 'gone' | 'failing' | null;
  /** The first failure since the last success. */
  failingSince: string | null;
  /** When it is paused, unless a delivery succeeds. */
  deactivatesAt: string | null;
  /** `half` from half of the time to `deactivatesAt` on, `soon` from 80 % on. */
  deactivationWarning: 'half' | 'soon' | null;
  /** The end of a rotation. */
  previousSecretExpiresAt: string | null;
  /** Deliveries that a pause keeps back or a resume still has to release; at most 10,000. */
  heldCount: number;
  warnings: WebhookWarning[];
  createdAt: string;
  updatedAt: string;
  /** The latest attempt, to about a second. */
  lastTriggeredAt: string | null;
  /** Signs the deliveries; shown this once. */
  secret: string;
}
