// Deliveries on Temporal's time-skipping server: real MongoDB and receivers, hours in milliseconds.
import { WorkflowFailedError } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { DeliveryPorts } from '../../lib/deliveries/ports.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import { createPartitionSignaller } from '../../lib/temporal/signal-partition.ts';
import type {
  AttemptFirstInput,
  DeliveryActivities,
  DeliverySummary,
  RetryDeliveryInput,
} from '../../lib/temporal/messages.ts';
import { registerSearchAttributes } from '../../lib/temporal/registered-attributes.ts';
import { loadWorkflowBundle } from '../../worker/bundle-workflows.ts';
import { installRuntime } from '../../worker/connect-temporal.ts';
import {
  createActivityWorkers,
  createWorkflowWorker,
  runWorkers,
} from '../../worker/create-worker.ts';
import { deliveryPorts } from './delivery-ports.ts';
import { startWorkflow } from './starters.ts';
import { createInstallation, type Installation } from './installation.ts';
import { testServers } from './servers.ts';

export interface SkippingDeliveries extends Installation {
  ports: DeliveryPorts;
  environment: TestWorkflowEnvironment;
  /** Called before each activity with its name. If it throws, the activity throws the same. */
  beforeActivity: (name: keyof DeliveryActivities) => Promise<void> | void;
  /**
   * Starts one workflow for events. Returns a function that waits for its end and returns its summary, even if it
   * failed. Time is skipped only during this wait.
   */
  start(...events: EventDocument[]): Promise<() => Promise<DeliverySummary>>;
  /** Runs one workflow for events to its end. */
  deliver(...events: EventDocument[]): Promise<DeliverySummary>;
}

// The clock is read from the server before each activity.
const earlyMsMax = 100;
// Activities run in real time. Far less than the difference to the next wait of any schedule.
const lateMsMax = 10_000;

/** Checks a wait between two attempts: not early, and at most 15 % late. */
export function expectWait(
  waitMs: number | undefined,
  scheduledMs: number | undefined = Number.NaN,
): void {
  expect(waitMs).toBeGreaterThanOrEqual(scheduledMs - earlyMsMax);
  expect(waitMs).toBeLessThanOrEqual(scheduledMs * 1.15 + lateMsMax);
}

/** Starts workers for deliveries whose waits are skipped. */
export async function startSkippingDeliveries(): Promise<SkippingDeliveries> {
  const open = new Disposal();
  try {
    return await startInto(open);
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

async function startInto(open: Disposal): Promise<SkippingDeliveries> {
  const installation = open.use(await createInstallation());
  const servers = testServers();
  installRuntime();
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: servers.timeSkippingServer } },
  });
  open.defer(() => environment.teardown());
  const { nativeConnection: connection, client, namespace = 'default' } = environment;
  // This server cannot list search attributes, so all are registered without a check.
  await registerSearchAttributes(connection, namespace);

  let aheadMs = (await environment.currentTimeMs()) - Date.now();
  const clock: Clock = { now: () => new Date(Date.now() + aheadMs) };
  const ports = deliveryPorts(installation, {
    sender: open.use(createHttpSender({ policy: installation.config.egress })),
    signalPartition: createPartitionSignaller(client),
    clock,
  });
  const activities = createActivities(ports);
  const deliveries: SkippingDeliveries = {
    ...installation,
    ports,
    environment,
    beforeActivity: () => undefined,
    start,
    deliver: async (...events) => (await start(...events))(),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
  // The server's clock runs like ours during an activity, and leaps before it.
  const atVirtualTime =
    <I, O>(name: keyof DeliveryActivities, run: (input: I) => Promise<O>) =>
    async (input: I): Promise<O> => {
      aheadMs = (await environment.currentTimeMs()) - Date.now();
      await deliveries.beforeActivity(name);
      return run(input);
    };
  const temporal = { connection, namespace };
  open.use(
    runWorkers([
      await createWorkflowWorker(temporal, {
        bundle: await loadWorkflowBundle(servers.workflowBundle),
        activities: {
          attemptFirst: atVirtualTime('attemptFirst', (input: AttemptFirstInput) =>
            activities.attemptFirst(input),
          ),
        },
      }),
      ...(await createActivityWorkers(temporal, {
        ...activities,
        retryDelivery: atVirtualTime('retryDelivery', (input: RetryDeliveryInput) =>
          activities.retryDelivery(input),
        ),
      })),
    ]),
  );
  const installed = { store: installation.store, temporal: { client } };

  async function start(...events: EventDocument[]): Promise<() => Promise<DeliverySummary>> {
    await startWorkflow(installed, events, { clock });
    const started = await installation.store.events.findOne({ _id: events[0]?._id ?? '' });
    const handle = client.workflow.getHandle(started?.workflowId ?? '');
    return () => summaryOf(handle.result());
  }
  return deliveries;
}

async function summaryOf(result: Promise<unknown>): Promise<DeliverySummary> {
  try {
    return (await result) as DeliverySummary;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const cause = error.cause as { type?: string; details?: DeliverySummary[] };
    const [summary] = cause.details ?? [];
    if (cause.type !== 'DeliveriesFailed' || summary === undefined) throw error;
    return summary;
  }
}
