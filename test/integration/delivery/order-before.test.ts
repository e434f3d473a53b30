// What stands before an event in order: found past what was settled out of its turn.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { tidyUp } from '../../../lib/delivery/tidy-up.ts';
import { newId } from '../../../lib/ids.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { LaneKey } from '../../../lib/model/lane.ts';
import { erasePayloads } from '../../../lib/store/erasures.ts';
import { earlierEvents, findBefore } from '../../../lib/store/lanes.ts';
import { noLanes as wakeLane } from '../../support/delivery-ports.ts';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

let installation: Installation;
let lane: LaneKey;

beforeAll(async () => {
  installation = await createInstallation();
  const { appUid } = installation.app;
  lane = { appUid, webhookUid: newId('whk'), entity: 'agent', resourceUid: newId('agt') };
});

afterEach(async () => {
  await installation.store.events.deleteMany({});
  await installation.store.deliveries.deleteMany({});
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

type Standing = Partial<DeliveryDocument> | null;

const delivered: Standing = { state: 'delivered' };
const resent: Standing = { state: 'delivered', redeliveryUid: 'rdl_1', requeuedAs: 'resend' };

/** Writes events of the lane from sequence 1 on, each with its delivery or without; gives their uids. */
async function lineUp(...standings: Standing[]): Promise<string[]> {
  const { webhookUid, resourceUid } = lane;
  const at = new Date();
  const events = standings.map((_standing, index) => ({
    ...newEvent(installation, [webhookUid], at),
    resourceUid,
    sequence: index + 1,
    inOrder: true,
  }));
  const deliveries = standings.flatMap((fields, index) => {
    const eventId = events[index]?._id ?? '';
    return fields === null
      ? []
      : [newDelivery(installation, at, { eventId, webhookUid, ...fields })];
  });
  await installation.store.events.insertMany(events);
  if (deliveries.length > 0) await installation.store.deliveries.insertMany(deliveries);
  return events.map((event) => event._id);
}

const many = (count: number, standing: Standing): Standing[] =>
  Array.from({ length: count }, () => standing);

const beforeTheNext = async (count: number) => findBefore(installation.store, lane, count + 1);

test.each<[Standing, string]>([
  [null, 'underway'],
  [{ state: 'pending' }, 'underway'],
  [{ state: 'retrying' }, 'underway'],
  [{ state: 'waiting' }, 'underway'],
  [{ state: 'held' }, 'held'],
  [{ state: 'exhausted' }, 'nothing'],
  [{ state: 'blocked' }, 'nothing'],
  // A replay goes in order, too.
  [{ ...resent, requeuedAs: 'replay' }, 'nothing'],
])(
  'the nearest event, whose delivery is %j, means that %s comes before',
  async (nearest, before) => {
    // What is before it would give another answer.
    const first: Standing = before === 'nothing' ? { state: 'retrying' } : delivered;
    await lineUp(first, nearest);
    expect(await beforeTheNext(2)).toBe(before);
  },
);

test.each<[string, Standing]>([
  ['resent', resent],
  ['cancelled', { state: 'cancelled' }],
])('an event that is retried is seen past 1,200 that were %s', async (_how, standing) => {
  await lineUp({ state: 'retrying' }, ...many(1_200, standing));
  expect(await beforeTheNext(1_201)).toBe('underway');
});

test('an event that is not attempted yet is seen past those that were resent', async () => {
  await lineUp(delivered, null, ...many(60, resent));
  expect(await beforeTheNext(62)).toBe('underway');
});

test('what was held for too long and dropped lets nothing overtake an earlier event that is retried', async () => {
  await lineUp({ state: 'retrying' }, ...many(3, { state: 'held' }));
  const { store, config } = installation;
  const now = new Date(Date.now() + config.retention.heldMs + 1_000);
  expect(
    await tidyUp({ store, wakeLane, retention: config.retention }, { now, after: '' }),
  ).toMatchObject({ expired: 3 });
  expect(await beforeTheNext(4)).toBe('underway');
});

test('erased events are not looked at, however many they are', async () => {
  const eventIds = await lineUp({ state: 'retrying' }, ...many(60, { state: 'waiting' }));
  const facts = { erasureUid: newId('ers'), now: new Date() };
  await erasePayloads(installation.store, eventIds.slice(1), facts);
  const left = await installation.store.events.countDocuments(earlierEvents(lane, 100));
  expect(left).toBe(1);
  expect(await beforeTheNext(61)).toBe('underway');
});

test('past 10,000 events that were resent or cancelled in a row nothing is taken to come before', async () => {
  await lineUp({ state: 'retrying' }, ...many(10_000, { state: 'cancelled' }));
  expect(await beforeTheNext(10_000)).toBe('underway');
  expect(await beforeTheNext(10_001)).toBe('nothing');
});

test('earlier events are found and sorted by an index', async () => {
  const cursor = installation.store.events.find(earlierEvents(lane, 9)).sort({ sequence: -1 });
  const { queryPlanner } = (await cursor.explain('queryPlanner')) as {
    queryPlanner: { winningPlan: unknown };
  };
  const plan = JSON.stringify(queryPlanner.winningPlan);
  expect(plan).toContain('"indexName":"resourceInOrder"');
  expect(plan).not.toMatch(/"stage":"(COLLSCAN|SORT)"/);
});
