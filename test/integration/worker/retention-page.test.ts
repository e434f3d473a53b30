// A page of the retention: which jobs it deletes, by which clock, and the releases that it starts. And the heartbeats of
// activities that wait for the database.
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { newRelease } from '../../../lib/jobs/jobs.ts';
import type { JobDocument } from '../../../lib/model/job.ts';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { dayMs, minuteMs } from '../../../lib/platform/duration.ts';
import { processLog } from '../../../lib/platform/logger.ts';
import { retentionJobUid } from '../../../lib/temporal/names.ts';
import { noSignals, deliveryPorts } from '../../support/delivery-ports.ts';
import { newDelivery, newEvent, insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ClientSession } from 'mongodb';
import { createActivities } from '../../../activities/index.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import type { DeliveryActivities } from '../../../lib/temporal/messages.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

const inDays = (days: number): Date => new Date(Date.now() + days * dayMs);

/** Takes a page in a worker on a machine whose clock is ahead. */
async function takePage({ aheadDays = 0 } = {}): Promise<unknown> {
  const { store, config } = installation;
  const local = { now: () => inDays(aheadDays) };
  await using clock = await startServerClock(store, { local });
  const ports = { store, clock, ...noSignals, ...config };
  return await takeJobPage(ports, { jobUid: retentionJobUid, page: 1 });
}

const key = { appUid: 'app_1', webhookUid: 'whk_1' };

const jobOf = (createdDays: number, finishedDays: number | null): JobDocument => ({
  ...newRelease(key, inDays(createdDays)),
  startedAt: inDays(createdDays),
  state: finishedDays === null ? 'running' : 'done',
  finishedAt: finishedDays === null ? null : inDays(finishedDays),
});

test('a job is deleted when it has been over for longer than the retention, but not while it runs', async () => {
  const { jobs } = installation.store;
  const kept = [jobOf(-60, null), jobOf(-60, -29.99)];
  await jobs.insertMany([jobOf(-60, -30.01), ...kept]);
  await takePage();
  const left = await jobs.find().sort({ _id: 1 }).toArray();
  expect(left.map(({ _id }) => _id)).toEqual(kept.map(({ _id }) => _id));
});

test('a worker whose clock is 40 days ahead deletes and cancels nothing, and reports it', async () => {
  const { events, deliveries, jobs } = installation.store;
  const at = inDays(-1);
  const event = newEvent(installation, ['whk_1'], at);
  await events.insertOne({ ...event, dispatchedAt: at });
  await deliveries.insertMany(
    (['delivered', 'retrying', 'held'] as const).map((state) =>
      newDelivery(installation, at, { eventId: event._id, webhookUid: `whk_${state}`, state }),
    ),
  );
  await jobs.insertOne(jobOf(-1, -1));
  const before = await Promise.all([events, deliveries, jobs].map((each) => each.find().toArray()));
  using logged = jest.spyOn(processLog, 'warn');
  await takePage({ aheadDays: 40 });
  const after = await Promise.all([events, deliveries, jobs].map((each) => each.find().toArray()));
  expect(after).toEqual(before);
  expect(logged).toHaveBeenCalledWith({ aheadMs: expect.any(Number) }, 'clock.differs');
});

const url = 'https://receiver.example.com/';

async function hold(webhookUid: string, count: number, forMinutes: number): Promise<void> {
  const at = new Date(Date.now() - forMinutes * minuteMs);
  const held = () => newDelivery(installation, at, { webhookUid, state: 'held' });
  await installation.store.deliveries.insertMany(Array.from({ length: count }, held));
}

describe('a missing release', () => {
  beforeAll(async () => {
    // The many held deliveries of a paused webhook must not hide it.
    await hold((await insertWebhook(installation, { url, active: false }))._id, 1_001, 60);
  });

  test.each([
    { active: true, before: 'done', heldMinutes: 10.1, isStarted: true },
    { active: true, before: 'done', heldMinutes: 9.9, isStarted: false },
    { active: true, before: 'running', heldMinutes: 10.1, isStarted: false },
    { active: false, before: 'done', heldMinutes: 10.1, isStarted: false },
  ] as const)('is started once: %j', async (facts) => {
    const { active, before, heldMinutes, isStarted } = facts;
    const { store, app, config } = installation;
    const webhookUid = newId('whk');
    const last = newRelease({ appUid: app.appUid, webhookUid }, new Date());
    await insertWebhook(installation, { _id: webhookUid, url, active, releaseUid: last._id });
    await store.jobs.insertOne({ ...last, state: before });
    await hold(webhookUid, 1, heldMinutes);
    const ports = { store, ...config };
    for (let hours = 0; hours < 2; hours += 1) await deleteExpired(ports, { now: new Date() });
    const stored = await store.webhooks.findOne({ _id: webhookUid });
    const anew = { _id: stored?.releaseUid, kind: 'release', state: 'running', startedAt: null };
    const others = await store.jobs.find({ webhookUid, _id: { $ne: last._id } }).toArray();
    expect(others).toMatchObject(isStarted ? [anew] : []);
    expect(stored?.releaseUid === last._id).toBe(!isStarted);
  });

  test('of very many webhooks a page examines some, and the next page continues after them', async () => {
    const { store, app, config } = installation;
    const one = await store.webhooks.findOne({ active: true });
    if (one === null) throw new Error('there is none');
    const others = Array.from({ length: 1_001 }, () => ({ ...one, _id: newId('whk') }));
    const last = { ...one, _id: `whk_${'z'.repeat(26)}`, releaseUid: null };
    await store.webhooks.insertMany([...others, last]);
    await hold(last._id, 1, 11);
    const ports = { store, ...config };
    const first = await deleteExpired(ports, { now: new Date() });
    expect(first.isLast).toBe(false);
    const release = { appUid: app.appUid, webhookUid: last._id };
    expect(await store.jobs.findOne(release)).toBeNull();
    const second = await deleteExpired(ports, { now: new Date(), cursor: first.cursor });
    expect(second.isLast).toBe(true);
    expect(await store.jobs.findOne(release)).toMatchObject({ kind: 'release', state: 'running' });
  });
});

/** A document that another transaction locks, and the activity that changes it. */
interface Work {
  lock: (session: ClientSession) => Promise<unknown>;
  run: () => Promise<unknown>;
}

async function releasing(activities: DeliveryActivities): Promise<Work> {
  const { store, app } = installation;
  const held = newDelivery(installation, new Date(Date.now() - 1_000), { state: 'held' });
  const { webhookUid, _id } = held;
  // The webhook is deleted, so its held delivery is cancelled.
  const release = newRelease({ appUid: app.appUid, webhookUid }, new Date());
  await store.deliveries.insertOne(held);
  await store.jobs.insertOne(release);
  return {
    lock: (session) =>
      store.deliveries.updateOne({ _id }, { $set: { event: 'agent.deleted' } }, { session }),
    run: () => activities.takeJobPage({ jobUid: release._id, page: 1 }),
  };
}

async function deletingExpired(activities: DeliveryActivities): Promise<Work> {
  const { jobs } = installation.store;
  const old = newRelease({ appUid: 'app_1', webhookUid: 'whk_1' }, new Date(0));
  const { _id } = old;
  await jobs.insertOne({ ...old, state: 'done', finishedAt: new Date(0) });
  return {
    lock: (session) => jobs.updateOne({ _id }, { $set: { appUid: 'app_2' } }, { session }),
    run: () => activities.takeJobPage({ jobUid: retentionJobUid, page: 1 }),
  };
}

async function erasing(activities: DeliveryActivities): Promise<Work> {
  const { store, app } = installation;
  const event = newEvent(installation, [], new Date(Date.now() - 1_000));
  const { _id, externalTenantId } = event;
  const erasure = newErasure(app.appUid, { externalTenantId }, new Date());
  await store.events.insertOne(event);
  await store.jobs.insertOne(erasure);
  return {
    lock: (session) => store.events.updateOne({ _id }, { $set: { sequence: 2 } }, { session }),
    run: () => activities.takeJobPage({ jobUid: erasure._id, page: 1 }),
  };
}

test.each([
  ['a page of a release', releasing],
  ['a batch of the retention', deletingExpired],
  ['a chunk of an erasure', erasing],
])('%s sends heartbeats while it waits', async (_what, prepare) => {
  await using sender = createHttpSender({ policy: installation.config.egress });
  const { lock, run } = await prepare(createActivities(deliveryPorts(installation, { sender })));
  await using session = installation.store.client.startSession();
  session.startTransaction();
  await lock(session);
  const environment = new MockActivityEnvironment();
  const beat = new Promise((resolve) => void environment.once('heartbeat', resolve));
  const working = environment.run(run);
  const first = await Promise.race([beat.then(() => 'a beat'), working.then(() => 'the end')]);
  await session.abortTransaction();
  await working;
  expect(first).toBe('a beat');
});
