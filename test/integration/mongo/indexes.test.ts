// Every partial index is used by its queries, as MongoDB's profiler shows.
import type { Document } from 'mongodb';
import { closeAccountToAgents } from '../../../api/resources/close-account-to-agents.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { systemCaller } from '../../../lib/model/audit-log.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import type { PartitionKey } from '../../../lib/model/partition.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { removeAllMembers } from '../../../lib/identity/accounts.ts';
import { findClaimed, findUnclaimed } from '../../../lib/events/events.ts';
import { readInstallationBacklog } from '../../../lib/history/installation-backlog.ts';
import { countOverdue } from '../../../lib/history/overdue-deliveries.ts';
import { findStamped } from '../../../lib/jobs/page.ts';
import { beginWaitingJobs } from '../../../lib/jobs/job-turns.ts';
import { findUnstartedJobs } from '../../../lib/jobs/jobs.ts';
import { resumeParked } from '../../../lib/order/parked.ts';
import { countOverdueFiles } from '../../../lib/webhooks/overdue-files.ts';
import { findFailing } from '../../../lib/webhooks/failing-webhooks.ts';
import { findNumbered, takeOverdue } from '../../../lib/order/partitions.ts';
import { findHeld } from '../../../lib/jobs/release/release-page.ts';
import { countReplay } from '../../../lib/jobs/replay/count-replay.ts';
import { createUserReader } from '../../../lib/identity/user-reader.ts';
import { findOrCreateUser } from '../../../lib/identity/users.ts';
import { hasSucceededSince } from '../../../lib/webhooks/has-succeeded-since.ts';
import { findSubscriptions } from '../../../lib/webhooks/webhooks.ts';
import { insertWebhook, newDelivery, newEvent, newProcessingFile } from '../../support/fixtures.ts';
import { newReplayJob } from '../../support/jobs.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';
import { writeJobs, writePartitions, writePeople } from './indexed-documents.ts';

// Enough documents of each kind to detect a plan that reads all of them.
const othersCount = 60;
const at = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');
const failedAt = new Date('2026-01-03T00:00:00Z');

let service: TestService;
let partition: PartitionKey;
let appUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  ({ appUid } = service.app);
  partition = { appUid, webhookUid: 'whk_ordered', entity: 'agent', resourceUid: 'agt_1' };
  await Promise.all([
    writePeople(service, { count: othersCount, at }),
    writeWebhooks(),
    writeEvents(),
    writeDeliveries(),
    writeJobs(service, { webhookUid: partition.webhookUid, count: othersCount, at }),
    writePartitions(service, { partition, count: othersCount, at, failedAt }),
  ]);
});

afterAll(() => service?.[Symbol.asyncDispose]());

const numbers = Array.from({ length: othersCount }, (_none, index) => index);

async function writeWebhooks(): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  await Promise.all(
    numbers.map((n) => insertWebhook(service, { url, entities: [n % 2 ? 'agent' : 'context'] })),
  );
  await insertWebhook(service, { url, entities: ['contextfile'] });
  await insertWebhook(service, { url, failingSince: at });
  const certified = await insertWebhook(service, { url });
  const tls = { $set: { tls: { notAfter: at } } } as object;
  await service.store.webhooks.updateOne({ _id: certified._id }, tls);
  const active = ['whk_ordered', 'whk_forgotten'];
  await Promise.all(active.map((_id) => insertWebhook(service, { _id, url, entities: ['agent'] })));
}

async function writeEvents(): Promise<void> {
  const files = numbers.map((n) => newProcessingFile(service, n === 0 ? at : new Date()));
  await service.store.contextFiles.insertMany(files);
  const { entity, resourceUid, webhookUid } = partition;
  const sent = (orders: EventDocument['order'][]): EventDocument[] =>
    orders.map((order) => ({
      ...newEvent(service, [webhookUid], at),
      entity,
      resourceUid,
      order,
      dispatchedAt: at,
    }));
  const other = numbers.map((n) => ({ webhookUid: 'whk_other', n: n + 1 }));
  const ours = numbers.map((n) => ({ webhookUid, n: n + 1 }));
  const unclaimed = newEvent(service, [], at);
  const claimed = { ...newEvent(service, [], at), workflowId: 'agent.updated/evt_1' };
  await service.store.events.insertMany([
    ...sent(numbers.map(() => [])),
    ...sent(other.map((place) => [place])),
    // Two webhooks get the same event, each with its own number.
    ...sent(ours.map((place, n) => [place, { webhookUid: 'whk_other', n: n + 1 + othersCount }])),
    unclaimed,
    claimed,
  ]);
}

async function writeDeliveries(): Promise<void> {
  const { webhookUid } = partition;
  const taken = { webhookUid: 'whk_taken', jobUid: 'job_taken' };
  const delivered = { state: 'delivered', statusClass: '2xx' } as const;
  const failed = { state: 'exhausted', statusClass: '5xx', errorClass: 'status' } as const;
  await service.store.deliveries.insertMany([
    ...numbers.map(() => newDelivery(service, at, { webhookUid, ...delivered })),
    newDelivery(service, later, { webhookUid, ...delivered }),
    newDelivery(service, failedAt, { webhookUid, ...failed }),
    ...numbers.map(() => newDelivery(service, new Date(failedAt.getTime() - 1), failed)),
    ...numbers.map(() => newDelivery(service, new Date(), { webhookUid, state: 'held' })),
    newDelivery(service, at, { state: 'held' }),
    newDelivery(service, at, { state: 'pending' }),
    newDelivery(service, at, { state: 'retrying', nextAttemptAt: at }),
    newDelivery(service, at, { webhookUid: 'whk_forgotten', state: 'held' }),
    ...numbers.map((n) => newDelivery(service, at, { ...taken, jobPage: n })),
  ]);
}

const identity = { issuer: 'https://id.example', subject: 's-1' };
const addition = { accountUids: [], caller: systemCaller, now: at };
const kept = 100_000 * 24 * 60 * 60 * 1_000;
const processingOverdueAfterMs = 60 * 60 * 1_000;
const retention = { recordsMs: kept, heldMs: processingOverdueAfterMs, auditMs: kept };
const runRetention = (store: Store) =>
  deleteExpired({ store, retention, processingOverdueAfterMs: kept }, { now: new Date() });
const countFiles = (store: Store) =>
  countOverdueFiles({ store, processingOverdueAfterMs }, { appUid, now: new Date() });

type Reading = [index: string, read: (store: Store) => Promise<unknown>];

const scopes = [
  ['app', ''],
  ['webhook', '&webhookUid=whk_ordered'],
  ['tenant', '&externalTenantId=tenant-1'],
  ['tenantWebhook', '&webhookUid=whk_ordered&externalTenantId=tenant-1'],
] as const;
const ofEvent = 'statusClass=5xx&event=agent.updated';
const call = (path: string) => () => service.call('GET', path);
const searchedFailures = scopes.flatMap(([scope, filters]): Reading[] => [
  [`deliveries.${scope}Failure`, call(`/deliveries?errorClass=status${filters}`)],
  [`deliveries.${scope}EventFailure`, call(`/deliveries?${ofEvent}${filters}`)],
]);

async function signIn(store: Store): Promise<void> {
  const readUser = createUserReader(store);
  const ids = ['user-1', 'user-2', 'nobody'].map((externalId) => ({ externalId }));
  await Promise.all(ids.map((identity) => readUser({ appUid, identity })));
}

const signInByEmail = (store: Store): Promise<unknown> => {
  const wanted = { appUid, identity: { emailKey: 'key-3' }, name: null, email: 'e' };
  return findOrCreateUser(store, { ...wanted, ...addition }, async () => null);
};

const replayFailures = (store: Store): Promise<unknown> => {
  const { webhookUid } = partition;
  const asked = newReplayJob({ appUid, webhookUid, createdAt: failedAt });
  return countReplay(store, { ...asked, states: ['exhausted'] });
};

const deleted = () => ({ appUid, accountUid: 'acc_left' });
const backlog = (store: Store) => readInstallationBacklog(store, later);

/** The service's own functions that read through each index. */
const readings: Reading[] = [
  ['users.appExternalId', signIn],
  ['users.appEmailKey', signInByEmail],
  ['users.name', call('/sdkusers?namePrefix=ada')],
  ['users.members', (store) => removeAllMembers(store, deleted(), at)],
  ['agents.appAccount', () => closeAccountToAgents(service.context, deleted())],
  // Like the callback of a sign-in through the provider.
  ['admins.providerIdentity', ({ admins }) => admins.findOne({ identity })],
  [
    'webhooks.subscribers',
    (store) => findSubscriptions(store, { appUid, entities: ['contextfile'] }),
  ],
  ['events.toDispatch', (store) => findUnclaimed(store, later, 100)],
  ['events.toDispatch', (store) => findClaimed(store, later, 100)],
  ['events.partition', (store) => findNumbered(store, partition, { from: 5, countMax: 1 })],
  ['deliveries.webhookState', (store) => hasSucceededSince(store, partition, later)],
  ...searchedFailures,
  ['deliveries.notDelivered', replayFailures],
  ['deliveries.notDelivered', (store) => findHeld(store, { appUid, webhookUid: 'whk_forgotten' })],
  ['deliveries.jobPage', (store) => findStamped(store, { jobUid: 'job_taken', page: 7 })],
  ['deliveries.heldSince', runRetention],
  ['contextFiles.processing', countFiles],
  ['deliveries.due', (store) => countOverdue(store, later)],
  ['deliveries.open', backlog],
  ['jobs.running', backlog],
  ['webhooks.certificateExpiry', backlog],
  ['webhooks.failing', (store) => findFailing(store, 100)],
  ['jobs.toBegin', (store) => findUnstartedJobs(store, failedAt, 100)],
  ['jobs.webhook', () => service.call('GET', `/webhooks/${partition.webhookUid}/replays`)],
  ['jobs.unfinished', (store) => beginWaitingJobs(store)],
  ['partitions.retry', (store) => resumeParked(store, later)],
  ['partitions.toSignal', (store) => takeOverdue(store, later, 100)],
];

test.each(readings)(
  'the index %s serves its query without reading other documents',
  async (index, read) => {
    const [collection = ''] = index.split('.');
    const profiles = await profile(service.store, collection, () => read(service.store));
    // Counts have no execution statistics, and distinct values are tested with their callers.
    const explained = profiles.filter(
      ({ execStats, command }) =>
        execStats !== undefined && !('distinct' in ((command ?? {}) as Document)),
    );
    const served = explained.filter(({ execStats }) =>
      indexesOf(execStats as Document, collection).has(index),
    );
    expect(served.length).toBeGreaterThan(0);
    for (const { docsExamined, nreturned, nMatched } of served) {
      const found = Number(nreturned ?? nMatched);
      expect(found).toBeGreaterThan(0);
      expect(docsExamined).toBeLessThanOrEqual(found + 1);
    }
    expect(profiles.map(({ planSummary }) => planSummary)).not.toContain('COLLSCAN');
  },
);

test('every partial index has a query here that uses it', async () => {
  const partial = await Promise.all(
    (await service.store.db.collections()).map(async (collection) => {
      const indexes = await collection.indexes();
      return indexes
        .filter((index) => index['partialFilterExpression'] !== undefined)
        .map((index) => `${collection.collectionName}.${index.name}`);
    }),
  );
  // The outcomes of a job are counted with the index as a hint.
  const hinted = 'deliveries.requeuedBy';
  const seen = new Set([...readings.map(([index]) => index), 'jobs.waiting', hinted]);
  expect(partial.flat().length).toBeGreaterThan(0);
  expect(partial.flat().filter((index) => !seen.has(index))).toEqual([]);
});
