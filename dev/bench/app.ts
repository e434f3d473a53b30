// The application of one run: a fresh one each time, with the webhooks and agents the run needs.
import { createSecretBox } from '../../lib/platform/secret-box.ts';
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { Entity } from '../../lib/model/event-name.ts';
import type { AgentDocument } from '../../lib/model/resource.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import { secretPlace } from '../../lib/webhooks/webhooks.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';

/** How many webhooks of which sort an application has. */
export interface Hooks {
  /** Webhooks that get every event. */
  matching: number;
  /** How many of these the receiver answers only after `slowMs`. */
  slow?: number;
  slowMs?: number;
  /** The waits between attempts, where the service's own would last for days. */
  retryScheduleMs?: number[];
  /** Webhooks of other entities, which get nothing. */
  idle?: number;
}

export interface BenchApp extends NewApp {
  hookUids: string[];
  slowHookUids: string[];
  agentUids: string[];
}

// Enough that callers seldom change the same agent at once, which would be a write conflict.
const agentCount = 200;
const tenantId = 'tenant-1';

/**
 * Makes an application. The API registers one webhook of each sort, and the others are written to
 * the database as copies of it: a thousand of them are more than an application may register.
 */
export async function makeApp(
  { service, receiver }: { service: Service; receiver: Receiver },
  { name, hooks }: { name: string; hooks: Hooks },
): Promise<BenchApp> {
  const { store, config } = service;
  const app = await createAppWithKey(store, {
    name: `bench: ${name}`,
    keyPepper: config.keyPepper,
  });
  const slowCount = hooks.slow ?? 0;
  const hookUids = await copyWebhook(service, app, {
    entity: 'agent',
    count: hooks.matching,
    urlOf: (uid, index) => receiver.urlOf(uid, index < slowCount ? hooks.slowMs : 0),
    fields: { retryScheduleMs: hooks.retryScheduleMs ?? null },
  });
  await copyWebhook(service, app, {
    entity: 'context',
    count: hooks.idle ?? 0,
    urlOf: (uid) => receiver.urlOf(uid),
  });
  const agents = Array.from({ length: agentCount }, () => makeAgent(app.appUid));
  await store.agents.insertMany(agents);
  return {
    ...app,
    hookUids,
    slowHookUids: hookUids.slice(0, slowCount),
    agentUids: agents.map((agent) => agent._id),
  };
}

interface Copies {
  entity: Entity;
  count: number;
  urlOf: (uid: string, index: number) => string;
  /** What the copies have that the original has not. */
  fields?: Partial<WebhookDocument>;
}

/** Registers a webhook, puts `count` copies in its place, and gives their uids. */
async function copyWebhook(
  service: Service,
  app: NewApp,
  { entity, count, urlOf, fields }: Copies,
): Promise<string[]> {
  if (count === 0) return [];
  const { store, config } = service;
  const { appUid } = app;
  const uid = await registerWebhook(service, app, {
    url: urlOf('original', 0),
    entities: [entity],
  });
  const original = await store.webhooks.findOneAndDelete({ _id: uid, appUid });
  if (original === null) throw new Error(`the webhook ${uid} is not in the database`);
  const secretBox = createSecretBox(config.sealingKeys);
  const copies = Array.from({ length: count }, (_, index): WebhookDocument => {
    const _id = newId('whk');
    // A sealed secret opens in its own place only, so each copy has one of its own.
    const secret = secretBox.seal(newWebhookSecret(), secretPlace({ appUid, _id }));
    return { ...original, ...fields, _id, secret, url: urlOf(_id, index) };
  });
  await store.webhooks.insertMany(copies);
  await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: count - 1 } });
  return copies.map((copy) => copy._id);
}

async function registerWebhook(
  { apiUrl }: Service,
  { appUid, apiKey }: NewApp,
  webhook: { url: string; entities: Entity[] },
): Promise<string> {
  const response = await fetch(`${apiUrl}/api/v1/appuid/${appUid}/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ ...webhook, active: true }),
  });
  if (!response.ok) throw new Error(`a webhook could not be registered: ${await response.text()}`);
  const { uid } = (await response.json()) as { uid: string };
  return uid;
}

function makeAgent(appUid: string): AgentDocument {
  const now = new Date();
  return {
    _id: newId('agt', now),
    appUid,
    externalTenantId: tenantId,
    agentName: 'Support',
    live: true,
    description: null,
    accountUids: null,
    createdAt: now,
    updatedAt: now,
  };
}
