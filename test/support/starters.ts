// Starters in addition to that of the service under test: one of another process, or one without Temporal.
import type { Client } from '@temporalio/client';
import { Starter, type StarterPorts } from '../../lib/dispatch/starter.ts';
import { type WorkflowPorts, WorkflowStarts } from '../../lib/dispatch/workflow-starts.ts';
import type { EventToDispatch } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { systemClock } from '../../lib/platform/clock.ts';

interface Servers {
  store: Store;
  temporal: { client: Client };
}

/** Returns a starter with the default settings. `ports` replace its own. */
export function newStarter(servers: Servers, ports: Partial<StarterPorts> = {}): Starter {
  return new Starter({ ...portsOf(servers), eventsPerWorkflowMax: 60, ...ports });
}

/** Returns a starter whose starts all fail. */
export function newStarterWithoutTemporal(
  servers: Servers,
  ports: Partial<StarterPorts> = {},
): Starter {
  const withDeadline = () => Promise.reject(new Error('Temporal is away'));
  return newStarter(servers, { ...ports, client: { withDeadline } as unknown as Client });
}

/** Returns the relay's starts. */
export function newStarts(servers: Servers, ports: Partial<WorkflowPorts> = {}): WorkflowStarts {
  return new WorkflowStarts({ ...portsOf(servers), ...ports });
}

/** Starts one workflow for events, and resolves when the start is recorded. */
export async function startWorkflow(
  servers: Servers,
  events: readonly EventToDispatch[],
  ports: Partial<WorkflowPorts> = {},
): Promise<void> {
  await (
    await newStarts(servers, ports).startEvents(events, 'relay')
  ).marked;
}

function portsOf({ store, temporal }: Servers): WorkflowPorts {
  return { client: temporal.client, store, clock: systemClock, eager: false };
}

/** Returns the input that a workflow was started with. */
export async function startInputOf<Input>(
  { temporal }: Pick<Servers, 'temporal'>,
  workflowId: string,
): Promise<Input> {
  const history = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  const [payload] =
    history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? []).toString('utf8')) as Input;
}
