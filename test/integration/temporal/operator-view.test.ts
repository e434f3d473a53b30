// What an operator sees in Temporal's UI on the page of a workflow.
import { partitionWorkflowId } from '../../../lib/temporal/names.ts';
import {
  deliveryStateAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
} from '../../../lib/temporal/search-attributes.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import {
  currentDetails,
  detailLines,
  endedActivities,
  stackTraces,
} from '../../support/temporal-ui.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;
let host: string;

beforeAll(async () => {
  service = await startService({ env: { HERALD_EVENTS_PER_WORKFLOW: '1' } });
  // Responds with the status in the path. /flaky fails at the first attempt.
  receiver = await startReceiver((response, { path, headers }) => {
    const isFlaky = path === '/flaky';
    const isFirst = headers['x-webhook-attempt'] === '1';
    response.writeHead(isFlaky ? (isFirst ? 503 : 200) : Number(path.slice(1))).end();
  });
  ({ host } = new URL(receiver.url));
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const client = () => service.temporal.client;
const handleOf = (workflowId: string) => client().workflow.getHandle(workflowId);

const webhooksOfTest: string[] = [];
afterEach(async () => {
  for (const uid of webhooksOfTest.splice(0)) await service.call('DELETE', `/webhooks/${uid}`);
});

/** Registers a webhook until the end of the test, also of one that fails: others expect only their own. */
async function webhookAt(path: string, fields: object = {}): Promise<string> {
  const { uid } = await registerWebhook(service, { url: `${receiver.url}${path}`, ...fields });
  webhooksOfTest.push(uid);
  return uid;
}

/** Reports a change to only these webhooks, and returns the event. */
async function report(uids: readonly string[], data: object = {}): Promise<string> {
  const eventId = await reportChange(service, { ...data });
  const event = await service.store.events.findOne({ _id: eventId });
  expect(event?.webhookUids.toSorted()).toEqual([...uids].toSorted());
  return eventId;
}

test('a running workflow shows which delivery is retried, when, and after what', async () => {
  const uids = [await webhookAt('/200'), await webhookAt('/500', { retrySchedule: ['1h', '1h'] })];
  const eventId = await report(uids);
  const workflowId = `agent.updated/${eventId}`;
  const [retrying = '', delivered = ''] = await waitFor(async () => {
    const found = await detailLines(client(), workflowId).catch(() => []);
    return found.some((line) => line.includes('retrying')) && found;
  });
  const facts = retrying.split('; ');
  expect(facts).toEqual([
    `- **retrying**: after attempt 1 of 3 at ${host}: status 500`,
    expect.stringMatching(/^retries from \d{4}-\S+Z$/),
    `${eventId} to ${uids[1]}`,
  ]);
  expect(delivered).toContain(`- **delivered**: attempt 1 at ${host}: status 200`);
  expect(await currentDetails(client(), workflowId)).toContain('Pending Activities');
  const summaries = (await endedActivities(client(), workflowId)).map(({ summary }) => summary);
  expect(new Set(summaries)).toEqual(new Set(uids.map((uid) => `to ${uid}`)));
  // The activity fails with the time of its next call.
  const pending = await waitFor(async () => {
    const { raw } = await handleOf(workflowId).describe();
    return raw.pendingActivities?.[0]?.lastFailure?.message ?? undefined;
  });
  expect(pending).toMatch(/^attempt 1 of 3 at [\d.:]+: status 500; the next is due in /);
});

test('an order shows its head, who waits behind it, and what its events have in common', async () => {
  const uid = await webhookAt('/500', { ordering: 'resource', retrySchedule: ['8s'] });
  const data = { uid: 'agt_seen', externalTenantId: 'tenant-seen' };
  const first = await report([uid], data);
  const second = await report([uid], data);
  const workflowId = partitionWorkflowId({
    appUid: service.app.appUid,
    webhookUid: uid,
    entity: 'agent',
    resourceUid: 'agt_seen',
  });
  const [head, behind] = await waitFor(async () => {
    const found = await detailLines(client(), workflowId).catch(() => []);
    return found[0]?.includes('retrying') && found.length === 2 && found;
  });
  const line = /^- \*\*retrying\*\*: attempt 1.*: status 500; next at \S+Z; (.*)$/;
  expect(line.exec(head ?? '')?.[1]).toBe(`${first} to ${uid}`);
  expect(behind).toBe(`- **waiting**: ${second} to ${uid}`);
  const running = (await handleOf(workflowId).describe()).typedSearchAttributes;
  expect(running.get(deliveryStateAttribute)).toBe('retrying');
  const failure = { cause: { details: [{ failedCount: 2 }] } };
  await expect(handleOf(workflowId).result()).rejects.toMatchObject(failure);
  const ended = (await handleOf(workflowId).describe()).typedSearchAttributes;
  for (const attributes of [running, ended]) {
    expect(attributes.get(eventTypeAttribute)).toBe('agent.updated');
    expect(attributes.get(externalTenantIdAttribute)).toBe('tenant-seen');
  }
  const steps = await endedActivities(client(), workflowId);
  const failures = steps.flatMap(({ failure }) => failure ?? []);
  expect(failures).toEqual([
    `${first} exhausted after attempt 2 of 2 at ${host}: status 500`,
    `${second} exhausted after attempt 2 of 2 at ${host}: status 500`,
  ]);
  expect(steps.map(({ summary }) => summary)).toContainEqual(
    expect.stringMatching(new RegExp(`^${first} to ${uid}, after attempt 1.*: status 500$`)),
  );
  expect(stackTraces(await handleOf(workflowId).fetchHistory())).toEqual([]);
});
