// A run of an order's workflow that reaches its limit of signals before its first step.
import { nothingDone } from '../support/order-steps.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { DeliverInOrderInput, DeliveryActivities } from '../../lib/temporal/messages.ts';
import {
  deliverInOrderWorkflow,
  eventsTaskQueue,
  wakeSignalName,
} from '../../lib/temporal/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle-workflows.ts';
import {
  createActivityWorkers,
  createWorkflowWorker,
  runWorkers,
} from '../../worker/create-worker.ts';
import { startService } from '../support/service.ts';
import { testServers } from '../support/servers.ts';

const signalsPerRunMax = 500;

test.each([signalsPerRunMax - 1, signalsPerRunMax])(
  'a run that starts with %d signals takes a step before it continues as a new one',
  async (count) => {
    await using open = new Disposal();
    const service = open.use(await startService({ worker: false }));
    const { client } = service.temporal;
    let steps = 0;
    const notCalled = async (): Promise<never> => {
      throw new Error('only the order is attempted');
    };
    const activities: DeliveryActivities = {
      attemptFirst: notCalled,
      retryDelivery: notCalled,
      takeJobPage: notCalled,
      attemptInOrder: async () => {
        steps += 1;
        return { next: 'end', ...nothingDone };
      },
    };
    const partition: DeliverInOrderInput = {
      appUid: service.app.appUid,
      webhookUid: newId('whk'),
      entity: 'agent',
      resourceUid: newId('agt'),
    };
    const workflowId = `many-signals/${count}`;
    const { firstExecutionRunId } = await client.workflow.start(deliverInOrderWorkflow, {
      taskQueue: eventsTaskQueue,
      workflowId,
      args: [partition],
    });
    const first = client.workflow.getHandle(workflowId, firstExecutionRunId, { followRuns: false });
    await Promise.all(Array.from({ length: count }, () => first.signal(wakeSignalName)));
    const bundle = await loadWorkflowBundle(testServers().workflowBundle);
    open.use(
      runWorkers([
        await createWorkflowWorker(service.temporal, { bundle, activities }),
        ...(await createActivityWorkers(service.temporal, activities)),
      ]),
    );
    await first.result();
    expect(steps).toBe(1);
  },
);
