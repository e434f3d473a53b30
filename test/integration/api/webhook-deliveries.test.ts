// The deliveries of a webhook, an event and an application by state, response, tenant and time, in pages.
import type { Attempt } from '../../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { expectProblem, itemsOf } from './problems.ts';

let webhookUid: string;
const firstAt = Date.parse('2026-11-20T12:00:00Z');
const at = new Date(firstAt);
const given: Partial<DeliveryDocument>[] = [
  { state: 'delivered', statusClass: '2xx' },
  { state: 'exhausted', statusClass: '5xx', errorClass: 'status', externalTenantId: 'tenant-2' },
  { state: 'held', event: 'agent.deleted' },
  { state: 'delivered', statusClass: '2xx', externalTenantId: 'tenant-2' },
  { state: 'retrying', statusClass: '4xx', errorClass: 'status' },
];

const minute = (n: number): Date => new Date(firstAt + n * 60_000);
const eventIds = [0, 1, 2, 3, 4, 5].map((n) => newId('evt', minute(n)));

const service = useService({ worker: false });

beforeAll(async () => {
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
  await service.store.deliveries.insertMany([
    ...given.map((fields, n) =>
      newDelivery(service, minute(n), { eventId: eventIds[n] ?? '', webhookUid, ...fields }),
    ),
    newDelivery(service, minute(given.length), {
      eventId: eventIds[given.length] ?? '',
      webhookUid: 'whk_deleted',
      event: 'webhook.test',
      externalTenantId: 'tenant-3',
      state: 'exhausted',
      statusClass: 'none',
      errorClass: 'timeout',
    }),
  ]);
});

const list = (query: string) => service.call('GET', `/webhooks/${webhookUid}/deliveries${query}`);

test.each([
  ['', [4, 3, 2, 1, 0]],
  ['?state=delivered', [3, 0]],
  ['?state=held', [2]],
  ['?statusClass=2xx', [3, 0]],
  ['?statusClass=5xx', [1]],
  ['?errorClass=status', [4, 1]],
  ['?errorClass=status&statusClass=5xx', [1]],
  ['?event=agent.deleted', [2]],
  ['?externalTenantId=tenant-2', [3, 1]],
  ['?externalTenantId=tenant', []],
  ['?since=2026-11-20T12:03:00Z', [4, 3]],
  ['?until=2026-11-20T12:03:00Z', [2, 1, 0]],
  ['?since=2026-11-20T12:01:00Z&until=2026-11-20T14:04:00%2B02:00', [3, 2, 1]],
])('the list %j has the deliveries %j', async (query, expected) => {
  const deliveries = itemsOf(await list(query));
  expect(deliveries.map((each) => String(each['eventId']))).toEqual(
    expected.map((n) => eventIds[n]),
  );
});

test.each([
  ['', [5, 4, 3, 2, 1, 0]],
  ['?state=exhausted', [5, 1]],
  ['?webhookUid=whk_deleted', [5]],
  ['?event=webhook.test', [5]],
  ['?externalTenantId=tenant-2&errorClass=status&since=2026-11-20T12:01:00Z', [1]],
])('the list %j of the application has the deliveries %j', async (query, expected) => {
  const deliveries = itemsOf(await service.call('GET', `/deliveries${query}`));
  expect(deliveries.map((each) => String(each['eventId']))).toEqual(
    expected.map((n) => eventIds[n]),
  );
});

/** Writes deliveries with samples of 80 KiB each, and returns the paths of their lists. */
async function insertLongDeliveries(count: number): Promise<string[]> {
  const webhookUids = Array.from({ length: count }, (_, n) => `whk_long${100 + n}`);
  const event = await insertEvent(service, [...webhookUids, 'whk_never'], at);
  const attempt = {
    at,
    trigger: 'retry',
    state: 'retrying',
    status: 500,
    errorClass: 'status',
    detail: null,
  } as const;
  const attempts = Array.from({ length: 20 }, (_, n): Attempt => {
    return { ...attempt, n: n + 1, ms: { total: 1 }, address: null, responseSample: sample };
  });
  const webhook = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  const rows = webhookUids.flatMap((uid, n) => [
    newDelivery(service, at, { eventId: event._id, webhookUid: uid, attempts }),
    newDelivery(service, at, { eventId: `evt_long${n}`, webhookUid: webhook._id, attempts }),
  ]);
  await service.store.deliveries.insertMany(rows);
  return [`/events/${event._id}/deliveries`, `/webhooks/${webhook._id}/deliveries`];
}

const sample = '"'.repeat(4 * 1024);

test('a page ends when its deliveries reach 2 MiB, and the next one continues there', async () => {
  const lists = await insertLongDeliveries(30);
  for (const [list, count] of [
    [lists[0], 31],
    [lists[1], 30],
  ] as const) {
    const pages: JsonBody[][] = [];
    let cursor = '';
    do {
      const answer = await service.call('GET', `${list}?limit=200${cursor}`);
      expect(answer.text.length).toBeLessThan(5 * 1024 * 1024);
      pages.push(itemsOf(answer));
      const next = answer.body['nextCursor'] as unknown as string | null;
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(pages.map((page) => page.length)).toEqual([24, count - 24]);
    const names = pages
      .flat()
      .map((each) => `${String(each['eventId'])} ${String(each['webhookUid'])}`);
    expect(new Set(names).size).toBe(count);
  }
});

test('the deliveries of an event have the same filters, and include those not attempted yet', async () => {
  const webhookUids = ['whk_a', 'whk_b', 'whk_c', 'whk_d'];
  const event = await insertEvent(service, webhookUids, at);
  const given = [
    { webhookUid: 'whk_a', state: 'delivered', statusClass: '2xx' },
    { webhookUid: 'whk_b', state: 'exhausted', statusClass: 'none', errorClass: 'timeout' },
    // A resend to a webhook that was not subscribed at the time of the event.
    { webhookUid: 'whk_z', state: 'delivered', statusClass: '2xx' },
  ] as const;
  await service.store.deliveries.insertMany(
    given.map((fields) =>
      newDelivery(service, new Date(firstAt + 60_000), { eventId: event._id, ...fields }),
    ),
  );
  const uidsOf = async (query: string): Promise<string[]> =>
    itemsOf(await service.call('GET', `/events/${event._id}/deliveries${query}`)).map((each) =>
      String(each['webhookUid']),
    );
  expect(await uidsOf('')).toEqual([...webhookUids, 'whk_z']);
  expect(await uidsOf('?state=pending')).toEqual(['whk_c', 'whk_d']);
  expect(await uidsOf('?state=delivered')).toEqual(['whk_a', 'whk_z']);
  expect(await uidsOf('?statusClass=none')).toEqual(['whk_b']);
  expect(await uidsOf('?errorClass=timeout')).toEqual(['whk_b']);
  expect(await uidsOf('?webhookUid=whk_d')).toEqual(['whk_d']);
  expect(await uidsOf('?webhookUid=whk_d&state=delivered')).toEqual([]);
  expect(await uidsOf('?since=2026-11-20T12:01:00Z')).toEqual(['whk_a', 'whk_b', 'whk_z']);
  expect(await uidsOf('?until=2026-11-20T12:01:00Z&limit=1')).toEqual(['whk_c']);
  const refused = await service.call('GET', `/events/${event._id}/deliveries?state=lost`);
  expectProblem(refused, 400, 'invalid_request');
});
