// The indexes the service needs: made by a setup step, checked at readiness.
import type { Collection, CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Store } from './connect.ts';

type CollectionName = Exclude<keyof Store, 'client' | 'db' | typeof Symbol.asyncDispose>;

interface NeededIndex {
  collection: CollectionName;
  name: string;
  key: IndexSpecification;
  options?: CreateIndexesOptions;
}

const idempotencyKeptSeconds = 24 * 60 * 60;
const signInFailuresKeptSeconds = 24 * 60 * 60;

// MongoDB reads a partial index only for queries that imply its filter as they are written: an equality
// implies `$exists` and `$gt`, and never a `$type`. An index that is changed here needs a new name.
const neededIndexes: readonly NeededIndex[] = [
  { collection: 'accounts', name: 'app', key: { appUid: 1, _id: 1 } },
  { collection: 'apiKeys', name: 'keyId', key: { keyId: 1 }, options: { unique: true } },
  { collection: 'apiKeys', name: 'app', key: { appUid: 1, _id: 1 } },
  {
    collection: 'users',
    name: 'appExternalId',
    key: { appUid: 1, externalId: 1 },
    options: { unique: true, partialFilterExpression: { externalId: { $exists: true } } },
  },
  {
    collection: 'users',
    name: 'appEmailKey',
    key: { appUid: 1, emailKey: 1 },
    options: { unique: true, partialFilterExpression: { emailKey: { $exists: true } } },
  },
  { collection: 'users', name: 'app', key: { appUid: 1, deletedAt: 1, _id: -1 } },
  { collection: 'users', name: 'members', key: { appUid: 1, accountUids: 1, _id: -1 } },
  { collection: 'webhooks', name: 'app', key: { appUid: 1, _id: 1 } },
  { collection: 'webhooks', name: 'subscribers', key: { appUid: 1, entities: 1 } },
  { collection: 'agents', name: 'app', key: { appUid: 1, _id: -1 } },
  {
    collection: 'agents',
    name: 'appAccount',
    key: { appUid: 1, accountUids: 1 },
    // Most agents are open to all accounts: theirs is null.
    options: { partialFilterExpression: { accountUids: { $gt: '' } } },
  },
  { collection: 'contexts', name: 'app', key: { appUid: 1, _id: -1 } },
  { collection: 'contextFiles', name: 'context', key: { appUid: 1, contextUid: 1, _id: -1 } },
  { collection: 'events', name: 'app', key: { appUid: 1, _id: -1 } },
  {
    collection: 'events',
    name: 'toDispatch',
    key: { workflowId: 1, createdAt: 1 },
    options: { partialFilterExpression: { dispatchedAt: null } },
  },
  {
    collection: 'events',
    name: 'partition',
    key: { appUid: 1, entity: 1, resourceUid: 1, 'order.webhookUid': 1, 'order.n': 1 },
    options: { partialFilterExpression: { 'order.n': { $gt: 0 } } },
  },
  {
    collection: 'deliveries',
    name: 'eventWebhook',
    key: { eventId: 1, webhookUid: 1 },
    options: { unique: true },
  },
  { collection: 'deliveries', name: 'webhook', key: { appUid: 1, webhookUid: 1, _id: -1 } },
  {
    collection: 'deliveries',
    name: 'webhookStateStatus',
    key: { appUid: 1, webhookUid: 1, state: 1, statusClass: 1, _id: -1 },
  },
  {
    collection: 'deliveries',
    name: 'jobPage',
    key: { jobUid: 1, jobPage: 1 },
    options: { partialFilterExpression: { jobUid: { $gt: '' } } },
  },
  {
    collection: 'deliveries',
    name: 'heldSince',
    key: { updatedAt: 1 },
    options: { partialFilterExpression: { state: 'held' } },
  },
  {
    collection: 'jobs',
    name: 'toStart',
    key: { createdAt: 1 },
    options: { partialFilterExpression: { startedAt: null } },
  },
  { collection: 'jobs', name: 'webhook', key: { appUid: 1, kind: 1, webhookUid: 1, _id: -1 } },
  {
    collection: 'partitions',
    name: 'toSignal',
    key: { signalAt: 1 },
    options: { partialFilterExpression: { signalAt: { $type: 'date' } } },
  },
  {
    collection: 'signingKeys',
    name: 'generation',
    key: { generation: 1 },
    options: { unique: true },
  },
  {
    collection: 'idempotencyKeys',
    name: 'expiry',
    key: { createdAt: 1 },
    options: { expireAfterSeconds: idempotencyKeptSeconds },
  },
  { collection: 'auditLog', name: 'app', key: { appUid: 1, _id: -1 } },
  { collection: 'auditLog', name: 'action', key: { appUid: 1, action: 1, _id: -1 } },
  { collection: 'auditLog', name: 'actor', key: { appUid: 1, 'actor.uid': 1, _id: -1 } },
  { collection: 'auditLog', name: 'target', key: { appUid: 1, 'target.uid': 1, _id: -1 } },
  { collection: 'admins', name: 'email', key: { email: 1 }, options: { unique: true } },
  {
    collection: 'admins',
    name: 'providerIdentity',
    key: { identity: 1 },
    options: { unique: true, partialFilterExpression: { identity: { $exists: true } } },
  },
  {
    collection: 'memberships',
    name: 'adminApp',
    key: { adminUid: 1, appUid: 1 },
    options: { unique: true },
  },
  { collection: 'memberships', name: 'app', key: { appUid: 1, _id: -1 } },
  { collection: 'memberships', name: 'admin', key: { adminUid: 1, _id: -1 } },
  { collection: 'adminSessions', name: 'admin', key: { adminUid: 1 } },
  {
    collection: 'adminSessions',
    name: 'expiry',
    key: { expiresAt: 1 },
    options: { expireAfterSeconds: 0 },
  },
  {
    collection: 'rateCounts',
    name: 'expiry',
    key: { expiresAt: 1 },
    options: { expireAfterSeconds: 0 },
  },
  {
    collection: 'signInThrottles',
    name: 'expiry',
    key: { updatedAt: 1 },
    options: { expireAfterSeconds: signInFailuresKeptSeconds },
  },
];

/** Makes every index that is missing. Running it again, or in two processes at once, changes nothing. */
export async function ensureIndexes(store: Store): Promise<void> {
  for (const { collection, name, key, options } of neededIndexes) {
    const target = store[collection] as unknown as Collection;
    await target.createIndex(key, { ...options, name });
  }
}

/** Gives the needed indexes that do not exist, as `collection.name`. */
export async function findMissingIndexes(store: Store): Promise<string[]> {
  const collections = [...new Set(neededIndexes.map((index) => index.collection))];
  const present = await Promise.all(
    collections.map(async (collection) => {
      const names = await listIndexNames(store, collection);
      return names.map((name) => `${collection}.${name}`);
    }),
  );
  const presentNames = new Set(present.flat());
  return neededIndexes
    .map((index) => `${index.collection}.${index.name}`)
    .filter((name) => !presentNames.has(name));
}

async function listIndexNames(store: Store, collection: CollectionName): Promise<string[]> {
  try {
    const found = await store.db.collection(collection).indexes();
    return found.map((index) => index.name ?? '');
  } catch (error) {
    // A collection nobody has written to yet does not exist, so it has no indexes.
    if (error instanceof Error && 'codeName' in error && error.codeName === 'NamespaceNotFound') {
      return [];
    }
    throw error;
  }
}
