// Webhooks and events written directly to the database of an installation.
import { createSecretBox } from '../../lib/platform/secret-box.ts';
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { Attempt } from '../../lib/model/attempt.ts';
import { type DeliveryDocument, pairOf } from '../../lib/model/delivery.ts';
import { renderPayload, withSequence } from '../../lib/model/event-payload.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { StoredWebhook } from '../../lib/model/webhook.ts';
import { secretLocation } from '../../lib/webhooks/secrets.ts';
import type { Installation } from './installation.ts';

type Owner = Pick<Installation, 'store' | 'app' | 'config'>;
/** Identifies the application of an event or delivery. */
interface OfApp {
  app: Pick<Installation['app'], 'appUid'>;
}

/** Writes an active webhook for all entities; `fields` replace its defaults. */
export async function insertWebhook(
  { store, app, config }: Owner,
  fields: Partial<StoredWebhook> & { url: string },
): Promise<StoredWebhook> {
  const now = new Date();
  const { appUid } = app;
  const _id = newId('whk', now);
  const secret = createSecretBox(config.sealingKeys).seal(
    newWebhookSecret(),
    secretLocation({ appUid, _id }),
  );
  const webhook = newWebhook(appUid, now, { _id, secret, ...fields });
  await store.webhooks.insertOne(webhook);
  return webhook;
}

/** Returns the document of an active webhook for all entities. `fields` replace its defaults. */
export function newWebhook(
  appUid: string,
  at: Date,
  fields: Partial<StoredWebhook> & Pick<StoredWebhook, 'url' | 'secret'>,
): StoredWebhook {
  return {
    _id: newId('whk', at),
    appUid,
    kind: 'resources',
    name: null,
    description: null,
    metadata: null,
    entities: ['agent', 'context', 'contextfile'],
    events: null,
    externalTenantIds: null,
    retryScheduleMs: null,
    ordering: 'parallel',
    headers: null,
    auth: null,
    tls: null,
    ratePerSecond: null,
    ratePerSecondPerTenant: null,
    filter: null,
    signatures: ['v1'],
    cloudEvents: false,
    active: true,
    previousSecret: null,
    disabledReason: null,
    failingSince: null,
    lastExhaustedAt: null,
    notified: null,
    exhaustedNotice: null,
    exhaustedUnreported: 0,
    releaseUid: null,
    discardCount: 0,
    discardBefore: null,
    lastTriggeredAt: null,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}

/** Writes an event for the given webhooks that has no workflow yet. */
export async function insertEvent(
  owner: Owner,
  webhookUids: string[],
  createdAt: Date = new Date(),
): Promise<EventDocument> {
  const event = newEvent(owner, webhookUids, createdAt);
  await owner.store.events.insertOne(event);
  return event;
}

/** Returns the document of an event without a workflow. */
export function newEvent({ app }: OfApp, webhookUids: string[], createdAt: Date): EventDocument {
  const eventId = newId('evt', createdAt);
  const data = { uid: newId('agt', createdAt), externalTenantId: 'tenant-1', agentName: 'A' };
  const { appUid } = app;
  const body = renderPayload({
    eventId,
    event: 'agent.updated',
    timestamp: createdAt,
    appUid,
    data,
  });
  return {
    _id: eventId,
    event: 'agent.updated',
    appUid,
    entity: 'agent',
    resourceUid: data.uid,
    externalTenantId: data.externalTenantId,
    sequence: 1,
    order: [],
    body: withSequence(body, 1),
    erasedAt: null,
    webhookUids,
    workflowId: null,
    dispatchedAt: null,
    firstAttempt: null,
    createdAt,
  };
}

/** Returns the document of a delivery without an attempt. `fields` replace its defaults. */
export function newDelivery(
  { app }: OfApp,
  at: Date,
  fields: Partial<DeliveryDocument>,
): DeliveryDocument {
  const key = { eventId: newId('evt', at), webhookUid: newId('whk', at), ...fields };
  return {
    _id: pairOf(key),
    appUid: app.appUid,
    eventId: key.eventId,
    webhookUid: key.webhookUid,
    event: 'agent.updated',
    externalTenantId: 'tenant-1',
    state: 'pending',
    cancelReason: null,
    attemptCount: 0,
    attempts: [],
    statusClass: null,
    errorClass: null,
    nextAttemptAt: null,
    isRateLimited: false,
    partition: null,
    jobUid: null,
    jobPage: null,
    requeuedAs: null,
    requeuedAt: null,
    scheduleFrom: 0,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}

/** Returns a first attempt with the response 200. `fields` replace its defaults. */
export function newAttempt(at: Date, fields: Partial<Attempt> = {}): Attempt {
  return {
    n: 1,
    at,
    ms: { total: 10 },
    status: 200,
    errorClass: null,
    detail: null,
    responseSample: '',
    address: null,
    trigger: 'event',
    state: 'delivered',
    ...fields,
  };
}

/** Makes a context file that has been processing since a time. */
export function newProcessingFile({ app }: OfApp, since: Date, isReported = false) {
  return {
    _id: newId('cfl', since),
    appUid: app.appUid,
    contextUid: 'ctx_1',
    externalTenantId: 'tenant-1',
    fileName: 'manual.pdf',
    contentType: 'application/pdf',
    sizeBytes: 1,
    processingStatus: 'processing' as const,
    processingError: null,
    processing: { since, isReported },
    createdAt: since,
    updatedAt: since,
  };
}
