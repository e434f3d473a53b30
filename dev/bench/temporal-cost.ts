import { setTimeout as delay } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { round } from './distribution.ts';

const sampleMax = 50;
const listedMax = 5_000;
const closeTimeoutMs = 20_000;
const pollEveryMs = 250;

/** Reads it once the application's workflows have ended, or after 20 s; null where there are none. */
export async function readTemporalCost(
  client: Client,
  { appUid, events }: { appUid: string; events: number },
) {
  const query = `AppUid = "${appUid}"`;
  await waitUntilClosed(client, query);
  const { count: workflows } = await client.workflow.count(query);
  if (workflows === 0 || events === 0) return null;
  const sample = pickEvenly(await listWorkflows(client, query));
  const costs = await Promise.all(sample.map((info) => readWorkflow(client, info)));
  const sum = (of: (cost: (typeof costs)[number]) => number): number =>
    costs.reduce((total, cost) => total + of(cost), 0);
  const sampledEvents = sum(({ events }) => events) || 1;
  return {
    workflows,
    eventsPerWorkflow: round(events / workflows),
    sampledWorkflows: costs.length,
    stateTransitionsPerEvent: round(sum((cost) => cost.stateTransitions) / sampledEvents),
    historyEventsPerEvent: round(sum((cost) => cost.historyEvents) / sampledEvents),
    historyBytesPerEvent: Math.round(sum((cost) => cost.historyBytes) / sampledEvents),
  };
}

async function waitUntilClosed(client: Client, query: string): Promise<void> {
  const deadlineMs = performance.now() + closeTimeoutMs;
  while (performance.now() < deadlineMs) {
    const { count } = await client.workflow.count(`${query} AND ExecutionStatus = "Running"`);
    if (count === 0) return;
    await delay(pollEveryMs);
  }
}

async function listWorkflows(client: Client, query: string): Promise<WorkflowExecutionInfo[]> {
  const listed: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query })) {
    listed.push(info);
    if (listed.length === listedMax) break;
  }
  return listed;
}

// From the whole list: the first workflows of a run have fewer events than the last.
function pickEvenly<T>(list: readonly T[]): T[] {
  const step = Math.max(1, list.length / sampleMax);
  const count = Math.min(sampleMax, list.length);
  return Array.from({ length: count }, (_, index) => list[Math.floor(index * step)] as T);
}

async function readWorkflow(client: Client, { workflowId, runId }: WorkflowExecutionInfo) {
  const execution = { workflowId, runId };
  const { namespace } = client.options;
  const service = client.connection.workflowService;
  const [described, started] = await Promise.all([
    service.describeWorkflowExecution({ namespace, execution }),
    service.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 }),
  ]);
  const facts = described.workflowExecutionInfo;
  const input =
    started.history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  const value = input ? defaultPayloadConverter.fromPayload<{ events?: unknown[] }>(input) : {};
  return {
    events: value.events?.length ?? 0,
    stateTransitions: Number(String(facts?.stateTransitionCount ?? 0)),
    historyEvents: Number(String(facts?.historyLength ?? 0)),
    historyBytes: Number(String(facts?.historySizeBytes ?? 0)),
  };
}
