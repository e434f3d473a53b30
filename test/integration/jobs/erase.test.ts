// Erasures during concurrent writes, erasures that are killed halfway, and the payloads that `mentions` erase.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { minuteMs } from '../../../lib/platform/duration.ts';
import type { ErasureJob } from '../../../lib/model/job.ts';
import type { Attempt } from '../../../lib/model/attempt.ts';
import { partitionId, type PartitionKey } from '../../../lib/model/partition.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { erasePayloads, eraseChunk } from '../../../lib/jobs/erasure/erase-chunk.ts';
import { insertErasure, newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import type { JobPage } from '../../../lib/temporal/job-messages.ts';
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
import { renderPayload } from '../../../lib/model/event-payload.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
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
  const sender = open.use(createHttpSender({ policy }));
  ports = deliveryPorts(installation, { sender });
});

afterEach(async () => {
  await installation.store.events.deleteMany({});
  await installation.store.jobs.deleteMany({});
});

afterAll(() => open[Symbol.asyncDispose]());

const passWaitMs = 5 * minuteMs;

function requestErasure(): Promise<ErasureJob> {
  const { store, app } = installation;
  const subject = { externalTenantId: 'tenant-1' };
  const wanted = { appUid: app.appUid, subject, now: new Date() };
  return inTransaction(store, (session) => insertErasure(store, wanted, session));
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

test('an erasure makes two passes, 5 minutes apart even if it is asked early, and then deletes its subject', async () => {
  const { _id: eventId } = await insertEvent(installation, [], inMs(-1_000));
  const erasure = await requestErasure();
  expect(await take(erasure, 1)).toEqual({ events: [], isLast: false, waitMs: passWaitMs });
  expect(await bodyOf(eventId)).toBe('');
  expect(await stateOf(erasure)).toMatchObject({ state: 'running', pass: 2, count: 1 });
  expect(await take(erasure, 1)).toMatchObject({ isLast: false });
  expect(await take(erasure, 2, passWaitMs - 1)).toMatchObject({ isLast: false, waitMs: 1 });
  expect(await take(erasure, 3, passWaitMs)).toMatchObject({ isLast: true });
  const done = { state: 'done', subject: null, count: 1, page: 3 };
  expect(await stateOf(erasure)).toMatchObject(done);
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
  expect(await take(erasure, 1, passWaitMs)).toMatchObject({ events: [] });
  expect(await take(erasure, 2, passWaitMs)).toMatchObject({ isLast: true });
  expect(await stateOf(erasure)).toMatchObject({ count: 5, page: 2 });
});

test('a partition whose head is erased while waiting for its retry is signalled, by the relay after a kill', async () => {
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
  const signalled: PartitionKey[] = [];
  const signalPartition = async (signal: PartitionKey): Promise<void> => {
    signalled.push(signal);
    throw new Error('killed');
  };
  const killed = takeJobPage({ ...ports, signalPartition }, { jobUid, page: 1 });
  await expect(killed).rejects.toThrow('killed');
  expect(signalled).toEqual([key]);
  const signalAt = expect.any(Date) as Date;
  expect(await store.partitions.findOne({ _id: partition })).toMatchObject({ signalAt });
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

/**
 * Records an event with the data, or with the data as a caller wrote it. Runs an erasure of the mention, and returns
 * whether the payload was erased.
 */
async function isErased(
  fields: Record<string, unknown>,
  mention: string,
  dataText?: string,
): Promise<boolean> {
  const { store, app } = installation;
  const event = newEvent(installation, [], inMs(-1_000));
  const { _id: eventId, appUid, createdAt: timestamp } = event;
  const data = { uid: event.resourceUid, externalTenantId: 'tenant-1', ...fields };
  const payload = { eventId, event: 'agent.updated', timestamp, appUid, data, dataText } as const;
  const body = renderPayload(payload);
  await store.events.insertOne({ ...event, body });
  const subject = { mentions: ['nobody', mention] };
  const erasure = newErasure(app.appUid, subject, new Date());
  await eraseChunk(store, erasure, new Date());
  const left = await store.events.findOne({ _id: eventId });
  await store.events.deleteOne({ _id: eventId });
  expect([body, '']).toContain(left?.body);
  return left?.body === '';
}

test.each<[mention: string, owner: unknown]>([
  ['ada', { people: [{ names: [['x'], ['y', 'ada']] }] }],
  ['tenant-1', 'nobody'],
  ['', ''],
  ['René', 'Ren\u00e9'],
  ['"ada"\t\\\u0001\u2028 😀', '"ada"\t\\\u0001\u2028 😀'],
  ['777', '777'],
  ['777', [1, 777, 2]],
  ['-1.5', -1.5],
])('the mention %j erases a payload with the owner %j', async (mention, owner) => {
  expect(await isErased({ owner }, mention)).toBe(true);
});

test.each<[mention: string, dataText: string, isMatch: boolean]>([
  ['ada', String.raw`{"owner":"\u0061d\u0061"}`, true],
  ['777', '{ "id" : 777 }', true],
  ['777', '{"id":77.7E+1,"more":1}', true],
  ['777', '{"ids":[1 , 7770e-1 ]}', true],
  ['0', '{"id":-0}', true],
  ['zoe\u0308', '{"owner":"zo\u00eb"}', true],
  ['zo\u00eb', String.raw`{"owner":"zoe\u0308"}`, true],
  ['777', '{"id":7.77e3}', false],
  ['777', '{"note":"[ 777 ]"}', false],
  ['ada', String.raw`{"owner":"\\u0061da"}`, false],
  ['1.50', '{"id":1.50}', false],
])(
  'the mention %j erases a payload whose caller wrote the data %s: %j',
  async (mention, dataText, isMatch) => {
    expect(await isErased({}, mention, dataText)).toBe(isMatch);
  },
);

test.each<[mention: string, data: Record<string, unknown>]>([
  ['owner', { owner: 'ada' }],
  ['777', { 777: 'ada' }],
  ['agent.updated', {}],
  ['ada', { owner: 'ada lovelace' }],
  ['ada', { note: '{"owner":"ada"}' }],
  ['Ada', { owner: 'ada' }],
  ['777', { id: 7770, ids: [1777, 777.5, -777] }],
  ['true', { owner: true }],
])(
  'the mention %j is no whole value, and keeps a payload with the data %j',
  async (mention, data) => {
    expect(await isErased(data, mention)).toBe(false);
  },
);

test("the application's uid, which is in every envelope, erases nothing as a mention", async () => {
  expect(await isErased({}, installation.app.appUid)).toBe(false);
});

test('a payload of 100,000 values, and one nested 2,000 deep, are searched completely', async () => {
  const many = Array.from({ length: 100_000 }, (_, n) => n % 10);
  let nested: unknown = 'ada';
  for (let depth = 0; depth < 2_000; depth += 1) nested = [nested];
  expect(await isErased({ many: [...many, 'ada'] }, 'ada')).toBe(true);
  expect(await isErased({ ada: many }, 'ada')).toBe(false);
  expect(await isErased({ nested }, 'ada')).toBe(true);
});
