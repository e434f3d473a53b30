// The latest outcomes of webhooks, minutes that were left uncounted for a long time, and a worker whose clock is ahead.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { statisticsLimits } from '../../../lib/limits.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { insertWebhook, newDelivery, newAttempt } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';
import { dayMs, minuteMs } from '../../../lib/platform/duration.ts';
import { countMinutes } from '../../../lib/statistics/count-minutes.ts';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { runStatistics } from '../../../worker/statistics.ts';
import { waitFor } from '../../support/wait-for.ts';

const { latestOutcomesMax, outcomesWebhooksMax } = statisticsLimits;

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const register = async (): Promise<string> =>
  (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;

async function record(webhookUid: string, rows: Partial<DeliveryDocument>[]): Promise<void> {
  const documents = rows.map((fields) =>
    newDelivery(service, new Date(), { webhookUid, ...fields }),
  );
  await service.store.deliveries.insertMany(documents);
}

async function outcomesOf(webhookUids: string[]): Promise<Record<string, string[]>> {
  const answer = await service.call('GET', `/stats/outcomes?webhookUids=${webhookUids.join(',')}`);
  const webhooks = answer.body['webhooks'] as unknown as {
    webhookUid: string;
    outcomes: string[];
  }[];
  return Object.fromEntries(webhooks.map(({ webhookUid, outcomes }) => [webhookUid, outcomes]));
}

test('the outcomes are those of attempted deliveries, oldest first, without tests', async () => {
  const [uid, idle] = [await register(), await register()];
  await record(uid, [
    { state: 'delivered', event: 'context.created' },
    { state: 'exhausted' },
    { state: 'pending' },
    { state: 'held' },
    { state: 'cancelled' },
    { state: 'delivered', event: 'webhook.test' },
    { state: 'retrying' },
    { state: 'blocked' },
    { state: 'delivered' },
  ]);
  await record('whk_deleted', [{ state: 'delivered' }]);
  expect(await outcomesOf([uid, idle, 'whk_deleted'])).toEqual({
    [uid]: ['delivered', 'exhausted', 'retrying', 'blocked', 'delivered'],
    [idle]: [],
  });
});

test('another application learns nothing', async () => {
  const uid = await register();
  await service.store.webhooks.updateOne({ _id: uid }, { $set: { appUid: 'app_other' } });
  expect(await outcomesOf([uid])).toEqual({});
});

test('only the latest 20 outcomes are read, without their deliveries', async () => {
  const uid = await register();
  const delivered = Array.from({ length: latestOutcomesMax }, () => ({
    state: 'delivered' as const,
  }));
  await record(uid, [{ state: 'exhausted' }, ...delivered]);
  const reads = await profile(service.store, 'deliveries', async () => {
    expect((await outcomesOf([uid]))[uid]).toEqual(delivered.map(({ state }) => state));
  });
  expect(reads).toHaveLength(1);
  const [read] = reads;
  expect(indexesOf(read?.['execStats'] as Document, 'deliveries')).toEqual(
    new Set(['deliveries.webhookState']),
  );
  expect(read).toMatchObject({ docsExamined: 0, nreturned: latestOutcomesMax });
  expect(read?.['hasSortStage']).toBeUndefined();
});

test('a response has up to 20 webhooks; more are rejected, and by default it has the first', async () => {
  const uids: string[] = [];
  for (let n = 0; n <= outcomesWebhooksMax; n += 1) uids.push(await register());
  const most = uids.slice(0, outcomesWebhooksMax);
  expect(Object.keys(await outcomesOf(most))).toEqual(most);
  const tooMany = await service.call('GET', `/stats/outcomes?webhookUids=${uids.join(',')}`);
  expectProblem(tooMany, 400, 'invalid_request');
  const empty = await service.call('GET', `/stats/outcomes?webhookUids=${uids[0]},`);
  expectProblem(empty, 400, 'invalid_request');
  const { body } = await service.call('GET', '/stats/outcomes');
  expect(body['webhooks']).toHaveLength(outcomesWebhooksMax);
});

const now = new Date();
const dueMs = Math.floor((now.getTime() - minuteMs) / minuteMs) * minuteMs;
const startMs = dueMs - 30 * dayMs;
const day = /\/day\//;

beforeEach(async () => {
  const { deliveries, statisticsCursors } = service.store;
  await Promise.all([deliveries.deleteMany({}), statisticsCursors.deleteMany({})]);
  const cursor = { countedUntil: new Date(startMs), leaseUntil: new Date(0) };
  await statisticsCursors.insertOne({ _id: 'deliveries', ...cursor });
});

const count = (): Promise<boolean> => countMinutes(service.store, now);

const countedUntil = async (): Promise<Date | undefined> =>
  (await service.store.statisticsCursors.findOne())?.countedUntil;

/** Returns deliveries in 25 minutes, spread over the pause. */
const spread = (made: number, fields: Partial<DeliveryDocument>): DeliveryDocument[] =>
  Array.from({ length: made }, (_, n) => {
    const at = new Date(startMs + (n % 25) * dayMs + n);
    const attempts = fields.state === 'held' ? [] : [newAttempt(at, { state: 'delivered' })];
    return newDelivery(service, at, { webhookUid: 'whk_1', attempts, ...fields });
  });

test.each([
  ['in which nothing happened', [], 2],
  ['with 2,500 deliveries and as many that were never attempted', [2_500, 2_500], 7],
])(
  'a pause of 30 days %s is counted in one go, in few commands',
  async (_what, [sent, held], max) => {
    const { store } = service;
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

test('a worker whose clock is 10 minutes ahead counts up to the last minute, and no further', async () => {
  const { store } = service;
  const fromMs = (Math.floor(Date.now() / minuteMs) - 5) * minuteMs;
  const cursor = { countedUntil: new Date(fromMs), leaseUntil: new Date(0) };
  await store.statisticsCursors.updateOne({ _id: 'deliveries' }, { $set: cursor });
  const countedUntilMs = async (): Promise<number> => Number(await countedUntil());
  const stopping = new AbortController();
  const local = { now: () => new Date(Date.now() + 10 * minuteMs) };
  await using clock = await startServerClock(store, { local });
  const counting = runStatistics({ store, clock }, stopping.signal);
  await waitFor(async () => (await countedUntilMs()) > fromMs);
  stopping.abort();
  await counting;
  expect(await countedUntilMs()).toBeLessThan(Date.now());
});
