// After a restore: deliveries that the database waits for get a workflow again, whatever Temporal still has.
import { takeJobPage } from '../../../lib/jobs/take-job-page.ts';
import { scheduleAllSignals } from '../../../lib/order/after-restore.ts';
import { startMissing, type StartedAgain } from '../../../cli/start-missing/start-missing.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { eventWorkflowId } from '../../../lib/temporal/names.ts';
import { noSignals } from '../../support/delivery-ports.ts';
import { newReplayJob } from '../../support/jobs.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const since = new Date(Date.now() - 3_600_000);
const past = new Date(Date.now() - 600_000);

let service: TestService;
let receiver: Receiver;
let webhookUid: string;

beforeAll(async () => {
  [service, receiver] = await Promise.all([
    startService(),
    startReceiver((response) => response.writeHead(200).end()),
  ]);
  webhookUid = (await insertWebhook(service, { url: receiver.url }))._id;
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** An event that was dispatched according to the database, with the delivery it had by then. */
async function dispatched(delivery: Partial<DeliveryDocument> | null): Promise<EventDocument> {
  const made = newEvent(service, [webhookUid], past);
  if (delivery !== null) {
    const known = { eventId: made._id, webhookUid, ...delivery };
    await service.store.deliveries.insertOne(newDelivery(service, past, known));
  }
  // Always with the mark, because otherwise the relay would take it.
  const event = { ...made, workflowId: eventWorkflowId(made), dispatchedAt: past };
  await service.store.events.insertOne(event);
  return event;
}

function start(): Promise<StartedAgain> {
  const { store, temporal, app } = service;
  const range = { since, before: new Date(Date.now() - 60_000) };
  return startMissing({ store, client: temporal.client }, [app.appUid], range);
}

async function isDelivered(eventId: string): Promise<boolean> {
  const found = await service.store.deliveries.findOne({ eventId, webhookUid });
  return found?.state === 'delivered';
}

const receiptsOf = (eventId: string): number =>
  receiver.requests.filter(({ headers }) => headers['x-webhook-event-id'] === eventId).length;

test.each<[string, Partial<DeliveryDocument> | null]>([
  ['was never attempted', null],
  ['waits for its first attempt', { state: 'pending' }],
  ['waits for a retry', { state: 'retrying', attemptCount: 1, nextAttemptAt: past }],
  ['was taken by a page of a job', { state: 'pending', jobUid: 'job_gone', jobPage: 3 }],
])('a delivery that %s is made once', async (_what, delivery) => {
  const event = await dispatched(delivery);
  expect(await start()).toMatchObject({ waiting: 1, started: 1 });
  await waitFor(() => isDelivered(event._id), { what: 'the delivery' });
  expect(await start()).toEqual({ waiting: 0, started: 0, jobs: 0 });
  expect(receiptsOf(event._id)).toBe(1);
});

test('a workflow that has ended does not prevent a new delivery of its event', async () => {
  const event = await insertEvent(service, [webhookUid], past);
  await waitFor(() => isDelivered(event._id), { what: 'the relay' });
  const handle = service.temporal.client.workflow.getHandle(eventWorkflowId(event));
  await handle.result();
  // Restores the previous state.
  await service.store.deliveries.deleteOne({ eventId: event._id });
  expect(await start()).toMatchObject({ waiting: 1, started: 1 });
  await waitFor(() => isDelivered(event._id), { what: 'the second delivery' });
  expect(receiptsOf(event._id)).toBe(2);
});

test('a running workflow is left alone, and so are deliveries that wait in a partition or are too old', async () => {
  const dueAt = new Date(Date.now() + 600_000);
  await dispatched({ state: 'retrying', attemptCount: 1, nextAttemptAt: dueAt });
  await dispatched({ state: 'retrying', nextAttemptAt: dueAt, partition: 'of/another' });
  const old = await dispatched(null);
  await service.store.events.deleteOne({ _id: old._id });
  expect(await start()).toMatchObject({ waiting: 1, started: 1 });
  expect(await start()).toMatchObject({ waiting: 1, started: 0 });
});

test('events that share a new workflow have at most as many deliveries as it can have retries, 500', async () => {
  const webhookUids = Array.from({ length: 250 }, () => newId('whk', past));
  const made = [1, 2, 3].map(() => newEvent(service, webhookUids, past));
  // Marked, so that the relay does not take them.
  const events = made.map((event) => ({ ...event, workflowId: null, dispatchedAt: past }));
  await service.store.events.insertMany(events);
  expect(await start()).toMatchObject({ started: 2 });
  const eventId = { $in: events.map(({ _id }) => _id) };
  const settled = () => service.store.deliveries.countDocuments({ eventId, state: 'cancelled' });
  await waitFor(async () => (await settled()) === 750, { what: 'all deliveries' });
});

test('a job continues where the database knows it, whether its workflow is lost or ahead', async () => {
  const { store, app } = service;
  const facts = { appUid: app.appUid, webhookUid: null, webhookUids: [webhookUid] };
  const times = { createdAt: past, startedAt: past, since, until: past };
  const job = newReplayJob({ ...facts, ...times, page: 2, states: ['exhausted'] });
  await store.jobs.insertOne(job);
  const ports = { ...noSignals, store, clock: systemClock, ...service.config };
  const ahead = await takeJobPage(ports, { jobUid: job._id, page: 7 });
  expect(ahead).toMatchObject({ events: [], isLast: true });
  expect(await store.jobs.findOne({ _id: job._id })).toMatchObject({ page: 7, state: 'done' });
  const running = { ...job, _id: `${job._id}2` };
  await store.jobs.insertOne(running);
  // That page's own workflow is started, too, and waits.
  const nextAttemptAt = new Date(Date.now() + 600_000);
  const stamp = { jobUid: running._id, jobPage: 2 };
  await dispatched({ state: 'retrying', attemptCount: 1, nextAttemptAt, ...stamp });
  expect(await start()).toMatchObject({ jobs: 1, started: 1 });
  await waitFor(async () => (await store.jobs.findOne({ _id: running._id }))?.state === 'done', {
    what: 'the end of the job',
  });
});

test('an ordered event whose workflow was lost before it requested its number is delivered', async () => {
  const { store } = service;
  const ordered = await insertWebhook(service, { url: receiver.url, ordering: 'resource' });
  const made = newEvent(service, [ordered._id], past);
  const { _id: eventId } = made;
  await store.events.insertOne({ ...made, workflowId: eventWorkflowId(made), dispatchedAt: past });
  await giveNumber(service, made, ordered._id);
  expect(await scheduleAllSignals(store, past)).toBe(1);
  const delivered = { eventId, state: 'delivered' } as const;
  await waitFor(async () => (await store.deliveries.findOne(delivered)) !== null, {
    what: 'the delivery',
  });
  await waitFor(async () => (await scheduleAllSignals(store, past)) === 0, {
    what: 'the settled turn',
  });
});
