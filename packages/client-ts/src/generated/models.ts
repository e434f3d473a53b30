// Written by `npm run client-types` from docs/openapi.json.
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

export interface Attempt {
  n: number;
  at: string;
  trigger: 'event' | 'retry' | 'resend' | 'replay';
  state: 'delivered' | 'retrying' | 'exhausted' | 'blocked';
  status: number | null;
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  detail: string | null;
  /** Whole milliseconds of each phase; absent where it did not happen. */
  ms: {
    dns?: number;
    connect?: number;
    tls?: number;
    firstByte?: number;
    total: number;
  };
  /** The beginning of what the receiver answered. */
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

export interface ChangeAccountBody {
  name?: string;
}

export interface ChangeAgentBody {
  agentName?: string;
  live?: boolean;
  description?: string | null;
  accountUids?: string[] | null;
}

export interface ChangeContextBody {
  contextName?: string;
  description?: string | null;
}

export interface ChangeContextFileBody {
  fileName?: string;
  processingStatus?: 'pending' | 'processing' | 'ready' | 'failed';
  processingError?: string | null;
}

export interface ChangeUserBody {
  name?: string | null;
}

export interface ChangeWebhookBody {
  name?: string | null;
  description?: string | null;
  metadata?: Record<string, string> | null;
  url?: string;
  entities?: ('agent' | 'context' | 'contextfile')[];
  events?: SubscribedEventName[] | null;
  externalTenantIds?: string[] | null;
  retrySchedule?: string[] | null;
  ordering?: 'parallel' | 'resource';
  ratePerSecond?: number | null;
  filter?: Record<string, unknown> | null;
  active?: boolean;
  headers?: Record<string, string> | null;
  auth?: {
    type: 'basic' | 'bearer';
    username?: string;
    password?: string;
    token?: string;
  } | null;
  tls?: {
    certificate: string;
    key: string;
  } | null;
  onResume?: 'deliver' | 'discard';
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
  live?: boolean;
  description?: string | null;
  accountUids?: string[] | null;
  externalTenantId: string;
}

export interface CreateContextBody {
  contextName: string;
  description?: string | null;
  externalTenantId: string;
}

export interface CreateContextFileBody {
  fileName: string;
  processingStatus?: 'pending' | 'processing' | 'ready' | 'failed';
  processingError?: string | null;
  contentType: string;
  sizeBytes: number;
}

export interface CreateErasureBody {
  externalTenantId?: string;
  mentions?: string[];
}

export interface CreateReplayBody {
  since: string;
  until?: string;
  perSecond?: number;
  dryRun?: boolean;
  events?: SubscribedEventName[];
  states?: ('pending' | 'retrying' | 'exhausted' | 'held' | 'cancelled' | 'blocked')[];
  externalTenantId?: string;
  webhookUids?: string[];
}

export interface CreateWebhookBody {
  kind?: 'resources' | 'operations';
  name?: string | null;
  description?: string | null;
  metadata?: Record<string, string> | null;
  url: string;
  entities?: ('agent' | 'context' | 'contextfile')[];
  events?: SubscribedEventName[] | null;
  externalTenantIds?: string[] | null;
  retrySchedule?: string[] | null;
  ordering?: 'parallel' | 'resource';
  ratePerSecond?: number | null;
  filter?: Record<string, unknown> | null;
  active?: boolean;
  headers?: Record<string, string> | null;
  auth?: {
    type: 'basic' | 'bearer';
    username?: string;
    password?: string;
    token?: string;
  } | null;
  tls?: {
    certificate: string;
    key: string;
  } | null;
}

export interface CreateWebhookReplayBody {
  since: string;
  until?: string;
  perSecond?: number;
  dryRun?: boolean;
  events?: SubscribedEventName[];
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
  externalTenantId?: string;
}

export interface Delivery {
  eventId: string;
  event: EventName;
  webhookUid: string;
  externalTenantId: string;
  state: DeliveryState;
  cancelReason:
    'expired' | 'discarded' | 'unsubscribed' | 'webhook_deleted' | 'erased' | 'abandoned' | null;
  /** Of the last attempt. */
  statusClass: '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none' | null;
  /** Of the last attempt. */
  errorClass:
    'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked' | null;
  attemptCount: number;
  nextAttemptAt: string | null;
  /** The latest ones, oldest first. */
  attempts: Attempt[];
  createdAt: string;
  updatedAt: string;
}

export interface DeliveryCounts {
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  cancelled: number;
  changeToReceiptMs: Percentiles | null;
  attemptMs: Percentiles | null;
}

export interface DeliveryPage {
  data: Delivery[];
  nextCursor: string | null;
}

export interface DeliveryPoint {
  at: string;
  attempts: number;
  delivered: number;
  retrying: number;
  exhausted: number;
  blocked: number;
  cancelled: number;
  changeToReceiptMs: Percentiles | null;
  attemptMs: Percentiles | null;
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

export interface Event {
  eventId: string;
  event: EventName;
  /** The time of the change. */
  timestamp: string;
  appUid: string;
  resourceUid: string;
  externalTenantId: string;
  /** Of the changes of one resource. */
  sequence: number | null;
  /** The webhooks that were subscribed to it. */
  webhookUids: string[];
  workflowId: string | null;
  dispatchedAt: string | null;
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
  /** Of the changes of one resource. */
  sequence: number | null;
  /** The webhooks that were subscribed to it. */
  webhookUids: string[];
  workflowId: string | null;
  dispatchedAt: string | null;
  erasedAt: string | null;
  /** The body that receivers get; null once it was erased. */
  payload: Record<string, unknown> | null;
}

export interface Health {
  status: 'ok';
  version: string;
}

export interface InactiveToken {
  active: false;
  reason: 'invalid' | 'expired' | 'revoked';
}

export interface JwkSet {
  keys: {
    kty: string;
  }[];
}

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
    load: string;
  };
}

export interface RecoverWebhookBody {
  since: string;
  until?: string;
  perSecond?: number;
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
  cancelReasons:
    | ('expired' | 'discarded' | 'unsubscribed' | 'webhook_deleted' | 'erased' | 'abandoned')[]
    | null;
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
  webhookUids?: string[];
}

export interface Resent {
  redeliveryUid: string;
  eventId: string;
  webhookUids: string[];
  /** These webhooks hold it. */
  pausedWebhookUids: string[];
}

export interface RotateWebhookSecretBody {
  overlapSeconds?: number;
}

export interface SignUserInBody {
  externalId?: string;
  userEmail?: string;
  name?: string;
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
  cancelReasons:
    | ('expired' | 'discarded' | 'unsubscribed' | 'webhook_deleted' | 'erased' | 'abandoned')[]
    | null;
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
  event?: EventName;
}

export interface TestedWebhook {
  eventId: string;
  event: EventName;
  webhookUid: string;
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
  /** Why the service paused it. */
  disabledReason: 'gone' | 'failing' | null;
  failingSince: string | null;
  /** When it is paused, unless a delivery succeeds. */
  deactivatesAt: string | null;
  deactivationWarning: 'half' | 'soon' | null;
  /** The end of a rotation. */
  previousSecretExpiresAt: string | null;
  /** Deliveries that wait for it to be resumed. */
  heldCount: number;
  warnings: WebhookWarning[];
  createdAt: string;
  updatedAt: string;
  lastTriggeredAt: string | null;
}

export interface WebhookAuth {
  type: 'basic' | 'bearer';
}

export interface WebhookWarning {
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
  /** Why the service paused it. */
  disabledReason: 'gone' | 'failing' | null;
  failingSince: string | null;
  /** When it is paused, unless a delivery succeeds. */
  deactivatesAt: string | null;
  deactivationWarning: 'half' | 'soon' | null;
  /** The end of a rotation. */
  previousSecretExpiresAt: string | null;
  /** Deliveries that wait for it to be resumed. */
  heldCount: number;
  warnings: WebhookWarning[];
  createdAt: string;
  updatedAt: string;
  lastTriggeredAt: string | null;
  /** Signs the deliveries; shown this once. */
  secret: string;
}
