// Releases, page by page and without Temporal: each held delivery is passed on once. And few long jobs of an application
// run at the same time, and one replay or sync of a webhook; the others wait.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { AttemptCaller } from '../../../lib/deliveries/decide.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { type PartitionDocument, partitionId } from '../../../lib/model/partition.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { newRelease, findUnstartedJobs } from '../../../lib/jobs/jobs.ts';
import type { JobPage } from '../../../lib/temporal/job-messages.ts';
import { deliveryPorts, noSignals } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { eventIdsOf, portsAt, resume, newReplayJob, takeAllPages } from '../../support/jobs.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startService, type TestService } from '../../support/service.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { beginWaitingJobs } from '../../../lib/jobs/job-turns.ts';
import { jobLimits } from '../../../lib/limits.ts';
import type { Answer } from '../../support/api-client.ts';
import { distinctScan } from '../../support/query-plans.ts';
import { expectProblem } from '../api/problems.ts';

const open = new Disposal();
const requestedAt = new Date();
let service: TestService;
let receiver: Receiver;
let ports: DeliveryPorts;
let webhook: WebhookDocument;
const answers: (() => void)[] = [];

beforeAll(async () => {
  service = open.use(await startService({ worker: false }));
  receiver = open.use(
    await startReceiver((response) => {
      answers.push(() => void response.writeHead(200).end());
    }),
  );
  const { egress: policy } = service.config;
  ports = deliveryPorts(service, { sender: open.use(createHttpSender({ policy })) });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhook = await insertWebhook(service, { url: receiver.url, active: false });
  answers.length = 0;
});

/** Inserts deliveries to the webhook with an event each. The first event is the oldest, but its delivery the newest. */
async function insert(count: number, fields: Partial<DeliveryDocument>): Promise<string[]> {
  const { _id: webhookUid } = webhook;
  const eventIds: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { _id: eventId } = await insertEvent(service, [webhookUid]);
    eventIds.push(eventId);
  }
  const made = eventIds
    .toReversed()
    .map((eventId) => newDelivery(service, new Date(), { eventId, webhookUid, ...fields }));
  await service.store.deliveries.insertMany(made);
  return eventIds;
}

const resumed = (): Promise<string> => resume(service.store, webhook, { now: requestedAt });

async function pause(): Promise<void> {
  const { _id } = webhook;
  await service.store.webhooks.updateOne({ _id }, { $set: { active: false } });
}

/** Takes a page `afterMs` after the resume. */
function take(jobUid: string, page = 1, afterMs = 1_000): Promise<JobPage> {
  const at = new Date(requestedAt.getTime() + afterMs);
  return takeJobPage(portsAt(ports, at), { jobUid, page });
}

function attempt(eventId: string, caller: AttemptCaller): Promise<DeliveryOutcome> {
  const key = { appUid: webhook.appUid, eventId, webhookUid: webhook._id };
  return attemptDelivery(ports, key, { caller, signal: new AbortController().signal });
}

async function attemptAnswered(eventId: string, jobUid: string): Promise<DeliveryOutcome> {
  const before = answers.length;
  const sent = attempt(eventId, { kind: 'job', jobUid });
  await waitFor(() => answers.length > before);
  answers.at(-1)?.();
  return sent;
}

const requestsOf = (eventId: string): number =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === eventId).length;

test('a release passes on the oldest events first, whichever was attempted first, 20 per page and a page per second', async () => {
  const held = await insert(41, { state: 'held' });
  const release = await resumed();
  for (const page of [1, 2, 3]) {
    const taken = await take(release, page);
    expect(eventIdsOf(taken)).toEqual(held.slice(20 * (page - 1), 20 * page));
    expect(taken).toMatchObject({ isLast: false, waitMs: 1_000 });
  }
  expect(await service.store.jobs.findOne({ _id: release })).toMatchObject({ count: 41 });
});

test('a release ends when nothing is held 35 s after the resume; before that, it checks after 1, 5 and 35 s', async () => {
  const release = await resumed();
  const checks = [
    [0, { isLast: false, waitMs: 1_000 }],
    [1_000, { isLast: false, waitMs: 4_000 }],
    [5_000, { isLast: false, waitMs: 30_000 }],
    [34_999, { isLast: false, waitMs: 1_000 }],
    [35_000, { isLast: true }],
  ] as const;
  for (const [index, [afterMs, expected]] of checks.entries()) {
    expect(await take(release, index + 1, afterMs)).toMatchObject({ events: [], ...expected });
  }
  expect(await service.store.jobs.findOne({ _id: release })).toMatchObject({ state: 'done' });
});

test('an attempt of a release is recorded like the held one: a first attempt, a retry or a resend', async () => {
  const made: [Partial<DeliveryDocument>, string][] = [
    [{ attemptCount: 0, scheduleFrom: 0, requeuedAs: null }, 'event'],
    [{ attemptCount: 1, scheduleFrom: 0, requeuedAs: null }, 'retry'],
    [{ attemptCount: 1, scheduleFrom: 1, requeuedAs: 'resend' }, 'resend'],
  ];
  for (const [fields, trigger] of made) {
    const [eventId = ''] = await insert(1, { state: 'held', ...fields });
    const release = await resumed();
    await take(release);
    await attemptAnswered(eventId, release);
    const delivery = await service.store.deliveries.findOne({ eventId });
    expect(delivery?.attempts.at(-1)?.trigger).toBe(trigger);
  }
});

test('a release ends at a pause and at the next resume, whose release takes the rest', async () => {
  const held = await insert(1, { state: 'held' });
  const release = await resumed();
  await pause();
  expect(await take(release)).toMatchObject({ events: [], isLast: true });
  const [second, third] = [await resumed(), await resumed()];
  expect(await take(second)).toMatchObject({ events: [], isLast: true });
  expect(eventIdsOf(await take(third))).toEqual(held);
});

test('a delivery that a release has in flight is not taken by the next release', async () => {
  const [eventId = ''] = await insert(1, { state: 'held' });
  const release = await resumed();
  await take(release);
  const sending = attempt(eventId, { kind: 'job', jobUid: release });
  await waitFor(() => answers.length === 1);
  await pause();
  expect(await take(await resumed())).toMatchObject({ events: [] });
  answers[0]?.();
  expect(await sending).toMatchObject({ state: 'delivered' });
  expect(requestsOf(eventId)).toBe(1);
});

test('the partitions of a deleted webhook are deleted with their numbers, 1,000 per page, and no others', async () => {
  const { store } = service;
  const { appUid, _id: webhookUid } = webhook;
  const otherUid = `${webhookUid}x`;
  const made = (count: number, uid: string): PartitionDocument[] =>
    Array.from({ length: count }, (_, n) => {
      const key = { appUid, webhookUid: uid, entity: 'agent', resourceUid: `agt_${n}` } as const;
      const counter = { settled: 1, asked: 1, lease: null, signalAt: null };
      return { _id: partitionId(key), ...key, ...counter };
    });
  const partitions = [...made(1_001, webhookUid), ...made(1, otherUid)];
  await store.partitions.insertMany(partitions);
  await store.sequences.insertMany(partitions.map(({ _id }) => ({ _id, last: 1 })));
  await store.webhooks.deleteOne({ _id: webhookUid });
  const job = newRelease({ appUid, webhookUid }, requestedAt);
  await store.jobs.insertOne(job);
  const count = async (uid: string) => {
    const ofWebhook = { _id: new RegExp(`^${uid}/`) };
    const numbers = await store.sequences.countDocuments(ofWebhook);
    expect(await store.partitions.countDocuments(ofWebhook)).toBe(numbers);
    return numbers;
  };
  const checks = [
    [34_999, false, 1_001],
    [35_000, false, 1],
    [36_000, true, 0],
  ] as const;
  for (const [index, [afterMs, isLast, left]] of checks.entries()) {
    expect(await take(job._id, index + 1, afterMs)).toMatchObject({ isLast });
    expect(await count(webhookUid)).toBe(left);
  }
  expect(await count(otherUid)).toBe(1);
});

test("a deleted webhook's open deliveries are cancelled, 1,000 per page, including those recorded later", async () => {
  const { store } = service;
  const { appUid, _id: webhookUid } = webhook;
  const made = (count: number, state: DeliveryDocument['state']) =>
    Array.from({ length: count }, () => newDelivery(service, requestedAt, { webhookUid, state }));
  const delivered = made(1, 'delivered');
  await store.deliveries.insertMany([
    ...made(997, 'held'),
    ...made(2, 'pending'),
    ...made(2, 'retrying'),
    ...delivered,
  ]);
  await store.webhooks.deleteOne({ _id: webhookUid });
  const job = newRelease({ appUid, webhookUid }, requestedAt);
  await store.jobs.insertOne(job);
  const cancelled = () => store.deliveries.countDocuments({ webhookUid, state: 'cancelled' });
  for (const count of [1_000, 1_001]) {
    expect(await take(job._id, count - 999)).toMatchObject({ events: [], isLast: false });
    expect(await cancelled()).toBe(count);
  }
  expect(await take(job._id, 3)).toMatchObject({ isLast: false });
  await store.deliveries.insertMany(made(1, 'held'));
  expect(await take(job._id, 4, 34_000)).toMatchObject({ isLast: false });
  expect(await take(job._id, 5, 35_000)).toMatchObject({ isLast: true });
  expect(await cancelled()).toBe(1_002);
  const [spared] = delivered;
  expect(await store.deliveries.findOne({ _id: spared?._id ?? '' })).toEqual(spared);
});

const { unfinishedPerKindMax } = jobLimits;
let webhookUid: string;

beforeEach(async () => {
  await service.store.jobs.deleteMany({});
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
});

const range = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

const replay = (): Promise<Answer> =>
  service.call('POST', `/webhooks/${webhookUid}/replays`, { body: { ...range, perSecond: 1 } });

const stateOf = ({ body }: Answer): string => String(body['state']);
const uidOf = ({ body }: Answer): string => String(body['uid']);

async function statesOf(answers: readonly Answer[]): Promise<(string | undefined)[]> {
  const jobs = await service.store.jobs.find({ _id: { $in: answers.map(uidOf) } }).toArray();
  return answers.map((answer) => jobs.find(({ _id }) => _id === uidOf(answer))?.state);
}

const finish = (answer: Answer): Promise<unknown> =>
  takeAllPages(
    { ...noSignals, store: service.store, clock: systemClock, ...service.config },
    uidOf(answer),
  );

test('a second replay of a webhook waits, is shown as waiting, and begins when the first has ended', async () => {
  const [first, second] = [await replay(), await replay()];
  expect([first, second].map(stateOf)).toEqual(['running', 'waiting']);
  await beginWaitingJobs(service.store);
  expect(await statesOf([first, second])).toEqual(['running', 'waiting']);
  await finish(first);
  await beginWaitingJobs(service.store);
  expect(await statesOf([first, second])).toEqual(['done', 'running']);
});

test('of concurrent replays of a webhook, one runs', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => replay()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(answers.map(stateOf).filter((state) => state === 'running')).toHaveLength(1);
});

test('an application whose turn conflicts holds up no other', async () => {
  const [first, second] = [await replay(), await replay()];
  await finish(first);
  const { client, apps } = service.store;
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await apps.updateOne({ _id: service.app.appUid }, { $inc: { turn: 1 } }, { session });
      await beginWaitingJobs(service.store);
    }),
  );
  expect(await statesOf([second])).toEqual(['waiting']);
  await beginWaitingJobs(service.store);
  expect(await statesOf([second])).toEqual(['running']);
});

test('no workflow starts for a job that waits', async () => {
  const [first] = [await replay(), await replay()];
  await service.store.jobs.updateMany({}, { $set: { startedAt: null } });
  const unstarted = await findUnstartedJobs(service.store, new Date(Date.now() + 60_000), 10);
  expect(unstarted.map(({ _id }) => _id)).toEqual([uidOf(first)]);
});

test('a cancelled replay that waited never begins', async () => {
  const [first, second] = [await replay(), await replay()];
  const path = `/webhooks/${webhookUid}/replays/${uidOf(second)}`;
  expect((await service.call('POST', `${path}/cancel`)).status).toBe(200);
  await finish(first);
  await beginWaitingJobs(service.store);
  expect(await statesOf([second])).toEqual(['cancelled']);
});

test('one unfinished replay more than an application may have is refused', async () => {
  const { appUid } = service.app;
  const unfinished = Array.from({ length: unfinishedPerKindMax - 1 }, () =>
    newReplayJob({ appUid, webhookUid, createdAt: new Date() }),
  );
  await service.store.jobs.insertMany(unfinished.map((job) => ({ ...job, state: 'waiting' })));
  expect((await replay()).status).toBe(202);
  expectProblem(await replay(), 409, 'limit_reached');
});

test('the relay finds the applications with waiting jobs by one key of an index each', async () => {
  await replay();
  await replay();
  const scan = await distinctScan(service.store, 'jobs', () => beginWaitingJobs(service.store));
  expect(scan).toEqual({ indexes: new Set(['jobs.waiting']), docsExamined: 0 });
});
