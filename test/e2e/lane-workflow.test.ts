// The workflow of a lane: how an operator finds it, and how a full one goes on.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { laneWorkflowId, wakeSignalName } from '../../lib/temporal/names.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Answering, ReceivedRequest, Receiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
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

/** Gives the sequences and attempts that arrived at a path. */
const sentTo = (path: string): string[] =>
  receiver.requests.filter((request) => request.path === path).map(attemptOf);

const untilSent = (path: string, count: number) =>
  waitFor(() => sentTo(path).length === count, {
    what: `${count} requests`,
  });

/** Finds the lanes that an operator finds by an event's id. */
async function lanesOf(eventId: string): Promise<string[]> {
  const query = `EventIds = "${eventId}" AND WorkflowType = "deliverInOrder"`;
  const found: string[] = [];
  for await (const { workflowId } of service.temporal.client.workflow.list({ query })) {
    found.push(workflowId);
  }
  return found;
}

const untilFound = (eventId: string, workflowId: string) =>
  waitFor(async () => (await lanesOf(eventId)).join() === workflowId, {
    what: `the lane of ${eventId}`,
  });

/** Waits until the activity of a lane has been told to end, by the answer to a heartbeat. */
async function untilToldToEnd(workflowId: string): Promise<void> {
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  const readActivity = async () => (await handle.describe()).raw.pendingActivities?.[0];
  const asked = await waitFor(
    async () => {
      const activity = await readActivity();
      // 3 is PENDING_ACTIVITY_STATE_CANCEL_REQUESTED.
      return Number(activity?.state) === 3 && activity;
    },
    { what: 'an activity that is to end' },
  );
  const heartbeatBefore = JSON.stringify(asked.lastHeartbeatTime);
  await waitFor(
    async () => JSON.stringify((await readActivity())?.lastHeartbeatTime) !== heartbeatBefore,
    { what: 'a heartbeat' },
  );
}

test('a lane is found by the events that wait in it, those that come later too, and by 60 at most', async () => {
  const webhookUid = await newWebhook('/found', ['1h']);
  const workflowId = laneWorkflowId({ webhookUid, entity: 'agent', resourceUid: 'agt_found' });
  answer = (response) => response.writeHead(500).end();
  const first = await report('agt_found');
  await untilSent('/found', 1);
  // Behind an event that is retried by a workflow of its own.
  const second = await report('agt_found');
  await untilFound(second, workflowId);
  expect(await lanesOf(first)).toEqual([]);
  const third = await report('agt_found');
  await untilFound(third, workflowId);

  // Behind the head of the lane, which is retried by the lane's workflow.
  answer = (response, { headers }) =>
    response.writeHead(headers['x-webhook-sequence'] === '1' ? 200 : 500).end();
  await service.call('POST', `/events/${first}/resend`);
  await untilSent('/found', 3);
  const later = await Promise.all(Array.from({ length: 60 }, () => report('agt_found')));
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  const shown = await waitFor(
    async () => {
      const { searchAttributes } = await handle.describe();
      const eventIds = searchAttributes['EventIds'] as string[];
      return eventIds.length === 60 ? eventIds : undefined;
    },
    { what: '60 ids' },
  );
  expect(shown).toEqual(expect.arrayContaining([second, third]));
  const waiting = [second, third, ...later];
  expect(shown.filter((eventId) => !waiting.includes(eventId))).toEqual([]);
  await service.call('DELETE', `/webhooks/${webhookUid}`);
});

test('an attempt that is under way when a lane goes on as a new run is made once', async () => {
  const webhookUid = await newWebhook('/full', ['1h']);
  const workflowId = laneWorkflowId({ webhookUid, entity: 'agent', resourceUid: 'agt_full' });
  let answerSlow = (): void => undefined;
  answer = (response, { headers }) => {
    const name = attemptOf({ headers });
    if (name === '2/2') answerSlow = () => void response.writeHead(200).end();
    else response.writeHead(name === '1/1' || name === '2/1' ? 500 : 200).end();
  };
  const first = await report('agt_full');
  await untilSent('/full', 1);
  const second = await report('agt_full');
  await untilFound(second, workflowId);
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  const { runId } = await handle.describe();
  const wake = (count: number) =>
    Promise.all(Array.from({ length: count }, () => handle.signal(wakeSignalName, [])));
  for (let woken = 0; woken < 1_900; woken += 100) await wake(100);
  await wake(80);
  expect((await handle.describe()).runId).toBe(runId);

  const change = { retrySchedule: ['1s', '1h'] };
  await service.call('PATCH', `/webhooks/${webhookUid}`, { body: change });
  await service.call('POST', `/events/${first}/resend`);
  await untilSent('/full', 4);
  await wake(20);
  await untilToldToEnd(workflowId);
  expect((await handle.describe()).runId).toBe(runId);
  answerSlow();
  await waitFor(async () => (await handle.describe()).runId !== runId, {
    what: 'a new run',
  });
  const third = await report('agt_full');
  const delivered = { eventId: third, state: 'delivered' } as const;
  await waitFor(async () => (await service.store.deliveries.countDocuments(delivered)) === 1, {
    what: 'the third event',
  });
  expect(sentTo('/full')).toEqual(['1/1', '1/2', '2/1', '2/2', '3/1']);
  const delivery = await service.store.deliveries.findOne({ eventId: second });
  expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 2 });
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({ AppUid: [service.app.appUid] });
});
