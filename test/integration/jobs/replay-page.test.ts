// The page of a replay, without Temporal: which deliveries it claims, and what it does in a partition.
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { minuteMs } from '../../../lib/platform/duration.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { ReplayJob, ReplayedState } from '../../../lib/model/job.ts';
import { partitionId, type PartitionKey } from '../../../lib/model/partition.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import type { JobPage } from '../../../lib/temporal/job-messages.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { insertPartition } from '../../support/issue-number.ts';
import { eventIdsOf, requestReplay, takeAllPages } from '../../support/jobs.ts';

const open = new Disposal();
let installation: Installation;
const signalled: PartitionKey[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

beforeEach(async () => {
  await installation.store.events.deleteMany({});
  signalled.length = 0;
});

afterAll(() => open[Symbol.asyncDispose]());

type PagePorts = Parameters<typeof takeJobPage>[0];

function portsAt(at: Date): PagePorts {
  const { store, config } = installation;
  const signalPartition = async (key: PartitionKey): Promise<void> => void signalled.push(key);
  return { store, clock: { now: () => at }, ...noSignals, signalPartition, ...config };
}

/** A replay of one delivery, whose page can be taken several times. */
interface Replay {
  event: EventDocument;
  webhookUid: string;
  jobUid: string;
  take: () => Promise<JobPage>;
}

async function replayOf(
  fields: Partial<DeliveryDocument>,
  facts: { states: readonly ReplayedState[]; webhook?: Partial<WebhookDocument> },
): Promise<Replay> {
  const { store, app } = installation;
  const { appUid } = app;
  const url = 'https://receiver.example.com/';
  const { _id: webhookUid } = await insertWebhook(installation, { url, ...facts.webhook });
  const event = await insertEvent(installation, [webhookUid], requestedAt);
  const { _id: eventId } = event;
  const delivery = newDelivery(installation, requestedAt, { eventId, webhookUid, ...fields });
  await store.deliveries.insertOne(delivery);
  const states = [...facts.states];
  const jobUid = await requestReplay(store, { appUid, webhookUid, states, createdAt: requestedAt });
  const take = () => takeJobPage(portsAt(new Date()), { jobUid, page: 1 });
  return { event, webhookUid, jobUid, take };
}

const requestedAt = new Date('2026-01-01T00:00:00Z');
const ago = (ms: number): Date => new Date(requestedAt.getTime() - ms);

test.each([
  ['retrying', ago(0), ['retrying'], true],
  ['retrying', ago(90_000), ['pending', 'exhausted'], false],
  ['pending', ago(60_001), ['pending'], true],
  ['pending', ago(60_000), ['pending'], false],
  ['pending', ago(60_001), ['retrying', 'held'], false],
] as const)('a delivery that is %s since %j is taken by a replay of %j: %j', async (...row) => {
  const [state, updatedAt, states, isTaken] = row;
  const { event, webhookUid, take } = await replayOf({ state, updatedAt }, { states });
  const { _id: eventId } = event;
  const events = isTaken ? [{ eventId, webhookUids: [webhookUid] }] : [];
  expect(await take()).toMatchObject({ events, isLast: true });
  const delivery = await installation.store.deliveries.findOne({ eventId });
  expect(delivery?.state).toBe(isTaken ? 'pending' : state);
  expect(delivery?.requeuedAs).toBe(isTaken ? 'replay' : null);
  expect(signalled).toEqual([]);
});

test.each([
  ['whose time has long come', ago(60_001), true],
  ['that may be being sent', ago(60_000), false],
  ['whose time came after the request', new Date(requestedAt.getTime() + 1), false],
  ['whose time is to come', new Date('2200-01-01T00:00:00Z'), true],
])('of old pending deliveries in a partition a replay takes one %s: %j', async (...row) => {
  const [, nextAttemptAt, isTaken] = row;
  const limited = {
    state: 'pending',
    updatedAt: ago(90_000),
    nextAttemptAt,
    isRateLimited: true,
  } as const;
  const { event, take } = await replayOf(limited, { states: ['pending'] });
  expect(eventIdsOf(await take())).toEqual(isTaken ? [event._id] : []);
});

/** Puts the event of a replay into a partition with this counter, as number `n`. */
async function putInPartition(
  { event, webhookUid }: Replay,
  { n, issued, settled }: { n: number; issued: number; settled: number },
): Promise<PartitionKey> {
  const { store } = installation;
  const { _id: eventId, appUid, entity, resourceUid } = event;
  const key = { appUid, webhookUid, entity, resourceUid };
  const partition = partitionId(key);
  await insertPartition(store, { ...key, issued, settled });
  await store.events.updateOne({ _id: eventId }, { $set: { order: [{ webhookUid, n }] } });
  await store.deliveries.updateOne({ eventId }, { $set: { partition } });
  return key;
}

test.each([
  ['a settled delivery gets a new number behind the waiting ones', 'exhausted', 2, 4],
  ['a delivery whose end is recorded and not yet settled gets one, too', 'delivered', 0, 4],
  ['a delivery that a job has sent gets one, too', 'held', 2, 4],
  ['a delivery that waits for its retry keeps its number', 'retrying', 0, 1],
] as const)(
  'in a replay to an ordered webhook %s, even if the page is repeated',
  async (...row) => {
    const [, state, settled, n] = row;
    const replay = await replayOf(
      { state, jobUid: state === 'held' ? 'job_before' : null },
      { states: [state], webhook: { ordering: 'resource' } },
    );
    const { event, webhookUid, jobUid, take } = replay;
    const counter = { n: 1, issued: 3, settled };
    const key = await putInPartition(replay, counter);
    const { deliveries, events, jobs, partitions, sequences } = installation.store;
    for (let times = 0; times < 2; times += 1) {
      // The workflow of the partition makes the attempt.
      expect(await take()).toMatchObject({ events: [], isLast: true });
    }
    expect(signalled).toEqual([key]);
    const order = [{ webhookUid, n }];
    expect(await events.findOne({ _id: event._id })).toMatchObject({ order });
    const last = Math.max(3, n);
    const _id = partitionId(key);
    expect(await sequences.findOne({ _id })).toMatchObject({ last });
    const signalAt = expect.any(Date);
    expect(await partitions.findOne({ _id })).toMatchObject({ signalAt });
    const sent = {
      state: 'pending',
      jobUid: null,
      requeuedAs: 'replay',
      requeuedBy: jobUid,
      partition: partitionId(key),
    };
    expect(await deliveries.findOne({ eventId: event._id })).toMatchObject(sent);
    expect(await jobs.findOne({ _id: jobUid })).toMatchObject({ count: 1 });
  },
);

/** Writes `count` events that no webhook got, a millisecond apart. Returns their IDs, oldest first. */
async function insertMissed(count: number, fields: Partial<EventDocument> = {}): Promise<string[]> {
  const events = Array.from({ length: count }, (_none, n) => {
    const createdAt = new Date(ago(missedSinceMs).getTime() + n);
    return { ...newEvent(installation, [], createdAt), ...fields };
  });
  await installation.store.events.insertMany(events);
  return events.map((event) => event._id);
}

const missedSinceMs = 60 * 60 * 1_000;

/** Takes all pages of a replay of the missed events. */
async function takePages(
  fields: Partial<ReplayJob>,
  webhook: Partial<WebhookDocument> = {},
): Promise<string[][]> {
  const { store, app } = installation;
  const { appUid } = app;
  const { _id: webhookUid } = await insertWebhook(installation, {
    url: 'https://r.example.com/',
    ...webhook,
  });
  const range = { since: ago(missedSinceMs), until: requestedAt, createdAt: requestedAt };
  const states: ReplayedState[] = ['never_attempted'];
  const jobUid = await requestReplay(store, { appUid, webhookUid, states, ...range, ...fields });
  // By then, events that were being committed at the time of the request are visible.
  const taken = await takeAllPages(portsAt(new Date(requestedAt.getTime() + 15_000)), jobUid);
  const pages = taken.map(eventIdsOf);
  const count = pages.flat().length;
  expect(await store.jobs.findOne({ _id: jobUid })).toMatchObject({ state: 'done', count });
  return pages;
}

test('a replay of more events than a page scans takes each once, oldest first, with no more per page than its rate', async () => {
  const eventIds = await insertMissed(1_050);
  const pages = await takePages({ perSecond: 100 });
  expect(pages.map((page) => page.length)).toEqual([...Array(10).fill(100), 50]);
  expect(pages.flat()).toEqual(eventIds);
});

test('a replay to a webhook with a filter takes the events whose data match', async () => {
  const withNote = (note: string) => {
    const event = newEvent(installation, [], ago(missedSinceMs));
    const body = JSON.parse(event.body) as { data: object };
    return { ...event, body: JSON.stringify({ ...body, data: { ...body.data, note } }) };
  };
  const events = Array.from({ length: 205 }, (_none, n) => withNote(n % 50 === 4 ? 'x' : 'y'));
  const matching = events.filter(({ body }) => body.includes('"note":"x"'));
  await installation.store.events.insertMany(events);
  const filter = [{ path: 'note', is: 'x' }];
  const pages = await takePages({}, { filter });
  expect(pages.flat()).toEqual(matching.map(({ _id }) => _id));
  expect(pages.map((page) => page.length)).toEqual([4, 1]);
});

test('a page that finds no match among the 1,000 events it scans is not the last', async () => {
  await insertMissed(1_050, { event: 'agent.deleted', externalTenantId: 'tenant-2' });
  const { events } = installation.store;
  const found = await events.find({ event: 'agent.deleted' }).sort({ _id: 1 }).toArray();
  const last = found.at(-1)?._id ?? '';
  await events.updateOne({ _id: last }, { $set: { event: 'agent.created' } });
  expect(await takePages({ events: ['agent.created'] })).toEqual([[], [last]]);
});

/** Takes the pages of a replay up to `requestedAt`, each `ms` after that. */
async function replayUpToNow(
  states: ReplayedState[],
): Promise<{ webhookUid: string; takeAfter: (ms: number) => Promise<JobPage> }> {
  const { store, app } = installation;
  const url = 'https://receiver.example.com/';
  const { _id: webhookUid } = await insertWebhook(installation, { url });
  const range = { since: ago(minuteMs), until: requestedAt, createdAt: requestedAt };
  const { appUid } = app;
  const jobUid = await requestReplay(store, { appUid, webhookUid, states, ...range });
  let page = 0;
  const takeAfter = (ms: number): Promise<JobPage> => {
    page += 1;
    return takeJobPage(portsAt(new Date(requestedAt.getTime() + ms)), { jobUid, page });
  };
  return { webhookUid, takeAfter };
}

test('a replay of never attempted events waits for those that were being committed when it was requested', async () => {
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
