// Erasures during concurrent writes, and erasures that are killed halfway.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { takeJobPage } from '../../../lib/jobs/job-pages.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { minuteMs } from '../../../lib/platform/duration.ts';
import type { ErasureJob } from '../../../lib/model/job.ts';
import type { Attempt } from '../../../lib/model/attempt.ts';
import { partitionId, type PartitionKey } from '../../../lib/model/partition.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { afterAllEvents, erasePayloads, newErasure } from '../../../lib/jobs/erasures.ts';
import type { JobPage } from '../../../lib/temporal/messages.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import {
  insertEvent,
  insertWebhook,
  newAttempt,
  newDelivery,
  newEvent,
} from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { portsAt } from '../../support/jobs.ts';
import { profile } from '../../support/query-plans.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
const signalled: PartitionKey[] = [];
/** Each function lets the receiver respond to a request with its own body. */
const answers: (() => void)[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response, { body }) => {
      answers.push(() => response.writeHead(200).end(body));
    }),
  );
  const { egress: policy } = installation.config;
  const signalPartition = async (key: PartitionKey): Promise<void> => void signalled.push(key);
  const sender = open.use(createHttpSender({ policy }));
  ports = deliveryPorts(installation, { sender, signalPartition });
});

afterEach(async () => {
  await installation.store.events.deleteMany({});
});

afterAll(() => open[Symbol.asyncDispose]());

const passWaitMs = 5 * minuteMs;

async function requestErasure(): Promise<ErasureJob> {
  const { store, app } = installation;
  const at = await afterAllEvents(store, app.appUid, new Date());
  const erasure = newErasure(app.appUid, { externalTenantId: 'tenant-1' }, at);
  await store.jobs.insertOne(erasure);
  return erasure;
}

/** Takes a page of an erasure `afterMs` after the request for it. */
function take({ _id, createdAt }: ErasureJob, page: number, afterMs = 0): Promise<JobPage> {
  const at = new Date(createdAt.getTime() + afterMs);
  return takeJobPage(portsAt(ports, at), { jobUid: _id, page });
}

const stateOf = ({ _id }: ErasureJob): Promise<unknown> => installation.store.jobs.findOne({ _id });

const bodyOf = async (eventId: string): Promise<string | undefined> =>
  (await installation.store.events.findOne({ _id: eventId }))?.body;

const inMs = (ms: number): Date => new Date(Date.now() + ms);

test('an erasure makes two passes, 5 minutes apart, and then deletes its subject', async () => {
  const { _id: eventId } = await insertEvent(installation, [], inMs(-1_000));
  const erasure = await requestErasure();
  expect(await take(erasure, 1)).toEqual({ events: [], isLast: false, waitMs: passWaitMs });
  expect(await bodyOf(eventId)).toBe('');
  expect(await stateOf(erasure)).toMatchObject({ state: 'running', pass: 2, count: 1 });
  expect(await take(erasure, 2, passWaitMs)).toMatchObject({ isLast: true });
  const done = { state: 'done', subject: null, count: 1, page: 2 };
  expect(await stateOf(erasure)).toMatchObject(done);
});

test('an event recorded before the request by a process whose clock is ahead is erased', async () => {
  const { _id: ahead } = await insertEvent(installation, [], inMs(60_000));
  const erasure = await requestErasure();
  const later = await insertEvent(installation, [], erasure.createdAt);
  await take(erasure, 1);
  expect(await bodyOf(ahead)).toBe('');
  expect(await bodyOf(later._id)).toBe(later.body);
});

test('when the last page of the first pass is repeated, only the rest of the 5 minutes is waited for', async () => {
  const erasure = await requestErasure();
  await take(erasure, 1);
  expect(await take(erasure, 1, minuteMs)).toMatchObject({ waitMs: passWaitMs - minuteMs });
  expect(await stateOf(erasure)).toMatchObject({ page: 1, pass: 2 });
});

test('an older event that is committed after the first pass is erased in the second', async () => {
  const { store } = installation;
  const erasure = await requestErasure();
  const event = newEvent(installation, [], new Date(erasure.createdAt.getTime() - 1));
  const session = store.client.startSession();
  session.startTransaction();
  await store.events.insertOne(event, { session });
  await take(erasure, 1);
  await session.commitTransaction();
  await session.endSession();
  const younger = await insertEvent(installation, [], inMs(1));
  expect(await bodyOf(event._id)).toBe(event.body);
  await take(erasure, 2, passWaitMs);
  expect(await bodyOf(event._id)).toBe('');
  expect(await bodyOf(younger._id)).toBe(younger.body);
  expect(await stateOf(erasure)).toMatchObject({ state: 'done', count: 1 });
});

test.each([
  ['a first attempt', 0],
  ['a retry', 1],
])(
  "a receiver's response to %s in flight is erased in the second pass",
  async (_which, attemptCount) => {
    const { store, app } = installation;
    const webhook = await insertWebhook(installation, { url: receiver.url });
    const { _id: eventId } = await insertEvent(installation, [webhook._id], inMs(-1_000));
    const key = { appUid: app.appUid, eventId, webhookUid: webhook._id };
    if (attemptCount > 0) {
      const fields = { ...key, state: 'retrying', attemptCount } as const;
      await store.deliveries.insertOne(newDelivery(installation, inMs(-1_000), fields));
    }
    answers.length = 0;
    const { signal } = new AbortController();
    const attempting = attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });
    await waitFor(() => answers.length === 1);
    const erasure = await requestErasure();
    await take(erasure, 1);
    answers[0]?.();
    await attempting;
    const recorded = await store.deliveries.findOne({ eventId });
    expect(recorded?.attempts[0]?.responseSample).not.toBe('');
    await take(erasure, 2, passWaitMs);
    const left = await store.deliveries.findOne({ eventId });
    expect(left?.attempts.map((attempt) => attempt.responseSample)).toEqual(['']);
    expect(JSON.stringify(left)).not.toContain('agentName');
  },
);

test('payloads erased before a kill are counted by the repeat, and by no other erasure', async () => {
  const { store } = installation;
  const [first, second] = [
    await insertEvent(installation, [], inMs(-1_000)),
    await insertEvent(installation, [], inMs(-1_000)),
  ];
  const [erasure, other] = [await requestErasure(), await requestErasure()];
  const facts = { erasureUid: erasure._id, now: new Date() };
  // As if killed after marking the first event, and after all writes for the second.
  await store.events.updateOne(
    { _id: first._id },
    { $set: { erasedAt: facts.now, erasureUid: erasure._id } },
  );
  await erasePayloads(store, [second._id], facts);
  for (const each of [erasure, other]) {
    await take(each, 1);
    await take(each, 2, passWaitMs);
  }
  expect(await bodyOf(first._id)).toBe('');
  expect(await stateOf(erasure)).toMatchObject({ state: 'done', count: 2 });
  expect(await stateOf(other)).toMatchObject({ state: 'done', count: 0 });
});

test('a page that two workers take concurrently, or that is repeated later, is counted once', async () => {
  for (let n = 0; n < 5; n += 1) await insertEvent(installation, [], inMs(-1_000));
  const erasure = await requestErasure();
  await Promise.all([take(erasure, 1), take(erasure, 1)]);
  await take(erasure, 2, passWaitMs);
  expect(await take(erasure, 1, passWaitMs)).toMatchObject({ isLast: true });
  expect(await stateOf(erasure)).toMatchObject({ count: 5, page: 2 });
});

test('a partition whose head is erased while waiting for its retry is signalled, even after a kill', async () => {
  const { store } = installation;
  const event = await insertEvent(installation, [], inMs(-1_000));
  const { appUid, entity, resourceUid, _id: eventId } = event;
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const key = { appUid, webhookUid: webhook._id, entity, resourceUid };
  const partition = partitionId(key);
  const counter = { asked: 2, settled: 0, lease: null, signalAt: null };
  await store.partitions.insertOne({ _id: partition, ...key, ...counter });
  const standing = { state: 'retrying', nextAttemptAt: inMs(60_000), partition } as const;
  const fields = { eventId, webhookUid: webhook._id, ...standing };
  const delivery = newDelivery(installation, inMs(-1_000), fields);
  await store.deliveries.insertOne(delivery);
  const erasure = await requestErasure();
  const { _id: jobUid } = erasure;
  const signalPartition = async () => Promise.reject(new Error('killed'));
  const killed = takeJobPage({ ...ports, signalPartition }, { jobUid, page: 1 });
  await expect(killed).rejects.toThrow('killed');
  await take(erasure, 1);
  expect(signalled).toEqual([key]);
  const left = await store.deliveries.findOne({ _id: delivery._id });
  expect(left).toMatchObject({ state: 'cancelled', nextAttemptAt: null });
});

/** Only one of the webhooks responded with nothing at all, and one with a header alone. */
function responseOf(webhookUid: string): Partial<Attempt> {
  if (webhookUid === 'whk_7') return { responseSample: '' };
  if (webhookUid !== 'whk_8') return { responseSample: 'an answer' };
  return { responseSample: '', responseHeaders: [{ name: 'location', value: '/agents/agt_1' }] };
}

test('a page of an erasure takes events with up to 5,000 deliveries, and writes none a second time', async () => {
  const { store } = installation;
  const at = inMs(-1_000);
  const webhookUids = Array.from({ length: 1_000 }, (_, n) => `whk_${n}`);
  const events = Array.from({ length: 6 }, () => newEvent(installation, webhookUids, at));
  const deliveries = events.flatMap(({ _id: eventId }) =>
    webhookUids.map((webhookUid) =>
      newDelivery(installation, at, {
        eventId,
        webhookUid,
        state: 'delivered',
        attempts: [newAttempt(at, responseOf(webhookUid))],
      }),
    ),
  );
  await store.events.insertMany(events);
  await store.deliveries.insertMany(deliveries);
  const erasure = await requestErasure();
  const written = async (page: number, afterMs = 0): Promise<number> => {
    const commands = await profile(store, 'deliveries', () => take(erasure, page, afterMs));
    return Math.max(...commands.map(({ nModified = 0 }) => Number(nModified)));
  };
  expect([await written(1), await written(2)]).toEqual([5 * 999, 999]);
  expect([await written(3, passWaitMs), await written(4, passWaitMs)]).toEqual([0, 0]);
  expect(await stateOf(erasure)).toMatchObject({ state: 'done', count: 6 });
  const samples = { 'attempts.responseSample': { $gt: '' } };
  const headers = { 'attempts.responseHeaders': { $exists: true } };
  expect(await store.deliveries.countDocuments({ $or: [samples, headers] })).toBe(0);
});
