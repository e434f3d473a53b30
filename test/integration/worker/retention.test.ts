// The retention deletes old records and keeps others. A schedule runs it.
import {
  keptDeliveries,
  oldEvents,
  removeOldEvents,
} from '../../../lib/jobs/retention/remove-old-events.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { makeApiKey } from '../../../lib/access/api-keys.ts';
import { dayMs, hourMs } from '../../../lib/platform/duration.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { systemCaller } from '../../../lib/model/audit-log.ts';
import { openStates, settledStates } from '../../../lib/model/delivery-state.ts';
import type { ApiKeyDocument } from '../../../lib/model/api-key.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { partitionId } from '../../../lib/model/partition.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import {
  eventsTaskQueue,
  retentionJobUid,
  retentionScheduleId,
  runJobWorkflow,
} from '../../../lib/temporal/names.ts';
import { ensureRetentionSchedule } from '../../../lib/temporal/retention-schedule.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import { startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;
const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs);

beforeAll(async () => {
  service = await startService({ env: { HERALD_RETENTION: '30d', HERALD_HELD_FOR: '3d' } });
});

afterAll(() => service?.[Symbol.asyncDispose]());

async function insertDeliveries(
  count: number,
  fields: Partial<DeliveryDocument>,
  at: Date,
): Promise<string[]> {
  const made = Array.from({ length: count }, () => newDelivery(service, at, fields));
  await service.store.deliveries.insertMany(made);
  return made.map((delivery) => delivery._id);
}

/** Writes an event that was dispatched long ago, with deliveries. Returns its uid. */
async function insertSent(at: Date, ...deliveries: Partial<DeliveryDocument>[]): Promise<string> {
  const event = newEvent(service, ['whk_1'], at);
  await service.store.events.insertOne({ ...event, dispatchedAt: at });
  for (const fields of deliveries) await insertDeliveries(1, { eventId: event._id, ...fields }, at);
  return event._id;
}

async function stillThere(eventIds: string[]): Promise<string[]> {
  const found = await service.store.events.find({ _id: { $in: eventIds } }).toArray();
  return eventIds.filter((eventId) => found.some(({ _id }) => _id === eventId));
}

async function clear(): Promise<void> {
  await service.store.events.deleteMany({});
  await service.store.deliveries.deleteMany({});
}

type Counts = Record<'deliveries' | 'events', number>;

/** Returns how many deliveries and events `work` deletes. */
async function deletedBy({ events, deliveries }: Store, work: () => unknown): Promise<Counts> {
  const count = () => Promise.all([deliveries.countDocuments(), events.countDocuments()]);
  const before = await count();
  await work();
  const after = await count();
  return { deliveries: before[0] - after[0], events: before[1] - after[1] };
}

/** Runs the retention to its end. */
function runRetention(): Promise<Counts> {
  const { workflow } = service.temporal.client;
  return deletedBy(service.store, () =>
    workflow.execute(runJobWorkflow, {
      taskQueue: eventsTaskQueue,
      workflowId: `job/${newId('job')}`,
      args: [{ jobUid: retentionJobUid }],
    }),
  );
}

/** Deletes one batch, as of a number of days ahead. */
function deleteIn(
  days: number,
  { store, config }: Pick<TestService, 'store' | 'config'> = service,
): Promise<Counts> {
  const now = new Date(Date.now() + days * dayMs);
  return deletedBy(store, () => deleteExpired({ store, ...config }, { now }));
}

test('records older than the retention are deleted in batches, younger ones are kept', async () => {
  const many = await insertSent(daysAgo(31));
  await insertDeliveries(2_500, { eventId: many, state: 'delivered' }, daysAgo(31));
  for (let n = 0; n < 450; n += 1) await insertSent(daysAgo(31));
  const young = await insertSent(daysAgo(29), { state: 'delivered' });
  expect(await runRetention()).toMatchObject({ deliveries: 2_500, events: 451 });
  const left = await service.store.events.find().toArray();
  expect(left.map((event) => event._id)).toEqual([young]);
  const deliveries = await service.store.deliveries.find().toArray();
  expect(deliveries.map((delivery) => delivery.eventId)).toEqual([young]);
  await clear();
});

test('an old event is kept while one of its deliveries is open or was settled recently', async () => {
  const settled = { state: 'exhausted', updatedAt: daysAgo(31) } as const;
  const kept = [];
  for (const state of openStates) {
    kept.push(await insertSent(daysAgo(60), settled, { state, updatedAt: daysAgo(1) }));
  }
  for (const state of settledStates) {
    kept.push(await insertSent(daysAgo(60), settled, { state, updatedAt: daysAgo(29.99) }));
  }
  const gone = await insertSent(daysAgo(60), settled, { ...settled, state: 'delivered' });
  expect(await runRetention()).toMatchObject({ deliveries: 2, events: 1 });
  expect(await stillThere([...kept, gone])).toEqual(kept);
  expect(await service.store.deliveries.countDocuments()).toBe(2 * kept.length);
  await clear();
});

test('an old event that has not been dispatched yet is kept', async () => {
  // Without a worker nothing starts it.
  await using unattended = await createInstallation();
  const { store } = unattended;
  await insertEvent(unattended, ['whk_1'], daysAgo(31));
  expect(await deleteIn(0, unattended)).toMatchObject({ events: 0 });
  await store.events.updateMany({}, { $set: { dispatchedAt: daysAgo(31) } });
  expect(await deleteIn(0, unattended)).toMatchObject({ events: 1 });
});

test('kept events do not prevent the deletion of later ones', async () => {
  const held = { state: 'held', updatedAt: daysAgo(1) } as const;
  const kept = [];
  for (let n = 0; n < 401; n += 1) kept.push(await insertSent(daysAgo(40), held));
  const gone = await insertSent(daysAgo(39), { state: 'delivered' });
  expect(await runRetention()).toMatchObject({ deliveries: 1, events: 1 });
  expect(await stillThere([...kept, gone])).toEqual(kept);
  await clear();
});

test.each([
  ['are deleted together while they have at most 4,000 deliveries', [2_400, 1_600, 1], 2],
  ['of more than 4,000 deliveries are deleted in several batches', [2_400, 1_601, 1], 1],
  ['are deleted one by one where a single one has more', [4_001, 1], 1],
  ['are deleted 2,000 at a time even without deliveries', Array<number>(2_001).fill(0), 2_000],
])('old events %s', async (_rule, deliveryCounts, firstBatch) => {
  await using unattended = await createInstallation();
  const { store } = unattended;
  const at = daysAgo(31);
  const events = deliveryCounts.map(() => newEvent(unattended, [], at));
  await store.events.insertMany(events.map((event) => ({ ...event, dispatchedAt: at })));
  const deliveries = events.flatMap(({ _id: eventId }, index) =>
    Array.from({ length: deliveryCounts[index] ?? 0 }, () =>
      newDelivery(unattended, at, { eventId, state: 'delivered' }),
    ),
  );
  if (deliveries.length > 0) await store.deliveries.insertMany(deliveries);
  const batch = { before: daysAgo(30), now: new Date() };
  const first = await removeOldEvents(store, { ...batch, after: '' });
  const sum = (counts: number[]): number => counts.reduce((a, b) => a + b, 0);
  const removed = { deliveries: sum(deliveryCounts.slice(0, firstBatch)), events: firstBatch };
  expect(first).toMatchObject({ ...removed, more: true });
  const second = await removeOldEvents(store, { ...batch, after: first.after });
  const left = { deliveries: deliveries.length - removed.deliveries };
  expect(second).toMatchObject({ ...left, events: events.length - firstBatch, more: false });
});

test('a resend of an event that is nearly too old is retried to its end', async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  const webhook = await insertWebhook(service, { url: receiver.url, retryScheduleMs: [dayMs] });
  const { _id: webhookUid } = webhook;
  const eventId = await insertSent(daysAgo(29.99), { webhookUid, state: 'exhausted' });
  await service.call('POST', `/events/${eventId}/resend`, { body: { webhookUids: [webhookUid] } });
  await waitFor(
    async () => (await service.store.deliveries.findOne({ eventId }))?.state === 'retrying',
  );
  const { store } = service;
  expect(await deleteIn(2)).toMatchObject({ deliveries: 0, events: 0 });
  const state = 'exhausted' as const;
  await store.deliveries.updateOne({ eventId }, { $set: { state, updatedAt: new Date() } });
  expect(await deleteIn(29.9)).toMatchObject({ deliveries: 0, events: 0 });
  expect(await deleteIn(30.1)).toMatchObject({ deliveries: 1, events: 1 });
  await receiver[Symbol.asyncDispose]();
  await clear();
});

test('an open delivery without a change during the whole retention is cancelled, and deleted later', async () => {
  const states = ['pending', 'retrying'] as const;
  const abandoned: string[] = [];
  for (const state of states) {
    abandoned.push(await insertSent(daysAgo(31), { state, updatedAt: daysAgo(30.01) }));
  }
  const waiting = await insertSent(daysAgo(31), { state: 'retrying', updatedAt: daysAgo(29.99) });
  expect(await runRetention()).toMatchObject({ deliveries: 0, events: 0 });
  const found = await service.store.deliveries.find({ state: 'cancelled' }).toArray();
  expect(found.map(({ eventId }) => eventId).sort()).toEqual(abandoned);
  expect(await stillThere([...abandoned, waiting])).toEqual([...abandoned, waiting]);
  await clear();
});

test('rows of the audit log are deleted after 400 days, in any number', async () => {
  const { auditLog } = service.store;
  await auditLog.deleteMany({});
  const insertRows = async (count: number, at: Date): Promise<void> => {
    const entry = { appUid: null, action: 'admin.signed_in', target: { kind: 'admin', uid: '' } };
    const row = { ...entry, ...systemCaller, details: {}, createdAt: at };
    const rows = Array.from({ length: count }, () => ({ _id: newId('aud', at), ...row }));
    await auditLog.insertMany(rows);
  };
  await insertRows(2_500, daysAgo(400.01));
  await insertRows(2, daysAgo(399.99));
  expect(await runRetention()).toMatchObject({ events: 0 });
  expect(await auditLog.countDocuments()).toBe(2);
});

test('deliveries held in the same millisecond are all dropped, however many, and their partitions are signalled', async () => {
  const { deliveries, partitions } = service.store;
  const at = daysAgo(3.01);
  const facts = { appUid: service.app.appUid, webhookUid: 'whk_1', entity: 'agent' } as const;
  const unsettled = { settled: 0, lease: null, signalAt: null };
  const resourceUids = Array.from({ length: 1_001 }, (_, n) => `agt_${n}`);
  const made = resourceUids.map((resourceUid) => ({
    ...facts,
    ...unsettled,
    resourceUid,
    _id: partitionId({ ...facts, resourceUid }),
  }));
  await partitions.insertMany(made);
  await deliveries.insertMany(
    made.map(({ _id }) => newDelivery(service, at, { state: 'held', partition: _id })),
  );
  await runRetention();
  expect(await deliveries.countDocuments({ state: 'held' })).toBe(0);
  expect(await partitions.countDocuments({ signalAt: null })).toBe(0);
  await partitions.deleteMany({});
  await clear();
});

test('deliveries that an active webhook still holds are left to its release for the whole retention, and hide no others', async () => {
  const url = 'https://receiver.example.com/';
  const { _id: active, appUid } = await insertWebhook(service, { url });
  const release = newRelease({ appUid, webhookUid: active }, daysAgo(1));
  await service.store.jobs.insertOne({ ...release, startedAt: release.createdAt });
  await service.store.webhooks.updateOne({ _id: active }, { $set: { releaseUid: release._id } });
  const { _id: paused } = await insertWebhook(service, { url, active: false });
  const held = { state: 'held', webhookUid: active } as const;
  await insertDeliveries(1, held, daysAgo(30.01));
  await insertDeliveries(2_001, held, daysAgo(29.99));
  await insertDeliveries(1, { ...held, webhookUid: paused }, daysAgo(3.01));
  await insertDeliveries(1, { ...held, webhookUid: paused }, daysAgo(2.99));
  await runRetention();
  const { deliveries } = service.store;
  expect(await deliveries.countDocuments({ webhookUid: active, state: 'held' })).toBe(2_001);
  expect(await deliveries.countDocuments({ webhookUid: paused, state: 'held' })).toBe(1);
  expect(await deliveries.countDocuments({ webhookUid: paused, state: 'cancelled' })).toBe(1);
  await clear();
});

test('the queries of the retention use an index', async () => {
  const { events, deliveries } = service.store;
  const plans = (await Promise.all([
    events
      .find(oldEvents(daysAgo(30), 'evt_1'))
      .sort({ _id: 1 })
      .explain('queryPlanner'),
    deliveries
      .find(keptDeliveries(oldEvents(daysAgo(30), 'evt_1'), daysAgo(30)))
      .explain('queryPlanner'),
  ])) as unknown as { queryPlanner: { winningPlan: unknown } }[];
  for (const { queryPlanner } of plans) {
    const plan = JSON.stringify(queryPlanner.winningPlan);
    expect(plan).toContain('"stage":"IXSCAN"');
    expect(plan).not.toMatch(/"stage":"(COLLSCAN|SORT)"/);
  }
});

test('repeated calls create the schedule once, which runs the workflow that deletes old records, one at a time', async () => {
  const { client } = service.temporal;
  await Promise.all([ensureRetentionSchedule(client), ensureRetentionSchedule(client)]);
  await ensureRetentionSchedule(client);
  const schedule = await client.schedule.getHandle(retentionScheduleId).describe();
  expect(schedule.spec.intervals).toMatchObject([{ every: hourMs }]);
  expect(schedule.policies.overlap).toBe('SKIP');
  expect(schedule.action).toMatchObject({
    workflowType: runJobWorkflow,
    taskQueue: eventsTaskQueue,
  });
  const eventId = await insertSent(daysAgo(31), { state: 'delivered' });
  await client.schedule.getHandle(retentionScheduleId).trigger();
  await waitFor(async () => (await stillThere([eventId])).length === 0, {
    what: 'the deletion of the old event',
  });
});

test('an expiring key is reported once, from seven days before it ends, unless it is revoked or expired', async () => {
  const { store, app, config } = service;
  // So long ago that the service's own retention reports none of the keys.
  const now = new Date(Date.now() - 10 * dayMs);
  await insertWebhook(service, { kind: 'operations', entities: [], url: 'http://127.0.0.1:9/' });
  const week = 7 * dayMs;
  const endings: [name: string, fields: Partial<ApiKeyDocument>][] = [
    ['ends in a week', { expiresAt: new Date(now.getTime() + week) }],
    ['ends a moment later', { expiresAt: new Date(now.getTime() + week + 1) }],
    ['never ends', { expiresAt: null }],
    ['is revoked', { expiresAt: new Date(now.getTime() + dayMs), revokedAt: now }],
    ['has ended', { expiresAt: now }],
  ];
  for (const [name, fields] of endings) {
    const wish = { ...app, name, scopes: [], expiresAt: null };
    const { key } = makeApiKey(wish, { ...config, now });
    await store.apiKeys.insertOne({ ...key, ...fields });
  }
  for (let hour = 0; hour < 2; hour += 1) await deleteExpired({ store, ...config }, { now });
  const found = await store.events.find({ entity: 'apikey' }).toArray();
  expect(found).toMatchObject([{ event: 'apikey.expiring', entity: 'apikey' }]);
  const expiresAt = new Date(now.getTime() + week).toISOString();
  const { data } = JSON.parse(found[0]?.body ?? '') as { data: unknown };
  expect(data).toMatchObject({ name: 'ends in a week', expiresAt, rolledTo: null });
});
