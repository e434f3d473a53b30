// After a pause and resume, a webhook with ordering "resource" still gets events in order, one at a time.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import {
  type CountingReceiver,
  sequenceOf,
  startCountingReceiver,
} from '../support/counting-receiver.ts';
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

async function report(uid: string, count = 1): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => reportChange(service, { uid })));
}

const sequencesAt = (path: string): number[] =>
  receiver.requests.filter((request) => request.path === path).map(sequenceOf);

const untilArrived = (path: string, count: number) =>
  waitFor(() => sequencesAt(path).length >= count, {
    what: `${count} requests to ${path}`,
  });

const untilCount = (webhookUid: string, state: DeliveryState, count: number) =>
  waitFor(
    async () => (await service.store.deliveries.countDocuments({ webhookUid, state })) === count,
    { what: `${count} deliveries ${state}` },
  );

const change = (webhookUid: string, body: Record<string, unknown>) =>
  service.call('PATCH', `/webhooks/${webhookUid}`, { body });

async function remove(webhookUid: string): Promise<void> {
  expect((await service.call('DELETE', `/webhooks/${webhookUid}`)).status).toBe(204);
}

test('a pause holds the waiting events, and a resume sends them in order', async () => {
  const webhookUid = await newWebhook('/paused', { retrySchedule: ['4s', '4s', '4s', '4s'] });
  receiver.answerOf = () => ({ status: 503 });
  await report('agt_paused', 30);
  await untilArrived('/paused', 1);
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
  const before = sequencesAt('/paused').length;

  receiver.answerOf = () => ({ status: 200 });
  await change(webhookUid, { active: true });
  await untilArrived('/paused', before + 30);
  const inOrder = Array.from({ length: 30 }, (_, index) => index + 1);
  expect(sequencesAt('/paused').slice(before)).toEqual(inOrder);
  await remove(webhookUid);
});

test('an event in flight during a pause and resume arrives once, before the next one', async () => {
  const webhookUid = await newWebhook('/toggled');
  await change(webhookUid, { active: false });
  await report('agt_toggled', 3);
  await untilCount(webhookUid, 'held', 3);
  let answer = (): void => undefined;
  const after = new Promise<void>((resolve) => (answer = resolve));
  receiver.answerOf = () => ({ status: 200, after });
  await change(webhookUid, { active: true });
  await untilArrived('/toggled', 1);
  await change(webhookUid, { active: false });
  await change(webhookUid, { active: true });
  answer();
  await untilCount(webhookUid, 'delivered', 3);
  expect(sequencesAt('/toggled')).toEqual([1, 2, 3]);
  expect(receiver.mostConcurrent).toBe(1);
  await remove(webhookUid);
});

test('a partition whose head is discarded while waiting for its retry sends the events after it', async () => {
  const webhookUid = await newWebhook('/dropped', { retrySchedule: ['1h'] });
  receiver.answerOf = () => ({ status: 500 });
  const first = await reportChange(service, { uid: 'agt_dropped' });
  await untilArrived('/dropped', 1);
  await report('agt_dropped', 2);
  await untilCount(webhookUid, 'pending', 2);
  receiver.answerOf = (request) => ({ status: sequenceOf(request) === 1 ? 200 : 500 });
  await service.call('POST', `/events/${first}/resend`);
  await untilArrived('/dropped', 3);
  await untilCount(webhookUid, 'retrying', 1);
  await change(webhookUid, { active: false });
  await change(webhookUid, { active: true, onResume: 'discard', retrySchedule: ['2s'] });
  await untilCount(webhookUid, 'cancelled', 2);

  expect(sequencesAt('/dropped')).toEqual([1, 1, 2]);
  await report('agt_dropped');
  await untilArrived('/dropped', 4);
  receiver.answerOf = () => ({ status: 200 });
  await report('agt_dropped');
  await untilArrived('/dropped', 6);
  // The number of the event and the number of the attempt.
  const attempts = receiver.requests
    .filter((request) => request.path === '/dropped')
    .map((request) => `${sequenceOf(request)}/${String(request.headers['x-webhook-attempt'])}`);
  expect(attempts).toEqual(['1/1', '1/2', '2/1', '4/1', '4/2', '5/1']);
  await remove(webhookUid);
});
