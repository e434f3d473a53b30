// The latest outcomes of webhooks, read from an index alone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from 'mongodb';
import { statisticsLimits } from '../../../lib/limits.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem } from '../api/problems.ts';

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
