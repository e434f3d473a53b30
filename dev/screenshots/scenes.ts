// What the pictures show: webhooks that succeed and fail, changes, a stopped worker.
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Disposal } from '../../lib/platform/disposal.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';
import { createApiClient, type JsonBody } from '../../test/support/api-client.ts';
import { startReceiver } from '../../test/support/receivers.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { TemporalUi } from './browser.ts';

interface Stage {
  dev: DevFile;
  client: Client;
  ui: TemporalUi;
  /** Closes the receivers. */
  open: Disposal;
  picturesDir: string;
  say: (line: string) => void;
}

type Call = (method: string, path: string, body?: object) => Promise<JsonBody>;

const visibleTimeoutMs = 60_000;

/** Throws when a call is refused or a state is not reached. */
export async function playScenes(stage: Stage): Promise<void> {
  const call = caller(stage.dev);
  await photographFailed(stage, call);
  await photographWebhook(stage, call);
  await photographStuck(stage, call);
}

/** One receiver works, one fails to the end of its schedule. */
async function photographFailed(stage: Stage, call: Call): Promise<void> {
  const fields = { entities: ['agent'], externalTenantIds: ['initech'] };
  const goodUid = await register(stage, call, { answer: () => 200, fields });
  const badUid = await register(stage, call, {
    answer: () => 500,
    fields: { ...fields, retrySchedule: ['1s', '2s'] },
  });
  await call('POST', '/agents', { agentName: 'Claims', externalTenantId: 'initech' });
  const failed = `WebhookUids = "${badUid}" AND ExecutionStatus = "Failed"`;
  const workflowId = await untilOne(stage, failed);
  await stage.ui.photographTimeline(workflowId, { path: join(stage.picturesDir, 'failed.png') });
  for (const uid of [goodUid, badUid]) await call('DELETE', `/webhooks/${uid}`);
}

async function untilOne(stage: Stage, query: string): Promise<string> {
  const [workflowId = ''] = await waitFor(
    async () => {
      const found = await findWorkflowIds(stage.client, query);
      return found.length > 0 && found;
    },
    { timeoutMs: visibleTimeoutMs, what: `a workflow where ${query}` },
  );
  return workflowId;
}

async function photographDetails(
  { ui, picturesDir, say }: Stage,
  workflowId: string,
  { text, name }: { text: string; name: string },
): Promise<void> {
  await ui.photographDetails(workflowId, { text, path: join(picturesDir, `${name}.png`) });
  say(`${name}.png: ${workflowId}`);
}

/** One webhook: delivered, held and released, then its receiver answers 500. */
async function photographWebhook(stage: Stage, call: Call): Promise<void> {
  const receiver = { status: 200 };
  const webhookUid = await register(stage, call, {
    answer: () => receiver.status,
    fields: { entities: ['agent'], externalTenantIds: ['acme', 'globex'] },
  });
  const all = `WebhookUids = "${webhookUid}"`;
  const agent = await call('POST', '/agents', {
    agentName: 'Support',
    externalTenantId: 'acme',
  });
  await untilOne(stage, `${all} AND DeliveryState = "delivered"`);
  await call('PATCH', `/webhooks/${webhookUid}`, { active: false });
  await call('PATCH', `/agents/${String(agent['uid'])}`, { live: true });
  await untilFound(stage, `${all} AND DeliveryState = "held"`, 1);
  await call('PATCH', `/webhooks/${webhookUid}`, { active: true });
  await untilFound(stage, `${all} AND DeliveryState = "delivered"`, 2);
  receiver.status = 500;
  await call('PATCH', `/agents/${String(agent['uid'])}`, { agentName: 'Help' });
  await call('POST', '/agents', { agentName: 'Sales', externalTenantId: 'globex' });
  const failing = `FailingWebhookUids = "${webhookUid}" AND ExecutionStatus = "Running"`;
  await untilFound(stage, failing, 2);
  // Both events, the held one, its release with the child that sends it, and the first.
  await untilFound(stage, all, 6);
  await photographList(stage, all, { count: 6, name: 'webhook' });
  await photographDetails(stage, await untilOne(stage, failing), {
    text: 'retrying',
    name: 'failing',
  });
  await photographRetry(stage, failing);
}

async function photographRetry({ client, ui, picturesDir, say }: Stage, failing: string) {
  const [workflowId = ''] = await findWorkflowIds(client, failing);
  await waitFor(
    async () => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) >= 3);
    },
    { timeoutMs: visibleTimeoutMs, what: 'a second retry' },
  );
  await ui.photographPendingActivity(workflowId, { path: join(picturesDir, 'retry.png') });
  say('retry.png');
}

/** The processes are stopped but not ended, so that nothing restarts them. */
async function photographStuck(stage: Stage, call: Call): Promise<void> {
  // Silent, so that the first attempts have not ended before the stop.
  const receiver = stage.open.use(await startReceiver(() => {}));
  await call('POST', '/webhooks', { url: `${receiver.url}/hook`, entities: ['context'] });
  const pids = [stage.dev.pids.api, stage.dev.pids.worker];
  try {
    const context = await call('POST', '/contexts', {
      contextName: 'Prices',
      externalTenantId: 'globex',
    });
    await call('PATCH', `/contexts/${String(context['uid'])}`, { contextName: 'Price list' });
    const delivering = 'ExecutionStatus = "Running" AND DeliveryState = "delivering"';
    await untilFound(stage, delivering, 2);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const before = new Date().toISOString();
    const stuck = `${delivering} AND StartTime < "${before}"`;
    await photographList(stage, stuck, { count: 2, name: 'stuck' });
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
}

async function photographList(
  { ui, picturesDir, say }: Stage,
  query: string,
  { count, name }: { count: number; name: string },
): Promise<void> {
  await ui.photographList(query, { count, path: join(picturesDir, `${name}.png`) });
  say(`${name}.png: ${query}`);
}

/** Starts a receiver and registers its webhook; returns the webhook's uid. */
async function register(
  { open }: Stage,
  call: Call,
  { answer, fields }: { answer: () => number; fields: object },
): Promise<string> {
  const receiver = open.use(await startReceiver((response) => response.writeHead(answer()).end()));
  const webhook = await call('POST', '/webhooks', { url: `${receiver.url}/hook`, ...fields });
  return String(webhook['uid']);
}

async function untilFound({ client }: Stage, query: string, count: number): Promise<void> {
  await waitFor(async () => (await client.workflow.count(query)).count === count, {
    timeoutMs: visibleTimeoutMs,
    what: `${count} workflows where ${query}`,
  });
}

async function findWorkflowIds(client: Client, query: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId);
  return found;
}

function caller(dev: DevFile): Call {
  const client = createApiClient(dev.apiUrl, dev);
  return async (method, path, body) => {
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 400) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  };
}
