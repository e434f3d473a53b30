// The latest outcomes of webhooks, read from an index alone. And a worker whose clock is ahead.
import type { Document } from 'mongodb';
import { statisticsLimits } from '../../../lib/limits.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';
import { minuteMs } from '../../../lib/platform/duration.ts';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { runStatistics } from '../../../worker/statistics.ts';
import { waitFor } from '../../support/wait-for.ts';

const { latestOutcomesMax, outcomesWebhooksMax } = statisticsLimits;

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(() => service?.[Symbol.asyncDispose]());

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

test('a worker whose clock is 10 minutes ahead counts up to the last minute, and no further', async () => {
  const { store } = service;
  const fromMs = (Math.floor(Date.now() / minuteMs) - 5) * minuteMs;
  const cursor = { countedUntil: new Date(fromMs), leaseUntil: new Date(0) };
  await store.statisticsCursors.insertOne({ _id: 'deliveries', ...cursor });
  const countedUntilMs = async (): Promise<number> =>
    Number((await store.statisticsCursors.findOne())?.countedUntil);
  const stopping = new AbortController();
  const local = { now: () => new Date(Date.now() + 10 * minuteMs) };
  await using clock = await startServerClock(store, { local });
  const counting = runStatistics({ store, clock }, stopping.signal);
  await waitFor(async () => (await countedUntilMs()) > fromMs);
  stopping.abort();
  await counting;
  expect(await countedUntilMs()).toBeLessThan(Date.now());
});
