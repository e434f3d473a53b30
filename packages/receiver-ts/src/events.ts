// Written by `npm run generate` from the service's schemas of events.

/** `data` of webhook.test. */
export interface TestData {
  uid: string;
  externalTenantId: 'test';
  test: true;
}

/** `data` of agent.created, agent.updated, agent.deleted. */
export interface AgentData {
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

/** `data` of context.created, context.updated, context.deleted. */
export interface ContextData {
  uid: string;
  appUid: string;
  externalTenantId: string;
  createdAt: string;
  updatedAt: string;
  contextName: string;
  description?: string;
}

/** `data` of contextfile.processing_overdue. */
export interface OverdueFileData {
  uid: string;
  contextUid: string;
  fileName: string;
  externalTenantId: string;
  processingSince: string;
}

/** `data` of contextfile.created, contextfile.updated, contextfile.deleted. */
export interface ContextFileData {
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

/** `data` of webhook.failing, webhook.deactivation_scheduled, webhook.deactivated, webhook.recovered. */
export interface WebhookNoticeData {
  uid: string;
  name: string | null;
  kind: 'resources' | 'operations';
  urlOrigin: string;
  failingSince: string | null;
  deactivatesAt: string | null;
  disabledReason: null | 'gone' | 'failing';
  lastAttempt: {
    eventId: string;
    event: KnownEventName;
    n: number;
    at: string;
    status: number | null;
    errorClass:
      null | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked';
    detail: string | null;
  };
}

/** `data` of delivery.exhausted. */
export interface ExhaustedData {
  uid: string;
  name: string | null;
  kind: 'resources' | 'operations';
  urlOrigin: string;
  exhaustedCount: number;
  lastAttempt: {
    eventId: string;
    event: KnownEventName;
    n: number;
    at: string;
    status: number | null;
    errorClass:
      null | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'status' | 'too_large' | 'blocked';
    detail: string | null;
  };
}

/** `data` of apikey.expiring. */
export interface ExpiringKeyData {
  uid: string;
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
  expiresAt: string;
  lastUsedAt: string | null;
  rolledTo: string | null;
}

/** `data` of user.tokens_revoked, application.tokens_revoked. */
export interface RevocationData {
  uid: string;
  revokedAt: string;
  epoch: number;
}

/** `data` of user.token_revoked. */
export interface TokenRevocationData {
  uid: string;
  tokenUid: string;
  revokedAt: string;
  expiresAt: string;
}

/** `data` of application.key_tokens_revoked. */
export interface KeyRevocationData {
  uid: string;
  apiKeyUid: string;
  revokedAt: string;
}

interface Envelope<Name extends string, Data> {
  eventId: string;
  event: Name;
  timestamp: string;
  appUid: string;
  version: 1;
  test?: true;
  data: Data;
  sequence?: number;
}

/**
 * All events of this release. For changes that your platform reported, `data` is what it reported, and only
 * `uid` and `externalTenantId` are guaranteed.
 */
export type KnownEvent =
  | Envelope<'agent.created', AgentData>
  | Envelope<'agent.updated', AgentData>
  | Envelope<'agent.deleted', AgentData>
  | Envelope<'context.created', ContextData>
  | Envelope<'context.updated', ContextData>
  | Envelope<'context.deleted', ContextData>
  | Envelope<'contextfile.created', ContextFileData>
  | Envelope<'contextfile.updated', ContextFileData>
  | Envelope<'contextfile.deleted', ContextFileData>
  | Envelope<'webhook.failing', WebhookNoticeData>
  | Envelope<'webhook.deactivation_scheduled', WebhookNoticeData>
  | Envelope<'webhook.deactivated', WebhookNoticeData>
  | Envelope<'webhook.recovered', WebhookNoticeData>
  | Envelope<'delivery.exhausted', ExhaustedData>
  | Envelope<'apikey.expiring', ExpiringKeyData>
  | Envelope<'contextfile.processing_overdue', OverdueFileData>
  | Envelope<'user.tokens_revoked', RevocationData>
  | Envelope<'user.token_revoked', TokenRevocationData>
  | Envelope<'application.tokens_revoked', RevocationData>
  | Envelope<'application.key_tokens_revoked', KeyRevocationData>
  | Envelope<'webhook.test', TestData>;

export const knownEventNames = [
  'agent.created',
  'agent.updated',
  'agent.deleted',
  'context.created',
  'context.updated',
  'context.deleted',
  'contextfile.created',
  'contextfile.updated',
  'contextfile.deleted',
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
  'webhook.test',
] as const;
export type KnownEventName = (typeof knownEventNames)[number];
