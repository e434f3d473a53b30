// What an order is about: one resource of one kind, and from which event on.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { laneWorkflowId } from '../../lib/temporal/names.ts';
import { startReceiver } from '../support/receivers.ts';
import type { ReceivedRequest, Receiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;
/** What the receiver answers to each request, and how long it takes. */
let answerOf: (request: ReceivedRequest) => { status: number; ms?: number };

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, request) => {
    const { status, ms = 0 } = answerOf(request);
    setTimeout(() => response.writeHead(status).end(), ms);
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

interface Sent {
  event: string;
  sequence: number;
}

function sentIn({ headers, body }: ReceivedRequest): Sent {
  const { event } = JSON.parse(body.toString()) as { event: string };
  return { event, sequence: Number(headers['x-webhook-sequence']) };
}

const sentTo = (path: string): Sent[] =>
  receiver.requests.filter((request) => request.path === path).map(sentIn);

const untilSent = (path: string, count: number) =>
  waitFor(() => sentTo(path).length >= count, { what: `${count} requests to ${path}` });

async function newWebhook(path: string, fields: Record<string, unknown>): Promise<string> {
  const entities = ['agent', 'context'];
  const url = `${receiver.url}${path}`;
  return (await registerWebhook(service, { url, entities, ...fields })).uid;
}

async function remove(webhookUid: string): Promise<void> {
  expect((await service.call('DELETE', `/webhooks/${webhookUid}`)).status).toBe(204);
}

/** Fails the first attempt of the first event alone, after `ms`. */
const failFirst =
  (ms: number): typeof answerOf =>
  (request) => {
    const isFirst = sentIn(request).sequence === 1 && request.headers['x-webhook-attempt'] === '1';
    return isFirst ? { status: 500, ms } : { status: 200 };
  };

async function askForOrder(webhookUid: string): Promise<void> {
  const body = { ordering: 'resource' };
  expect((await service.call('PATCH', `/webhooks/${webhookUid}`, { body })).status).toBe(200);
}

const untilState = (eventId: string, state: DeliveryState) =>
  waitFor(async () => (await service.store.deliveries.countDocuments({ eventId, state })) === 1, {
    what: `${eventId} ${state}`,
  });

const sequencesTo = (path: string): number[] => sentTo(path).map(({ sequence }) => sequence);

test('resources of two kinds with the same uid have an order and a numbering each', async () => {
  const webhookUid = await newWebhook('/kinds', { ordering: 'resource', retrySchedule: ['1h'] });
  answerOf = (request) => ({ status: sentIn(request).event === 'agent.updated' ? 500 : 200 });
  const change = { uid: '1' };
  await reportChange(service, change, 'agent.updated');
  await untilSent('/kinds', 1);
  const behind = await reportChange(service, change, 'agent.updated');
  await reportChange(service, change, 'context.updated');
  await reportChange(service, change, 'context.deleted');
  await untilSent('/kinds', 3);
  expect(sentTo('/kinds')).toEqual([
    { event: 'agent.updated', sequence: 1 },
    { event: 'context.updated', sequence: 1 },
    { event: 'context.deleted', sequence: 2 },
  ]);

  await untilState(behind, 'waiting');
  const waiting = await service.call('GET', `/events/${behind}/deliveries`);
  expect(waiting.body['data']).toMatchObject([{ state: 'waiting' }]);
  const workflowId = laneWorkflowId({ webhookUid, entity: 'agent', resourceUid: '1' });
  const lane = await service.temporal.client.workflow.getHandle(workflowId).describe();
  expect(await lane.staticSummary()).toBe(`agent 1 in order → ${webhookUid}`);
  await remove(webhookUid);
});

test('once a webhook wants an order, events wait for earlier ones that are retried', async () => {
  const webhookUid = await newWebhook('/retried', { retrySchedule: ['2s'] });
  answerOf = failFirst(0);
  const change = { uid: 'retried' };
  const first = await reportChange(service, change);
  const attempted = { eventId: first, attemptCount: { $gt: 0 } };
  await waitFor(async () => (await service.store.deliveries.countDocuments(attempted)) === 1);
  await askForOrder(webhookUid);
  await reportChange(service, change);
  await untilSent('/retried', 3);
  expect(sequencesTo('/retried')).toEqual([1, 1, 2]);
  await remove(webhookUid);
});

test('once a webhook wants an order, events wait for earlier ones whose first attempt is under way', async () => {
  const webhookUid = await newWebhook('/underway', { retrySchedule: ['1s'] });
  answerOf = failFirst(500);
  const change = { uid: 'underway' };
  await reportChange(service, change);
  await untilSent('/underway', 1);
  await askForOrder(webhookUid);
  await reportChange(service, change);
  await untilSent('/underway', 3);
  expect(sequencesTo('/underway')).toEqual([1, 1, 2]);
  await remove(webhookUid);
});

test('a resume that asks for an order sends what was held in order', async () => {
  const webhookUid = await newWebhook('/held', { active: false, retrySchedule: ['1s'] });
  answerOf = failFirst(0);
  const change = { uid: 'held' };
  for (let n = 0; n < 3; n += 1) await untilState(await reportChange(service, change), 'held');
  const body = { ordering: 'resource', active: true };
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body });
  await untilSent('/held', 4);
  expect(sequencesTo('/held')).toEqual([1, 1, 2, 3]);
  await remove(webhookUid);
});
