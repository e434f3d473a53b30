import { errorClasses } from '../../lib/model/attempt.ts';
import { deliveredEventNames, type OperationsEventName } from '../../lib/model/event-name.ts';
import { webhookKinds } from '../../lib/model/webhook.ts';
import { scopes } from '../../lib/model/api-key.ts';
import type {
  ExhaustedData,
  ExpiringKeyData,
  OverdueFileData,
  ReportedAttempt,
  WebhookNotice,
} from '../../lib/webhooks/notices.ts';
import { countFromOne, objectOf, text, textOrNull, time, timeOrNull } from '../http/schemas.ts';
import { type EventData, sampleTime, sampleUid } from './event-data.ts';
import type {
  KeyRevocationData,
  RevocationData,
  Serialized,
  TokenRevocationData,
} from '../../lib/model/event-payload.ts';

const attempt = objectOf<ReportedAttempt>({
  eventId: text,
  event: { type: 'string', enum: [...deliveredEventNames] },
  n: countFromOne,
  at: time,
  status: { type: ['integer', 'null'] },
  errorClass: { enum: [null, ...errorClasses] },
  detail: textOrNull,
});

const webhook = {
  uid: text,
  name: textOrNull,
  kind: { type: 'string', enum: [...webhookKinds] },
  urlOrigin: text,
};

const sampleWebhook = {
  uid: sampleUid('whk'),
  name: 'Search index',
  kind: 'resources',
  urlOrigin: 'https://receiver.example.com',
} as const;

const failed: Serialized<ReportedAttempt> = {
  eventId: sampleUid('evt'),
  event: 'agent.updated',
  n: 3,
  at: sampleTime,
  status: 503,
  errorClass: 'status',
  detail: null,
};

const noticeSchema = objectOf<WebhookNotice>({
  ...webhook,
  failingSince: timeOrNull,
  deactivatesAt: timeOrNull,
  disabledReason: { enum: [null, 'gone', 'failing'] },
  lastAttempt: attempt,
});

function notice(fields: Partial<Serialized<WebhookNotice>>): EventData {
  const sample: Serialized<WebhookNotice> = {
    ...sampleWebhook,
    failingSince: '2026-01-01T11:00:00.000Z',
    deactivatesAt: '2026-01-06T11:00:00.000Z',
    disabledReason: null,
    lastAttempt: failed,
    ...fields,
  };
  return { schema: noticeSchema, sampleOf: () => ({ ...sample }) };
}

const exhausted: Serialized<ExhaustedData> = {
  ...sampleWebhook,
  exhaustedCount: 1,
  lastAttempt: failed,
};

const expiring: Serialized<ExpiringKeyData> = {
  uid: sampleUid('key'),
  keyId: 'sample',
  name: 'Backend',
  scopes: ['resources:write'],
  expiresAt: '2026-01-08T12:00:00.000Z',
  lastUsedAt: sampleTime,
  rolledTo: null,
};

const overdue: Serialized<OverdueFileData> = {
  uid: sampleUid('cfl'),
  contextUid: sampleUid('ctx'),
  fileName: 'manual.pdf',
  externalTenantId: 'tenant-1',
  processingSince: '2026-01-01T11:00:00.000Z',
};

export const overdueFileSchema = objectOf<OverdueFileData>({
  uid: text,
  contextUid: text,
  fileName: text,
  externalTenantId: text,
  processingSince: time,
});

function revocation(sampleUidOf: (appUid: string) => string): EventData {
  return {
    schema: objectOf<RevocationData>({ uid: text, revokedAt: time, epoch: countFromOne }),
    sampleOf: (appUid): Serialized<RevocationData> => ({
      uid: sampleUidOf(appUid),
      revokedAt: sampleTime,
      epoch: 1,
    }),
  };
}

export const noticeData: Readonly<Record<OperationsEventName, EventData>> = {
  'webhook.failing': notice({}),
  'webhook.deactivation_scheduled': notice({}),
  'webhook.deactivated': notice({ deactivatesAt: null, disabledReason: 'failing' }),
  'webhook.recovered': notice({
    failingSince: null,
    deactivatesAt: null,
    lastAttempt: { ...failed, status: 200, errorClass: null },
  }),
  'delivery.exhausted': {
    schema: objectOf<ExhaustedData>({
      ...webhook,
      exhaustedCount: countFromOne,
      lastAttempt: attempt,
    }),
    sampleOf: () => ({ ...exhausted }),
  },
  'apikey.expiring': {
    schema: objectOf<ExpiringKeyData>({
      uid: text,
      keyId: text,
      name: text,
      scopes: { type: 'array', items: { type: 'string', enum: [...scopes] } },
      expiresAt: time,
      lastUsedAt: timeOrNull,
      rolledTo: textOrNull,
    }),
    sampleOf: () => ({ ...expiring }),
  },
  'contextfile.processing_overdue': {
    schema: overdueFileSchema,
    sampleOf: () => ({ ...overdue }),
  },
  'user.tokens_revoked': revocation(() => sampleUid('usr')),
  'user.token_revoked': {
    schema: objectOf<TokenRevocationData>({
      uid: text,
      tokenUid: text,
      revokedAt: time,
      expiresAt: time,
    }),
    sampleOf: (): Serialized<TokenRevocationData> => ({
      uid: sampleUid('usr'),
      tokenUid: sampleUid('tok'),
      revokedAt: sampleTime,
      expiresAt: '2026-01-01T12:15:00.000Z',
    }),
  },
  'application.tokens_revoked': revocation((appUid) => appUid),
  'application.key_tokens_revoked': {
    schema: objectOf<KeyRevocationData>({ uid: text, apiKeyUid: text, revokedAt: time }),
    sampleOf: (appUid): Serialized<KeyRevocationData> => ({
      uid: appUid,
      apiKeyUid: sampleUid('key'),
      revokedAt: sampleTime,
    }),
  },
};
