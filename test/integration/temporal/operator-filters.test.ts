// The list filters in docs/observing.md: each finds exactly the workflows that it describes.
import { TypedSearchAttributes } from '@temporalio/common';
import type { EventName } from '../../../lib/model/event-name.ts';
import { jobPageWorkflowId, jobWorkflowId } from '../../../lib/temporal/names.ts';
import { deliveryStateAttribute } from '../../../lib/temporal/search-attributes.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { type Answering, type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;
const receivers: Receiver[] = [];
let webhooks: Record<'well' | 'down' | 'gone' | 'paused', string>;
let workflows: Record<
  'delivered' | 'retrying' | 'recovered' | 'failed' | 'held' | 'release' | 'released' | 'broken',
  string
>;
let agentUid: string;
let startedAt: Date;

beforeAll(async () => {
  startedAt = new Date();
  // Under load several events share a workflow, whose state is then not that of one event.
  service = await startService({ env: { HERALD_EVENTS_PER_WORKFLOW: '1' } });
  const agentsOf = (tenant: string) => ({ entities: ['agent'], externalTenantIds: [tenant] });
  webhooks = {
    well: await register((response) => response.end(), { entities: ['agent'] }),
    down: await register(recoverForUpdates, {
      ...agentsOf('globex'),
      retrySchedule: ['1s', '1h'],
    }),
    gone: await register((response) => response.writeHead(410).end(), { entities: ['context'] }),
    paused: await register((response) => response.end(), {
      entities: ['contextfile'],
      active: false,
    }),
  };
  workflows = await startWorkflows();
  await waitFor(
    async () => {
      const states = await Promise.all(Object.values(workflows).map(stateOf));
      return states.join() === 'delivered,retrying,delivered,failed,held,,delivered,delivering';
    },
    { what: 'every workflow in its last state' },
  );
});

afterAll(async () => {
  await service?.temporal.client.workflow.getHandle(workflows.broken).terminate();
  await service?.[Symbol.asyncDispose]();
  for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
});

/** Responds with 500, except to the second attempt of an update. */
const recoverForUpdates: Answering = (response, { headers, body }) => {
  const { event } = JSON.parse(body.toString('utf8')) as { event: string };
  const recovers = event === 'agent.updated' && headers['x-webhook-attempt'] === '2';
  response.writeHead(recovers ? 200 : 500).end();
};

async function startWorkflows(): Promise<typeof workflows> {
  const quiet = await call('POST', '/agents', { agentName: 'A', externalTenantId: 'acme' });
  agentUid = String(quiet['uid']);
  const agent = await call('POST', '/agents', { agentName: 'B', externalTenantId: 'globex' });
  await call('PATCH', `/agents/${String(agent['uid'])}`, { live: true });
  const context = await call('POST', '/contexts', {
    contextName: 'C',
    externalTenantId: 'initech',
  });
  const file = await call('POST', `/contexts/${String(context['uid'])}/files`, {
    fileName: 'd.pdf',
    contentType: 'application/pdf',
    sizeBytes: 1,
  });
  const held = await workflowOf(file, 'contextfile.created');
  await waitFor(async () => (await stateOf(held)) === 'held', { what: 'the held delivery' });
  const releaseUid = await resume(webhooks.paused);
  return {
    delivered: await workflowOf(quiet, 'agent.created'),
    retrying: await workflowOf(agent, 'agent.created'),
    recovered: await workflowOf(agent, 'agent.updated'),
    failed: await workflowOf(context, 'context.created'),
    held,
    release: jobWorkflowId(releaseUid),
    released: jobPageWorkflowId(releaseUid, 1),
    broken: await startBroken(),
  };
}

/** Starts a workflow whose code fails repeatedly on its input. */
async function startBroken(): Promise<string> {
  const { workflowId } = await service.temporal.client.workflow.start('deliverEvents', {
    workflowId: 'agent.created/evt_broken',
    taskQueue: 'herald-events',
    args: [{ events: [{}] }],
    // After one reported failure the task waits for this timeout, which is 10 s by default.
    workflowTaskTimeout: '1 second',
    typedSearchAttributes: new TypedSearchAttributes([
      { key: deliveryStateAttribute, value: 'delivering' },
    ]),
  });
  return workflowId;
}

async function call(method: string, path: string, body: object): Promise<JsonBody> {
  const answer = await service.call(method, path, { body });
  expect({ path, status: Math.floor(answer.status / 100) }).toEqual({ path, status: 2 });
  return answer.body;
}

async function register(answer: Answering, fields: object): Promise<string> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  const webhook = await call('POST', '/webhooks', { url: receiver.url, ...fields });
  return String(webhook['uid']);
}

async function resume(webhookUid: string): Promise<string> {
  await call('PATCH', `/webhooks/${webhookUid}`, { active: true });
  const webhook = await service.store.webhooks.findOne({ _id: webhookUid });
  return webhook?.releaseUid ?? '';
}

async function eventIdOf(resourceUid: string, event: EventName): Promise<string> {
  const found = await service.store.events.findOne({ resourceUid, event });
  return found?._id ?? 'none';
}

async function workflowOf(resource: JsonBody, event: EventName): Promise<string> {
  return `${event}/${await eventIdOf(String(resource['uid']), event)}`;
}

async function stateOf(workflowId: string): Promise<string | undefined> {
  const query = `WorkflowId = "${workflowId}"`;
  for await (const found of service.temporal.client.workflow.list({ query })) {
    return found.typedSearchAttributes.get(deliveryStateAttribute);
  }
  return 'not listed';
}

async function find(query: string, { temporal } = service): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of temporal.client.workflow.list({ query })) {
    found.push(workflowId);
  }
  return found.sort();
}

/** Replaces a placeholder of the documented filter, such as `whk_…`, with a value. */
function fill(filter: string, value: string): string {
  return filter.replace(/[a-z]*_?…/, value);
}

const neverAttempted =
  'ExecutionStatus = "Running" AND DeliveryState = "delivering" AND StartTime < "…"';
const reported = 'TemporalReportedProblems IS NOT NULL';

type Names = (keyof typeof workflows)[];

type Case = [filter: string, finds: Names, value?: () => string | Promise<string>];
const now = (): string => new Date().toISOString();

const cases: Case[] = [
  ['WebhookUids = "whk_…"', ['delivered', 'retrying', 'recovered'], () => webhooks.well],
  [
    'FailingWebhookUids = "whk_…" AND ExecutionStatus = "Running"',
    ['retrying'],
    () => webhooks.down,
  ],
  ['FailingWebhookUids = "whk_…"', ['retrying', 'recovered'], () => webhooks.down],
  [neverAttempted, ['broken'], now],
  [
    'ExecutionStatus = "Running" AND DeliveryState = "retrying" AND StartTime < "…"',
    ['retrying'],
    now,
  ],
  ['ExecutionStatus = "Failed"', ['failed']],
  ['FailingWebhookUids = "whk_…" AND ExecutionStatus = "Failed"', ['failed'], () => webhooks.gone],
  ['WebhookUids = "whk_…" AND WorkflowType = "runJob"', ['release'], () => webhooks.paused],
  ['EventIds = "evt_…"', ['delivered'], () => eventIdOf(agentUid, 'agent.created')],
  [
    'AppUids = "app_…"',
    ['delivered', 'retrying', 'recovered', 'failed', 'held', 'release', 'released'],
    () => service.app.appUid,
  ],
  ['ExternalTenantId = "…"', ['delivered'], () => 'acme'],
  ['ResourceUid = "…"', ['delivered'], () => agentUid],
  ['EventType = "agent.updated"', ['recovered']],
  ['DeliveryState = "held"', ['held']],
];

test.each(cases)('%s finds %j', async (...[filter, finds, value]) => {
  const found = await find(fill(filter, (await value?.()) ?? ''));
  expect(found).toEqual(finds.map((name) => workflows[name]).sort());
});

test.each(cases.filter(([filter]) => filter.includes('StartTime')))(
  '%s finds nothing that started later',
  async (filter) => {
    expect(await find(fill(filter, startedAt.toISOString()))).toEqual([]);
  },
);

test(`${reported} finds the workflow whose code fails repeatedly`, async () => {
  await waitFor(async () => (await find(reported)).length > 0, {
    what: 'the report of a problem',
  });
  expect(await find(reported)).toEqual([workflows.broken]);
});
