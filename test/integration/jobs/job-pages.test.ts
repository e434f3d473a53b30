// Pages of jobs: each is taken once, by its number. Taking it again returns the same deliveries. And the deliveries that a
// resend passes on.
import { erasePayloads } from '../../../lib/jobs/erasure/erase-chunk.ts';
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { JobPage } from '../../../lib/temporal/job-messages.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { requestReplay, requestResend, eventIdsOf, resume } from '../../support/jobs.ts';
import { findWaitingWorkflows } from '../../../lib/jobs/taken-by-job.ts';
import type { SignalTakenByJob } from '../../../lib/temporal/signal-taken-by-job.ts';

const open = new Disposal();
let installation: Installation;
let ports: DeliveryPorts;
let webhook: WebhookDocument;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const { egress: policy } = installation.config;
  ports = deliveryPorts(installation, { sender: open.use(createHttpSender({ policy })) });
});

afterAll(() => open[Symbol.asyncDispose]());

beforeEach(async () => {
  webhook = await insertWebhook(installation, { url: 'https://receiver.example.com/' });
});

/** Inserts deliveries to the webhook, oldest first, each with its own event. */
async function insert(count: number, state: DeliveryDocument['state']): Promise<string[]> {
  const eventIds: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { _id: eventId } = await insertEvent(installation, [webhook._id]);
    const fields = { eventId, webhookUid: webhook._id, state };
    await installation.store.deliveries.insertOne(newDelivery(installation, new Date(), fields));
    eventIds.push(eventId);
  }
  return eventIds;
}

function replay(): Promise<string> {
  const { appUid, _id: webhookUid } = webhook;
  const createdAt = new Date();
  const [since, until] = [new Date(createdAt.getTime() - 60_000), createdAt];
  const facts = { appUid, webhookUid, createdAt, since, until, states: ['exhausted'] as const };
  return requestReplay(installation.store, { ...facts, states: [...facts.states] });
}

const resend = (eventId = ''): Promise<string> =>
  requestResend(installation.store, {
    appUid: webhook.appUid,
    eventId,
    webhookUids: [webhook._id],
  });

const release = (): Promise<string> => resume(installation.store, webhook);

const take = (jobUid: string, page = 1): Promise<JobPage> => takeJobPage(ports, { jobUid, page });

async function owners(): Promise<[state: string, jobUid: string | null, page: number | null][]> {
  const webhookUid = webhook._id;
  const found = await installation.store.deliveries.find({ webhookUid }).sort({ _id: 1 }).toArray();
  return found.map(({ state, jobUid, jobPage }) => [state, jobUid, jobPage]);
}

const kinds: [kind: string, state: DeliveryDocument['state'], ask: typeof resend][] = [
  ['resend', 'exhausted', resend],
  ['replay', 'exhausted', replay],
  ['release', 'held', release],
];

test.each(kinds)(
  'a page of a %s that two workers take concurrently is taken once',
  async (...row) => {
    const [, state, ask] = row;
    const [eventId = ''] = await insert(1, state);
    const jobUid = await ask(eventId);
    const [one, other] = await Promise.all([take(jobUid), take(jobUid)]);
    expect(eventIdsOf(one)).toEqual([eventId]);
    expect(other.events).toEqual(one.events);
    expect(await owners()).toEqual([['pending', jobUid, 1]]);
    expect(await installation.store.jobs.findOne({ _id: jobUid })).toMatchObject({
      page: 1,
      count: 1,
    });
  },
);

test.each(kinds)(
  'a repeated page of a %s returns the same deliveries after any change',
  async (...row) => {
    const [kind, state, ask] = row;
    const [eventId = ''] = await insert(1, state);
    const jobUid = await ask(eventId);
    const page = await take(jobUid);
    expect(eventIdsOf(page)).toEqual([eventId]);
    const { webhooks, jobs } = installation.store;
    const changes: [string, () => Promise<unknown>][] = [
      ['nothing', async () => undefined],
      ['a pause', () => webhooks.updateOne({ _id: webhook._id }, { $set: { active: false } })],
      ['a filter', () => webhooks.updateOne({ _id: webhook._id }, { $set: { entities: [] } })],
      ['a resume', release],
      ['its end', () => jobs.updateOne({ _id: jobUid }, { $set: { state: 'done' } })],
      ['a deletion', () => webhooks.deleteOne({ _id: webhook._id })],
    ];
    for (const [what, change] of changes) {
      await change();
      expect([kind, what, (await take(jobUid)).events]).toEqual([kind, what, page.events]);
    }
  },
);

test.each(kinds)('a %s requested before an erasure sends nothing of it', async (...row) => {
  const [, state, ask] = row;
  const eventIds = await insert(1, state);
  const jobUid = await ask(eventIds[0]);
  const facts = { erasureUid: 'job_erasure', now: new Date() };
  await erasePayloads(installation.store, eventIds, facts);
  expect((await take(jobUid)).events).toEqual([]);
  expect(await owners()).toEqual([[state === 'held' ? 'cancelled' : state, null, null]]);
});

test.each(kinds)('a delayed worker of a %s takes nothing from a later job', async (...row) => {
  const [, state, ask] = row;
  const [eventId = ''] = await insert(1, state);
  const first = await ask(eventId);
  await take(first);
  const second = await resend(eventId);
  await take(second);
  expect(await take(first)).toMatchObject({ events: [] });
  expect(await owners()).toEqual([['pending', second, 1]]);
});

test('a delayed worker takes no delivery that was added after its page', async () => {
  const [first = '', second = ''] = await insert(2, 'held');
  const jobUid = await release();
  await take(jobUid);
  const { deliveries } = installation.store;
  await deliveries.updateOne({ eventId: first }, { $set: { state: 'delivered' } });
  const [third = ''] = await insert(1, 'held');
  expect(eventIdsOf(await take(jobUid))).toEqual([first, second]);
  expect(eventIdsOf(await take(jobUid, 2))).toEqual([third]);
  expect(await owners()).toEqual([
    ['delivered', jobUid, 1],
    ['pending', jobUid, 1],
    ['pending', jobUid, 2],
  ]);
});

test('a page is taken only before later ones and only while its job is running', async () => {
  const [eventId = ''] = await insert(1, 'exhausted');
  const { jobs } = installation.store;
  const jobUid = await resend(eventId);
  await jobs.updateOne({ _id: jobUid }, { $set: { page: 2 } });
  expect(await take(jobUid, 2)).toMatchObject({ events: [] });
  await jobs.updateOne({ _id: jobUid }, { $set: { page: 0, state: 'cancelled' } });
  expect(await take(jobUid)).toMatchObject({ events: [], isLast: true });
  expect(await take(newId('job'))).toMatchObject({ events: [], isLast: true });
  expect(await owners()).toEqual([['exhausted', null, null]]);
});

test('a page that conflicts for too long is left for later, and then no stalled worker takes it', async () => {
  const [eventId = ''] = await insert(1, 'held');
  const jobUid = await release();
  const { client, deliveries } = installation.store;
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await deliveries.updateOne({ eventId }, { $set: { updatedAt: new Date() } }, { session });
      expect(await take(jobUid)).toMatchObject({ events: [], isLast: false });
    }),
  );
  expect(await take(jobUid)).toMatchObject({ events: [], isLast: false });
  expect(eventIdsOf(await take(jobUid, 2))).toEqual([eventId]);
});

test('a page that another worker commits meanwhile is not left for later', async () => {
  const [eventId = ''] = await insert(1, 'exhausted');
  const jobUid = await resend(eventId);
  const { store } = installation;
  await store.client.withSession(async (session) => {
    session.startTransaction();
    const taken = { jobUid, jobPage: 1, state: 'pending' } as const;
    await store.jobs.updateOne({ _id: jobUid }, { $set: { page: 1, state: 'done' } }, { session });
    await store.deliveries.updateOne({ eventId }, { $set: taken }, { session });
    const jobs = new Proxy(store.jobs, {
      get: (target, name) =>
        name === 'updateOne'
          ? async (...call: Parameters<typeof store.jobs.updateOne>) => {
              await session.commitTransaction();
              return store.jobs.updateOne(...call);
            }
          : Reflect.get(target, name),
    });
    const late = takeJobPage({ ...ports, store: { ...store, jobs } }, { jobUid, page: 1 });
    await expect(late).rejects.toThrow('this page of the job was taken meanwhile');
  });
  expect(eventIdsOf(await take(jobUid))).toEqual([eventId]);
});

test('a page whose worker is killed before the commit is taken completely by the next worker', async () => {
  const eventIds = await insert(2, 'held');
  const jobUid = await release();
  const { store } = installation;
  const jobs = new Proxy(store.jobs, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      // The last write of a page.
      if (name === 'updateOne') return () => Promise.reject(new Error('killed'));
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const killed = takeJobPage({ ...ports, store: { ...store, jobs } }, { jobUid, page: 1 });
  await expect(killed).rejects.toThrow('killed');
  expect(await owners()).toEqual([
    ['held', null, null],
    ['held', null, null],
  ]);
  expect(eventIdsOf(await take(jobUid))).toEqual(eventIds);
});

test.each([
  ['goes to the webhooks that still exist, and counts no other', 1],
  ['to deleted webhooks only passes nothing on', 2],
])('a resend %s', async (_rule, deletedCount) => {
  const { store, app } = installation;
  const other = await insertWebhook(installation, { url: webhook.url });
  const webhookUids = [webhook._id, other._id];
  const { _id: eventId } = await insertEvent(installation, []);
  const jobUid = await requestResend(store, { appUid: app.appUid, eventId, webhookUids });
  await store.webhooks.deleteMany({ _id: { $in: webhookUids.slice(0, deletedCount) } });
  const kept = webhookUids.slice(deletedCount);
  const page = await take(jobUid);
  const events = kept.length === 0 ? [] : [{ eventId, webhookUids: kept }];
  expect(page).toMatchObject({ events, isLast: true });
  const deliveries = await store.deliveries.find({ eventId }).toArray();
  expect(deliveries.map((delivery) => delivery.webhookUid)).toEqual(kept);
  const job = await store.jobs.findOne({ _id: jobUid });
  expect(job).toMatchObject({ state: 'done', count: kept.length });
});

test('a resend signals the workflows whose deliveries it takes, at most 100 of them', async () => {
  const { store } = installation;
  const waiting = {
    webhookUid: 'whk_1',
    state: 'retrying',
    isRateLimited: false,
    partition: null,
  } as const;
  const own = { jobUid: null, jobPage: null };
  const events = await Promise.all(
    Array.from({ length: 102 }, async (_none, n) => {
      const { _id } = await insertEvent(installation, []);
      // Two share a workflow.
      const workflowId = `batch/${Math.max(1, n)}`;
      await store.events.updateOne({ _id }, { $set: { workflowId } });
      return { eventId: _id, workflowId };
    }),
  );
  const all = events.map(({ eventId }) => ({ ...waiting, ...own, eventId }));
  const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
  const told = await findWaitingWorkflows(store, [
    { ...waiting, eventId: 'evt_1', jobUid: 'job_1', jobPage: 7 },
    // A job sends it outside the order of its partition.
    { ...waiting, eventId: 'evt_2', jobUid: 'job_1', jobPage: 8, partition: 'whk_1/agent/a' },
    first,
    { ...second, state: 'pending', isRateLimited: true },
    { ...third, partition: 'whk_1/agent/a' },
    { ...third, state: 'pending' },
    { ...third, state: 'cancelled', isRateLimited: true },
    { ...waiting, ...own, eventId: 'evt_unknown' },
  ]);
  const webhookUid = 'whk_1';
  expect([...told]).toEqual([
    ['job/job_1/7', [{ eventId: 'evt_1', webhookUid }]],
    ['job/job_1/8', [{ eventId: 'evt_2', webhookUid }]],
    [
      'batch/1',
      [
        { eventId: first.eventId, webhookUid },
        { eventId: second.eventId, webhookUid },
      ],
    ],
  ]);
  expect((await findWaitingWorkflows(store, all)).size).toBe(100);
});

test('a resend signals the workflow of a delivery that waits in a partition', async () => {
  const { store } = installation;
  const { _id: webhookUid } = webhook;
  const { _id: eventId } = await insertEvent(installation, [webhookUid]);
  await store.events.updateOne({ _id: eventId }, { $set: { workflowId: 'batch/line' } });
  const limited = { eventId, webhookUid, state: 'pending', isRateLimited: true } as const;
  await store.deliveries.insertOne(newDelivery(installation, new Date(), limited));
  const told: Parameters<SignalTakenByJob>[0][] = [];
  const signalTakenByJob: SignalTakenByJob = async (workflows) => void told.push(workflows);
  const jobUid = await resend(eventId);
  await takeJobPage({ ...ports, signalTakenByJob }, { jobUid, page: 1 });
  expect(told).toEqual([new Map([['batch/line', [{ eventId, webhookUid }]]])]);
});
