// What an order is about: one resource of one kind, and from which event on.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { laneWorkflowId } from '../../lib/temporal/names.ts';
import { startReceiver } from '../support/receivers.ts';
import type { ReceivedRequest, Receiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;
let statusOf: (request: ReceivedRequest) => number;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, request) => {
    response.writeHead(statusOf(request)).end();
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

test('resources of two kinds with the same uid have an order and a numbering each', async () => {
  const webhookUid = await newWebhook('/kinds', { ordering: 'resource', retrySchedule: ['1h'] });
  statusOf = (request) => (sentIn(request).event === 'agent.updated' ? 500 : 200);
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

  const waiting = await service.call('GET', `/events/${behind}/deliveries`);
  expect(waiting.body['data']).toMatchObject([{ state: 'waiting' }]);
  const workflowId = laneWorkflowId({ webhookUid, entity: 'agent', resourceUid: '1' });
  const lane = await service.temporal.client.workflow.getHandle(workflowId).describe();
  expect(await lane.staticSummary()).toBe(`agent 1 in order → ${webhookUid}`);
  await remove(webhookUid);
});
