// Every partial index is used by its queries, as MongoDB's profiler shows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { closeAccountToAgents } from '../../../api/resources/close-account-to-agents.ts';
import { deleteExpired } from '../../../lib/jobs/retention.ts';
import { systemCaller } from '../../../lib/model/audit-log.ts';
import type { PartitionKey } from '../../../lib/model/partition.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { removeAllMembers } from '../../../lib/identity/accounts.ts';
import { findClaimed, findUnclaimed } from '../../../lib/events/events.ts';
import { readInstallationBacklog } from '../../../lib/history/installation-backlog.ts';
import { countOverdue } from '../../../lib/history/overdue-deliveries.ts';
import { findStamped } from '../../../lib/jobs/job-pages.ts';
import { beginWaitingJobs } from '../../../lib/jobs/job-turns.ts';
import { findUnstartedJobs } from '../../../lib/jobs/jobs.ts';
import { resumeParked } from '../../../lib/order/parked.ts';
import { findFailing } from '../../../lib/webhooks/failing-webhooks.ts';
import { findNumbered, takeOverdue } from '../../../lib/order/partitions.ts';
import { findHeld } from '../../../lib/jobs/release-page.ts';
import { countReplay } from '../../../lib/jobs/replay-page.ts';
import { createUserReader } from '../../../lib/identity/user-reader.ts';
import { findOrCreateUser } from '../../../lib/identity/users.ts';
import { hasSucceededSince } from '../../../lib/webhooks/webhook-health.ts';
import { findSubscriptions } from '../../../lib/webhooks/webhooks.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
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
  const claimed = { ...newEvent(service, [], at), workflowId: 'event/evt_1' };
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

const addition = { accountUids: [], caller: systemCaller, now: at };
const kept = 100_000 * 24 * 60 * 60 * 1_000;
const retention = { recordsMs: kept, heldMs: 60 * 60 * 1_000, auditMs: kept };

type Reading = [index: string, what: string, read: () => Promise<unknown>];

const scopes = [
  ['app', ''],
  ['webhook', '&webhookUid=whk_ordered'],
  ['tenant', '&externalTenantId=tenant-1'],
  ['tenantWebhook', '&webhookUid=whk_ordered&externalTenantId=tenant-1'],
] as const;
const searchedFailures = scopes.flatMap(([scope, filters]): Reading[] => {
  const search = () => service.call('GET', `/deliveries?errorClass=status${filters}`);
  const ofEvent = () =>
    service.call('GET', `/deliveries?statusClass=5xx&event=agent.updated${filters}`);
  return [
    [`deliveries.${scope}Failure`, 'failures', search],
    [`deliveries.${scope}EventFailure`, 'failures of an event', ofEvent],
  ];
});

/** The service's own functions that read through each index. */
const readings: Reading[] = [
  [
    'users.appExternalId',
    'users who sign in',
    async () => {
      const readUser = createUserReader(service.store);
      const ids = ['user-1', 'user-2', 'nobody'].map((externalId) => ({ externalId }));
      await Promise.all(ids.map((identity) => readUser({ appUid, identity })));
    },
  ],
  [
    'users.appEmailKey',
    'the user whom an upsert by e-mail is to make',
    () => {
      const wanted = { appUid, identity: { emailKey: 'key-3' }, name: null, email: 'e' };
      return findOrCreateUser(service.store, { ...wanted, ...addition }, async () => null);
    },
  ],
  [
    'users.name',
    'users whose name has a beginning',
    () => service.call('GET', '/sdkusers?namePrefix=ada'),
  ],
  [
    'users.members',
    'the members of an account that goes',
    () => removeAllMembers(service.store, { appUid, accountUid: 'acc_left' }, at),
  ],
  [
    'agents.appAccount',
    'the agents of an account that goes',
    () => closeAccountToAgents(service.context, { appUid, accountUid: 'acc_left' }),
  ],
  [
    'admins.providerIdentity',
    'the admin of an identity',
    // Like the callback of a sign-in through the provider.
    () =>
      service.store.admins.findOne({ identity: { issuer: 'https://id.example', subject: 's-1' } }),
  ],
  [
    'webhooks.subscribers',
    'who gets an event',
    () => findSubscriptions(service.store, { appUid, entities: ['contextfile'] }),
  ],
  [
    'events.toDispatch',
    'events without a workflow',
    () => findUnclaimed(service.store, later, 100),
  ],
  ['events.toDispatch', 'events of lost workflows', () => findClaimed(service.store, later, 100)],
  [
    'events.partition',
    'the head of a partition',
    () => findNumbered(service.store, partition, { from: 5, countMax: 1 }),
  ],
  [
    'deliveries.webhookState',
    'whether a webhook took something lately',
    () => hasSucceededSince(service.store, partition, later),
  ],
  ...searchedFailures,
  [
    'deliveries.notDelivered',
    'the failures of a period, which a replay sends again',
    () => {
      const { webhookUid } = partition;
      const asked = newReplayJob({ appUid, webhookUid, createdAt: failedAt });
      return countReplay(service.store, { ...asked, states: ['exhausted'] });
    },
  ],
  [
    'deliveries.jobPage',
    'the deliveries that a page of a job took',
    () => findStamped(service.store, { jobUid: 'job_taken', page: 7 }),
  ],
  [
    'deliveries.notDelivered',
    'what a release sends next',
    () => findHeld(service.store, { appUid, webhookUid: 'whk_forgotten' }),
  ],
  [
    'deliveries.heldSince',
    'deliveries that were held for too long',
    () => deleteExpired({ store: service.store, retention }, { now: new Date() }),
  ],
  [
    'deliveries.due',
    'deliveries whose retry or slot is overdue',
    () => countOverdue(service.store, later),
  ],
  [
    'deliveries.open',
    'how much is still to be delivered',
    () => readInstallationBacklog(service.store, later),
  ],
  [
    'jobs.running',
    'the jobs that are not done',
    () => readInstallationBacklog(service.store, later),
  ],
  [
    'webhooks.certificateExpiry',
    'certificates that end soon',
    () => readInstallationBacklog(service.store, later),
  ],
  ['webhooks.failing', 'the webhooks that fail', () => findFailing(service.store, 100)],
  [
    'jobs.toBegin',
    'jobs without a workflow',
    () => findUnstartedJobs(service.store, failedAt, 100),
  ],
  [
    'jobs.webhook',
    'the replays of a webhook',
    () => service.call('GET', `/webhooks/${partition.webhookUid}/replays`),
  ],
  [
    'jobs.unfinished',
    'the unfinished jobs of an application',
    () => beginWaitingJobs(service.store),
  ],
  [
    'partitions.retry',
    'the parked partitions that are due',
    () => resumeParked(service.store, later),
  ],
  [
    'partitions.toSignal',
    'partitions that nobody has moved in time',
    () => takeOverdue(service.store, later, 100),
  ],
];

test.each(readings)(
  'the index %s serves %s without reading other documents',
  async (index, _what, read) => {
    const [collection = ''] = index.split('.');
    const profiles = await profile(service.store, collection, read);
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
  const seen = new Set([...readings.map(([index]) => index), 'jobs.waiting']);
  expect(partial.flat().length).toBeGreaterThan(0);
  expect(partial.flat().filter((index) => !seen.has(index))).toEqual([]);
});
