// The page of a replay, without Temporal: which deliveries it takes over, and which lanes it tells.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/clock.ts';
import type { LaneNews } from '../../../lib/delivery/ports.ts';
import { takePage } from '../../../lib/delivery/redeliver-pages.ts';
import { Disposal } from '../../../lib/disposal.ts';
import { minuteMs } from '../../../lib/duration.ts';
import type { DeliveryDocument } from '../../../lib/store/deliveries.ts';
import type { EventDocument } from '../../../lib/store/events.ts';
import { laneOf } from '../../../lib/store/lanes.ts';
import { newRedelivery } from '../../../lib/store/redeliveries.ts';
import type { ReplayDocument, ReplayedState } from '../../../lib/store/redeliveries.ts';
import type { WebhookDocument } from '../../../lib/store/webhooks.ts';
import type { RedeliverPage } from '../../../lib/temporal/messages.ts';
import { noLanes } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation } from '../../support/installation.ts';
import type { Installation } from '../../support/installation.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

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
  const range = { since: askedAt, until: new Date(askedAt.getTime() + 1), events: null };
  const asked = newRedelivery(appUid, askedAt);
  const replay: ReplayDocument = {
    ...asked,
    ...range,
    kind: 'replay',
    webhookUid,
    states,
    perSecond: 20,
  };
  await store.redeliveries.insertOne(replay);
  const news: LaneNews[] = [];
  const wakeLane = async (about: LaneNews): Promise<void> => void news.push(about);
  const source = { kind: 'redelivery', redeliveryUid: asked._id } as const;
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

/** Takes the pages of a replay up to `askedAt`, each so long after that. */
async function replayUpToNow(
  states: ReplayedState[],
): Promise<{ webhookUid: string; takeAfter: (ms: number) => Promise<RedeliverPage> }> {
  const { store, app } = installation;
  const url = 'https://receiver.example.com/';
  const { _id: webhookUid } = await insertWebhook(installation, { url });
  const asked = newRedelivery(app.appUid, askedAt);
  const range = { since: ago(minuteMs), until: askedAt, events: null, perSecond: 20 };
  await store.redeliveries.insertOne({ ...asked, kind: 'replay', webhookUid, states, ...range });
  const source = { kind: 'redelivery', redeliveryUid: asked._id } as const;
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
