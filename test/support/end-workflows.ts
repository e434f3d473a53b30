import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Terminates the running workflows of a namespace, so that the rest of a load does not affect the next test. */
export async function endWorkflows({ workflow }: Client): Promise<void> {
  for await (const { workflowId } of workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    // It may have completed since the list was read.
    await workflow
      .getHandle(workflowId)
      .terminate()
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  }
}
