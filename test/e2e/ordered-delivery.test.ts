// A webhook with ordering "resource": events about one resource arrive one at a time, in order.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { partitionWorkflowId, wakeSignalName } from '../../lib/temporal/names.ts';
import {
  type CountingReceiver,
  resourceOf,
  sequenceOf,
  startCountingReceiver,
} from '../support/counting-receiver.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

let service: TestService;
let receiver: CountingReceiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startCountingReceiver();
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
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

const untilWaiting = (webhookUid: string, count: number) =>
  waitFor(
    async () =>
      (await service.store.deliveries.countDocuments({ webhookUid, state: 'pending' })) === count,
    { what: `${count} deliveries waiting` },
  );

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
  expect(arrivedAt('/one-by-one', 'agt_order').map(sequenceOf)).toEqual(range(1, 40));
  expect(receiver.mostConcurrent).toBe(1);
  await remove(webhookUid);
});

test('changes that the API makes to an agent arrive in order, from created to deleted', async () => {
  const webhookUid = await newWebhook('/agents');
  const { body } = await service.call('POST', '/agents', {
    body: { agentName: 'A', externalTenantId: 'tenant-1' },
  });
  const uid = String(body['uid']);
  for (const n of range(1, 5)) {
    await service.call('PATCH', `/agents/${uid}`, { body: { agentName: `A ${n}` } });
  }
  await service.call('DELETE', `/agents/${uid}`);
  await untilArrived('/agents', uid, 7);
  const events = arrivedAt('/agents', uid).map(
    (request) => (JSON.parse(request.body.toString()) as { event: string }).event,
  );
  const updates = range(1, 5).map(() => 'agent.updated');
  expect(events).toEqual(['agent.created', ...updates, 'agent.deleted']);
  expect(arrivedAt('/agents', uid).map(sequenceOf)).toEqual(range(1, 7));
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
  const sequences = () => [...new Set(arrivedAt('/failing', 'agt_failing').map(sequenceOf))];
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
  expect(arrivedAt('/skipped', 'agt_poison').map(sequenceOf)).toEqual([1, 3]);
  await remove(webhookUid);
});

test('a replay immediately sends the event that its partition is retrying, and the next one follows', async () => {
  const webhookUid = await newWebhook('/replayed', { retrySchedule: ['1h'] });
  receiver.answerOf = () => ({ status: 500 });
  const first = await report('agt_replayed');
  await untilArrived('/replayed', 'agt_replayed', 1);
  await reportMany('agt_replayed', 2);
  await untilWaiting(webhookUid, 2);
  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 1 ? 200 : 500 });
  await service.call('POST', `/events/${first}/resend`);
  const { deliveries } = service.store;
  const retrying = { webhookUid, state: 'retrying', eventId: { $ne: first } } as const;
  await waitFor(async () => (await deliveries.countDocuments(retrying)) === 1, {
    what: 'a head of the partition that waits for its retry',
  });
  receiver.answerOf = () => ({ status: 200 });
  const body = { since: new Date(0).toISOString(), states: ['retrying'] };
  await service.call('POST', `/webhooks/${webhookUid}/replays`, { body });
  await untilArrived('/replayed', 'agt_replayed', 5);
  expect(arrivedAt('/replayed', 'agt_replayed').map(sequenceOf)).toEqual([1, 1, 2, 2, 3]);
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
  expect(arrivedAt('/exhausted', 'agt_exhausted').map(sequenceOf)).toEqual([1, 1, 2, 2, 3]);
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

test('an event that is the only open one of its resource starts no partition workflow', async () => {
  const webhookUid = await newWebhook('/alone');
  for (const n of range(1, 3)) {
    await report('agt_alone');
    await untilArrived('/alone', 'agt_alone', n);
    const delivered = { webhookUid, state: 'delivered' } as const;
    await waitFor(async () => (await service.store.deliveries.countDocuments(delivered)) === n);
  }
  expect(arrivedAt('/alone', 'agt_alone').map(sequenceOf)).toEqual([1, 2, 3]);
  const workflowId = workflowIdOf(webhookUid, 'agt_alone');
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  await expect(handle.describe()).rejects.toMatchObject({ name: 'WorkflowNotFoundError' });
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
  expect(arrivedAt('/resent', 'agt_resent').map(sequenceOf)).toEqual([1, 2, 1]);

  // The blocking event itself can be resent. Then the one after it is sent.
  receiver.answerOf = () => ({ status: 200 });
  await service.call('POST', `/events/${second}/resend`, { body: {} });
  await untilArrived('/resent', 'agt_resent', 5);
  expect(arrivedAt('/resent', 'agt_resent').map(sequenceOf)).toEqual([1, 2, 1, 2, 3]);
  await remove(webhookUid);
});

test('after a resend of a later event, the events after it still wait for the earlier one', async () => {
  const webhookUid = await newWebhook('/not-overtaken', { retrySchedule: ['6s'] });
  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 1 ? 500 : 200 });
  await report('agt_first');
  await untilArrived('/not-overtaken', 'agt_first', 1);
  const second = await report('agt_first');
  await service.call('POST', `/events/${second}/resend`);
  await untilArrived('/not-overtaken', 'agt_first', 2);
  const delivered = { eventId: second, state: 'delivered' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(delivered)) === 1);
  await report('agt_first');
  await untilArrived('/not-overtaken', 'agt_first', 4);
  expect(arrivedAt('/not-overtaken', 'agt_first').map(sequenceOf)).toEqual([1, 2, 1, 3]);
  await remove(webhookUid);
});

test('a partition workflow that gets more signals than a run can have continues as a new run', async () => {
  const webhookUid = await newWebhook('/signalled', { retrySchedule: ['1h'] });
  receiver.answerOf = () => ({ status: 503 });
  const first = await report('agt_signalled');
  await untilArrived('/signalled', 'agt_signalled', 1);
  await report('agt_signalled');
  await untilWaiting(webhookUid, 1);
  const handle = service.temporal.client.workflow.getHandle(
    workflowIdOf(webhookUid, 'agt_signalled'),
  );
  const { runId } = await waitFor(() => handle.describe().catch(() => undefined), {
    what: 'the workflow',
  });
  for (let sent = 0; sent < 500; sent += 100) {
    await Promise.all(range(1, 100).map(() => handle.signal(wakeSignalName)));
  }
  await waitFor(async () => (await handle.describe()).runId !== runId, { what: 'a new run' });
  receiver.answerOf = () => ({ status: 200 });
  await service.call('POST', `/events/${first}/resend`);
  await untilArrived('/signalled', 'agt_signalled', 3);
  expect(arrivedAt('/signalled', 'agt_signalled').map(sequenceOf)).toEqual([1, 1, 2]);
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({ AppUids: [service.app.appUid] });
  await remove(webhookUid);
});

test('without ordering, events still have a sequence, but do not wait', async () => {
  const webhookUid = await newWebhook('/parallel', {
    ordering: 'parallel',
    retrySchedule: ['1h'],
  });
  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 1 ? 500 : 200 });
  await report('agt_parallel');
  await untilArrived('/parallel', 'agt_parallel', 1);
  await reportMany('agt_parallel', 9);
  await untilArrived('/parallel', 'agt_parallel', 10);
  const sequences = arrivedAt('/parallel', 'agt_parallel').map(sequenceOf);
  expect(sequences.sort((a, b) => a - b)).toEqual(range(1, 10));
  await remove(webhookUid);
});

test('a test event has no sequence and waits for nothing', async () => {
  const webhookUid = await newWebhook('/tested');
  expect((await service.call('POST', `/webhooks/${webhookUid}/test`, { body: {} })).status).toBe(
    202,
  );
  await untilArrived('/tested', webhookUid, 1);
  expect(arrivedAt('/tested', webhookUid)[0]?.headers['x-webhook-sequence']).toBeUndefined();
  await remove(webhookUid);
});
