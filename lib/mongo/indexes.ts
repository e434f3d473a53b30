import type { Collection, CreateIndexesOptions, Document, IndexDescription } from 'mongodb';
import { deliveryStates, openStates } from '../model/delivery-state.ts';
import type { Store } from './connect.ts';
import { nameCollation } from './prefix-page.ts';

type CollectionName = Exclude<keyof Store, 'client' | 'db' | typeof Symbol.asyncDispose>;

type NeededIndex = readonly [
  collection: CollectionName,
  name: string,
  key: IndexDescription['key'],
  ...options: CreateIndexesOptions[],
];

const daySeconds = 24 * 60 * 60;
const unique = { unique: true };
const exists = { $exists: true };
// Few deliveries have one of these states: most are recorded as delivered.
const otherThanDelivered = deliveryStates.filter((state) => state !== 'delivered');
const where = (filter: Document) => ({ partialFilterExpression: filter });
const byName = { collation: nameCollation };
const expiresAfter = (seconds: number) => ({ expireAfterSeconds: seconds });

// Each combination of filters has an index in the order of the list (see lib/history/delivery-lists.ts). The indexes by
// error class contain only failed deliveries, which are few.
const deliveryScopes: readonly [name: string, key: Record<string, 1>][] = [
  ['app', { appUid: 1 }],
  ['webhook', { appUid: 1, webhookUid: 1 }],
  ['tenant', { appUid: 1, externalTenantId: 1 }],
  ['tenantWebhook', { appUid: 1, externalTenantId: 1, webhookUid: 1 }],
];
const searchedDeliveries = deliveryScopes.flatMap(([scope, key]): NeededIndex[] => {
  const failure = { errorClass: 1, statusClass: 1, state: 1, _id: -1 } as const;
  const failed = where({ errorClass: { $gt: '' } });
  return [
    ['deliveries', `${scope}State`, { ...key, state: 1, event: 1, _id: -1 }],
    ['deliveries', `${scope}Failure`, { ...key, ...failure }, failed],
    ['deliveries', `${scope}EventFailure`, { ...key, event: 1, ...failure }, failed],
  ];
});

// A query uses a partial index only if it implies its filter as written: an equality implies `$exists`, `$gt` and
// `$in`, but never a `$type`; several values imply nothing. A changed index needs a new name.
/** All indexes, with their key and the options that make them unique, partial or expiring. */
export const neededIndexes: readonly NeededIndex[] = [
  ['accounts', 'app', { appUid: 1, _id: 1 }],
  ['accounts', 'name', { appUid: 1, name: 1, _id: 1 }, byName],
  ['apiKeys', 'keyId', { keyId: 1 }, unique],
  ['apiKeys', 'app', { appUid: 1, _id: 1 }],
  ['apiKeys', 'appKeyId', { appUid: 1, keyId: 1, _id: 1 }],
  ['apiKeys', 'expiry', { expiresAt: 1 }],
  ['users', 'appExternalId', { appUid: 1, externalId: 1 }, unique, where({ externalId: exists })],
  ['users', 'appEmailKey', { appUid: 1, emailKey: 1 }, unique, where({ emailKey: exists })],
  ['users', 'app', { appUid: 1, deletedAt: 1, _id: -1 }],
  ['users', 'name', { appUid: 1, name: 1, _id: 1 }, byName, where({ name: { $gt: '' } })],
  ['users', 'members', { appUid: 1, accountUids: 1, _id: -1 }],
  ['tokens', 'expiry', { expiresAt: 1 }, expiresAfter(0)],
  ['webhooks', 'app', { appUid: 1, _id: 1 }],
  ['webhooks', 'subscribers', { appUid: 1, entities: 1 }],
  ['webhooks', 'failing', { failingSince: 1 }, where({ failingSince: { $gt: new Date(0) } })],
  ['webhooks', 'certificateExpiry', { 'tls.notAfter': 1 }, where({ 'tls.notAfter': exists })],
  ['agents', 'app', { appUid: 1, _id: -1 }],
  // Most agents are open to all accounts and have null here.
  ['agents', 'appAccount', { appUid: 1, accountUids: 1 }, where({ accountUids: { $gt: '' } })],
  ['contexts', 'app', { appUid: 1, _id: -1 }],
  ['contextFiles', 'app', { appUid: 1, _id: -1 }],
  ['contextFiles', 'context', { appUid: 1, contextUid: 1, _id: -1 }],
  [
    'contextFiles',
    'processing',
    { 'processing.isReported': 1, appUid: 1, 'processing.since': 1 },
    where({ 'processing.since': { $gt: new Date(0) } }),
  ],
  ['events', 'app', { appUid: 1, _id: -1 }],
  ['events', 'event', { appUid: 1, event: 1, _id: -1 }],
  ['events', 'tenant', { appUid: 1, externalTenantId: 1, event: 1, _id: -1 }],
  ['events', 'resource', { appUid: 1, resourceUid: 1, event: 1, _id: -1 }],
  [
    'events',
    'tenantResource',
    { appUid: 1, externalTenantId: 1, resourceUid: 1, event: 1, _id: -1 },
  ],
  ['events', 'toDispatch', { workflowId: 1, createdAt: 1 }, where({ dispatchedAt: null })],
  [
    'events',
    'partition',
    { appUid: 1, entity: 1, resourceUid: 1, 'order.webhookUid': 1, 'order.n': 1 },
    where({ 'order.n': { $gt: 0 } }),
  ],
  ...searchedDeliveries,
  [
    'deliveries',
    'notDelivered',
    { appUid: 1, webhookUid: 1, state: 1, eventId: 1 },
    where({ state: { $in: otherThanDelivered } }),
  ],
  ['deliveries', 'jobPage', { jobUid: 1, jobPage: 1 }, where({ jobUid: { $gt: '' } })],
  ['deliveries', 'requeuedBy', { requeuedBy: 1, state: 1 }, where({ requeuedBy: { $gt: '' } })],
  // For the metrics of the whole installation.
  [
    'deliveries',
    'open',
    { state: 1, jobUid: 1, _id: 1 },
    where({ state: { $in: [...openStates] } }),
  ],
  // Only deliveries that wait for a retry or a slot have a time.
  [
    'deliveries',
    'due',
    { nextAttemptAt: 1, webhookUid: 1 },
    where({ nextAttemptAt: { $type: 'date' } }),
  ],
  ['deliveries', 'heldSince', { updatedAt: 1 }, where({ state: 'held' })],
  ['deliveries', 'updated', { updatedAt: 1 }],
  ['jobs', 'toBegin', { createdAt: 1 }, where({ startedAt: null, state: 'running' })],
  ['jobs', 'waiting', { state: 1, appUid: 1 }, where({ state: 'waiting' })],
  ['jobs', 'unfinished', { appUid: 1, kind: 1, _id: 1 }, where({ finishedAt: null })],
  ['jobs', 'running', { kind: 1, _id: 1 }, where({ state: 'running' })],
  ['jobs', 'app', { appUid: 1, kind: 1, _id: -1 }],
  ['jobs', 'webhook', { appUid: 1, kind: 1, webhookUid: 1, _id: -1 }],
  ['partitions', 'toSignal', { signalAt: 1 }, where({ signalAt: { $type: 'date' } })],
  [
    'partitions',
    'retry',
    { 'retry.isParked': 1, webhookUid: 1, 'retry.dueAt': 1 },
    where({ 'retry.isParked': exists }),
  ],
  ['rateLimiters', 'expiry', { expiresAt: 1 }, expiresAfter(0)],
  ['signingKeys', 'generation', { generation: 1 }, unique],
  ['webhookKeys', 'appGeneration', { appUid: 1, generation: 1 }, unique],
  ['idempotencyKeys', 'expiry', { createdAt: 1 }, expiresAfter(daySeconds)],
  ['auditLog', 'app', { appUid: 1, _id: -1 }],
  ['auditLog', 'action', { appUid: 1, action: 1, _id: -1 }],
  ['auditLog', 'actor', { appUid: 1, 'actor.uid': 1, _id: -1 }],
  ['auditLog', 'target', { appUid: 1, 'target.uid': 1, _id: -1 }],
  ['admins', 'email', { email: 1 }, unique],
  ['admins', 'providerIdentity', { identity: 1 }, unique, where({ identity: exists })],
  ['memberships', 'adminApp', { adminUid: 1, appUid: 1 }, unique],
  ['memberships', 'app', { appUid: 1, _id: -1 }],
  ['memberships', 'admin', { adminUid: 1, _id: -1 }],
  ['adminSessions', 'token', { tokenHash: 1 }],
  ['adminSessions', 'adminPage', { adminUid: 1, _id: -1 }],
  ['adminSessions', 'expiry', { expiresAt: 1 }, expiresAfter(0)],
  ['rateCounts', 'expiry', { expiresAt: 1 }, expiresAfter(0)],
  ['statistics', 'expiry', { expiresAt: 1 }, expiresAfter(0)],
  ['signInThrottles', 'expiry', { updatedAt: 1 }, expiresAfter(daySeconds)],
];

/** Creates the missing indexes; safe to repeat, and to run in two processes concurrently. */
export async function ensureIndexes(store: Store): Promise<void> {
  const collections = [...new Set(neededIndexes.map(([collection]) => collection))];
  // One command per collection: one per index would take three times as long.
  for (const collection of collections) {
    const indexes = neededIndexes
      .filter(([name]) => name === collection)
      .map(([, name, key, ...options]): IndexDescription => {
        return Object.assign({ name, key }, ...options);
      });
    await (store[collection] as unknown as Collection).createIndexes(indexes);
  }
}

/** Returns the missing indexes as `collection.name`. */
export async function findMissingIndexes(store: Store): Promise<string[]> {
  const collections = [...new Set(neededIndexes.map(([collection]) => collection))];
  const present = await Promise.all(
    collections.map(async (collection) => {
      const names = await listIndexNames(store, collection);
      return names.map((name) => `${collection}.${name}`);
    }),
  );
  const presentNames = new Set(present.flat());
  return neededIndexes
    .map(([collection, name]) => `${collection}.${name}`)
    .filter((name) => !presentNames.has(name));
}

async function listIndexNames(store: Store, collection: CollectionName): Promise<string[]> {
  try {
    const found = await store.db.collection(collection).indexes();
    return found.map((index) => index.name ?? '');
  } catch (error) {
    // A collection does not exist before its first write.
    if (error instanceof Error && 'codeName' in error && error.codeName === 'NamespaceNotFound') {
      return [];
    }
    throw error;
  }
}
