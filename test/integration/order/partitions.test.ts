// The turns of a partition: numbers without gaps, attempted one at a time, even if a worker is lost.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../../lib/platform/clock.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { deleteExpired } from '../../../lib/jobs/retention.ts';
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
import { expectSignal, issueNumbers, takeOverdue } from '../../../lib/order/partitions.ts';
import { claimTurns, returnTurn, settleTurns } from '../../../lib/order/turns.ts';
import { sequenceOf } from '../../support/counting-receiver.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { issueNumber } from '../../support/give-turn.ts';
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
    const n = await issue();
    const event = { ...newEvent(installation, [webhookUid], now), resourceUid, sequence: n };
    await store.events.insertOne({ ...event, order: [{ webhookUid, n }] });
    return event._id;
  };
  eventIds = [await insert(), await insert(), await insert()];
});

const issue = (): Promise<number> => issueNumber(installation.store, partition);

async function stored(): Promise<PartitionDocument | null> {
  return installation.store.partitions.findOne({ _id: partitionId(partition) });
}

const change = (fields: Partial<PartitionDocument>) =>
  installation.store.partitions.updateOne({ _id: partitionId(partition) }, { $set: fields });

const turn = (n: number) => ({ partition, n });

async function claim(n: number, by: string, at = now): Promise<boolean | undefined> {
  const claims = [{ turn: turn(n), by, now: at }];
  return (await claimTurns(installation.store, claims))[0];
}

async function settle(n: number): Promise<boolean | undefined> {
  return (await settleTurns(installation.store, [{ turn: turn(n), now }]))[0];
}

/** Asks for an attempt as the workflow of the nth event does. */
const attempt = (n: number, at: DeliveryPorts = ports) => {
  const { appUid, webhookUid } = partition;
  const key = { appUid, webhookUid, eventId: eventIds[n - 1] ?? '' };
  return attemptDelivery(at, key, { caller: { kind: 'event' }, signal: never });
};

const step = (at: DeliveryPorts = ports) => attemptInOrder(at, partition, { signal: never });
const at = (time: Date): DeliveryPorts => ({ ...ports, clock: { now: () => time } });
const sent = (): number[] =>
  receiver.requests.filter((request) => request.path === path).map(sequenceOf);

test('concurrent events get numbers without gaps', async () => {
  const numbers = await Promise.all(Array.from({ length: 20 }, issue));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 4));
  expect(await stored()).toMatchObject({ settled: 0, asked: 0, lease: null, signalAt: null });
});

test('a number whose transaction fails is issued to the next event', async () => {
  const { store } = installation;
  const failing = inTransaction(store, async (session) => {
    await countInTransaction(store, [partitionId(partition)], session);
    throw new Error('the change was refused');
  });
  await expect(failing).rejects.toThrow('the change was refused');
  expect(await issue()).toBe(4);
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
  expect(await claim(n, 'mine')).toBe(isClaimed);
  expect((await stored())?.lease?.by === 'mine').toBe(isClaimed);
});

test('only one of several concurrent claims gets the turn', async () => {
  const claims = Array.from({ length: 10 }, (_, index) => claim(1, `holder-${index}`));
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
});

test('a number is settled once, in order, and the result says whether a later one was asked for', async () => {
  await change({ lease });
  expect(await settle(2)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 0, asked: 2, lease, signalAt: later(5_000) });
  expect(await settle(1)).toBe(true);
  expect(await settle(1)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 1, lease: null, signalAt: later(5_000) });
  expect(await settle(2)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 2, signalAt: null });
  expect(await settle(3)).toBe(false);
  expect(await stored()).toMatchObject({ settled: 3, asked: 3, signalAt: null });
});

test('a number that is claimed too early is signalled when the one before is settled, or else by the relay', async () => {
  expect(await claim(1, 'first')).toBe(true);
  expect(await claim(2, 'second', later(56_000))).toBe(false);
  // Later claims do not postpone it.
  expect(await stored()).toMatchObject({ asked: 2, signalAt: later(60_000) });
  expect(await settle(1)).toBe(true);
  expect(await stored()).toMatchObject({ settled: 1, signalAt: later(5_000) });
});

test('of the turns of a partition that are claimed and settled in one command each gets its own answer', async () => {
  const { store } = installation;
  const claims = [2, 1, 3].map((n) => ({ turn: turn(n), by: `holder-${n}`, now }));
  expect(await claimTurns(store, claims)).toEqual([false, true, false]);
  expect(await stored()).toMatchObject({ asked: 3, lease: { by: 'holder-1' } });
  const settled = [2, 1].map((n) => ({ turn: turn(n), now }));
  expect(await settleTurns(store, settled)).toEqual([false, true]);
  const rest = [2, 3].map((n) => ({ turn: turn(n), now }));
  expect(await settleTurns(store, rest)).toEqual([false, false]);
  expect(await stored()).toMatchObject({ settled: 3, lease: null, signalAt: null });
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
    settled: 0,
    asked: 1,
    lease: null,
    signalAt: later(-1_000 * (index + 1)),
  }));
  await store.partitions.insertMany([
    ...others,
    { ...partition, _id: 'idle', settled: 1, asked: 1, lease: null, signalAt: null },
  ]);
  await claim(2, 'too early');
  const take = async (time: Date, max = 10): Promise<string[]> =>
    (await takeOverdue(store, time, max)).map(({ resourceUid }) => resourceUid);
  expect(await take(now, 1)).toEqual(['a']);
  expect(await take(now)).toEqual(['b']);
  expect(await take(now)).toEqual([]);
  expect(await take(later(5_001))).toEqual([partition.resourceUid]);
  expect((await take(later(60_001))).toSorted()).toEqual(['a', 'b']);
});

test('a release has a partition signalled soon, and postpones no signal', async () => {
  for (const [signalAt, expected] of [
    [null, later(9_000)],
    [later(60_000), later(9_000)],
    [later(5_000), later(5_000)],
  ] as const) {
    await change({ signalAt });
    await expectSignal(installation.store, [partitionId(partition)], { now: later(4_000) });
    expect(await stored()).toMatchObject({ signalAt: expected });
  }
});

test('numbers that a replay issues are asked for', async () => {
  const { store } = installation;
  await change({ settled: 2, asked: 2 });
  const numbers = await inTransaction(store, (session) =>
    issueNumbers(store, [partition, partition], session),
  );
  expect(numbers).toEqual([4, 5]);
  expect(await settle(3)).toBe(true);
  expect(await stored()).toMatchObject({ settled: 3, asked: 5, signalAt: later(5_000) });
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
  expect(await stored()).toMatchObject({ settled: 3, signalAt: null });
});

test('events wait behind a failed head and do not overtake it', async () => {
  status = 500;
  expect(await attempt(1)).toMatchObject({ state: 'waiting' });
  expect(signalled).toEqual([partition]);
  const waiting = await step();
  expect(waiting).toMatchObject({ head: { attemptCount: 1 }, waiting: eventIds, settled: [] });
  expect(await attempt(2)).toMatchObject({ state: 'waiting' });
  expect(sent()).toEqual([1]);

  status = 200;
  expect(await step(at(later(70_000)))).toMatchObject({ next: 'end' });
  expect(sent()).toEqual([1, 1, 2, 3]);
});

test('the turn of a lost holder is claimed only after its lease has expired', async () => {
  expect(await claim(1, eventIds[0] ?? '')).toBe(true);
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
