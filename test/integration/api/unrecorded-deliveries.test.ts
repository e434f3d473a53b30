// The deliveries in a list that have no document, because their first attempt has not ended.
import type { Document } from 'mongodb';
import { limits } from '../../../lib/limits.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { useService } from '../../support/use-service.ts';
import { itemsOf } from './problems.ts';

const marginMs = 10_000;

let webhookUid: string;

const service = useService({ worker: false });

beforeEach(async () => {
  await Promise.all([
    service.store.events.deleteMany({}),
    service.store.deliveries.deleteMany({}),
    service.store.webhooks.deleteMany({}),
  ]);
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

const ago = (ms: number): Date => new Date(Date.now() - ms);

/** Writes an event that no process attempts. */
async function insert(
  webhookUids: string[],
  { createdAt = new Date(), ...fields }: Partial<EventDocument> = {},
): Promise<string> {
  const event = {
    ...newEvent(service, webhookUids, createdAt),
    dispatchedAt: createdAt,
    ...fields,
  };
  await service.store.events.insertOne(event);
  return event._id;
}

async function record(fields: Partial<DeliveryDocument>, at = new Date()): Promise<string> {
  const delivered = { webhookUid, state: 'delivered', statusClass: '2xx' } as const;
  const delivery = newDelivery(service, at, { ...delivered, ...fields });
  await service.store.deliveries.insertOne(delivery);
  return delivery.eventId;
}

async function rowsOf(path: string): Promise<string[]> {
  const items = itemsOf(await service.call('GET', path));
  return items.map(({ eventId, state }) => `${String(state)} ${String(eventId)}`);
}

test('an unrecorded delivery is in both lists as pending, in the place of its event', async () => {
  const recorded = await record({});
  const createdAt = ago(5_000);
  const older = await insert([webhookUid], { createdAt });
  const newer = await insert([webhookUid]);
  const expected = [`pending ${newer}`, `delivered ${recorded}`, `pending ${older}`];
  expect(await rowsOf('/deliveries')).toEqual(expected);
  expect(await rowsOf(`/webhooks/${webhookUid}/deliveries`)).toEqual(expected);
  const [, , shown] = itemsOf(await service.call('GET', '/deliveries'));
  const single = await service.call('GET', `/events/${older}/deliveries/${webhookUid}`);
  expect(shown).toMatchObject({ createdAt: createdAt.toISOString(), attemptCount: 0 });
  expect(single.body).toMatchObject(shown ?? {});
});

test('a delivery is listed once, whether it is unrecorded, held by a pause or settled', async () => {
  const eventId = await insert([webhookUid]);
  expect(await rowsOf('/deliveries')).toEqual([`pending ${eventId}`]);
  await record({ eventId, state: 'held', statusClass: null });
  expect(await rowsOf('/deliveries')).toEqual([`held ${eventId}`]);
  expect(await rowsOf('/deliveries?state=pending')).toEqual([]);
  await service.store.deliveries.updateOne({ eventId }, { $set: { state: 'delivered' } });
  expect(await rowsOf('/deliveries')).toEqual([`delivered ${eventId}`]);
});

test('only the unrecorded deliveries of an event are added, by the uid of their webhook', async () => {
  const uids = ['whk_c', 'whk_a', 'whk_b'];
  const eventId = await insert(uids);
  await record({ eventId, webhookUid: 'whk_a' });
  const items = itemsOf(await service.call('GET', '/deliveries'));
  expect(items.map((each) => each['webhookUid'])).toEqual(['whk_c', 'whk_b', 'whk_a']);
});

test('an event older than a minute adds no delivery', async () => {
  const recent = await insert([webhookUid], { createdAt: ago(limits.inFlightMsMax - marginMs) });
  await insert([webhookUid], { createdAt: ago(limits.inFlightMsMax + 1) });
  expect(await rowsOf('/deliveries')).toEqual([`pending ${recent}`]);
});

test.each([
  ['', true],
  ['state=pending', true],
  ['state=held', false],
  ['statusClass=none', false],
  ['until=2020-01-01T00:00:00Z', false],
  ['event=agent.updated', true],
  ['event=agent.created', false],
  ['externalTenantId=tenant-1', true],
  ['externalTenantId=tenant-2', false],
  ['webhookUid=WEBHOOK', true],
  ['webhookUid=whk_other', false],
])('with the filter %j, an unrecorded delivery is listed: %s', async (query, isListed) => {
  const eventId = await insert([webhookUid]);
  const rows = await rowsOf(`/deliveries?${query.replace('WEBHOOK', webhookUid)}`);
  expect(rows).toEqual(isListed ? [`pending ${eventId}`] : []);
});

test('since includes an event of the same millisecond and no earlier one', async () => {
  const since = ago(5_000);
  const included = await insert([webhookUid], { createdAt: since });
  await insert([webhookUid], { createdAt: new Date(since.getTime() - 1) });
  const rows = await rowsOf(`/deliveries?since=${since.toISOString()}`);
  expect(rows).toEqual([`pending ${included}`]);
});

test('unrecorded deliveries are in their places on each page, once, even if they are recorded meanwhile', async () => {
  const eventIds: string[] = [];
  for (let n = 0; n < 11; n += 1) {
    const createdAt = ago(11_000 - n);
    const isRecorded = n % 3 !== 0;
    eventIds.unshift(
      isRecorded ? await record({}, createdAt) : await insert([webhookUid], { createdAt }),
    );
  }
  const found: string[] = [];
  let cursor = '';
  do {
    const { body } = await service.call('GET', `/deliveries?limit=3${cursor}`);
    const page = body['data'] as unknown as { eventId: string; state: string }[];
    found.push(...page.map(({ eventId }) => eventId));
    expect(found.length).toBeLessThan(20);
    for (const { eventId, state } of page) if (state === 'pending') await record({ eventId });
    const next = body['nextCursor'] as unknown as string | null;
    cursor = next === null ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  expect(found).toEqual(eventIds);
  expect(await rowsOf('/deliveries?limit=2')).toEqual(
    eventIds.slice(0, 2).map((eventId) => `delivered ${eventId}`),
  );
});

test('the latest 500 events are checked, through an index and without their deliveries', async () => {
  const { inFlightEventsMax } = limits;
  const createdAt = ago(5_000);
  const hidden = await insert([webhookUid], { createdAt });
  const events = Array.from({ length: inFlightEventsMax }, () => newEvent(service, [], createdAt));
  await service.store.events.insertMany(events);
  expect(await rowsOf('/deliveries')).toEqual([]);
  const { deletedCount } = await service.store.events.deleteOne({ _id: events[0]?._id ?? '' });
  expect(deletedCount).toBe(1);
  expect(await rowsOf('/deliveries')).toEqual([`pending ${hidden}`]);

  const list = () => service.call('GET', `/deliveries?webhookUid=${webhookUid}`);
  const ofEvents = await profile(service.store, 'events', list);
  for (const { execStats } of ofEvents)
    expect(indexesOf(execStats as Document, 'events')).toEqual(new Set(['events.event']));
  const examined = ofEvents.map(({ docsExamined }) => Number(docsExamined));
  expect(examined.reduce((sum, count) => sum + count, 0)).toBe(inFlightEventsMax);
  await record({ eventId: hidden, webhookUid: newId('whk') });
  const reads = await profile(service.store, 'deliveries', list);
  const ofPairs = reads.find(({ execStats }) =>
    indexesOf(execStats as Document, 'deliveries').has('deliveries._id_'),
  );
  expect(ofPairs).toMatchObject({ docsExamined: 0 });
});
