// Runs that continue as new: real workflows, and activities that always have more to do.
import { WorkflowContinuedAsNewError } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { DeliverInOrderInput, DeliveryActivities } from '../../lib/temporal/messages.ts';
import type { RunJobInput } from '../../lib/temporal/job-messages.ts';
import {
  deliverInOrderWorkflow,
  eventsTaskQueue,
  runJobWorkflow,
} from '../../lib/temporal/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle-workflows.ts';
import { installRuntime } from '../../worker/connect-temporal.ts';
import {
  createActivityWorkers,
  createWorkflowWorker,
  runWorkers,
} from '../../worker/create-worker.ts';
import { nothingDone } from '../support/order-steps.ts';
import { testServers } from '../support/servers.ts';

interface LongRun {
  workflow: string;
  args: unknown[];
}

const partition: DeliverInOrderInput = {
  appUid: newId('app'),
  webhookUid: newId('whk'),
  entity: 'agent',
  resourceUid: newId('agt'),
};

const job: RunJobInput = { appUid: partition.appUid, jobUid: newId('job') };

export const longRuns: Readonly<Record<string, LongRun>> = {
  'partition-goes-on': { workflow: deliverInOrderWorkflow, args: [partition] },
  'job-goes-on': { workflow: runJobWorkflow, args: [job] },
};

async function notCalled(): Promise<never> {
  throw new Error('no long run makes such an attempt');
}

const moreToDo: DeliveryActivities = {
  attemptFirst: notCalled,
  retryDelivery: notCalled,
  attemptInOrder: async () => ({ next: 'more', ...nothingDone }),
  takeJobPage: async () => ({ events: [], isLast: false, waitMs: 1_000 }),
};

/** Plays a run on the time-skipping server to its end, and returns its history. */
export async function playLongRun({ workflow, args }: LongRun): Promise<History> {
  await using open = new Disposal();
  const { timeSkippingServer: path, workflowBundle } = testServers();
  installRuntime();
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  open.defer(() => environment.teardown());
  const { nativeConnection: connection, client, namespace = 'default' } = environment;
  const place = { connection, namespace };
  open.use(
    runWorkers([
      await createWorkflowWorker(place, {
        bundle: await loadWorkflowBundle(workflowBundle),
        activities: moreToDo,
      }),
      ...(await createActivityWorkers(place, moreToDo)),
    ]),
  );
  const workflowId = `${workflow}/goes-on`;
  const options = { taskQueue: eventsTaskQueue, workflowId, args };
  const { firstExecutionRunId } = await client.workflow.start(workflow, options);
  const first = client.workflow.getHandle(workflowId, firstExecutionRunId, { followRuns: false });
  const end: unknown = await first.result().catch((error: unknown) => error);
  if (!(end instanceof WorkflowContinuedAsNewError)) {
    throw new Error('the run has ended in another way', { cause: end });
  }
  // The new run would never end, either.
  await client.workflow.getHandle(workflowId).terminate();
  return first.fetchHistory();
}
