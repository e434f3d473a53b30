// The lease of a partition: who can take it, for how long, and what its holder may do. And a step that is cancelled.
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
} from '../../../lib/model/partition.ts';
import {
  type Lease,
  LeaseLost,
  releaseLease,
  requireLease,
  settleNext,
  takeLease,
} from '../../../lib/order/lease.ts';
import { readProgress } from '../../../lib/order/partitions.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { insertPartition, giveNumber } from '../../support/issue-number.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/receivers.ts';

const now = new Date();
const later = (ms: number): Date => new Date(now.getTime() + ms);
const open = new Disposal();
let installation: Installation;
let partition: PartitionKey;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  const { appUid } = installation.app;
  const webhookUid = newId('whk');
  partition = { appUid, webhookUid, entity: 'agent', resourceUid: newId('agt') };
  await insertPartition(installation.store, { ...partition, issued: 3 });
});

async function stored(): Promise<PartitionDocument | null> {
  return installation.store.partitions.findOne({ _id: partitionId(partition) });
}

const change = (fields: Partial<PartitionDocument>) =>
  installation.store.partitions.updateOne({ _id: partitionId(partition) }, { $set: fields });

const take = (by = 'prc_1') => takeLease(installation.store, partition, by);

async function taken(): Promise<Lease> {
  const lease = await take();
  if (lease === null) throw new Error('the lease is taken');
  return lease;
}

/** A lease of another process, by the database's clock. */
const leaseFor = (ms: number) => ({ by: 'another', until: new Date(Date.now() + ms) });

test.each([
  { of: 'without a lease', lease: () => null, isTaken: true },
  { of: 'with a lease of another process', lease: () => leaseFor(5_000), isTaken: false },
  { of: 'with a lease that has run out', lease: () => leaseFor(-1), isTaken: true },
])('a partition $of can be taken: $isTaken', async ({ lease, isTaken }) => {
  await change({ lease: lease() });
  const mine = await take();
  expect(mine !== null).toBe(isTaken);
  const { lease: found, signalAt } = (await stored()) ?? {};
  expect(found?.by).toBe(isTaken ? mine?.by : 'another');
  // Five seconds after its end the relay looks for a holder that was killed.
  if (isTaken) expect(Number(signalAt) - Number(found?.until)).toBe(5_000);
});

test('only one of several concurrent processes gets the lease', async () => {
  const taking = Array.from({ length: 10 }, (_, index) => take(`prc_${index}`));
  const leases = await Promise.all(taking);
  expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
});

test('the holder settles one number after another', async () => {
  const lease = await taken();
  await settleNext(installation.store, lease);
  await settleNext(installation.store, lease);
  expect(lease.settled).toBe(2);
  expect(await stored()).toMatchObject({ settled: 2, lease: { by: lease.by } });
  const reads = [1, 2, 3].map((n) => readProgress(installation.store, { partition, n }));
  const isEach = (await Promise.all(reads)).map(({ isSettled }) => isSettled);
  expect(isEach).toEqual([true, true, false]);
});

test('a holder whose lease another process has taken settles and releases nothing', async () => {
  const lost = await taken();
  await change({ lease: leaseFor(-1) });
  const lease = await taken();
  await expect(settleNext(installation.store, lost)).rejects.toThrow(LeaseLost);
  await releaseLease(installation.store, lost, { signalAt: null });
  expect(await stored()).toMatchObject({ settled: 0, lease: { by: lease.by } });
});

test.each([
  { leftMs: 5_001, may: true },
  { leftMs: 5_000, may: false },
])('a request with $leftMs ms left of the lease may start: $may', async ({ leftMs, may }) => {
  const lease = { ...(await taken()), untilMs: performance.now() + leftMs + (may ? 1_000 : 0) };
  if (may) requireLease(lease);
  else expect(() => requireLease(lease)).toThrow(LeaseLost);
});

test.each([
  { of: 'with nothing to wait for', at: null, set: null, expected: null },
  { of: 'until a retry', at: later(90_000), set: null, expected: later(90_000) },
  { of: 'while a job has asked for a signal', at: null, set: later(5_000), expected: later(5_000) },
])('a released partition $of is signalled then', async ({ at, set, expected }) => {
  const lease = await taken();
  if (set !== null) await change({ signalAt: set });
  await releaseLease(installation.store, lease, { signalAt: at });
  expect(await stored()).toMatchObject({ lease: null, signalAt: expected });
});

test('a lease that has run out is left to the relay', async () => {
  const lease = await taken();
  await change({ lease: { ...leaseFor(-1), by: lease.by } });
  await releaseLease(installation.store, lease, { signalAt: null });
  expect((await stored())?.signalAt).not.toBeNull();
});

test.each([
  ['an operator cancels leaves the first of two delivered', 'CANCELLED', ['delivered']],
  ['its process cuts off when it stops leaves none', 'WORKER_SHUTDOWN', []],
] as const)('a step that %s', async (_what, reason, states) => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy: installation.config.egress });
  const webhook = await insertWebhook(installation, { url: receiver.url, ordering: 'resource' });
  const insert = () => insertEvent(installation, [webhook._id]);
  const events = [await insert(), await insert()] as const;
  const { partition: ordered } = await giveNumber(installation, events[0], webhook._id);
  await giveNumber(installation, events[1], webhook._id);
  const environment = new MockActivityEnvironment();
  const send: Sender['send'] = async (request) => {
    environment.cancel(reason);
    return sender.send(request);
  };
  const ports: DeliveryPorts = deliveryPorts(installation, { sender: { ...sender, send } });
  const step = environment.run(() => createActivities(ports).attemptInOrder(ordered));
  await step.catch(() => undefined);
  const eventId = { $in: events.map(({ _id }) => _id) };
  const deliveries = await installation.store.deliveries.find({ eventId }).toArray();
  expect(deliveries.map(({ state }) => state)).toEqual(states);
});
