// The pages of a replay of failures, to one webhook or several, without Temporal.
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { countReplay } from '../../../lib/jobs/replay/count-replay.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { type ReplayJob } from '../../../lib/model/job.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { insertPartition } from '../../support/issue-number.ts';
import { eventIdsOf, newReplayJob, takeAllPages } from '../../support/jobs.ts';

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

beforeEach(async () => {
  const { events, deliveries, webhooks } = installation.store;
  await Promise.all([events, deliveries, webhooks].map((each) => each.deleteMany({})));
});

afterAll(() => open[Symbol.asyncDispose]());

const since = new Date('2026-01-01T00:00:00Z');
const until = new Date('2026-01-02T00:00:00Z');
const requestedAt = new Date('2026-01-03T00:00:00Z');
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

async function addWebhook(fields: Partial<WebhookDocument> = {}): Promise<string> {
  return (await insertWebhook(installation, { url: 'https://r.example.com/', ...fields }))._id;
}

interface Failure {
  event?: Partial<EventDocument>;
  delivery?: Partial<DeliveryDocument>;
}

/** Writes an event at a time and its exhausted delivery. Returns its uid. */
async function fail(webhookUid: string, at: Date, fields: Failure = {}): Promise<string> {
  const { events, deliveries } = installation.store;
  const event = { ...newEvent(installation, [webhookUid], at), ...fields.event };
  const key = { eventId: event._id, webhookUid, event: event.event };
  const failed = { ...key, state: 'exhausted', statusClass: '5xx', ...fields.delivery } as const;
  await events.insertOne(event);
  await deliveries.insertOne(newDelivery(installation, requestedAt, failed));
  return event._id;
}

const failAfter = (webhookUid: string, ms: number) => fail(webhookUid, after(since, ms));

function replayTo(webhookUids: string[], fields: Partial<ReplayJob> = {}): ReplayJob {
  const [first = null] = webhookUids;
  const webhookUid = webhookUids.length === 1 ? first : null;
  const { appUid } = installation.app;
  const range = { since, until, createdAt: requestedAt };
  const states: ReplayJob['states'] = ['exhausted', 'cancelled', 'blocked'];
  return newReplayJob({ appUid, webhookUid, webhookUids, states, ...range, ...fields });
}

function ports(): Parameters<typeof takeJobPage>[0] {
  const { store, config } = installation;
  return { store, clock: { now: () => requestedAt }, ...noSignals, ...config };
}

/** Takes all pages of a replay, with a callback after each. */
async function take(replay: ReplayJob): Promise<string[][]> {
  await installation.store.jobs.insertOne(replay);
  return (await takeAllPages(ports(), replay._id)).map(eventIdsOf);
}

test('a replay to several webhooks sends to one after another, at one rate for all together', async () => {
  const [one, none, two] = [await addWebhook(), await addWebhook(), await addWebhook()];
  const ofOne = [await failAfter(one, 0), await failAfter(one, 1), await failAfter(one, 2)];
  const ofTwo = [await failAfter(two, 3), await failAfter(two, 4)];
  const replay = replayTo([one, 'whk_deleted', none, two], { perSecond: 2 });
  expect(await countReplay(installation.store, replay)).toEqual({
    count: 5,
    countIsCapped: false,
    states: [{ state: 'exhausted', cancelReason: null, count: 5 }],
    nextAttemptAt: null,
    webhooks: [
      { webhookUid: one, count: 3 },
      { webhookUid: two, count: 2 },
    ],
  });
  const [first, second] = ofOne;
  expect(await take(replay)).toEqual([[first, second], [ofOne[2], ofTwo[0]], [ofTwo[1]]]);
  expect(await installation.store.jobs.findOne({ _id: replay._id })).toMatchObject({
    state: 'done',
    count: 5,
    webhooksDone: 4,
    webhooks: [
      { webhookUid: one, count: 3 },
      { webhookUid: two, count: 2 },
    ],
  });
});

test('deliveries that a replay sent and that failed again are not sent again by a later page', async () => {
  const webhookUid = await addWebhook();
  const eventIds = [await failAfter(webhookUid, 0), await failAfter(webhookUid, 1)];
  const replay = replayTo([webhookUid], { perSecond: 1 });
  const { jobs, deliveries } = installation.store;
  await jobs.insertOne(replay);
  const pages: string[][] = [];
  for (let page = 1; page <= 3; page += 1) {
    const taken = await takeJobPage(ports(), { jobUid: replay._id, page });
    pages.push(eventIdsOf(taken));
    await deliveries.updateMany({ state: 'pending' }, { $set: { state: 'exhausted' } });
    if (taken.isLast) break;
  }
  expect(pages).toEqual([[eventIds[0]], [eventIds[1]]]);
});

test('a replay of failures takes those of events from since on and before until, in the order of the events', async () => {
  const webhookUid = await addWebhook();
  const late = await fail(webhookUid, after(until, -1));
  await fail(webhookUid, until);
  await fail(webhookUid, after(since, -1));
  const blocked = { delivery: { state: 'blocked' } } as const;
  const early = await fail(webhookUid, since, blocked);
  expect(await take(replayTo([webhookUid]))).toEqual([[early, late]]);
});

test.each<[string, Partial<EventDocument>, Partial<ReplayJob>]>([
  ['of another tenant', {}, { externalTenantId: 'tenant-2' }],
  ['of another event', {}, { events: ['agent.created'] }],
  ['that was erased', { erasedAt: requestedAt }, {}],
  ['that is a test', { event: 'webhook.test' }, {}],
])('a replay of failures takes no event %s', async (_which, event, fields) => {
  const webhookUid = await addWebhook();
  await fail(webhookUid, since, { event });
  const taken = await fail(webhookUid, since, {
    event: { event: 'agent.created', externalTenantId: 'tenant-2' },
  });
  expect(await take(replayTo([webhookUid], fields))).toEqual([[taken]]);
});

test('a page that finds nothing at 50 webhooks is not the last', async () => {
  const webhookUid = await addWebhook();
  const others = Array.from({ length: 50 }, (_none, n) => `whk_${n}`);
  const eventId = await fail(webhookUid, since);
  expect(await take(replayTo([...others, webhookUid]))).toEqual([[], [eventId]]);
});

test('an ordered webhook gets its failures again in the order of the events', async () => {
  const { app, store } = installation;
  const webhookUid = await addWebhook({ ordering: 'resource' });
  const resource = { entity: 'agent', resourceUid: 'agt_1' } as const;
  const second = await fail(webhookUid, after(since, 1), { event: resource });
  const first = await fail(webhookUid, since, { event: resource });
  const partition = { appUid: app.appUid, webhookUid, ...resource };
  await insertPartition(store, { ...partition, issued: 2, settled: 2 });
  await take(replayTo([webhookUid]));
  const events = await store.events
    .find({ _id: { $in: [first, second] } })
    .sort({ _id: 1 })
    .toArray();
  expect(events.map(({ order }) => order)).toEqual([
    [{ webhookUid, n: 3 }],
    [{ webhookUid, n: 4 }],
  ]);
});
