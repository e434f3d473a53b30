// A fresh application for one run, with the webhooks and agents it needs.
import { createSecretBox } from '../../lib/platform/secret-box.ts';
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { AgentDocument } from '../../lib/model/resource.ts';
import type { StoredWebhook } from '../../lib/model/webhook.ts';
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import { secretLocation } from '../../lib/webhooks/secrets.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';

/** The number of webhooks of each kind in an application. */
export interface Hooks {
  /** Webhooks that get every event, or only those of their tenant. */
  matching: number;
  /** Gives each matching webhook its own tenant, so that an event goes to only one of them. */
  byTenant?: boolean;
  /** The number of these to which the receiver responds only after `slowMs`. */
  slow?: number;
  slowMs?: number;
  /** The others respond to every n-th request with 500. */
  refuseEvery?: number;
  retryScheduleMs?: number[];
}

type HookFields = Partial<StoredWebhook> & { url: string };
export type BenchApp = Awaited<ReturnType<typeof makeApp>>;

// Enough to make it rare that concurrent callers change the same agent, which is a write conflict.
const agentsByDefault = 200;

/** Registers one webhook by the API, and inserts the others as copies of it. */
export async function makeApp(
  { service, receiver }: { service: Service; receiver: Receiver },
  {
    name,
    hooks,
    agentCount = agentsByDefault,
  }: { name: string; hooks: Hooks; agentCount?: number },
) {
  const { store, config } = service;
  const { keyPepper } = config;
  const app = await createAppWithKey(store, { name: `bench: ${name}`, keyPepper });
  const slowCount = hooks.slow ?? 0;
  const { matching, byTenant = false, slowMs, refuseEvery, retryScheduleMs = null } = hooks;
  const hookUids = await copyWebhook(service, app, {
    count: matching,
    fieldsOf: (uid, index) => ({
      url: receiver.urlOf(uid, index < slowCount ? { delayMs: slowMs } : { refuseEvery }),
      retryScheduleMs,
      externalTenantIds: byTenant ? [tenantOf(index)] : null,
    }),
  });
  const tenantCount = byTenant ? matching : 1;
  const agents = Array.from({ length: agentCount }, (_, index) =>
    makeAgent(app.appUid, tenantOf(index % tenantCount)),
  );
  await store.agents.insertMany(agents);
  const hookUidsByTenant = byTenant ? hookUids.map((uid) => new Set([uid])) : [new Set(hookUids)];
  return {
    ...app,
    hookUids,
    slowHookUids: hookUids.slice(0, slowCount),
    /** The agent that call `n` changes. */
    agentOf: (n: number) => agents[n % agentCount] as AgentDocument,
    /** The webhooks that get its event. */
    hookUidsOf: (n: number): ReadonlySet<string> =>
      hookUidsByTenant[(n % agentCount) % tenantCount] ?? new Set(),
  };
}

function tenantOf(index: number): string {
  return `tenant-${index + 1}`;
}

// Registers a webhook, replaces it by `count` copies with these fields, and returns their uids.
async function copyWebhook(
  service: Service,
  app: NewApp,
  { count, fieldsOf }: { count: number; fieldsOf: (uid: string, index: number) => HookFields },
): Promise<string[]> {
  if (count === 0) return [];
  const { store, config } = service;
  const { appUid } = app;
  const uid = await registerWebhook(service, app, fieldsOf('original', 0).url);
  const original = await store.webhooks.findOneAndDelete({ _id: uid, appUid });
  if (original === null) throw new Error(`the webhook ${uid} is not in the database`);
  const secretBox = createSecretBox(config.sealingKeys);
  const copies = Array.from({ length: count }, (_, index): StoredWebhook => {
    const _id = newId('whk');
    // A secret can be unsealed only for its own webhook.
    const secret = secretBox.seal(newWebhookSecret(), secretLocation({ appUid, _id }));
    return { ...original, ...fieldsOf(_id, index), _id, secret };
  });
  await store.webhooks.insertMany(copies);
  await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: count - 1 } });
  return copies.map((copy) => copy._id);
}

/** Registers an active webhook for changes of agents, and returns its uid. */
async function registerWebhook(
  { apiUrl }: Service,
  { appUid, apiKey }: NewApp,
  url: string,
): Promise<string> {
  const response = await fetch(`${apiUrl}/api/v1/appuid/${appUid}/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url, entities: ['agent'], active: true }),
  });
  if (!response.ok) throw new Error(`a webhook could not be registered: ${await response.text()}`);
  const { uid } = (await response.json()) as { uid: string };
  return uid;
}

function makeAgent(appUid: string, externalTenantId: string): AgentDocument {
  const now = new Date();
  return {
    _id: newId('agt', now),
    appUid,
    externalTenantId,
    agentName: 'Support',
    live: true,
    description: null,
    accountUids: null,
    createdAt: now,
    updatedAt: now,
  };
}
