// The open deliveries: counts up to a cap, and the oldest, read through indexes.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newDelivery, newEvent } from '../../support/fixtures.ts';
import { profile } from '../../support/query-plans.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
const startMs = Date.parse('2026-11-20T12:00:00Z');
const minute = (n: number): Date => new Date(startMs + n * 60_000);
const other = { app: { appUid: 'app_other' } };
const none = { count: 0, countIsCapped: false, oldestAt: null };

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterEach(async () => {
  const { deliveries, events } = service.store;
  await Promise.all([deliveries.deleteMany({}), events.deleteMany({})]);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

async function read(): Promise<Record<string, unknown>> {
  const answer = await service.call('GET', '/stats/backlog');
  expect(answer.status).toBe(200);
  return answer.body;
}

test('each open state has its count and the time of its oldest delivery, and other applications see nothing', async () => {
  expect(await read()).toEqual({
    at: expect.any(String),
    pending: none,
    retrying: none,
    held: none,
    undispatched: { count: 0, countIsCapped: false },
  });
  await service.store.deliveries.insertMany([
    newDelivery(service, minute(3), { state: 'retrying', event: 'agent.created' }),
    newDelivery(service, minute(2), { state: 'retrying', event: 'webhook.failing' }),
    newDelivery(service, minute(4), { state: 'retrying', event: 'agent.updated' }),
    newDelivery(service, minute(5), { state: 'held' }),
    newDelivery(service, minute(1), { state: 'delivered' }),
    newDelivery(service, minute(1), { state: 'cancelled' }),
    newDelivery(other, minute(1), { state: 'retrying' }),
    newDelivery(other, minute(1), { state: 'pending' }),
  ]);
  const dispatchedAt = minute(1);
  await service.store.events.insertMany([
    newEvent(service, ['whk_1'], minute(1)),
    { ...newEvent(service, ['whk_1'], minute(1)), workflowId: 'batch/1' },
    { ...newEvent(service, ['whk_1'], minute(1)), workflowId: 'batch/2', dispatchedAt },
    newEvent(other, ['whk_2'], minute(1)),
  ]);
  expect(await read()).toMatchObject({
    pending: none,
    retrying: { count: 3, countIsCapped: false, oldestAt: minute(2).toISOString() },
    held: { count: 1, countIsCapped: false, oldestAt: minute(5).toISOString() },
    undispatched: { count: 2, countIsCapped: false },
  });
});

test('above 10,000 deliveries and 200 events the counts are capped, and no more is read', async () => {
  const insert = async (count: number, eventCount: number): Promise<void> => {
    const made = Array.from({ length: count }, (_, n) =>
      newDelivery(service, minute(n), { state: 'held' }),
    );
    const waiting = Array.from({ length: eventCount }, () => newEvent(service, [], minute(1)));
    await service.store.deliveries.insertMany(made, { ordered: false });
    await service.store.events.insertMany(waiting, { ordered: false });
  };
  const counts = (countIsCapped: boolean) => ({
    held: { count: 10_000, countIsCapped },
    undispatched: { count: 200, countIsCapped },
  });
  await insert(10_000, 200);
  expect(await read()).toMatchObject(counts(false));
  await insert(1_000, 100);
  for (const [collection, keysMax] of [
    ['deliveries', 10_100],
    ['events', 201],
  ] as const) {
    const operations = await profile(service.store, collection, async () => {
      expect(await read()).toMatchObject(counts(true));
    });
    expect(operations.length).toBeGreaterThan(0);
    for (const { planSummary, keysExamined, hasSortStage = false } of operations) {
      expect(planSummary).not.toContain('COLLSCAN');
      expect(hasSortStage).toBe(false);
      expect(keysExamined).toBeLessThanOrEqual(keysMax);
    }
  }
}, 60_000);
