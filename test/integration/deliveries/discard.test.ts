// A resume with discard drops every open delivery recorded before it, in any state, and no other. And when the
// filters of a webhook are narrowed, its open deliveries that no longer match are not sent.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { AttemptCaller } from '../../../lib/deliveries/decide.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { partitionId } from '../../../lib/model/partition.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { newJob } from '../../../lib/jobs/jobs.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { newReplayJob, newSyncJob, portsAt, resume } from '../../support/jobs.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { countHeld } from '../../../lib/history/held-counts.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { resumeWebhook } from '../../support/resume.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let webhook: WebhookDocument;
let holds = true;
const answers: ((status: number) => void)[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(
    await startReceiver((response) => {
      if (holds) answers.push((status) => void response.writeHead(status).end());
      else response.end();
    }),
  );
  const { egress: policy } = installation.config;
  ports = deliveryPorts(installation, { sender: open.use(createHttpSender({ policy })) });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhook = await insertWebhook(installation, { url: receiver.url });
  answers.length = 0;
  holds = true;
});

const ago = (ms: number): Date => new Date(Date.now() - ms);

/** Resumes the webhook with discard, and returns the release that drops its deliveries. */
const discard = (now = new Date()): Promise<string> =>
  resume(installation.store, webhook, { now, discards: true });

const madeAt = (at: Date, fields: Partial<DeliveryDocument>): DeliveryDocument =>
  newDelivery(installation, at, { webhookUid: webhook._id, ...fields });

async function stateOf(eventId: string): Promise<string | undefined> {
  const filter = { eventId, webhookUid: webhook._id };
  return (await installation.store.deliveries.findOne(filter))?.state;
}

function attempt(eventId: string, jobUid?: string): Promise<DeliveryOutcome> {
  const key = { appUid: webhook.appUid, eventId, webhookUid: webhook._id };
  const caller: AttemptCaller = jobUid === undefined ? { kind: 'event' } : { kind: 'job', jobUid };
  const { signal } = new AbortController();
  return attemptDelivery(ports, key, { caller, signal });
}

test('a discard drops open deliveries recorded before it, 1,000 per page, and no others', async () => {
  const now = ago(1_000);
  const [older, younger] = [ago(2_000), ago(0)];
  const dropped = [
    ...Array.from({ length: 999 }, () => madeAt(older, { state: 'held' })),
    madeAt(older, { state: 'pending' }),
    madeAt(older, { state: 'retrying', nextAttemptAt: younger }),
    madeAt(older, { state: 'retrying', requeuedAs: 'replay', requeuedAt: older }),
    madeAt(younger, { state: 'retrying', requeuedAs: 'replay', discardCount: 0 }),
  ];
  const spared = [
    madeAt(younger, { state: 'held', jobUid: 'job_of_another', discardCount: 1 }),
    madeAt(older, { state: 'delivered' }),
    madeAt(older, { state: 'retrying', requeuedAs: 'resend', discardCount: 1 }),
    madeAt(older, { state: 'retrying', discardCount: 1 }),
    newDelivery(installation, older, { state: 'held' }),
  ];
  const { deliveries } = installation.store;
  await deliveries.insertMany([...dropped, ...spared]);
  const jobUid = await discard(now);
  const cancelled = { webhookUid: webhook._id, state: 'cancelled', nextAttemptAt: null } as const;
  for (const [page, count] of [
    [1, 1_000],
    [2, 1_003],
  ] as const) {
    const taken = await takeJobPage(ports, { jobUid, page });
    expect(taken).toMatchObject({ events: [], isLast: false });
    expect(await deliveries.countDocuments(cancelled)).toBe(count);
  }
  const [held, ...untouched] = spared;
  const third = await takeJobPage(ports, { jobUid, page: 3 });
  expect(third.events).toMatchObject([{ eventId: held?.eventId }]);
  for (const { _id, state } of untouched) {
    expect((await deliveries.findOne({ _id }))?.state).toBe(state);
  }
});

test.each(['resend', 'replay', 'sync'] as const)(
  'a %s requested before the discard sends the webhook nothing after it, and changes no record',
  async (kind) => {
    const { deliveries, jobs } = installation.store;
    const { appUid, _id: webhookUid } = webhook;
    const createdAt = ago(20_000);
    const event = newEvent(installation, [webhookUid], ago(30_000));
    await installation.store.events.insertOne({ ...event, dispatchedAt: event.createdAt });
    const eventId = event._id;
    await deliveries.insertOne(madeAt(ago(30_000), { eventId, state: 'delivered' }));
    const asked = { appUid, webhookUid, createdAt };
    const resend = { eventId, webhookUids: [webhookUid], seenDiscards: [] };
    const replay = { since: ago(60_000), until: createdAt, states: ['delivered' as const] };
    const requested = {
      resend: { ...newJob(appUid, createdAt), kind: 'resend' as const, ...resend },
      replay: newReplayJob({ ...asked, ...replay }),
      sync: newSyncJob(asked),
    };
    await jobs.insertOne(requested[kind]);
    await discard();
    const page = await takeJobPage(ports, { jobUid: requested[kind]._id, page: 1 });
    expect(page).toMatchObject({ events: [], isLast: true });
    expect(await stateOf(eventId)).toBe('delivered');
  },
);

test.each([
  ['a first attempt', 200, 'delivered', 'delivered'],
  ['a first attempt', 500, 'later', 'cancelled'],
  ['a retry', 200, 'delivered', 'delivered'],
  ['a retry', 500, 'cancelled', 'cancelled'],
] as const)(
  '%s that is in flight during a discard and gets the response %i is reported as %s and ends as %s',
  async (...row) => {
    const [which, status, recorded, end] = row;
    const { _id: eventId } = await insertEvent(installation, [webhook._id], ago(1_000));
    if (which === 'a retry') {
      await installation.store.deliveries.insertOne(
        madeAt(ago(1_000), { eventId, state: 'retrying', attemptCount: 1 }),
      );
    }
    const sending = attempt(eventId);
    await waitFor(() => answers.length === 1);
    const jobUid = await discard();
    await takeJobPage(ports, { jobUid, page: 1 });
    answers[0]?.(status);
    expect(await sending).toMatchObject({ state: recorded });
    await takeJobPage(ports, { jobUid, page: 2 });
    expect(await stateOf(eventId)).toBe(end);
  },
);

test('neither a pause nor a resume without discard undoes a discard', async () => {
  const { store } = installation;
  const { _id } = webhook;
  const [first, second] = [
    madeAt(ago(1_000), { state: 'held' }),
    madeAt(ago(1_000), { state: 'held' }),
  ];
  await store.deliveries.insertOne(first);
  const jobUid = await discard();
  await store.webhooks.updateOne({ _id }, { $set: { active: false } });
  expect(await takeJobPage(ports, { jobUid, page: 1 })).toMatchObject({ isLast: false });
  expect(await takeJobPage(ports, { jobUid, page: 2 })).toMatchObject({ isLast: true });
  expect(await stateOf(first.eventId)).toBe('cancelled');
  await store.deliveries.insertOne(second);
  const release = await resume(store, webhook);
  expect(await takeJobPage(ports, { jobUid: release, page: 1 })).toMatchObject({ events: [] });
  expect(await stateOf(second.eventId)).toBe('cancelled');
});

test('what an earlier discard left open is dropped by the attempt after its release', async () => {
  const [discardedAt, heldAt] = [ago(120_000), ago(180_000)];
  const { _id: eventId } = await insertEvent(installation, [webhook._id], heldAt);
  await discard(discardedAt);
  await installation.store.deliveries.insertOne(madeAt(heldAt, { eventId, state: 'held' }));
  const jobUid = await resume(installation.store, webhook);
  const { events } = await takeJobPage(ports, { jobUid, page: 1 });
  expect(events).toMatchObject([{ eventId }]);
  expect(await attempt(eventId, jobUid)).toMatchObject({ state: 'cancelled', attemptCount: 0 });
  expect(await stateOf(eventId)).toBe('cancelled');
  expect(answers).toHaveLength(0);
});

test.each([
  ['drops what is open, begun up to a minute after the discard', 60_000, 'cancelled'],
  ['leaves it to the attempts, begun later', 60_001, 'pending'],
])('a release %s', async (_rule, laterMs, state) => {
  const discardedAt = ago(120_000);
  await discard(discardedAt);
  const delivery = madeAt(ago(180_000), { state: 'held' });
  await installation.store.deliveries.insertOne(delivery);
  const now = new Date(discardedAt.getTime() + laterMs);
  const jobUid = await resume(installation.store, webhook, { now });
  await takeJobPage(ports, { jobUid, page: 1 });
  expect(await stateOf(delivery.eventId)).toBe(state);
});

test('the partitions of dropped deliveries are signalled, by the relay if the worker is killed', async () => {
  const { appUid, _id: webhookUid } = webhook;
  const { deliveries, partitions } = installation.store;
  const key = { appUid, webhookUid, entity: 'agent', resourceUid: newId('agt') } as const;
  const partition = partitionId(key);
  const counter = { settled: 0, lease: null, signalAt: null };
  await partitions.insertOne({ _id: partition, ...key, ...counter });
  await deliveries.insertMany([
    madeAt(ago(1_000), { state: 'held', partition }),
    madeAt(ago(1_000), { state: 'pending', partition }),
  ]);
  const now = new Date();
  const jobUid = await discard(now);
  const signalled: unknown[] = [];
  const signalPartition = async (signal: unknown): Promise<void> => {
    signalled.push(signal);
    throw new Error('killed');
  };
  const page = takeJobPage({ ...portsAt(ports, now), signalPartition }, { jobUid, page: 1 });
  await expect(page).rejects.toThrow('killed');
  expect(signalled).toEqual([key]);
  const signalAt = new Date(now.getTime() + 5_000);
  expect(await partitions.findOne({ _id: partition })).toMatchObject({ signalAt });
});

async function change(fields: Partial<WebhookDocument>): Promise<void> {
  await installation.store.webhooks.updateOne({ _id: webhook._id }, { $set: fields });
}

interface OpenDelivery {
  event?: Partial<EventDocument>;
  delivery?: Partial<DeliveryDocument>;
}

/** An event about an agent of `tenant-1`, and its delivery if there is one. The receiver accepts it immediately. */
async function insert({ event, delivery }: OpenDelivery): Promise<EventDocument> {
  holds = false;
  const made = { ...newEvent(installation, [webhook._id], new Date()), ...event };
  await installation.store.events.insertOne(made);
  if (delivery !== undefined) {
    const stored = madeAt(new Date(), { eventId: made._id, ...delivery });
    await installation.store.deliveries.insertOne(stored);
  }
  return made;
}

/** Resumes the webhook and attempts the delivery that its release took. */
async function attemptReleased(event: EventDocument): Promise<DeliveryOutcome> {
  const { appUid, _id: webhookUid } = webhook;
  const { jobUid, page } = await resumeWebhook(ports, { appUid, webhookUid });
  expect(page.events).toEqual([{ eventId: event._id, webhookUids: [webhookUid] }]);
  return attempt(event._id, jobUid);
}

const requestsOf = ({ _id }: EventDocument): number =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === _id).length;

const aRetry = { state: 'retrying', attemptCount: 1, nextAttemptAt: new Date() } as const;
const otherEntity: Partial<WebhookDocument> = { entities: ['context'] };

test.each<[string, string, OpenDelivery]>([
  ['a first attempt', 'cancelled', {}],
  ['a retry', 'cancelled', { delivery: aRetry }],
  ['a retry of a resend', 'delivered', { delivery: { ...aRetry, requeuedAs: 'resend' } }],
])('%s that the filters no longer match is %s', async (_what, state, given) => {
  const event = await insert(given);
  await change(otherEntity);
  expect(await attempt(event._id)).toMatchObject({ state });
  const delivery = await installation.store.deliveries.findOne({ eventId: event._id });
  expect(delivery).toMatchObject({ state, nextAttemptAt: null });
  expect(requestsOf(event)).toBe(state === 'delivered' ? 1 : 0);
});

test('filters cancel nothing during a pause: the filters at the resume decide', async () => {
  const event = await insert({ delivery: aRetry });
  await change({ ...otherEntity, active: false });
  expect(await attempt(event._id)).toMatchObject({ state: 'held' });
  expect(await countHeld(installation.store, { ...webhook, active: false })).toBe(1);
  await change({ entities: ['agent'] });
  expect(await attemptReleased(event)).toMatchObject({ state: 'delivered' });
  expect(await countHeld(installation.store, webhook)).toBe(0);
});

test('after a cancellation by the filters the partition sends the later events', async () => {
  const resourceUid = newId('agt');
  const first = await insert({ event: { resourceUid } });
  const second = await insert({ event: { resourceUid, event: 'agent.created' } });
  const { partition } = await giveNumber(installation, first, webhook._id);
  await giveNumber(installation, second, webhook._id);
  await change({ ordering: 'resource', events: ['agent.created'] });

  const { signal } = new AbortController();
  const step = await attemptInOrder(ports, partition, { signal });
  expect(step.next).toBe('end');
  expect(step.settled.map(({ state }) => state)).toEqual(['cancelled', 'delivered']);
  expect([requestsOf(first), requestsOf(second)]).toEqual([0, 1]);
});
