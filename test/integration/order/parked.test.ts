// While a receiver fails, few partitions of its webhook retry. The others are parked, and the relay resumes them.
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { wakePartition } from '../../../lib/order/wake-partition.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { attemptLimits, dispatchLimits } from '../../../lib/limits.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
  type PartitionRetry,
} from '../../../lib/model/partition.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { resumeParked } from '../../../lib/order/parked.ts';
import { takeOverdue } from '../../../lib/order/partitions.ts';
import { scheduleAllSignals } from '../../../lib/order/after-restore.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { insertPartition, issueNumber } from '../../support/issue-number.ts';
import { distinctScan } from '../../support/query-plans.ts';
import { startReceiver } from '../../support/receivers.ts';

const { retryingPartitionsMax, resumedPartitionsMax } = attemptLimits;
const open = new Disposal();
const never = new AbortController().signal;
const now = new Date();
const later = (ms: number): Date => new Date(now.getTime() + ms);
let installation: Installation;
let ports: DeliveryPorts;
let signalled: PartitionKey[];
let status: number;
let url: string;
let webhook: StoredWebhook;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  url = receiver.url;
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  const signalPartition = async (key: PartitionKey) => void signalled.push(key);
  ports = deliveryPorts(installation, { sender, signalPartition, clock: { now: () => now } });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  [status, signalled] = [500, []];
  await installation.store.partitions.deleteMany({});
  webhook = await insertOrdered(now);
});

const insertOrdered = (failingSince: Date | null, appUid?: string): Promise<StoredWebhook> =>
  insertWebhook(
    appUid === undefined ? installation : { ...installation, app: { ...installation.app, appUid } },
    { url, ordering: 'resource', failingSince, retryScheduleMs: [60_000] },
  );

const keyIn = ({ _id: webhookUid, appUid }: StoredWebhook): PartitionKey => ({
  appUid,
  webhookUid,
  entity: 'agent',
  resourceUid: newId('agt'),
});

const retryOf = (isParked: boolean, dueAt = now): PartitionRetry => ({ isParked, dueAt });

async function insertMany(of: StoredWebhook, count: number, retry: PartitionRetry): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await insertPartition(installation.store, { ...keyIn(of), issued: 1, retry });
  }
}

const countOf = (isParked: boolean, of = webhook): Promise<number> =>
  installation.store.partitions.countDocuments({
    webhookUid: of._id,
    'retry.isParked': isParked,
  });

async function insertHead(): Promise<{ partition: PartitionKey; eventId: string }> {
  const partition = keyIn(webhook);
  const n = await issueNumber(installation.store, partition);
  const event = newEvent(installation, [webhook._id], now);
  const order = [{ webhookUid: webhook._id, n }];
  const { resourceUid } = partition;
  await installation.store.events.insertOne({ ...event, resourceUid, order });
  return { partition, eventId: event._id };
}

const stored = (partition: PartitionKey): Promise<PartitionDocument | null> =>
  installation.store.partitions.findOne({ _id: partitionId(partition) });

const step = (partition: PartitionKey) => attemptInOrder(ports, partition, { signal: never });

test.each([
  { retrying: retryingPartitionsMax - 1, isParked: false },
  { retrying: retryingPartitionsMax, isParked: true },
])(
  'a partition whose head fails beside $retrying others that retry is parked: $isParked',
  async ({ retrying, isParked }) => {
    await insertMany(webhook, retrying, retryOf(false));
    const { partition } = await insertHead();
    const { next, settled } = await step(partition);
    expect(next).toEqual(isParked ? 'end' : { waitMs: expect.any(Number) as number });
    // So that its workflow does not end as if everything were delivered.
    expect(settled.map(({ state }) => state)).toEqual(isParked ? ['continued'] : []);
    const { retry, signalAt } = (await stored(partition)) ?? {};
    expect(retry).toMatchObject({ isParked });
    expect(retry?.dueAt.getTime()).toBeGreaterThanOrEqual(later(60_000).getTime());
    expect(signalAt === null).toBe(isParked);
  },
);

test('a partition that retries keeps retrying when its head fails again', async () => {
  await insertMany(webhook, retryingPartitionsMax, retryOf(false));
  const { partition } = await insertHead();
  await installation.store.partitions.updateOne(
    { _id: partitionId(partition) },
    { $set: { retry: retryOf(false) } },
  );
  expect((await step(partition)).next).toEqual({ waitMs: expect.any(Number) as number });
});

test('a partition that has sent everything retries no more', async () => {
  status = 200;
  const { partition } = await insertHead();
  await installation.store.partitions.updateOne(
    { _id: partitionId(partition) },
    { $set: { retry: retryOf(false) } },
  );
  expect((await step(partition)).next).toBe('end');
  expect(await stored(partition)).not.toHaveProperty('retry');
});

test('the workflow of an event does not wake a parked partition', async () => {
  await insertMany(webhook, retryingPartitionsMax, retryOf(false));
  const { partition, eventId } = await insertHead();
  await step(partition);
  const { appUid } = webhook;
  const key = { appUid, eventId, webhookUid: webhook._id };
  const call = async () => {
    const outcome = await attemptDelivery(ports, key, { caller: { kind: 'event' }, signal: never });
    await wakePartition(ports, outcome);
    return outcome;
  };
  expect(await call()).toMatchObject({ state: 'continued' });
  expect(signalled).toEqual([]);
  await installation.store.partitions.updateMany({}, { $set: { 'retry.isParked': false } });
  await call();
  expect(signalled).toEqual([partition]);
});

test('while its receiver fails, a parked partition resumes for each that has ended, the longest due first', async () => {
  await insertMany(webhook, retryingPartitionsMax - 2, retryOf(false));
  await insertMany(webhook, 3, retryOf(true, later(-1_000)));
  await insertMany(webhook, 2, retryOf(true, later(-2_000)));
  expect(await resumeParked(installation.store, now)).toBe(2);
  expect([await countOf(false), await countOf(true)]).toEqual([retryingPartitionsMax, 3]);
  const overdue = await takeOverdue(installation.store, now, 10);
  expect(overdue.map(({ retry }) => retry?.dueAt)).toEqual([later(-2_000), later(-2_000)]);
  expect(await resumeParked(installation.store, now)).toBe(0);
});

test('after a success at the webhook, many parked partitions resume, however many retry', async () => {
  await installation.store.webhooks.updateOne(
    { _id: webhook._id },
    { $set: { failingSince: null } },
  );
  await insertMany(webhook, retryingPartitionsMax, retryOf(false));
  await insertMany(webhook, resumedPartitionsMax + 1, retryOf(true));
  expect(await resumeParked(installation.store, now)).toBe(resumedPartitionsMax);
});

test.each([
  { at: 'due now', dueAt: now, count: 1 },
  { at: 'due in a millisecond', dueAt: later(1), count: 0 },
])('a parked partition $at resumes: $count', async ({ dueAt, count }) => {
  await insertMany(webhook, 1, retryOf(true, dueAt));
  expect(await resumeParked(installation.store, now)).toBe(count);
});

test('an application resumes at most three quarters of the partitions of a sweep', async () => {
  const share = Math.floor((dispatchLimits.relayedPerSweepMax * 3) / 4);
  const other = await insertOrdered(null, newId('app'));
  for (const one of await Promise.all(Array.from({ length: 5 }, () => insertOrdered(null)))) {
    await insertMany(one, 80, retryOf(true));
  }
  await insertMany(other, 1, retryOf(true));
  expect(await resumeParked(installation.store, now)).toBe(share + 1);
  expect(await countOf(true, other)).toBe(0);
});

test('an application with more parked webhooks than a sweep serves leaves a turn to others', async () => {
  const many = Array.from({ length: 400 }, () => insertOrdered(now));
  for (const one of await Promise.all(many)) await insertMany(one, 1, retryOf(true));
  const other = await insertOrdered(now, newId('app'));
  await insertMany(other, 1, retryOf(true));
  expect(await resumeParked(installation.store, now)).toBe(100);
  expect(await countOf(true, other)).toBe(0);
});

test('a restore leaves parked partitions to the relay', async () => {
  await insertMany(webhook, 1, retryOf(true));
  expect(await scheduleAllSignals(installation.store, now)).toBe(0);
  await insertMany(webhook, 1, retryOf(false));
  expect(await scheduleAllSignals(installation.store, now)).toBe(1);
});

test('the relay finds the webhooks with parked partitions by one key of an index each', async () => {
  await insertMany(webhook, 3, retryOf(true));
  const { store } = installation;
  const scan = await distinctScan(store, 'partitions', () => resumeParked(store, later(-1)));
  expect(scan).toEqual({ indexes: new Set(['partitions.retry']), docsExamined: 0 });
});
