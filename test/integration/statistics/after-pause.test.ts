// Minutes that were left uncounted for a long time are counted in few commands.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { dayMs, minuteMs } from '../../../lib/platform/duration.ts';
import { countMinutes } from '../../../lib/statistics/count-minutes.ts';
import { newAttempt, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { profile } from '../../support/query-plans.ts';

const now = new Date();
const dueMs = Math.floor((now.getTime() - minuteMs) / minuteMs) * minuteMs;
const startMs = dueMs - 30 * dayMs;
const day = /\/day\//;

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const { deliveries, statisticsCursors } = installation.store;
  await Promise.all([deliveries.deleteMany({}), statisticsCursors.deleteMany({})]);
  const cursor = { countedUntil: new Date(startMs), leaseUntil: new Date(0) };
  await statisticsCursors.insertOne({ _id: 'deliveries', ...cursor });
});

const count = (): Promise<boolean> => countMinutes(installation.store, now);

const countedUntil = async (): Promise<Date | undefined> =>
  (await installation.store.statisticsCursors.findOne())?.countedUntil;

/** Returns deliveries in 25 minutes, spread over the pause. */
const spread = (made: number, fields: Partial<DeliveryDocument>): DeliveryDocument[] =>
  Array.from({ length: made }, (_, n) => {
    const at = new Date(startMs + (n % 25) * dayMs + n);
    const attempts = fields.state === 'held' ? [] : [newAttempt(at, { state: 'delivered' })];
    return newDelivery(installation, at, { webhookUid: 'whk_1', attempts, ...fields });
  });

test.each([
  ['in which nothing happened', [], 2],
  ['with 2,500 deliveries', [2_500], 4],
  ['with 2,500 deliveries and as many that were never attempted', [2_500, 2_500], 7],
])(
  'a pause of 30 days %s is counted in one go, in few commands',
  async (_what, [sent, held], max) => {
    const { store } = installation;
    const made = [
      ...spread(sent ?? 0, { state: 'delivered' }),
      ...spread(held ?? 0, { state: 'held' }),
    ];
    if (made.length > 0) await store.deliveries.insertMany(made);
    await store.statistics.deleteMany({});
    const commands = await profile(store, 'deliveries', async () =>
      expect(await count()).toBe(true),
    );
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.length).toBeLessThanOrEqual(max);
    expect(await countedUntil()).toEqual(new Date(dueMs));
    expect(await count()).toBe(false);
    const counted = await store.statistics.find({ _id: day }).toArray();
    const ofWebhook = counted.filter(({ _id }) => _id.startsWith('whk_1/'));
    const sum = ofWebhook.reduce((total, { outcomes }) => total + (outcomes?.delivered ?? 0), 0);
    expect(sum).toBe(sent ?? 0);
  },
);

test('the minutes after a pause are written in transactions of up to 5,000 counts, of whole minutes', async () => {
  const { deliveries, statisticsCursors } = installation.store;
  const made = [2_600, 2_600, 1].flatMap((webhooks, minute) => {
    const updatedAt = new Date(startMs + minute * minuteMs);
    return Array.from({ length: webhooks }, () =>
      newDelivery(installation, updatedAt, { state: 'cancelled' }),
    );
  });
  await deliveries.insertMany(made);
  using moved = vi.spyOn(statisticsCursors, 'updateOne');
  await count();
  // A set, because MongoDB may have a transaction run again.
  const steps = new Set(moved.mock.calls.map(([, update]) => JSON.stringify(update)));
  expect([...steps].map((step) => JSON.parse(step) as object)).toEqual([
    { $set: { countedUntil: new Date(startMs + minuteMs).toJSON() } },
    { $set: { countedUntil: new Date(dueMs).toJSON(), leaseUntil: new Date(0).toJSON() } },
  ]);
});
