// The turns of a partition: numbers without gaps, attempted one at a time, even if a worker is lost.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../../lib/platform/clock.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import { takeJobPage } from '../../../lib/deliveries/job-pages.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { deleteExpired } from '../../../lib/deliveries/retention.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
} from '../../../lib/model/partition.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { newRelease } from '../../../lib/deliveries/jobs.ts';
import {
  claimTurn,
  expectSignal,
  issueNumbers,
  returnTurn,
  settleTurn,
  takeOverdue,
} from '../../../lib/deliveries/partitions.ts';
import { sequenceOf } from '../../support/counting-receiver.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';

const open = new Disposal();
const never = new AbortController().signal;
const now = new Date();
const later = (ms: number): Date => new Date(now.getTime() + ms);
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let signalled: PartitionKey[];
let status: number;
let path: string;
let partition: PartitionKey;
let eventIds: [string, string, string];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  const signalPartition = async (key: PartitionKey) => void signalled.push(key);
  const clock: Clock = { now: () => now };
  ports = deliveryPorts(installation, { sender, signalPartition, clock });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  const { store } = installation;
  [status, signalled] = [200, []];
  await store.partitions.deleteMany({});
  const resourceUid = newId('agt', now);
  path = `/${resourceUid}`;
  const { appUid, _id: webhookUid } = await insertWebhook(installation, {
    url: `${receiver.url}${path}`,
    ordering: 'resource',
    retryScheduleMs: [60_000],
  });
  partition = { appUid, webhookUid, entity: 'agent', resourceUid };
  const insert = async (): Promise<string> => {
    const [n = 0] = await issue();
    const event = { ...newEvent(installation, [webhookUid], now), resourceUid, sequence: n };
    await store.events.insertOne({ ...event, order: [{ webhookUid, n }] });
    return event._id;
  };
  eventIds = [await insert(), await insert(), await insert()];
});

const issue = (at = now): Promise<number[]> =>
  inTransaction(installation.store, (session) =>
    issueNumbers(installation.store, [partition], { now: at, session }),
  );

async function stored(): Promise<PartitionDocument | null> {
  return installation.store.partitions.findOne({ _id: partitionId(partition) });
}

const change = (fields: Partial<PartitionDocument>) =>
  installation.store.partitions.updateOne({ _id: partitionId(partition) }, { $set: fields });

const turn = (n: number) => ({ partition, n });

/** Asks for an attempt as the workflow of the nth event does. */
const attempt = (n: number, at: DeliveryPorts = ports) => {
  const { appUid, webhookUid } = partition;
  const key = { appUid, webhookUid, eventId: eventIds[n - 1] ?? '' };
  return attemptDelivery(at, key, { asker: { kind: 'event' }, signal: never });
};

const step = (at: DeliveryPorts = ports) => attemptInOrder(at, partition, never);
const at = (time: Date): DeliveryPorts => ({ ...ports, clock: { now: () => time } });
const sent = (): number[] =>
  receiver.requests.filter((request) => request.path === path).map(sequenceOf);

test('concurrent events get numbers without gaps', async () => {
  const numbers = (await Promise.all(Array.from({ length: 20 }, issue))).flat();
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 4));
  expect(await stored()).toMatchObject({ issued: 23, settled: 0, lease: null });
});

test('a number whose transaction fails is issued to the next event', async () => {
  const { store } = installation;
  const failing = inTransaction(store, async (session) => {
    await issueNumbers(store, [partition], { now, session });
    throw new Error('the change was refused');
  });
  await expect(failing).rejects.toThrow('the change was refused');
  expect(await issue()).toEqual([4]);
});

const lease = { by: 'another', until: later(1_000) };

test.each([
  { what: 'the first number without a lease', n: 1, partition: {}, isClaimed: true },
  { what: 'a number whose predecessor is not settled', n: 2, partition: {}, isClaimed: false },
  {
    what: 'a number whose predecessor is settled',
    n: 2,
    partition: { settled: 1 },
    isClaimed: true,
  },
  { what: 'a settled number', n: 1, partition: { settled: 1 }, isClaimed: false },
  { what: "a number with another holder's lease", n: 1, partition: { lease }, isClaimed: false },
  {
    what: 'a number with a lease of the same holder',
    n: 1,
    partition: { lease: { ...lease, by: 'mine' } },
    isClaimed: true,
  },
  {
    what: 'a number with an expired lease',
    n: 1,
    partition: { lease: { ...lease, until: later(-1) } },
    isClaimed: true,
  },
])('$what can be claimed: $isClaimed', async ({ n, partition: fields, isClaimed }) => {
  await change(fields);
  expect(await claimTurn(installation.store, turn(n), { by: 'mine', now })).toBe(isClaimed);
  expect((await stored())?.lease?.by === 'mine').toBe(isClaimed);
});

test('only one of several concurrent claims gets the turn', async () => {
  const claims = Array.from({ length: 10 }, (_, index) =>
    claimTurn(installation.store, turn(1), { by: `holder-${index}`, now }),
  );
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
});

test('a number is settled once, in order, and the result says whether a later one waits', async () => {
  const settle = (n: number) => settleTurn(installation.store, turn(n), now);
  await change({ lease });
  expect(await settle(2)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 0, lease });
  expect(await settle(1)).toBe(true);
  expect(await settle(1)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 1, lease: null, signalAt: later(5_000) });
  expect(await settle(2)).toBe(true);
  expect(await settle(3)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 3, signalAt: null });
});

test.each([
  { what: 'is free', by: 'another', dueAt: later(5_000), isFree: true },
  { what: 'is not overdue while its delivery is held', by: 'another', dueAt: null, isFree: true },
  { what: 'stays with its new holder', by: 'mine', dueAt: later(5_000), isFree: false },
])('a returned turn $what', async ({ by, dueAt, isFree }) => {
  await change({ lease, signalAt: now });
  await returnTurn(installation.store, turn(1), { by, dueAt });
  const signalAt = dueAt === null ? null : later(65_000);
  expect(await stored()).toMatchObject(
    isFree ? { lease: null, signalAt } : { lease, signalAt: now },
  );
});

test('overdue partitions are returned once a minute, the longest overdue first', async () => {
  const { store } = installation;
  const others = ['b', 'a'].map((resourceUid, index) => ({
    ...partition,
    _id: partitionId({ ...partition, resourceUid }),
    resourceUid,
    issued: 1,
    settled: 0,
    lease: null,
    signalAt: later(-1_000 * (index + 1)),
  }));
  await store.partitions.insertMany([
    ...others,
    { ...partition, _id: 'idle', issued: 1, settled: 1, lease: null, signalAt: null },
  ]);
  const take = async (time: Date, max = 10): Promise<string[]> =>
    (await takeOverdue(store, time, max)).map(({ resourceUid }) => resourceUid);
  expect(await take(now, 1)).toEqual(['a']);
  expect(await take(now)).toEqual(['b']);
  expect(await take(now)).toEqual([]);
  expect(await take(later(5_001))).toEqual([partition.resourceUid]);
  expect((await take(later(60_001))).toSorted()).toEqual(['a', 'b']);
});

test('the signal of a waiting number is not postponed by later numbers and releases', async () => {
  const { store } = installation;
  const expectSignalAt = (at: Date) => expectSignal(store, [partitionId(partition)], { now: at });
  await issue(later(4_000));
  await expectSignalAt(later(4_000));
  expect(await stored()).toMatchObject({ issued: 4, signalAt: later(5_000) });
  await change({ signalAt: later(60_000) });
  await issue(later(4_000));
  expect(await stored()).toMatchObject({ issued: 5, signalAt: later(60_000) });
  await expectSignalAt(later(4_000));
  expect(await stored()).toMatchObject({ signalAt: later(9_000) });
  for (const renew of [issue, expectSignalAt]) {
    await change({ signalAt: null });
    await renew(later(4_000));
    expect(await stored()).toMatchObject({ signalAt: later(9_000) });
  }
});

test('an event before its turn is recorded as pending, and settling its predecessor signals the partition', async () => {
  expect(await attempt(2)).toMatchObject({ state: 'waiting' });
  expect(await installation.store.deliveries.findOne({ eventId: eventIds[1] })).toMatchObject({
    state: 'pending',
    partition: partitionId(partition),
  });
  expect(await attempt(1)).toMatchObject({ state: 'delivered' });
  expect(signalled).toEqual([partition]);
  expect(await step()).toMatchObject({ next: 'end', settled: [{}, {}] });
  expect(sent()).toEqual([1, 2, 3]);
});

test('a partition does not wait for deleted events', async () => {
  await installation.store.events.deleteMany({ _id: { $in: [eventIds[0], eventIds[1]] } });
  expect(await step()).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([3]);
  expect(await stored()).toMatchObject({ issued: 3, settled: 3, signalAt: null });
});

test('events wait behind a failed head and do not overtake it', async () => {
  status = 500;
  expect(await attempt(1)).toMatchObject({ state: 'waiting' });
  expect(signalled).toEqual([partition]);
  const waiting = await step();
  expect(waiting).toMatchObject({ isFailing: true, waiting: eventIds, settled: [] });
  expect(await attempt(2)).toMatchObject({ state: 'waiting' });
  expect(sent()).toEqual([1]);

  status = 200;
  expect(await step(at(later(70_000)))).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 1, 2, 3]);
});

test('the turn of a lost holder is claimed only after its lease has expired', async () => {
  expect(await claimTurn(installation.store, turn(1), { by: eventIds[0], now })).toBe(true);
  expect(await step(at(later(40_000)))).toMatchObject({ next: { waitMs: 2_000 } });
  expect(sent()).toEqual([]);
  expect(await step(at(later(40_001)))).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 2, 3]);
});

test('an activity that was killed during its attempt repeats it immediately when it is called again', async () => {
  const killed = { ...ports, records: { ...ports.records, record: () => Promise.reject(lost) } };
  const lost = new Error('killed before the record');
  await expect(attempt(1, killed)).rejects.toBe(lost);
  expect(await attempt(1)).toMatchObject({ state: 'delivered' });
  expect(sent()).toEqual([1, 1]);
});

test('a kill between the record of an attempt and the end of its turn delays no later event', async () => {
  await attempt(1);
  await change({ settled: 0, lease });
  expect(await step()).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 2, 3]);
  expect(await stored()).toMatchObject({ settled: 3, lease: null });
});

test('the partitions of a deleted webhook are deleted, and those of no other', async () => {
  const { store } = installation;
  const { appUid, webhookUid } = partition;
  const other = { ...partition, webhookUid: `${webhookUid}x` };
  const facts = { issued: 1, settled: 0, lease: null, signalAt: null };
  await store.partitions.insertOne({ ...other, ...facts, _id: partitionId(other) });
  await store.webhooks.deleteOne({ _id: webhookUid });
  const release = newRelease({ appUid, webhookUid }, now);
  await store.jobs.insertOne(release);
  const page = { jobUid: release._id, page: 1 };
  // By then, attempts that read the webhook before its deletion have recorded their deliveries.
  expect(await takeJobPage(at(later(36_000)), page)).toMatchObject({ isLast: true });
  expect(await store.partitions.distinct('_id')).toEqual([partitionId(other)]);
});

test('events behind a head that was held for too long are sent once it is cancelled', async () => {
  const { store, retention } = ports;
  const setActive = (active: boolean) =>
    store.webhooks.updateOne({ _id: partition.webhookUid }, { $set: { active } });
  expect(await attempt(2)).toMatchObject({ state: 'waiting' });
  await setActive(false);
  expect(await attempt(1)).toMatchObject({ state: 'held' });
  expect(await stored()).toMatchObject({ settled: 0, signalAt: null });

  const tooLate = later(retention.heldMs + 1);
  await deleteExpired(ports, { now: tooLate });
  await setActive(true);
  const soon = new Date(tooLate.getTime() + 11_000);
  expect(await takeOverdue(store, soon, 10)).toMatchObject([{ _id: partitionId(partition) }]);
  expect(await step(at(soon))).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([2, 3]);
});

test('fifty concurrent changes of one resource arrive once each in the order of their numbers', async () => {
  await using service = await startService();
  const { uid } = await registerWebhook(service, {
    url: `${receiver.url}${path}`,
    ordering: 'resource',
  });
  const body = { event: 'agent.updated', data: { uid: 'agt_busy', externalTenantId: 't' } };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => service.call('POST', '/changes', { body })),
  );
  expect(answers.filter((answer) => answer.status !== 202)).toEqual([]);
  await waitFor(() => sent().length >= 50, { what: '50 requests', state: sent });
  const events = await service.store.events.find().sort({ sequence: 1 }).toArray();
  const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
  expect(events.map(({ order }) => order)).toEqual(numbers.map((n) => [{ webhookUid: uid, n }]));
  expect(sent()).toEqual(numbers);
  await waitFor(async () => (await service.store.partitions.findOne({ settled: 50 })) !== null, {
    what: 'the settled partition',
  });
});
