// What an application's events cost Temporal: workflows, state transitions, bytes of history.
import { setTimeout as delay } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { round } from './distribution.ts';

export interface TemporalCost {
  workflows: number;
  eventsPerWorkflow: number;
  /** The following are of a sample of the workflows, divided by the events these carried. */
  sampledWorkflows: number;
  stateTransitionsPerEvent: number;
  historyEventsPerEvent: number;
  historyBytesPerEvent: number;
}

const sampleMax = 50;
const listedMax = 5_000;
const closeTimeoutMs = 20_000;
const pollEveryMs = 250;

/** Reads it once the application's workflows have ended, or after 20 s. Gives null where there are none. */
export async function readTemporalCost(
  client: Client,
  { appUid, events }: { appUid: string; events: number },
): Promise<TemporalCost | null> {
  const query = `AppUid = "${appUid}"`;
  await waitUntilClosed(client, query);
  const { count: workflows } = await client.workflow.count(query);
  if (workflows === 0 || events === 0) return null;
  const sample = pickEvenly(await listWorkflows(client, query));
  const costs = await Promise.all(sample.map((info) => readWorkflow(client, info)));
  const sum = (of: (cost: WorkflowCost) => number): number =>
    costs.reduce((total, cost) => total + of(cost), 0);
  const sampledEvents = Math.max(
    1,
    sum((cost) => cost.events),
  );
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

/** From the whole length of the list: the first workflows of a run carry fewer events than the last. */
function pickEvenly<T>(list: readonly T[]): T[] {
  const step = Math.max(1, list.length / sampleMax);
  return Array.from({ length: Math.min(sampleMax, list.length) }, (_, index) => {
    return list[Math.floor(index * step)] as T;
  });
}

interface WorkflowCost {
  events: number;
  stateTransitions: number;
  historyEvents: number;
  historyBytes: number;
}

async function readWorkflow(client: Client, info: WorkflowExecutionInfo): Promise<WorkflowCost> {
  const execution = { workflowId: info.workflowId, runId: info.runId };
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
