import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { dispatchLimits } from '../limits.ts';
import { eventsTaskQueue } from './names.ts';

const startTimeoutMs = 5_000;

/** Starts a workflow unless one of its id runs, also where one has ended. Returns whether it did. */
export async function startUnlessRunning(
  client: Client,
  type: string,
  options: Omit<WorkflowStartOptions, 'taskQueue'>,
): Promise<boolean> {
  try {
    await start(client, type, {
      ...options,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Starts a workflow at most once: a running or ended one counts as started. Rejects without an answer in 5 s. */
export async function startOnce(
  client: Client,
  type: string,
  options: Omit<WorkflowStartOptions, 'taskQueue'>,
): Promise<void> {
  try {
    await start(client, type, {
      ...options,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function start(
  client: Client,
  type: string,
  options: Omit<WorkflowStartOptions, 'taskQueue'>,
): Promise<void> {
  await client.withDeadline(Date.now() + startTimeoutMs, () =>
    client.workflow.start(type, {
      ...options,
      taskQueue: eventsTaskQueue,
      workflowTaskTimeout: dispatchLimits.workflowTaskTimeoutMs,
    }),
  );
}
