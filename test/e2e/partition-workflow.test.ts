// How an operator finds the workflow of a partition.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partitionWorkflowId, wakeSignalName } from '../../lib/temporal/names.ts';
import {
  type Answering,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;
let answer: Answering;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, request) => answer(response, request));
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function newWebhook(path: string, retrySchedule: string[]): Promise<string> {
  const url = `${receiver.url}${path}`;
  const fields = { url, ordering: 'resource', retrySchedule };
  return (await registerWebhook(service, fields)).uid;
}

const report = (uid: string): Promise<string> => reportChange(service, { uid });

function attemptOf({ headers }: Pick<ReceivedRequest, 'headers'>): string {
  return `${Number(headers['x-webhook-sequence'])}/${Number(headers['x-webhook-attempt'])}`;
}

/** Returns the sequence and attempt number of each request to a path. */
const sentTo = (path: string): string[] =>
  receiver.requests.filter((request) => request.path === path).map(attemptOf);

const untilSent = (path: string, count: number) =>
  waitFor(() => sentTo(path).length === count, {
    what: `${count} requests`,
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
  const webhookUid = await newWebhook('/found', ['1h']);
  const workflowId = partitionWorkflowId({
    appUid: service.app.appUid,
    webhookUid,
    entity: 'agent',
    resourceUid: 'agt_found',
  });
  answer = (response) => response.writeHead(500).end();
  const first = await report('agt_found');
  await untilSent('/found', 1);
  await untilFound(first, workflowId);
  const later = await Promise.all(Array.from({ length: 61 }, () => report('agt_found')));
  // Its head is retried in an hour. A failed resend makes it read its waiting events again.
  await service.call('POST', `/events/${first}/resend`);
  await untilSent('/found', 2);
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
  await service.call('DELETE', `/webhooks/${webhookUid}`);
});
