// A webhook with ordering "resource": events about one resource arrive one at a time, in order, also after a pause; and how
// an operator finds the workflow of a partition.
import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { partitionWorkflowId, wakeSignalName } from '../../lib/temporal/names.ts';
import {
  type CountingReceiver,
  resourceOf,
  sequenceOf,
  startCountingReceiver,
} from '../support/counting-receiver.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

let receiver: CountingReceiver;

const service = useService();

beforeAll(async () => {
  receiver = await startCountingReceiver();
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
});

beforeEach(() => receiver.reset());

async function newWebhook(path: string, fields: Record<string, unknown> = {}): Promise<string> {
  const url = `${receiver.url}${path}`;
  return (await registerWebhook(service, { url, ordering: 'resource', ...fields })).uid;
}

const report = (uid: string): Promise<string> => reportChange(service, { uid });

async function reportMany(uid: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => report(uid)));
}

function arrivedAt(path: string, uid: string): ReceivedRequest[] {
  return receiver.requests.filter(
    (request) => request.path === path && resourceOf(request) === uid,
  );
}

const untilArrived = (path: string, uid: string, count: number) =>
  waitFor(() => arrivedAt(path, uid).length >= count, {
    what: `${count} requests about ${uid}`,
  });

const sequencesOf = (path: string, uid: string): number[] => arrivedAt(path, uid).map(sequenceOf);

const untilCount = (webhookUid: string, state: DeliveryState, count: number) =>
  waitFor(
    async () => (await service.store.deliveries.countDocuments({ webhookUid, state })) === count,
    { what: `${count} deliveries ${state}` },
  );

const untilWaiting = (webhookUid: string, count: number) =>
  untilCount(webhookUid, 'pending', count);

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function workflowIdOf(webhookUid: string, resourceUid: string): string {
  const { appUid } = service.app;
  return partitionWorkflowId({ appUid, webhookUid, entity: 'agent', resourceUid });
}

async function remove(webhookUid: string): Promise<void> {
  expect((await service.call('DELETE', `/webhooks/${webhookUid}`)).status).toBe(204);
}

test('events about a resource arrive one at a time in the order of their sequence', async () => {
  const webhookUid = await newWebhook('/one-by-one');
  receiver.answerOf = () => ({ status: 200, after: delay(10) });
  await reportMany('agt_order', 40);
  await untilArrived('/one-by-one', 'agt_order', 40);
  expect(sequencesOf('/one-by-one', 'agt_order')).toEqual(range(1, 40));
  expect(receiver.mostConcurrent).toBe(1);
  await remove(webhookUid);
});

test('an event waits until the earlier events about its resource are delivered, but not for other resources', async () => {
  const webhookUid = await newWebhook('/failing', { retrySchedule: Array(20).fill('2s') });
  let isDown = true;
  receiver.answerOf = (request) => ({
    status: isDown && resourceOf(request) === 'agt_failing' ? 500 : 200,
  });
  const first = await report('agt_failing');
  await untilArrived('/failing', 'agt_failing', 1);
  await reportMany('agt_failing', 3);
  await report('agt_other');
  await untilArrived('/failing', 'agt_other', 1);
  await untilWaiting(webhookUid, 3);
  const waiting = await service.call('GET', `/webhooks/${webhookUid}/deliveries?state=pending`);
  expect(waiting.body['data']).toHaveLength(3);
  // The first may have been attempted several times by now.
  const sequences = () => [...new Set(sequencesOf('/failing', 'agt_failing'))];
  expect(sequences()).toEqual([1]);

  isDown = false;
  await waitFor(() => sequences().includes(4), { what: 'the last event' });
  expect(sequences()).toEqual([1, 2, 3, 4]);
  const delivery = await service.store.deliveries.findOne({ eventId: first });
  expect(delivery?.state).toBe('delivered');
  await remove(webhookUid);
});

test('a skipped delivery lets the next event of the resource pass, even one that was not attempted yet', async () => {
  const webhookUid = await newWebhook('/skipped', { retrySchedule: ['1h'] });
  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 1 ? 500 : 200 });
  const poison = await report('agt_poison');
  await untilArrived('/skipped', 'agt_poison', 1);
  const waiting = await report('agt_poison');
  await report('agt_poison');
  const skip = (eventId: string) =>
    service.call('POST', `/events/${eventId}/deliveries/${webhookUid}/cancel`);
  const isRetrying = async () =>
    (await service.store.deliveries.findOne({ eventId: poison }))?.state === 'retrying';
  await waitFor(isRetrying, { what: 'the failure' });
  expect((await skip(waiting)).body['cancelReason']).toBe('skipped');
  expect((await skip(poison)).body['cancelReason']).toBe('skipped');
  await untilArrived('/skipped', 'agt_poison', 2);
  expect(sequencesOf('/skipped', 'agt_poison')).toEqual([1, 3]);
  await remove(webhookUid);
});

test('an event is sent when the earlier one is exhausted, and the workflow of the partition fails', async () => {
  const webhookUid = await newWebhook('/exhausted', { retrySchedule: ['1h'] });
  receiver.answerOf = () => ({ status: 500 });
  const first = await report('agt_exhausted');
  await untilArrived('/exhausted', 'agt_exhausted', 1);
  await reportMany('agt_exhausted', 2);
  await untilWaiting(webhookUid, 2);

  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 2 ? 500 : 200 });
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: { retrySchedule: ['1s'] } });
  await service.call('POST', `/events/${first}/resend`);
  await untilArrived('/exhausted', 'agt_exhausted', 5);
  expect(sequencesOf('/exhausted', 'agt_exhausted')).toEqual([1, 1, 2, 2, 3]);
  const workflowId = workflowIdOf(webhookUid, 'agt_exhausted');
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  await waitFor(async () => (await handle.describe()).status.name === 'FAILED');
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({
    DeliveryState: ['partial'],
    FailingWebhookUids: [webhookUid],
  });
  await remove(webhookUid);
});

test('a resend is sent immediately, before an event that blocks the others', async () => {
  const webhookUid = await newWebhook('/resent', { retrySchedule: ['1h'] });
  const first = await report('agt_resent');
  await untilArrived('/resent', 'agt_resent', 1);
  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 2 ? 500 : 200 });
  const second = await report('agt_resent');
  await untilArrived('/resent', 'agt_resent', 2);
  await report('agt_resent');
  const resend = await service.call('POST', `/events/${first}/resend`, { body: {} });
  expect(resend.status).toBe(202);
  await untilArrived('/resent', 'agt_resent', 3);
  expect(sequencesOf('/resent', 'agt_resent')).toEqual([1, 2, 1]);

  // The blocking event itself can be resent. Then the one after it is sent.
  receiver.answerOf = () => ({ status: 200 });
  await service.call('POST', `/events/${second}/resend`, { body: {} });
  await untilArrived('/resent', 'agt_resent', 5);
  expect(sequencesOf('/resent', 'agt_resent')).toEqual([1, 2, 1, 2, 3]);
  await remove(webhookUid);
});

const change = (webhookUid: string, body: Record<string, unknown>) =>
  service.call('PATCH', `/webhooks/${webhookUid}`, { body });

test('a pause holds the waiting events, and a resume sends them in order', async () => {
  const webhookUid = await newWebhook('/paused', { retrySchedule: ['4s', '4s', '4s', '4s'] });
  receiver.answerOf = () => ({ status: 503 });
  await reportMany('agt_paused', 30);
  await untilArrived('/paused', 'agt_paused', 1);
  await change(webhookUid, { active: false });
  const held = { webhookUid, state: 'held' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(held)) > 0, {
    what: 'a held head',
  });
  const heldCount = async (): Promise<unknown> =>
    (await service.call('GET', `/webhooks/${webhookUid}`)).body['heldCount'];
  await waitFor(async () => (await heldCount()) === 30, {
    what: '30 events that the pause keeps back',
  });
  const before = sequencesOf('/paused', 'agt_paused').length;

  receiver.answerOf = () => ({ status: 200 });
  await change(webhookUid, { active: true });
  await untilArrived('/paused', 'agt_paused', before + 30);
  expect(sequencesOf('/paused', 'agt_paused').slice(before)).toEqual(range(1, 30));
  await remove(webhookUid);
});

test('an event in flight during a pause and resume arrives once, before the next one', async () => {
  const webhookUid = await newWebhook('/toggled');
  await change(webhookUid, { active: false });
  await reportMany('agt_toggled', 3);
  await untilCount(webhookUid, 'held', 3);
  let answer = (): void => undefined;
  const after = new Promise<void>((resolve) => (answer = resolve));
  receiver.answerOf = () => ({ status: 200, after });
  await change(webhookUid, { active: true });
  await untilArrived('/toggled', 'agt_toggled', 1);
  await change(webhookUid, { active: false });
  await change(webhookUid, { active: true });
  answer();
  await untilCount(webhookUid, 'delivered', 3);
  expect(sequencesOf('/toggled', 'agt_toggled')).toEqual([1, 2, 3]);
  expect(receiver.mostConcurrent).toBe(1);
  await remove(webhookUid);
});

/** Returns the partitions that a search for an event's ID finds. */
async function partitionsOf(eventId: string): Promise<string[]> {
  const query = `EventIds = "${eventId}" AND WorkflowType = "deliverInOrder"`;
  const found: string[] = [];
  for await (const { workflowId } of service.temporal.client.workflow.list({ query })) {
    found.push(workflowId);
  }
  return found;
}

const untilFound = (eventId: string, workflowId: string) =>
  waitFor(async () => (await partitionsOf(eventId)).join() === workflowId, {
    what: `the partition of ${eventId}`,
  });

test('a partition is found by its resource and by up to 60 of its waiting events', async () => {
  const webhookUid = await newWebhook('/found', { retrySchedule: ['1h'] });
  const workflowId = workflowIdOf(webhookUid, 'agt_found');
  receiver.answerOf = () => ({ status: 500 });
  const first = await report('agt_found');
  await untilArrived('/found', 'agt_found', 1);
  await untilFound(first, workflowId);
  const later = await reportMany('agt_found', 61);
  // Its head is retried in an hour. A failed resend makes it read its waiting events again.
  await service.call('POST', `/events/${first}/resend`);
  await untilArrived('/found', 'agt_found', 2);
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  await handle.signal(wakeSignalName);
  const shown = await waitFor(
    async () => {
      const { searchAttributes } = await handle.describe();
      const eventIds = searchAttributes['EventIds'] as string[];
      return eventIds.length === 60 ? eventIds : undefined;
    },
    { what: '60 ids' },
  );
  const waiting = [first, ...later];
  expect(shown.filter((eventId) => !waiting.includes(eventId))).toEqual([]);
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({
    ResourceUid: ['agt_found'],
    FailingWebhookUids: [webhookUid],
  });
  await remove(webhookUid);
});
