// The deliveries of a webhook: by state, by time, in pages, each from an index.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryState } from '../../../lib/delivery/outcome.ts';
import { insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
import { expectProblem, itemsOf } from './problems.ts';

let service: TestService;
let webhookUid: string;
const firstAt = Date.parse('2026-11-20T12:00:00Z');
const states: DeliveryState[] = ['delivered', 'exhausted', 'held', 'delivered', 'retrying'];

beforeAll(async () => {
  service = await startService({ worker: false });
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
  await service.store.deliveries.insertMany(
    states.map((state, n) =>
      newDelivery(service, new Date(firstAt + n * 60_000), {
        eventId: `evt_${n}`,
        webhookUid,
        state,
      }),
    ),
  );
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const list = (query: string) => service.call('GET', `/webhooks/${webhookUid}/deliveries${query}`);

test.each([
  ['', [4, 3, 2, 1, 0]],
  ['?state=delivered', [3, 0]],
  ['?state=held', [2]],
  ['?state=blocked', []],
  ['?since=2026-11-20T12:03:00Z', [4, 3]],
  ['?until=2026-11-20T12:03:00Z', [2, 1, 0]],
  ['?since=2026-11-20T12:01:00Z&until=2026-11-20T14:04:00%2B02:00', [3, 2, 1]],
  ['?state=delivered&until=2026-11-20T12:01:00Z', [0]],
])('the list %j has the deliveries %j', async (query, expected) => {
  const deliveries = itemsOf(await list(query));
  expect(deliveries.map((each) => String(each['eventId']))).toEqual(
    expected.map((n) => `evt_${n}`),
  );
});

test('pages of a filtered list go on where the one before ended', async () => {
  const first = await list('?state=delivered&limit=1');
  expect(itemsOf(first).map((each) => String(each['eventId']))).toEqual(['evt_3']);
  const next = await list(`?state=delivered&limit=1&cursor=${String(first.body['nextCursor'])}`);
  expect(itemsOf(next).map((each) => String(each['eventId']))).toEqual(['evt_0']);
  expect(next.body['nextCursor']).toBeNull();
});

test.each(['?state=lost', '?since=now', '?until=2026-11-20', '?state=held&state=held', '?limit=0'])(
  'the query %j is refused',
  async (query) => {
    expectProblem(await list(query), 400, 'invalid_request');
  },
);

test.each([{}, { state: 'held' as const }])(
  'the filter %j reads and sorts by an index',
  async (filter) => {
    const { appUid } = service.app;
    const cursor = service.store.deliveries
      .find({ appUid, webhookUid, ...filter })
      .sort({ _id: -1 });
    const { queryPlanner } = (await cursor.explain('queryPlanner')) as {
      queryPlanner: { winningPlan: unknown };
    };
    const plan = JSON.stringify(queryPlanner.winningPlan);
    expect(plan).toContain('"stage":"IXSCAN"');
    expect(plan).not.toMatch(/"stage":"(COLLSCAN|SORT)"/);
  },
);
