// Starts a workflow, however often it is asked for.
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { eventsTaskQueue, workflowTaskTimeoutMs } from './names.ts';

const startTimeoutMs = 5_000;

/**
 * Starts a workflow at most once: a second start joins the running one (USE_EXISTING) or is refused
 * because it ended (REJECT_DUPLICATE); both mean that the work is taken care of. Rejects when Temporal
 * does not answer in time.
 */
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
        workflowTaskTimeout: workflowTaskTimeoutMs,
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
