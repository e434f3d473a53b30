import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { dispatchLimits } from '../limits.ts';
import { eventsTaskQueue } from './names.ts';

const startTimeoutMs = 5_000;

/** Starts a workflow at most once: a running or ended one counts as started. Rejects without an answer in 5 s. */
export async function startOnce(
  client: Client,
  type: string,
  options: Omit<WorkflowStartOptions, 'taskQueue'>,
): Promise<void> {
  try {
    await client.withDeadline(Date.now() + startTimeoutMs, () =>
      client.workflow.start(type, {
        ...options,
        taskQueue: eventsTaskQueue,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: dispatchLimits.workflowTaskTimeoutMs,
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
