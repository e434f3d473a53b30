// A partition: numbers without gaps, sent one after another by one process, even if a worker is lost.
import type { Clock } from '../../../lib/platform/clock.ts';
import { setSequence } from '../../../lib/model/event.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { wakePartition } from '../../../lib/order/wake-partition.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
} from '../../../lib/model/partition.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { countInTransaction } from '../../../lib/mongo/sequences.ts';
import { scheduleSignal, takeOverdue } from '../../../lib/order/partitions.ts';
import { LeaseLost } from '../../../lib/order/lease.ts';
import { sequenceOf } from '../../support/counting-receiver.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { issueNumber } from '../../support/issue-number.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';

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
  eventIds = [await insert(), await insert(), await insert()];
});

async function insert(): Promise<string> {
  const { webhookUid, resourceUid } = partition;
  const n = await issue();
  const event = { ...newEvent(installation, [webhookUid], now), resourceUid };
  setSequence(event, n);
  await installation.store.events.insertOne({ ...event, order: [{ webhookUid, n }] });
  return event._id;
}

const issue = (): Promise<number> => issueNumber(installation.store, partition);

async function stored(): Promise<PartitionDocument | null> {
  return installation.store.partitions.findOne({ _id: partitionId(partition) });
}

const change = (fields: Partial<PartitionDocument>) =>
  installation.store.partitions.updateOne({ _id: partitionId(partition) }, { $set: fields });

/** A lease of another process, by the database's clock. */
const leaseFor = (ms: number) => ({ by: 'another', until: new Date(Date.now() + ms) });

/** Requests an attempt like the workflow of the nth event does. */
const attempt = async (n: number, at: DeliveryPorts = ports) => {
  const { appUid, webhookUid } = partition;
  const key = { appUid, webhookUid, eventId: eventIds[n - 1] ?? '' };
  const outcome = await attemptDelivery(at, key, { caller: { kind: 'event' }, signal: never });
  await wakePartition(at, outcome);
  return outcome;
};

const step = (at: DeliveryPorts = ports) => attemptInOrder(at, partition, { signal: never });
const at = (time: Date): DeliveryPorts => ({ ...ports, clock: { now: () => time } });
const sent = (): number[] =>
  receiver.requests.filter((request) => request.path === path).map(sequenceOf);

test('a number whose transaction fails is issued to the next event', async () => {
  const { store } = installation;
  const failing = inTransaction(store, async (session) => {
    await countInTransaction(store, [partitionId(partition)], session);
    throw new Error('the change was refused');
  });
  await expect(failing).rejects.toThrow('the change was refused');
  expect(await issue()).toBe(4);
});

test('a release has a partition signalled soon, and postpones no signal', async () => {
  for (const [signalAt, expected] of [
    [null, later(9_000)],
    [later(60_000), later(9_000)],
    [later(5_000), later(5_000)],
  ] as const) {
    await change({ signalAt });
    await scheduleSignal(installation.store, [partitionId(partition)], { now: later(4_000) });
    expect(await stored()).toMatchObject({ signalAt: expected });
  }
});

test('the workflow of an event records it as pending, sends nothing, and wakes the partition', async () => {
  expect(await attempt(2)).toMatchObject({ state: 'continued' });
  expect(await installation.store.deliveries.findOne({ eventId: eventIds[1] })).toMatchObject({
    state: 'pending',
    partition: partitionId(partition),
  });
  expect(signalled).toEqual([partition]);
  expect(await step()).toMatchObject({ next: 'end', settled: [{}, {}, {}] });
  expect(sent()).toEqual([1, 2, 3]);
  // Its number has been settled now.
  expect(await attempt(2)).toMatchObject({ state: 'delivered' });
  expect(signalled).toHaveLength(1);
});

test('the workflow of an event does not wake the partition for a delivery that a job sends', async () => {
  await attempt(2);
  const taken = { jobUid: 'job_1', jobPage: 1 };
  await installation.store.deliveries.updateOne({ eventId: eventIds[1] }, { $set: taken });
  expect(await attempt(2)).toMatchObject({ state: 'continued', continuesIn: 'job/job_1/1' });
  expect(signalled).toHaveLength(1);
});

test('of two concurrent drains one sends', async () => {
  const steps = await Promise.all([step(), step({ ...ports, processUid: 'prc_other' })]);
  const nexts = steps.map(({ next }) => next);
  expect(nexts).toContain('end');
  expect(nexts).toContainEqual({ waitMs: 2_000 });
  expect(sent()).toEqual([1, 2, 3]);
});

test('a number that is issued while a drain releases its lease is sent by that drain', async () => {
  const { store } = installation;
  const busy = { ...ports, processUid: 'prc_other' };
  const issued = { isDone: false };
  const find = async (...args: [never]) => {
    const found = await store.sequences.findOne(...args);
    const { settled, lease } = (await stored()) ?? {};
    if (issued.isDone || settled !== 3 || lease === null) return found;
    issued.isDone = true;
    await insert();
    // It finds the lease taken.
    expect(await step(busy)).toMatchObject({ next: { waitMs: 2_000 } });
    return found;
  };
  const sequences = new Proxy(store.sequences, {
    get: (target, name) => (name === 'findOne' ? find : Reflect.get(target, name)),
  });
  expect(await step({ ...ports, store: { ...store, sequences } })).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 2, 3, 4]);
});

test('a partition does not wait for deleted events', async () => {
  await installation.store.events.deleteMany({ _id: { $in: [eventIds[0], eventIds[1]] } });
  expect(await step()).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([3]);
  expect(await stored()).toMatchObject({ settled: 3, signalAt: null });
});

test('the partition of a killed holder continues when its lease has run out', async () => {
  await change({ lease: leaseFor(5_000) });
  expect(await step()).toMatchObject({ next: { waitMs: 2_000 } });
  expect(sent()).toEqual([]);
  await change({ lease: leaseFor(-1) });
  expect(await step()).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 2, 3]);
});

test('a drain that fails by our own fault releases its lease, and its repeat sends the same number', async () => {
  const lost = new Error('the record failed');
  const failing = { ...ports, records: { ...ports.records, record: () => Promise.reject(lost) } };
  await expect(step(failing)).rejects.toBe(lost);
  expect(await stored()).toMatchObject({ settled: 0, lease: null, signalAt: later(5_000) });
  expect(await step()).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 1, 2, 3]);
});

test('a drain with too little left of its lease sends no request', async () => {
  const slow = {
    ...ports.records,
    readWebhook: async (...args: Parameters<typeof ports.records.readWebhook>) => {
      // As if the process had been suspended.
      ageMs = 10_000;
      return ports.records.readWebhook(...args);
    },
  };
  let ageMs = 0;
  const real = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => real() + ageMs);
  try {
    await expect(step({ ...ports, records: slow })).rejects.toThrow(LeaseLost);
  } finally {
    clock.mockRestore();
  }
  expect(sent()).toEqual([]);
});

test('a kill between the record of an attempt and the settling of its number sends nothing twice', async () => {
  expect(await step()).toMatchObject({ next: 'end' });
  await change({ settled: 0, lease: leaseFor(-1) });
  expect(await step()).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 2, 3]);
  expect(await stored()).toMatchObject({ settled: 3, lease: null });
});

test('the workflow of a partition whose webhook was deleted ends', async () => {
  await installation.store.partitions.deleteOne({ _id: partitionId(partition) });
  expect(await step()).toMatchObject({ next: 'end' });
});

test('events after a head that was held for too long are sent once it is cancelled', async () => {
  const { store, retention } = ports;
  const setActive = (active: boolean) =>
    store.webhooks.updateOne({ _id: partition.webhookUid }, { $set: { active } });
  expect(await attempt(2)).toMatchObject({ state: 'continued' });
  await setActive(false);
  expect(await step()).toMatchObject({ next: 'end' });
  expect(await stored()).toMatchObject({ settled: 0, signalAt: null });

  const tooLate = later(retention.heldMs + 1);
  await deleteExpired(ports, { now: tooLate });
  await setActive(true);
  const soon = new Date(tooLate.getTime() + 11_000);
  expect(await takeOverdue(store, soon, 10)).toMatchObject([{ _id: partitionId(partition) }]);
  expect(await step(at(soon))).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([2, 3]);
});
