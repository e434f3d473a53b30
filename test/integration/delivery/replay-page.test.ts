// The page of a replay, without Temporal: which deliveries it takes over, and which lanes it tells.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/clock.ts';
import type { LaneNews } from '../../../lib/delivery/ports.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { minuteMs } from '../../../lib/duration.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { ReplayDocument, ReplayedState } from '../../../lib/model/redelivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { laneOf } from '../../../lib/store/lanes.ts';
import { newRedelivery } from '../../../lib/store/redeliveries.ts';
import type { RedeliverInput, RedeliverPage } from '../../../lib/temporal/messages.ts';
import { noLanes } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

beforeEach(async () => {
  await installation.store.events.deleteMany({});
});

afterAll(() => open[Symbol.asyncDispose]());

/** Writes a replay, of what happened in the millisecond in which it was asked for unless `fields` say otherwise. */
async function insertReplay(
  fields: Pick<ReplayDocument, 'webhookUid' | 'states' | 'createdAt'> & Partial<ReplayDocument>,
): Promise<string> {
  const { createdAt } = fields;
  const replay: ReplayDocument = {
    ...newRedelivery(installation.app.appUid, createdAt),
    kind: 'replay',
    since: createdAt,
    until: new Date(createdAt.getTime() + 1),
    events: null,
    perSecond: 20,
    ...fields,
  };
  await installation.store.redeliveries.insertOne(replay);
  return replay._id;
}

/** A replay of one delivery: takes its page as often as asked. */
interface Replay {
  eventId: string;
  webhookUid: string;
  news: LaneNews[];
  take: () => Promise<RedeliverPage>;
}

async function replayOf(
  fields: Partial<DeliveryDocument>,
  facts: { askedAt: Date; states: ReplayedState[]; webhook?: Partial<WebhookDocument> },
): Promise<Replay> {
  const { store, app } = installation;
  const { appUid } = app;
  const { askedAt, states } = facts;
  const url = 'https://receiver.example.com/';
  const { _id: webhookUid } = await insertWebhook(installation, { url, ...facts.webhook });
  const { _id: eventId } = await insertEvent(installation, [webhookUid], askedAt);
  const delivery = newDelivery(installation, askedAt, { eventId, webhookUid, ...fields });
  await store.deliveries.insertOne(delivery);
  const redeliveryUid = await insertReplay({ webhookUid, states, createdAt: askedAt });
  const news: LaneNews[] = [];
  const wakeLane = async (about: LaneNews): Promise<void> => void news.push(about);
  const source = { kind: 'redelivery', redeliveryUid } as const;
  const input = { appUid, source, after: '', released: 0 };
  const take = () => takePage({ store, clock: systemClock, wakeLane }, input);
  return { eventId, webhookUid, news, take };
}

const askedAt = new Date('2026-01-01T00:00:00Z');
const ago = (ms: number): Date => new Date(askedAt.getTime() - ms);

// What a page writes last, after it has taken what it takes.
const unnoted = { $set: { state: 'running' }, $unset: { reached: '' } } as const;

test.each([
  ['retrying', ago(0), ['retrying'], true],
  ['retrying', ago(90_000), ['pending', 'exhausted'], false],
  ['waiting', ago(90_000), ['retrying', 'pending', 'held'], false],
  ['pending', ago(60_001), ['pending'], true],
  ['pending', ago(60_000), ['pending'], false],
  ['pending', ago(60_001), ['retrying'], false],
] as const)('what is %s since %j is taken by a replay of %j: %j', async (...row) => {
  const [state, updatedAt, states, isTaken] = row;
  const replay = await replayOf({ state, updatedAt }, { askedAt, states: [...states] });
  const { eventId, webhookUid } = replay;
  const events = isTaken ? [{ eventId, webhookUids: [webhookUid] }] : [];
  expect(await replay.take()).toMatchObject({ events, isLast: true });
  const delivery = await installation.store.deliveries.findOne({ eventId });
  expect(delivery?.state).toBe(isTaken ? 'pending' : state);
  expect(delivery?.requeuedAs).toBe(isTaken ? 'replay' : null);
});

test('a lane that retries what is taken is told, and once more when the page is repeated', async () => {
  const webhook = { ordering: 'resource' } as const;
  const facts = { askedAt, states: ['retrying'] as ReplayedState[], webhook };
  const place = { entity: 'agent', resourceUid: 'agt_1', sequence: 2 } as const;
  const replay = await replayOf({ state: 'retrying', lane: place }, facts);
  const { eventId, webhookUid } = replay;
  const { store } = installation;
  await store.events.updateOne({ _id: eventId }, { $set: place });
  const page = await replay.take();
  const lane = laneOf({ appUid: installation.app.appUid, ...place }, webhookUid);
  expect(replay.news).toEqual([{ lane, letGo: eventId }]);
  // Killed before it was noted.
  await store.redeliveries.updateMany({ webhookUid }, unnoted);
  expect(await replay.take()).toEqual(page);
  expect(replay.news).toEqual([
    { lane, letGo: eventId },
    { lane, letGo: eventId },
  ]);
});

test('a page that was taken is given again, though the webhook gets none of it any more', async () => {
  const replay = await replayOf({ state: 'exhausted' }, { askedAt, states: ['exhausted'] });
  const { eventId, webhookUid } = replay;
  const page = await replay.take();
  expect(page).toMatchObject({ events: [{ eventId, webhookUids: [webhookUid] }] });
  // Killed before it was noted.
  const { redeliveries, webhooks } = installation.store;
  await redeliveries.updateMany({ webhookUid }, unnoted);
  await webhooks.updateOne({ _id: webhookUid }, { $set: { entities: ['context'] } });
  expect(await replay.take()).toEqual(page);
});

test('what the webhook does not get as it is now is not taken', async () => {
  const facts = { askedAt, states: ['exhausted'] as ReplayedState[] };
  const replay = await replayOf(
    { state: 'exhausted' },
    { ...facts, webhook: { entities: ['context'] } },
  );
  expect(await replay.take()).toMatchObject({ events: [], isLast: true });
});

test('what is retried outside of a lane wakes none', async () => {
  const replay = await replayOf({ state: 'retrying' }, { askedAt, states: ['retrying'] });
  await replay.take();
  expect(replay.news).toEqual([]);
});

/** Writes so many events that a webhook never got, a millisecond apart; gives their ids, the oldest first. */
async function insertMissed(count: number, fields: Partial<EventDocument> = {}): Promise<string[]> {
  const events = Array.from({ length: count }, (_none, n) => {
    const createdAt = new Date(ago(missedSinceMs).getTime() + n);
    return { ...newEvent(installation, [], createdAt), ...fields };
  });
  await installation.store.events.insertMany(events);
  return events.map((event) => event._id);
}

const missedSinceMs = 60 * 60 * 1_000;

/** Takes the pages of a replay of all that was missed, to the last. */
async function takePages(fields: Partial<ReplayDocument>): Promise<string[][]> {
  const { store, app } = installation;
  const { appUid } = app;
  const { _id: webhookUid } = await insertWebhook(installation, { url: 'https://r.example.com/' });
  const range = { since: ago(missedSinceMs), until: askedAt, createdAt: askedAt };
  const states: ReplayedState[] = ['never_attempted'];
  const redeliveryUid = await insertReplay({ webhookUid, states, ...range, ...fields });
  const source = { kind: 'redelivery', redeliveryUid } as const;
  // Nothing that was being recorded when it was asked for can still come.
  const clock = { now: () => new Date(askedAt.getTime() + 15_000) };
  const pages: string[][] = [];
  let input: RedeliverInput = { appUid, source, after: '', released: 0 };
  for (let isLast = false; !isLast;) {
    const page = await takePage({ store, clock, wakeLane: noLanes }, input);
    pages.push(page.events.map(({ eventId }) => eventId));
    input = { ...input, after: page.after, released: input.released + page.events.length };
    ({ isLast } = page);
  }
  const replay = await store.redeliveries.findOne({ _id: redeliveryUid });
  expect(replay).toMatchObject({ state: 'done', releasedCount: pages.flat().length });
  return pages;
}

test('a replay of more than a page looks at takes each event once, oldest first, no more than asked at a time', async () => {
  const eventIds = await insertMissed(1_050);
  const pages = await takePages({ perSecond: 100 });
  expect(pages.map((page) => page.length)).toEqual([...Array(10).fill(100), 50]);
  expect(pages.flat()).toEqual(eventIds);
});

test('a page that finds nothing among the 1,000 events it looks at is not the last', async () => {
  await insertMissed(1_050, { event: 'agent.deleted', externalTenantId: 'tenant-2' });
  const { events } = installation.store;
  const found = await events.find({ event: 'agent.deleted' }).sort({ _id: 1 }).toArray();
  const last = found.at(-1)?._id ?? '';
  await events.updateOne({ _id: last }, { $set: { event: 'agent.created' } });
  expect(await takePages({ events: ['agent.created'] })).toEqual([[], [last]]);
});

/** Takes the pages of a replay up to `askedAt`, each so long after that. */
async function replayUpToNow(
  states: ReplayedState[],
): Promise<{ webhookUid: string; takeAfter: (ms: number) => Promise<RedeliverPage> }> {
  const { store, app } = installation;
  const url = 'https://receiver.example.com/';
  const { _id: webhookUid } = await insertWebhook(installation, { url });
  const range = { since: ago(minuteMs), until: askedAt, createdAt: askedAt };
  const redeliveryUid = await insertReplay({ webhookUid, states, ...range });
  const source = { kind: 'redelivery', redeliveryUid } as const;
  let after = '';
  const takeAfter = async (ms: number): Promise<RedeliverPage> => {
    const clock = { now: () => new Date(askedAt.getTime() + ms) };
    const input = { appUid: app.appUid, source, after, released: 0 };
    const page = await takePage({ store, clock, wakeLane: noLanes }, input);
    after = page.after;
    return page;
  };
  return { webhookUid, takeAfter };
}

test('a replay of what was never sent waits for what was being recorded when it was asked for', async () => {
  const { webhookUid, takeAfter } = await replayUpToNow(['never_attempted']);
  const sent = ({ _id: eventId }: EventDocument) => ({ eventId, webhookUids: [webhookUid] });
  const late = newEvent(installation, [], ago(2));
  const older = await insertEvent(installation, [], ago(15_001));
  const younger = await insertEvent(installation, [], ago(1));
  expect(await takeAfter(0)).toMatchObject({ events: [sent(older)], isLast: false });
  expect(await takeAfter(14_998)).toMatchObject({ events: [], isLast: false });
  await installation.store.events.insertOne(late);
  const events = [sent(late), sent(younger)];
  expect(await takeAfter(15_000)).toMatchObject({ events, isLast: true });
});

test('a replay of what failed waits for nothing', async () => {
  const { takeAfter } = await replayUpToNow(['exhausted']);
  expect(await takeAfter(0)).toMatchObject({ events: [], isLast: true });
});
