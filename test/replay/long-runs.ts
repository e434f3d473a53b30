// Runs that are long enough to go on as new ones: real workflows, and activities that always have more to do.
import { WorkflowContinuedAsNewError } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Disposal } from '../../lib/disposal.ts';
import { newId } from '../../lib/ids.ts';
import type {
  DeliverInOrderInput,
  DeliveryActivities,
  RedeliverInput,
} from '../../lib/temporal/messages.ts';
import {
  deliverInOrderWorkflow,
  eraseWorkflow,
  eventsTaskQueue,
  redeliverWorkflow,
  tidyUpWorkflow,
} from '../../lib/temporal/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle-workflows.ts';
import { installRuntime } from '../../worker/connect-temporal.ts';
import {
  createActivityWorkers,
  createWorkflowWorker,
  runWorkers,
} from '../../worker/create-worker.ts';
import { testServers } from '../support/servers.ts';

interface LongRun {
  workflow: string;
  args: unknown[];
}

const lane: DeliverInOrderInput = {
  appUid: newId('app'),
  webhookUid: newId('whk'),
  entity: 'agent',
  resourceUid: newId('agt'),
};

const release: RedeliverInput = {
  appUid: lane.appUid,
  source: { kind: 'held', webhookUid: lane.webhookUid },
  after: '',
  released: 0,
};

export const longRuns: Readonly<Record<string, LongRun>> = {
  'lane-goes-on': { workflow: deliverInOrderWorkflow, args: [lane] },
  'release-goes-on': { workflow: redeliverWorkflow, args: [release] },
  'tidy-up-goes-on': { workflow: tidyUpWorkflow, args: [] },
  'erase-goes-on': { workflow: eraseWorkflow, args: [newId('ers')] },
};

const nothing = {
  expired: 0,
  deliveries: 0,
  events: 0,
  redeliveries: 0,
  erasures: 0,
  auditRows: 0,
  erased: 0,
};

async function notCalled(): Promise<never> {
  throw new Error('no long run makes such an attempt');
}

const moreToDo: DeliveryActivities = {
  attemptFirst: notCalled,
  retryDelivery: notCalled,
  attemptInOrder: async () => ({ next: 'more', head: null, settled: [] }),
  takeRedeliverPage: async () => ({ events: [], after: '', isLast: false }),
  tidyUpBatch: async () => ({ ...nothing, after: '', more: true }),
  eraseBatch: async () => ({ erased: 1, more: true }),
};

/** Plays a run on the time-skipping server until a new one takes its place, and gives its history. */
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
      await createWorkflowWorker(place, await loadWorkflowBundle(workflowBundle)),
      ...(await createActivityWorkers(place, moreToDo)),
    ]),
  );
  const workflowId = `${workflow}/goes-on`;
  const options = { taskQueue: eventsTaskQueue, workflowId, args };
  const { firstExecutionRunId } = await client.workflow.start(workflow, options);
  const first = client.workflow.getHandle(workflowId, firstExecutionRunId, { followRuns: false });
  const end: unknown = await first.result().catch((error: unknown) => error);
  if (!(end instanceof WorkflowContinuedAsNewError)) throw new Error('a new run was expected');
  // The new run would go on for ever, too.
  await client.workflow.getHandle(workflowId).terminate();
  return first.fetchHistory();
}
