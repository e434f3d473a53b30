// The scope of an order: one resource of one kind, and the events recorded after ordering was set.
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import type { ReceivedRequest } from '../support/receivers.ts';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

/** The status and delay of the receiver's response to each request. */
let answerOf: (request: ReceivedRequest) => { status: number; ms?: number };

const service = useService();
const receiver = useReceiver((response, request) => {
  const { status, ms = 0 } = answerOf(request);
  setTimeout(() => response.writeHead(status).end(), ms);
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

async function setOrdering(webhookUid: string): Promise<void> {
  const body = { ordering: 'resource' };
  expect((await service.call('PATCH', `/webhooks/${webhookUid}`, { body })).status).toBe(200);
}

const untilState = (eventId: string, state: DeliveryState) =>
  waitFor(async () => (await service.store.deliveries.countDocuments({ eventId, state })) === 1, {
    what: `${eventId} ${state}`,
  });

const sequencesTo = (path: string): number[] => sentTo(path).map(({ sequence }) => sequence);

test('resources of two kinds with the same uid have separate orders and sequences', async () => {
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

  await untilState(behind, 'pending');
  await remove(webhookUid);
});

test('a webhook changed to ordering "resource" receives later events in order, without waiting for older retries', async () => {
  const webhookUid = await newWebhook('/changed', { retrySchedule: ['1s', '1s', '1s'] });
  const change = { uid: 'changed' };
  answerOf = () => ({ status: 500 });
  await reportChange(service, change);
  await untilSent('/changed', 1);
  await setOrdering(webhookUid);
  answerOf = (request) => ({ status: sentIn(request).sequence === 3 ? 200 : 500 });
  await reportChange(service, change);
  await waitFor(() => sequencesTo('/changed').includes(2));
  await reportChange(service, change);
  await waitFor(() => sequencesTo('/changed').filter((sequence) => sequence === 2).length === 2);
  expect(sequencesTo('/changed')).not.toContain(3);
  answerOf = () => ({ status: 200 });
  await waitFor(() => sequencesTo('/changed').includes(3), { what: 'the last event' });
  await remove(webhookUid);
});

test('a webhook changed to ordering "parallel" gets new events before those that wait in order', async () => {
  const webhookUid = await newWebhook('/unordered', {
    ordering: 'resource',
    retrySchedule: ['1h'],
  });
  const change = { uid: 'unordered' };
  answerOf = (request) => ({ status: sentIn(request).sequence === 1 ? 500 : 200 });
  const first = await reportChange(service, change);
  await untilSent('/unordered', 1);
  const second = await reportChange(service, change);
  await untilState(second, 'pending');
  const body = { ordering: 'parallel' };
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body });
  await reportChange(service, change);
  await untilSent('/unordered', 2);
  expect(sequencesTo('/unordered')).toEqual([1, 3]);
  answerOf = () => ({ status: 200 });
  await service.call('POST', `/events/${first}/resend`);
  await untilSent('/unordered', 4);
  expect(sequencesTo('/unordered')).toEqual([1, 3, 1, 2]);
  await remove(webhookUid);
});
