import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { dispatchLimits } from '../limits.ts';
import { eventsTaskQueue } from './names.ts';

const startTimeoutMs = 5_000;

export type StartOptions = Omit<WorkflowStartOptions, 'taskQueue'>;

/** Starts a workflow unless its ID is running; one that has ended does not matter. Returns whether it did. */
export function startUnlessRunning(
  client: Client,
  type: string,
  options: StartOptions,
): Promise<boolean> {
  return start(client, type, { ...options, workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
}

/** Starts a workflow unless its ID is running or ended. Returns whether it did; rejects without a response in 5 s. */
export function startOnce(client: Client, type: string, options: StartOptions): Promise<boolean> {
  return start(client, type, { ...options, workflowIdReusePolicy: 'REJECT_DUPLICATE' });
}

async function start(client: Client, type: string, options: StartOptions): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + startTimeoutMs, () =>
      client.workflow.start(type, {
        ...options,
        workflowIdConflictPolicy: 'FAIL',
        taskQueue: eventsTaskQueue,
        workflowTaskTimeout: dispatchLimits.workflowTaskTimeoutMs,
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
